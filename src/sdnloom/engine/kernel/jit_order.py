"""Compiled work between two expansions: the order of new states, their flags, and moves to a larger table."""

import numpy as np

from sdnloom.engine.kernel.atomics import compare_and_swap, prefetch
from sdnloom.engine.kernel.jit_expand import (
    BEYOND,
    NUMBER_BITS,
    NUMBER_MASK,
    hash_words,
    line_count,
    line_of,
    line_slots,
)
from sdnloom.engine.kernel.jit_memo import FLAGS, MOVE, find_row
from sdnloom.engine.kernel.jit_options import entry, inner

NOT_USED = np.uint64(0xFFFFFFFFFFFFFFFF)  # the key of a number that no state has
AHEAD = 16  # how many accesses ahead a cache line is fetched


@entry
def order_new(keys, count, starts, order):
    """Sort new states by their keys into `order`: how many there are; -1 if they are in order already, without gaps.

    `starts` has one number for each state of the block, and one more.
    """
    ordered = True
    for i in range(count):
        if keys[i] == NOT_USED or (i > 0 and keys[i] < keys[i - 1]):
            ordered = False
            break
    if ordered:
        return np.int64(-1)
    starts[:] = 0
    for i in range(count):
        if keys[i] != NOT_USED:
            starts[np.int64(keys[i] >> np.uint64(NUMBER_BITS)) + 1] += 1
    sources = len(starts) - 1
    for i in range(sources):
        starts[i + 1] += starts[i]
    total = np.int64(starts[sources])
    for i in range(count):
        if keys[i] != NOT_USED:
            source = np.int64(keys[i] >> np.uint64(NUMBER_BITS))
            order[starts[source]] = i
            starts[source] += 1  # in the end: where the next one begins
    first = np.int64(0)
    for parent in range(sources):
        last = np.int64(starts[parent])
        for i in range(first + 1, last):  # few: the successors of one state
            one = order[i]
            at = i
            while at > first and keys[order[at - 1]] > keys[one]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = one
        first = last
    return total


@entry
def number_new(table, new_keys, new_slots, new_states, new_asleep, order, first, last, base, keys, states, asleep):
    """Give the new states at these positions of the order their numbers, and copy what is kept of them."""
    words = len(states) // len(keys)
    for rank in range(first, last):
        if rank + AHEAD < last:
            prefetch(table, new_slots[order[rank + AHEAD]] * words + words - 1)
        new = order[rank]
        at = new_slots[new] * words + words - 1
        table[at] = (table[at] & ~np.uint64(NUMBER_MASK)) | np.uint64(base + rank + 1)
        keys[rank] = new_keys[new]
        if len(asleep) > 0:
            asleep[rank] = new_asleep[new]
        for k in range(words):
            states[rank * words + k] = new_states[new * words + k]


@entry
def flag_states(t, word, shift, mask, states, first, last, flags, missing):
    """The flags of states; how many places were never expanded: (component, place) keys in `missing`.

    Stops at the end of `missing`; then the caller fills and asks again.
    """
    components, words = len(t.place_count), len(states) // len(flags)
    count = 0
    for i in range(first, last):
        bits = 0
        for c in range(components):
            place = np.int64((states[i * words + word[c]] >> shift[c]) & mask[c])
            row = t.first_place[c] + place
            if t.place_info[row, MOVE] < 0:
                if count == len(missing):
                    return count
                missing[count] = np.int64(c) << 32 | place
                count += 1
            bits |= t.place_info[row, FLAGS]
        flags[i] = bits
    return count


@entry
def find_new_rows(
    word, shift, mask, states, words, position, flags, unwanted, reporting, columns, seen, index, n, found
):  # fmt: skip
    """The states from `position` on with a combination of values in the columns that is not in `seen` yet.

    Only states without the unwanted flags count and, if there is something in `reporting`, those whose value in the
    first column is reporting. Their positions go to `found`: (how many, position to go on from).
    """
    count, width, many = len(states) // words, len(columns), 0
    for i in range(position, count):
        if unwanted != 0 and flags[i] & unwanted != 0:
            continue
        if 2 * n[0] + 2 >= len(index) or n[0] >= len(seen) or many >= len(found):
            return many, i
        for k in range(width):
            c = columns[k]
            seen[n[0], k] = (states[i * words + word[c]] >> shift[c]) & mask[c]
        if len(reporting) > 0 and not reporting[seen[n[0], 0]]:
            continue
        p = find_row(index, seen, seen, n[0], width)
        if index[p] == 0:
            n[0] += 1
            index[p] = n[0]
            found[many] = i
            many += 1
    return many, count


@entry
def home(words, at, count, slots):
    """The first slot where a state may be: that of a cache line."""
    return line_of(hash_words(words, at, count), line_count(slots, count)) * line_slots(count)


@entry
def find_state(table, words, slots, state):
    """The slot of a state, or -1."""
    slot = home(state, 0, words, slots)
    while slot < slots + BEYOND and table[slot * words] != 0:
        same = True
        for k in range(words):
            known = table[slot * words + k]
            if k == words - 1:
                known &= ~np.uint64(NUMBER_MASK)
            if known != state[k]:
                same = False
                break
        if same:
            return slot
        slot += 1
    return np.int64(-1)


@inner
def repack(source, at, old_word, old_shift, old_mask, target, to, words, word, shift):
    """Write a state with the fields of another layout."""
    for k in range(words):
        target[to + k] = np.uint64(1) << np.uint64(63)
    for column in range(len(word)):
        value = (source[at + old_word[column]] >> old_shift[column]) & old_mask[column]
        target[to + word[column]] |= value << shift[column]


@entry
def repack_states(source, old_words, old_word, old_shift, old_mask, target, words, word, shift):
    """Write states with the fields of another layout."""
    for i in range(len(source) // old_words):
        repack(source, i * old_words, old_word, old_shift, old_mask, target, i * words, words, word, shift)


@entry
def spread_states(source, table, words, slots, first, last, state):
    """Move the states in these slots of a visited table to a table with more slots; several threads may do so.

    The other table may be the same one, where the slots that are moved to are behind all that are being moved: both
    are gone through in order. `state` is room for one state. False if a state is too far from its first choice.
    """
    for at in range(first * words, last * words, words):
        if source[at] == 0:
            continue
        for k in range(words):
            state[k] = source[at + k]
            source[at + k] = 0
        number = state[words - 1] & np.uint64(NUMBER_MASK)
        state[words - 1] ^= number
        slot = home(state, 0, words, slots)
        state[words - 1] ^= number
        if not put_state(table, words, state, 0, slot):
            return False
    return True


@entry
def move_states(
    source, old_words, old_word, old_shift, old_mask, table, words, slots, word, shift, first, last, waiting, homes
):  # fmt: skip
    """Enter the states at these positions, which have another layout, in a table; several threads may do so.

    `waiting` and `homes` are room for some states and their slots: they may be anywhere in the table. False if a state
    is too far from its first choice: some occur twice.
    """
    count = 0
    for position in range(first, last):
        at = position * old_words
        if source[at] == 0:
            continue
        to = count * words
        repack(source, at, old_word, old_shift, old_mask, waiting, to, words, word, shift)
        homes[count] = home(waiting, to, words, slots)
        prefetch(table, homes[count] * words)
        waiting[to + words - 1] |= source[at + old_words - 1] & np.uint64(NUMBER_MASK)
        count += 1
        if count == len(homes):
            if not put_states(table, words, waiting, homes, count):
                return False
            count = 0
    return put_states(table, words, waiting, homes, count)


@inner
def put_states(table, words, waiting, homes, count):
    """Enter states that the table does not have; False if one is too far from its first choice."""
    done = True
    for i in range(count):
        done = done and put_state(table, words, waiting, i * words, homes[i])
    return done


@inner
def put_state(table, words, states, at, slot):
    """Enter a state that the table does not have, from its first choice on; False if there is no room near it."""
    end = slot + BEYOND
    while compare_and_swap(table, slot * words, np.uint64(0), states[at]) != 0:
        slot += 1
        if slot == end:
            return False
    for k in range(1, words):
        table[slot * words + k] = states[at + k]
    return True


@entry
def have_numbers(table, words, slots, states, first, last):
    """Whether the table has these states with their positions as their numbers; one that occurs twice has another."""
    for number in range(first, last):
        slot = find_state(table, words, slots, states[number * words : (number + 1) * words])
        if slot < 0 or np.int64(table[(slot + 1) * words - 1] & np.uint64(NUMBER_MASK)) != number + 1:
            return False
    return True


@entry
def find_slots(table, words, slots, keys, states, count, found):
    """Find the slots of new states again after the table moved."""
    for new in range(count):
        if keys[new] != NOT_USED:
            found[new] = find_state(table, words, slots, states[new * words : (new + 1) * words])


@entry
def gather_states(table, words, count, states):
    """Write the states with numbers below `count` in the order of their numbers, without these."""
    for at in range(0, len(table), words):
        if table[at] != 0:
            number = np.int64(table[at + words - 1] & np.uint64(NUMBER_MASK)) - 1
            if number < count:
                for k in range(words):
                    states[number * words + k] = table[at + k]
                states[number * words + words - 1] &= ~np.uint64(NUMBER_MASK)
