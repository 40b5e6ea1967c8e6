"""From what an engine has found to counterexamples: the path, shortened where it may not be shortest, and confirmed."""

from collections.abc import Callable, Sequence
from typing import Protocol

from sdnloom.engine.counterexample.confirmed_path import confirmed, path_through
from sdnloom.engine.counterexample.minimise import MinimisedPath, minimise
from sdnloom.engine.dives.system_dives import DiveFinding, SystemDives
from sdnloom.engine.late import LateActions
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.path import Path
from sdnloom.engine.result import Counterexample, CounterexampleFound, SearchEvent, SearchOptions
from sdnloom.engine.semantics import Finding, Semantics, State

SHORTENING = 5.0  # seconds in which counterexamples are shortened after the time limit
STATES_TO_SHORTEN = 2_000  # that are searched for a shorter counterexample
STEPS_TO_SHORTEN = 50_000  # that are followed in attempts to leave some out


class FindsStates(Protocol):
    """An engine, as far as paths need it."""

    def values(self, number: int) -> Sequence[State]:
        """The states from the initial one to this one."""


class FoundPaths:
    """Makes counterexamples of one search. The memo finds and shortens paths, `whole` confirms them."""

    def __init__(
        self,
        whole: Semantics,
        tables: Memo,
        late: LateActions | None,
        options: SearchOptions,
        watch: LimitWatch,
        on_event: Callable[[SearchEvent], None],
    ) -> None:
        self._whole, self._late, self._options, self._watch, self._on_event = whole, late, options, watch, on_event
        self._recorded = MemoSemantics(tables)
        self._sometimes = {prop.name for prop in whole.system.properties if prop.sometimes}

    def counterexample(self, engine: FindsStates, found: Finding, number: int, course: Path) -> Counterexample:
        """The counterexample of a finding in a state, or after a LATE course from there."""
        path = self._path(engine, number, course)
        plain = self._options.order != "dfs" and self._is_plain
        if plain and not course.steps:
            return self._shown(MinimisedPath(path, found), shortest=True)
        return self._shown(self._minimised(path, found))

    def of_dives(self, dives: SystemDives, best: MinimisedPath) -> Counterexample:
        """The counterexample of the shortest path that dives found."""
        if len(best.path) > dives.least:
            best = self._minimised(best.path, best.found)
        return self._shown(best, self._is_plain and not dives.is_late and len(best.path) <= dives.least)

    def shorten(self, of_dive: DiveFinding) -> MinimisedPath:
        """A path that a dive found, shortened without a search."""
        path = self._path(of_dive.engine, of_dive.number, of_dive.course)
        return self._minimised(path, of_dive.found, most_states=0)

    @property
    def _is_plain(self) -> bool:
        """Whether no order of steps is left out."""
        return not self._options.reduce and self._options.strategy is None

    def _path(self, engine: FindsStates, number: int, course: Path) -> Path:
        return Path(path_through(self._recorded, engine.values(number)).steps + course.steps)

    def _minimised(self, path: Path, found: Finding, most_states: int = STATES_TO_SHORTEN) -> MinimisedPath:
        return minimise(
            self._recorded if self._late is None else self._late.semantics,
            path,
            found,
            self._no_time_to_shorten,
            same_message=self._options.find_all,  # each distinct message has a counterexample of its own
            most_states=most_states,
            most_followed=STEPS_TO_SHORTEN,
        )

    def _shown(self, shorter: MinimisedPath, shortest: bool = False) -> Counterexample:
        """The counterexample, confirmed."""
        path, found, minimal = shorter.path, shorter.found, shorter.minimal
        recorded = self._recorded if self._late is None else self._late.semantics
        transitions = confirmed(self._whole, recorded, path)
        initial = self._whole.initial()
        result = Counterexample(
            found.property, found.message, path, shortest, initial, tuple(transitions), minimal, self._whole.system
        )
        if found not in self._whole.findings(result.final_state()):
            raise AssertionError(
                f"the counterexample to {found.property!r} does not replay; this is a defect of sdnloom"
            )
        self._on_event(CounterexampleFound(result, found.property in self._sometimes))
        return result

    def _no_time_to_shorten(self) -> bool:
        return self._watch.interrupted or self._watch.left < -SHORTENING
