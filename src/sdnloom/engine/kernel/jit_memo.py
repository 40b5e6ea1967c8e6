"""Compiled memos of the kernel: steps, contents, places and receptions, on integer matrices.

Python fills them where user code is needed. A function that needs something unknown notes a miss and returns MISSING;
one that runs out of room returns FULL. Either way it can simply be called again: entries made so far stay valid.
Plain FIFO channels need no Python at all. Only one thread may call these functions; threads that search look up what is
known with `peek` and `reception`. A constant is given to a function as `np.int64`: numba would compile the function
anew for each constant.

Each component numbers its places from 0. Its rows in `places` and `place_info` begin at `first_place`.
"""

from collections import namedtuple

import numpy as np

from sdnloom.engine.kernel.jit_options import entry, inlined, inner

MISSING, FULL, FORKED = -1, -2, -10  # a value of FORKED - n is entry n of a table of alternatives
PENDING = -1
FLAG_MUST, FLAG_IDLE = 1, 2
MODE_MUST, MODE_MAY, MODE_IDLE = 0, 1, 2
MISS_STEP, MISS_TAKE, MISS_PUSH, MISS_FOLD, MISS_MASK, MISS_RANK = 0, 1, 2, 3, 4, 5
MISS_PLACE, MISS_RECEPTION = 6, 7  # filled by compiled code
MESSAGE_BITS, CORE_BITS = 26, 26  # of the keys of steps and pushes

# Positions in the array of counters.
(
    PLACES, MOVES, FAULTS, RECEPTIONS, FORKS, FORK_ALTS, CONTENTS, TAKES, PUSHES, MISSES, STEPS, FOLDS, MASKS, RANKS,
) = range(14)  # fmt: skip
COUNTER_COUNT = 14

# Columns of the matrices.
START, COUNT = 0, 1  # steps, batch_items, push_forks, forks: a range in another matrix
RECEIVER = 2  # batch_items: the component that receives the batch
SLOT, MODE = 0, 1  # actions
FIRST_ACTION, SLOTS = 0, 1  # components
ACTION, CORE, OWN, OWN_COUNT, BATCH, BATCH_COUNT, EVENT = range(7)  # locals
TO, NUMBER = 0, 1  # batches
ITEM_SLOT, ITEM_MESSAGE = 0, 1  # own, items
PARENT, LAST, TAKE, TAKE_COUNT = range(4)  # contents; without a parent LAST is the number in the tables
MESSAGE, REST, FAULT = range(3)  # takes
PUSHED, PUSH_FAULT = 0, 1  # push_alts
# place_info; RECEIVED is where its receptions are, in a small hash table of (batch + 1, place after) rows
FLAGS, MOVE, ACTIVE, IDLE, CLASS, RECEIVED, RECEIVED_SIZE, RECEIVED_COUNT = range(8)
AFTER, LOCAL, FAULT_AT, FAULT_COUNT = range(4)  # moves
PLACE, PLACE_FAULT, PLACE_FAULT_COUNT = range(3)  # fork_alts
PLAN, RANKED_ACTION, RANK = range(3)  # ranks: memory after, action, then one rank for each strategy, -1 for none

Tables = namedtuple(
    "Tables",
    [
        "n",  # counters
        "actions", "components", "slot_fifo",
        # steps: (action, core, message) -> outcomes, which are `locals`
        "step_memo", "steps", "locals", "own", "batches", "batch_items", "items",
        # channels: contents, offers and successors
        "contents", "takes", "push_memo", "push_forks", "push_alts",
        # memories of properties: (events, memory) -> memory; of strategies: (memory, outcome) -> ranks and memory
        "fold_memo", "rank_memo", "ranks",
        # places: (component, core, contents...) and what they can do and receive
        "first_place", "place_count", "places", "place_index", "place_info", "moves", "faults",
        "receptions", "forks", "fork_alts",
        # the choice of a reduction for a vector of place classes
        "mask_vectors", "mask_index", "mask_keep", "mask_commuting",
        # scratch
        "alt_data", "alt_faults", "alt_fault_count", "alt_result", "next_data", "next_faults", "next_fault_count",
        "chain", "misses",
    ],
)  # fmt: skip


@inlined
def mix(key):
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    return h ^ (h >> np.uint64(29))


@entry
def find(memo, key):
    """The slot of a key in an open-addressing memo of (key, value), or the empty slot where it belongs; no key is 0."""
    mask = np.uint64(len(memo) - 1)
    p = mix(key) & mask
    while memo[p, 0] != 0 and memo[p, 0] != key:
        p = (p + np.uint64(1)) & mask
    return p


@entry
def rehash(old, new):
    """Move all entries to a larger memo."""
    for i in range(len(old)):
        if old[i, 0] != 0:
            p = find(new, old[i, 0])
            new[p, 0] = old[i, 0]
            new[p, 1] = old[i, 1]


@inner
def hash_row(data, r, length):
    h = np.uint64(length)
    for i in range(length):
        h = mix(h ^ np.uint64(data[r, i]) + (h << np.uint64(6)))
    return h


@inner
def find_row(index, data, rows, r, length):
    """The slot of row r of `rows` in an index of `data`, or the empty slot where it belongs; 0 is empty."""
    mask = np.uint64(len(index) - 1)
    p = hash_row(rows, r, length) & mask
    while index[p] != 0:
        known = index[p] - 1
        same = True
        for i in range(length):
            if data[known, i] != rows[r, i]:
                same = False
                break
        if same:
            return p
        p = (p + np.uint64(1)) & mask
    return p


@entry
def reindex(index, data, count, length):
    """Enter all rows of a matrix in a new index."""
    mask = np.uint64(len(index) - 1)
    for r in range(count):
        p = hash_row(data, r, length) & mask
        while index[p] != 0:
            p = (p + np.uint64(1)) & mask
        index[p] = r + 1


@inner
def note_miss(t, kind, key):
    if t.n[MISSES] >= len(t.misses):
        return FULL
    t.misses[t.n[MISSES], 0] = kind
    t.misses[t.n[MISSES], 1] = key
    t.n[MISSES] += 1
    return MISSING


@inner
def lookup(t, memo, counter, kind, key):
    """The value of a key in a memo that Python fills, or a status."""
    p = find(memo, key)
    if memo[p, 0] == key:
        return np.int64(memo[p, 1])
    if 2 * t.n[counter] >= len(memo):
        return np.int64(FULL)
    status = note_miss(t, kind, key)
    if status == MISSING:
        memo[p, 0] = key
        memo[p, 1] = PENDING
        t.n[counter] += 1
    return np.int64(status)


@inner
def push(t, fifo, content, message):
    """The content after a push, or FORKED - n for several alternatives or a fault."""
    key = ((np.int64(content) << MESSAGE_BITS) | np.int64(message)) + 1
    p = find(t.push_memo, key)
    if t.push_memo[p, 0] == key:
        value = t.push_memo[p, 1]
        return np.int64(value)
    if 2 * t.n[PUSHES] >= len(t.push_memo):
        return np.int64(FULL)
    if not fifo:
        status = note_miss(t, np.int64(MISS_PUSH), key)
        if status == MISSING:
            t.push_memo[p, 0] = key
            t.push_memo[p, 1] = PENDING
            t.n[PUSHES] += 1
        return np.int64(status)
    return push_fifo(t, content, message)


@inner
def push_fifo(t, content, message):
    """As push, natively: the tail of the new content is the push to the tail, down to an empty queue."""
    # Descend to the first known push, then build upwards.
    chain = t.chain
    depth = 0
    at = np.int64(content)
    known = np.int64(-1)
    while True:
        key = ((at << MESSAGE_BITS) | np.int64(message)) + 1
        p = find(t.push_memo, key)
        if t.push_memo[p, 0] == key:
            known = np.int64(t.push_memo[p, 1])
            break
        if depth == len(chain):
            return np.int64(FULL)
        chain[depth] = at
        depth += 1
        if t.contents[at, TAKE_COUNT] == 0:
            break
        at = np.int64(t.takes[t.contents[at, TAKE], REST])
    while depth > 0:
        depth -= 1
        at = chain[depth]
        number = t.n[CONTENTS]
        if number >= len(t.contents) or t.n[TAKES] >= len(t.takes) or 2 * t.n[PUSHES] >= len(t.push_memo):
            return np.int64(FULL)
        take = t.n[TAKES]
        if t.contents[at, TAKE_COUNT] == 0:
            t.takes[take, MESSAGE] = message
            t.takes[take, REST] = at
        else:
            t.takes[take, MESSAGE] = t.takes[t.contents[at, TAKE], MESSAGE]
            t.takes[take, REST] = known
        t.takes[take, FAULT] = -1
        t.n[TAKES] += 1
        t.contents[number, TAKE] = take
        t.contents[number, TAKE_COUNT] = 1
        t.contents[number, PARENT] = at
        t.contents[number, LAST] = message
        t.n[CONTENTS] += 1
        key = ((at << MESSAGE_BITS) | np.int64(message)) + 1
        p = find(t.push_memo, key)
        t.push_memo[p, 0] = key
        t.push_memo[p, 1] = number
        t.n[PUSHES] += 1
        known = np.int64(number)
    return known


@entry
def intern_place(t, rows, r):
    """The number of the place (component, core, contents...) in a row."""
    component = rows[r, 0]
    first = t.first_place[component]
    p = find_row(t.place_index, t.places, rows, r, t.places.shape[1])
    if t.place_index[p] != 0:
        return np.int64(t.place_index[p] - 1 - first)
    number = t.place_count[component]
    at = first + number
    if at >= t.first_place[component + 1] or 2 * t.n[PLACES] >= len(t.place_index):
        return np.int64(FULL)
    for i in range(t.places.shape[1]):
        t.places[at, i] = rows[r, i]
    t.place_index[p] = at + 1
    t.place_info[at, MOVE] = -1
    t.place_info[at, CLASS] = -1
    t.place_count[component] += 1
    t.n[PLACES] += 1
    return np.int64(number)


@entry
def reindex_places(t):
    """Enter all places in an empty index."""
    mask = np.uint64(len(t.place_index) - 1)
    for component in range(len(t.place_count)):
        first = t.first_place[component]
        for at in range(first, first + t.place_count[component]):
            p = hash_row(t.places, at, t.places.shape[1]) & mask
            while t.place_index[p] != 0:
                p = (p + np.uint64(1)) & mask
            t.place_index[p] = at + 1


@inner
def deliver(t, items, start, count):
    """Push items on the place in alt_data[0]: the number of alternatives, their places and faults in the scratch.

    The order is that of the reference semantics: each alternative is replaced by its own, in order.
    """
    alternatives = np.int64(1)
    t.alt_fault_count[0] = 0
    component = t.alt_data[0, 0]
    for item in range(start, start + count):
        slot = items[item, ITEM_SLOT]
        status = 0
        forked = False
        for a in range(alternatives):
            result = push(t, t.slot_fifo[component, slot], t.alt_data[a, 2 + slot], items[item, ITEM_MESSAGE])
            t.alt_result[a] = result
            if result <= FORKED:
                forked = True
            elif result < 0 and status != FULL:
                status = result
        if status < 0:
            return status
        if forked:
            alternatives = fork(t, slot, alternatives)
            if alternatives < 0:
                return alternatives
        else:
            for a in range(alternatives):
                t.alt_data[a, 2 + slot] = t.alt_result[a]
    return alternatives


@inner
def fork(t, slot, alternatives):
    """Replace each alternative by those that its push left in alt_result."""
    width = t.alt_data.shape[1]
    out = 0
    for a in range(alternatives):
        result = t.alt_result[a]
        first, many = 0, 1
        if result <= FORKED:
            first, many = t.push_forks[FORKED - result, START], t.push_forks[FORKED - result, COUNT]
        for other in range(first, first + many):
            if out >= len(t.alt_data):
                return FULL
            faults = t.alt_fault_count[a]
            for i in range(width):
                t.next_data[out, i] = t.alt_data[a, i]
            for i in range(faults):
                t.next_faults[out, i] = t.alt_faults[a, i]
            if result <= FORKED:
                t.next_data[out, 2 + slot] = t.push_alts[other, PUSHED]
                if t.push_alts[other, PUSH_FAULT] >= 0:
                    if faults >= t.alt_faults.shape[1]:
                        return FULL
                    t.next_faults[out, faults] = t.push_alts[other, PUSH_FAULT]
                    faults += 1
            else:
                t.next_data[out, 2 + slot] = result
            t.next_fault_count[out] = faults
            out += 1
    for a in range(out):
        for i in range(width):
            t.alt_data[a, i] = t.next_data[a, i]
        for i in range(t.next_fault_count[a]):
            t.alt_faults[a, i] = t.next_faults[a, i]
        t.alt_fault_count[a] = t.next_fault_count[a]
    return out


@inlined
def reception(info, receptions, at, batch):
    """The place after the place in row `at` received a batch, FORKED - n for entry n of the forks, or MISSING."""
    size = np.uint32(info[at, RECEIVED_SIZE])
    if size == 0:
        return np.int64(MISSING)
    first = np.uint64(info[at, RECEIVED])
    wanted = batch + 1
    p = (np.uint32(wanted) * np.uint32(0x9E3779B1) >> np.uint32(15)) & (size - np.uint32(1))
    while receptions[first + np.uint64(p), 0] != wanted:
        if receptions[first + np.uint64(p), 0] == 0:
            return np.int64(MISSING)
        p = (p + np.uint32(1)) & (size - np.uint32(1))
    return np.int64(receptions[first + np.uint64(p), 1])


@inner
def keep_reception(t, at, batch, after):
    """Enter a reception of the place in row `at`, for which `reception_room` made room."""
    wanted = batch + 1
    size = np.uint32(t.place_info[at, RECEIVED_SIZE])
    first = np.int64(t.place_info[at, RECEIVED])
    p = (np.uint32(wanted) * np.uint32(0x9E3779B1) >> np.uint32(15)) & (size - np.uint32(1))
    while t.receptions[first + p, 0] != 0:
        p = (p + np.uint32(1)) & (size - np.uint32(1))
    t.receptions[first + p, 0] = wanted
    t.receptions[first + p, 1] = after
    t.place_info[at, RECEIVED_COUNT] += 1


@inner
def reception_room(t, at):
    """Make room for one more reception of the place in row `at`; a table that is nearly full moves to a larger one."""
    size = t.place_info[at, RECEIVED_SIZE]
    if 4 * (t.place_info[at, RECEIVED_COUNT] + 1) <= 3 * size:
        return 0
    larger = max(2, 2 * size)
    new, old = t.n[RECEPTIONS], t.place_info[at, RECEIVED]
    if new + larger > len(t.receptions):
        return FULL
    t.n[RECEPTIONS] += larger
    t.place_info[at, RECEIVED] = new
    t.place_info[at, RECEIVED_SIZE] = larger
    t.place_info[at, RECEIVED_COUNT] = 0
    for p in range(old, old + size):
        if t.receptions[p, 0] != 0:
            keep_reception(t, at, t.receptions[p, 0] - 1, t.receptions[p, 1])
    return 0


@inner
def receive(t, batch, place):
    """Enter what a place becomes when it receives a batch."""
    at = t.first_place[t.batch_items[batch, RECEIVER]] + place
    if reception(t.place_info, t.receptions, at, batch) != MISSING:
        return np.int64(0)
    if reception_room(t, at) == FULL:
        return np.int64(FULL)
    for i in range(t.places.shape[1]):
        t.alt_data[0, i] = t.places[at, i]
    alternatives = deliver(t, t.items, t.batch_items[batch, START], t.batch_items[batch, COUNT])
    if alternatives < 0:
        return np.int64(alternatives)
    if alternatives == 1 and t.alt_fault_count[0] == 0:
        value = intern_place(t, t.alt_data, np.int64(0))
        if value < 0:
            return value
    else:
        number, first = t.n[FORKS], t.n[FORK_ALTS]
        if number >= len(t.forks) or first + alternatives > len(t.fork_alts):
            return np.int64(FULL)
        for a in range(alternatives):
            after = intern_place(t, t.alt_data, a)
            kept = keep_faults(t, a)
            if after < 0 or kept < 0:
                return np.int64(FULL)
            t.fork_alts[first + a, PLACE] = after
            t.fork_alts[first + a, PLACE_FAULT] = kept
            t.fork_alts[first + a, PLACE_FAULT_COUNT] = t.alt_fault_count[a]
        t.forks[number, START] = first
        t.forks[number, COUNT] = alternatives
        t.n[FORKS] += 1
        t.n[FORK_ALTS] += alternatives
        value = np.int64(FORKED - number)
    keep_reception(t, at, batch, value)
    return np.int64(0)


@inner
def keep_faults(t, a):
    """Keep the faults of an alternative; where they are kept."""
    at = t.n[FAULTS]
    if at + t.alt_fault_count[a] > len(t.faults):
        return np.int64(FULL)
    for i in range(t.alt_fault_count[a]):
        t.faults[at + i] = t.alt_faults[a, i]
    t.n[FAULTS] += t.alt_fault_count[a]
    return np.int64(at)


@inner
def step(t, action, core, message):
    """The entry of a step in the memo."""
    key = ((np.int64(action) << (CORE_BITS + MESSAGE_BITS)) | (np.int64(core) << MESSAGE_BITS) | np.int64(message)) + 1
    return lookup(t, t.step_memo, np.int64(STEPS), np.int64(MISS_STEP), key)


@inner
def expand(t, place):
    """Enter the moves and flags of the place in a row. All misses are noted before this returns."""
    if t.place_info[place, MOVE] >= 0:
        return 0
    component = t.places[place, 0]
    start, faults = t.n[MOVES], t.n[FAULTS]
    status = 0
    flags = 0
    active = 0
    for idle in range(2):
        for action in range(t.components[component, FIRST_ACTION], t.components[component + 1, FIRST_ACTION]):
            if (t.actions[action, MODE] == MODE_IDLE) != (idle == 1):
                continue
            before = t.n[MOVES]
            slot = t.actions[action, SLOT]
            offered = 1
            if slot >= 0:
                offered = takes(t, t.places[place, 2 + slot])
                if offered < 0:
                    status = worse(status, offered)
                    continue
            for offer in range(offered):
                result = moves_of(t, place, action, slot, offer)
                status = worse(status, result)
            if t.n[MOVES] > before:
                if t.actions[action, MODE] == MODE_MUST:
                    flags |= FLAG_MUST
                elif t.actions[action, MODE] == MODE_IDLE:
                    flags |= FLAG_IDLE
        if idle == 0:
            active = t.n[MOVES] - start
    if status < 0:
        t.n[MOVES], t.n[FAULTS] = start, faults
        return status
    t.place_info[place, FLAGS] = flags
    t.place_info[place, ACTIVE] = active
    t.place_info[place, IDLE] = t.n[MOVES] - start - active
    t.place_info[place, MOVE] = start
    return 0


@inlined
def worse(status, result):
    return status if result >= 0 or status == FULL else result


@inner
def takes(t, content):
    """How many alternatives a reception has."""
    if t.contents[content, TAKE] >= 0:
        return np.int64(t.contents[content, TAKE_COUNT])
    if t.contents[content, TAKE] == -2:  # noted already
        return np.int64(MISSING)
    status = note_miss(t, np.int64(MISS_TAKE), np.int64(content))
    if status == MISSING:
        t.contents[content, TAKE] = -2
    return np.int64(status)


@inner
def moves_of(t, place, action, slot, offer):
    """Enter the moves of one action on one offered message."""
    width = t.places.shape[1]
    message, rest, fault = np.int64(0), np.int64(0), np.int64(-1)
    if slot >= 0:
        take = t.contents[t.places[place, 2 + slot], TAKE] + offer
        message, rest, fault = (
            np.int64(t.takes[take, MESSAGE]),
            np.int64(t.takes[take, REST]),
            np.int64(t.takes[take, FAULT]),
        )
    entry = step(t, action, t.places[place, 1], message)
    if entry < 0:
        return entry
    status = np.int64(0)
    for local in range(t.steps[entry, START], t.steps[entry, START] + t.steps[entry, COUNT]):
        for i in range(width):
            t.alt_data[0, i] = t.places[place, i]
        t.alt_data[0, 1] = t.locals[local, CORE]
        if slot >= 0:
            t.alt_data[0, 2 + slot] = rest
        alternatives = deliver(t, t.own, t.locals[local, OWN], t.locals[local, OWN_COUNT])
        if alternatives < 0:
            status = worse(status, alternatives)
            continue
        for a in range(alternatives):
            after = intern_place(t, t.alt_data, a)
            if after < 0 or t.n[MOVES] >= len(t.moves) or t.n[FAULTS] >= len(t.faults):
                return np.int64(FULL)
            at = t.n[FAULTS]
            if fault >= 0:
                t.faults[at] = fault
                t.n[FAULTS] += 1
            if keep_faults(t, a) < 0:
                return np.int64(FULL)
            move = t.n[MOVES]
            t.moves[move, AFTER] = after
            t.moves[move, LOCAL] = local
            t.moves[move, FAULT_AT] = at
            t.moves[move, FAULT_COUNT] = t.n[FAULTS] - at
            t.n[MOVES] += 1
    return status


@inlined
def peek(memo, key):
    """The value of a key in a memo that Python fills, or MISSING."""
    p = find(memo, key)
    return np.int64(memo[p, 1]) if memo[p, 0] == key else np.int64(MISSING)


@inlined
def fold_key(events, memories, number, memory):
    """The key of a fold: of the memory of property `number` of so many."""
    return ((np.int64(events) * memories + number) << 32 | np.int64(memory)) + 1


@inlined
def rank_key(memory, local):
    """The key of the ranks of an outcome under a strategy's memory."""
    return ((np.int64(memory) << 32) | np.int64(local)) + 1


@entry
def settle(t, kinds, keys, count, classes):
    """Fill misses, in order; (how many are left, at the front of the arrays, whether room ran out).

    The key of a missing mask is a row of `classes`. What is left needs Python, or room.
    """
    left = 0
    full = False
    for i in range(count):
        status = np.int64(MISSING)
        if not full:
            status = settle_one(t, kinds[i], keys[i], classes)
            full = status == FULL
        if status < 0:
            kinds[left] = kinds[i]
            keys[left] = keys[i]
            left += 1
    return left, full


@inner
def settle_one(t, kind, key, classes):
    if kind == MISS_PLACE:
        return np.int64(expand(t, t.first_place[key >> 32] + (key & 0xFFFFFFFF)))
    if kind == MISS_RECEPTION:
        return receive(t, key >> 32, key & 0xFFFFFFFF)
    if kind == MISS_FOLD:
        return lookup(t, t.fold_memo, np.int64(FOLDS), np.int64(MISS_FOLD), key)
    if kind == MISS_RANK:
        return lookup(t, t.rank_memo, np.int64(RANKS), np.int64(MISS_RANK), key)
    return mask_of(t, classes, key)


@inner
def mask_of(t, classes, row):
    """Number the mask of a row of classes; what it keeps is noted as missing."""
    number, length = t.n[MASKS], t.mask_vectors.shape[1]
    room = min(len(t.mask_vectors), len(t.mask_keep), len(t.mask_commuting))
    if number >= room or 2 * number >= len(t.mask_index):
        return np.int64(FULL)
    p = find_row(t.mask_index, t.mask_vectors, classes, row, length)
    if t.mask_index[p] == 0:
        if note_miss(t, np.int64(MISS_MASK), np.int64(number)) == FULL:
            return np.int64(FULL)
        for i in range(length):
            t.mask_vectors[number, i] = classes[row, i]
        t.n[MASKS] += 1
        t.mask_index[p] = t.n[MASKS]
    return np.int64(0)


@entry
def push_again(t, parents, messages, position, numbers):
    """Push messages on plain queues, from this position on: where room ran out, or the end."""
    for i in range(position, len(parents)):
        numbers[i] = push(t, True, np.int64(parents[i]), np.int64(messages[i]))
        if numbers[i] == FULL:
            return i
    return len(parents)


@entry
def intern_places(t, rows, position, numbers):
    """Intern the places in rows, from this position on: where room ran out, or the end."""
    for i in range(position, len(rows)):
        numbers[i] = intern_place(t, rows, i)
        if numbers[i] == FULL:
            return i
    return len(rows)
