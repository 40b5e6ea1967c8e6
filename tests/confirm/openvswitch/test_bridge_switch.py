"""A bridge of Open vSwitch as a switch of a scenario: what it reports, does and forgets, beside the model."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from sdnloom.confirm.openvswitch.bridge_switch import BridgeSwitch
from sdnloom.confirm.openvswitch.real_bridges import RealBridges
from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    FeaturesRequest,
    FlowMod,
    Match,
    OpenFlowMessage,
    Output,
    PortDescReply,
    PortDescRequest,
)
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.packet import Ethernet, stack
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import Switch, features_of, initial_switch_core
from sdnloom.switches.bridge import SwitchReaction
from tests.confirm.openvswitch.configs import configs

Make = Callable[[Mapping[str, Switch]], RealBridges]
VERSIONS = pytest.mark.parametrize("version", [V10, V13], ids=["1.0", "1.3"])
FRAME = encode_packet(stack(Ethernet(2, 1, 0x88B5), payload=bytes(50)))


def given(switch: BridgeSwitch, version: int, *messages: OpenFlowMessage) -> list[OpenFlowMessage]:
    """Give messages to a switch and return what it answers."""
    reaction = switch.receive_message(b"".join(encode(each, version) for each in messages))
    return read(reaction, version)


def read(reaction: SwitchReaction, version: int) -> list[OpenFlowMessage]:
    return [decode(each, version) for each in reaction.messages]


def entry(out: int, **fields: int) -> FlowMod:
    """Return a FlowMod whose match fields and other fields are told apart by their names."""
    others = {name: fields.pop(name) for name in list(fields) if name in FlowMod.__dataclass_fields__}
    return FlowMod(Match.of(**fields), instructions=(ApplyActions((Output(out),)),), **others)


# -- what it reports ---------------------------------------------------------------------------------------------------


@VERSIONS
def test_a_bridge_describes_itself_as_the_model_does(bridges: Make, version: int) -> None:
    chosen = configs(version)
    made = bridges(chosen)
    for name, config in chosen.items():
        features = replace(features_of(config, initial_switch_core(config)), xid=7)
        assert given(made.switches[name], version, FeaturesRequest(xid=7)) == [features]
        if version != V10:
            described = PortDescReply(config.ports, xid=8)
            assert given(made.switches[name], version, PortDescRequest(xid=8)) == [described]
    assert made.version.startswith("Open vSwitch ")
    assert made.notes == ()
