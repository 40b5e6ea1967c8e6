"""One course of events before a search: the switches join, in the order of their names; warm-up; set-up.

Messages are delivered first come first served: this is one course of events, not all of them. Packets that the program
sends travel from switch to switch; hosts are connected afterwards, so packets that leave by a host's port are lost. In
the warm-up time passes to the program's next timer, as often as the network says or until LLDP has crossed every link.
Then the steps of the set-up follow. Each of these goes on until nothing is left to deliver.
"""

from collections import Counter, deque
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sdnloom.engine.model import Event, Restart, RestartRequired
from sdnloom.engine.stop_points import check_limits, interruptible
from sdnloom.errors import SdnloomError
from sdnloom.network.events import CallAnswered, HandlerRaised, ProgramEnded, exception_text
from sdnloom.network.network import Network, NetworkError
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import Packet
from sdnloom.network.program import (
    ClockTick,
    FirstReaction,
    HasClock,
    HasThreads,
    Input,
    MessageIn,
    Program,
    Reaction,
    SwitchUp,
    ThreadTurn,
    capability,
)
from sdnloom.network.startup.setup_steps import SetupCall, SetupStep
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    SwitchOutcome,
    features_of,
    initial_switch_core,
    receive_message,
    receive_packet,
)
from sdnloom.network.topology.spec import SwitchPort

MAX_START = 10_000  # messages and packets until nothing is left to deliver
MANY_MESSAGES = 500  # after so many, a state that comes back is looked for
MANY_ARRIVALS = 4  # of one packet at one port, beyond two for each switch: perhaps it goes round
LAST_MESSAGES = 6  # that an error names
LLDP = b"\x88\xcc"  # the Ethernet type
LONG_ANSWER = 10  # ticks until an answer to a request has to come
QUIET_TICKS = 20  # that bring no LLDP from another port end the wait for it


class Trouble(Enum):
    """What can go wrong before the search starts."""

    EXCEPTION = "exception"  # a handler raised, or the program ended its process
    STORM = "storm"  # a packet comes to one port again and again


class CourseStep(NamedTuple):
    """A step of a component that the course of events took."""

    component: str
    action: str


class PlannedInput(NamedTuple):
    """An input of the warm-up or the set-up, with the name of its action."""

    action: str
    given: Input


@dataclass(frozen=True)
class StartupEnd:
    """The cores of the program and of the switches when the search starts, and what the bounds say about it.

    With `trouble` the course of events ended early: `steps` and `plan` are what had happened until then, `raised` is
    the last exception.
    """

    program: Hashable
    switches: Mapping[str, SwitchCore]
    notes: tuple[str, ...] = ()
    trouble: Trouble | None = None
    raised: HandlerRaised | ProgramEnded | None = None
    steps: tuple[CourseStep, ...] = ()
    plan: tuple[PlannedInput, ...] = ()


class _TroubleMet(Exception):  # noqa: N818 (it ends the course of events)
    pass


def refuse_unknown(program: Program, switch: str, names: Collection[str]) -> None:
    """Raise NetworkError for a message to a switch that is not there."""
    if switch not in names:
        raise NetworkError(
            f"program {program.name!r} sends a message to the switch {switch!r}; expected one of {', '.join(names)}"
        )


class Startup:
    """One course of events that leads to the state in which the search starts."""

    def __init__(self, network: Network, program: Program, configs: Mapping[str, Switch]) -> None:
        self.network, self.program, self.configs = network, program, configs
        self.names = sorted(configs)
        self._quick = capability(program, FirstReaction)
        threads = capability(program, HasThreads)
        self._explores_threads = network.warmup is not None and threads is not None and threads.explores_threads
        self._has_clock = capability(program, HasClock) is not None

    def run(self, ignored: Collection[Trouble] = tuple(Trouble)) -> StartupEnd:
        """Return how it ended. With `joining` nothing has happened yet.

        At trouble that is not ignored it ends. An exception that is ignored is a note: the program goes on as it would
        without sdnloom. A storm that is ignored ends with an error sooner or later.
        """
        while True:
            try:
                return self._run(ignored)
            except RestartRequired:
                continue  # the program has dropped the refuted assumption

    def _run(self, ignored: Collection[Trouble]) -> StartupEnd:
        self.core: Hashable = self.program.initial()
        self.cores = {name: initial_switch_core(self.configs[name]) for name in self.names}
        self._ignored = ignored
        self._inputs: deque[Input] = deque()
        self._packets: deque[tuple[SwitchPort, Packet]] = deque()
        self._steps: list[CourseStep] = []
        self._plan: list[PlannedInput] = []
        self._notes: list[str] = []
        self._last: deque[str] = deque(maxlen=LAST_MESSAGES)
        self._answers: list[CallAnswered] = []
        self._announced: set[SwitchPort] = set()
        self._where = "while the switches join"
        self._raised = ""  # the last exception, with its line
        self._exception: HandlerRaised | ProgramEnded | None = None
        trouble = None
        if not self.network.joining:
            try:
                self._join()
                self._warm_up()
                for number, step in enumerate(self.network.setup, 1):
                    self._set_up(number, step)
            except _TroubleMet as met:
                (trouble,) = met.args
        return StartupEnd(
            self.core,
            self.cores,
            tuple(self._notes),
            trouble,
            self._exception,
            tuple(self._steps),
            tuple(self._plan),
        )

    # The parts of the course.

    def _join(self) -> None:
        for name in self.names:
            self._steps.append(CourseStep(name, "connect"))
            config = self.configs[name]
            features = features_of(config, self.cores[name])
            self._inputs.append(SwitchUp(name, config.datapath_id, config.ports, features))
        self._settle()

    def _warm_up(self) -> None:
        if self.network.warmup == "links":
            self._wait_for_links()
            return
        for tick in range(self.network.warmup or 0):
            self._where = "in the warm-up"
            if not self._give_planned(PlannedInput(f"warm-up tick {tick + 1}", ClockTick())):
                break

    def _wait_for_links(self) -> None:
        """Let time pass until the program got LLDP from both ends of every link, or gets no more of it."""
        wanted = {end for link in self.network.topology.links for end in link.ends}
        ticks = quiet = 0
        while wanted - self._announced and quiet < QUIET_TICKS:
            self._where = "in the warm-up"
            before = len(self._announced)
            if not self._give_planned(PlannedInput(f"warm-up tick {ticks + 1}", ClockTick())):
                break
            ticks += 1
            quiet = 0 if len(self._announced) > before else quiet + 1
        often = {0: "no time passes", 1: "time passes once"}.get(ticks, f"time passes {ticks} times")
        missing = sorted(wanted - self._announced)
        reached = f"LLDP has never come in at {', '.join(map(str, missing))}" if missing else "LLDP crossed every link"
        self._notes.append(f"warm-up before the search, in one order: switches join, {often}, {reached}")

    def _set_up(self, number: int, step: SetupStep) -> None:
        place = f"setup step {number} ({step.label})"
        self._where = f"in {place}"
        self._answers.clear()
        self._raised = ""
        before = self.core, dict(self.cores)
        try:
            for count, given in enumerate(step.inputs(self.network.topology), 1):
                label = f"tick {count}" if isinstance(given, ClockTick) else step.label
                if not self._give_planned(PlannedInput(f"setup {number}: {label}", given)):
                    raise NetworkError("the program has no timer that time could pass to; expected one")
            ticks = 0
            while isinstance(step, SetupCall) and step.is_request and not self._answers and ticks < LONG_ANSWER:
                ticks += 1
                if not self._give_planned(PlannedInput(f"setup {number}: tick {ticks}", ClockTick())):
                    break
        except RestartRequired:
            raise
        except SdnloomError as error:
            raise NetworkError(f"{place}: {error}") from error
        if isinstance(step, SetupCall):
            self._check_answer(place, step)
            if not self._answers and before == (self.core, self.cores):
                self._note(f"{place} changed nothing")

    def _check_answer(self, place: str, step: SetupCall) -> None:
        if self._raised and not step.is_request:
            raise NetworkError(f"{place}: {self._raised}; expected no exception")
        if step.is_request and not self._answers:
            raise NetworkError(f"{place}: the program waits and does not answer; expected an answer")
        for answer in self._answers:
            if expected := step.refuses(answer.status, answer.body):
                body = " ".join(answer.body[:300].split()) or self._raised
                shown = body if body.startswith(f"{answer.status} ") else f"{answer.status} {body}"
                raise NetworkError(f"{place}: answered with {shown}; expected {expected}")

    def _give_planned(self, planned: PlannedInput) -> bool:
        """Give the program an input and let all that follows happen; False if it has no reaction."""
        if isinstance(planned.given, ClockTick) and not self._has_clock:
            return False
        self._plan.append(planned)
        self._steps.append(CourseStep("controller", planned.action))
        if not self._give(planned.given):
            self._plan.pop()
            self._steps.pop()
            return False
        self._settle()
        return True

    # Delivery.

    def _settle(self) -> None:
        arrivals: Counter[tuple[SwitchPort, Packet]] = Counter()
        seen: set[Hashable] = set()
        for count in range(MAX_START):
            check_limits()
            if count > MANY_MESSAGES:
                state = (self.core, tuple(self.cores.values()), tuple(self._inputs), tuple(self._packets))
                if state in seen:
                    raise NetworkError(self._endless("the same state comes back again and again"))
                seen.add(state)
            if self._inputs:
                given = self._inputs.popleft()
                self._steps.append(CourseStep("controller", f"handle {_switch_of(given)}"))
                self._give(given)
            elif self._packets:
                to, packet = self._packets.popleft()
                arrivals[to, packet] += 1
                if arrivals[to, packet] == MANY_ARRIVALS + 2 * len(self.names):
                    self._meet(Trouble.STORM)
                self._last.append(f"a packet that comes in at {to}")
                self._steps.append(CourseStep(to.switch, "packets"))
                self._become(to.switch, receive_packet(self.configs[to.switch], self.cores[to.switch], to.port, packet))
            elif self._explores_threads:
                self._steps.append(CourseStep("controller", "turn"))
                if not self._give(ThreadTurn()):
                    self._steps.pop()
                    return
            else:
                return
        raise NetworkError(self._endless(f"there are more than {MAX_START:,}"))

    def _endless(self, why: str) -> str:
        return (
            f"program {self.program.name!r} and the switches exchange messages without end {self._where}: {why}; "
            f"the last were {', '.join(self._last)}; expected them to come to rest"
        )

    def _give(self, given: Input) -> bool:
        """Give the program an input; False if it has no reaction."""
        if isinstance(given, MessageIn):
            self._last.append(f"{type(given.message).__name__} from {given.switch}")
            if isinstance(given.message, PacketIn) and given.message.data[12:14] == LLDP:
                self._announced.add(SwitchPort(given.switch, given.message.in_port))
        reaction = self._first(given)
        if reaction is None:
            return False
        self.core = reaction.core
        for event in reaction.events:
            self._notice(event)
        for switch, message in reaction.messages:
            refuse_unknown(self.program, switch, self.names)
            self._last.append(f"{type(message).__name__} to {switch}")
            self._steps.append(CourseStep(switch, "of"))
            self._become(switch, receive_message(self.configs[switch], self.cores[switch], message))
        return True

    def _first(self, given: Input) -> Reaction | None:
        """Return the first of the program's reactions, computed without the others where the program can."""
        with interruptible():
            if self._quick is not None:
                reaction = self._quick.first(self.core, given)
            else:
                reactions = self.program.handle(self.core, given)
                reaction = reactions if isinstance(reactions, Restart) else next(iter(reactions), None)
        if isinstance(reaction, Restart):
            raise RestartRequired(reaction)
        return reaction

    def _become(self, switch: str, outcomes: tuple[SwitchOutcome, ...]) -> None:
        outcome = outcomes[0]
        self.cores[switch] = outcome.core
        self._inputs += [MessageIn(switch, answer) for answer in outcome.messages]
        if outcome.outputs and self.network.warmup is None:
            self._note("the program sends packets before the search: they travel in one order")
        peers = self.network.topology.peers
        for port, packet in outcome.outputs:
            there = peers.get(SwitchPort(switch, port))
            if there is not None:
                self._packets.append((there, packet))

    # What happens.

    def _notice(self, event: Event) -> None:
        if isinstance(event, CallAnswered):
            self._answers.append(event)
        if isinstance(event, HandlerRaised | ProgramEnded):
            self._exception = event
            self._meet(Trouble.EXCEPTION)
            self._raised = exception_text(event)
            self._note(f"{self._raised} {self._where}, before the search")

    def _meet(self, trouble: Trouble) -> None:
        if trouble not in self._ignored:
            raise _TroubleMet(trouble)

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


def _switch_of(given: Input) -> str:
    assert isinstance(given, SwitchUp | MessageIn)
    return given.switch
