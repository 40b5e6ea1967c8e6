"""The visited table, its layouts and the order of new states, beside dictionaries and sorting."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.engine.kernel import jit_order, visited_states
from sdnloom.engine.kernel.layout import Layout
from sdnloom.engine.kernel.states import States
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import Visited
from sdnloom.errors import SdnloomError

COUNTS = st.lists(st.integers(1, 1 << 31), min_size=1, max_size=40)


@given(COUNTS, st.randoms(use_true_random=False))
def test_a_layout_keeps_every_value_that_it_has_room_for(counts, rng) -> None:
    layout = Layout(counts)
    values = [rng.randrange(count) for count in counts]
    assert layout.holds(counts)
    words = layout.pack(values)
    assert all(word >> 63 for word in words.tolist())
    assert not int(words[-1]) & 0xFFFFFFFF  # the room of the number
    assert layout.unpack(words)[0].tolist() == values


@given(COUNTS, st.data())
def test_another_layout_holds_the_same_values(counts, data) -> None:
    narrow, wide = Layout(counts), Layout([min(1 << 31, 3 * count) for count in counts])
    values = [data.draw(st.integers(0, count - 1)) for count in counts]
    moved = States(0, narrow, narrow.pack(values)).to(wide)
    assert moved.values(0).tolist() == values
    assert moved.words.tolist() == wide.pack(values).tolist()


def test_a_layout_refuses_more_places_than_it_can_number() -> None:
    with pytest.raises(SdnloomError, match="more than 2,147,483,648 different places of one component"):
        Layout([(1 << 31) + 1])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("reserving", [True, False])
def test_a_table_that_grows_in_place_or_moves_keeps_every_state(monkeypatch, threads, reserving) -> None:
    monkeypatch.setattr(visited_states, "_SMALL", 1 << 13)
    monkeypatch.setattr(visited_states, "_PART", 1 << 7)
    if not reserving:
        monkeypatch.setattr(visited_states, "area_for", lambda needed: None)
    counts, team, rng = [900, 900, 900], Team(threads), random.Random(7)
    visited = Visited(Layout(counts), team)
    known: dict[tuple[int, ...], int] = {}
    try:
        while len(known) < 40_000:
            values = tuple(rng.randrange(count) for count in counts)
            assert visited.number_of(visited.layout.pack(values)) == known.get(values, -1)
            if values not in known:
                if len(known) == 15_000:
                    counts = [900, 70_000, 900]  # a field outgrows its room
                if visited.room <= len(known) or not visited.layout.holds(counts):
                    visited.rebuild(counts, len(known) + 1)
                known[values] = len(known)
                visited.add(visited.layout.pack(values), known[values])
    finally:
        team.close()
    assert visited.slots > 1 << 13
    assert all(visited.number_of(visited.layout.pack(values)) == number for values, number in known.items())
    assert np.count_nonzero(visited.table[:: visited.layout.words]) == len(known)


def test_a_state_that_finds_no_slot_is_a_defect_and_not_lost(monkeypatch) -> None:
    visited = Visited(Layout([900]), Team(1))
    visited.add(visited.layout.pack([7]), 0)
    monkeypatch.setattr(jit_order, "move_states", lambda *arguments: False)
    with pytest.raises(AssertionError, match="slots from its first choice"):
        visited.rebuild([900], 2 * visited.room)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True), st.integers(0, 5))
def test_new_states_are_sorted_by_parent_and_transition(found, gaps) -> None:
    keys = [parent << 32 | ordinal for parent, ordinal in found] + [int(jit_order.NOT_USED)] * gaps
    random.Random(len(keys)).shuffle(keys)
    order = np.full(len(keys), -1, np.int64)
    total = jit_order.order_new(np.array(keys, np.uint64), len(keys), np.zeros(11, np.int64), order)
    expected = sorted(key for key in keys if key != jit_order.NOT_USED)
    if total < 0:
        assert keys == expected
    else:
        assert [keys[position] for position in order[:total]] == expected
