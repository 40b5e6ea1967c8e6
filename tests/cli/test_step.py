"""`sdnloom step`: the interactive simulator, driven by standard input."""

from pathlib import Path

from tests.check.scenarios import BUFFERED, write
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
    assert lines[-1].startswith("The first letter")
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
