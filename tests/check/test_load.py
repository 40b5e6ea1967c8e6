"""Scenario files: what they say arrives, and every mistake is one message with file, key, value and expectation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sdnloom.check.load import app_scenario, load_scenario, read_scenario
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.engine.result import Limits
from sdnloom.engine.trace import load_trace
from sdnloom.errors import SdnloomError
from sdnloom.netkat.policy_file import read_policy_file
from sdnloom.network.hosts import ArpHost, Client, MobileHost, Replier, TcpClient, TcpServer
from sdnloom.network.network import External, LinkFaults, ProgramTimer, SwitchFaults, SwitchOptions, Timeouts
from sdnloom.network.packet import Ethernet, Icmp, IPv4, Packet, Tcp, Vlan
from sdnloom.network.topology import HostSpec, SwitchPort, load_graphml, load_mininet
from sdnloom.network.value import ip, mac
from sdnloom.scenario_file.document import ScenarioError
from sdnloom.scenario_file.toml_text import toml_text
from tests.check.scenarios import SCENARIO, write

EVERYTHING = """\
name = "everything"
properties = [
  { file = "hub.py", name = "quiet", host = "B", most = 4 },
  { file = "hub.py", name = "reached" },
]
joining = true
identity = false

[program]
file = "hub.py"
class = "Hub"
arguments = { broken = false }

[topology]
shape = "custom"
switches = ["s1", "s2"]
links = [["s1:2", "s2:2"]]
ports = 5

[switches]
version = "1.3"
buffers = 0
overlap = "first"

[[hosts]]
name = "A"
at = "s1:1"
mac = "00:00:00:00:00:aa"
kind = "client"
to = ["B"]
packets = [
  { kind = "tcp", to = "B", dst_port = 80, flags = ["SYN", "ACK"], vlan = 7 },
  { dst = "00:00:00:00:00:99", payload = "x" },
  { kind = "ping", to = "B" },
]
sends = 2
burst = 1
order = "listed"

[[hosts]]
name = "B"
at = "s2:1"
ip = "10.0.0.77"
kind = "replier"
move = { to = ["s1:3"], moves = 2, announces = true }

[[hosts]]
name = "C"
at = "s1:4"
kind = "arp"
to = ["B"]
asks = 2

[[hosts]]
name = "D"
at = "s2:4"
kind = "tcp_client"
to = "E"

[[hosts]]
name = "E"
at = "s2:5"
kind = "tcp_server"

[[hosts]]
name = "F"
at = "s1:5"
kind = "tcp_client"
to = { mac = "00:00:00:00:00:77", ip = "10.0.0.100" }

[[link_faults]]
link = "s2-s1"
drop = 1
fail = 2

[[link_faults]]
link = "A"
duplicate = 1

[[switch_faults]]
switch = "s2"
disconnect = 1

[timeouts]
expiries = 1
settle = true

[[externals]]
name = "reload"
arguments = ["x", 3]
budget = 2

[[timers]]
name = "poll"

[search]
engine = "loop"
order = "dfs"
reduce = false
all = true
seed = 3
max_states = 1000
max_depth = 30
time_limit = 2.5
memory_limit = 4000
"""


def test_every_key_of_a_scenario_arrives(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, EVERYTHING))
    network = scenario.network
    assert scenario.name == "everything"
    assert [prop.name for prop in scenario.properties] == ["quiet B", "h2 is reached"]
    assert network.topology.hosts[0] == HostSpec("A", mac("00:00:00:00:00:aa"), ip("10.0.0.1"), "s1", 1)
    assert network.topology.hosts[1] == HostSpec("B", mac("00:00:00:00:00:02"), ip("10.0.0.77"), "s2", 1)
    assert network.switches == SwitchOptions(version="1.3", buffers=0, overlap="first")
    a, b, c, d, e, f = network.hosts
    tcp, frame, ping = a.packets
    assert a == Client("A", ("B",), (tcp, frame, ping), 2, 1, "listed")
    assert [type(header) for header in tcp.headers] == [Ethernet, Vlan, IPv4, Tcp]
    assert (tcp.headers[1].vid, tcp.headers[3].dst, tcp.headers[3].flags) == (7, 80, 0x12)
    assert frame == Packet((Ethernet(0x99, 0xAA, 0x88B5),), b"x")
    assert ping.headers[2] == Icmp(8)
    assert b == MobileHost("B", host=Replier("B"), to=(SwitchPort("s1", 3),), moves=2, announces=True)
    assert (type(c), c.to, c.asks) == (ArpHost, ("B",), 2)
    assert (d, type(e), f) == (TcpClient("D", "E"), TcpServer, TcpClient("F", (0x77, ip("10.0.0.100"))))
    assert network.link_faults == (("s1:2-s2:2", LinkFaults(drop=1, fail=2)), ("A", LinkFaults(duplicate=1)))
    assert network.switch_faults == (("s2", SwitchFaults(disconnect=1)),)
    assert network.timeouts == Timeouts(1, True)
    assert network.externals == (External("reload", ("x", 3), 2),)
    assert network.timers == (ProgramTimer("poll"),)
    assert (network.joining, network.identity) == (True, False)
    options = scenario.options
    assert (options.engine, options.order, options.reduce, options.find_all) == ("loop", "dfs", False, True)
    assert options.limits == Limits(1000, 30, 2.5, 4000 << 20)
    assert scenario.seed == 3
    assert scenario.code == ((tmp_path / "hub.py").resolve(),)


def test_a_file_is_named_by_a_string_or_a_path(tmp_path: Path) -> None:
    file = write(tmp_path)
    assert load_scenario(str(file)).file == load_scenario(file).file == file
    assert read_scenario(SCENARIO, str(file)).fingerprint() == load_scenario(file).fingerprint()


def test_the_folder_for_disk_is_beside_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, SCENARIO + '\n[search]\ndisk = "spill"\n')
    assert load_scenario(file).options.disk == str(tmp_path / "spill")


@pytest.mark.parametrize("read", [load_scenario, load_trace, load_graphml, load_mininet, read_policy_file])
@pytest.mark.parametrize("kind", [str, Path])
def test_every_file_can_be_named_by_a_string_or_a_path(
    tmp_path: Path, read: Callable[[str | Path], object], kind: type
) -> None:
    with pytest.raises(SdnloomError, match=r"gone\.file: .*No such file"):
        read(kind(tmp_path / "gone.file"))


def test_an_app_in_python_is_the_scenario_of_its_command_line() -> None:
    pytest.importorskip("os_ken")
    app = Path(__file__).parents[2] / "examples" / "apps" / "learning_switch.py"
    scenario = app_scenario(app, topology="single,3", pings=["h1,h3,2"], properties=["NoBlackHoles"])
    options = AppOptions((str(app),), topology="single,3", pings=("h1,h3,2",), properties=("NoBlackHoles",))
    assert scenario.text == toml_text(app_document(options)[0])
    assert [host.name for host in scenario.network.hosts] == ["h1", "h2", "h3"]
    assert scenario.check().verdict == "violated"


def test_hosts_have_prefixes_and_gateways(tmp_path: Path) -> None:
    text = SCENARIO.replace('name = "h1"', 'name = "h1"\nip = "10.1.0.5/24"\ngateway = "10.1.0.1"')
    text = text.replace('kind = "client"', 'kind = "arp"') + '\n[[hosts]]\nname = "h2"\ngateway = "h1"\n'
    one, two = load_scenario(write(tmp_path, text)).network.topology.hosts
    assert (one.ip, one.prefix, one.gateway) == (ip("10.1.0.5"), 24, ip("10.1.0.1"))
    assert (two.ip, two.prefix, two.gateway) == (ip("10.0.0.2"), 8, one.ip)


def test_includes_resolve_files_beside_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write(tmp_path / "base", SCENARIO, "base.toml")
    file = tmp_path / "own.toml"
    file.write_text('include = "base/base.toml"\n[topology]\nswitches = 3\n')
    scenario = load_scenario(file)
    assert (scenario.name, len(scenario.network.topology.switches)) == ("own", 3)


def test_a_host_of_ones_own_is_named_by_file_and_class(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, SCENARIO.replace('"client"', '"hub.py:Other"')))
    assert type(scenario.network.hosts[0]).__name__ == "Other"


@pytest.mark.parametrize(
    ("text", "switches"),
    [
        ('shape = "single"\nhosts = 2', 1),
        ('shape = "ring"\nswitches = 3', 3),
        ('shape = "mesh"\nswitches = 3', 3),
        ('shape = "tree"\ndepth = 2', 3),
        ('shape = "graphml"\nfile = "g.graphml"', 4),
        ('shape = "topohub"\nname = "topozoo/Abilene"', 11),
        ('shape = "mininet"\nfile = "topo.py"\ntopo = "lines,3"', 3),
        ('shape = "mininet"\nfile = "topo.py"\ntopo = "lines"\narguments = [2]\noptions = { n = 1 }', 2),
    ],
)
def test_topologies_of_every_kind_are_read(tmp_path: Path, text: str, switches: int) -> None:
    import networkx

    networkx.write_graphml(networkx.path_graph(4), tmp_path / "g.graphml")
    (tmp_path / "topo.py").write_text("from mininet.topo import LinearTopo\ntopos = {'lines': LinearTopo}\n")
    file = write(tmp_path, SCENARIO.replace('shape = "linear"\nswitches = 2', text))
    assert len(load_scenario(file).network.topology.switches) == switches


# What is changed in the scenario, and the words that the message must have.
MISTAKES = [
    (
        '[[hosts]]\nname = "h1"',
        '[[hosts]]\nnam = "h1"',
        ["hosts[0].nam is unknown; did you mean name?", "expected a string"],
    ),
    ('kind = "client"', 'kind = "clinet"', ["hosts[0].kind is 'clinet'", "client", "did you mean client?"]),
    ('kind = "client"', "kind = 3", ["hosts[0].kind is 3", "expected a string"]),
    ('kind = "client"', 'kind = "gone.py:X"', ["hosts[0].kind", "gone.py", "No such file"]),
    ('kind = "client"', 'kind = "hub.py:Gone"', ["hosts[0].kind", "'Gone'", "Hub, Other"]),
    ('kind = "client"', 'kind = "hub.py:Hub"', ["hosts[0].kind is 'hub.py:Hub'", "subclass"]),
    ('to = ["h2"]', 'to = "h2"', ["hosts[0].to is 'h2'", "expected a list"]),
    ('to = ["h2"]', "to = [2]", ["hosts[0].to is [2]", "each item a string"]),
    ('to = ["h2"]', 'to = ["h9"]', ["hosts[0].to: 'h9' is no host", "h1, h2"]),
    ('kind = "client"\nto = ["h2"]', 'kind = "tcp_client"\nto = "h9"', ["hosts[0].to: 'h9' is no host", "h1, h2"]),
    ('kind = "client"\nto = ["h2"]', 'kind = "tcp_client"', ["hosts[0].to: '' is no host", "h1, h2"]),
    ('to = ["h2"]', 'to = ["10.0.0.9"]', ["'h1' cannot know the MAC address of 10.0.0.9", "expected", "kind arp"]),
    ('to = ["h2"]', 'to = ["10.0.0"]', ["hosts[0].to: '10.0.0' is no IP address"]),
    ('to = ["h2"]', 'to = ["h2"]\nip = "10.0.0.1/33"', ["hosts[0].ip is '10.0.0.1/33'", "from 1 to 32"]),
    ('to = ["h2"]', 'to = ["h2"]\nip = "10.0.0.1/x"', ["hosts[0].ip is '10.0.0.1/x'", "from 1 to 32"]),
    (
        'to = ["h2"]',
        'to = ["h2"]\ngateway = "gw"',
        ["hosts[0].gateway is 'gw'", "an address of the network 10.0.0.1/8"],
    ),
    ('to = ["h2"]', 'to = ["h2"]\ngateway = "h1"', ["hosts[0].gateway is 'h1'", "or the name of a host"]),
    ('to = ["h2"]', 'to = ["h2"]\ngateway = "::1"', ["hosts[0].gateway is '::1'", "an address of the network"]),
    (
        'to = ["h2"]',
        'to = ["h2"]\nip = "10.1.0.5"\ngateway = "10.1.0.1"',
        ["hosts[0].ip is '10.1.0.5'", "a prefix length", "10.0.0.1/24"],
    ),
    (
        'to = ["h2"]',
        'to = ["h2"]\nip = "10.1.0.5/24"\ngateway = "10.2.0.1"',
        ["hosts[0].gateway is '10.2.0.1'", "an address of the network 10.1.0.5/24"],
    ),
    ('to = ["h2"]', 'to = ["h2"]\nsends = -1', ["hosts[0].sends is -1", "at least 0"]),
    ('to = ["h2"]', 'to = ["h2"]\nsends = true', ["hosts[0].sends is true", "whole number"]),
    ('to = ["h2"]', 'to = ["h2"]\nsends = 99999999999', ["hosts[0].sends is 99999999999"]),
    ('to = ["h2"]', f'to = ["h2"]\nsends = {"9" * 60}', ["hosts[0].sends is a number of more than 40 digits"]),
    ('to = ["h2"]', 'to = ["h2"]\nsend = 1', ["hosts[0].send = 1 is unknown", "did you mean sends?"]),
    ('to = ["h2"]', 'to = ["h2"]\norder = "random"', ["hosts[0].order is 'random'", "any, listed"]),
    ('to = ["h2"]', "packets = [3]", ["hosts[0].packets is [3]", "a packet such as"]),
    ('to = ["h2"]', 'packets = [{ kind = "x" }]', ["hosts[0].packets", "kind is 'x'", "frame, ping"]),
    ('to = ["h2"]', 'packets = [{ kind = "ping" }]', ["hosts[0].packets", "needs `to`"]),
    ('to = ["h2"]', 'packets = [{ to = "h2", dst = "no" }]', ["hosts[0].packets", "'no' is no MAC address"]),
    ('to = ["h2"]', 'packets = [{ kind = "tcp", to = "h2", flags = ["X"] }]', ["hosts[0].packets", "flag 'X'"]),
    ('to = ["h2"]', 'move = { to = ["s2"] }\nto = ["h2"]', ["hosts[0].move.to is ['s2']", "s1:2"]),
    ('to = ["h2"]', 'move = { to = ["s2:9"] }\nto = ["h2"]', ["s2:9 is a missing port"]),
    (
        'kind = "client"\nto = ["h2"]',
        'kind = "tcp_client"\nto = { mac = "x", ip = "10.0.0.1" }',
        ["hosts[0].to", "'x'"],
    ),
    ('kind = "client"\nto = ["h2"]', 'kind = "tcp_client"\nto = 3', ["hosts[0].to is 3", "a string, or addresses"]),
    ('name = "h1"', 'name = "h7"', ["hosts[0].name is 'h7'", "a host of the topology (h1, h2)"]),
    ('name = "h1"', 'name = "h1"\nat = "s1:9"', ["hosts[0].at is 's1:9'", "a free port of a switch: s1:1, s2:1"]),
    ('name = "h1"', 'name = "h1"\nat = "s1:2"', ["hosts[0].at is 's1:2'", "a free port"]),
    (
        'name = "h1"',
        'name = "h1"\nat = "s1:1"\n[[hosts]]\nname = "h2"\nat = "s1:1"\n[[hosts]]\nname = "h3"\nat = "s2:1"',
        ["hosts[1].at is 's1:1'", "a free port of a switch: s2:1"],
    ),
    ('name = "h1"', 'name = "h1"\nat = "s1"', ["hosts[0].at is 's1'", "a free port"]),
    ('name = "h1"', 'name = "h1"\nmac = "00:00"', ["hosts[0].mac is '00:00'", "a MAC address such as"]),
    ('name = "h1"', 'name = "h1"\nmac = "ff:ff:ff:ff:ff:ff"', ["hosts[0].mac is 'ff:ff", "of one host"]),
    ('name = "h1"', 'name = "h1"\nip = "::1"', ["hosts[0].ip is '::1'", "IPv4"]),
    (
        'to = ["h2"]',
        'mac = "00:00:00:00:00:09"\n[[hosts]]\nname = "h2"\nmac = "00:00:00:00:00:09"',
        ["hosts[1].mac is '00:00:00:00:00:09'", "no other host has (host h1 has it)"],
    ),
    ('to = ["h2"]', 'mac = "00:00:00:00:00:02"', ["MAC address 00:00:00:00:00:02", "'h1' and 'h2'"]),
    ('to = ["h2"]', '[[hosts]]\nname = "h1"', ["hosts[1].name is 'h1'", "no other host has"]),
    ("[[hosts]]", "[hosts]", ["hosts is a table", "expected a list of tables"]),
    ("[[hosts]]", "[[host]]", ["host = ", "is unknown", "did you mean hosts?"]),
    ('shape = "linear"', 'shape = "line"', ["topology.shape is 'line'", "did you mean linear?"]),
    ('shape = "linear"', "", ["topology.shape is missing", "single, linear"]),
    ("switches = 2", "switches = 0", ["topology.switches is 0", "from 1"]),
    ("switches = 2", 'switches = "2"', ["topology.switches is '2'", "a whole number"]),
    ("switches = 2", "switches = 2\nx = nan", ["topology.x = nan is unknown"]),
    ('shape = "linear"', 'shape = "ring"', ["topology", "switches is 2", "from 3"]),
    (
        'shape = "linear"\nswitches = 2',
        'shape = "custom"\nswitches = ["s1"]\nlinks = [["s1"]]',
        ["topology.links is [['s1']]", "a list of pairs"],
    ),
    ('shape = "linear"\nswitches = 2', 'shape = "mininet"\nfile = "no.py"', ["topology.file", "no.py", "No such file"]),
    ('shape = "linear"\nswitches = 2', 'shape = "graphml"\nfile = "no"', ["topology.file", "no", "No such file"]),
    ('shape = "linear"\nswitches = 2', 'shape = "topohub"\nname = "no"', ["topology.name", "'no' is no network"]),
    ('file = "hub.py"\nclass', 'file = "gone.py"\nclass', ["program.class", "gone.py", "cannot read", "No such file"]),
    ('class = "Hub"', 'class = "Hubb"', ["program.class", "has no 'Hubb'", "Hub"]),
    ('class = "Hub"', 'class = "quiet"', ["program.class", "'quiet' is a function", "expected a class"]),
    ('class = "Hub"', "", ["program.file", "Hub, Other", "`class`"]),
    ('class = "Hub"', 'class = "Property"', ["handles nothing", "packet_in"]),
    ('class = "Hub"', 'class = "Hub"\narguments = { x = 1 }', ["Hub({'x': 1})", "unexpected keyword"]),
    ('class = "Hub"', 'class = "Hub"\narguments = 3', ["program.arguments is 3", "a table"]),
    ("properties = [", "properties = 3 # [", ["properties is 3", "a list of names"]),
    ("properties = [", "properties = [] # [", ["properties is []"]),
    (
        "properties = [",
        'properties = ["NoForwardingLops", ',
        ["properties[0].name is 'NoForwardingLops'", "did you mean NoForwardingLoops?"],
    ),
    ("properties = [", "properties = [3, ", ["properties[0] is 3"]),
    (
        "properties = [",
        'properties = [{ name = "Reachable", source = "h1", target = "h9" }, ',
        ["properties[0].target is 'h9'", "h1, h2"],
    ),
    ("properties = [", 'properties = ["Isolated", ', ["properties[0].source is missing", "expected one of h1, h2"]),
    (
        "properties = [",
        'properties = [{ name = "Waypoint", source = "h1", target = "h2", via = "h1" }, ',
        ["properties[0].via is 'h1'", "expected one of s1, s2"],
    ),
    (
        "properties = [",
        'properties = ["NoBlackHoles", "NoBlackHoles", ',
        ["properties[1] is 'NoBlackHoles'", "each property once"],
    ),
    ('name = "quiet"', 'name = "gone"', ["properties[0].name", "hub.py", "'gone'"]),
    ('name = "quiet", host = "h2"', 'name = "nothing"', ["properties[0].name is 'nothing'", "a Property"]),
    ('host = "h2"', "most = 1", ["properties[0].host is missing", "a string"]),
    ('host = "h2"', 'host = "h2", least = 1', ["properties[0].least = 1 is unknown", "host, most"]),
    ('host = "h2" }]', 'host = "h2" }, { file = "hub.py", name = "quiet", host = "h2" }]', ["properties[1]", "once"]),
    ("[topology]", '[switches]\nversion = "1.1"\n[topology]', ["switches.version is '1.1'", "1.0, 1.3"]),
    ("[topology]", "[switches]\nbuffers = 1.5\n[topology]", ["switches.buffers is 1.5", "a whole number"]),
    ("[topology]", '[[link_faults]]\nlink = "s1-s3"\n[topology]', ["link_faults[0].link is 's1-s3'", "s1-s2"]),
    (
        "[topology]",
        '[[link_faults]]\nlink = "h1"\nlose = 1\n[topology]',
        ["link_faults[0].lose = 1 is unknown", "drop"],
    ),
    ("[topology]", '[[switch_faults]]\nswitch = "s9"\n[topology]', ["switch_faults[0].switch is 's9'", "s1, s2"]),
    (
        "[topology]",
        '[[switch_faults]]\nswitch = "s1"\n[topology]',
        ["switch_faults[0] sets no fault", "fail, disconnect"],
    ),
    (
        "[topology]",
        '[[externals]]\nname = "x"\narguments = [[2001-01-01]]\n[topology]',
        ["externals[0].arguments is [[datetime.date(2001, 1, 1)]]", "booleans, lists and tables"],
    ),
    ("[topology]", "[[setup]]\nstatus = 200\n[topology]", ["setup[0] has none", "call, report and ticks"]),
    ("[topology]", '[[setup]]\ncall = "x"\nticks = 1\n[topology]', ["setup[0] has call and ticks"]),
    ("[topology]", '[[setup]]\ncall = "x"\nstatus = 7\n[topology]', ["setup[0].status is 7", "100 to 599"]),
    ("[topology]", '[[setup]]\ncall = "x"\nbody = 2001-01-01\n[topology]', ["setup[0].body is", "a string or a table"]),
    (
        "[topology]",
        '[[setup]]\nreport = "s1"\nports = [{ port = 9, tx_bytes = 5 }]\n[topology]',
        ["s1:9 is a missing port"],
    ),
    (
        "[topology]",
        '[[setup]]\nreport = "s1"\nports = [{ port = 1, tx_octets = 5 }]\n[topology]',
        ["setup[0].ports[0].tx_octets = 5 is unknown", "tx_bytes"],
    ),
    ("[topology]", '[[setup]]\nticks = "1"\n[topology]', ["setup[0].ticks is '1'", "whole number"]),
    ("properties", 'warmup = "link"\nproperties', ["warmup is 'link'", 'or "links"']),
    ("[topology]", '[search]\nengine = "fast"\n[topology]', ["search.engine is 'fast'", "auto, loop, kernel"]),
    (
        "[topology]",
        '[search]\nengine = "kernel"\norder = "dfs"\n[topology]',
        ["search.engine is 'kernel'", "expected auto or loop, as order is 'dfs'"],
    ),
    (
        "[topology]",
        '[search]\ndisk = "spill"\nengine = "loop"\n[topology]',
        ["search.disk is 'spill'", "expected no folder, as engine is 'loop'"],
    ),
    ("[topology]", '[[statistics]]\nport = "s1:9"\nvalues = [1]\n[topology]', ["statistics[0].port: s1:9", "are 1, 2"]),
    ('file = "hub.py"\nclass = "Hub"', 'app = "."', ["program.app is '.'", "a Python file", "or a module"]),
    ('file = "hub.py"\nclass = "Hub"', 'app = "./"', ["program.app is './'", "a Python file", "or a module"]),
    ('file = "hub.py"\nclass = "Hub"', 'app = "a..b"', ["program.app is 'a..b'", "a Python file", "or a module"]),
    (
        'file = "hub.py"\nclass = "Hub"',
        'apps = ["x.py", ".x"]',
        ["program.apps is '.x'", "a Python file", "or a module"],
    ),
    ("[topology]", "[search]\nmax_states = 0\n[topology]", ["search.max_states is 0", "at least 1"]),
    ("[topology]", "[search]\ntime_limit = inf\n[topology]", ["search.time_limit is inf", "a positive number"]),
    ("[topology]", "[search]\nreduce = 1\n[topology]", ["search.reduce is 1", 'true, false or "auto"']),
    ('file = "hub.py"\nclass = "Hub"', f'app = "x.py"\npath = ["{"y" * 300}"]', ["the file '", "name too long"]),
    ('file = "hub.py"\nclass = "Hub"', f'nox = "{"y" * 300}.py"', ["the file '", "name too long"]),
    ("[topology]", "joining = 3\n[topology]", ["program.joining = 3 is unknown"]),
]


@pytest.mark.parametrize(("old", "new", "words"), MISTAKES, ids=[new[:60] for _, new, _ in MISTAKES])
def test_mistake_is_one_message_that_names_it(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    assert old in SCENARIO
    file = write(tmp_path, SCENARIO.replace(old, new, 1))
    with pytest.raises(SdnloomError) as caught:
        load_scenario(file)
    message = str(caught.value)
    for word in ["hub.toml", *words]:
        assert word in message
    assert len(message) < 500


def test_a_mistake_is_reported_in_the_file_that_made_it(tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace("switches = 2", "switches = -2"), "base.toml")
    file = tmp_path / "own.toml"
    file.write_text('include = "base.toml"\n[topology]\nports = 3\n')
    with pytest.raises(ScenarioError, match=r"base\.toml: topology\.switches is -2"):
        load_scenario(file)


@pytest.mark.parametrize("text", ["1 +", "raise OSError('x')", "import nowhere_at_all", "import sys\nsys.exit(1)"])
def test_a_program_that_cannot_run_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    file = write(tmp_path)
    (tmp_path / "hub.py").write_text(f"x = 1\n{text}\n")
    with pytest.raises(SdnloomError, match=r"hub\.toml: program.class: .*hub\.py, line [23]: ") as caught:
        load_scenario(file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("self.broken = broken", "raise LookupError('early')", ["hub.py, line 8: __init__ raised LookupError: early"]),
        ("def fold(count, event):", "[][most]\n\n    def fold(count, event):", ["line 25: quiet raised IndexError"]),
        ("def quiet(host: str,", "def quiet(host: 'Gone',", ["properties[0]", "cannot tell", "'Gone' is not defined"]),
        (
            "def quiet(host: str,",
            "def quiet(host: bytes,",
            ["no scenario can give 'host'", "is bytes; expected str"],
        ),
    ],
)
def test_an_exception_in_the_users_code_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    file = write(tmp_path)
    program = tmp_path / "hub.py"
    assert old in program.read_text()
    program.write_text(program.read_text().replace(old, new, 1))
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    for word in ["hub.toml", *words]:
        assert word in str(caught.value)


def test_a_parameter_without_a_type_takes_any_value(tmp_path: Path) -> None:
    file = write(tmp_path)
    program = tmp_path / "hub.py"
    program.write_text(program.read_text().replace("host: str, most: int = 0", "host, most=0"))
    assert [prop.name for prop in load_scenario(file).properties] == ["quiet h2"]


@pytest.mark.parametrize("hint", ["list", "list[str]", "tuple[str, ...]"])
def test_a_parameter_may_be_a_list(tmp_path: Path, hint: str) -> None:
    file = write(tmp_path)
    program = tmp_path / "hub.py"
    program.write_text(
        program.read_text()
        + f"\n\ndef all_of(hosts: {hint}):\n"
        + f"    assert type(hosts) is {hint.partition('[')[0]}\n"
        + "    return Property('all of ' + ', '.join(hosts), Needs.EVENT, lambda memory, columns: None)\n"
    )
    text = file.read_text()
    start = text.index("properties = ")
    ask = 'properties = [{ file = "hub.py", name = "all_of", hosts = ["h1", "h2"] }]'
    file.write_text(text[:start] + ask + text[text.index("\n", start) :])
    assert [prop.name for prop in load_scenario(file).properties] == ["all of h1, h2"]
