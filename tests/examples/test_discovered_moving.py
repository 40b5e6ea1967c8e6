"""The correction of BUG-I, a host that moves, with discovered packets: no false alarm, and the bounds say so."""

from dataclasses import replace

import pytest

from sdnloom import load_scenario
from sdnloom.inputs.options import DiscoverOptions
from tests.examples.expected import BUGS, EXAMPLES

# Rules are for one type of packets, so each further type multiplies the states: all stacks give 596,010.
ONE_TYPE = DiscoverOptions(stacks=("ethernet",), fields=(("eth.type", "0x88b5"),))
GROUP_SOURCE = "--field eth.src=own,01:00:00:00:00:01"
SIZES = {
    "mac_learning_osken/bug1_fixed": (49_613, 133_467),
    "mac_learning_osken/bug1_fixed_persistent": (26_328, 73_284),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_nothing_violates_the_cure_with_all_discovered_packets_of_one_type(name: str) -> None:
    assert name in BUGS["I"][1]
    scenario = load_scenario(EXAMPLES / f"{name}.toml").discovering(only=True)
    report = replace(scenario, discovery=ONE_TYPE).check()
    assert (report.verdict, report.result.never, report.violations) == ("incomplete", (), ())
    assert report.discovery is not None
    assert not report.discovery.gaps
    [unreached] = report.discovery.unreached  # of sources: no host sends from a group address, not even an answer
    assert (unreached.file, unreached.option) == ("pyswitch.py", GROUP_SOURCE)
    assert (report.result.statistics.states, report.result.statistics.transitions) == SIZES[name]
    assert report.bounds[-1] == (
        "3 packets discovered, one for each class and each role of its destination "
        "(classes told apart by the program: 5, by flow tables: 1) (2 rounds, 15 questions)"
    )
    assert report.bounds[0] == "A: at most 3 packets (1 unanswered)"
