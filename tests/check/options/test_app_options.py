"""What a command line means: the scenario document that its options stand for."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sdnloom.check import load
from sdnloom.check.options import app_options
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.scenario_file.document import ScenarioError
from sdnloom.scenario_file.toml_text import toml_text
from sdnloom.scenario_file.topology import read_topology


def document(**options: Any) -> dict[str, Any]:
    return app_document(AppOptions(("ryu.app.simple_switch_13",), **options))[0]


def test_an_app_alone_gets_two_switches_two_hosts_and_what_any_app_should_keep() -> None:
    assert (
        toml_text(document())
        == """\
name = "simple_switch_13"
properties = ["NoForwardingLoops", "NoBlackHoles", "PingsAnswered", "NoForgottenPackets", "NoHandlerException", \
{ name = "Sometimes", event = "Received", at = "h2" }]

[program]
app = "ryu.app.simple_switch_13"

[topology]
shape = "linear"
switches = 2

[[hosts]]
name = "h1"
kind = "arp"
to = ["h2"]
sends = 2

[[hosts]]
name = "h2"
kind = "arp"
"""
    )


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("minimal", {"shape": "single", "hosts": 2}),
        ("single", {"shape": "single"}),
        ("single,3", {"shape": "single", "hosts": 3}),
        ("linear,3,2", {"shape": "linear", "switches": 3, "hosts": 2}),
        ("ring, 4", {"shape": "ring", "switches": 4}),
        ("mesh,3", {"shape": "mesh", "switches": 3}),
        ("tree,2", {"shape": "tree", "depth": 2}),
        ("torus,3,4", {"shape": "torus", "rows": 3, "columns": 4}),
        ("tree,1,3", {"shape": "tree", "depth": 1, "fanout": 3}),
        ("topohub:topozoo/Abilene", {"shape": "topohub", "name": "topozoo/Abilene"}),
    ],
)
def test_topologies_are_written_as_for_mininet(text: str, table: dict[str, Any]) -> None:
    assert document(topology=text)["topology"] == table


def test_a_mininet_file_is_a_topology(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(
        "from mininet.topo import Topo\n"
        "class Pair(Topo):\n"
        "    def build(self, n=1):\n"
        "        for each in range(n):\n"
        "            self.addLink(self.addHost(f'a{each}'), 's1' if each else self.addSwitch('s1'))\n"
        "topos = {'pair': Pair}\n"
    )
    monkeypatch.chdir(tmp_path)
    found = document(topology="net.py:pair,2")
    assert found["topology"] == {"shape": "mininet", "file": "net.py", "topo": "pair,2"}
    assert [host["name"] for host in found["hosts"]] == ["a0", "a1"]


GENERIC = ["NoForwardingLoops", "NoBlackHoles", "PingsAnswered", "NoForgottenPackets", "NoHandlerException"]


def test_pings_and_moves_say_what_hosts_do() -> None:
    found = document(topology="single,4", pings=("h1,h2,3", "h1,h3", "h3,h1"), moves=("h2,s1:5", "h2,s1:6"))
    assert found["hosts"] == [
        {"name": "h1", "kind": "arp", "to": ["h2", "h3"], "sends": 4},
        {"name": "h2", "kind": "arp", "move": {"to": ["s1:5", "s1:6"], "moves": 1, "announces": True}},
        {"name": "h3", "kind": "arp", "to": ["h1"], "sends": 1},
        {"name": "h4", "kind": "arp"},
    ]
    assert found["topology"]["ports"] == 6


def test_without_arp_hosts_know_all_addresses() -> None:
    found = document(topology="single,4", pings=("h1,h2,3", "h3,h1"), no_arp=True)
    assert found["hosts"] == [
        {"name": "h1", "kind": "client", "to": ["h2"], "sends": 3},
        {"name": "h2", "kind": "replier"},
        {"name": "h3", "kind": "client", "to": ["h1"], "sends": 1},
    ]
    assert found["properties"][:5] == GENERIC


def test_a_host_that_moves_is_pinged_three_times_one_after_the_other() -> None:
    found = document(topology="single,3", moves=("h1,s1:4",))
    move = {"to": ["s1:4"], "moves": 1, "announces": True}
    assert found["hosts"] == [
        {"name": "h1", "move": move, "kind": "arp"},
        {"name": "h2", "kind": "arp", "to": ["h1"], "sends": 3, "burst": 1},
        {"name": "h3", "kind": "arp"},
    ]
    assert found["properties"] == [
        "NoForwardingLoops",
        "NoBlackHolesMobile",
        "PingsAnswered",
        "NoForgottenPackets",
        "NoHandlerException",
        {"name": "Sometimes", "event": "Received", "at": "h1"},
    ]


def test_an_address_is_pinged_that_is_no_host() -> None:
    found = document(topology="single,2", pings=("h1,10.0.0.100",))
    assert found["hosts"][0] == {"name": "h1", "kind": "arp", "to": ["10.0.0.100"], "sends": 1}
    assert found["properties"] == GENERIC


def test_keys_of_a_host_are_set_one_by_one() -> None:
    found = document(host_keys=("h1,ip=10.1.0.10/24,gateway=10.1.0.1", "h1,asks=2", "h2,mac=00:00:00:00:00:12"))
    assert found["hosts"] == [
        {"name": "h1", "kind": "arp", "to": ["h2"], "sends": 2, "ip": "10.1.0.10/24", "gateway": "10.1.0.1", "asks": 2},
        {"name": "h2", "kind": "arp", "mac": "00:00:00:00:00:12"},
    ]


@pytest.mark.parametrize(
    ("host_keys", "at"),
    [
        (("h2,kind=sink",), "h1"),
        (("h1,kind=tcp_client,to=h2,resolves=true", "h2,kind=sink"), "h1"),
        (("h1,kind=tcp_client,to=h2",), "h1"),
        (("h2,kind=tcp_server",), "h2"),
    ],
)
def test_a_host_whose_target_does_not_answer_must_receive_a_packet_itself(host_keys: tuple[str, ...], at: str) -> None:
    found = document(host_keys=host_keys)
    assert found["properties"] == [*GENERIC, {"name": "Sometimes", "event": "Received", "at": at}]


def test_a_host_that_an_option_makes_send_replaces_the_default_pings() -> None:
    found = document(host_keys=("h1,kind=tcp_client,to=h2,resolves=true", "h2,kind=tcp_server,port=8080"))
    assert found["hosts"] == [
        {"name": "h1", "kind": "tcp_client", "to": "h2", "resolves": True},
        {"name": "h2", "kind": "tcp_server", "port": 8080},
    ]
    assert found["properties"] == [*GENERIC, {"name": "Sometimes", "event": "Received", "at": "h2"}]
    assert document(host_keys=("h1,to=h2+10.0.0.9",))["hosts"][0]["to"] == ["h2", "10.0.0.9"]
    assert document(host_keys=("h2,to=h1",))["hosts"] == [
        {"name": "h1", "kind": "arp"},
        {"name": "h2", "to": ["h1"], "kind": "arp"},
    ]
    assert document(host_keys=("h1,sends=3",))["hosts"][0] == {"name": "h1", "kind": "arp", "to": ["h2"], "sends": 3}
    assert document(host_keys=("h1,kind=tcp_server",))["hosts"] == [
        {"name": "h1", "kind": "tcp_server"},
        {"name": "h2", "kind": "arp", "to": ["h1"], "sends": 2},
    ]


def test_a_lone_host_pings_nobody() -> None:
    found = document(topology="single,1")
    assert found["hosts"] == [{"name": "h1", "kind": "arp"}]
    assert found["properties"] == GENERIC


def test_properties_can_have_arguments() -> None:
    assert document(properties=("NoBlackHoles", "Waypoint,source=h1,target=h2,via=s1"))["properties"] == [
        "NoBlackHoles",
        {"name": "Waypoint", "source": "h1", "target": "h2", "via": "s1"},
    ]
    assert document(properties=("FlowAffinity,replicas=R1",))["properties"] == [
        {"name": "FlowAffinity", "replicas": ["R1"]}
    ]


def test_requests_become_externals() -> None:
    found = document(externals=('POST /router/1 {"address": "10.0.0.1/24"}', "GET /router/1"))
    assert found["externals"] == [
        {"name": "POST /router/1", "arguments": ['{"address": "10.0.0.1/24"}']},
        {"name": "GET /router/1"},
    ]


def test_every_option_of_the_app_is_said() -> None:
    options = AppOptions(
        ("one.py", "folder/two.py"),
        path=("lib",),
        ticks=4,
        warmup=0,
        hub="eventlet",
        app_threads="explore",
        version="1.0",
        joining=True,
    )
    found = tomllib.loads(toml_text(app_document(options)[0]))
    assert found["program"] == {
        "apps": ["one.py", "folder/two.py"],
        "path": ["lib"],
        "hub": "eventlet",
        "threads": "explore",
    }
    assert (found["name"], found["ticks"], found["warmup"], found["joining"]) == ("one", 4, 0, True)
    assert found["switches"] == {"version": "1.0"}


def test_requests_and_time_become_the_setup() -> None:
    found = document(setup=('POST /router/1 {"address": "10.0.0.1/24"}', "ticks 2", "GET /router/1"))
    assert found["setup"] == [
        {"call": "POST /router/1", "body": '{"address": "10.0.0.1/24"}'},
        {"ticks": 2},
        {"call": "GET /router/1"},
    ]


def test_faults_are_collected_for_each_link_and_switch() -> None:
    found = document(
        link_failures=("s1-s2",),
        drops=("s2-s1,3", "h1"),
        duplicates=("h1,2", "h1"),
        reorders=("s1-s2",),
        restarts=("s1,2",),
        disconnects=("s1", "s2"),
    )
    assert found["link_faults"] == [
        {"link": "s1-s2", "fail": 1, "drop": 3, "reorder": 1},
        {"link": "h1", "drop": 1, "duplicate": 3},
    ]
    assert found["switch_faults"] == [{"switch": "s1", "fail": 2, "disconnect": 1}, {"switch": "s2", "disconnect": 1}]


def test_links_are_observed_after_a_warm_up_that_is_long_enough() -> None:
    found = document(observe_links=True, config=("wsapi-port=9", "x=a=b"))
    assert found["program"]["config"] == {"wsapi_port": "9", "x": "a=b", "observe_links": True}
    assert found["warmup"] == "links"
    assert document(observe_links=True, warmup=3)["warmup"] == 3


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("linear,2", ["s1:1", "s1:2", "s2:1", "s2:2"]),
        ("tree,2,2", ["s1:3", "s1:4", "s2:1", "s2:2", "s3:1", "s3:2"]),
        ("minimal", ["s1:1", "s1:2"]),
    ],
)
def test_every_switch_has_so_many_hosts(text: str, places: list[str]) -> None:
    table, topology = app_document(AppOptions(("a.py",), topology=text, hosts=2))
    assert [str(host.switch_port) for host in topology.hosts] == places
    if text != "linear,2":  # the names are Mininet's there
        assert [host.name for host in topology.hosts] == [f"h{number + 1}" for number in range(len(places))]
    assert table["topology"]["hosts"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"setup": ("router",)}, "--setup is 'router'; expected a request such as"),
        ({"setup": ("ticks x",)}, "--setup is 'ticks x'; expected a whole number instead of 'x'"),
        ({"config": ("observe_links",)}, "--config is 'observe_links'; expected KEY=VALUE"),
        ({"config": ("=1",)}, "--config is '=1'; expected KEY=VALUE"),
        ({"drops": ("s1-s2,x",)}, "--drop is 's1-s2,x'; expected LINK or LINK,TIMES"),
        ({"drops": ("s1-s2,",)}, "--drop is 's1-s2,'; expected LINK or LINK,TIMES"),
        ({"restarts": (",1",)}, "--restart-switch is ',1'; expected SWITCH or SWITCH,TIMES"),
        ({"topology": "linear,2,2", "hosts": 1}, "--topology is 'linear,2,2'; expected no number of hosts beside"),
        ({"topology": "line,2"}, "--topology is 'line,2'; expected single,HOSTS, linear,SWITCHES,HOSTS"),
        ({"topology": "linear"}, "--topology is 'linear'; expected"),
        ({"topology": "linear,two"}, "--topology is 'linear,two'; expected a whole number instead of 'two'"),
        ({"topology": "linear,²"}, "a whole number instead of '²'"),
        ({"topology": "linear," + "9" * 5000}, "a whole number instead of '9999"),
        ({"topology": "linear,1,1,1"}, "expected single,HOSTS"),
        ({"topology": "ring,2"}, "switches is 2; expected a whole number from 3"),
        ({"topology": "linear,0"}, "command line: --topology.switches is 0; expected"),
        ({"topology": "none.py"}, "none.py"),
        ({"pings": ("h1",)}, "--ping is 'h1'; expected SOURCE,TARGET or SOURCE,TARGET,COUNT"),
        ({"pings": ("h1,h1",)}, "--ping is 'h1,h1'; expected two different hosts"),
        ({"moves": ("h2,s1",)}, "--move is 'h2,s1'; expected HOST,SWITCH:PORT"),
        ({"pings": ("h1,h2,x",)}, "--ping is 'h1,h2,x'; expected a whole number instead of 'x'"),
        ({"pings": ("h1,h2,0",)}, "--ping is 'h1,h2,0'; expected at least one ping"),
        ({"pings": ("h1,10.0.0.1",)}, "expected another address than that of h1 itself"),
        (
            {"pings": ("h1,10.1.0.1",), "host_keys": ("h1,ip=10.1.0.1/24",)},
            "expected another address than that of h1 itself",
        ),
        (
            {"pings": ("h1,h2",), "host_keys": ("h1,kind=tcp_client,to=h2",)},
            "--ping is 'h1,h2'; expected a host that sends pings; --host says that h1 is a tcp_client",
        ),
        ({"host_keys": ("h1,sends=1", "h1,sends=2")}, "--host is 'h1,sends=2'; expected the key sends of h1 once"),
        ({"pings": ("h1,h9",)}, "h9'; expected a host of the topology: h1, h2"),
        ({"moves": ("h1",)}, "--move is 'h1'; expected HOST,SWITCH:PORT"),
        ({"host_keys": ("h1",)}, "--host is 'h1'; expected HOST,KEY=VALUE,... such as h1,ip="),
        ({"host_keys": ("h1,ip",)}, "--host is 'h1,ip'; expected HOST,KEY=VALUE,..."),
        ({"host_keys": ("h1,name=h3",)}, "--host is 'h1,name=h3'; expected HOST,KEY=VALUE,..."),
        ({"host_keys": ("h9,sends=3",)}, "h9'; expected a host of the topology: h1, h2"),
        ({"pings": ("h1,10.0.0.9.1",)}, "--ping is 'h1,10.0.0.9.1'; expected a host or an IPv4 address as target"),
        ({"pings": ("h1,10.0.0.9",), "no_arp": True}, "--ping is 'h1,10.0.0.9'; expected"),
        ({"properties": ("NoLoops",)}, "--property is 'NoLoops'; expected NAME"),
        ({"properties": ("Reachable,h1",)}, "expected NAME or NAME,KEY=VALUE,..."),
        ({"externals": ("router",)}, "--external is 'router'; expected a request such as"),
        ({"externals": ("POST /router {",)}, "--external is 'POST /router {'; expected a body that is JSON ("),
        ({"externals": ("POST /router " + "[" * 100_000,)}, "--external is 'POST /router [[["),
    ],
)
def test_mistakes_name_option_value_and_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        document(**options)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 500


def test_the_topology_of_options_is_read_once(monkeypatch, tmp_path):
    pytest.importorskip("os_ken")
    reads = []

    def counting(table):
        reads.append(table)
        return read_topology(table)

    for module in (app_options, load):
        monkeypatch.setattr(module, "read_topology", counting)
    app = Path(__file__).parents[3] / "examples/apps/learning_switch.py"
    load.app_scenario(app, topology="ring,3")
    assert len(reads) == 1
