"""One worker: it expands a stretch of each level, and owns the keys of visited states that fall to it.

A level has these phases, in which all workers take part; the driver passes on what they tell each other. `expand` finds
candidates, each once; `keys` tells the owners; `claim` answers which of them nobody had before, in the order of
stretches; `keep` keeps these; `number` tells their numbers, which follow the order of stretches; `judge` checks the
properties; `give` and `take` cut stretches anew. A phase that needs answers of user code stops with questions; `answer`
goes on.
"""

import itertools
import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Generator
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from sdnloom.engine.cluster import jit_keys
from sdnloom.engine.cluster.key_set import KeySet
from sdnloom.engine.cluster.notation import SpelledStates, StateSpelling
from sdnloom.engine.cluster.protocol import FoundState, SavedWorker, WorkerPhase, WorkerSettings
from sdnloom.engine.cluster.question_memo import NO_QUESTIONS, AgreedAnswers, QuestionMemo
from sdnloom.engine.kernel.block import BLOCK_STATES, BlockExpander
from sdnloom.engine.kernel.jit_expand import NUMBER_BITS, NUMBER_MASK
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.property_check import PropertyCheck
from sdnloom.engine.kernel.states import NO_SLEEP, States, joined
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import Visited
from sdnloom.engine.limits import available_cores, resident_bytes
from sdnloom.engine.semantics import AT_REST
from sdnloom.errors import SdnloomError


class _Segment(NamedTuple):
    """States with consecutive numbers that this worker found, by the transitions that found them."""

    first: int
    parent: int  # the number of the first state of the stretch that they were found from
    keys: Array  # (position in the stretch, transition)


class SearchWorker:
    """A worker of one search."""

    def __init__(self, settings: WorkerSettings) -> None:
        self.workers, self._number = settings.workers, settings.number
        self._costs: dict[str, float] = defaultdict(float)
        program = settings.program()
        tables = program.memo()
        self.answers = AgreedAnswers(tables)
        self.memo = QuestionMemo(tables, program.reduction(tables.system))
        self.properties = [PropertyCheck(self.memo, prop, program.each_at_rest) for prop in tables.system.properties]
        self._looks_at_rest = any(prop.needs in AT_REST for prop in tables.system.properties)
        self._team = Team(settings.threads or available_cores())
        layout = Layout(self.memo.counts())
        self.spelling = StateSpelling(self.memo)
        self.visited = KeySet(self._team)
        self._initial = States(0, layout, layout.pack(self.memo.initial()), self._awake(1))
        self._level = Visited(layout, self._team)  # of the present level: what is found in the stretch
        self._expander = BlockExpander(self.memo, self._level, self._team, with_proviso=False)
        self._segments: list[_Segment] = []
        self._stretch = self._initial.part(0, 0)
        self._found, self._found_by = self._stretch, np.zeros(0, np.uint64)
        self._transitions: Array = np.zeros(0, np.uint32)  # by state of the stretch
        self._flags: Array | None = None
        self._owners: Array = np.zeros(0, np.int64)
        self._shares: Array = np.zeros(self.workers, np.int64)
        self._phase: Generator[None, None, None] | None = None

    # Phases

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; what it costs is counted."""
        start = process_time()
        try:
            return getattr(self, method)(*arguments)
        finally:
            self._costs[method] += process_time() - start

    def costs(self) -> dict[str, float]:
        """The seconds of CPU time of each method so far; "user code" is a part of "answer"."""
        return dict(self._costs)

    def process(self) -> int:
        """The number of this process."""
        return os.getpid()

    def begin(self, initial: bool) -> WorkerPhase:
        """Have the initial state as the only candidate, or none."""
        self._found = self._initial if initial else self._initial.part(0, 0)
        self._found_by = np.zeros(self._found.count, np.uint64)
        self._transitions = np.zeros(0, np.uint32)
        return self._stopped_at()

    def expand(self, first: int) -> WorkerPhase:
        """Expand the stretch, whose states are numbered from `first` on."""
        self._stretch = States(first, self._stretch.layout, self._stretch.words, self._stretch.asleep)
        return self._run(self._expansion())

    def answer(self, questions: Array) -> WorkerPhase:
        """Put questions to user code, and go on with the present phase as far as possible."""
        start = process_time()
        self.answers.ask(questions)
        self._costs["user code"] += process_time() - start
        self.memo.take_answers()
        return self._stopped_at()

    def check(self) -> int:
        """A check of the answers since the last one."""
        return self.answers.check()

    def keys(self) -> list[Array]:
        """The keys of the candidates, in order, for each owner."""
        keys = self.spelling.keys(self._found)
        self._owners = np.zeros(len(keys), np.int64)
        jit_keys.share_keys(keys, self.workers, self._owners, self._shares)
        ends = np.cumsum(self._shares)
        in_shares = np.zeros_like(keys)
        jit_keys.sort_keys(keys, self._owners, ends - self._shares, in_shares)
        return [in_shares[end - count : end] for end, count in zip(ends, self._shares, strict=True)]

    def claim(self, *blocks: Array) -> list[Array]:
        """For each block of keys, in this order, which of them nobody had before; as bits."""
        return [np.packbits(self.visited.claim(np.array(block))) for block in blocks]

    def fresh(self, *bits: Array) -> int:
        """How many of the candidates nobody had before, from the answers of all owners; they are not kept."""
        return int(self._first(bits).sum())

    def keep(self, *bits: Array) -> WorkerPhase:
        """Keep the candidates that nobody had before, from the answers of all owners."""
        kept = np.flatnonzero(self._first(bits))
        found, width = self._found, self._found.layout.words
        if len(kept) < found.count:
            asleep = found.asleep[kept] if len(found.asleep) else NO_SLEEP
            words = found.words.reshape(-1, width)[kept].reshape(-1)
            found, self._found_by = States(0, found.layout, words, asleep), self._found_by[kept]
        self._found = found
        return self._run(self._flagging())

    def number(self, first: int) -> None:
        """The kept states are numbered from `first` on."""
        found = self._found
        if found.count:
            self._segments.append(_Segment(first, self._stretch.first, self._found_by))
        self._found = States(first, found.layout, found.words, found.asleep)

    def judge(self, count: int) -> list[FoundState]:
        """What the properties report in the first `count` of the kept states, in order."""
        self.memo.judge_memories()
        states = self._found.part(0, count)
        flags = np.zeros(count, np.uint8) if self._flags is None else self._flags[:count]
        results: list[tuple[int, int, str, str | None]] = []
        for order, check in enumerate(self.properties):
            try:
                for position, found in check.findings(states, flags):
                    results.append((position, order, found.message, None))
            except SdnloomError as error:
                results.append((check.position, order, "", str(error)))
        return [
            FoundState(
                states.first + position,
                order,
                message,
                self.spelling.spelled(states.part(position, position + 1)),
                text,
            )
            for position, order, message, text in sorted(results, key=lambda one: one[:2])
        ]

    def transitions_until(self, number: int) -> int:
        """How many transitions the stretch had taken when the state of this number was found, its own included."""
        key = int(self._found_by[number - self._found.first])
        source = key >> NUMBER_BITS
        return int(self._transitions[:source].sum()) + (key & NUMBER_MASK) + 1 if len(self._transitions) else 0

    def give(self, cuts: list[int]) -> list[SpelledStates | None]:
        """The kept states that others expand, spelled; those between cut n and n + 1 go to worker n."""
        own = self._number
        return [
            self.spelling.spelled(self._found.part(first, last)) if worker != own and last > first else None
            for worker, (first, last) in enumerate(itertools.pairwise(cuts))
        ]

    def take(self, cut: tuple[int, int], *given: SpelledStates | None) -> WorkerPhase:
        """Have as stretch what each worker gave, in order, and of the own kept states those between these two."""
        parts = [self._initial.part(0, 0)]
        for worker, one in enumerate(given):
            if worker == self._number:
                parts.append(self._found.part(*cut))
            elif one is not None:
                parts.append(self.spelling.states(one, self._fitting()))
        layout = self._fitting()
        self._stretch = joined([part.to(layout) for part in parts if part.count] or parts[:1])
        self._found = self._initial.part(0, 0)
        return WorkerPhase(NO_QUESTIONS, self._stretch.count, 0, resident_bytes())

    # Checkpoints

    def save(self) -> SavedWorker:
        """What a worker needs to go on at the end of a level, together with the agreed questions."""
        numbers = np.array([(one.first, one.parent, len(one.keys)) for one in self._segments], np.int64).reshape(-1, 3)
        parents = np.concatenate([np.zeros(0, np.uint64), *(one.keys for one in self._segments)])
        return SavedWorker(self.visited.keys(), self.spelling.spelled(self._stretch), numbers, parents)

    def restore(self, questions: Array, saved: SavedWorker | None) -> list[int]:
        """Go on from what was saved, or from the beginning; how many values there are after all agreed questions."""
        self._phase = None
        self.answers.ask(questions)
        self.memo.take_answers()
        self.answers.check()
        self.visited, self._segments = KeySet(self._team), []
        self._stretch = self._initial.part(0, 0)
        if saved is not None:
            self.visited.claim(np.array(saved.keys))
            self._stretch = self.spelling.states(saved.stretch)
            end = 0
            for first, parent, count in saved.segments.tolist():
                self._segments.append(_Segment(first, parent, saved.parents[end : end + count]))
                end += count
        return self.answers.sizes()

    # States by their numbers

    def parent(self, number: int) -> tuple[int, int]:
        """The number of the state from which a state of this worker was found first, and by which transition."""
        segment = self._segments[bisect_right(self._segments, number, key=lambda each: each.first) - 1]
        key = int(segment.keys[number - segment.first])
        return segment.parent + (key >> NUMBER_BITS), key & NUMBER_MASK

    def follow(self, transitions: list[int]) -> SpelledStates:
        """The initial state and those after each of these transitions, which were taken before."""
        path = [self._initial]
        for taken in transitions:
            found = self._expander.successors(path[-1], reduced=True)
            path.append(found.part(taken, taken + 1))
        return self.spelling.spelled(joined(path))

    # Parts of phases

    def _run(self, phase: Generator[None, None, None]) -> WorkerPhase:
        self._phase = phase
        return self._stopped_at()

    def _stopped_at(self) -> WorkerPhase:
        """Go on with the present phase; where it stops."""
        if self._phase is not None:
            try:
                next(self._phase)
            except StopIteration:
                self._phase = None
        questions = NO_QUESTIONS if self._phase is None else self.memo.questions()
        return WorkerPhase(questions, self._found.count, int(self._transitions.sum()), resident_bytes())

    def _expansion(self) -> Generator[None, None, None]:
        """Expand the stretch block by block."""
        self._level.clear(2 * self._stretch.count)
        found, found_by, transitions = [self._initial.part(0, 0)], [], []
        count = 0
        for start in range(0, self._stretch.count, BLOCK_STATES):
            block = self._stretch.part(start, start + BLOCK_STATES)
            expanded = yield from self._expander.expansion(block, count)
            count += expanded.states.count
            found.append(expanded.states)
            found_by.append(expanded.keys + (np.uint64(start) << np.uint64(NUMBER_BITS)))
            transitions.append(expanded.transitions)
        self._found = joined(found)
        self._found_by = np.concatenate([np.zeros(0, np.uint64), *found_by])
        self._transitions = np.concatenate([np.zeros(0, np.uint32), *transitions])

    def _flagging(self) -> Generator[None, None, None]:
        """Find what is enabled in the kept states, if a property needs it."""
        self._flags = None
        while self._looks_at_rest and self._flags is None:
            self._flags = self._expander.flags(self._found)
            if self._flags is None:
                yield

    def _first(self, bits: tuple[Array, ...]) -> Array:
        """For each candidate, whether nobody had it before."""
        answers = [np.unpackbits(each, count=int(count)) for each, count in zip(bits, self._shares, strict=True)]
        first = np.zeros(len(self._owners), np.uint8)
        starts = np.cumsum(self._shares) - self._shares
        jit_keys.answers_in_order(self._owners, starts, np.concatenate(answers), first)
        return first

    def _fitting(self) -> Layout:
        """A layout that holds all states there are."""
        counts = self.memo.counts()
        return self._level.layout if self._level.layout.holds(counts) else Layout(counts)

    def _awake(self, count: int) -> Array:
        return np.zeros(count, np.uint64) if self.memo.with_sleep else NO_SLEEP
