"""What happens before the search, as a user sees it: crashes, storms, discovered links, set-up, and their options."""

import shutil
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

HEAD = """\
from os_ken.base.app_manager import OSKenApp
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_3
from os_ken.topology import event
from os_ken.topology.api import get_link


class App(OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}
        self.start_up()

    def start_up(self):
        pass

    def out(self, datapath, in_port, data):
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(ofproto.OFPP_FLOOD)]
        datapath.send_msg(parser.OFPPacketOut(datapath, ofproto.OFP_NO_BUFFER, in_port, actions, data))

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        datapath = ev.msg.datapath
        self.datapaths[datapath.id] = datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        instructions = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(parser.OFPFlowMod(datapath, priority=0, match=parser.OFPMatch(), instructions=instructions))
        self.joined(datapath)

    def joined(self, datapath):
        pass

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.out(ev.msg.datapath, ev.msg.match["in_port"], ev.msg.data)
"""
CRASH = """
    def joined(self, datapath):
        if len(self.datapaths) == 2:
            raise KeyError(datapath.id)
"""
CRASH_LINE = (HEAD + CRASH).splitlines().index("            raise KeyError(datapath.id)") + 1
BROADCAST = """
    def start_up(self):
        hub.spawn(self.announce)

    def announce(self):
        while True:
            hub.sleep(5)
            frame = bytes.fromhex("ff" * 6 + "02" * 6 + "88b5") + bytes(46)
            self.out(self.datapaths[1], ofproto_v1_3.OFPP_CONTROLLER, frame)
"""
TOPOLOGY = """
    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        if ev.msg.data[12:14] != b"\\x88\\xcc":
            assert len(get_link(self)) == 4, "links are missing"
            self.out(ev.msg.datapath, ev.msg.match["in_port"], ev.msg.data)
"""


@pytest.fixture
def app(tmp_path: Path):
    """Return a function that writes an app into the current folder."""

    def write(body: str) -> str:
        (tmp_path / "app.py").write_text(HEAD + body)
        return "app.py"

    return write


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--reduce"],
        ["--app-threads", "explore"],
        pytest.param(["--discover"], marks=pytest.mark.slow),
        ["--engine", "kernel"],
        ["--all"],
    ],
    ids=str,
)
def test_a_crash_while_the_switches_join_is_a_violation(app, sdnloom: CommandLine, options: list[str]) -> None:
    run = sdnloom("check", "--app", app(CRASH), *options)
    lines = run.out.splitlines()
    assert run.code == 1
    assert lines[0].startswith(f"VIOLATED NoHandlerException: app.py:{CRASH_LINE}: features of App raised KeyError: ")
    assert lines[1] == "counterexample, 4 steps, none can be left out:"
    assert [line.split()[1:3] for line in lines[2:6:2]] == [["s1:", "connects"], ["controller:", "s1"]]
    assert "the violation comes before the search, which was not started" in run.out
    replayed = sdnloom("replay", "app.NoHandlerException.sdnloom-trace.json")
    assert (replayed.code, replayed.out.splitlines()[1:]) == (1, lines[2 : lines.index("")])


def test_step_and_walk_go_through_the_events_before_the_search(app, sdnloom: CommandLine) -> None:
    note = "note: NoHandlerException is violated before the search, so the steps are those before it\n"
    stepped = sdnloom("step", "--app", app(CRASH), stdin="1\n1\nquit\n")
    assert (stepped.code, stepped.err, "step 2: controller: s1 joins" in stepped.out) == (0, note, True)
    walked = sdnloom("walk", "--app", "app.py")
    assert (walked.code, walked.err, "VIOLATED NoHandlerException" in walked.out) == (1, note, True)


def test_the_trace_of_a_crash_is_gone_when_the_app_is_cured(app, sdnloom: CommandLine) -> None:
    assert sdnloom("check", "--app", app(CRASH)).code == 1
    app(CRASH.replace("raise KeyError(datapath.id)", "return"))
    replayed = sdnloom("replay", "app.NoHandlerException.sdnloom-trace.json")
    assert (replayed.code, replayed.out.split()[0]) == (0, "GONE")


def test_a_trace_replays_although_the_app_raises_before_the_search_now(app, sdnloom: CommandLine) -> None:
    cured = CRASH.replace("raise KeyError(datapath.id)", "return")
    assert sdnloom("check", "--app", app(cured), "--topology", "ring,3", "--hub", "eventlet").code == 1
    app(CRASH)
    replayed = sdnloom("replay", "app.NoForwardingLoops.sdnloom-trace.json")
    assert (replayed.code, replayed.out.split()[0]) == (1, "CONFIRMED")


def test_an_app_that_is_not_asked_about_exceptions_goes_on(app, sdnloom: CommandLine) -> None:
    options = ["--property", "NoForwardingLoops", "--hub", "eventlet", "--no-trace"]
    run = sdnloom("check", "--app", app(CRASH), *options)
    assert run.code == 0
    assert (
        f"app.py:{CRASH_LINE}: features of App raised KeyError: 2 while the switches join, before the search" in run.out
    )


@pytest.mark.parametrize(
    "options", [["--warmup", "1"], pytest.param(["--setup", "ticks 1"], marks=pytest.mark.slow)], ids=str
)
def test_a_broadcast_that_goes_round_before_the_search_is_a_loop(app, sdnloom: CommandLine, options: list[str]) -> None:
    run = sdnloom("check", "--app", app(BROADCAST), "--topology", "ring,3", *options)
    lines = run.out.splitlines()
    assert run.code == 1
    assert lines[0] == (
        "VIOLATED NoForwardingLoops: packet 02:02:02:02:02:02 > ff:ff:ff:ff:ff:ff of the program came in at s2:2 more "
        "often than it was sent"
    )
    replayed = sdnloom("replay", "app.NoForwardingLoops.sdnloom-trace.json")
    assert replayed.out.startswith("CONFIRMED NoForwardingLoops")


def test_in_a_line_the_same_broadcast_is_no_loop(app, sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--app", app(BROADCAST), "--warmup", "3", "--max-states", "20", "--no-trace")
    assert (run.code, run.out.partition(" ")[0]) == (3, "INCOMPLETE")


def test_links_are_known_when_the_search_starts(app, sdnloom: CommandLine) -> None:
    options = ["--topology", "linear,3", "--property", "NoHandlerException", "--no-trace"]
    run = sdnloom("check", "--app", app(TOPOLOGY), "--observe-links", *options)
    assert (run.code, run.out.split(":")[0]) == (0, "HOLDS NoHandlerException")
    warm = "warm-up before the search, in one order: switches join, no time passes, LLDP crossed every link"
    assert warm in run.out
    without = sdnloom("check", "--app", app(TOPOLOGY), *options)
    assert (without.code, "links are missing" in without.out) == (1, True)


def test_without_an_app_that_observes_links_the_bounds_say_so(tmp_path: Path, sdnloom: CommandLine) -> None:
    shutil.copy(ROOT / "examples" / "apps" / "learning_switch.py", tmp_path)
    run = sdnloom("check", "--app", "learning_switch.py", "--observe-links", "--no-trace")
    assert (run.code, "no time passes, LLDP has never come in at s1:2, s2:2" in " ".join(run.out.split())) == (1, True)


FORWARDER = str(ROOT / "examples" / "apps" / "rest_forwarder.py")


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (
            ["PUT /forward/9 {}"],
            "setup step 1 (PUT /forward/9): answered with 404 no switch 9; expected a",
        ),
        (["PUT /forward/1 {}", "GET /forward/1"], "setup step 2 (GET /forward/1): answered with 404 "),
        (["ticks 1"], "setup step 1 (time passes): the program has no timer"),
    ],
    ids=str,
)
def test_a_setup_that_fails_is_an_error(sdnloom: CommandLine, setup: list[str], message: str) -> None:
    run = sdnloom("check", "--app", FORWARDER, *(word for each in setup for word in ("--setup", each)))
    assert run.code == 2
    assert message in run.err


SLOW_APP = """
from os_ken.app.wsgi import ControllerBase, Response, WSGIApplication, route


class Interface(ControllerBase):
    @route("slow", "/slow/{seconds}", methods=["GET"])
    def get(self, req, seconds, **kwargs):
        for _ in range(int(seconds)):
            hub.sleep(1)
        return Response(text="at last")


class AnApp(App):  # os-ken takes the first by name
    _CONTEXTS = {"wsgi": WSGIApplication}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        kwargs["wsgi"].register(Interface)
"""


def test_an_answer_may_take_some_time_but_not_for_ever(app, sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--app", app(SLOW_APP), "--setup", "GET /slow/3", "--max-states", "2", "--no-trace")
    assert run.code == 3
    run = sdnloom("check", "--app", "app.py", "--setup", "GET /slow/30")
    assert (run.code, "setup step 1 (GET /slow/30): the program waits and does not answer" in run.err) == (2, True)


def test_a_setup_in_a_file_names_status_body_and_text(tmp_path: Path, sdnloom: CommandLine) -> None:
    printed = sdnloom("check", "--app", FORWARDER, "--topology", "single,2", "--print-scenario").out
    good = '\n[[setup]]\ncall = "PUT /forward/1"\nbody = { 1 = 2, 2 = 1 }\ncontains = "done"\n'
    missing = '\n[[setup]]\ncall = "PUT /forward/7"\nbody = {}\nstatus = 404\n'
    (tmp_path / "net.toml").write_text(printed + good + missing)
    assert sdnloom("check", "net.toml").out.startswith("HOLDS")
    (tmp_path / "net.toml").write_text(printed + good.replace("done", "well"))
    run = sdnloom("check", "net.toml")
    assert (run.code, run.err.strip()) == (
        2,
        "error: net.toml: setup step 1 (PUT /forward/1): answered with 200 done; expected 'well' in it",
    )


def test_a_printed_scenario_means_the_same(tmp_path: Path, sdnloom: CommandLine) -> None:
    options = ["--topology", "tree,1,2", "--hosts", "2", "--setup", 'PUT /forward/1 {"1": 2, "2": 1}', "--drop", "h1"]
    options += ["--config", "wsapi_port=9", "--restart-switch", "s1", "--fail-link", "h2", "--duplicate", "h2,1"]
    options += ["--property", "NoForwardingLoops", "--property", "NoHandlerException"]
    first = sdnloom("check", "--app", FORWARDER, *options, "--max-states", "100")
    printed = sdnloom("check", "--app", FORWARDER, *options, "--print-scenario").out
    (tmp_path / "same.toml").write_text(printed)
    assert (first.code, "switch s1 fails at most once" in first.out) == (3, True)
    assert sdnloom("check", "same.toml", "--max-states", "100").out == first.out
