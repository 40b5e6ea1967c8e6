"""The correction of BUG-I, a host that moves, with discovered packets: no false alarm, and the bounds say so."""

from dataclasses import replace

import pytest

from sdnloom import load_scenario
from sdnloom.inputs.options import DiscoverOptions
from tests.examples.expected import BUGS, EXAMPLES

# Rules are for one type of packets, so each further type multiplies the states: all stacks give 596,010 and hold too.
ONE_TYPE = DiscoverOptions(stacks=("ethernet",), fields=(("eth.type", "0x88b5"),))
SIZES = {
    "mac_learning_osken/bug1_fixed": (49_613, 133_467),
    "mac_learning_osken/bug1_fixed_persistent": (26_328, 73_284),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_the_cure_holds_for_all_discovered_packets_of_one_type(name: str) -> None:
    assert name in BUGS["I"][1]
    scenario = load_scenario(EXAMPLES / f"{name}.toml").discovering(only=True)
    report = replace(scenario, discovery=ONE_TYPE).check()
    assert (report.verdict, report.result.never, report.result.incomplete) == ("holds", (), None)
    assert (report.result.statistics.states, report.result.statistics.transitions) == SIZES[name]
    assert report.bounds[-1] == (
        "3 packets discovered, one for each class and each role of its destination "
        "(classes told apart by the program: 2, by flow tables: 0) (2 rounds, 4 questions)"
    )
    assert report.bounds[0] == "A: at most 3 packets (1 unanswered)"
