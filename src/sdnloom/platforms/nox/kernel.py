"""The core of NOX: components, handlers in order, timers, and what is sent to switches.

Time stands still while handlers run. A timer fires only when no other is due earlier; of timers that are due together,
those with the same delay fire in the order in which they were set, for no clock is so coarse as to change that.
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

MAX_POSTED = 10_000  # events that one input may lead to; a program that never stops posting is refused


class NoxError(SdnloomError):
    """A NOX program that cannot be loaded or run. The message names the file or component, and what was expected."""


class NoxTimer(CapturedAspect):
    """A function that is to be called once; what `reactor.callLater` returns."""

    __slots__ = ("arguments", "delay", "due", "function", "kernel")
    aspects: ClassVar[Aspects] = (
        # The deadline is the kernel's to capture: only how far it is away counts.
        Aspect("timer", Form.SEQUENCE, lambda each: (each.delay, each.function, each.arguments), None),
    )

    def __init__(self, kernel: "Kernel", delay: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.kernel, self.delay, self.due = kernel, delay, kernel.clock.now + delay
        self.function, self.arguments = function, arguments

    def active(self) -> bool:
        """Whether it will still be called."""
        return self in self.kernel.timers

    def cancel(self) -> None:
        """Do not call it."""
        self.kernel.timers.remove(self)


class HandlerRule(NamedTuple):
    """A handler for packets that a Packet_expr describes."""

    number: int
    priority: int
    expr: Packet_expr
    handler: Callable[..., Any]


class Kernel(CapturedAspect):
    """All that NOX itself knows while a program runs; `sent` and `escaped` are taken away after every input."""

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
        self.timers_seen: dict[str, None] = {}  # for reports; no part of the state
        self.posted: deque[Any] = deque()
        self.sent: list[tuple[str, OpenFlowMessage]] = []
        self.escaped: list[tuple[str, BaseException]] = []

    def save(self) -> dict[str, Any]:
        """Return what belongs to the program's state. Deadlines are relative, the time counts if it can be read."""
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
        """Bring back what `save` returned."""
        self.clock.now = saved["now"]
        self.components, self.handlers, self.switches = saved["components"], saved["handlers"], saved["switches"]
        self.rules, self.next_rule = list(saved["rules"]), saved["next_rule"]
        self.timers = [each for _, each in saved["timers"]]
        for left, each in saved["timers"]:
            each.due = left + self.clock.now
        self.draws.setstate(saved["draws"])

    def due(self) -> dict[str, NoxTimer]:
        """Return the timers that can fire next, by names that tell them apart."""
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
        """Let a function be called once after some seconds."""
        if not callable(function):
            raise TypeError("not a callable parameter")
        delay = max(0, nanoseconds(seconds))
        timer = NoxTimer(self, delay, function, arguments)
        self.timers.append(timer)
        self.timers.sort(key=lambda each: (each.due, each.delay))  # the order among others has no effect
        self.timers_seen[name_of(function)] = None
        return timer

    def happen(self, event: Any) -> None:
        """Give an event to its handlers, then the events that they posted to theirs."""
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
        """Call the handlers of an event in order until one says STOP; an exception ends only its own handler."""
        if isinstance(event, events.Packet_in_event):
            for rule in self._matching(event):
                self.call(rule.handler, event)
        for handler in tuple(self.handlers.get(event_name(event), ())):
            if self.call(handler, event) == events.STOP:
                break

    def _matching(self, event: Any) -> Iterator[HandlerRule]:
        """The rules for a packet that have the lowest number as priority; the others do not see it."""
        flow = {**extract_flow(ethernet(octet_array(event.buf))), "in_port": event.in_port}
        flow |= {name: mac_to_int(flow[name]) for name in ("dl_src", "dl_dst") if len(flow[name]) == 6}
        found = [
            rule for rule in self.rules if all(flow.get(name) == value for name, value in rule.expr.wanted.items())
        ]
        first = min((rule.priority for rule in found), default=0)
        yield from (rule for rule in found if rule.priority == first)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the program; what it raises is noted, as NOX logs it and goes on."""
        try:
            return function(*arguments)
        except SdnloomError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's code raises is a finding, not our failure
            self.escaped.append((name_of(function), error))
            return events.CONTINUE

    def send(self, datapath_id: int, message: OpenFlowMessage) -> int:
        """Send a message; nobody gets it if there is no such switch. What changes a flow table is an event, too."""
        switch = self.switches.get(datapath_id)
        if switch is None:
            return 3  # ESRCH
        self.sent.append((switch, message))
        if isinstance(message, FlowMod) and self.handlers.get(events.Flow_mod_event.static_get_name()):
            self.dispatch(flow_mod_event(datapath_id, message))
        return 0

    def datapath_of(self, switch: str) -> int | None:
        """Return the number of a connected switch."""
        return next((number for number, name in self.switches.items() if name == switch), None)


def event_name(event: Any) -> str:
    """Return the name of an event of NOX or of the program's own."""
    for method in ("get_name", "static_get_name"):
        if hasattr(event, method):
            return str(getattr(event, method)())
    return str(getattr(event, "NAME", type(event).__name__))


def name_of(function: Any) -> str:
    """Return what a handler is called in reports: the program's function, not what was put around it."""
    inner = getattr(function, "args", None)
    if isinstance(inner, tuple) and inner:
        return name_of(inner[-1])
    return str(getattr(function, "__qualname__", type(function).__qualname__)).replace("<locals>.", "")
