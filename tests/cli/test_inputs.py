"""`sdnloom inputs` as a user runs it."""

import json
import signal
import sys
from pathlib import Path

import pytest

from sdnloom.cli.inputs import command
from sdnloom.cli.progress import InputsProgress
from sdnloom.engine.limits import LimitWatch
from sdnloom.inputs.skeletons import DEFAULT_STACKS
from sdnloom.inputs.stacks import UNTAGGED
from tests.apps.conftest import FOLDER, ROOT
from tests.cli.running import CommandLine

SWITCH = """\
class Learning:
    def __init__(self):
        self.ports = {}

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        self.ports[frame.src] = message.in_port
        out = self.ports.get(frame.dst)
        if out is None:
            net.flood(switch, message)
        else:
            net.install(switch, Match.of(eth_dst=frame.dst), Output(out), release=message)
"""
HEAD = """\
from sdnloom.network.openflow import Match, Output
from sdnloom.network.packet import decode

"""
SCENARIO = """\
properties = ["NoForwardingLoops"]

[program]
file = "switch.py"

[switches]
profile = "reference"

[topology]
shape = "single"
hosts = 3

[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""
KEYS = [
    *(
        "schema",
        "program",
        "switch",
        "port",
        "entries",
        "classes",
        "repeated",
        "unsent_stacks",
        "complete",
        "reasons",
        "domains",
    ),
    *("unreached", "divergences", "concretised", "paths"),
]


def write(folder: Path, program: str = SWITCH, scenario: str = SCENARIO) -> None:
    (folder / "switch.py").write_text(HEAD + program)
    (folder / "net.toml").write_text(scenario)


def test_classes_are_shown_with_condition_example_and_reaction(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("inputs", "net.toml", "--port", 1, "--stack", "ethernet", "--field", "eth.src=any")
    assert run.code == 0
    assert (
        run.out
        == """\
2 classes of packets at s1:1 for Learning

  1  ethernet: eth.src != eth.dst
     for example eth.dst=00:00:00:00:00:02 eth.src=00:00:00:00:00:01 eth.type=0x88b5
     -> s1: PacketOut buffer 0 flood

  2  ethernet: eth.src == eth.dst
     for example eth.dst=00:00:00:00:00:02 eth.src=00:00:00:00:00:02 eth.type=0x88b5
     -> s1: FlowMod add buffer 0 eth_dst=h2: port 1

domain of eth.dst: any except own, preferred topology
domain of eth.src: any
complete: every such packet is in one of these classes (2 runs of the program)
"""
    )


def test_packets_of_a_host_have_its_addresses(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("inputs", "net.toml", "--port", 1)
    assert run.code == 0
    assert run.out.startswith("1 class of packets at s1:1 for Learning\n")
    assert "\n5 more classes that differ only in fields that the program does not read\n" in run.out


def test_json_is_one_object_with_the_documented_keys(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom(
        "inputs", "net.toml", "--port", 3, "--stack", "ethernet", "--field", "eth.src=h2,h3", "--format", "json"
    )
    document = json.loads(run.out)
    assert (run.code, list(document)) == (0, KEYS)
    assert document["classes"] == [
        {
            "stack": "ethernet",
            "condition": "eth.src != eth.dst",
            "terms": ["eth.src != eth.dst"],
            "witness": {"eth.dst": "00:00:00:00:00:01", "eth.src": "00:00:00:00:00:02", "eth.type": "0x88b5"},
            "frame": "00000000000100000000000288b5",
            "outputs": [{"switch": "s1", "message": "PacketOut buffer 0 flood"}],
            "raised": [],
            "confirmed": True,
        },
        {
            "stack": "ethernet",
            "condition": "eth.src == eth.dst",
            "terms": ["eth.src == eth.dst"],
            "witness": {"eth.dst": "00:00:00:00:00:02", "eth.src": "00:00:00:00:00:02", "eth.type": "0x88b5"},
            "frame": "00000000000200000000000288b5",
            "outputs": [{"switch": "s1", "message": "FlowMod add buffer 0 eth_dst=h2: port 3"}],
            "raised": [],
            "confirmed": True,
        },
    ]
    assert (document["complete"], document["reasons"], document["divergences"]) == (True, [], [])
    assert (document["domains"], document["unreached"]) == (
        [
            {"field": "eth.dst", "values": "any except own, preferred topology", "constants": []},
            {"field": "eth.src", "values": "own, h2", "constants": []},
        ],
        [],
    )


def test_a_trace_says_in_which_state_the_program_is(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    assert sdnloom("step", "net.toml", stdin="1\n1\n1\nsave heard.json\nquit\n").code == 0
    run = sdnloom("inputs", "net.toml", "--port", 2, "--stack", "ethernet", "--state", "heard.json")
    assert [line for line in run.out.splitlines() if line.startswith("  ") and "ethernet" in line] == [
        "  1  ethernet: eth.dst == h1",
        "  2  ethernet: eth.dst != h1",
    ]
    assert sdnloom("inputs", "--port", 2, "--stack", "ethernet", "--state", "heard.json").out == run.out


def test_what_is_not_followed_is_reported_with_its_place(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(
        tmp_path,
        "import zlib\n\n\nclass Hashing:\n    def packet_in(self, net, switch, message):\n"
        "        if zlib.crc32(message.data) % 2:\n            net.flood(switch, message)\n",
    )
    run = sdnloom("inputs", "net.toml", "--port", 1, "--stack", "ethernet", "--paths", 5, "--format", "json")
    document = json.loads(run.out)
    assert (run.code, document["complete"]) == (3, False)
    assert [(one["file"], one["line"], one["construct"]) for one in document["concretised"]] == [
        ("switch.py", 9, "call of zlib.crc32")
    ]


def test_a_handler_that_raises_is_a_class_of_its_own(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(
        tmp_path,
        "class Brittle:\n    def packet_in(self, net, switch, message):\n"
        "        if decode(message.data).headers[0].type == 0x9000:\n            {}[switch]\n",
    )
    run = sdnloom("inputs", "net.toml", "--port", 1, "--stack", "ethernet")
    assert run.code == 0
    assert "  2  ethernet: eth.type == 0x9000\n" in run.out
    assert "-> packet_in raised KeyError: 's1' (switch.py:7)" in run.out


@pytest.mark.slow
def test_a_loop_without_end_ends_with_the_budget(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(
        tmp_path,
        "class Endless:\n    def packet_in(self, net, switch, message):\n"
        "        frame = decode(message.data).headers[0]\n        count = 0\n"
        "        while frame.type != count % 7:\n            count += 1\n",
    )
    run = sdnloom("inputs", "net.toml", "--port", 1, "--stack", "ethernet", "--paths", 20)
    assert run.code == 3
    assert "incomplete: ethernet: " in run.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("net.toml",), "Missing option '--port'"),
        (("net.toml", "--port", 9), "s1:9 is a missing port; the ports of s1 are 1, 2, 3"),
        (("net.toml", "--port", 1, "--switch", "s7"), "s7:1 is on no switch; expected one of s1"),
        (("net.toml", "--port", 1, "--stack", "ipx"), "'ipx' is no protocol stack; expected one of ethernet"),
        (("net.toml", "--port", 1, "--field", "eth.dst"), "--field is 'eth.dst'; expected NAME=VALUES"),
        (("net.toml", "--port", 1, "--field", "eth.dst=x"), "eth.dst=x: 'x' is not a value of the field"),
        (("net.toml", "--port", 1, "--field", "x=1"), "'x' is no field of the stacks ethernet, arp"),
        (
            ("net.toml", "--port", 1, "--field", "eth.type=1", "--field", "eth.type=1"),
            "--field eth.type is given twice, as '1' and as '1'; expected each field once",
        ),
        (("net.toml", "--port", 1, "--state", "none.json"), "none.json: cannot read the trace"),
        (("--port", 1), "there is nothing to run"),
        (("net.toml", "--statistics"), "Missing option '--port'."),
        (
            ("net.toml", "--statistics", "flows", "--port", 1),
            "--port is given, but --statistics flows is about a whole",
        ),
        (
            ("net.toml", "--statistics", "bytes"),
            "'bytes' is not one of 'ports', 'flows', 'tables', 'queues', 'aggregate'",
        ),
        (
            ("net.toml", "--statistics", "groups"),
            "refuses a request for the statistics of groups; expected OpenFlow 1.3",
        ),
        (
            ("net.toml", "--statistics", "flows", "--field", "flow9.byte_count=1"),
            "'flow9.byte_count' is no counter of the flow statistics in this reply; ",
        ),
        (("net.toml", "--statistics", "flows", "--switch", "s9"), "'s9' is no switch; expected one of s1"),
        (("net.toml", "--port", 1, "--statistics", "--robust"), "--statistics and --robust are given; expected one or"),
        (("net.toml", "--port", 1, "--statistics", "--stack", "arp"), "--statistics and --stack are given; expected"),
    ],
)
def test_mistakes_are_one_message(sdnloom: CommandLine, tmp_path: Path, arguments: tuple, message: str) -> None:
    write(tmp_path)
    run = sdnloom("inputs", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert "Traceback" not in run.err


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the apps of ryu==4.34: `make ryu` fetches them")
def test_packets_that_make_the_packet_library_raise_are_found(sdnloom: CommandLine) -> None:
    run = sdnloom(
        *("inputs", "--app", "ryu.app.simple_switch_13", "--path", FOLDER, "--port", 1, "--format", "json"),
        *("--robust", "--stack", "ethernet", "--field", "eth.type=0x8902", "--paths", 40),
    )
    document = json.loads(run.out)
    raised = {
        (one["error"], one["library"].partition(":")[0]) for each in document["classes"] for one in each["raised"]
    }
    # Ethernet's connectivity fault management with an opcode that nobody has defined.
    assert ("AttributeError: 'NoneType' object has no attribute 'parser'", "os_ken/lib/packet/cfm.py") in raised
    assert (run.code, document["divergences"]) == (1, [])


def test_the_page_names_every_option_and_stack() -> None:
    text = (ROOT / "docs" / "inputs.md").read_text()
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.opts[0] in SHOWN:
            assert f"`{parameter.opts[0]}" in text, parameter.opts
    for name in (*UNTAGGED, *DEFAULT_STACKS):
        assert f"`{name}`" in text, name


SHOWN = {"--switch", "--port", "--state", "--stack", "--field", "--robust", "--paths", "--time-limit", "--format"}


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("flows", "  flow1 is priority 0 *: controller\n\n"), ("tables", ""), ("aggregate", ""), ("groups", "")],
)
def test_statistics_of_a_whole_switch_need_no_port(sdnloom: CommandLine, kind: str, rows: str) -> None:
    app = ROOT / "examples" / "apps" / "learning_switch.py"
    run = sdnloom("inputs", "--app", app, "--statistics", kind)
    assert (run.code, run.out) == (
        0,
        f"1 class of {kind.removesuffix('s')} statistics at s1 for LearningSwitch\n\n{rows}"
        "  1  statistics: any reply\n     -> nothing\n\n"
        "complete: every such reply is in one of these classes (1 run of the program)\n",
    )
    document = json.loads(sdnloom("inputs", "--app", app, "--statistics", kind, "--format", "json").out)
    assert (document["port"], document["entries"]) == (None, [rows.strip()] if rows else [])


def test_statistics_have_classes_of_their_own(sdnloom: CommandLine, tmp_path: Path) -> None:
    scenario = ROOT / "examples/traffic_engineering/bug12.toml"
    run = sdnloom("inputs", scenario, "--port", 3, "--statistics")
    assert (run.code, run.out) == (
        0,
        "2 classes of statistics at s1:3 for OneTable\n\n"
        "  1  statistics: port3.tx_bytes <= 1000000\n"
        "     for example port3.tx_bytes=0\n"
        "     -> nothing\n\n"
        "  2  statistics: port3.tx_bytes > 1000000\n"
        "     for example port3.tx_bytes=1000001\n"
        "     -> nothing\n\n"
        "domain of port3.tx_bytes: any; compared with 1000000 (engineering.py:66)\n"
        "complete: every such reply is in one of these classes (2 runs of the program)\n",
    )
    narrow = sdnloom("inputs", scenario, "--port", 3, "--statistics", "--field", "port3.tx_bytes=5", "--format", "json")
    assert [each["witness"] for each in json.loads(narrow.out)["classes"]] == [{}]
    wrong = sdnloom("inputs", scenario, "--port", 3, "--statistics", "--field", "eth.dst=any")
    assert (wrong.code, wrong.err.splitlines()[-1][:48]) == (2, "error: 'eth.dst' is no counter; expected a name ")


MANY = """\
class Many:
    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        for number in range(6):
            if frame.dst == number:
                net.flood(switch, message)
"""


def noted_watches(monkeypatch):
    """The watches that commands make from now on."""
    watches, make = [], LimitWatch.__init__

    def noted(watch, *arguments):
        watches.append(watch)
        make(watch, *arguments)

    monkeypatch.setattr(LimitWatch, "__init__", noted)
    return watches


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (lambda watch: signal.raise_signal(signal.SIGINT), "interrupted"),
        (lambda watch: setattr(watch, "_spent", 1e9), "the time limit of 60 s was reached"),
    ],
)
def test_a_limit_or_an_interrupt_ends_with_the_classes_found_so_far(sdnloom, tmp_path, monkeypatch, how, reason):
    write(tmp_path, MANY)
    watches = noted_watches(monkeypatch)

    def stop(progress, question, run):
        if run.paths == 2:
            how(watches[0])

    monkeypatch.setattr(InputsProgress, "__call__", stop)
    monkeypatch.setattr("sdnloom.check.survey.CONFIRMING", 1e10)
    command_line = ("inputs", tmp_path / "net.toml", "--port", 1, "--stack", "ethernet", "--stack", "arp")
    done = sdnloom(*command_line, "--time-limit", 60)
    assert done.code == 3
    assert done.out.startswith("2 classes of packets at s1:1 for Many\n")
    assert f"incomplete: ethernet: {reason}\n" in done.out
    assert f"incomplete: arp: not explored, {reason}\n" in done.out
    assert "not confirmed" not in done.out
    monkeypatch.setattr("sdnloom.check.survey.CONFIRMING", 0.0)
    watches.clear()
    done = sdnloom(*command_line, "--time-limit", 60)
    assert done.out.startswith("2 classes of packets at s1:1 for Many\n")
    assert done.out.count("     -> not confirmed\n") == 2
    assert "incomplete: 2 of the classes shown, for which no time was left to confirm them\n" in done.out
    watches.clear()
    document = json.loads(sdnloom(*command_line, "--time-limit", 60, "--format", "json").out)
    assert [(each["confirmed"], each["outputs"]) for each in document["classes"]] == [(False, []), (False, [])]


SLOW_LATER = """\
class Slow:
    def packet_in(self, net, switch, message):
        if decode(message.data).headers[0].dst == 2:
            net.flood(switch, message)
        while Slow.confirming:
            pass

    confirming = False
"""


def test_a_handler_that_does_not_end_when_it_is_confirmed_is_ended(sdnloom, tmp_path, monkeypatch):
    write(tmp_path, SLOW_LATER)
    watches = noted_watches(monkeypatch)

    def endless(progress, done, found):
        for name, module in list(sys.modules.items()):
            if hasattr(module, "Slow") and name != __name__:
                module.Slow.confirming = True
        watches[0]._spent = 60 - watches[0].seconds  # the time is over now, and soon the time for confirmation
        monkeypatch.setattr("sdnloom.engine.limits._GRACE_SECONDS", 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)

    monkeypatch.setattr(InputsProgress, "confirming", endless)
    done = sdnloom("inputs", tmp_path / "net.toml", "--port", 1, "--stack", "ethernet", "--time-limit", 60)
    assert done.code == 3
    assert done.out.count("     -> not confirmed\n") == 2


def test_a_limit_before_there_is_a_result_is_named(sdnloom, tmp_path, monkeypatch):
    monkeypatch.setattr("sdnloom.engine.limits._GRACE_SECONDS", 0.0)
    write(tmp_path, "while True:\n    pass\n")
    for command_line in (("inputs", "--port", 1), ("check",)):
        done = sdnloom(*command_line, tmp_path / "net.toml", "--time-limit", 0.01)
        assert (done.code, done.out) == (3, "")
        reason = "the time limit of 0.01 s was reached while the program was loaded"
        assert done.err == f"INCOMPLETE nothing was searched: {reason}\n"


INHERITED = """\
class Base:
    def packet_in(self, net, switch, message):
        if decode(message.data).headers[0].dst == 0x77:
            net.flood(switch, message)
"""


def test_an_inherited_handler_in_the_folder_of_the_program_is_followed(sdnloom, tmp_path):
    (tmp_path / "handler_base.py").write_text(HEAD + INHERITED)
    write(tmp_path, "from handler_base import Base\n\n\nclass Controller(Base):\n    pass\n")
    done = sdnloom("inputs", tmp_path / "net.toml", "--port", 1, "--stack", "ethernet")
    assert done.code == 0
    assert done.out.startswith("2 classes of packets at s1:1 for Controller\n")
    assert "compared with 00:00:00:00:00:77 (handler_base.py:6)" in done.out


def test_an_inherited_handler_of_an_installed_file_is_not_called_complete(sdnloom, tmp_path, monkeypatch):
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "handler_base.py").write_text(HEAD + INHERITED)
    monkeypatch.syspath_prepend(installed)
    scenario = tmp_path / "program"
    scenario.mkdir()
    write(scenario, "from handler_base import Base\n\n\nclass Controller(Base):\n    pass\n")
    done = sdnloom("inputs", scenario / "net.toml", "--port", 1, "--stack", "ethernet")
    assert done.code == 3
    assert "packet_in of a file that is not rewritten" in done.out
    assert "handler_base.py:5" in done.out


def test_addresses_as_text_of_our_own_functions_are_followed(sdnloom, tmp_path):
    program = """\
from sdnloom.network.packet import decode, ip, ip4_text, mac, mac_text


class Texts:
    def packet_in(self, net, switch, message):
        frame, datagram, *_ = decode(message.data).headers
        if mac_text(frame.dst) == "00:00:00:00:00:77":
            net.flood(switch, message)
        elif mac(mac_text(frame.dst)) == 0x78:
            net.flood(switch, message)
        elif ip4_text(datagram.dst).startswith("10.9."):
            net.flood(switch, message)
        elif ip(ip4_text(datagram.dst)) == 0x0B000001:
            net.flood(switch, message)
"""
    write(tmp_path, program)
    done = sdnloom("inputs", tmp_path / "net.toml", "--port", 1, "--stack", "ipv4", "--format", "json")
    found = json.loads(done.out)
    assert found["complete"]
    assert [each["condition"].split(" and ")[-1] for each in found["classes"]] == [
        "ipv4.dst other than 10.9.0.0/16, 11.0.0.1",
        "eth.dst == 00:00:00:00:00:77",
        "eth.dst == 00:00:00:00:00:78",
        "ipv4.dst in 10.9.0.0/16",
        "ipv4.dst == 11.0.0.1",
    ]
