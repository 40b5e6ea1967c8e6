"""Selection of strategies in a scenario file and on the command line."""

from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.errors import SdnloomError
from sdnloom.strategies import FlowIR, NoDelay, PktSeq, Unusual
from tests.check.scenarios import PROGRAM, SCENARIO, write
from tests.cli.running import CommandLine

QUIET = SCENARIO.replace('host = "h2" }', 'host = "h2", most = 9 }')
SAME = "\n\ndef same(one, other):\n    return True\n\n\nnumber = 3\n"


@pytest.fixture
def sdnloom(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capsys)


def scenario(folder: Path, search: str) -> Path:
    file = write(folder, f"{QUIET}\n[search]\n{search}\n")
    (folder / "hub.py").write_text(PROGRAM + SAME)
    return file


def test_a_scenario_names_its_strategies(tmp_path):
    text = 'strategies = ["flow-ir", "no-delay"]\nsame_flow = "hub.py:same"\npkt_seq = { length = 3, burst = 1 }'
    loaded = load_scenario(scenario(tmp_path, text))
    assert loaded.same_flow is not None
    assert loaded.strategies == (PktSeq(3, 1), FlowIR(loaded.same_flow), NoDelay())
    assert load_scenario(write(tmp_path)).strategies == (PktSeq(),)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ('strategies = ["slow"]', r"search.strategies\[0\] is 'slow'; expected one of pkt-seq, no-delay, unusual"),
        ('strategies = "no-delay"', "search.strategies is 'no-delay'; expected a list of strings"),
        ('strategies = ["no-delay", "no-delay"]', "search.strategies: strategy 'no-delay' is given twice"),
        ('strategies = ["flow-ir"]', "search.strategies: strategy 'flow-ir' does not know which packets"),
        ('same_flow = "same"', "search.same_flow is 'same'; expected a function of two packets"),
        ('same_flow = "hub.py:other"', "has no 'other'"),
        ('same_flow = "hub.py:number"', "search.same_flow is 'hub.py:number'; expected a function"),
        ("pkt_seq = { length = -1 }", "search.pkt_seq.length is -1; expected a whole number of at least 0"),
        ("pkt_seq = { size = 1 }", "search.pkt_seq.size = 1 is unknown"),
    ],
)
def test_a_mistake_is_one_message_with_its_key(tmp_path, search, message):
    with pytest.raises(SdnloomError, match=message):
        load_scenario(scenario(tmp_path, search))


def test_the_command_line_wins_and_keeps_bounds_and_same_flow(sdnloom, tmp_path):
    scenario(tmp_path, 'strategies = ["no-delay"]\nsame_flow = "hub.py:same"\npkt_seq = { burst = 1 }')
    run = sdnloom("check", "hub.toml", "--strategy", "unusual,flow-ir")
    assert run.code == 3
    assert run.out == (
        "INCOMPLETE no violation so far, but the strategy UNUSUAL skips orders in which the controller's messages "
        "arrive in time and in order; the strategy FLOW-IR skips orders in which packets of different flows overlap\n"
        "searched 9 states, 8 transitions, depth 8, 2 handler runs\n"
        "bounds:\n"
        "  h1: at most 1 packet (1 unanswered)\n"
        "  without orders in which the controller's messages arrive in time and in order (UNUSUAL)\n"
        "  without orders in which packets of different flows overlap (FLOW-IR)\n"
        "tried: h1 pings h2: at most 1 packet, 1 unanswered; h2 only receives\n"
        "reduction: none (a strategy leaves out orders already)\n"
    )
    assert sdnloom("check", "hub.toml", "--strategy", "").code == 0


def test_the_command_line_refuses_a_strategy_by_name(sdnloom, tmp_path):
    scenario(tmp_path, "")
    run = sdnloom("check", "hub.toml", "--strategy", "no-delay,fast")
    assert (run.code, run.out) == (2, "")
    assert run.err == "error: strategy 'fast' is unknown; expected one of pkt-seq, no-delay, unusual, flow-ir\n"


def test_same_flow_that_raises_is_one_message(sdnloom, tmp_path):
    scenario(tmp_path, 'strategies = ["flow-ir"]\nsame_flow = "hub.py:broken"')
    (tmp_path / "hub.py").write_text(PROGRAM + "\n\ndef broken(one, other):\n    return one.colour == other.colour\n")
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: strategy FLOW-IR, asked about 'send' of 'h1', raised AttributeError: ")


def test_a_scenario_accepts_only_search_strategies(tmp_path):
    loaded = load_scenario(scenario(tmp_path, 'strategies = ["pkt-seq", "unusual"]'))
    assert loaded.strategies == (PktSeq(), Unusual())
