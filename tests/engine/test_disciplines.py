"""Each discipline as a queue, and its laws on random contents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.engine.disciplines import Bag, BarrierBag, Fifo, Lossy, Ports, Reorder, message_parts
from sdnloom.engine.model import DROP, DUPLICATE, NO_FAULT, Channel, ModelError, overtake
from sdnloom.engine.reduction.laws import check_discipline, check_senders

LETTERS = st.sampled_from("abc")
SENDERS = ("X", "Y")


def barrier(message):
    return message == "a"


DISCIPLINES = {
    "fifo": Fifo(),
    "bag": Bag(),
    "lossy": Lossy(2, 1),
    "lossy bag": Lossy(1, 2, Bag()),
    "lossy ports": Lossy(1, 1, Ports((("X", "X"), ("Y", "Y")))),
    "reorder": Reorder(2),
    "lossy reorder": Lossy(1, 1, Reorder(1)),
    "ports": Ports(),
    "declared ports": Ports((("X", "X"), ("Y", "Y"))),
    "half declared ports": Ports((("X", "X"),)),
    "barriers": BarrierBag(barrier),
    "lossy barriers": Lossy(1, 0, BarrierBag(barrier)),
}


def message_for(name, sender, letter):
    """Ports wants (port, payload), and different senders use different ports."""
    return (sender, letter) if "ports" in name else letter


@st.composite
def contents(draw, name):
    """A content that some pushes and takes may lead to."""
    discipline = DISCIPLINES[name]
    content = discipline.empty
    for sender, letter in draw(st.lists(st.tuples(st.sampled_from(SENDERS), LETTERS), max_size=6)):
        content = draw(st.sampled_from(discipline.push(content, message_for(name, sender, letter))))[1]
        offers = discipline.take(content)
        if offers and draw(st.integers(0, 3)) == 0:
            content = draw(st.sampled_from(offers))[2]
    return content


@pytest.mark.slow
@pytest.mark.parametrize("name", DISCIPLINES)
@given(data=st.data())
def test_the_laws_hold(name, data):
    content = data.draw(contents(name))
    channel = Channel("c", "R", DISCIPLINES[name])
    one, other = (message_for(name, sender, data.draw(LETTERS)) for sender in SENDERS)
    check_discipline(channel, content, one, "X")
    check_discipline(channel, content, other, "Y")
    check_senders(channel, content, one, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", DISCIPLINES)
@given(data=st.data())
def test_many_pushes_of_an_undisturbing_sender_leave_what_is_offered(name, data):
    # The law says "however many", and the check looks at one push: whoever disturbs nothing must go on doing so.
    discipline = DISCIPLINES[name]
    content = data.draw(contents(name))
    if not discipline.take(content):
        return
    before = discipline.undisturbed(content)
    for sender in SENDERS if before is None else sorted(before & set(SENDERS)):
        for _, after in discipline.push(content, message_for(name, sender, data.draw(LETTERS))):
            later = discipline.undisturbed(after)
            assert later is None or sender in later
            offers = [(label, taken) for label, taken, _ in discipline.take(content)]
            assert offers == [(label, taken) for label, taken, _ in discipline.take(after)]


@pytest.mark.slow
@pytest.mark.parametrize("name", DISCIPLINES)
@given(data=st.data())
def test_what_is_offered_is_distinct_and_nothing_is_offered_by_an_empty_channel(name, data):
    discipline = DISCIPLINES[name]
    assert discipline.take(discipline.empty) == ()
    offers = discipline.take(data.draw(contents(name)))
    assert len(set(offers)) == len(offers)


def all_taken(discipline, content):
    """Every sequence of messages that can be received until nothing is left."""
    offers = discipline.take(content)
    if not offers:
        return {()}
    return {(message, *later) for _, message, rest in offers for later in all_taken(discipline, rest)}


def sent(discipline, messages):
    """Every content after these pushes."""
    reached = {discipline.empty}
    for message in messages:
        reached = {after for content in reached for _, after in discipline.push(content, message)}
    return reached


def received(discipline, messages):
    return {taken for content in sent(discipline, messages) for taken in all_taken(discipline, content)}


def test_a_fifo_keeps_order():
    assert received(Fifo(), "abca") == {tuple("abca")}


def test_a_bag_gives_every_order_once():
    assert received(Bag(), "aab") == {tuple("aab"), tuple("aba"), tuple("baa")}
    assert [message for _, message, _ in Bag().take(next(iter(sent(Bag(), "cab"))))] == ["a", "b", "c"]


def test_a_lossy_channel_drops_and_duplicates_within_its_budgets():
    assert received(Lossy(drop=1), "ab") == {("a", "b"), ("a",), ("b",)}
    assert received(Lossy(duplicate=1), "ab") == {("a", "b"), ("a", "a", "b"), ("a", "b", "b")}
    both = received(Lossy(drop=1, duplicate=1), "ab")
    assert both == {tuple(text) for text in ("ab", "a", "b", "aab", "abb", "aa", "bb")}
    assert [fault for fault, _ in Lossy(1, 1).push(Lossy(1, 1).empty, "x")] == [NO_FAULT, DROP, DUPLICATE]


def test_a_reordering_channel_lets_messages_overtake_within_its_budget():
    assert received(Reorder(1), "abc") == {tuple(text) for text in ("abc", "bac", "cab", "acb")}
    assert received(Reorder(0), "abc") == {("a", "b", "c")}
    assert [fault for fault, _, _ in Reorder(1).take((("a", "b", "b"), 1))] == [NO_FAULT, overtake(1)]


def test_ports_gives_the_heads_of_all_ports_at_once():
    messages = [(1, "a"), (0, "b"), (1, "c")]
    assert received(Ports(), messages) == {(((0, "b"), (1, "a")), ((1, "c"),))}


def test_a_barrier_is_received_after_all_before_it_and_before_all_that_follow():
    bag = BarrierBag(barrier)
    assert received(bag, "bcabc") == {
        (*first, "a", *second) for first in (("b", "c"), ("c", "b")) for second in (("b", "c"), ("c", "b"))
    }
    assert received(bag, "aba") == {("a", "b", "a")}


@given(st.lists(st.tuples(LETTERS, st.integers(0, 2)), max_size=6))
def test_without_barriers_a_barrier_bag_is_a_bag(messages):
    assert received(BarrierBag(lambda message: False), messages[:4]) == received(Bag(), messages[:4])


@given(st.permutations([(port, number) for port in "xyz" for number in range(2)]))
def test_ports_are_independent_queues(messages):
    per_port = {port: [message for message in messages if message[0] == port] for port in "xyz"}
    interleaved = [message for queue in per_port.values() for message in queue]
    assert sent(Ports(), messages) == sent(Ports(), interleaved)


def test_a_message_that_is_no_port_and_payload_is_an_error():
    for message in ("x", ("x",), (1, 2, 3), 7):
        with pytest.raises(ModelError, match=r"must be \(port, payload\)"):
            Ports().push((), message)


def test_undisturbed_senders_of_ports_are_those_whose_ports_are_all_busy():
    ports = Ports((("X", 0), ("Y", 1), ("Y", 2)))
    assert ports.undisturbed(((0, ("a",)),)) == frozenset({"X"})
    assert ports.undisturbed(((1, ("a",)),)) == frozenset()
    assert ports.undisturbed(((1, ("a",)), (2, ("b",)))) == frozenset({"Y"})


def test_what_was_received_at_once_is_known_by_its_parts():
    assert message_parts(((0, "a"), (1, "b")), [(1, "b"), (0, "a")]) == ((0, "a"), (1, "b"))
    assert message_parts((0, "a"), [(0, "a")]) == ((0, "a"),)
    assert message_parts("x", []) == ("x",)


def test_faults_that_happen_together_add_up():
    both = DUPLICATE + overtake(2, " at 3")
    assert (both.text, both.copies, both.overtakes) == ("duplicate+overtake 2 at 3", 2, 2)
    assert (DROP.copies, NO_FAULT.copies) == (0, 1)
    assert NO_FAULT + DROP + NO_FAULT == DROP
    assert not NO_FAULT
    assert overtake(0) == NO_FAULT
