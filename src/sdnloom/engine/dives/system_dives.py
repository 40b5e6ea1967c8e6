"""The dives of one search of a system, and what the search has to know of them.

A dive that finds a violation ends the search. Its path is long, and what is left of it when it is shortened depends on
chance: so some more dives look for the same property, until the shortest path so far has been found twice.
"""

from collections.abc import Callable
from typing import NamedTuple

from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.counterexample.minimise import MinimisedPath
from sdnloom.engine.dives.schedule import DiveSchedule
from sdnloom.engine.dives.system_loop import SystemDive, SystemLoop
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.path import Path
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding
from sdnloom.engine.system_graph import SystemGraph

_MOST = 4  # dives that look for one property
_MORE_TRANSITIONS = 1_000  # that each after the first one takes at most, or twice as many as that one


class DiveFinding(NamedTuple):
    """A violation that a dive found: the number of the state, and the LATE course after it."""

    engine: SystemLoop
    found: Finding
    number: int
    course: Path


class SystemDives:
    """Dives into the graph of a system.

    `new_log` makes a log of findings, `shorten` a short path of a violation; `on_pause` is called now and then.
    """

    def __init__(
        self,
        schedule: DiveSchedule,
        graph: SystemGraph,
        new_log: Callable[[], FindingLog],
        shorten: Callable[[DiveFinding], MinimisedPath],
        limits: Limits,
        watch: LimitWatch,
        on_pause: Callable[[], None],
    ) -> None:
        self.schedule, self._graph, self._new_log, self._shorten = schedule, graph, new_log, shorten
        self._limits, self._watch, self._on_pause = Limits(depth=limits.depth), watch, on_pause
        self.best: MinimisedPath | None = None  # the shortest path of a violation that dives found
        self.is_late = False  # whether LATE actions are part of paths
        self.least = 0  # the steps that a violation has at least, as far as the levels tell
        self.current: SystemLoop | None = None  # the dive that runs now
        self.dives = 0  # so many have begun
        self.states = 0  # that they have found

    def has_found(self, transitions: int, depth: int) -> bool:
        """Dive if that is due after so many transitions; whether a violation was found, which ends the search.

        The breadth-first search has expanded all states of the depth, and checked those one level deeper.
        """
        if not self.schedule.is_due(transitions, self._watch.is_half_over):
            return False
        seed, most = self.schedule.next_dive()
        found = self._dive(seed, most, None)
        if found is None:
            return False
        self.least = depth + 2
        most = max(_MORE_TRANSITIONS, 2 * found.engine.transitions)
        wanted, lengths = found.found.property, list[int]()
        for number in range(1, _MOST + 1):
            if found is not None:
                lengths.append(self._kept(found))
            shortest = min(lengths)
            if number == _MOST or shortest <= self.least or lengths.count(shortest) > 1 or self._watch.reason_to_stop():
                break
            found = self._dive(seed + number, most, wanted)
        return True

    def _kept(self, found: DiveFinding) -> int:
        """The length of a path, which is kept if it is the shortest so far."""
        shortened = self._shorten(found)
        self.is_late |= bool(found.course.steps)
        if self.best is None or len(shortened.path) < len(self.best.path):
            self.best = shortened
        return len(shortened.path)

    def _dive(self, seed: int, most: int, wanted: str | None) -> DiveFinding | None:
        """The violation that a dive finds within so many transitions: of the wanted property, or of any."""
        self.dives += 1
        log = self._new_log()
        dive = SystemDive(
            seed,
            self._graph,
            limits=self._limits,
            watch=self._watch,
            hand_over=lambda transitions: transitions >= most,
            on_finding=log.note,
            on_pause=self._on_pause,
        )
        log.value = dive.value
        self.current = dive
        try:
            dive.run()
        finally:
            self.current = None
        self.states += dive.count()
        for each, (number, course) in log.findings.items():
            if each.property not in log.sometimes and wanted in (None, each.property):
                return DiveFinding(dive, each, number, course)
        return None
