"""`sdnloom step`: the interactive simulator, driven by standard input."""

from pathlib import Path

from tests.check.scenarios import BUFFERED, SCENARIO, write
from tests.cli.running import CommandLine

SESSION = """\
  1  h1: sends h1 > h2 ICMP echo request
step 1: h1: sends h1 > h2 ICMP echo request
  1  s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller
s1.in: port 1: h1 > h2 ICMP echo request
step 2: s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller
  1  controller: PacketIn from s1 port 1 buffer 0: h1 > h2 ICMP echo request
       -> s1: PacketOut buffer 0 flood
s1
  buffer 0, port 1: h1 > h2 ICMP echo request
s2
  no entries
s2
  no entries
h1 at s1:1: ClientState sent=1 credit=None turn=0
h2 at s2:1
h2 at s2:1
  1  h1: sends h1 > h2 ICMP echo request
  2  s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller
  1  s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller
  1  h1: sends h1 > h2 ICMP echo request
this is the start
  1  h1: sends h1 > h2 ICMP echo request
nothing is under way
no steps yet
"""


def test_a_session_lists_takes_shows_and_goes_back(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, BUFFERED)
    run = sdnloom("step", "hub.toml", stdin="1\nm\n1\nt\ntables s2\nh\nhosts h2\np\nb\nback\nb\nmess\npath\n\nq\n1\n")
    assert (run.code, run.err) == (0, "")
    assert run.out == SESSION


def test_wrong_commands_are_answered_and_the_session_goes_on(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="7\n0\n99999999999999999999999\nfly\ntables s9\nhosts s1\nsave\n²\nl\n")
    assert run.out.splitlines()[1:] == [
        "there is no step 7; expected a number from 1 to 1",
        "there is no step 0; expected a number from 1 to 1",
        "there is no step 99999999999999999999; expected a number from 1 to 1",
        "unknown command 'fly'; `help` lists the commands",
        "there is no switch 's9'",
        "there is no host 's1'",
        "save: expected the name of a file",
        "unknown command '²'; `help` lists the commands",
        "  1  h1: sends h1 > h2 ICMP echo request",
    ]
    assert run.code == 0


def test_a_violation_met_by_hand_is_said_and_can_be_saved_and_replayed(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="1\n" * 8 + "save by/hand.json\nsave hub.py/x\n?\n")
    lines = run.out.splitlines()
    assert lines[lines.index("VIOLATED quiet h2: h2 received 1") + 1 :][:2] == [
        "  nothing can happen any more",
        "saved 8 steps; replay: sdnloom replay by/hand.json",
    ]
    assert "hub.py: cannot make the folder for traces: File exists" in lines
    assert lines[-2].startswith("The first letter")
    replayed = sdnloom("replay", "by/hand.json")
    assert (replayed.code, replayed.out.splitlines()[0]) == (1, "CONFIRMED quiet h2: h2 received 1")


def test_steps_without_a_violation_replay_too(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    sdnloom("step", "hub.toml", stdin="1\n1\nsave two.json\n")
    replayed = sdnloom("replay", "two.json")
    assert (replayed.code, replayed.out.splitlines()[0]) == (0, "REPLAYED all 2 steps can be taken")


def test_a_file_may_have_spaces_in_its_name(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="1\nsave  my steps.json\n")
    assert run.out.splitlines()[-1] == "saved 1 step; replay: sdnloom replay 'my steps.json'"
    replayed = sdnloom("replay", "my steps.json")
    assert (replayed.code, replayed.out.splitlines()[0]) == (0, "REPLAYED the only step can be taken")


def test_a_bad_scenario_ends_with_exit_code_2(sdnloom: CommandLine) -> None:
    run = sdnloom("step", "gone.toml")
    assert (run.code, run.out) == (2, "")


def test_what_must_happen_happens_at_once_on_request(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="1\nrest\nrest\ntick\ntick x\nsave all.json\n")
    lines = run.out.splitlines()
    assert run.code == 0
    assert lines[3:5] == ["7 steps, now 8 in all", "VIOLATED quiet h2: h2 received 1"]
    assert lines.count("it rests") == 2
    assert "time has passed 0 times; it cannot pass any more" in lines
    assert "tick 'x'; expected a number" in lines
    assert sdnloom("replay", "all.json").out.splitlines()[0] == "CONFIRMED quiet h2: h2 received 1"


def test_several_numbers_are_taken_one_after_the_other_until_one_is_wrong(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="1 1 1\nb 2\nback x\nb 9\n1 7 1\n1 x\nquit\n")
    lines = run.out.splitlines()
    assert [line[:7] for line in lines if line.startswith("step ")] == [f"step {n}:" for n in (1, 2, 3, 1, 2)]
    assert "back 'x'; expected a number" in lines
    assert "this is the start" in lines
    assert "there is no step 7; expected a number from 1 to 1" in lines
    assert "there is no step x; expected a number from 1 to 1" in lines
    assert run.code == 0


def test_a_session_goes_through_a_trace_leaves_it_and_comes_back(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace('to = ["h2"]', 'to = ["h2"]\nsends = 2'))
    assert sdnloom("check", "hub.toml").code == 1
    trace = "hub.quiet-h2.sdnloom-trace.json"
    whole = sdnloom("step", trace, stdin="next 99\nnext\npath\n").out.splitlines()
    assert "next is step 1 of the trace's 8: 1" in whole
    assert "VIOLATED quiet h2: h2 received 1" in whole
    assert whole.count("this is the end of the trace (8 steps)") == 2
    assert whole[-10:][0] == "  1  h1: sends h1 > h2 ICMP echo request"  # the path
    left = sdnloom("step", trace, stdin="next\n2\nnext\nback\nn 0\nn x\n").out.splitlines()
    assert (
        left.count("off the trace since step 2; back leads to it again") == 2
    )  # h1 sends again, and next does nothing
    assert left.count("next is step 2 of the trace's 8: 1") == 3
    assert "next 'x'; expected a number" in left
    refused = sdnloom("step", trace, "--ticks", 1)
    assert (refused.code, "is a trace, which has its scenario" in refused.err) == (2, True)
    assert "next: there is no trace" in sdnloom("step", "hub.toml", stdin="next\n").out


def test_a_step_of_a_trace_that_cannot_be_taken_any_more_is_shown(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    assert sdnloom("check", "hub.toml").code == 1
    program = (tmp_path / "hub.py").read_text()
    (tmp_path / "hub.py").write_text(program.replace("net.flood(switch, message)", "net.packet_out(switch, message)"))
    out = sdnloom("step", "hub.quiet-h2.sdnloom-trace.json", stdin="next 5\n").out
    assert "step 4 of the trace's 8 cannot be taken any more: s1: obeys PacketOut flood: h1 > h2 ICMP" in out


def test_the_state_of_the_program_is_shown(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("step", "hub.toml", stdin="app\n1 1 1\napp\napp ports\napp nothing\n")
    lines = run.out.splitlines()
    assert (run.code, lines.count("ports[s1] = 1")) == (0, 2)
    assert lines[-1].startswith("there is no attribute 'nothing'; expected ")
