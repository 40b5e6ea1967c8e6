"""A search for the lines and exceptions that packets at one port lead to, each with a path that was replayed.

The program is watched: a reaction to a packet of that port carries an event with the lines that it ran. One property
remembers the lines of the last such reaction, so that every different set of lines is a finding of its own with a
shortest path. Discovery, limits and the confirmation on the program as it was written are those of any check.
"""

import copy
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.engine.model import Event, Needs, Property, Restart
from sdnloom.engine.result import Counterexample, SearchOptions
from sdnloom.inputs.any_state.source_lines import source_facts
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.explorable import explorable
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HandlerRaised, MessageSent, Printed
from sdnloom.network.openflow import PacketIn
from sdnloom.network.program import HasThreads, Input, MessageIn, Program, Reaction, WrappedProgram, capability
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.network.value import Value
from sdnloom.platforms.explorable import HandlerRun, MessageContent, OpenState, RewrittenProgram
from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.properties.base import NetworkProperty
from sdnloom.strategies import NoDelay

LINES = "lines of the handler"


class RaisedAt(NamedTuple):
    """An exception that escapes from a handler: its line, and its type without the text."""

    line: Line
    type: str

    @staticmethod
    def of(event: HandlerRaised) -> "RaisedAt":
        """The exception of an event."""
        return RaisedAt(Line(event.file, event.line), event.text.partition(":")[0])


HandlerTarget = Line | RaisedAt


@dataclass(frozen=True, slots=True, repr=False)
class LinesRun(Value):
    """A reaction to a packet ran these lines, and these exceptions escaped."""

    lines: tuple[Line, ...]
    raised: tuple[RaisedAt, ...]

    @property
    def targets(self) -> tuple[HandlerTarget, ...]:
        """All of them."""
        return (*self.lines, *self.raised)


def targets_of(lines: Sequence[Line], events: Sequence[Event], known: frozenset[Line]) -> LinesRun:
    """The exceptions of one reaction, and those of its lines that are known: rewritten code shows some more."""
    raised = {RaisedAt.of(event) for event in events if isinstance(event, HandlerRaised)}
    return LinesRun(tuple(sorted(known.intersection(lines))), tuple(sorted(raised)))


@dataclass(frozen=True)
class LineProperty(NetworkProperty):
    """Reports each different set of lines that the reaction to a packet runs.

    `identity` and `rest` are those of the properties that it takes the place of, so that steps are the same.
    """

    name: str = LINES
    with_identity: bool = False
    with_rest: bool = False

    @property
    def identity(self) -> bool:
        """Whether packets carry packet ids."""
        return self.with_identity

    @property
    def rest(self) -> bool:
        """Whether there are events when the network comes to rest."""
        return self.with_rest

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""

        def fold(memory: str, event: Event) -> str:
            if isinstance(event, LinesRun):
                return _text_of(event)
            return memory if isinstance(event, MessageSent | Printed) else ""  # these follow in the same step

        return (Property(self.name, Needs.ORDER, lambda memory, _: memory or None, fold=fold, initial=""),)

    def bind_startup(self, view: NetworkView) -> tuple[Property, ...]:
        """Return nothing: the course of events before the search violates it in no way."""
        return ()


def _text_of(event: LinesRun) -> str:
    return json.dumps([event.lines, event.raised])


def targets_in(message: str) -> tuple[HandlerTarget, ...]:
    """The lines and exceptions that a message of the property names."""
    lines, raised = json.loads(message)
    return (*(Line(*each) for each in lines), *(RaisedAt(Line(*line), kind) for line, kind in raised))


class WatchedProgram(WrappedProgram):
    """A program whose reactions to packets of one port tell which lines ran. Law: it reacts as the program does.

    If there are several reactions to one packet, only the first tells, because the others cannot be run alone.
    """

    def __init__(self, program: Program, port: SwitchPort, files: tuple[Path, ...]) -> None:
        super().__init__(program)
        self._port = port
        opened = capability(program, OpenState)
        if opened is None:
            raise DiscoveryError(
                f"the state of program {program.name!r} cannot be changed: it is a {type(program).__name__}; "
                "expected an os-ken or Ryu app, or a class in plain Python"
            )
        threads = capability(program, HasThreads)
        if threads is not None and threads.explores_threads:
            raise DiscoveryError(
                f"threads of program {program.name!r} are steps of their own; expected threads = 'settle', "
                "so that a packet is handled in one step"
            )
        self.opened = opened
        self.files = files or opened.own_files
        self._known = source_facts(self.files).lines
        self.cores: dict[Hashable, None] = {}  # the states that were met
        self.twin: WatchedTwin | None = None

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions; the first of those to a packet has the event LinesRun."""
        reactions = self.wrapped.handle(core, given)
        if isinstance(reactions, Restart):
            self.cores.clear()
            return reactions
        self.cores.setdefault(core)
        self.cores.update(dict.fromkeys(each.core for each in reactions))
        if not (isinstance(given, MessageIn) and self._comes_from_port(given)) or not reactions:
            return reactions
        self.opened.prepare(core)
        done, lines = line_trace(lambda: self.opened.run_changed(core, given, lambda holders: None), self.files)
        first = reactions[0]
        if done.messages != first.messages or _raised(done.events) != _raised(first.events):
            return reactions
        event = targets_of(lines, first.events, self._known)
        return (replace(first, events=(*first.events, event)), *reactions[1:])

    def _comes_from_port(self, given: MessageIn) -> bool:
        message = given.message
        return (
            given.switch == self._port.switch and isinstance(message, PacketIn) and message.in_port == self._port.port
        )

    def rewritten(self) -> "WatchedTwin":
        """The watched twin of the program."""
        self.twin = WatchedTwin(explorable(self.wrapped), self._port, self.files)
        return self.twin


def _raised(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, HandlerRaised)]


class WatchedTwin(WatchedProgram):
    """A watched program whose code follows symbolic values."""

    wrapped: RewrittenProgram

    def __init__(self, program: RewrittenProgram, port: SwitchPort, files: tuple[Path, ...]) -> None:
        super().__init__(program, port, files)
        self.own_files, self.library, self.quiet = program.own_files, program.library, program.quiet
        self.parsers = program.parsers

    def prepare(self, core: Any) -> None:
        """Restore a state now."""
        self.wrapped.prepare(core)

    def attempt(self, core: Any, given: MessageIn, content: MessageContent | None = None) -> HandlerRun:
        """Run the handler of a message in a state."""
        return self.wrapped.attempt(core, given, content)


class LineRun(Run):
    """A run in which every line that a packet at one port leads to is a finding."""

    def __init__(
        self,
        scenario: Scenario,
        port: SwitchPort,
        files: tuple[Path, ...],
        deep: bool = False,
    ) -> None:
        """A `deep` run follows each run to its end before the next, and without delays of control messages."""
        properties = [each for each in scenario.properties if not isinstance(each, Property)]
        reports = LineProperty(
            with_identity=any(each.identity for each in properties), with_rest=any(each.rest for each in properties)
        )
        limits = scenario.options.limits
        engine, strategies = scenario.options.engine, (NoDelay(),) if deep else ()
        options = SearchOptions(
            engine="loop" if deep else engine, order="dfs" if deep else "bfs", find_all=True, limits=limits
        )
        super().__init__(replace(scenario, properties=(reports,), options=options, strategies=strategies))
        self.watched = WatchedProgram(self.program, port, files)
        self.program = self.watched

    def unwatched(self, scenario: Scenario) -> Run:
        """The run of a scenario with the program of this one as it was written, which is not loaded again."""
        run = copy.copy(self)
        run.__dict__.pop("_built", None)  # the system of this run
        run.scenario, run.program = scenario, self.watched.wrapped
        return run


def shortest_paths(found: Sequence[Counterexample]) -> Mapping[HandlerTarget, Counterexample]:
    """For each line and exception the shortest path that leads to it; as few paths as possible at equal length."""
    paths: dict[HandlerTarget, Counterexample] = {}
    for one in sorted(found, key=lambda one: (len(one.path), one.message)):
        for target in targets_in(one.message):
            paths.setdefault(target, one)
    return paths
