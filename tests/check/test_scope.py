"""What a search tried and what it did not: the traffic of hosts, and omissions with the options that end them."""

from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom import Client, MobileHost, Network, Scenario, linear, load_scenario
from sdnloom.check.scope import omissions, tried_traffic
from sdnloom.engine.result import SentRoute, Statistics
from sdnloom.network.hosts import ArpHost, Host, Replier, TcpClient, TcpServer
from sdnloom.network.network import LinkFaults, SwitchFaults, SwitchOptions, Timeouts
from sdnloom.network.topology import SwitchPort

EXAMPLES = Path(__file__).parents[2] / "examples"
ALL = {
    "hosts that move: --move",
    "timeouts of flow entries: --timeouts",
    "packets that are lost, duplicated or reordered: --drop, --duplicate, --reorder",
    "links, switches or control connections that fail: --fail-link, --restart-switch, --disconnect-switch",
    "TCP connections: --host HOST,kind=tcp_client,to=OTHER",
    "packets that nobody listed, and counters in statistics other than 0: --discover",
    "lines of the program that were never reached: --coverage",
}


def left_out(network: Network, *routes: SentRoute, discovers: bool = False, covers: bool = False) -> set[str]:
    statistics = Statistics("loop", 1, 0, 0, 0.0, routes=frozenset(routes))
    return set(map(str, omissions(network, statistics, None, discovers, covers)))


class Odd(Host):
    """A host of a user."""

    def acts(self, view):
        return ()


@pytest.mark.parametrize(
    ("host", "text"),
    [
        (Client("h1", to=("h2",), sends=2), "pings h2: at most 2 packets"),
        (Client("h1", to=("h2", "h3"), sends=1, burst=1), "pings h2 and h3: at most 1 packet, 1 unanswered"),
        (Client("h1", to=("h2",), sends=0), "sends nothing"),
        (Client("h1", discover="only"), "sends 0 packets that were discovered: at most 1 packet"),
        (ArpHost("h1", to=("h2",), sends=2), "pings h2: at most 2 packets, ARP first"),
        (ArpHost("h1"), "answers ARP requests and pings"),
        (Replier("h1"), "answers what is addressed to it"),
        (TcpClient("h1", to="h2", segments=2), "opens one TCP connection to h2:80 with 2 data segments"),
        (TcpServer("h1", port=22), "accepts TCP connections to port 22"),
        (
            MobileHost("h1", host=Replier("h1"), to=(SwitchPort("s1", 3),)),
            "answers what is addressed to it; moves once, to s1:3",
        ),
        (Host("h1"), "only receives"),
        (Odd("h1"), "does what the class Odd says"),
    ],
)
def test_the_traffic_of_a_host_in_words(host: Host, text: str) -> None:
    assert str(tried_traffic(Network(linear(3), (host,)))[0]) == f"h1 {text}"


def test_hosts_without_an_entry_only_receive() -> None:
    found = tried_traffic(Network(linear(2), (Client("h2", to=("h1",)),)))
    assert [(each.host, each.traffic.text, each.traffic.to) for each in found] == [
        ("h1", "only receives", ()),
        ("h2", "pings h1: at most 1 packet", ("h1",)),
    ]


def test_what_has_a_budget_is_not_among_the_omissions() -> None:
    network = Network(linear(2), (Client("h1", to=("h2",)),))
    assert left_out(network) == ALL
    assert left_out(network, discovers=True, covers=True) == {
        each for each in ALL if "--discover" not in each and "--coverage" not in each
    }
    counting = replace(network, switches=SwitchOptions(counters=True))
    assert left_out(counting) - ALL == {"packets that nobody listed: --discover"}
    faults = replace(network, link_faults=(("s1:2-s2:2", LinkFaults(drop=1, fail=1)),), timeouts=Timeouts(expiries=1))
    assert left_out(faults) - ALL == {
        "packets that are duplicated or reordered: --duplicate, --reorder",
        "switches or control connections that fail: --restart-switch, --disconnect-switch",
    }
    everything = replace(
        faults,
        link_faults=(("h1", LinkFaults(1, 1, 1, 1)),),
        switch_faults=(("s1", SwitchFaults(1, 1)),),
        hosts=(TcpClient("h1", to="h2"), MobileHost("h2", host=TcpServer("h2"), to=(SwitchPort("s1", 3),))),
    )
    assert left_out(everything, discovers=True, covers=True) == set()


def test_who_met_no_packet_is_named() -> None:
    network = Network(linear(3), (Client("h1", to=("h2",)),))
    sent = [("h1", "s1.in", 1), ("s1", "controller.x"), ("s1", "s2.in", 2), ("s2", "h2.in@s2:1"), ("s3", "s3.up")]
    assert left_out(network, *(SentRoute(*each) for each in sent)) - ALL == {
        "hosts that sent no packet (h2, h3): --ping",
        "hosts that no packet reached (h1, h3)",
        "switches that no packet passed (s3)",
        "links that no packet crossed (s2:3-s3:2)",
    }


def test_both_engines_say_who_sent_where() -> None:
    scenario: Scenario = load_scenario(EXAMPLES / "mac_learning" / "bug2_fixed.toml")
    found = {
        replace(scenario, options=replace(scenario.options, engine=engine)).check().result.statistics.routes
        for engine in ("loop", "kernel")
    }
    [routes] = found
    expected = {("A", "s1.in", 1), ("s1", "s2.in", 2), ("s2", "s1.in", 2), ("s2", "B.in", None), ("s1", "A.in", None)}
    assert expected <= routes


def test_of_two_links_between_two_switches_the_one_without_a_packet_is_named(tmp_path: Path) -> None:
    (tmp_path / "one_way.py").write_text(
        "from sdnloom import openflow\n\n\nclass OneWay:\n    def packet_in(self, net, switch, message):\n"
        "        if message.in_port == 1:\n            net.packet_out(switch, message, openflow.Output(2))\n"
    )
    (tmp_path / "net.toml").write_text(
        'properties = ["NoHandlerException"]\n[program]\nfile = "one_way.py"\n[topology]\nshape = "custom"\n'
        'switches = ["s1", "s2"]\nlinks = [["s1:2", "s2:2"], ["s1:3", "s2:3"]]\nports = 3\n'
        '[[hosts]]\nname = "h1"\nat = "s1:1"\nkind = "client"\nto = ["h2"]\n[[hosts]]\nname = "h2"\nat = "s2:1"\n'
    )
    report = load_scenario(tmp_path / "net.toml").check()
    assert report.verdict == "holds"
    assert "links that no packet crossed (s1:3-s2:3)" in map(str, report.omissions)
