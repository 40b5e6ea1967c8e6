"""Discovery as a user asks for it: scenario files, options, `step` and `walk`."""

import json
from pathlib import Path

import pytest

from tests.cli.running import CommandLine

PROGRAM = """\
from sdnloom.network.openflow import Match, Output
from sdnloom.network.packet import Tcp, decode


class Firewall:
    \"\"\"Lets through what goes to port 80, and once something came from port 1025 everything.\"\"\"

    def __init__(self):
        self.open = False

    def packet_in(self, net, switch, message):
        last = decode(message.data).headers[-1]
        if isinstance(last, Tcp):
            if last.src == 1025 and not self.open:
                self.open = True
            elif last.dst == 80 or self.open:
                net.flood(switch, message)
"""
SCENARIO = """\
properties = [{ name = "Sometimes", event = "Received", at = "h2" }, "NoForwardingLoops"]

[program]
file = "firewall.py"

[topology]
shape = "single"
hosts = 2

[[hosts]]
name = "h1"
kind = "client"
discover = true
sends = 2
"""
RING = SCENARIO.replace('"single"', '"ring"').replace("hosts = 2", "switches = 3")


def write(folder: Path, scenario: str = SCENARIO) -> None:
    (folder / "firewall.py").write_text(PROGRAM)
    (folder / "net.toml").write_text(scenario)


TOLD = SCENARIO.replace("discover = true", 'to = ["h2"]')
TCP = ("--stack", "ipv4/tcp", "--field", "eth.dst=h2", "--field", "ipv4.dst=h2")


def counts(run: object) -> tuple[int, int]:
    document = json.loads(run.out)
    return document["states"], document["transitions"]


def packets(run: object) -> list[str]:
    return json.loads(run.out)["discovery"]["packets"]["h1 at s1:1"]


def test_a_client_that_discovers_sends_one_packet_of_each_class_and_role(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    fields = ("--stack", "ipv4/tcp", "--field", "eth.dst=h2", "--field", "ipv4.dst=h2")
    run = sdnloom("check", "net.toml", *fields, "--format", "json")
    document = json.loads(run.out)
    assert (run.code, document["verdict"]) == (0, "holds")
    assert document["discovery"]["complete"]
    head = "ipv4/tcp eth.dst=h2 ipv4.dst=h2"
    # Once the firewall is open, it asks for the port even of what comes from 1025.
    assert packets(run) == [
        f"{head} tcp.flags=2",
        f"{head} tcp.src_port=1025 tcp.flags=2",
        f"{head} tcp.dst_port=81 tcp.flags=2",
        f"{head} tcp.src_port=1025 tcp.dst_port=81 tcp.flags=2",
    ]


def test_the_verdict_says_that_it_speaks_for_representatives(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "net.toml")
    bounds = " ".join(run.out.split("\nbounds:")[1].split())
    assert (
        "discovered, one for each class and each role of its destination (classes told apart by the program: " in bounds
    )
    assert run.out.startswith("HOLDS NoForwardingLoops: ")


def test_a_scenario_says_what_is_discovered(sdnloom: CommandLine, tmp_path: Path) -> None:
    table = '[discover]\nstacks = ["ipv4/tcp"]\nfields = { eth.dst = "h2", ipv4.dst = ["h2"], tcp.dst_port = [80] }\n'
    write(tmp_path, SCENARIO + table)
    run = sdnloom("check", "net.toml", "--format", "json")
    assert run.code == 3  # the program also asks whether the port is another one
    unreached = json.loads(run.out)["discovery"]["unreached"]
    assert [each["option"] for each in unreached] == ["--field tcp.dst_port=80,81"]
    assert packets(run) == [
        "ipv4/tcp eth.dst=h2 ipv4.dst=h2 tcp.flags=2",
        "ipv4/tcp eth.dst=h2 ipv4.dst=h2 tcp.src_port=1025 tcp.flags=2",
    ]


@pytest.mark.slow
def test_all_clients_discover_if_the_scenario_or_the_command_line_says_so(sdnloom: CommandLine, tmp_path: Path) -> None:
    for option, value in (("--discover", "true"), ("--discover-only", '"only"')):
        write(tmp_path, TOLD)
        by_option = sdnloom("check", "net.toml", option, *TCP, "--format", "json")
        write(tmp_path, TOLD + f"[discover]\nclients = {value}\n")
        by_file = sdnloom("check", "net.toml", *TCP, "--format", "json")
        assert packets(by_option) == packets(by_file)
        assert not any(label == "h2" for label in packets(by_file))
        assert counts(by_option) == counts(by_file)


@pytest.mark.slow
def test_a_violation_can_be_replayed_from_its_trace_alone(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, RING)
    run = sdnloom("check", "net.toml")
    assert (run.code, run.out.split(":")[0]) == (1, "VIOLATED NoForwardingLoops")
    replayed = sdnloom("replay", "net.NoForwardingLoops.sdnloom-trace.json")
    assert (replayed.code, replayed.out.split(":")[0]) == (1, "CONFIRMED NoForwardingLoops")


@pytest.mark.slow
def test_a_trace_whose_packet_is_none_is_refused(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, RING)
    sdnloom("check", "net.toml")
    trace = tmp_path / "net.NoForwardingLoops.sdnloom-trace.json"
    trace.write_text(trace.read_text().replace("ipv4/tcp ", "ipx "))
    run = sdnloom("replay", trace)
    assert (run.code, run.out) == (2, "")
    assert "'ipx' is no protocol stack" in run.err


@pytest.mark.slow
def test_step_and_walk_know_packets_that_are_discovered(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, RING)
    stepped = sdnloom("step", "net.toml", stdin="quit\n")
    assert "h1: sends h1:1 (h1 > h2 TCP 1024 > 80 SYN)" in stepped.out
    walked = sdnloom("walk", "net.toml", "--runs", 200)
    assert (walked.code, "NoForwardingLoops" in walked.out) == (1, True)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('stacks = ["ipx"]', "net.toml: discover.stacks: 'ipx' is no protocol stack; expected one of ethernet"),
        ('stacks = "arp"', "net.toml: discover.stacks is 'arp'; expected a list of strings"),
        ('fields = { eth.dts = "h2" }', "'eth.dts' is no field of the stacks ethernet, arp"),
        ('fields = { eth.dst = "h9" }', "eth.dst=h9: 'h9' is not a value of the field; expected a MAC address"),
        ("fields = { eth.dst = 1.5 }", 'net.toml: discover.fields is 1.5; expected values of a field such as "any"'),
        ("fields = 3", "net.toml: discover.fields is 3; expected"),
        ('fields = { eth.dst = "h2", "eth.dst" = "h2" }', "discover.fields is 'eth.dst'; expected each field once"),
        ("paths = 0", "net.toml: discover.paths is 0; expected a whole number of at least 1"),
        ('clients = "all"', "net.toml: discover.clients is 'all'; expected true, false or \"only\""),
        ("stack = []", "net.toml: discover.stack = [] is unknown; expected one of stacks, fields, paths, clients"),
    ],
)
def test_mistakes_in_the_table_are_named(sdnloom: CommandLine, tmp_path: Path, table: str, message: str) -> None:
    write(tmp_path, SCENARIO + f"[discover]\n{table}\n")
    run = sdnloom("check", "net.toml")
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_client_that_discovers_has_no_order(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace("sends = 2", 'order = "listed"'))
    run = sdnloom("check", "net.toml")
    assert run.code == 2
    assert "host 'h1' discovers its packets; expected order any, as none is listed" in run.err


def test_what_a_client_is_told_is_sent_as_well_and_its_trace_replays(sdnloom: CommandLine, tmp_path: Path) -> None:
    # A ping to h2 is no TCP segment, so the firewall drops it: nobody but a discovered packet reaches h2.
    never = '{ name = "Sometimes", event = "Received", at = "h2" }'
    told = TOLD.replace(f"[{never}, ", "[").replace("NoForwardingLoops", "NoBlackHoles")
    write(tmp_path, told)
    run = sdnloom("check", "net.toml", "--discover", *TCP)
    assert (run.code, run.out.splitlines()[0].split(":")[0]) == (1, "VIOLATED NoBlackHoles")
    assert "h1: sends h1:1 (h1 > h2 ICMP echo request)" in run.out
    replayed = sdnloom("replay", "net.NoBlackHoles.sdnloom-trace.json")
    assert (replayed.code, replayed.out.split(":")[0]) == (1, "CONFIRMED NoBlackHoles")
    only = sdnloom("check", "net.toml", "--discover-only", *TCP)
    assert (only.code, "TCP" in only.out, "ICMP" in only.out) == (1, True, False)
    assert sdnloom("replay", "net.NoBlackHoles.sdnloom-trace.json").code == 1
    (tmp_path / "net.toml").write_text(told.replace("sends = 2", 'discover = "only"\nsends = 2'))
    assert counts(sdnloom("check", "net.toml", *TCP, "--format", "json")) == counts(
        sdnloom("check", "net.toml", "--discover-only", *TCP, "--format", "json")
    )


def test_a_sender_that_is_told_nothing_and_discovers_nothing_is_vacuous(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO + "[discover]\nstacks = []\n")
    run = sdnloom("check", "net.toml")
    assert (run.code, run.out.split()[0]) == (3, "VACUOUS")
    assert (
        "h1 sends nothing: it is told nothing, and no packet was discovered for it in any state; "
        "`to` or `packets` in [[hosts]] lets it send"
    ) in run.out


def test_both_forms_at_once_are_refused(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "net.toml", "--discover", "--discover-only")
    assert (run.code, "--discover and --discover-only are given" in run.err) == (2, True)


@pytest.mark.parametrize(("option", "value"), [("--discover", "true"), ("--discover-only", '"only"')])
def test_a_printed_scenario_discovers_the_same(sdnloom: CommandLine, tmp_path: Path, option: str, value: str) -> None:
    app = Path(__file__).parents[2] / "examples" / "apps" / "learning_switch.py"
    given = ("--app", app, "--topology", "single,2", option, "--stack", "ethernet", "--field", "eth.type=0x88b5")
    printed = sdnloom("check", *given, "--print-scenario")
    assert (printed.code, f"[discover]\nclients = {value}\nstatistics = true\n" in printed.out) == (0, True)
    (tmp_path / "printed.toml").write_text(printed.out)
    runs = [sdnloom("check", *args, "--no-trace", "--format", "json") for args in (given, ("printed.toml",))]
    assert counts(runs[0]) == counts(runs[1])
    assert json.loads(runs[0].out)["discovery"]["packets"] == json.loads(runs[1].out)["discovery"]["packets"]


ADMINISTRATOR = """\
from sdnloom.network.packet import IPv4, decode


class Administrated:
    \"\"\"Lets through what comes from one address.\"\"\"

    def packet_in(self, net, switch, message):
        last = decode(message.data).headers[-1]
        if isinstance(last, IPv4) and last.src == 0x0A000009:
            net.flood(switch, message)
        elif isinstance(last, IPv4) and last.dst == 0x0A000064:
            net.flood(switch, message)
"""


def test_a_branch_that_no_packet_takes_is_named_and_then_nothing_holds(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace('{ name = "Sometimes", event = "Received", at = "h2" }, ', ""))
    (tmp_path / "firewall.py").write_text(ADMINISTRATOR)
    options = ("--stack", "ipv4", "--field", "eth.dst=h2")
    run = sdnloom("check", "net.toml", *options)
    branch = "firewall.py:9: no packet takes the side ipv4.src == 10.0.0.9; to reach it, give"
    assert run.code == 3
    assert f"INCOMPLETE no violation so far, but branches are not reached: {branch}" in run.out
    assert f"\nunreached: {branch} --field ipv4.src=own,10.0.0.9\n" in run.out
    dst = "any except own, preferred topology; compared with 10.0.0.100 (firewall.py:11)"
    assert f"\ndomain of ipv4.dst: {dst}\ndomain of ipv4.src: own; compared with 10.0.0.9 (firewall.py:9)\n" in run.out
    found = json.loads(sdnloom("check", "net.toml", *options, "--format", "json").out)["discovery"]
    assert found["unreached"] == [
        {
            "file": "firewall.py",
            "line": 9,
            "condition": "ipv4.src == 10.0.0.9",
            "values": {"ipv4.src": "10.0.0.9"},
            "option": "--field ipv4.src=own,10.0.0.9",
            "silent": [],
        }
    ]
    assert [each["field"] for each in found["domains"]] == ["ipv4.dst", "ipv4.src"]
    assert not found["complete"]
    assert any("ipv4.dst=10.0.0.100" in label for label in found["packets"]["h1 at s1:1"])
    reached = sdnloom("check", "net.toml", *options, "--field", "ipv4.src=own,10.0.0.9")
    assert (reached.code, reached.out[:5]) == (0, "HOLDS")


def test_an_answer_has_the_address_of_its_host_and_takes_no_side_of_another(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    replier = '\n[[hosts]]\nname = "h2"\nkind = "replier"\n'
    write(tmp_path, SCENARIO.replace("sends = 2", "sends = 1") + replier)
    program = ADMINISTRATOR.replace("isinstance(last, IPv4) and last.src == 0x0A000009", "last.src == 0x63")
    (tmp_path / "firewall.py").write_text(program.replace("isinstance(last, IPv4) and last.dst == 0x0A000064", "True"))
    run = sdnloom("check", "net.toml", "--stack", "ethernet")
    branch = "firewall.py:9: no packet takes the side eth.src == 00:00:00:00:00:63"
    assert (run.code, run.out[:10]) == (3, "INCOMPLETE")
    assert f"\nunreached: {branch}; to reach it, give --field eth.src=own,00:00:00:00:00:63\n" in run.out
