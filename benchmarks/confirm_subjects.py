"""The shipped counterexamples and scenarios that are taken on the real system."""

from collections.abc import Iterator
from pathlib import Path

from sdnloom.check.load import load_scenario
from sdnloom.check.scenario import Scenario
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import Trace

EXAMPLES = Path(__file__).parents[1] / "examples"
COUNTEREXAMPLES = (
    *(f"mac_learning/bug{number}.toml" for number in (1, 2, 3)),
    *(f"load_balancer/bug{number}.toml" for number in (4, 5, 6, 7, 8, 9)),
    *(f"traffic_engineering/bug{number}.toml" for number in (10, 11, 12, 13)),
    *(f"mac_learning_osken/bug{number}.toml" for number in (1, 2, 3)),
    *(f"mac_learning_nox/bug{number}.toml" for number in (1, 2, 3)),
    *(f"ryu/switch{version}_bug{number}.toml" for version in (10, 13) for number in (1, 2, 3)),
    "ryu/rest_router_gateway.toml",
    "ryu/malformed_bpdu.toml",
    "ryu/malformed_cfm.toml",
)
# Scenarios in which something happens without a timer of the app, on every platform and with every kind of fault.
WALKED = (
    *COUNTEREXAMPLES,
    "mac_learning/bug1_hard_timeout.toml",
    "mac_learning_osken/bug1_hard_timeout.toml",
    "load_balancer/bug9_duplicated.toml",
    "load_balancer/bug9_restarted.toml",
    "traffic_engineering/failover.toml",
    "traffic_engineering/reachable_link_failed.toml",
    "elephant_flows/elephants.toml",
    "ryu/example_switch13.toml",
    "ryu/rest_firewall.toml",
    "ryu/rest_router_configured.toml",
    "ryu/rest_qos.toml",
    "ryu/ofctl_rest.toml",
    "faucet/one_vlan.toml",
    "faucet/acl.toml",
    "faucet/mobile.toml",
    "faucet/routing.toml",
)


def counterexamples(file: str) -> Iterator[tuple[Scenario, Trace]]:
    """Yield a scenario with the trace of each of its counterexamples."""
    scenario = load_scenario(EXAMPLES / file)
    for shown in scenario.check().violations:
        yield scenario, scenario.trace(shown.path, Finding(shown.property, shown.message), {})
