"""Regular topologies have the expected parts, and wrong topologies are refused."""

import pytest

from sdnloom.network.topology import (
    HostSpec,
    LinkSpec,
    SwitchPort,
    SwitchSpec,
    Topology,
    TopologyBuilder,
    TopologyError,
    custom,
    linear,
    mesh,
    ring,
    single,
    torus,
    tree,
)
from sdnloom.network.value import ip, mac


@pytest.mark.parametrize(
    ("topology", "switches", "hosts", "links"),
    [
        (single(4), 1, 4, 0),
        (linear(1), 1, 1, 0),
        (linear(5), 5, 5, 4),
        (linear(3, hosts=2), 3, 6, 2),
        (ring(3), 3, 3, 3),
        (ring(6, hosts=0), 6, 0, 6),
        (mesh(5), 5, 5, 10),
        (tree(1, 3), 1, 3, 0),
        (tree(3, 2), 7, 8, 6),
    ],
    ids=lambda value: value.name if isinstance(value, Topology) else str(value),
)
def test_shape_has_the_expected_parts(topology: Topology, switches: int, hosts: int, links: int) -> None:
    assert (len(topology.switches), len(topology.hosts), len(topology.links)) == (switches, hosts, links)


def test_linear_has_mininets_ports_and_addresses() -> None:
    topology = linear(3)
    assert topology.links == (LinkSpec("s1", 2, "s2", 2), LinkSpec("s2", 3, "s3", 2))
    assert topology.hosts[2] == HostSpec("h3", mac("00:00:00:00:00:03"), ip("10.0.0.3"), "s3", 1)
    assert topology.switches[1] == SwitchSpec("s2", 2, (1, 2, 3))


def test_tree_numbers_switches_depth_first_like_mininet() -> None:
    topology = tree(2, 2)
    assert topology.links == (LinkSpec("s1", 1, "s2", 3), LinkSpec("s1", 2, "s3", 3))
    assert [str(host.switch_port) for host in topology.hosts] == ["s2:1", "s2:2", "s3:1", "s3:2"]


def test_every_link_of_a_ring_leads_back() -> None:
    peers = ring(4).peers
    assert len(peers) == 8
    assert all(peers[peers[port]] == port for port in peers)


def test_spare_ports_are_there_and_unused() -> None:
    topology = linear(2, ports=4)
    assert topology.switch("s1").ports == (1, 2, 3, 4)
    assert topology.has(SwitchPort("s2", 4))
    assert not topology.has(SwitchPort("s2", 5))


def test_custom_keeps_given_ports_and_numbers_the_rest() -> None:
    topology = custom(["s1", "s2"], [("s1:5", "s2")], [("A", "s1:1"), ("B", "s2")])
    assert topology.links == (LinkSpec("s1", 5, "s2", 2),)
    assert [str(host.switch_port) for host in topology.hosts] == ["s1:1", "s2:1"]


def test_a_port_that_is_given_is_skipped_by_those_that_are_not() -> None:
    topology = custom(["s1", "s2"], [("s1:2", "s2:1"), ("s1", "s2"), ("s1", "s2")])
    assert [link.name for link in topology.links] == ["s1:2-s2:1", "s1:3-s2:2", "s1:4-s2:3"]


def test_datapath_ids_come_from_names_and_never_collide() -> None:
    built = TopologyBuilder()
    for name, dpid in (("core", None), ("s7", None), ("x7", None), ("edge", 1)):
        built.switch(name, dpid)
    assert [(s.name, s.dpid) for s in built.build().switches] == [("core", 2), ("s7", 7), ("x7", 3), ("edge", 1)]


def test_given_addresses_are_kept_and_defaults_avoid_them() -> None:
    built = TopologyBuilder()
    built.switch("s1")
    built.link("s1", built.host("a"))
    built.link("s1", built.host("b", mac=1, ip=ip("10.0.0.1")))
    assert [(host.mac, host.ip) for host in built.build().hosts] == [(2, ip("10.0.0.2")), (1, ip("10.0.0.1"))]


S1, S2 = SwitchSpec("s1", 1, (1, 2)), SwitchSpec("s2", 2, (1, 2))
A = HostSpec("A", 1, 1, "s1", 1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Topology("t", (S1, S1)), ["name s1", "each name once"]),
        (lambda: Topology("t", (S1, SwitchSpec("s2", 1))), ["datapath id 0x1", "'s1' and 's2'"]),
        (lambda: Topology("t", (S1,), (A, HostSpec("B", 1, 2, "s1", 2))), ["MAC address 00:00:00:00:00:01", "'B'"]),
        (lambda: Topology("t", (S1,), (A, HostSpec("B", 2, 1, "s1", 2))), ["IP address 0.0.0.1", "'B'"]),
        (lambda: Topology("t", (S1,), (HostSpec("A", 1, 1, "s1", 9),)), ["'A'", "s1:9", "missing port", "1, 2"]),
        (lambda: Topology("t", (S1,), (HostSpec("A", 1, 1, "s9", 1),)), ["'A'", "s9:1", "no switch", "s1"]),
        (lambda: Topology("t", (S1,), (A, HostSpec("B", 2, 2, "s1", 1))), ["'B'", "s1:1", "taken by host 'A'"]),
        (lambda: Topology("t", (S1, S2), (A,), (LinkSpec("s1", 1, "s2", 1),)), ["s1:1-s2:1", "taken by host 'A'"]),
        (lambda: Topology("t", (S1,), (HostSpec("A", 1 << 40, 1, "s1", 1),)), ["01:00:00:00:00:00", "unicast"]),
        (lambda: Topology("t", (SwitchSpec("s 1", 1),)), ["'s 1'", "letters"]),
        (lambda: Topology("t", (SwitchSpec("s1", -1),)), ["dpid", "-1"]),
        (lambda: Topology("t", (SwitchSpec("s1", 1, (2, 1)),)), ["(2, 1)", "in order"]),
        (lambda: linear(0), ["switches is 0", "from 1"]),
        (lambda: linear(True), ["switches is True"]),
        (lambda: ring(2), ["switches is 2", "from 3"]),
        (lambda: mesh(10_000), ["switches is 10000", "to 200"]),
        (lambda: torus(2, 3), ["rows is 2", "from 3"]),
        (lambda: torus(5_000, 5_000), ["5000 by 5000", "at most 10000"]),
        (lambda: tree(60, 10), ["depth 60", "at most 10000"]),
        (lambda: custom(["s1"], [("s1:x", "s1")]), ["'s1:x'", "s1:2"]),
        (lambda: custom(["s1"], [("s1", "s2")]), ["'s2'", "neither a switch nor a host"]),
        (lambda: custom(["s1"], [("s1", "s1")]), ["'s1' and itself"]),
        (lambda: custom(["s1", "s1"]), ["'s1' is added twice"]),
    ],
)
def test_impossible_topology_is_refused_by_name(make, words: list[str]) -> None:
    with pytest.raises(TopologyError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_every_switch_of_a_torus_has_four_neighbours() -> None:
    found = torus(3, 4)
    assert (len(found.switches), len(found.hosts), len(found.links)) == (12, 12, 24)
    assert all(len(switch.ports) == 5 for switch in found.switches)
    assert (found.switch("s2x3").dpid, found.host("h1x1").switch_port) == (0x203, SwitchPort("s1x1", 1))
    around = sorted(there.switch for here, there in found.peers.items() if here.switch == "s1x1")
    assert around == ["s1x2", "s1x4", "s2x1", "s3x1"]


def test_a_host_without_or_with_two_cables_is_refused() -> None:
    built = TopologyBuilder()
    built.switch("s1")
    built.host("A")
    with pytest.raises(TopologyError, match="'A' is plugged into no port"):
        built.build()
    built.link("A", "s1")
    built.link("A", "s1")
    with pytest.raises(TopologyError, match="'A' is plugged into s1:1, s1:2"):
        built.build()


def test_topology_prints_as_the_call_that_builds_it() -> None:
    names = {cls.__name__: cls for cls in (Topology, SwitchSpec, HostSpec, LinkSpec)} | {"mac": mac, "ip": ip}
    assert eval(repr(ring(3)), names) == ring(3)
