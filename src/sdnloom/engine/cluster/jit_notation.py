"""Compiled spelling of places in numbers that all processes agree on, and the other way round.

A spelled place is its core and then, for each channel, the length of a plain queue and its messages, or the number of
the content in the tables.
"""

import numpy as np

from sdnloom.engine.kernel.jit_memo import FULL, LAST, PARENT, intern_place, push_fifo
from sdnloom.engine.kernel.jit_options import entry, inner

_MARK = np.uint64(1 << 63)  # of each word of a state, see kernel/layout.py


@inner
def put(spelled, at, number):
    if at < len(spelled):
        spelled[at] = number
    return at + 1


@inner
def pushed(t, content, message):
    return push_fifo(t, content, message)


@entry
def list_values(word, shift, mask, states, words, column, marks, values, rows):
    """The different values of a column in some states, and the place of each state's value among them; how many.

    `marks` is -1 for every value, before and afterwards.
    """
    count = np.int64(0)
    for i in range(len(rows)):
        value = np.int64((states[i * words + word[column]] >> shift[column]) & mask[column])
        if marks[value] < 0:
            marks[value] = count
            values[count] = value
            count += 1
        rows[i, column] = marks[value]
    for i in range(count):
        marks[values[i]] = -1
    return count


@entry
def spell_places(t, component, slots, values, spelled):
    """Write the places of a component; how many numbers that takes. It may be more than there is room for."""
    at = np.int64(0)
    for i in range(len(values)):
        row = t.first_place[component] + values[i]
        at = put(spelled, at, t.places[row, 1])
        for slot in range(slots):
            content = np.int64(t.places[row, 2 + slot])
            if not t.slot_fifo[component, slot]:
                at = put(spelled, at, t.contents[content, LAST])
                continue
            length = np.int64(0)
            one = content
            while t.contents[one, PARENT] >= 0:
                length += 1
                one = np.int64(t.contents[one, PARENT])
            at = put(spelled, at, length)
            at += length
            behind = at
            while t.contents[content, PARENT] >= 0:
                behind -= 1
                put(spelled, behind, t.contents[content, LAST])
                content = np.int64(t.contents[content, PARENT])
    return at


@entry
def intern_spelled(t, component, slots, spelled, at, empty, contents, starts, row, values, done):
    """Number spelled places of a component from `done` on: (how many are done, position in `spelled`).

    It ends early where room runs out. `empty` has the kernel's numbers of empty queues by slot; `contents[starts[slot]
    + number]` is the kernel's number of a content in the tables.
    """
    while done < len(values):
        row[0, :] = 0
        row[0, 0] = component
        row[0, 1] = spelled[at]
        end = at + 1
        for slot in range(slots):
            number = spelled[end]
            end += 1
            if not t.slot_fifo[component, slot]:
                row[0, 2 + slot] = contents[starts[slot] + number]
                continue
            content = np.int64(empty[slot])
            for message in range(end, end + number):
                content = pushed(t, content, np.int64(spelled[message]))
                if content < 0:
                    return done, at
            end += number
            row[0, 2 + slot] = content
        value = intern_place(t, row, np.int64(0))
        if value == FULL:
            return done, at
        values[done] = value
        done += 1
        at = end
    return done, at


@entry
def pack_rows(rows, values, starts, word, shift, words, states):
    """The words of states; `values[starts[column] + place]` is the value of a column."""
    for i in range(len(rows)):
        for k in range(words):
            states[i * words + k] = _MARK
        for column in range(rows.shape[1]):
            value = np.uint64(values[starts[column] + rows[i, column]])
            states[i * words + word[column]] |= value << shift[column]
