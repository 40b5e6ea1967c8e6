"""Fixtures: one running Open vSwitch for all tests of a worker, and the switches of a test in it."""

from collections.abc import Callable, Iterator, Mapping

import pytest

from sdnloom.confirm.openvswitch.real_bridges import RealBridges
from sdnloom.network.switch import Switch
from sdnloom.switches.vswitch_processes import VswitchProcesses

MakeBridges = Callable[[Mapping[str, Switch]], RealBridges]


@pytest.fixture(scope="session")
def processes(need_tool: Callable[..., None]) -> Iterator[VswitchProcesses]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with VswitchProcesses() as running:
        yield running


@pytest.fixture
def bridges(processes: VswitchProcesses) -> Iterator[MakeBridges]:
    """Return a function that makes bridges; they are removed after the test."""
    made: list[RealBridges] = []

    def make(configs: Mapping[str, Switch]) -> RealBridges:
        made.append(RealBridges(configs, processes))
        return made[-1]

    yield make
    for each in made:
        each.close()
