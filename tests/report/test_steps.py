"""Steps as text: the short form tells nothing twice and fits its width; the long form says everything."""

from pathlib import Path

import pytest

from sdnloom import load_scenario
from sdnloom.engine.model import Step
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.walk import Stepper, random_walk
from sdnloom.network import events
from sdnloom.network.packet_id import add_packet_id
from sdnloom.report.describe import Names
from sdnloom.report.step_words import fault_words
from sdnloom.report.steps import choices_text, last_step_text, offered_text, short_texts, steps_text, transition_text
from sdnloom.report.text_style import TextStyle, cut, fold_text

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = """\
   1  A: sends A:1 (A > B ICMP echo request)
   2  s1: receives A:1 (A > B) at port 1 -> to the controller
   3  controller: PacketIn from s1 port 1 buffer 0: A:1 (A > B) -> s1: PacketOut buffer 0 flood
   4  s1: obeys PacketOut of step 3 -> out 2, 3
   5  B: receives A:1 (A > B) at s1:2
   6  B: is not at s1:3, A:1 (A > B) is lost
   7  B: replies B:to:A:1 (B > A ICMP echo reply)
   8  s1: receives B:to:A:1 (B > A) at port 2 -> to the controller
   9  controller: PacketIn from s1 port 2 buffer 0: B:to:A:1 (B > A)
        -> s1: FlowMod add buffer 0 in_port=2,eth_dst=A,eth_src=B,ip: port 1 (idle 5 s)
  10  s1: obeys FlowMod of step 9 -> out 1
  11  A: receives B:to:A:1 (B > A)"""


@pytest.fixture(scope="module")
def walked() -> tuple[Stepper, Names]:
    """The first steps of the counterexample of BUG-I, by hand."""
    scenario = load_scenario(EXAMPLES / "mac_learning" / "bug1.toml")
    stepper = Stepper(scenario.system())
    assert stepper.take_first("A", "send")
    stepper.rest()
    return stepper, Names.of(scenario.network.topology)


def test_the_short_form_of_each_step(walked: tuple[Stepper, Names]) -> None:
    stepper, names = walked
    assert "\n".join(steps_text(stepper.transitions, names)) == SHOWN


def test_the_long_form_says_everything_on_one_line(walked: tuple[Stepper, Names]) -> None:
    stepper, names = walked
    lines = steps_text(stepper.transitions, names, TextStyle(width=10, long=True))
    assert [line[6:] for line in lines] == [transition_text(each, names) for each in stepper.transitions]
    assert lines[9].startswith(
        "  10  s1: obeys FlowMod add buffer 0 in_port=2,eth_dst=A,eth_src=B,eth_type=0x800: port 1 "
    )


@pytest.mark.parametrize("width", [60, 72, 80, 100, 140])
def test_short_steps_fit_the_width(walked: tuple[Stepper, Names], width: int) -> None:
    stepper, names = walked
    lines = steps_text(stepper.transitions, names, TextStyle(width))
    assert max(map(len, lines)) <= width
    assert [line[:4] for line in lines if line[:4].strip()] == [f"{number:4}" for number in range(1, 12)]


def test_random_walks_fit_the_width_and_show_no_python() -> None:
    for name in ("mac_learning/bug1", "load_balancer/bug9_restarted", "traffic_engineering/failover"):
        scenario = load_scenario(EXAMPLES / f"{name}.toml")
        semantics, names = Semantics(scenario.system()), Names.of(scenario.network.topology)
        for seed in range(2):
            stepper = Stepper(semantics)
            walk = random_walk(semantics, seed, 60)
            for step in walk.path.steps:
                number = next(n for n, each in enumerate(stepper.enabled()) if each.step == step)
                stepper.take(number)
            lines = steps_text(stepper.transitions, names)
            assert max(map(len, lines)) <= 100
            assert not [line for line in lines if "Match" in line or "='" in line or "Mod(" in line]
            assert len(short_texts(stepper.transitions, names)) == len(walk.path)


def test_steps_that_can_be_taken_refer_to_those_that_were(walked: tuple[Stepper, Names]) -> None:
    stepper, names = walked
    before, last = stepper.transitions[:-2], stepper.transitions[-2]
    assert choices_text(before, [last, last], names) == [f"  {n}  s1: obeys FlowMod of step 9 -> out 1" for n in (1, 2)]
    assert last_step_text([*before, last], names) == ["step 10: s1: obeys FlowMod of step 9 -> out 1"]


def test_colours_are_only_there_if_they_are_wanted(walked: tuple[Stepper, Names]) -> None:
    stepper, names = walked
    plain = steps_text(stepper.transitions, names)
    coloured = steps_text(stepper.transitions, names, TextStyle(colour=True))
    assert "\033" not in "".join(plain)
    assert coloured[0] == "   1  \033[34mA:\033[0m sends A:1 (A > B ICMP echo request)"
    assert coloured[1].startswith("   2  \033[36ms1:\033[0m")
    assert coloured[2].startswith("   3  \033[35mcontroller:\033[0m")
    assert TextStyle().verdict("HOLDS x") == "HOLDS x"
    assert TextStyle(colour=True).verdict("HOLDS x") == "\033[1m\033[32mHOLDS\033[0m x"
    assert TextStyle(colour=True).verdict("VIOLATED x").startswith("\033[1m\033[31mVIOLATED\033[0m")
    assert TextStyle(colour=True).verdict("HOLDSTER") == "HOLDSTER"


def test_a_step_that_is_not_enabled_is_told_by_its_names() -> None:
    assert offered_text(Step("A", "send", None, "B"), Names()) == "A: sends [B]"
    assert offered_text(Step("environment", "fail s1-s2"), Names()) == "environment: fail s1-s2"
    assert offered_text(Step("s1", "join"), Names()) == "s1: connects to the controller again"
    assert offered_text(Step("controller", "tick", None, "wake Monitor.poll#2"), Names()) == (
        "controller: time passes, Monitor.poll (thread 2) goes on"
    )
    assert offered_text(Step("controller", "tick", None, "timeout Switches.lldp_loop#3"), Names()) == (
        "controller: time passes, Switches.lldp_loop (thread 3) goes on"
    )
    assert offered_text(Step("me", "fly", "high"), Names()) == "me: fly high"
    expiry = "idle timeout of Match.of(in_port=1, eth_src=mac('00:00:00:00:00:01')) priority 5 table 0"
    assert offered_text(Step("s1", "expire", None, expiry), Names({1: "ann"})) == (
        "s1: lets a timeout expire [idle timeout of in_port=1,eth_src=ann priority 5 table 0]"
    )


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("s2.in:drop", "a packet to s2 is dropped"),
        ("s2.in:drop 2", "a packet to s2 is dropped (number 2)"),
        ("h1.in@s1:3:duplicate", "a packet to h1 at s1:3 is duplicated"),
        ("s2.in:overtake 1 at 3", "a packet to s2 overtakes 1 at port 3"),
        ("s2.in:overtake 2+duplicate", "a packet to s2 overtakes 2 and is duplicated"),
        ("s2.of:drop", "a message to s2 is dropped"),
        ("mine:drop", "fault mine:drop"),
    ],
)
def test_faults_in_words(fault: str, text: str) -> None:
    assert fault_words(fault) == text


def test_long_texts_are_folded_and_then_cut_in_the_middle() -> None:
    assert fold_text("a b c", 5) == ["a b c"]
    assert fold_text("aaaa bbbb cccc", 10) == ["aaaa bbbb", "  cccc"]
    assert cut("0123456789abcdef", 10) == "01234...ef"
    for width in range(60):
        assert len(cut("x" * 100, width)) <= width
        assert all(len(line) <= max(width, 3) for line in fold_text("some words, and more of them", width)) or width < 3


def test_texts_of_programs_and_payloads_cannot_command_the_terminal(walked: tuple[Stepper, Names]) -> None:
    stepper, names = walked
    first = stepper.transitions[0]
    packet = add_packet_id(first.events[0].packet, "A\033[2J\n:1")
    hostile = first._replace(events=(events.Sent("A", packet), events.CallAnswered("x", 200, "a\r\nb\033[31m")))
    for style in (TextStyle(), TextStyle(long=True), TextStyle(colour=True)):
        text = "\n".join(steps_text([hostile], names, style))
        assert not [
            each
            for each in text.replace("\033[34m", "").replace("\033[0m", "")
            if not (each.isprintable() or each == "\n")
        ]
        assert "\\x1b[2J" in text


def test_a_packet_out_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    (tmp_path / "back.py").write_text(
        "from sdnloom import openflow\n\n\n"
        "class Back:\n"
        "    def packet_in(self, net, switch, message):\n"
        "        net.packet_out(switch, message, openflow.Output(message.in_port))\n"
    )
    (tmp_path / "back.toml").write_text(
        'properties = ["NoHandlerException"]\n[program]\nfile = "back.py"\n'
        '[topology]\nshape = "single"\nhosts = 2\n'
        '[[hosts]]\nname = "h1"\nkind = "client"\nto = ["h2"]\n'
    )
    scenario = load_scenario(tmp_path / "back.toml")
    stepper = Stepper(scenario.system())
    assert stepper.take_first("h1", "send")
    stepper.rest()
    names = Names.of(scenario.network.topology)
    assert short_texts(stepper.transitions, names)[-1] == "s1: obeys PacketOut of step 3 -> nothing goes out"
