"""What can be explored: a scenario or a program of actors, with its steps, pictures and searches."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from sdnloom.actors.program import NO_DEADLOCK, Program
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import step_code
from sdnloom.check.run import Run
from sdnloom.check.step_details import StepDetail
from sdnloom.engine.counterexample.rooted_system import rooted_system
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import Needs, Step
from sdnloom.engine.result import Counterexample, Result, SearchEvent, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.platforms.state_entries import StateReader
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.steps import short_texts
from sdnloom.report.view.actor_trace import actor_trace
from sdnloom.report.view.network_trace import NetworkPath, network_trace
from sdnloom.report.view.program_view import code_views, program_lines
from sdnloom.report.view.result_view import CodeView, LaneState, TraceView
from sdnloom.web.state_search import search_states

OnSearchEvent = Callable[[SearchEvent], None]
_WHEN = {
    Needs.QUIESCENT: "checked at rest",
    Needs.SETTLED: "checked when all is over",
}


class PropertyFact(NamedTuple):
    """A property in a state: its name, when it is checked if not always, whether it is checked here, whether it is
    desired, and its memory.
    """

    name: str
    when: str = ""
    here: bool = True
    sometimes: bool = False
    memory: tuple[str, ...] = ()  # one line per entry


class SearchAnswer(NamedTuple):
    """The answer of a search: the steps from where it began to a violation, or None; and what was searched."""

    steps: tuple[Step, ...] | None
    states: int
    incomplete: str | None


class Explored(ABC):
    """Something to explore. All calls run code of the user's program, so they come from one thread."""

    semantics: Semantics
    name: str
    kind: str  # in words
    names: Names

    @abstractmethod
    def trace(self, transitions: Sequence[Transition]) -> TraceView:
        """A path from the start as it is shown."""

    @abstractmethod
    def properties(self, state: State) -> list[PropertyFact]:
        """The properties, with their memories in a state."""

    @abstractmethod
    def search(self, state: State | None, watch: LimitWatch, on_event: OnSearchEvent) -> SearchAnswer:
        """Look for a violation from a state, or from the start."""

    def step_text(self, transition: Transition) -> str:
        """A step that can be taken, in words."""
        return short_texts([transition], self.names)[0]


class ExploredNetwork(Explored):
    """A scenario. The run has a program that keeps the order of its dicts, as every run along one path."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.name, self.kind = run.scenario.name, "scenario"
        self.names = Names.of(run.scenario.network.topology)
        self.semantics = MemoSemantics(Memo(run.system))
        self._inside = run.step_details()
        self._details: dict[tuple[Hashable, Step], StepDetail | None] = {}
        self._facts: dict[Hashable, LaneState] = {}

    def trace(self, transitions: Sequence[Transition]) -> TraceView:
        """The path with the code that it ran; each step is looked into once."""
        system, initial = self._run.system, self.semantics.initial()
        states = [initial, *(each.state for each in transitions)]
        code = [self._code(before, each) for before, each in zip(states, transitions, strict=False)]
        path = NetworkPath(self._run.scenario.network, system, initial, transitions, code, self._program_facts)
        return network_trace(path)

    def _code(self, before: State, transition: Transition) -> tuple[CodeView, ...]:
        if transition.step.component != CONTROLLER:
            return ()
        key = before.cores[self.semantics.index[CONTROLLER]], transition.step
        if key not in self._details:
            self._details[key] = self._inside.of_step(self._run.system, before, transition)
        detail = self._details[key]
        return () if detail is None else code_views(detail.code)

    def _program_facts(self, core: Hashable) -> LaneState:
        if core not in self._facts:
            self._facts[core] = program_lines(self._inside.state(core), self.names)
        return self._facts[core]

    def properties(self, state: State) -> list[PropertyFact]:
        """Memories are those of the properties that have one."""
        rests = {Needs.QUIESCENT: self.semantics.is_quiescent(state), Needs.SETTLED: self.semantics.is_settled(state)}
        return [
            PropertyFact(
                each.name,
                _WHEN.get(each.needs, ""),
                rests.get(each.needs, True),
                each.sometimes,
                _memory_lines(self.semantics.memory(each, state)) if each.has_memory else (),
            )
            for each in self._run.system.properties
        ]

    def search(self, state: State | None, watch: LimitWatch, on_event: OnSearchEvent) -> SearchAnswer:
        """Search with the loop engine: a state in the middle of a path is the start of a system of its own."""
        system = self._run.system if state is None else rooted_system(self._run.system, state)
        with watch.in_force():
            result = search(system, SearchOptions(engine="loop", reduce=False, limits=watch.limits), on_event, watch)
        return _answer(result, result.violations)


class ExploredProgram(Explored):
    """A program of actors. With `shows_output`, what a task prints is an event of its step."""

    semantics: ActorSemantics

    def __init__(self, program: Program, shows_output: bool = False) -> None:
        self._program = program
        self.name, self.kind, self.names = program.name, "program of actors", program_names(program)
        self.semantics = ActorSemantics(program, shows_output=shows_output)
        self._known: dict[tuple[State, Step], tuple[CodeView, ...]] = {}

    def trace(self, transitions: Sequence[Transition]) -> TraceView:
        """The path with the code that its tasks ran."""
        initial = self.semantics.initial()
        states = [initial, *(each.state for each in transitions)]
        code = [self._code(before, each) for before, each in zip(states, transitions, strict=False)]
        return actor_trace(self._program, initial, transitions, code)

    def _code(self, before: State, transition: Transition) -> tuple[CodeView, ...]:
        key = before, transition.step
        if key not in self._known:
            self._known[key] = code_views(step_code(self.semantics, before, transition))
        return self._known[key]

    def properties(self, state: State) -> list[PropertyFact]:
        """What is checked; monitors have fields, which are part of the state."""
        final = {NO_DEADLOCK, *(check.__name__ for check in self._program.final)}
        rests = self.semantics.is_quiescent(state)
        return [
            PropertyFact(name, "checked when no task can go on", rests) if name in final else PropertyFact(name)
            for name in self.semantics.property_names
        ]

    def search(self, state: State | None, watch: LimitWatch, on_event: OnSearchEvent) -> SearchAnswer:
        """From the start with the search of `check`; from another state one state after the other."""
        if state is not None:
            return SearchAnswer(*search_states(self.semantics, state, watch, on_event))
        report = check_program(self._program, ActorOptions(limits=watch.limits), on_event, watch)
        return _answer(report.result, report.violations)


def _memory_lines(memory: Hashable) -> tuple[str, ...]:
    """What a property remembers, one line per entry; nothing for a memory that is empty."""
    if not memory:
        return ()
    own = {type(memory).__module__, *(name for name in sys.modules if name.startswith("sdnloom.properties"))}
    entries = StateReader(own).value("", memory)
    lines = (f"{each.place} = {each.value}" if each.place else each.value for each in entries)
    return tuple(line.removeprefix(".").replace(" in .", " in ") for line in lines)


def _answer(result: Result, violations: Sequence[Counterexample]) -> SearchAnswer:
    found = result.verdict.counterexample if isinstance(result.verdict, Violated) else None
    steps = None if found is None else min(violations or [found], key=lambda one: len(one.path)).path.steps
    return SearchAnswer(steps, result.statistics.states, result.incomplete)
