"""The options of `sdnloom check` that choose strategies and bound PKT-SEQ."""

from dataclasses import replace

from sdnloom.check.options.app_options import COMMAND_LINE
from sdnloom.check.options.fault_options import wrong_option
from sdnloom.check.scenario import Scenario
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.document import as_document
from sdnloom.scenario_file.strategies import read_same_flow
from sdnloom.scenario_file.table import Table
from sdnloom.strategies import PktSeq, make_strategies


def with_strategies(scenario: Scenario, names: str | None, same_flow: str | None, pkt_seq: str | None) -> Scenario:
    """The scenario with the strategy options of a command line over those of its file."""
    if same_flow is not None:
        table = Table(as_document({"same_flow": same_flow}, COMMAND_LINE), COMMAND_LINE)
        scenario = replace(scenario, same_flow=read_same_flow(table, CodeFiles()))
    if names is None and same_flow is None and pkt_seq is None:
        return scenario
    if names is None:
        chosen = [one.name for one in scenario.strategies]
    else:
        chosen = strategy_names(names)
    bounds = next((one for one in scenario.strategies if isinstance(one, PktSeq)), None)
    if pkt_seq is not None:
        bounds = PktSeq(*pkt_seq_numbers(pkt_seq))
    return replace(scenario, strategies=make_strategies(chosen, scenario.same_flow, bounds))


def strategy_names(text: str) -> list[str]:
    """The names of `--strategy`."""
    return [name.strip() for name in text.split(",")] if text else []


def pkt_seq_numbers(text: str) -> list[int]:
    """The bounds of PKT-SEQ, from `LENGTH` or `LENGTH,BURST`."""
    numbers = text.split(",")
    if len(numbers) > 2 or not all(number.isascii() and number.isdigit() and len(number) < 7 for number in numbers):
        wrong_option("--pkt-seq", text, "LENGTH or LENGTH,BURST such as 3,1")
    return [int(number) for number in numbers]
