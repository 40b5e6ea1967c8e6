"""Configurations of switches for tests, as a scenario makes them."""

from typing import Any

from sdnloom.network.build import switch_config
from sdnloom.network.network import SwitchOptions
from sdnloom.network.openflow import V10
from sdnloom.network.switch import Switch
from sdnloom.network.topology.spec import SwitchSpec


def configs(
    version: int, count: int = 2, ports: int = 3, profile: str = "openvswitch", **options: Any
) -> dict[str, Switch]:
    """Return switches s1, s2 ... with ports 1, 2 ..."""
    chosen = SwitchOptions("1.0" if version == V10 else "1.3", profile, **options)
    numbers = tuple(range(1, ports + 1))
    return {f"s{dpid}": switch_config(SwitchSpec(f"s{dpid}", dpid, numbers), chosen) for dpid in range(1, count + 1)}
