"""Compiled expansion of a block of states by one or more threads, which share the visited table.

A state is some 64-bit words with a field for each column (`layout.py`). In the table the low half of the last word is
the state's number + 1, so one access finds a state and its number. While a block is expanded, new states have numbers
in the order in which threads happen to find them; each keeps the least (parent, transition) that leads to it, and
`jit_order.py` gives it the number that a plain breadth-first search gives it.

Threads only read the memos. A state for which something is missing is put back, with what is missing; the caller fills
it and lets these states be expanded again. Entering a successor a second time changes nothing.

An index is a `np.uint64` where time matters: of a signed one, compiled code asks whether it counts from the end.
"""

from collections import namedtuple

import numpy as np

from sdnloom.engine.kernel.atomics import compare_and_swap, fetch_and_add, load_acquire, prefetch, store_release
from sdnloom.engine.kernel.jit_memo import (
    ACTION,
    ACTIVE,
    AFTER,
    BATCH,
    BATCH_COUNT,
    CLASS,
    COUNT,
    EVENT,
    FAULT_AT,
    FAULT_COUNT,
    FLAG_MUST,
    FLAGS,
    FORKED,
    FULL,
    IDLE,
    LOCAL,
    MISS_FOLD,
    MISS_MASK,
    MISS_PLACE,
    MISS_RANK,
    MISS_RECEPTION,
    MISSING,
    MOVE,
    NUMBER,
    PLACE,
    PLACE_FAULT,
    PLACE_FAULT_COUNT,
    PLAN,
    RANK,
    RANKED_ACTION,
    RECEIVED,
    START,
    TO,
    find_row,
    fold_key,
    mix,
    peek,
    rank_key,
    reception,
    worse,
)
from sdnloom.engine.kernel.jit_options import entry, inlined, inner

NUMBER_BITS = 32  # of a word: the number of a state in its last word, and the transition in a key
NUMBER_MASK = (1 << NUMBER_BITS) - 1
BATCHED = 256  # successors that are entered together, so that fetching one does not wait for another
BEYOND = 1 << 12  # slots of the table after the last one that is a state's first choice
TOGETHER = 16  # states whose places are fetched together, for the same reason
RESERVED_NUMBERS = 256  # numbers that a thread takes at a time

# Positions in `settings`.
(
    COMPONENTS, FOLDED, COLUMNS, LAYERS, WORDS, SLOTS, FIRST, BASE, TODO, MOST_NEW,
    WITH_SLEEP, WITH_PROVISO, REDUCING, INVERTED, ONLY_LOOK, CHUNK,
) = range(16)  # fmt: skip
SETTING_COUNT = 16
# Positions in `shared`, which threads change: the next state to expand, the next number, a lock, whether room ran out.
CURSOR, NEXT_NEW, LOCK, OUT_OF_ROOM = range(4)
SHARED_COUNT = 4
# Positions in a thread's counters.
MISSED, MASK_ROWS, PUT_BACK, ENDED, TOO_LONG, FOUND, NEW, LAST_NEW = range(8)
OWN_COUNT = 8

Block = namedtuple(
    "Block",
    [
        "settings", "shared",
        "word", "shift", "mask",  # of each column's field
        "states", "asleep",  # the words and sleep sets of the states of the block
        "todo", "transitions",  # the states to expand; how many transitions each has
        "table",  # visited states
        "new_keys", "new_slots", "new_states", "new_asleep",  # found in this block
    ],
)  # fmt: skip
# What a thread has for itself: its counters, a state, its successors, and what it has to tell.
Own = namedtuple(
    "Own",
    [
        "n", "values", "rows", "ahead", "classes", "following", "order",
        "buffer", "hashes", "keys", "sleepers",
        "missing", "mask_rows", "put_back", "ends",
    ],
)  # fmt: skip


@entry
def expand_states(t, b, own):
    """Expand the states of a block that are to do, as one of its threads.

    With the setting ONLY_LOOK nothing is entered: the successors are left in the thread's buffer.
    """
    settings, shared = b.settings, b.shared
    components, folded, columns = settings[COMPONENTS], settings[FOLDED], settings[COLUMNS]
    words, layers = settings[WORDS], settings[LAYERS]
    with_sleep, inverted = settings[WITH_SLEEP] != 0, settings[INVERTED] != 0
    # The arrays of the inner loop are local variables: access through the bundle is slower.
    word, shift, mask, states = b.word, b.shift, b.mask, b.states
    moves, locals_, batches, info, receptions = t.moves, t.locals, t.batches, t.place_info, t.receptions
    keep, commuting, first_place = t.mask_keep, t.mask_commuting, t.first_place
    values, rows, buffer, keys, hashes = own.values, own.rows, own.buffer, own.keys, own.hashes
    room = len(keys)
    count = np.int64(0)
    while True:
        position = fetch_and_add(shared, CURSOR, settings[CHUNK])
        if position >= settings[TODO]:
            break
        last_turn = min(position + settings[CHUNK], settings[TODO])
        for turn in range(position, last_turn):
            if (turn - position) % TOGETHER == 0:
                fetch_ahead(t, b, own, turn, min(turn + TOGETHER, last_turn), components, words)
            index = np.int64(b.todo[turn])
            if count >= BATCHED:
                enter(b, own, count)
                count = np.int64(0)
            if load_acquire(shared, OUT_OF_ROOM) != 0:
                put_back(own, index)
                continue
            source = index * words
            for k in range(columns):
                values[k] = (states[np.uint64(source + word[k])] >> shift[k]) & mask[k]
            flags = 0
            status = np.int64(0)
            for c in range(components):
                rows[c] = first_place[c] + values[c]
                row = np.uint64(rows[c])
                if info[row, MOVE] < 0:
                    status = note(own, index, np.int64(MISS_PLACE), np.int64(c) << 32 | values[c])
                flags |= info[row, FLAGS]
            must = flags & FLAG_MUST != 0
            choice = np.int64(-1)
            if status == 0 and settings[REDUCING] != 0:
                choice = chosen_mask(t, own, index, components)
                status = min(np.int64(0), choice)
            if status == 0 and layers > 0:
                status = choose(t, own, index, must, choice, inverted, components, columns, layers)
            if status < 0:
                put_back(own, index)
                continue
            sleeps, last = np.uint64(0), np.int64(-1)
            if with_sleep:
                sleeps = b.asleep[index]
            asleep = sleeps
            at = count
            number = -1  # of the move, among those of the state
            plan = np.int64(-1)
            for idle in range(1 if must else 2):
                for c in range(components):
                    row = np.uint64(rows[c])
                    first, many = info[row, MOVE], info[row, ACTIVE]
                    if idle:
                        first, many = first + many, info[row, IDLE]
                    for move in range(first, first + many):
                        m = np.uint64(move)
                        local = np.uint64(moves[m, LOCAL])
                        action = locals_[local, ACTION]
                        if layers > 0:
                            number += 1
                            plan = np.int64(own.following[number])
                            if plan < 0:
                                continue
                        elif choice >= 0 and (keep[choice, action] != 0) == inverted:
                            continue
                        if with_sleep and not inverted:
                            if (asleep >> np.uint64(action)) & np.uint64(1) != 0:
                                continue
                            if action != last:
                                if last >= 0:
                                    sleeps |= np.uint64(1) << np.uint64(last)
                                last = np.int64(action)
                        if at >= room:
                            status = np.int64(FULL)
                            break
                        to = at * words
                        copy(buffer, to, states, source, words)
                        change(buffer, to, word, shift, c, values[c], moves[m, AFTER])
                        if layers > 0:
                            change(buffer, to, word, shift, columns - 1, values[columns - 1], plan)
                        split = False
                        known = True
                        batch = locals_[local, BATCH]
                        for q in range(np.uint64(batch), np.uint64(batch + locals_[local, BATCH_COUNT])):
                            d = np.uint64(batches[q, TO])
                            result = reception(info, receptions, np.uint64(rows[d]), batches[q, NUMBER])
                            if result >= 0:
                                change(buffer, to, word, shift, d, values[d], result)
                            elif result <= FORKED:
                                split = True
                            else:
                                known = False
                                key = np.int64(batches[q, NUMBER]) << 32 | values[d]
                                status = note(own, index, np.int64(MISS_RECEPTION), key)
                        if not known:
                            continue
                        before = at
                        if split:
                            at = forked(t, b, own, index, c, move, plan, before)
                            if at < 0:
                                status = worse(status, at)
                                at = before
                                continue
                        else:
                            if folded > components and (locals_[local, EVENT] >= 0 or moves[move, FAULT_COUNT] > 0):
                                result = fold_events(t, b, own, index, to, local, move)
                                if result < 0:
                                    status = worse(status, result)
                                    continue
                            at += 1
                        for x in range(before, at):
                            hashes[x] = hash_words(buffer, x * words, words)
                            keys[x] = np.uint64(index) << np.uint64(NUMBER_BITS) | np.uint64(x - count)
                            if with_sleep:
                                own.sleepers[x] = np.uint64(0) if inverted else sleeps & commuting[choice, action]
            if status < 0:
                if status == FULL:
                    own.n[TOO_LONG] = 1
                put_back(own, index)
                continue
            b.transitions[index] = at - count
            if at == count and with_sleep and settings[WITH_PROVISO] != 0:  # all its actions are asleep
                own.ends[own.n[ENDED]] = index
                own.n[ENDED] += 1
            count = at
    own.n[FOUND] = count
    if settings[ONLY_LOOK] == 0:
        enter(b, own, count)


@inner
def fetch_ahead(t, b, own, first, last, components, words):
    """Fetch the cache lines of what the memos have of the places of the next states to expand."""
    ahead, info = own.ahead, t.place_info
    at = 0
    for turn in range(first, last):
        source = np.int64(b.todo[turn]) * words
        for c in range(components):
            row = t.first_place[c] + np.int64((b.states[source + b.word[c]] >> b.shift[c]) & b.mask[c])
            prefetch(info, row)
            ahead[at] = row
            at += 1
    for k in range(at):
        row = np.uint64(ahead[k])
        prefetch(t.moves, np.int64(info[row, MOVE]))
        prefetch(t.receptions, np.int64(info[row, RECEIVED]))


@inlined
def change(buffer, to, word, shift, column, before, after):
    """Change a column's field in the words at `to`."""
    at = np.uint64(to + word[column])
    buffer[at] += (np.uint64(after) - np.uint64(before)) << shift[column]


@inlined
def hash_words(words, at, count):
    h = mix(mix(words[np.uint64(at)]) + words[np.uint64(at + 1)])  # there are two at least
    for k in range(2, count):
        h = mix(h + words[np.uint64(at + k)])
    return h


@inlined
def copy(target, to, source, at, count):
    """Copy the words of a state."""
    target[np.uint64(to)] = source[np.uint64(at)]
    target[np.uint64(to + 1)] = source[np.uint64(at + 1)]
    for k in range(2, count):
        target[np.uint64(to + k)] = source[np.uint64(at + k)]


@inlined
def line_slots(words):
    """The slots of a cache line of the table."""
    return max(1, 8 // words)


@inlined
def line_count(slots, words):
    """The cache lines of a table."""
    return np.uint64(slots // line_slots(words))


@inlined
def line_of(h, lines):
    """The cache line where a state with this hash is looked for first; it grows with the hash."""
    return np.int64((h >> np.uint64(32)) * lines >> np.uint64(32))


@inner
def note(own, index, kind, key):
    """Note that the memo has no such entry, which a state needs; MISSING."""
    n = own.n[MISSED]
    if n < len(own.missing):
        own.missing[n, 0] = index
        own.missing[n, 1] = kind
        own.missing[n, 2] = key
        own.n[MISSED] += 1
    return np.int64(MISSING)


@inner
def put_back(own, index):
    """Let a state be expanded again."""
    own.put_back[own.n[PUT_BACK]] = index
    own.n[PUT_BACK] += 1


@inner
def chosen_mask(t, own, index, components):
    """The number of the mask with the reduction's choice for the state in `own.rows`, or MISSING."""
    for c in range(components):
        own.classes[0, c] = t.place_info[own.rows[c], CLASS]
    p = find_row(t.mask_index, t.mask_vectors, own.classes, 0, components)
    if t.mask_index[p] != 0:
        return np.int64(t.mask_index[p] - 1)
    row = own.n[MASK_ROWS]
    if row < len(own.mask_rows):
        for c in range(components):
            own.mask_rows[row, c] = own.classes[0, c]
        own.n[MASK_ROWS] += 1
        note(own, index, np.int64(MISS_MASK), np.int64(row))
    return np.int64(MISSING)


@inner
def choose(t, own, index, must, mask, inverted, components, columns, layers):
    """For each enabled move of a state, in order: the strategy's memory after it, -1 if it is not to be explored.

    See strategy.py. With `inverted`, what the reduction left out of the strategy's choice.
    """
    count = 0
    status = np.int64(0)
    memory, following, order = own.values[columns - 1], own.following, own.order
    for idle in range(1 if must else 2):
        for c in range(components):
            row = own.rows[c]
            first, many = t.place_info[row, MOVE], t.place_info[row, ACTIVE]
            if idle:
                first, many = first + many, t.place_info[row, IDLE]
            for move in range(first, first + many):
                if count >= len(order):
                    own.n[TOO_LONG] = 1
                    return np.int64(FULL)
                key = rank_key(memory, t.moves[move, LOCAL])
                rank = peek(t.rank_memo, key)
                if rank < 0:
                    status = note(own, index, np.int64(MISS_RANK), key)
                order[count] = rank
                following[count] = 0
                count += 1
    if status < 0:
        return status
    for layer in range(RANK, RANK + layers):
        least = np.int64(-1)
        for i in range(count):
            rank = np.int64(t.ranks[order[i], layer])
            if following[i] == 0 and rank >= 0 and (least < 0 or rank < least):
                least = rank
        for i in range(count):
            rank = np.int64(t.ranks[order[i], layer])
            if rank >= 0 and rank != least:
                following[i] = -1
    within = mask >= 0
    if within:
        for i in range(count):
            if following[i] < 0 and t.mask_keep[mask, t.ranks[order[i], RANKED_ACTION]] != 0:
                within = False
    for i in range(count):
        if following[i] == 0:
            kept = not within or t.mask_keep[mask, t.ranks[order[i], RANKED_ACTION]] != 0
            following[i] = -1 if kept == inverted else t.ranks[order[i], PLAN]
    return np.int64(0)


@inner
def forked(t, b, own, index, c, move, plan, at):
    """Append the transitions of a move whose receivers have alternatives: their product, the last one fastest.

    The end of the successors, or a status.
    """
    settings, buffer, values = b.settings, own.buffer, own.values
    columns, words = settings[COLUMNS], settings[WORDS]
    local = t.moves[move, LOCAL]
    first = t.locals[local, BATCH]
    last = first + t.locals[local, BATCH_COUNT]
    total = np.int64(1)
    for q in range(first, last):
        place = reception(t.place_info, t.receptions, own.rows[t.batches[q, TO]], t.batches[q, NUMBER])
        if place <= FORKED:
            total *= t.forks[FORKED - place, COUNT]
            if at + total > len(own.keys):  # before the product may overflow
                return np.int64(FULL)
    status = np.int64(0)
    for alternative in range(total):
        to = (at + alternative) * words
        for k in range(words):
            buffer[to + k] = b.states[index * words + k]
        change(buffer, to, b.word, b.shift, c, values[c], t.moves[move, AFTER])
        if plan >= 0:
            change(buffer, to, b.word, b.shift, columns - 1, values[columns - 1], plan)
        status = worse(status, fold_events(t, b, own, index, to, local, move))
        divisor = total
        for q in range(first, last):
            d = t.batches[q, TO]
            place = reception(t.place_info, t.receptions, own.rows[d], t.batches[q, NUMBER])
            if place > FORKED:
                change(buffer, to, b.word, b.shift, d, values[d], place)
                continue
            number = FORKED - place
            divisor //= t.forks[number, COUNT]
            alt = t.forks[number, START] + (alternative // divisor) % t.forks[number, COUNT]
            change(buffer, to, b.word, b.shift, d, values[d], t.fork_alts[alt, PLACE])
            faults = t.fork_alts[alt, PLACE_FAULT]
            for f in range(faults, faults + t.fork_alts[alt, PLACE_FAULT_COUNT]):
                status = worse(status, fold_everywhere(t, b, own, index, to, t.faults[f]))
    return status if status < 0 else at + total


@inner
def fold_events(t, b, own, index, to, local, move):
    """Fold the events of a move into the memories of the successor at `to`."""
    status = np.int64(0)
    if t.locals[local, EVENT] >= 0:
        status = fold_everywhere(t, b, own, index, to, t.locals[local, EVENT])
    for f in range(t.moves[move, FAULT_AT], t.moves[move, FAULT_AT] + t.moves[move, FAULT_COUNT]):
        status = worse(status, fold_everywhere(t, b, own, index, to, t.faults[f]))
    return status


@inner
def fold_everywhere(t, b, own, index, to, events):
    """Fold a tuple of events into all memories of the successor at `to`."""
    components, folded = b.settings[COMPONENTS], b.settings[FOLDED]
    status = np.int64(0)
    for k in range(components, folded):
        memory = np.int64((own.buffer[to + b.word[k]] >> b.shift[k]) & b.mask[k])
        key = fold_key(events, folded - components, k - components, memory)
        after = peek(t.fold_memo, key)
        if after < 0:
            status = note(own, index, np.int64(MISS_FOLD), key)
        else:
            change(own.buffer, to, b.word, b.shift, k, memory, after)
    return status


@inner
def enter(b, own, count):
    """Enter successors in the visited table; where room runs out, the rest is put back."""
    settings, table, buffer, keys = b.settings, b.table, own.buffer, own.keys
    words, slots, base = settings[WORDS], settings[SLOTS], settings[BASE]
    with_sleep, with_proviso = settings[WITH_SLEEP] != 0, settings[WITH_PROVISO] != 0
    fields, end = ~np.uint64(NUMBER_MASK), slots + BEYOND
    lines, in_line = line_count(slots, words), line_slots(words)
    forward = False
    for x in range(count):  # no other work in between: each fetch takes longer than what the processor looks ahead
        at = line_of(own.hashes[x], lines) * in_line * words
        prefetch(table, at)
        prefetch(table, at + in_line * words)  # one state in three is beyond its first line
    for x in range(count):
        first = buffer[x * words]
        slot = line_of(own.hashes[x], lines) * in_line
        number = np.int64(-1)
        while number < 0:
            at = slot * words
            found = load_acquire(table, at)
            if found == 0:
                if own.n[NEW] == own.n[LAST_NEW] and not reserve(b, own):
                    put_sources_back(own, x, count)
                    return
                found = compare_and_swap(table, at, np.uint64(0), first)
                if found == 0:
                    new = own.n[NEW]
                    own.n[NEW] += 1
                    b.new_keys[new] = keys[x]
                    b.new_slots[new] = slot
                    if with_sleep:
                        b.new_asleep[new] = own.sleepers[x]
                    copy(b.new_states, new * words, buffer, x * words, words)
                    for k in range(1, words - 1):
                        store_release(table, at + k, buffer[x * words + k])
                    number = base + new
                    store_release(table, at + words - 1, buffer[x * words + words - 1] | np.uint64(number + 1))
                    break
            if found == first:
                last = load_acquire(table, at + words - 1)
                while last == 0:  # another thread is writing it
                    last = load_acquire(table, at + words - 1)
                same = last & fields == buffer[x * words + words - 1]
                for k in range(1, words - 1):
                    same = same and load_acquire(table, at + k) == buffer[x * words + k]
                if same:
                    number = np.int64(last & np.uint64(NUMBER_MASK)) - 1
                    if number >= base and keys[x] < b.new_keys[number - base]:
                        lower(b, own, number - base, x, with_sleep)
                    break
            slot += 1
            if slot == end:
                store_release(b.shared, OUT_OF_ROOM, np.int64(1))
                put_sources_back(own, x, count)
                return
        if with_proviso:
            index = keys[x] >> np.uint64(NUMBER_BITS)
            forward = forward or number > settings[FIRST] + np.int64(index)
            if x + 1 == count or keys[x + 1] >> np.uint64(NUMBER_BITS) != index:
                if not forward:
                    own.ends[own.n[ENDED]] = index
                    own.n[ENDED] += 1
                forward = False


@inner
def reserve(b, own):
    """Take further numbers for new states; False if there are none."""
    first = fetch_and_add(b.shared, NEXT_NEW, RESERVED_NUMBERS)
    if first + RESERVED_NUMBERS > b.settings[MOST_NEW]:
        store_release(b.shared, OUT_OF_ROOM, np.int64(1))
        return False
    own.n[NEW] = first
    own.n[LAST_NEW] = first + RESERVED_NUMBERS
    return True


@inner
def put_sources_back(own, x, count):
    last = np.int64(-1)
    for y in range(x, count):
        index = np.int64(own.keys[y] >> np.uint64(NUMBER_BITS))
        if index != last:
            put_back(own, index)
        last = index


@inner
def lower(b, own, new, x, with_sleep):
    """Let a new state have come by a transition that is earlier in the order of the search."""
    while compare_and_swap(b.shared, LOCK, np.int64(0), np.int64(1)) != 0:
        pass
    if own.keys[x] < b.new_keys[new]:
        b.new_keys[new] = own.keys[x]
        if with_sleep:
            b.new_asleep[new] = own.sleepers[x]
    store_release(b.shared, LOCK, np.int64(0))
