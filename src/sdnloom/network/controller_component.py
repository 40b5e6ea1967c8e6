"""The controller as a component: one action for each switch, and one for each timer and call from outside.

A program with threads has one more, in which a thread runs, and one with a clock another, in which time passes to the
next timer. Time also passes when nothing else happens, before a property that is checked at rest is judged violated
(`engine/late.py`).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from sdnloom.engine.model import ALL, Action, Component, Event, Mode, Outcome, Restart
from sdnloom.network.assumed_independence import AssumeIndependent
from sdnloom.network.events import ExternalCalled, MessageHandled, MessageSent, PacketMade, TimerFired
from sdnloom.network.network import External, Network, NetworkError
from sdnloom.network.openflow import NO_BUFFER, FlowMod, OpenFlowMessage, PacketIn, PacketOut, StatsReply
from sdnloom.network.packet import decode
from sdnloom.network.program import (
    Call,
    ChecksInputs,
    ClockTick,
    DiscoversStatistics,
    HasClock,
    HasThreads,
    Input,
    MessageIn,
    Program,
    Reaction,
    ShowsWaits,
    SpeaksOpenFlow,
    SwitchDown,
    SwitchUp,
    ThreadTurn,
    TimerInput,
    capability,
)
from sdnloom.network.program_cells import CONNECTIONS, conflict, text_of
from sdnloom.network.reply_counters import answered, kind_of, reply_counters
from sdnloom.network.startup.course import PlannedInput, refuse_unknown
from sdnloom.network.switch_component import EpochMessage, EpochSwitchUp

_StepFunction: TypeAlias = Callable[[Any, Any], list[Outcome] | Restart]


CONTROLLER = "controller"  # the component whose steps run the program
SETTLE_TICK = "tick when nothing else happens"
_MOST_WAITS = 2  # lines of a program that a message names
_MOST_TICKS = 20  # settle ticks in all, for each that may pass in a row without effect


class ControllerCore(NamedTuple):
    """The program's core; the epoch of each switch's connection (None: not connected); budgets of calls and timers.

    `settle_ticks` is how often time has passed because nothing else happened, `idle_ticks` how often since the program
    last received or sent a packet of a host.
    """

    program: Hashable
    epochs: tuple[int | None, ...]
    budgets: tuple[int, ...] = ()
    settle_ticks: int = 0
    idle_ticks: int = 0


class ControllerComponent:
    """Builds the component of the controller."""

    def __init__(self, network: Network, program: Program, plan: Sequence[PlannedInput] | None = None) -> None:
        """With a `plan` it is the controller before the search.

        The inputs of the plan happen in order, each when nothing else can, and packets that the program makes are
        events.
        """
        self.network, self.program, self.plan = network, program, tuple(plan or ())
        self._before_search = plan is not None
        self._refuse_version()
        self.names = sorted(switch.name for switch in network.topology.switches)
        # Connections are numbered only where they can break.
        self.numbered = {name for name, faults in network.switch_faults if faults.any}
        self.changing = network.joining or bool(self.numbered)
        self.outside: list[tuple[str, Input, tuple[Event, ...], int]] = [
            *(
                (f"timer {each.name}", TimerInput(each.name), (TimerFired(each.name),), each.budget)
                for each in network.timers
            ),
            *(
                (_label(network, each), Call(each.name, each.arguments), (ExternalCalled(each.name),), each.budget)
                for each in network.externals
            ),
        ]
        if (checks := capability(program, ChecksInputs)) is not None:
            for _, given, _, _ in self.outside:
                checks.check_input(given)
        self._statistics = capability(program, DiscoversStatistics)
        self._addresses = {host.mac.to_bytes(6, "big") for host in network.topology.hosts}
        self._has_clock = capability(program, HasClock) is not None
        self._shows_waits = capability(program, ShowsWaits)
        if self._has_clock:
            self.outside.append(("tick", ClockTick(), (), network.ticks))

    def _refuse_version(self) -> None:
        speaks, wanted = capability(self.program, SpeaksOpenFlow), self.network.switches.version
        if speaks is not None and speaks.version != wanted:
            raise NetworkError(
                f"program {self.program.name!r} speaks OpenFlow {speaks.version}, the switches {wanted}; "
                "expected one version"
            )

    def with_program(self, program: Program) -> "ControllerComponent":
        """The same controller with another program that reacts alike, such as one that records what it does."""
        return ControllerComponent(self.network, program, self.plan if self._before_search else None)

    def action(self, core: ControllerCore, name: str) -> Action | None:
        """The action of that name, whose step runs the program of this controller; None if there is none."""
        return next((each for each in self.component(core.program).actions if each.name == name), None)

    def component(self, core: Hashable) -> Component:
        """Return the component; `core` is the program's after the switches have joined, if they have."""
        epochs = tuple(None if self.network.joining else 0 for _ in self.names)
        every = frozenset(f"{name}.of" for name in self.names)
        actions = []
        apart, near = self._assumptions()
        for name in self.names:
            cells = frozenset({("program", name)}) if apart else ALL
            sends = frozenset({f"{name}.of"}) if near else every
            actions.append(Action(f"handle {name}", self._handler(name), f"{name}.up", sends, cells, cells))
        actions += [
            Action(label, self._caller(place, given, events), None, every, mode=Mode.MAY)
            for place, (label, given, events, budget) in enumerate(self.outside)
            if budget
        ]
        actions += [
            Action(each.action, self._planner(number, each), None, every, mode=Mode.IDLE)
            for number, each in enumerate(self.plan, 1)
        ]
        threads = capability(self.program, HasThreads)
        if threads is not None and threads.explores_threads:
            actions.append(Action("turn", lambda core, _: self._outcomes(core, ThreadTurn()), None, every))
        budgets = (*(budget for *_, budget in self.outside), len(self.plan))
        initial = ControllerCore(core, epochs, budgets if self.plan else budgets[:-1])
        settles = self._has_clock and not self._before_search
        if settles and self.network.settle_ticks:
            actions.append(Action(SETTLE_TICK, self._settle_tick, None, every, mode=Mode.LATE))
        return Component(
            CONTROLLER,
            initial,
            tuple(actions),
            conflict=conflict,
            cell_text=text_of,
            waits=self._waits if settles and self._shows_waits is not None else None,
        )

    def _settle_tick(self, core: ControllerCore, _: None) -> list[Outcome] | Restart:
        most = self.network.settle_ticks
        if core.idle_ticks == most or core.settle_ticks == most * _MOST_TICKS:
            return []
        return self._outcomes(
            core._replace(settle_ticks=core.settle_ticks + 1, idle_ticks=core.idle_ticks + 1), ClockTick()
        )

    def _waits(self, core: ControllerCore) -> str | None:
        """Return where the program still waits for a timer, and what lets it go on; None if it waits for none."""
        assert self._shows_waits is not None
        places = self._shows_waits.waits(core.program)
        if not places:
            return None
        more = f" and {len(places) - _MOST_WAITS} more" if len(places) > _MOST_WAITS else ""
        where = f"{' and at '.join(places[:_MOST_WAITS])}{more}"
        enough = self.network.settle_ticks + 1
        return f"the program still waits at {where}; it goes on with settle_ticks = {enough} or more"

    def _assumptions(self) -> tuple[bool, bool]:
        """Return whether handlers of different switches are assumed to share no cell, and to send to their own only."""
        if self.changing or not isinstance(self.program, AssumeIndependent):
            return False, False
        return self.program.apart, self.program.near

    def _handler(self, switch: str) -> _StepFunction:
        place = self.names.index(switch)

        def handle(core: ControllerCore, message: Any) -> list[Outcome] | Restart:
            if isinstance(message, EpochSwitchUp | SwitchUp):
                epoch = message.epoch if isinstance(message, EpochSwitchUp) else 0
                given: Input = message.joined if isinstance(message, EpochSwitchUp) else message
                core = core._replace(epochs=(*core.epochs[:place], epoch, *core.epochs[place + 1 :]))
                return self._outcomes(core, given)
            if isinstance(message, SwitchDown):
                return self._outcomes(
                    core._replace(epochs=(*core.epochs[:place], None, *core.epochs[place + 1 :])), message
                )
            outcomes = []
            for label, shown in self._shown(core, switch, message):
                reactions = self.program.handle(core.program, MessageIn(switch, shown))
                if isinstance(reactions, Restart):
                    return reactions
                for reaction in reactions:
                    outcome = self._outcome(core, reaction, (MessageHandled(switch, shown),), label)
                    outcomes.append(self._with_footprint(outcome, reaction))
            return outcomes

        return handle

    def _shown(self, core: ControllerCore, switch: str, message: OpenFlowMessage) -> list[tuple[str, OpenFlowMessage]]:
        """Return the message or, if it is a reply whose statistics are discovered, every reply that it may be.

        Only the program reads a reply, so the choice can be made when it is handled.
        """
        if self.network.answers is None or not isinstance(message, StatsReply) or kind_of(message) is None:
            return [("", message)]
        found = self._statistics.answers(core.program, switch, message) if self._statistics is not None else None
        if found is None:
            known = {each.name for each in reply_counters(message, self.network.switches.version)}
            pool = dict(self.network.answers).get(switch, ())
            found = [each for each in pool if known.issuperset(name for name, _ in each[1])]
        return [(label, answered(message, answer)) for label, answer in found] or [("", message)]

    def _with_footprint(self, outcome: Outcome, reaction: Reaction) -> Outcome:
        """Return the outcome with the cells that were read and written, where they are known."""
        if reaction.reads is None or reaction.writes is None:
            return outcome
        return replace(outcome, reads=reaction.reads | {CONNECTIONS}, writes=reaction.writes)

    def _caller(self, place: int, given: Input, events: tuple[Event, ...]) -> _StepFunction:
        def call(core: ControllerCore, _: None) -> list[Outcome] | Restart:
            left = core.budgets[place]
            if not left:
                return []
            after = core._replace(budgets=(*core.budgets[:place], left - 1, *core.budgets[place + 1 :]))
            return self._outcomes(after, given, events)

        return call

    def _planner(self, number: int, planned: PlannedInput) -> _StepFunction:
        def happen(core: ControllerCore, _: None) -> list[Outcome] | Restart:
            if len(self.plan) - core.budgets[-1] != number - 1:
                return []  # it is the turn of another one
            after = core._replace(budgets=(*core.budgets[:-1], core.budgets[-1] - 1))
            called = (ExternalCalled(planned.given.name),) if isinstance(planned.given, Call) else ()
            return self._outcomes(after, planned.given, called)

        return happen

    def _outcomes(self, core: ControllerCore, given: Input, events: tuple[Event, ...] = ()) -> list[Outcome] | Restart:
        reactions = self.program.handle(core.program, given)
        if isinstance(reactions, Restart):
            return reactions
        return [self._outcome(core, reaction, events) for reaction in reactions]

    def _outcome(self, core: ControllerCore, reaction: Reaction, events: tuple[Event, ...], label: str = "") -> Outcome:
        sends, events_of_sends = [], list[Event]()
        for switch, message in reaction.messages:
            epoch = core.epochs[self._place(switch)]
            if epoch is not None:
                sends.append((f"{switch}.of", EpochMessage(epoch, message) if switch in self.numbered else message))
                events_of_sends.append(MessageSent(switch, message))
                if self._before_search and _is_made(message, events):
                    events_of_sends.append(PacketMade(switch, decode(message.data)))
        if core.idle_ticks:
            handled = [event.message for event in events if isinstance(event, MessageHandled)]
            if any(map(self._carries_packet, [*handled, *(message for _, message in reaction.messages)])):
                core = core._replace(idle_ticks=0)
        return Outcome(
            core._replace(program=reaction.core),
            tuple(sends),
            (*events, *reaction.events, *events_of_sends),
            choice="; ".join(filter(None, (label, reaction.choice))),
        )

    def _carries_packet(self, message: OpenFlowMessage) -> bool:
        """Return whether a message carries a packet that a host sent: one in a buffer, or from a host's address."""
        if not isinstance(message, PacketIn | PacketOut | FlowMod):
            return False
        if message.buffer_id not in (None, NO_BUFFER):
            return True
        return not isinstance(message, FlowMod) and message.data[6:12] in self._addresses

    def _place(self, switch: str) -> int:
        refuse_unknown(self.program, switch, self.names)
        return self.names.index(switch)


def _is_made(message: OpenFlowMessage, events: Sequence[Event]) -> TypeGuard[PacketOut]:
    """Whether a message carries a packet that the program does not have from the message that it handles."""
    if not isinstance(message, PacketOut) or message.buffer_id != NO_BUFFER:
        return False
    handled = [each.message for each in events if isinstance(each, MessageHandled)]
    return not any(isinstance(each, PacketIn) and each.data == message.data for each in handled)


def _label(network: Network, external: External) -> str:
    """Return the name of the action, with the arguments where several calls have this name."""
    alike = [each for each in network.externals if each.name == external.name]
    parts = [external.name, *map(str, external.arguments)] if len(alike) > 1 else [external.name]
    return f"external {' '.join(parts)}"
