"""Fixtures of tests that compare the switch model with Open vSwitch."""

from collections.abc import Callable, Iterator

import pytest

from sdnloom.switches.openvswitch import OpenVswitch
from tests.network.switch.differential import Comparison, configuration


@pytest.fixture
def compare(need_tool: Callable[..., None]) -> Iterator[Callable[[int], Comparison]]:
    """Return a function that starts an Open vSwitch of a version; it is stopped after the test."""
    need_tool("ovs-vswitchd", "ovsdb-server")
    started: list[OpenVswitch] = []

    def start(version: int) -> Comparison:
        started.append(OpenVswitch(version))
        return Comparison(configuration(started[-1]), started[-1])

    yield start
    for switch in started:
        switch.close()
