"""Short constructors of configurations, messages and cores for the tests of the switch."""

from typing import Any

from sdnloom.network.openflow import (
    V13,
    ApplyActions,
    Error,
    FlowMod,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    Port,
)
from sdnloom.network.packet import Ethernet, IPv4, Packet, Tcp, encode, stack
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    SwitchOutcome,
    initial_switch_core,
    plain_ports,
    receive_message,
    receive_packet,
)

MAC1, MAC2 = 0x020000000001, 0x020000000002
TCP = stack(Ethernet(MAC2, MAC1), IPv4(0x0A000001, 0x0A000002), Tcp(1000, 80), payload=b"x" * 60)
SIZE = len(encode(TCP))


def switch(version: int = V13, **options: Any) -> Switch:
    """Return a switch with ports 1, 2, 3 and LOCAL."""
    return Switch(1, plain_ports(1, 2, 3, Port.LOCAL), version, **options)


def add(*actions: OpenFlowAction, match: Match | None = None, **fields: Any) -> FlowMod:
    """Return the message that adds an entry with these actions."""
    return FlowMod(match or Match(), instructions=(ApplyActions(actions),) if actions else (), **fields)


def only(outcomes: tuple[SwitchOutcome, ...]) -> SwitchOutcome:
    """Return the only outcome."""
    (outcome,) = outcomes
    return outcome


def after(config: Switch, *messages: OpenFlowMessage, core: SwitchCore | None = None) -> SwitchCore:
    """Return the state after messages that all succeed."""
    state = initial_switch_core(config) if core is None else core
    for message in messages:
        outcome = only(receive_message(config, state, message))
        assert not any(isinstance(each, Error) for each in outcome.messages), outcome.messages
        state = outcome.core
    return state


def error(config: Switch, message: OpenFlowMessage, core: SwitchCore | None = None) -> tuple[object, object]:
    """Return type and code of the error that a message gets, which changes nothing."""
    state = initial_switch_core(config) if core is None else core
    outcome = only(receive_message(config, state, message))
    (found,) = outcome.messages
    assert isinstance(found, Error), found
    assert outcome.core == state
    return found.type, found.code


def ports_of(config: Switch, core: SwitchCore, in_port: int = 1, packet: Packet = TCP) -> list[int]:
    """Return the ports that a packet leaves through."""
    return [port for port, _ in only(receive_packet(config, core, in_port, packet)).outputs]


def sent(config: Switch, core: SwitchCore, in_port: int = 1, packet: Packet = TCP) -> list[Packet]:
    """Return the packets that leave."""
    return [each for _, each in only(receive_packet(config, core, in_port, packet)).outputs]


OUT2, OUT3 = Output(2), Output(3)
CONTROLLER = Output(Port.CONTROLLER)
