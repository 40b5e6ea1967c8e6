"""Expansion of a block of states: threads, the filling of what they miss, and room for what they find."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdnloom.engine.kernel import jit_expand, jit_memo, jit_order
from sdnloom.engine.kernel.growing_arrays import grown
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.states import NO_SLEEP, States, repacked
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import Visited
from sdnloom.errors import SdnloomError

BLOCK_STATES = 1 << 18  # of a block
PARALLEL_FROM = 1 << 11  # states from which on threads pay
_CHUNK = 64  # states that a thread takes at a time
_MISSES = 1 << 14  # that a thread notes before the next filling
_MASK_ROWS = 1 << 12
_PART = 1 << 14  # new states that are worth a thread
_GROWTH = 2  # new states that one state leads to, as a first guess in each block
_SUCCESSORS = 1 << 9  # of one state, for which there is room at first
_MOST_SUCCESSORS = 1 << 24
_SPARE = 2 * jit_expand.RESERVED_NUMBERS  # numbers for each thread beyond those that are expected to be needed
_NO_ROWS = np.zeros((1, 1), np.int32)


@dataclass(frozen=True)
class Expanded:
    """What a block led to: new states in order, with the keys of the transitions that found them first."""

    states: States
    keys: Array
    transitions: Array  # by state of the block: how many transitions it has
    ends: list[int]  # positions of the block's states without an edge to a later state, for the cycle proviso

    def parents(self, first: int) -> Array:
        """The numbers of the states that the new states were found from, if the block's begin at `first`."""
        return (self.keys >> np.uint64(jit_expand.NUMBER_BITS)).astype(np.uint32) + np.uint32(first)

    def transitions_until(self, position: int) -> int:
        """How many transitions had been taken when the new state at this position was found, its own included."""
        key = int(self.keys[position])
        source = key >> jit_expand.NUMBER_BITS
        return int(self.transitions[:source].sum()) + (key & jit_expand.NUMBER_MASK) + 1


class _New:
    """The states found in the present block, as threads found them, and their slots in the table."""

    def __init__(self) -> None:
        self.keys: Array = np.zeros(0, np.uint64)
        self.slots: Array = np.zeros(0, np.int64)
        self.words: Array = np.zeros(0, np.uint64)
        self.asleep: Array = NO_SLEEP


class BlockExpander:
    """Expands blocks of states of one search and enters what it finds in the visited table."""

    def __init__(self, memo: KernelMemo, visited: Visited, team: Team, with_proviso: bool) -> None:
        self.memo, self.visited, self._team = memo, visited, team
        self.with_proviso = with_proviso
        self._longest = _SUCCESSORS
        self._growth = _GROWTH
        self._threads: list[Any] = []
        self._shared = np.zeros(jit_expand.SHARED_COUNT, np.int64)
        self._new = _New()
        self._states: States | None = None

    # Blocks

    def expand(self, states: States, count: int, inverted: bool = False) -> Expanded:
        """Expand states when `count` states are known; with `inverted` by what the reduction leaves out."""
        expansion = self.expansion(states, count, inverted)
        while True:
            try:
                next(expansion)
            except StopIteration as end:
                result: Expanded = end.value
                return result

    def expansion(self, states: States, count: int, inverted: bool = False) -> Generator[None, None, Expanded]:
        """As `expand`; yields when nothing can be done until questions are answered (`KernelMemo.waits`)."""
        if states.count > BLOCK_STATES:
            raise AssertionError(f"a block has {states.count:,} states; expected at most {BLOCK_STATES:,}")
        self._forget_new()  # of an expansion that was ended early
        self._growth = _GROWTH
        for own in self._threads:
            own.n[:] = 0
        self._states = states
        transitions = np.zeros(states.count, np.uint32)
        todo = np.arange(states.count, dtype=np.int64)
        ends: list[int] = []
        while len(todo):
            self._make_room(count, len(todo))
            self._states = self._states.to(self.visited.layout)
            members = self._team.size if len(todo) >= PARALLEL_FROM else 1
            threads = [self._thread(number) for number in range(members)]
            self._expand(self._block(self._states, count, todo, transitions, inverted=inverted), threads)
            ends += [end for own in threads for end in own.ends[: own.n[jit_expand.ENDED]].tolist()]
            todo = np.sort(np.concatenate([own.put_back[: own.n[jit_expand.PUT_BACK]] for own in threads]))
            known = self.memo.counters()
            self._fill(threads)
            if self.memo.waits and known == self.memo.counters():
                yield
            if self._shared[jit_expand.OUT_OF_ROOM]:
                self._growth *= 2
        new, keys = self._in_order(states.count, count)
        return Expanded(new, keys, transitions, sorted(ends))

    def successors(self, state: States, reduced: bool = False) -> States:
        """The next states of one state, without `reduced` also by what a reduction leaves out; nothing is entered."""
        self._forget_new()
        while True:
            self._fit(0)
            state = state.to(self.visited.layout)
            own = self._thread(0)
            todo, transitions = np.zeros(1, np.int64), np.zeros(1, np.uint32)
            self._expand(self._block(state, 0, todo, transitions, only_look=True, reduced=reduced), [own])
            if not own.n[jit_expand.PUT_BACK]:
                count = int(own.n[jit_expand.FOUND])
                words = own.buffer[: count * self.visited.layout.words]
                asleep = own.sleepers[:count].copy() if self.memo.with_sleep and reduced else NO_SLEEP
                return States(0, self.visited.layout, words.copy(), asleep)
            self._fill([own])

    def flags(self, states: States) -> Array | None:
        """The modes that are enabled in each of the states; None if that waits for answers."""
        flags = np.zeros(states.count, np.uint8)
        missing = np.zeros(_MISSES, np.int64)
        layout = (states.layout.word, states.layout.shift, states.layout.mask)
        while True:
            tables = self.memo.arrays()
            many = int(jit_order.flag_states(tables, *layout, states.words, 0, states.count, flags, missing))
            if not many:
                return flags
            self.memo.settle(np.full(many, jit_memo.MISS_PLACE, np.int64), missing[:many].copy(), _NO_ROWS)
            if self.memo.waits:
                return None

    def _expand(self, block: Any, threads: list[Any]) -> None:
        for own in threads:
            own.n[: jit_expand.NEW] = 0
        self._shared[jit_expand.CURSOR] = self._shared[jit_expand.OUT_OF_ROOM] = 0
        tables = self.memo.arrays()
        self._team.run(lambda number: jit_expand.expand_states(tables, block, threads[number]), len(threads))

    def _fill(self, threads: list[Any]) -> None:
        """Fill what the threads miss, in the order of the states that need it."""
        if any(own.n[jit_expand.TOO_LONG] for own in threads):
            self._longest *= 2
            if self._longest > _MOST_SUCCESSORS:
                raise SdnloomError(f"one state has more than {_MOST_SUCCESSORS:,} successors")
            self._threads = [self._sized(own) for own in self._threads]
        rows: list[Array] = []
        misses: list[Array] = []
        for own in threads:
            mine = own.missing[: own.n[jit_expand.MISSED]]
            mine[mine[:, 1] == jit_memo.MISS_MASK, 2] += sum(map(len, rows))
            misses.append(mine)
            rows.append(own.mask_rows[: own.n[jit_expand.MASK_ROWS]])
        missing = np.concatenate(misses)
        if len(missing):
            missing = missing[np.argsort(missing[:, 0], kind="stable")]
            self.memo.settle(missing[:, 1].copy(), missing[:, 2].copy(), np.concatenate(rows))

    def _in_order(self, sources: int, count: int) -> tuple[States, Array]:
        """The new states in order, and their keys; their numbers are entered in the table."""
        new, table, layout = self._new, self.visited.table, self.visited.layout
        used = max((int(own.n[jit_expand.NEW]) for own in self._threads), default=0)
        order = np.empty(used, np.int64)
        total = int(jit_order.order_new(new.keys, used, np.zeros(sources + 1, np.int64), order))
        if total < 0:
            keys, words = new.keys[:used].copy(), new.words[: used * layout.words].copy()
            asleep = new.asleep[:used].copy()
        else:
            keys, words = np.empty(total, np.uint64), np.empty(total * layout.words, np.uint64)
            asleep = np.empty(total if len(new.asleep) else 0, np.uint64)

            def number(first: int, last: int) -> None:
                jit_order.number_new(
                    table, new.keys, new.slots, new.words, new.asleep, order, first, last, count, keys, words, asleep
                )

            self._team.run_parts(number, total, _PART)
        self._forget_new()
        return States(count, layout, words, asleep), keys

    def _forget_new(self) -> None:
        """Let no number be that of a new state."""
        self._new.keys[: self._shared[jit_expand.NEXT_NEW]] = jit_order.NOT_USED
        self._shared[:] = 0

    # Room

    def needed(self, states: int) -> int:
        """For how many new states an expansion of so many states wants to have room in the table."""
        return self._growth * states + _SPARE * self._team.size

    def _make_room(self, count: int, todo: int) -> None:
        """Room for what the states may lead to, in the table, in its layout and in the arrays of new states."""
        needed = int(self._shared[jit_expand.NEXT_NEW]) + self.needed(todo)
        self._fit(count + needed)
        new, words = self._new, self.visited.layout.words
        if needed > len(new.keys):
            length = max(needed, 2 * len(new.keys))
            new.keys = grown(new.keys, length, jit_order.NOT_USED)
            new.slots = grown(new.slots, length)
            new.words = grown(new.words, length * words)
            new.asleep = grown(new.asleep, length) if self.memo.with_sleep else NO_SLEEP

    def _fit(self, states: int) -> None:
        """Rebuild the table if it has no room for so many states, or its layout none for the values there are."""
        before, visited, new = self.visited.layout, self.visited, self._new
        fits = before.holds(self.memo.counts())
        if fits and states <= visited.room:
            return
        visited.rebuild(self.memo.counts(), states)
        layout = visited.layout
        # A thread that gets no numbers has counted them as reserved, so there may be fewer.
        reserved = min(int(self._shared[jit_expand.NEXT_NEW]), len(new.keys))
        if layout is not before:
            known = repacked(new.words[: reserved * before.words], before, layout)
            new.words = grown(known, len(new.keys) * layout.words)
        if layout.words != before.words:
            self._threads = [self._sized(own) for own in self._threads]
        jit_order.find_slots(visited.table, layout.words, visited.slots, new.keys, new.words, reserved, new.slots)

    # Arguments of compiled code

    def _block(
        self,
        states: States,
        count: int,
        todo: Array,
        transitions: Array,
        inverted: bool = False,
        only_look: bool = False,
        reduced: bool = True,
    ) -> Any:
        memo, new, layout = self.memo, self._new, self.visited.layout
        settings = np.zeros(jit_expand.SETTING_COUNT, np.int64)
        for position, value in (
            (jit_expand.COMPONENTS, memo.components),
            (jit_expand.FOLDED, memo.folded),
            (jit_expand.COLUMNS, memo.columns),
            (jit_expand.LAYERS, memo.layers),
            (jit_expand.WORDS, layout.words),
            (jit_expand.SLOTS, self.visited.slots),
            (jit_expand.FIRST, states.first),
            (jit_expand.BASE, count),
            (jit_expand.TODO, len(todo)),
            (jit_expand.MOST_NEW, min(len(new.keys), self.visited.room - count)),
            (jit_expand.WITH_SLEEP, memo.with_sleep and reduced),
            (jit_expand.WITH_PROVISO, self.with_proviso and not only_look),
            (jit_expand.REDUCING, memo.reduction is not None and reduced),
            (jit_expand.INVERTED, inverted),
            (jit_expand.ONLY_LOOK, only_look),
            (jit_expand.CHUNK, max(1, min(_CHUNK, len(todo) // (8 * self._team.size)))),
        ):
            settings[position] = value
        return jit_expand.Block(
            settings, self._shared, layout.word, layout.shift, layout.mask, states.words, states.asleep, todo,
            transitions, self.visited.table, new.keys, new.slots, new.words, new.asleep,
        )  # fmt: skip

    def _thread(self, number: int) -> Any:
        """The arrays of a thread."""
        while len(self._threads) <= number:
            memo = self.memo
            own = jit_expand.Own(
                n=np.zeros(jit_expand.OWN_COUNT, np.int64),
                values=np.zeros(memo.columns, np.int64),
                rows=np.zeros(memo.components, np.int64),
                ahead=np.zeros(jit_expand.TOGETHER * memo.components, np.int64),
                classes=np.zeros((1, memo.components), np.int32),
                **dict.fromkeys(("following", "order", "buffer", "hashes", "keys", "sleepers")),
                missing=np.zeros((_MISSES, 3), np.int64),
                mask_rows=np.zeros((_MASK_ROWS, memo.components), np.int32),
                put_back=np.zeros(BLOCK_STATES, np.int64),
                ends=np.zeros(BLOCK_STATES, np.int64),
            )
            self._threads.append(self._sized(own))
        return self._threads[number]

    def _sized(self, own: Any) -> Any:
        """The arrays of a thread, those for the successors of a state with the present size."""
        room = jit_expand.BATCHED + self._longest
        return own._replace(
            following=np.zeros(self._longest, np.int64),
            order=np.zeros(self._longest, np.int64),
            buffer=np.zeros(room * self.visited.layout.words, np.uint64),
            hashes=np.zeros(room, np.uint64),
            keys=np.zeros(room, np.uint64),
            sleepers=np.zeros(room, np.uint64),
        )
