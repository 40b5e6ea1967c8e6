"""Plans of bridges: devices are named as in the scenario where Open vSwitch can have these names."""

import re
from dataclasses import replace

import pytest

from sdnloom.confirm.openvswitch.bridge_plans import bridge_plans
from sdnloom.confirm.real_parts import RealPartError
from sdnloom.network.openflow import V10, V13, FeaturesReply, FeaturesRequest, Port, PortDesc
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.switch import Switch, features_of, initial_switch_core
from tests.confirm.openvswitch.configs import configs
from tests.confirm.openvswitch.conftest import MakeBridges


def named(dpid: int, *names: str, version: int = V13) -> Switch:
    """Return a switch whose ports have these names, LOCAL the first."""
    local, *others = names
    base = 0x0200_0000_0000 | dpid << 16
    ports = [PortDesc(number, base | number, name) for number, name in enumerate(others, 1)]
    return Switch(dpid, (*ports, PortDesc(Port.LOCAL, base, local)), version)


def test_devices_have_the_names_numbers_and_addresses_of_the_scenario() -> None:
    plans, notes = bridge_plans(configs(V13))
    assert notes == ()
    plan = plans["s2"]
    assert (plan.name, plan.datapath_id, plan.version, plan.address) == ("s2", 2, V13, 0x0200_0002_0000)
    assert [(port.number, port.device, port.address) for port in plan.ports] == [
        (number, f"s2-eth{number}", 0x0200_0002_0000 | number) for number in (1, 2, 3)
    ]


def test_names_that_open_vswitch_cannot_have_are_replaced_and_a_note_says_so() -> None:
    plans, notes = bridge_plans(
        {
            "a switch": named(1, "a switch", "same", "dev1"),
            "b": named(2, "b", "same", ""),
            "c": named(3, "ovs-c", "-x", "a/b"),
            "d": named(4, "a-name-of-sixteen", "true"),
        }
    )
    devices = {name: [plan.name, *(port.device for port in plan.ports)] for name, plan in plans.items()}
    assert devices == {
        "a switch": ["dev2", "same", "dev1"],
        "b": ["b", "dev3", "dev4"],
        "c": ["dev5", "dev6", "dev7"],
        "d": ["dev8", "true"],
    }
    (note,) = notes
    assert note.startswith(
        "7 devices have other names in Open vSwitch, such as dev2 for 'a switch' of a switch, because"
    )


@pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
def test_messages_have_the_names_of_the_scenario_though_devices_have_not(bridges: MakeBridges, version: int) -> None:
    chosen = {
        "one": named(1, "core-of-campus", "uplink", "véritable", version=version),
        "two": named(2, "core-of-campus", "uplink", "a b", version=version),
    }
    made = bridges(chosen)
    assert len(made.notes) == 1
    for name, config in chosen.items():
        (answer,) = made.switches[name].request(encode(FeaturesRequest(), version))
        features = decode(answer, version)
        assert isinstance(features, FeaturesReply)
        if version == V10:
            ours = features_of(config, initial_switch_core(config))
            assert [port.name for port in features.ports] == [port.name for port in ours.ports]
        assert features.datapath_id == config.datapath_id
        made.switches[name].receive_frames([(1, bytes(60)), (2, bytes(60))])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (replace(named(1, "s"), datapath_id=0), "switch s: datapath id 0: expected another one, because Open vSwitch"),
        (
            Switch(1, (PortDesc(0xFF00, 1, "x"),), V13),
            "switch s: port 65280: expected 1 to 65279 with Open vSwitch",
        ),
        (
            Switch(1, (PortDesc(0, 1, "x"),), V13, lowest_port=0),
            "switch s: port 0: expected 1 to 65279 with Open vSwitch",
        ),
        (
            Switch(1, (PortDesc(1, 0, "x"),), V13),
            "switch s: port 1 has the address 000000000000: expected one of a device",
        ),
        (
            Switch(1, (PortDesc(1, 1 << 40, "x"),), V13),
            "switch s: port 1 has the address 010000000000: expected one of a",
        ),
    ],
)
def test_a_switch_that_open_vswitch_cannot_be_is_refused_by_name(config: Switch, message: str) -> None:
    with pytest.raises(RealPartError, match=f"^{re.escape(message)}"):
        bridge_plans({"s": config})
