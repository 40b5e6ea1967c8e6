"""The core of NOX: components, handlers in order, timers, and messages to switches.

Time stands still while handlers run. A timer fires only when no other is due earlier; of timers that are due together,
those with the same delay fire in the order in which they were set.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import FlowMod, OpenFlowMessage
from sdnloom.platforms.capture.save_restore import Aspect, Aspects, CapturedAspect, Form
from sdnloom.platforms.nox import events
from sdnloom.platforms.nox.inputs import flow_mod_event
from sdnloom.platforms.nox.netinet import Packet_expr
from sdnloom.platforms.nox.octets import octet_array
from sdnloom.platforms.nox.packet.ethernet import ethernet
from sdnloom.platforms.nox.packet.packet_utils import mac_to_int
from sdnloom.platforms.nox.util import extract_flow
from sdnloom.platforms.sandbox.clock import Clock, Draws, nanoseconds

MAX_POSTED = 10_000  # events that one input may cause; a program that posts more is refused


class NoxError(SdnloomError):
    """A NOX program that cannot be loaded or run. The message names the file or component, and what was expected."""


class NoxTimer(CapturedAspect):
    """A timer: a function that is called once. `reactor.callLater` returns it."""

    __slots__ = ("arguments", "delay", "due", "function", "kernel")
    aspects: ClassVar[Aspects] = (
        # The kernel captures the deadline, as the time that is left.
        Aspect("timer", Form.SEQUENCE, lambda each: (each.delay, each.function, each.arguments), None),
    )

    def __init__(self, kernel: "Kernel", delay: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.kernel, self.delay, self.due = kernel, delay, kernel.clock.now + delay
        self.function, self.arguments = function, arguments

    def active(self) -> bool:
        """Whether it has not fired and was not cancelled."""
        return self in self.kernel.timers

    def cancel(self) -> None:
        """Cancel it."""
        self.kernel.timers.remove(self)


class HandlerRule(NamedTuple):
    """A handler for packets that a Packet_expr describes."""

    number: int
    priority: int
    expr: Packet_expr
    handler: Callable[..., Any]


class Kernel(CapturedAspect):
    """The state of NOX itself; `sent` and `escaped` are collected after every input."""

    aspects: ClassVar[Aspects] = (
        Aspect("kernel", Form.MAP, lambda each: each.save(), lambda each, saved: each.load(saved)),
    )

    def __init__(self, clock: Clock, draws: Draws) -> None:
        self.clock, self.draws = clock, draws
        self.observes_time = True
        self.components: dict[str, Any] = {}
        self.handlers: dict[str, list[Callable[..., Any]]] = {}
        self.rules: list[HandlerRule] = []
        self.timers: list[NoxTimer] = []
        self.switches: dict[int, str] = {}
        self.next_rule = 1
        self.timers_seen: dict[str, None] = {}  # for reports; not part of the state
        self.posted: deque[Any] = deque()
        self.sent: list[tuple[str, OpenFlowMessage]] = []
        self.escaped: list[tuple[str, BaseException]] = []

    def save(self) -> dict[str, Any]:
        """Return the part of the program's state. Deadlines are relative; the time is included if it can be read."""
        return {
            "components": self.components,
            "handlers": self.handlers,
            "rules": tuple(self.rules),
            "timers": tuple((each.due - self.clock.now, each) for each in self.timers),
            "switches": self.switches,
            "next_rule": self.next_rule,
            "now": self.clock.now if self.observes_time else 0,
            "draws": self.draws.getstate(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.clock.now = saved["now"]
        self.components, self.handlers, self.switches = saved["components"], saved["handlers"], saved["switches"]
        self.rules, self.next_rule = list(saved["rules"]), saved["next_rule"]
        self.timers = [each for _, each in saved["timers"]]
        for left, each in saved["timers"]:
            each.due = left + self.clock.now
        self.draws.setstate(saved["draws"])

    def due(self) -> dict[str, NoxTimer]:
        """Return the timers that can fire next, by distinct names."""
        first = min((each.due for each in self.timers), default=0)
        found: dict[str, NoxTimer] = {}
        delays = set()
        for timer in self.timers:
            if timer.due == first and timer.delay not in delays:
                delays.add(timer.delay)
                name = label = name_of(timer.function)
                while label in found:
                    label = f"{name} #{len(found) + 1}"
                found[label] = timer
        return found

    def fire(self, label: str) -> None:
        """Let time pass until a timer is due, and call its function."""
        timer = self.due()[label]
        self.clock.now = max(self.clock.now, timer.due)
        self.timers.remove(timer)
        self.call(timer.function, *timer.arguments)
        self._dispatch_posted()

    def set_timer(self, seconds: float, function: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> NoxTimer:
        """Set a timer that calls a function once after some seconds."""
        if not callable(function):
            raise TypeError("not a callable parameter")
        delay = max(0, nanoseconds(seconds))
        timer = NoxTimer(self, delay, function, arguments)
        self.timers.append(timer)
        self.timers.sort(key=lambda each: (each.due, each.delay))  # the order of the others has no effect
        self.timers_seen[name_of(function)] = None
        return timer

    def happen(self, event: Any) -> None:
        """Dispatch an event, then the events that its handlers posted."""
        self.dispatch(event)
        self._dispatch_posted()

    def request(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Call a function of the program from outside."""
        self.call(function, *arguments)
        self._dispatch_posted()

    def _dispatch_posted(self) -> None:
        for _ in range(MAX_POSTED):
            if not self.posted:
                return
            self.dispatch(self.posted.popleft())
        raise NoxError(
            f"one input leads to more than {MAX_POSTED} posted events; expected handlers that come to an end"
        )

    def dispatch(self, event: Any) -> None:
        """Call the handlers of an event in order until one returns STOP; an exception ends only its own handler."""
        if isinstance(event, events.Packet_in_event):
            for rule in self._matching(event):
                self.call(rule.handler, event)
        for handler in tuple(self.handlers.get(event_name(event), ())):
            if self.call(handler, event) == events.STOP:
                break

    def _matching(self, event: Any) -> Iterator[HandlerRule]:
        """The matching rules with the lowest priority number; the others do not get the packet."""
        flow = {**extract_flow(ethernet(octet_array(event.buf))), "in_port": event.in_port}
        flow |= {name: mac_to_int(flow[name]) for name in ("dl_src", "dl_dst") if len(flow[name]) == 6}
        found = [
            rule for rule in self.rules if all(flow.get(name) == value for name, value in rule.expr.wanted.items())
        ]
        first = min((rule.priority for rule in found), default=0)
        yield from (rule for rule in found if rule.priority == first)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the program; an exception is recorded, as NOX logs it and continues."""
        try:
            return function(*arguments)
        except SdnloomError:
            raise
        except (Exception, SystemExit) as error:  # an exception of the user's code is a finding, not an error of ours
            self.escaped.append((name_of(function), error))
            return events.CONTINUE

    def send(self, datapath_id: int, message: OpenFlowMessage) -> int:
        """Send a message; without such a switch it is lost. A change of a flow table is an event, too."""
        switch = self.switches.get(datapath_id)
        if switch is None:
            return 3  # ESRCH
        self.sent.append((switch, message))
        if isinstance(message, FlowMod) and self.handlers.get(events.Flow_mod_event.static_get_name()):
            self.dispatch(flow_mod_event(datapath_id, message))
        return 0

    def datapath_of(self, switch: str) -> int | None:
        """Return the datapath id of a connected switch."""
        return next((number for number, name in self.switches.items() if name == switch), None)


def event_name(event: Any) -> str:
    """Return the name of an event of NOX or of the program."""
    for method in ("get_name", "static_get_name"):
        if hasattr(event, method):
            return str(getattr(event, method)())
    return str(getattr(event, "NAME", type(event).__name__))


def handler_of(function: Any) -> Any:
    """Return the program's function that an adapter calls, or the function itself."""
    inner = getattr(function, "args", None)
    return handler_of(inner[-1]) if isinstance(inner, tuple) and inner else function


def name_of(function: Any) -> str:
    """Return the name of a handler in reports: that of the program's function, not of an adapter."""
    function = handler_of(function)
    return str(getattr(function, "__qualname__", type(function).__qualname__)).replace("<locals>.", "")
