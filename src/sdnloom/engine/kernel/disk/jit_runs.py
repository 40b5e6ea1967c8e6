"""Compiled work on sorted runs: packed states in the order of their hashes, with a number in the low half of each."""

import numpy as np

from sdnloom.engine.kernel.jit_expand import NUMBER_MASK
from sdnloom.engine.kernel.jit_memo import mix
from sdnloom.engine.kernel.jit_options import entry, inner


@inner
def hash_state(states, at, words):
    """The hash of a state without its number; that of `hash_words` for a state that has none."""
    h = np.uint64(0)
    for k in range(words - 1):
        h = mix(h + states[at + k])
    return mix(h + (states[at + words - 1] & ~np.uint64(NUMBER_MASK)))


@inner
def compare_states(one, at, other, to, words):
    """-1, 0 or 1: the order of two states with equal hashes."""
    for k in range(words):
        a, b = one[at + k], other[to + k]
        if k == words - 1:
            a &= ~np.uint64(NUMBER_MASK)
            b &= ~np.uint64(NUMBER_MASK)
        if a != b:
            return -1 if a < b else 1
    return 0


@entry
def hash_states(states, words, hashes):
    """The hashes of states."""
    for i in range(len(hashes)):
        hashes[i] = hash_state(states, i * words, words)


@entry
def sort_slots(table, words, slot, last, target, hashes):
    """Copy the states in the slots of a table, from `slot` on, in the order of their hashes.

    States are sorted within neighbours without an empty slot between them, which suffices: slots grow with hashes.
    How many were copied, and the slot to go on from, which is `slot` if there is no room for the first neighbours.
    """
    count = 0
    while slot < last:
        if table[slot * words] == 0:
            slot += 1
            continue
        end = slot
        while end < last and table[end * words] != 0:
            end += 1
        if count + end - slot > len(hashes):
            break
        first = count
        for s in range(slot, end):
            h = hash_state(table, s * words, words)
            at = count
            while at > first and (
                hashes[at - 1] > h
                or (hashes[at - 1] == h and compare_states(target, (at - 1) * words, table, s * words, words) > 0)
            ):
                hashes[at] = hashes[at - 1]
                for k in range(words):
                    target[at * words + k] = target[(at - 1) * words + k]
                at -= 1
            hashes[at] = h
            for k in range(words):
                target[at * words + k] = table[s * words + k]
            count += 1
        slot = end
    return count, slot


@entry
def mark_old(states, hashes, first, last, run, count, words, old):
    """Set the numbers + 1 in `old` of those sorted states from `first` to `last` that are in a part of a run."""
    i = first
    for j in range(count):
        if i == last:
            break
        h = hash_state(run, j * words, words)
        while i < last and hashes[i] < h:
            i += 1
        k = i
        while k < last and hashes[k] == h:
            if compare_states(states, k * words, run, j * words, words) == 0:
                old[k] = run[j * words + words - 1] & np.uint64(NUMBER_MASK)
            k += 1


@entry
def merge_runs(buffers, words, room, positions, ends, complete, heads, target, most):
    """Merge parts of runs, of which each has `room` words in `buffers`; of equal states only the first run's is kept.

    How many states were written. Stops when `most` are, or at the end of a part of a run that has more.
    """
    runs = len(positions)
    for r in range(runs):
        if positions[r] < ends[r]:
            heads[r] = hash_state(buffers, r * room + positions[r] * words, words)
    count = 0
    while count < most:
        least = -1
        for r in range(runs):
            if positions[r] == ends[r]:
                if not complete[r]:
                    return count
                continue
            if least < 0 or heads[r] < heads[least]:
                least = r
            elif heads[r] == heads[least]:
                at, to = r * room + positions[r] * words, least * room + positions[least] * words
                order = compare_states(buffers, at, buffers, to, words)
                if order == 0:  # found again later
                    positions[r] += 1
                    if positions[r] < ends[r]:
                        heads[r] = hash_state(buffers, r * room + positions[r] * words, words)
                    elif not complete[r]:
                        return count
                elif order < 0:
                    least = r
        if least < 0:
            return count
        at = least * room + positions[least] * words
        for k in range(words):
            target[count * words + k] = buffers[at + k]
        count += 1
        positions[least] += 1
        if positions[least] < ends[least]:
            heads[least] = hash_state(buffers, least * room + positions[least] * words, words)
    return count


@entry
def keep_new(states, words, old, new):
    """Move the states that are not old to the front, and note their numbers in the bits of `new`; how many they are."""
    count = 0
    for i in range(len(old)):
        if old[i] == 0:
            number = states[i * words + words - 1] & np.uint64(NUMBER_MASK)
            new[number >> np.uint64(6)] |= np.uint64(1) << (number & np.uint64(63))
            for k in range(words):
                states[count * words + k] = states[i * words + k]
            count += 1
    return count


@inner
def ones(bits):
    """How many bits are set."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@entry
def count_new(new, before):
    """How many bits are set before each word of `new`; all that are set."""
    total = np.int64(0)
    for i in range(len(new)):
        before[i] = total
        total += ones(new[i])
    return total


@entry
def number_states(states, words, count, new, before, first):
    """Replace the number of each state by its rank among the bits of `new`, from `first` on."""
    for i in range(count):
        at = i * words + words - 1
        number = states[at] & np.uint64(NUMBER_MASK)
        word = np.int64(number >> np.uint64(6))
        below = (np.uint64(1) << (number & np.uint64(63))) - np.uint64(1)
        rank = np.int64(before[word]) + ones(new[word] & below)
        states[at] = (states[at] & ~np.uint64(NUMBER_MASK)) | np.uint64(first + rank)


@entry
def pick_new(new, first, states, words, picked, chosen):
    """Copy the states whose bits are set, the first one's bit being `first`: how many, with their positions."""
    count = 0
    for i in range(len(states) // words):
        number = np.uint64(first + i)
        if (new[number >> np.uint64(6)] >> (number & np.uint64(63))) & np.uint64(1) != 0:
            for k in range(words):
                picked[count * words + k] = states[i * words + k]
            chosen[count] = i
            count += 1
    return count
