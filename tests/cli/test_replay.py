"""`sdnloom replay`: a trace is a regression test of the program that it was recorded with."""

import json
from pathlib import Path

import pytest

from tests.check.scenarios import BUFFERED, PROGRAM, SCENARIO, write
from tests.cli.running import CommandLine

TRACE = "hub.quiet-h2.sdnloom-trace.json"
CURED = PROGRAM.replace("net.flood(switch, message)", "net.packet_out(switch, message)")
# Other messages with the same effect.
OTHERWISE = "from sdnloom.network.openflow import Output, Port\n" + PROGRAM.replace(
    "net.flood(switch, message)", "net.packet_out(switch, message, Output(Port.ALL))"
)


def with_source(text: str, **source: str) -> str:
    return json.dumps({**json.loads(text), "source": source})


@pytest.fixture
def recorded(sdnloom: CommandLine, tmp_path: Path) -> Path:
    """A folder with a scenario and a trace of its violation."""
    write(tmp_path, BUFFERED)
    assert sdnloom("check", "hub.toml").code == 1
    return tmp_path


def test_unchanged_program_confirms_the_violation(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("replay", TRACE)
    assert (run.code, run.err, run.out.splitlines()[0]) == (1, "", "CONFIRMED quiet h2: h2 received 1")
    assert len(run.out.splitlines()) == 11


def test_after_a_cure_no_order_of_the_inputs_violates_it(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(CURED)
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out.splitlines()) == (
        0,
        [
            "GONE quiet h2: no order of the trace's inputs leads to it any more (all 5 states were searched)",
            "of the trace's 8 steps the first 3 can be taken as recorded; step 4 cannot:",
            "    s1: obeys PacketOut buffer 0 flood",
            "  possible instead:",
            "    s1: obeys PacketOut buffer 0 drop",
        ],
    )
    assert run.err == "warning: the code has changed since the trace was recorded\n"


def test_what_still_violates_it_is_shown_and_written(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(OTHERWISE)
    run = sdnloom("replay", TRACE, "-o", "again/still.json")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (1, "STILL THERE quiet h2: h2 received 1")
    assert lines[1] == "of the trace's 8 steps the first 3 can be taken as recorded; step 4 cannot:"
    assert "the shortest way with the same inputs, 8 steps:" in lines
    assert lines[-1] == "written: again/still.json"
    again = sdnloom("replay", "again/still.json")
    assert (again.code, again.err, again.out.splitlines()[0]) == (1, "", "CONFIRMED quiet h2: h2 received 1")


def test_a_limit_ends_the_search_of_the_inputs(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(CURED)
    run = sdnloom("replay", TRACE, "--max-states", 2)
    assert (run.code, run.out.splitlines()[0]) == (
        3,
        "INCOMPLETE quiet h2: no order of the trace's inputs leads to it so far (2 states), but the limit of 2 states "
        "was reached",
    )
    assert "to see more, raise --max-states" in run.out
    late = sdnloom("replay", TRACE, "--time-limit", "0.000001")
    assert (late.code, late.out.split()[0]) == (3, "INCOMPLETE")
    assert "raise --time-limit" in late.out


@pytest.mark.parametrize(
    "bad", [("--max-states", "0"), ("--time-limit", "0"), ("--time-limit", "x"), ("-o", "hub.py/x")]
)
def test_options_of_the_search_are_checked(sdnloom: CommandLine, recorded: Path, bad: tuple[str, str]) -> None:
    run = sdnloom("replay", TRACE, *bad)
    assert (run.code, run.out) == (2, "")
    assert "Traceback" not in run.err


def test_without_a_search_the_first_lost_step_is_shown(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(CURED)
    run = sdnloom("replay", TRACE, "--no-search")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (3, "DIVERGED quiet h2: h2 received 1: 3 of 8 steps can be taken")
    assert lines[5:] == [
        "  next would be: s1: obeys PacketOut buffer 0 flood",
        "  enabled instead:",
        "    s1: obeys PacketOut buffer 0 drop",
    ]
    assert run.err == "warning: the code has changed since the trace was recorded\n"


def test_a_replay_as_json(sdnloom: CommandLine, recorded: Path) -> None:
    run = sdnloom("replay", TRACE, "--format", "json")
    confirmed = json.loads(run.out)
    assert (run.code, len(confirmed.pop("path"))) == (1, 8)
    assert confirmed == {
        "schema": "sdnloom-replay-1",
        "outcome": "confirmed",
        "property": "quiet h2",
        "message": "h2 received 1",
        "message_now": "h2 received 1",
        "steps": 8,
        "diverged": None,
        "search": None,
        "warnings": [],
    }
    (recorded / "hub.py").write_text(CURED)
    run = sdnloom("replay", TRACE, "--format", "json", "--no-search")
    lost = json.loads(run.out)
    assert (run.code, lost["outcome"], len(lost["path"]), lost["search"]) == (3, "diverged", 3, None)
    assert lost["diverged"]["enabled"] == ["s1: obeys PacketOut buffer 0 drop"]
    assert lost["warnings"] == ["the code has changed since the trace was recorded"]


def test_a_program_with_more_state_is_changed_code_and_no_other_scenario(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(PROGRAM.replace("self.ports = {}", "self.ports = {}\n        self.more = 1"))
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out.splitlines()[0]) == (1, "CONFIRMED quiet h2: h2 received 1")
    assert run.err == "warning: the code has changed since the trace was recorded\n"


def test_a_violation_in_other_words_is_still_there(sdnloom: CommandLine, tmp_path: Path) -> None:
    text = SCENARIO.replace('class = "Hub"', 'class = "Hub"\narguments = { broken = true }')
    write(tmp_path, text.replace("properties = [", 'properties = ["NoHandlerException", '))
    sdnloom("check", "hub.toml")
    (tmp_path / "hub.py").write_text(f"# a line more\n{PROGRAM}")
    run = sdnloom("replay", "hub.NoHandlerException.sdnloom-trace.json")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (
        1,
        "CONFIRMED NoHandlerException: hub.py:14: packet_in of Hub raised KeyError: 's1'",
    )
    assert lines[-1] == "  the property now says: hub.py:15: packet_in of Hub raised KeyError: 's1'"
    (tmp_path / "hub.py").write_text(PROGRAM.replace("raise KeyError(switch)", "pass"))
    assert sdnloom("replay", "hub.NoHandlerException.sdnloom-trace.json").code == 0


def test_fixed_property_no_longer_speaks(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.py").write_text(PROGRAM.replace("if count > most else None", "if count > 5 else None"))
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out.splitlines()[0]) == (
        0,
        "GONE quiet h2: no order of the trace's inputs leads to it any more (all 9 states were searched)",
    )
    assert run.out.splitlines()[1:] == ["all 8 steps of the trace can be taken, and the property holds after them"]
    plain = sdnloom("replay", TRACE, "--no-search")
    assert (plain.code, plain.out.splitlines()[0]) == (
        0,
        "GONE quiet h2: h2 received 1: all 8 steps can be taken, and the property is no longer violated",
    )


def test_scenario_can_be_named(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.toml").rename(recorded / "moved.toml")
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out) == (2, "")
    assert "its scenario 'hub.toml' is not there" in run.err
    assert "--scenario FILE" in run.err
    assert sdnloom("replay", TRACE, "--scenario", "moved.toml").code == 1


def test_another_scenario_is_refused(sdnloom: CommandLine, recorded: Path) -> None:
    (recorded / "hub.toml").write_text(SCENARIO.replace("switches = 2", "switches = 3"))
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"error: {TRACE}: recorded with another scenario than 'hub.toml'; expected ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[:100], ["not a whole JSON document"]),
        (lambda text: "[" * 100_000, ["not a whole JSON document"]),
        (lambda text: "properties = []", ["not JSON", "expected a trace that sdnloom has written"]),
        (lambda text: "{}", ["schema is missing", "sdnloom-trace"]),
        (lambda text: "3", ["the document is 3", "an object"]),
        (lambda text: json.dumps({**json.loads(text), "schema": "x"}), ["schema is 'x'", "sdnloom-trace"]),
        (lambda text: json.dumps({**json.loads(text), "version": 99}), ["version is 99"]),
        (lambda text: json.dumps({**json.loads(text), "source": {}}), ["names no scenario"]),
        (lambda text: json.dumps({**json.loads(text), "steps": [3]}), ["steps[0] is 3"]),
        (lambda text: json.dumps({**json.loads(text), "property": "x"}), ["property is 'x'", "quiet h2"]),
        (lambda text: with_source(text, scenario="x" * 5000), ["its scenario 'xxx", "is not there"]),
        (lambda text: with_source(text, document="x ="), ["its scenario: command line: not TOML"]),
        (lambda text: with_source(text, document="x = 1", folder="a\0b"), ["its folder 'a\\x00b' is not there"]),
        (lambda text: with_source(text, document="x = 1", folder="y" * 5000), ["its folder 'yyy", "is not there"]),
    ],
)
def test_unusable_trace_ends_with_one_message(sdnloom: CommandLine, recorded: Path, change, words: list[str]) -> None:
    file = recorded / TRACE
    file.write_text(change(file.read_text()))
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out) == (2, "")
    for word in [TRACE, *words]:
        assert word in run.err


def test_missing_trace_is_named(sdnloom: CommandLine) -> None:
    run = sdnloom("replay", "gone.json")
    assert (run.code, run.err) == (2, "error: gone.json: cannot read the trace: No such file or directory\n")


def test_a_device_without_an_end_is_no_trace(sdnloom: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.engine.trace._MOST_BYTES", 1000)
    run = sdnloom("replay", "/dev/zero")
    assert (run.code, run.out) == (2, "")
    assert "/dev/zero: more than 1,000 bytes" in run.err
