"""The kernel's memos on the Python side: the meaning of their numbers, and filling of misses."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sdnloom.engine import user_code
from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.kernel import jit_memo
from sdnloom.engine.kernel.growing_arrays import extended
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.memo import LocalOutcome, Memo
from sdnloom.engine.model import Fault, Mode, Needs
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.reduction.sleep_sets import can_sleep
from sdnloom.engine.semantics import State
from sdnloom.engine.strategy import strategy_parts
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.errors import SdnloomError

_MODES = {Mode.MUST: jit_memo.MODE_MUST, Mode.MAY: jit_memo.MODE_MAY, Mode.IDLE: jit_memo.MODE_IDLE}
# What arrays have room for at first: places of each component, rows, entries of hash tables, misses, and the
# alternatives of one delivery with the faults in each.
_FIRST_PLACES, _FIRST_ROWS, _FIRST_ENTRIES, _FIRST_MISSES = 16, 1 << 10, 1 << 12, 1 << 16
_FIRST_ALTERNATIVES = (64, 16)
_PAUSE = 256  # places that are classified between two looks at the time
_MOST_ACTIONS = 1 << (63 - jit_memo.CORE_BITS - jit_memo.MESSAGE_BITS)  # in the key of a step, beside core and message
_MOST_ROWS = (1 << 31) - 1  # a row's number is a 32-bit integer
_MESSAGES, _CORES = 1 << jit_memo.MESSAGE_BITS, 1 << jit_memo.CORE_BITS

# Matrices that only Python appends to -> their columns.
_LISTS = {
    "steps": 2,
    "locals": 7,
    "own": 2,
    "batches": 2,
    "batch_items": 3,
    "items": 2,
    "push_forks": 2,
    "push_alts": 2,
}
# Counter -> the arrays it counts, which compiled code appends to.
_GROWING: dict[int, tuple[str, ...]] = {
    jit_memo.RECEPTIONS: ("receptions",),
    jit_memo.MOVES: ("moves",),
    jit_memo.FAULTS: ("faults",),
    jit_memo.FORKS: ("forks",),
    jit_memo.FORK_ALTS: ("fork_alts",),
    jit_memo.CONTENTS: ("contents",),
    jit_memo.TAKES: ("takes",),
    jit_memo.MASKS: ("mask_vectors", "mask_keep", "mask_commuting"),
}
# Counter -> the open-addressing memo whose entries it counts.
_HASHED = {
    jit_memo.STEPS: "step_memo",
    jit_memo.PUSHES: "push_memo",
    jit_memo.FOLDS: "fold_memo",
    jit_memo.RANKS: "rank_memo",
}


class KernelMemo:
    """The arrays of the compiled memos of one system."""

    def __init__(self, tables: Memo, reduction: Reduction | None) -> None:
        if len(tables.actions) > _MOST_ACTIONS:
            raise SdnloomError(
                f"the system has {len(tables.actions):,} actions; expected at most {_MOST_ACTIONS:,} in the kernel "
                "engine; use the loop engine"
            )
        self.tables, self.reduction = tables, reduction
        self.graph = SystemGraph(tables, reduction, tables.strategy)
        self.components = len(tables.system.components)
        self.with_memory = tables.semantics.with_memory
        # Columns of a state: places, memories of properties up to `folded`, then the strategy's memory if there is one.
        self.folded = self.components + len(self.with_memory)
        self.columns = self.folded + (tables.strategy is not None)
        self.layers = len(strategy_parts(tables.strategy))
        self.with_sleep = can_sleep(tables.system, reduction, tables.strategy)
        # For each property with a memory and each of its memories: whether the property reports something.
        self.reporting = [np.zeros(1 << 4, np.bool_) for _ in self.with_memory]
        self._content_of: dict[tuple[int, int], int] = {}  # (channel, number in the tables) -> the kernel's number
        self._numbers: dict[int, tuple[int, int]] = {}  # and back
        self._fifo = [type(channel.discipline) is Fifo for channel in tables.system.channels]
        self._batches = 0
        self._locals: list[LocalOutcome] = []  # by their row in `locals`
        self._widths = {**_LISTS, "ranks": jit_memo.RANK + self.layers}
        self._lists: dict[str, list[tuple[int, ...]]] = {name: [] for name in self._widths}
        self._flushed = dict.fromkeys(self._widths, 0)
        self._arrays = self._new_arrays()
        self._bundle: Any = None  # the arrays for compiled code; None after one of them was replaced

    @property
    def waits(self) -> bool:
        """Whether something stays missing until questions to user code are answered elsewhere."""
        return False

    # Meaning of rows

    def initial(self) -> list[int]:
        """The values of the initial state's columns."""
        values: list[int] = []
        for component, core in enumerate(self.tables.initial_cores):
            contents = [self.content(channel, 0) for channel in self.tables.inbox[component]]
            place = np.zeros((1, self._arrays["places"].shape[1]), np.int32)
            place[0, : 2 + len(contents)] = [component, core, *contents]
            values += self.intern_again(place).tolist()
        values += [self._memory(index, 0) for index in range(len(self.with_memory))]
        return values if self.tables.strategy is None else [*values, 0]

    def counts(self) -> list[int]:
        """How many values each column has."""
        counts = [*self._arrays["place_count"].tolist(), *map(len, self.tables.memories)]
        return counts if self.tables.strategy is None else [*counts, len(self.tables.plans)]

    def value(self, values: Array) -> State:
        """The state in plain values."""
        numbers, tables = values.tolist(), self.tables
        cores: list[Any] = []
        contents: list[Any] = [None] * len(tables.contents)
        for component in range(self.components):
            core, *inbox = self._place(component, numbers[component])
            cores.append(tables.cores[component].values[core])
            for channel, number in zip(tables.inbox[component], inbox, strict=True):
                contents[channel] = tables.contents[channel].values[number]
        memories = (table.values[n] for table, n in zip(tables.memories, numbers[self.components :], strict=False))
        return State(tuple(cores), tuple(contents), tuple(memories))

    def state_of(self, values: Array) -> int:
        """The state in the loop's graph."""
        numbers = [int(value) for value in values]
        found: list[Any] = [self._place(component, numbers[component]) for component in range(self.components)]
        found += [table.values[n] for table, n in zip(self.tables.memories, numbers[self.components :], strict=False)]
        found += [self.tables.plans.values[number] for number in numbers[self.folded :]]
        return self.graph.state(found)

    def _place(self, component: int, number: int) -> tuple[int, ...]:
        """A place in the loop's graph: the core's number, then those of the contents."""
        row = self._arrays["first_place"][component] + number
        _, core, *contents = self._arrays["places"][row].tolist()
        inbox = self.tables.inbox[component]
        return (core, *(self._number(channel, c) for channel, c in zip(inbox, contents, strict=False)))

    def _number(self, channel: int, content: int) -> int:
        """The number of a content in the tables. One that compiled code made is told to them, push by push."""
        made: list[int] = []
        while content not in self._numbers:
            made.append(content)
            content = int(self._arrays["contents"][content, jit_memo.PARENT])
        number = self._numbers[content][1]
        for each in reversed(made):
            ((number, _),) = self.tables.push(channel, number, int(self._arrays["contents"][each, jit_memo.LAST]))
            self._numbers[each] = channel, number
        return number

    # Filling

    def settle(self, kinds: Array, keys: Array, classes: Array) -> None:
        """Fill what a search misses, in this order, or as much as can be filled now; both arrays are used up."""
        places = keys[kinds == jit_memo.MISS_PLACE].tolist() if self.reduction is not None else []
        left = len(kinds)
        while left:
            left, full = jit_memo.settle(self.arrays(), kinds, keys, left, classes)
            if self._fill() or not left:
                continue
            if not full:  # it waits for answers
                break
            self._grow_scratch()
        self._classify(dict.fromkeys(places))

    def _classify(self, places: Iterable[int]) -> None:
        """Store the classes of these places, for a reduction."""
        info, first_place = self._arrays["place_info"], self._arrays["first_place"]
        for turn, key in enumerate(places, 1):
            if turn % _PAUSE == 0:
                self.tables.pause()
            component, number = divmod(key, 1 << 32)
            row = first_place[component] + number
            if info[row, jit_memo.MOVE] >= 0 and info[row, jit_memo.CLASS] < 0:
                info[row, jit_memo.CLASS] = self.graph.class_of(component, self._place(component, number))

    def _fill(self) -> bool:
        """Ask user code what compiled code noted as missing, and make room; whether there was anything to do."""
        misses = self._arrays["misses"][: self.count(jit_memo.MISSES)].tolist()
        noted = bool(misses)
        try:
            self._fill_misses(misses)
        finally:  # what a limit has ended may be asked again: paths are found again afterwards
            self._arrays["misses"][: len(misses)] = np.array(misses, np.int64).reshape(-1, 2)
            self._arrays["n"][jit_memo.MISSES] = len(misses)
            self._flush()
            grown = self._grow()
        return noted or grown

    def _fill_misses(self, misses: list[Sequence[int]]) -> None:
        """Fill these (kind, key) misses, and remove from the list what was filled."""
        fillers = {
            jit_memo.MISS_STEP: self._fill_step,
            jit_memo.MISS_TAKE: self._fill_take,
            jit_memo.MISS_PUSH: self._fill_push,
            jit_memo.MISS_FOLD: self._fill_fold,
            jit_memo.MISS_MASK: self._fill_mask,
            jit_memo.MISS_RANK: self._fill_rank,
        }
        filled = 0
        try:
            for kind, key in misses:
                fillers[kind](key)
                filled += 1
        finally:
            del misses[:filled]

    def _fill_step(self, key: int) -> None:
        rest, message = divmod(key - 1, _MESSAGES)
        action, core = divmod(rest, _CORES)
        outcomes = self.tables.step(action, core, message)
        component = self.tables.actions[action][0]
        if len(self.tables.cores[component]) >= _CORES or len(self.tables.messages) >= _MESSAGES:
            raise SdnloomError(f"more than {_CORES:,} distinct cores or messages; use the loop engine")
        lists = self._lists
        self._answer("step", key, len(lists["steps"]))
        lists["steps"].append((len(lists["locals"]), len(outcomes)))
        self._locals += outcomes
        for local in outcomes:
            events = self.tables.events.number(local.outcome.events) if self.with_memory else 0
            lists["locals"].append(
                (
                    action,
                    local.core,
                    len(lists["own"]),
                    len(local.own),
                    len(lists["batches"]),
                    len(local.batches),
                    events or -1,
                )
            )
            lists["own"] += local.own
            lists["batches"] += [(self.tables.batches.values[batch].to, batch) for batch in local.batches]
        for to, items in self.tables.batches.values[self._batches :]:
            lists["batch_items"].append((len(lists["items"]), len(items), to))
            lists["items"] += items
        self._batches = len(self.tables.batches)

    def _fill_take(self, content: int) -> None:
        channel, number = self._numbers[content]
        alternatives = [
            (message, self.content(channel, rest), self._fault(fault))
            for message, rest, fault in self.tables.take(channel, number)
        ]
        start = self.count(jit_memo.TAKES)
        self._room("takes", length=start + len(alternatives))
        for position, alternative in enumerate(alternatives):
            self._arrays["takes"][start + position] = alternative
        self._arrays["n"][jit_memo.TAKES] += len(alternatives)
        self._arrays["contents"][content, jit_memo.TAKE] = start
        self._arrays["contents"][content, jit_memo.TAKE_COUNT] = len(alternatives)

    def _fill_push(self, key: int) -> None:
        content, message = divmod(key - 1, _MESSAGES)
        channel, number = self._numbers[content]
        results = self.tables.push(channel, number, message)
        alternatives = [(self.content(channel, after), self._fault(fault)) for after, fault in results]
        if len(alternatives) == 1 and alternatives[0][1] < 0:
            self._answer("push", key, alternatives[0][0])
            return
        self._answer("push", key, jit_memo.FORKED - len(self._lists["push_forks"]))
        self._lists["push_forks"].append((len(self._lists["push_alts"]), len(alternatives)))
        self._lists["push_alts"] += alternatives

    def _fill_fold(self, key: int) -> None:
        which, memory = divmod(key - 1, 1 << 32)
        events, index = divmod(which, len(self.with_memory))
        self._answer("fold", key, self._memory(index, self.tables.fold(index, memory, events)))

    def _fill_mask(self, number: int) -> None:
        classes = tuple(self._arrays["mask_vectors"][number].tolist())
        kept = self.graph.kept(classes)
        for action in range(len(self.tables.actions)):
            self._arrays["mask_keep"][number, action] = 1 if kept is None else kept >> action & 1
        if self.with_sleep:
            self._arrays["mask_commuting"][number] = self.graph.commuting(classes)

    def _fill_rank(self, key: int) -> None:
        plan, row = divmod(key - 1, 1 << 32)
        local = self._locals[row]
        ranks, after = self.tables.rank(plan, local.number)
        self._answer("rank", key, len(self._lists["ranks"]))
        self._lists["ranks"].append((after, local.action, *(-1 if rank is None else rank for rank in ranks)))

    def _answer(self, table: str, key: int, value: int) -> None:
        memo = self._arrays[f"{table}_memo"]
        memo[jit_memo.find(memo, key), 1] = value

    def _memory(self, index: int, number: int) -> int:
        """The number, after it is known whether the property reports something in that memory."""
        prop, known = self.with_memory[index], self.reporting[index]
        while number >= len(known):
            self.reporting[index] = known = np.concatenate([known, np.zeros_like(known)])
        if prop.needs in (Needs.EVENT, Needs.ORDER):
            known[number] = user_code.violated(prop, self.tables.memories[index].values[number], {}) is not None
        return number

    def _fault(self, fault: Fault | None) -> int:
        """The number of the tuple of events that is just this fault."""
        return -1 if fault is None else self.tables.events.number((fault,))

    def content(self, channel: int, number: int) -> int:
        """The kernel's number of a content in the tables."""
        known = self._content_of.get((channel, number))
        if known is None:
            known = self.count(jit_memo.CONTENTS)
            self._room("contents", length=known + 1)
            self._arrays["contents"][known] = (-1, number, 0 if self._fifo[channel] else -1, 0)
            self._arrays["n"][jit_memo.CONTENTS] += 1
            self._numbers[known] = (channel, number)
            self._content_of[channel, number] = known
        return known

    # Saved memos

    def know_memories(self) -> None:
        """Find out in which of the memories that the tables know properties report something."""
        for index, table in enumerate(self.tables.memories):
            for number in range(len(table)):
                self._memory(index, number)

    @property
    def plain_channels(self) -> list[int]:
        """The channels whose contents compiled code makes."""
        return [channel for channel, fifo in enumerate(self._fifo) if fifo]

    def contents_as_rows(self, count: int) -> Array:
        """The first contents: (channel, content before the last push or -1, message or number in the tables) rows."""
        contents, rows = self._arrays["contents"], np.zeros((count, 3), np.int32)
        for number, (parent, last) in enumerate(contents[:count, [jit_memo.PARENT, jit_memo.LAST]].tolist()):
            if parent >= 0:
                rows[number] = rows[parent, 0], parent, last
            else:
                channel, known = self._numbers[number]
                rows[number] = channel, -1, known
        return rows

    def places_of(self, component: int) -> Array:
        """The places of a component so far: (component, core, contents...) rows."""
        first, count = self._arrays["first_place"][component], self._arrays["place_count"][component]
        return self._arrays["places"][first : first + count]

    def push_again(self, contents: Array, messages: Array) -> Array:
        """Push messages on contents of plain queues; the numbers of the results."""
        numbers, at = np.zeros(len(contents), np.int64), 0
        while at < len(contents):
            at = int(jit_memo.push_again(self.arrays(), contents, messages, at, numbers))
            if at < len(contents) and not self._grow():
                self._grow_scratch()
        return numbers

    def intern_again(self, rows: Array) -> Array:
        """Intern places; their numbers."""
        numbers, at = np.zeros(len(rows), np.int64), 0
        while at < len(rows):
            at = int(jit_memo.intern_places(self.arrays(), rows, at, numbers))
            if at < len(rows):
                self._grow()
        return numbers

    # For several processes

    def contents_of(self, channel: int) -> list[int]:
        """The kernel's numbers of all contents that the tables have of a channel."""
        return [self.content(channel, number) for number in range(len(self.tables.contents[channel]))]

    def is_queue(self, channel: int) -> bool:
        """Whether compiled code pushes and takes without asking."""
        return self._fifo[channel]

    def make_room(self, scratch: bool) -> None:
        """Make room in arrays that compiled code found full."""
        if not self._grow() and scratch:
            self._grow_scratch()

    # Arrays

    def count(self, counter: int) -> int:
        """One of the compiled memos' counters."""
        return int(self._arrays["n"][counter])

    def counters(self) -> bytes:
        """All counters, to see whether something was added."""
        return self._arrays["n"].tobytes()

    def arrays(self) -> Any:
        """All arrays, for compiled code."""
        if self._bundle is None:
            self._bundle = jit_memo.Tables(**self._arrays)
        return self._bundle

    def _grow(self) -> bool:
        """Double the arrays that are nearly full; whether any was."""
        a = self._arrays
        grown = False
        for counter, names in _GROWING.items():
            least = min(len(a[name]) for name in names)
            if 2 * self.count(counter) >= least:
                self._room(*names, length=2 * least, used=self.count(counter))
                grown = True
        for counter, name in _HASHED.items():
            if 3 * self.count(counter) >= len(a[name]):
                bigger = np.zeros((2 * len(a[name]), 2), np.int64)
                jit_memo.rehash(a[name], bigger)
                a[name] = bigger
                grown = True
        if 3 * self.count(jit_memo.MASKS) >= len(a["mask_index"]):
            a["mask_index"] = np.zeros(2 * len(a["mask_index"]), np.int32)
            jit_memo.reindex(a["mask_index"], a["mask_vectors"], self.count(jit_memo.MASKS), self.components)
            grown = True
        grown |= self._grow_places()
        if grown:
            self._bundle = None
        return grown

    def _grow_places(self) -> bool:
        """Double the room for places of components that have nearly none, and their index; whether any was."""
        a = self._arrays
        room = np.diff(a["first_place"])
        full = 4 * a["place_count"] >= 3 * room
        few = 3 * self.count(jit_memo.PLACES) >= len(a["place_index"])
        if full.any():
            before, counts = a["first_place"], a["place_count"]
            a["first_place"] = np.concatenate([[0], np.cumsum(np.where(full, 2 * room, room))])
            _refuse_too_many("places", a["first_place"][-1])
            for name in ("places", "place_info"):
                if len(a[name]) < a["first_place"][-1]:
                    a[name] = extended(a[name], a["first_place"][-1], _MOST_ROWS, before[-1])
                for component in reversed(range(self.components)):  # the others move to where they have been
                    _move_rows(a[name], before[component], a["first_place"][component], counts[component])
        if full.any() or few:
            a["place_index"] = np.zeros(len(a["place_index"]) * (2 if few else 1), np.int32)
            self._bundle = None
            jit_memo.reindex_places(self.arrays())
        return bool(full.any() or few)

    def _grow_scratch(self) -> None:
        """Double the room for the moves of one place and the alternatives of one delivery: they are entered at once."""
        a = self._arrays
        rows, faults = a["alt_faults"].shape
        items = max(
            a["locals"][: self._flushed["locals"], jit_memo.OWN_COUNT].max(initial=0),
            a["batch_items"][: self._flushed["batch_items"], jit_memo.COUNT].max(initial=0),
        )
        for prefix in ("alt", "next"):  # each item of a delivery has one fault at most
            self._set_scratch(a, prefix, 2 * rows, max(faults, int(items)))
        self._room("moves", length=self.count(jit_memo.MOVES) + 2 * rows)
        self._room("fork_alts", length=self.count(jit_memo.FORK_ALTS) + 2 * rows)
        self._room("faults", length=self.count(jit_memo.FAULTS) + 2 * rows * max(faults, int(items)))
        self._bundle = None

    def _set_scratch(self, a: dict[str, Array], prefix: str, rows: int, faults: int) -> None:
        a[f"{prefix}_data"] = np.zeros((rows, a["places"].shape[1]), np.int32)
        a[f"{prefix}_faults"] = np.zeros((rows, faults), np.int32)
        a[f"{prefix}_fault_count"] = np.zeros(rows, np.int32)
        a["alt_result"] = np.zeros(rows, np.int64)
        a["chain"] = np.zeros(rows, np.int64)

    def _room(self, *names: str, length: int, used: int | None = None) -> None:
        for name in names:
            array = self._arrays[name]
            if len(array) < length:
                _refuse_too_many(name, length)
                self._arrays[name] = extended(array, length, _MOST_ROWS, used)
                self._bundle = None

    def _flush(self) -> None:
        """Copy new rows of the lists to their matrices."""
        for name, values in self._lists.items():
            done = self._flushed[name]
            if len(values) > done:
                self._room(name, length=len(values))
                self._arrays[name][done : len(values)] = values[done:]
                self._flushed[name] = len(values)

    def _new_arrays(self) -> dict[str, Array]:
        tables, system = self.tables, self.tables.system
        slots = max((len(inbox) for inbox in tables.inbox), default=0)
        firsts = np.cumsum([0] + [len(component.actions) for component in system.components])
        a: dict[str, Array] = {"n": np.zeros(jit_memo.COUNTER_COUNT, np.int64)}
        a["actions"] = np.array(
            [(slot, _MODES[act.mode]) for slot, (_, act) in zip(tables.taken_slot, tables.actions, strict=True)],
            np.int32,
        ).reshape(-1, 2)
        a["components"] = np.array(list(zip(firsts, [*map(len, tables.inbox), 0], strict=True)), np.int32)
        a["slot_fifo"] = np.zeros((self.components, max(slots, 1)), np.bool_)
        for component, inbox in enumerate(tables.inbox):
            a["slot_fifo"][component, : len(inbox)] = [self._fifo[channel] for channel in inbox]
        widths = {
            **self._widths,
            "receptions": 2,
            "moves": 4,
            "forks": 2,
            "fork_alts": 3,
            "contents": 4,
            "takes": 3,
            "mask_vectors": self.components,
        }
        for name, width in widths.items():
            a[name] = np.zeros((_FIRST_ROWS, width), np.int32)
        a["faults"] = np.zeros(_FIRST_ROWS, np.int32)
        a["first_place"] = _FIRST_PLACES * np.arange(self.components + 1)
        a["place_count"] = np.zeros(self.components, np.int64)
        a["places"] = np.zeros((a["first_place"][-1], 2 + slots), np.int32)
        a["place_info"] = np.zeros((a["first_place"][-1], jit_memo.RECEIVED_COUNT + 1), np.int32)
        a["mask_keep"] = np.zeros((_FIRST_ROWS, len(tables.actions)), np.uint8)
        a["mask_commuting"] = np.zeros((_FIRST_ROWS, len(tables.actions) if self.with_sleep else 1), np.uint64)
        for name in _HASHED.values():
            a[name] = np.zeros((_FIRST_ENTRIES, 2), np.int64)
        for index in ("place_index", "mask_index"):
            a[index] = np.zeros(_FIRST_ENTRIES, np.int32)
        a["misses"] = np.zeros((_FIRST_MISSES, 2), np.int64)
        for prefix in ("alt", "next"):
            self._set_scratch(a, prefix, *_FIRST_ALTERNATIVES)
        return a


def _move_rows(array: Array, before: int, after: int, count: int) -> None:
    """Move rows towards the end of an array, and leave zeros where they have been."""
    if after > before:
        array[after : after + count] = array[before : before + count]
        array[before : min(before + count, after)] = 0


def _refuse_too_many(name: str, rows: int) -> None:
    if rows > _MOST_ROWS:
        raise SdnloomError(f"the memo of the kernel engine has no room for more {name}; use the loop engine")
