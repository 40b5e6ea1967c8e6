"""Every shipped scenario says the same and comes to rest in the same states with a reduction as without."""

from pathlib import Path

import pytest

from sdnloom import load_scenario
from tests.reduction_comparison import compare, compare_file, without_properties

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("mac_learning", "mac_learning_osken", "load_balancer", "traffic_engineering")
# Packets that circle for ever, or more than the 30,000 states that are compared.
LARGE = {
    "mac_learning/bug3",
    "mac_learning/bug3_mininet",
    "mac_learning_osken/bug3",
    "load_balancer/bug9_silent",
    "traffic_engineering/failover",
    "traffic_engineering/two_flows",
}
SCENARIOS = {
    name: file
    for folder in FOLDERS
    for file in sorted((EXAMPLES / folder).glob("*.toml"))
    if (name := f"{folder}/{file.stem}") not in LARGE
    and "discover" not in name  # several searches, not one
    and not file.name.endswith(".part.toml")
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_the_same_with_and_without_reduction(name):
    sizes = compare_file(SCENARIOS[name])
    assert sizes is not None
    assert sizes.reduced <= sizes.full


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("load_balancer/bug9_fixed", 5.2),
        ("load_balancer/bug9_duplicated_fixed", 8.5),
        ("traffic_engineering/bug12_fixed", 5),
        ("traffic_engineering/two_flows", 5.5),
    ],
)
def test_the_reduction_removes_this_much_where_nothing_is_asked(name, factor):
    sizes = compare(without_properties(load_scenario(EXAMPLES / f"{name}.toml")), most=50_000)
    assert sizes is not None
    assert sizes.factor > factor
