"""Compiled 128-bit keys of states, and hash sets of them.

A key is made from what all processes agree on: numbers of cores, messages and memories, and the messages in queues.
Each value of a column has a digest of two words; the key of a state is their sum, as in Zobrist hashing.
"""

import numpy as np

from sdnloom.engine.kernel.atomics import prefetch
from sdnloom.engine.kernel.jit_memo import LAST, PARENT, mix
from sdnloom.engine.kernel.jit_options import entry, inner

_TOGETHER = 256  # keys that are looked up together, so that fetching one does not wait for another
_WORDS_IN_LINE = 8  # of a cache line
_ONE, _OTHER = np.uint64(0xA0761D6478BD642F), np.uint64(0xE7037ED1A0B428DB)
_LOW = np.uint64(0xFFFFFFFF)


@inner
def digest_one(before, number):
    """The first word of a digest after one more number."""
    return mix((before ^ np.uint64(0x8EBC6AF09C88C6E3)) * np.uint64(0x589965CC75374CC3) + mix(number + _ONE))


@inner
def digest_other(before, number):
    """The second word of a digest after one more number."""
    return mix((before + np.uint64(0x1D8E4E27C47D124F)) * np.uint64(0xEB44ACCAB455D165) ^ mix(number ^ _OTHER))


@entry
def digest_contents(contents, first, last, digests):
    """The digests of contents: of the messages in a plain queue, in order, or of the number in the tables."""
    for i in range(first, last):
        parent, number = contents[i, PARENT], np.uint64(contents[i, LAST])
        one, other = np.uint64(0), np.uint64(1)
        if parent >= 0:
            one, other = digests[parent, 0], digests[parent, 1]
        digests[i, 0] = digest_one(one, number)
        digests[i, 1] = digest_other(other, number)


@entry
def digest_places(places, row, count, slots, contents, digests, to):
    """The digests of some places of a component, written from `to` on."""
    for i in range(count):
        one = digest_one(np.uint64(places[row + i, 0]), np.uint64(places[row + i, 1]))
        other = digest_other(np.uint64(places[row + i, 0]), np.uint64(places[row + i, 1]))
        for slot in range(slots):
            content = places[row + i, 2 + slot]
            one = digest_one(one, contents[content, 0])
            other = digest_other(other, contents[content, 1])
        digests[to + i, 0] = one
        digests[to + i, 1] = other


@entry
def digest_numbers(column, first, last, digests, to):
    """The digests of numbers that all processes agree on, of memories in a column; `to` is that of number 0."""
    for number in range(first, last):
        digests[to + number, 0] = digest_one(np.uint64(column) << np.uint64(40), np.uint64(number))
        digests[to + number, 1] = digest_other(np.uint64(column) << np.uint64(40), np.uint64(number))


@entry
def key_states(word, shift, mask, states, words, firsts, digests, keys):
    """The keys of states; no key is 0."""
    for i in range(len(keys)):
        one, other = np.uint64(0), np.uint64(0)
        for column in range(len(word)):
            value = (states[np.uint64(i * words + word[column])] >> shift[column]) & mask[column]
            at = np.uint64(firsts[column]) + value
            one += digests[at, 0]
            other += digests[at, 1]
        if one == 0 and other == 0:
            other = np.uint64(1)
        keys[i, 0] = one
        keys[i, 1] = other


@entry
def share_keys(keys, owners, of, counts):
    """To whom of so many each key belongs; how many belong to each."""
    counts[:] = 0
    for i in range(len(keys)):
        owner = np.int64((keys[i, 0] >> np.uint64(32)) * np.uint64(owners) >> np.uint64(32))
        of[i] = owner
        counts[owner] += 1


@entry
def sort_keys(keys, of, starts, sorted_keys):
    """The keys of one owner after those of another, each in their order; `starts` has where an owner's begin."""
    for i in range(len(keys)):
        at = starts[of[i]]
        starts[of[i]] = at + 1
        sorted_keys[at, 0] = keys[i, 0]
        sorted_keys[at, 1] = keys[i, 1]


@entry
def answers_in_order(of, starts, answers, first):
    """The owners' answers, one after the other, in the order of the keys."""
    for i in range(len(of)):
        at = starts[of[i]]
        starts[of[i]] = at + 1
        first[i] = answers[at]


@inner
def first_choice(other, slots):
    """The slot where a key is looked for first; it grows with the second word."""
    return np.int64((other >> np.uint64(32)) * np.uint64(slots) >> np.uint64(32))


@inner
def slot_of(table, slots, one, other):
    """The slot of a key in a set, or the empty one where it belongs."""
    slot = first_choice(other, slots)
    while True:
        at = np.uint64(2 * slot)
        if table[at] == one and table[at + np.uint64(1)] == other:
            return slot
        if table[at] == 0 and table[at + np.uint64(1)] == 0:
            return slot
        slot += 1
        if slot == slots:
            slot = np.int64(0)


@entry
def claim_keys(table, slots, keys, part, parts, first):
    """Enter the keys of a part in its set; which of them were not in it. Returns how many."""
    count = 0
    for i in range(len(keys)):
        if i % _TOGETHER == 0:
            for ahead in range(i, min(i + _TOGETHER, len(keys))):
                at = 2 * first_choice(keys[ahead, 1], slots)
                prefetch(table, at)
                prefetch(table, min(at + _WORDS_IN_LINE, 2 * slots - 1))
        one, other = keys[i, 0], keys[i, 1]
        if parts > 1 and np.int64((other & _LOW) % np.uint64(parts)) != part:
            continue
        slot = slot_of(table, slots, one, other)
        first[i] = 0
        if table[2 * slot] == 0 and table[2 * slot + 1] == 0:
            table[2 * slot] = one
            table[2 * slot + 1] = other
            first[i] = 1
            count += 1
    return count


@entry
def move_keys(old, table, slots):
    """Enter the keys of a set in a larger one."""
    for i in range(len(old) // 2):
        if old[2 * i] != 0 or old[2 * i + 1] != 0:
            slot = slot_of(table, slots, old[2 * i], old[2 * i + 1])
            table[2 * slot] = old[2 * i]
            table[2 * slot + 1] = old[2 * i + 1]


@entry
def list_keys(table, keys, count):
    """Write the keys of a set after those that are there; how many there are then."""
    for i in range(len(table) // 2):
        if table[2 * i] != 0 or table[2 * i + 1] != 0:
            keys[count, 0] = table[2 * i]
            keys[count, 1] = table[2 * i + 1]
            count += 1
    return count
