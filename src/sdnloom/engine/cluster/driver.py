"""The search level by level over several workers: numbers of states, limits, findings. It knows no engine.

Law: whatever the number of workers, states have the numbers that a breadth-first search in one process gives them.
Workers expand stretches of a level that follow each other, each finds new states in order, and of equal states the one
in the first stretch is kept; so the kept states of all stretches, one after the other, are in the order of one process.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from sdnloom.engine.cluster.checkpoint_folder import CheckpointFolder
from sdnloom.engine.cluster.protocol import ClusterBackend, FoundState, WorkerLost, WorkerPhase
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.model import ModelError
from sdnloom.engine.result import Limits

SMALL_LEVEL = 1 << 11  # states that are not worth a second stretch
CHECKPOINT_SECONDS = 60.0
OTHER_ANSWERS = (
    "a worker's process gives other answers than this one; expected components, and programs in them, that depend on "
    "nothing but their state and inputs: not on files, the environment or the system's own randomness. If the order of "
    "sets matters to the program, PYTHONHASHSEED=0 in the environment of all processes helps"
)
_MOST_LOST = 5  # workers, before the search ends
_UNEVEN = 1.1  # longest stretch, over the mean, at which states are moved


class AnswerOrder(Protocol):
    """Who puts questions to user code first, and says in which order everybody else has to."""

    def ask(self, questions: Array) -> None:
        """Put questions to user code, in this order; what it raises ends the search."""

    def check(self) -> int:
        """A check of all answers since the last one."""

    def questions(self) -> Array:
        """All questions so far."""

    def sizes(self) -> list[int]:
        """How many values there are of each kind."""


class FoundStretch(NamedTuple):
    """States of a level with consecutive numbers, and the worker that found them."""

    first: int
    worker: int


@dataclass(frozen=True)
class LevelState:
    """Where a search is between two levels."""

    level: int = 0  # of the states in the stretches
    count: int = 0
    transitions: int = 0
    sizes: list[int] = field(default_factory=list)  # of the stretches
    found: list[FoundStretch] = field(default_factory=list)


class ClusterDriver:
    """One search. `on_finding(found)` returns True to end it; `on_pause` and `reason_to_stop` are asked at times."""

    def __init__(
        self,
        backend: ClusterBackend,
        answers: AnswerOrder,
        *,
        limits: Limits,
        judges: bool,
        on_finding: Callable[[FoundState], bool],
        on_pause: Callable[[], None],
        reason_to_stop: Callable[[], str | None],
        on_notice: Callable[[str], None] = lambda text: None,
        small_level: int = SMALL_LEVEL,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        self.backend, self.answers, self.limits = backend, answers, limits
        self.on_notice, self.checkpoint_seconds = on_notice, checkpoint_seconds
        self.checkpoints = CheckpointFolder()
        self.lost = 0  # workers
        self._kept = LevelState()
        self._next_checkpoint = time.monotonic() + checkpoint_seconds
        self.judges, self.small_level = judges, small_level
        self.on_finding, self.on_pause, self.reason_to_stop = on_finding, on_pause, reason_to_stop
        self.at = LevelState()
        self.depth = 0
        self.frontier = 0
        self.stopped: str | None = None
        self.ended_by_finding = False
        self.resident = 0  # bytes of the largest worker

    @property
    def workers(self) -> range:
        """The numbers of the workers."""
        return range(self.backend.workers)

    # Levels

    def run(self) -> None:
        """Search until done or stopped; a lost worker is replaced, and the search goes on from the last checkpoint."""
        lost: WorkerLost | None = None
        try:
            while True:
                try:
                    if lost is not None:
                        self._go_back(lost)
                    self._search()
                    return
                except WorkerLost as loss:
                    self.lost += 1
                    if self.lost > _MOST_LOST:
                        raise
                    lost = loss
        except SearchEnd as end:
            self.stopped = end.reason

    def _search(self) -> None:
        """Go on with the search from the present level."""
        if not self.at.count:
            phases = self._of_all("begin", [(worker == 0,) for worker in self.workers])
            if self._has_ended(phases, expanded=False):
                return
        while sum(self.at.sizes):
            if self._expand_level():
                return
            if time.monotonic() >= self._next_checkpoint:
                self._checkpoint()

    def _checkpoint(self) -> None:
        """Keep what workers need to go on from here."""
        saved = self._of_all("save", [() for _ in self.workers])
        try:
            self.checkpoints.keep(saved)
        except OSError as error:  # the disk may be full: a long search goes on without
            failed = f"{self.checkpoints.name}: cannot write the checkpoint: {error.strerror or error}"
            self.on_notice(f"{failed}; the search goes on without this checkpoint")
        else:
            self._kept = self.at
        self._next_checkpoint = time.monotonic() + self.checkpoint_seconds

    def _go_back(self, lost: WorkerLost) -> None:
        """Start a lost worker again, and let all go on from the last checkpoint."""
        self.on_notice(f"{lost}; the search goes on from level {self._kept.level}")
        self.backend.replace(lost.worker)
        saved = self.checkpoints.kept() if self._kept.count else [None for _ in self.workers]
        questions = self.answers.questions()
        self.answers.check()
        sizes = self._of_all("restore", [(questions, saved[worker]) for worker in self.workers])
        if any(each != self.answers.sizes() for each in sizes):
            raise ModelError(OTHER_ANSWERS)
        self.at = self._kept

    def _expand_level(self) -> bool:
        """Expand the stretches; whether the search is over."""
        self.frontier = sum(self.at.sizes)
        self.depth = max(self.depth, self.at.level)
        first = self.at.count - self.frontier
        firsts = [first + sum(self.at.sizes[:worker]) for worker in self.workers]
        phases = self._answered(self._of_all("expand", [(one,) for one in firsts]))
        if self.at.level == self.limits.depth:
            if sum(self._of_all("fresh", self._claimed())):
                self.stopped = f"the depth limit of {self.limits.depth} was reached"
                return True
            self.at = replace(self.at, sizes=[0 for _ in self.workers])
            return False
        return self._has_ended(phases, expanded=True)

    def _has_ended(self, phases: list[WorkerPhase], expanded: bool) -> bool:
        """Keep, number and judge what was found; whether the search is over."""
        before = self.at
        kept = self._answered(self._of_all("keep", self._claimed()))
        new = [phase.states for phase in kept]
        firsts = [before.count + sum(new[:worker]) for worker in self.workers]
        self._of_all("number", [(first,) for first in firsts])
        last, most = before.count + sum(new), self.limits.states
        end = last if most is None else min(last, most)
        limited = end == most and end > before.count
        found = [FoundStretch(first, worker) for worker, first in enumerate(firsts) if new[worker]]
        self.at = LevelState(
            before.level + expanded,
            last,
            before.transitions + sum(phase.transitions for phase in phases),
            new,
            before.found + found,
        )
        if self.judges:
            counted = [max(0, min(end - first, size)) for first, size in zip(firsts, new, strict=True)]
            end, ended = self._judged(self._of_all("judge", [(count,) for count in counted]), end)
            limited = end == most and end > before.count
            self.ended_by_finding = ended
        if self.ended_by_finding or limited:
            worker = self._finder(end - 1)
            earlier = sum(phase.transitions for phase in phases[:worker])
            [until] = self._results([self.backend.call(worker, "transitions_until", end - 1)])
            self.at = replace(self.at, transitions=before.transitions + earlier + until, count=end)
            self.depth = max(self.depth, self.at.level)
            if limited:
                self.stopped = f"the limit of {self.limits.states:,} states was reached"
            return True
        self._cut_anew()
        return False

    def _judged(self, results: Iterable[list[FoundState]], end: int) -> tuple[int, bool]:
        """Tell what was found, in order, before the state number `end`: where the search ends, whether by a finding."""
        ended = False
        for found in sorted((one for part in results for one in part), key=lambda one: (one.number, one.prop)):
            if found.number >= end:
                break
            if found.error is not None:
                raise ModelError(found.error)
            if self.on_finding(found):
                end, ended = found.number + 1, True
        return end, ended

    def _cut_anew(self) -> None:
        """Let each worker have a stretch of equal size of the states that were found last."""
        sizes = self.at.sizes
        total, many = sum(sizes), len(sizes)
        if total <= self.small_level:
            cuts = [0] + [total] * many
        elif max(sizes) * many <= _UNEVEN * total:
            cuts = [sum(sizes[:worker]) for worker in range(many + 1)]
        else:
            cuts = [total * worker // many for worker in range(many + 1)]
        given = []
        own: list[tuple[int, int]] = []
        first = 0
        for worker, size in enumerate(sizes):
            inside = [min(max(cut - first, 0), size) for cut in cuts]
            own.append((inside[worker], inside[worker + 1]))
            moved = size > own[-1][1] - own[-1][0]
            given.append(self.backend.parts(worker, "give", inside) if moved else [None] * many)
            first += size
        arguments = [(own[worker], *(each[worker] for each in given)) for worker in self.workers]
        self.at = replace(self.at, sizes=[phase.states for phase in self._of_all("take", arguments)])

    # States by their numbers

    def path(self, number: int) -> Any:
        """The states from the initial one to this one, as one worker spells them."""
        taken: list[int] = []
        while number:
            [(number, transition)] = self._results([self.backend.call(self._finder(number), "parent", number)])
            taken.append(transition)
        [spelled] = self._results([self.backend.call(0, "follow", taken[::-1])])
        return spelled

    def _finder(self, number: int) -> int:
        """The worker that found a state."""
        return next(one.worker for one in reversed(self.at.found) if one.first <= number)

    # Calls

    def _claimed(self) -> list[list[Any]]:
        """For each worker, what stands for the owners' answers about its candidates."""
        keys = [self.backend.parts(worker, "keys") for worker in self.workers]
        bits = [self.backend.parts(owner, "claim", *(each[owner] for each in keys)) for owner in self.workers]
        return [[each[worker] for each in bits] for worker in self.workers]

    def _answered(self, phases: list[WorkerPhase]) -> list[WorkerPhase]:
        """The phases when all questions of workers are answered, those of earlier stretches first."""
        while True:
            asked = [phase.questions for phase in phases if len(phase.questions)]
            if not asked:
                return phases
            agreed = _distinct(np.concatenate(asked))
            self.answers.ask(agreed)
            phases = self._of_all("answer", [(agreed,) for _ in self.workers])
            checks = self._of_all("check", [() for _ in self.workers])
            if set(checks) != {self.answers.check()}:
                raise ModelError(OTHER_ANSWERS)

    def _of_all(self, method: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """The results of a method of each worker."""
        results = self._results([self.backend.call(each, method, *arguments[each]) for each in self.workers])
        if results and isinstance(results[0], WorkerPhase):
            self.resident = max(phase.resident for phase in results)
        return results

    def _results(self, called: Sequence[Any]) -> list[Any]:
        return self.backend.results(called, self._pause)

    def _pause(self) -> None:
        """Raise SearchEnd if the search is to stop."""
        self.on_pause()
        reason = self.reason_to_stop()
        if reason is None and self.limits.memory is not None and self.resident >= self.limits.memory:
            reason = f"the memory limit of {self.limits.memory / 1e6:,.0f} MB was reached by a worker"
        if reason is not None and self.stopped is None:
            self.stopped = reason
            raise SearchEnd(reason)


class SearchEnd(Exception):  # noqa: N818 (not an error)
    """A search is to end now; what was counted is whole."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def _distinct(questions: Array) -> Array:
    """The questions without repetitions, each where it comes first."""
    rows = dict.fromkeys(map(tuple, questions.tolist()))
    return np.array(list(rows), np.int64)
