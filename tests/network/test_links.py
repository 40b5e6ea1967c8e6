"""Links with faults: the discipline agrees with those of the engine, and budgets bound the faults of a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.engine.disciplines import Lossy, Ports, Reorder
from sdnloom.engine.model import Channel, ModelError
from sdnloom.engine.reduction.laws import check_discipline, check_senders
from sdnloom.engine.result import Holds, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.network.build import build
from sdnloom.network.events import Received
from sdnloom.network.hosts import Client, Host
from sdnloom.network.links import FaultyPorts
from sdnloom.network.network import LinkFaults, Network
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.topology import custom
from tests.network.programs import hub, learning
from tests.network.state_space import explore

LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])
budgets = st.integers(0, 2)
faults = st.builds(LinkFaults, drop=budgets, duplicate=budgets, reorder=budgets)


@pytest.mark.slow
@given(faults, st.lists(st.one_of(st.none(), st.sampled_from("ab")), max_size=5))
def test_one_port_behaves_like_the_engines_lossy_and_reordering_queue(given_faults, script):
    """Run operations on both disciplines and follow all alternatives: None takes, a letter is sent."""
    ours = FaultyPorts(((1, given_faults),))
    theirs = Lossy(given_faults.drop, given_faults.duplicate, Reorder(given_faults.reorder))
    mine, reference = {(ours.empty, ())}, {(theirs.empty, ())}
    for item in script:
        mine = {step for content, seen in mine for step in _ours(ours, content, seen, item)}
        reference = {step for content, seen in reference for step in _theirs(theirs, content, seen, item)}
        assert {seen for _, seen in mine} == {seen for _, seen in reference}
        assert len(mine) == len(reference)


def _ours(discipline, content, seen, item):
    if item is not None:
        return [(after, (*seen, fault.text)) for fault, after in discipline.push(content, (1, item))]
    return [
        (rest, (*seen, fault.text.removesuffix(" at 1"), heads[0][1]))
        for fault, heads, rest in discipline.take(content)
    ] or [(content, seen)]


def _theirs(discipline, content, seen, item):
    if item is not None:
        return [(after, (*seen, fault.text)) for fault, after in discipline.push(content, item)]
    return [(rest, (*seen, fault.text, head)) for fault, head, rest in discipline.take(content)] or [(content, seen)]


@given(st.lists(st.tuples(st.sampled_from([1, 2, 7]), st.sampled_from("ab")), max_size=8), st.integers(0, 3))
def test_without_faults_it_is_ports(sent, taken):
    ours, theirs = FaultyPorts(()), Ports()
    mine, reference = ours.empty, theirs.empty
    for message in sent:
        ((_, mine),) = ours.push(mine, message)
        ((_, reference),) = theirs.push(reference, message)
    for _ in range(taken):
        left, right = ours.take(mine), theirs.take(reference)
        assert [offer[:2] for offer in left] == [offer[:2] for offer in right]
        if left:
            mine, reference = left[0][2], right[0][2]
    assert [(row.port, row.queue) for row in mine] == list(reference)


@given(
    st.dictionaries(st.sampled_from([1, 2]), faults),
    st.lists(st.tuples(st.sampled_from([1, 2]), st.just("a")), max_size=4),
)
def test_the_laws_of_disciplines_hold(given_faults, sent):
    discipline = FaultyPorts(tuple(given_faults.items()), (("x", 1), ("y", 2)))
    channel = Channel("c", "c", discipline)
    contents = {discipline.empty}
    for message in sent:
        contents = {after for content in contents for _, after in discipline.push(content, message)}
    for content in sorted(contents, key=repr):
        for sender, port in discipline.senders:
            check_discipline(channel, content, (port, "b"), sender)
        check_senders(channel, content, (1, "b"), (2, "c"))


def test_a_message_without_a_port_is_refused():
    with pytest.raises(ModelError, match="must be \\(port, payload\\)"):
        FaultyPorts(()).push((), "packet")


def deliveries(link, given_faults, sends=2, topology=LINE):
    """The sequences of packets that B may have received at the end."""
    network = Network(
        topology, (Client("A", to=("B",), sends=sends), Host("B")), link_faults=((link, given_faults),), identity=True
    )
    return _runs(build(network, hub))


def _runs(system):
    semantics = Semantics(system)
    results, work, seen = set(), [(semantics.initial(), ())], set()
    while work:
        state, got = work.pop()
        if (state, got) in seen:
            continue
        seen.add((state, got))
        steps = semantics.transitions(state)
        if not steps:
            results.add("".join(got))
        for step in steps:
            new = [packet_id_of(e.packet)[2:] for e in step.outcome.events if isinstance(e, Received) and e.host == "B"]
            work.append((step.state, (*got, *new)))
    return results


@pytest.mark.parametrize("link", ["s1:2-s2:1", "s2:1-s1:2", "A", "B"])
def test_a_link_does_only_what_its_budget_allows(link):
    assert deliveries(link, LinkFaults()) == {"12"}
    assert deliveries(link, LinkFaults(drop=1)) == {"12", "1", "2"}
    assert deliveries(link, LinkFaults(duplicate=1)) == {"12", "112", "122"}
    assert deliveries(link, LinkFaults(reorder=1)) == {"12", "21"}
    assert deliveries(link, LinkFaults(drop=2)) == {"12", "1", "2", ""}


def test_a_fault_is_an_event_that_names_channel_and_packet():
    network = Network(LINE, (Client("A", to=("B",)),), link_faults=(("s1:2-s2:1", LinkFaults(drop=1)),), identity=True)
    faults_seen = {
        step.split(" ")[0] for transition in explore(build(network, hub))[1] for step in transition.step.faults
    }
    assert faults_seen == {"s2.in:drop"}


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
def test_what_faulty_links_declare_is_true(reduce):
    each = LinkFaults(drop=1, duplicate=1, reorder=1)
    network = Network(
        LINE, (Client("A", to=("B",), sends=2), Host("B")), link_faults=(("s1:2-s2:1", each), ("B", each))
    )
    result = search(build(network, learning), SearchOptions(engine="loop", checked=True, reduce=reduce))
    assert isinstance(result.verdict, Holds)
