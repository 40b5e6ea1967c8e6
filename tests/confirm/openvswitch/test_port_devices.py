"""Descriptions of ports are corrected where a dummy device decides, and nowhere else."""

import random
from dataclasses import replace

import pytest

from sdnloom.confirm.openvswitch.port_devices import port_numbers, ports_down, with_port_devices
from sdnloom.network.openflow import (
    V10,
    V13,
    EchoReply,
    FeaturesReply,
    GetConfigReply,
    OpenFlowMessage,
    Port,
    PortConfig,
    PortDesc,
    PortDescReply,
    PortReason,
    PortState,
    PortStatsReply,
    PortStatus,
)
from sdnloom.network.openflow.codec import decode, encode
from tests.confirm.openvswitch.configs import configs

VERSIONS = pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])


def listed(version: int, ports: tuple[PortDesc, ...]) -> OpenFlowMessage:
    return FeaturesReply(5, 0, 254, ports=ports, xid=3) if version == V10 else PortDescReply(ports, xid=3)


def as_dummies(ports: tuple[PortDesc, ...]) -> list[PortDesc]:
    """Return ports as Open vSwitch has them: with other names, without features and speeds."""
    return [
        replace(port, name=f"dev{number}", curr=0, curr_speed=0, config=port.config | (PortConfig.NO_FWD * number))
        for number, port in enumerate(ports)
    ]


@VERSIONS
@pytest.mark.parametrize("seed", range(10))
def test_lists_of_ports_are_put_in_order_and_have_what_the_scenario_says(version: int, seed: int) -> None:
    ports = configs(version, 1, 5)["s1"].ports
    theirs = as_dummies(ports)
    expected = tuple(replace(port, config=other.config) for port, other in zip(ports, theirs, strict=True))
    random.Random(seed).shuffle(theirs)
    message = encode(listed(version, tuple(theirs)), version)
    by_number = {port.port_no: port for port in ports}
    assert decode(with_port_devices(message, by_number, ()), version) == listed(version, expected)
    assert port_numbers([message]) == {1, 2, 3, 4, 5}
    assert ports_down([message]) == set()  # LOCAL is down, but does not count


@VERSIONS
def test_a_port_without_carrier_is_not_shown_as_configured_to_be_down(version: int) -> None:
    ports = {port.port_no: port for port in configs(version, 1)["s1"].ports}
    down = replace(ports[2], config=int(PortConfig.PORT_DOWN), state=int(PortState.LINK_DOWN))
    message = encode(PortStatus(PortReason.MODIFY, down), version)
    assert decode(with_port_devices(message, ports, ()), version) == PortStatus(PortReason.MODIFY, down)
    shown = decode(with_port_devices(message, ports, {2}), version)
    assert shown == PortStatus(PortReason.MODIFY, replace(down, config=0))
    assert ports_down([encode(listed(version, (down,)), version)]) == {2}


@VERSIONS
def test_a_port_that_the_scenario_does_not_know_is_shown_as_it_is(version: int) -> None:
    local = PortDesc(Port.LOCAL, 5, "br0", int(PortConfig.PORT_DOWN), 1, 0xC0)
    message = encode(PortStatus(PortReason.ADD, local), version)
    assert with_port_devices(message, {}, {2}) == message


@VERSIONS
@pytest.mark.parametrize("other", [EchoReply(bytes(100)), GetConfigReply(), PortStatsReply()])
def test_other_messages_are_left_alone(version: int, other: OpenFlowMessage) -> None:
    message = encode(other, version)
    ports = {port.port_no: port for port in configs(version, 1)["s1"].ports}
    assert with_port_devices(message, ports, {1}) == message
