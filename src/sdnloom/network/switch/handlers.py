"""Handlers of messages from the controller: one for each message class, by version."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    BarrierReply,
    BarrierRequest,
    ConfigFlag,
    EchoReply,
    EchoRequest,
    Experimenter,
    FeaturesReply,
    FeaturesRequest,
    FlowMod,
    GetAsyncReply,
    GetAsyncRequest,
    GetConfigReply,
    GetConfigRequest,
    GroupMod,
    Hello,
    MeterMod,
    OpenFlowMessage,
    PacketOut,
    Port,
    PortMod,
    QueueGetConfigReply,
    QueueGetConfigRequest,
    Role,
    RoleReply,
    RoleRequest,
    SetAsync,
    SetConfig,
    StatsRequest,
    SwitchCapability,
    TableMod,
)
from sdnloom.network.openflow.codec import encode
from sdnloom.network.openflow.errors import ERROR_DATA
from sdnloom.network.openflow.messages import Error
from sdnloom.network.packet import decode
from sdnloom.network.switch import buffers, pipeline
from sdnloom.network.switch.checks import CheckContext, check_fit, check_groups, check_shape
from sdnloom.network.switch.normal import learn
from sdnloom.network.switch.ports import apply_port_mod
from sdnloom.network.switch.stats import answer_statistics
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.flow_mod import apply_flow_mod
from sdnloom.network.switch.tables.group_mod import apply_group_mod
from sdnloom.network.switch.tables.meter_mod import apply_meter_mod

_CAPABILITIES = (
    SwitchCapability.FLOW_STATS
    | SwitchCapability.TABLE_STATS
    | SwitchCapability.PORT_STATS
    | SwitchCapability.QUEUE_STATS
)
_DEPRECATED = 3  # bits of a table's configuration that 1.3 ignores
_V10_ACTIONS = 0xFFF  # bits of all twelve actions, output to enqueue
_MODIFYING = (FlowMod, GroupMod, PacketOut, PortMod, TableMod, MeterMod)  # refused to a slave (1.3, 6.3.4)


def handle_message(step: SwitchStep, message: OpenFlowMessage, request: bytes | None = None) -> None:
    """Process a message. A refused message changes nothing and is answered with an error.

    The error quotes the bytes of the request, or the message as this codec writes it.
    """
    before = step.core
    try:
        _dispatch(step, message)
    except RefusedMessage as refused:
        step.core = before
        step.outputs.clear()
        quoted = _start(message, step.config.version) if request is None else request[:ERROR_DATA]
        step.messages = [Error(refused.type_name, refused.code, quoted, xid=message.xid)]
        step.reads |= step.writes  # the cells that would have been written were read
        step.writes.clear()


def _start(message: OpenFlowMessage, version: int) -> bytes:
    """Return the first bytes of a message, for its error; none if the version cannot encode the message."""
    try:
        return encode(message, version)[:ERROR_DATA]
    except EncodeError:
        return b""


def _dispatch(step: SwitchStep, message: OpenFlowMessage) -> None:
    if isinstance(message, _MODIFYING):
        step.reads.add("config")
        if step.core.settings.role == Role.SLAVE:
            raise RefusedMessage("bad_request", "is_slave")
    if isinstance(message, StatsRequest):
        answer_statistics(step, message)
        return
    known = _BOTH if step.config.version == V10 else _BOTH | _ONLY_13
    handler = known.get(type(message))
    if handler is None:
        raise RefusedMessage("bad_request", "bad_type")
    handler(step, message)


def _hello(step: SwitchStep, message: Hello) -> None:
    """Do nothing: the version of the connection is known."""


def _echo(step: SwitchStep, message: EchoRequest) -> None:
    step.messages.append(EchoReply(message.data, xid=message.xid))


def _echo_reply(step: SwitchStep, message: EchoReply) -> None:
    """Do nothing: the model does not monitor connections."""


def _barrier(step: SwitchStep, message: BarrierRequest) -> None:
    """Answer at once: messages are processed one at a time and in order."""
    step.messages.append(BarrierReply(xid=message.xid))


def _features(step: SwitchStep, message: FeaturesRequest) -> None:
    config = step.config
    old = config.version == V10
    if old:
        step.reads.add("ports")
    step.messages.append(
        FeaturesReply(
            datapath_id=config.datapath_id,
            n_buffers=config.buffers,
            n_tables=config.traits.tables if old else config.n_tables,
            capabilities=int(_CAPABILITIES | (SwitchCapability.ARP_MATCH_IP if old else SwitchCapability.GROUP_STATS)),
            actions=_V10_ACTIONS if old else 0,
            ports=step.ports if old else (),
            xid=message.xid,
        )
    )


def _get_config(step: SwitchStep, message: GetConfigRequest) -> None:
    step.reads.add("config")
    settings = step.core.settings
    step.messages.append(GetConfigReply(settings.flags, settings.miss_send_len, xid=message.xid))


def _set_config(step: SwitchStep, message: SetConfig) -> None:
    """Set the flags: fragments are forwarded or dropped. Reassembly is refused in 1.3 and ignored in 1.0."""
    step.writes.add("config")
    flags = message.flags
    if step.config.version != V10 and flags & ~int(ConfigFlag.FRAG_DROP):
        raise RefusedMessage("switch_config_failed", "bad_flags")
    if flags & ConfigFlag.FRAG_REASM:
        flags = step.core.settings.flags
    step.update(settings=replace(step.core.settings, flags=int(flags), miss_send_len=message.miss_send_len))


def _packet_out(step: SwitchStep, message: PacketOut) -> None:
    in_port = int(message.in_port)
    if step.config.version != V10 and not _is_ingress(step, in_port):
        raise RefusedMessage("bad_request", "bad_port")
    check_shape(step, message.actions, packet_out=True)
    if message.buffer_id != NO_BUFFER:
        packet = buffers.take_buffered(step, message.buffer_id).packet
    else:
        packet = decode(message.data)
    if step.config.version != V10:
        check_fit(message.actions, CheckContext.of_packet(packet))
    check_groups(step, message.actions)
    step.learns_late = True  # from a PacketOut the bridge learns only after all its actions
    pipeline.apply_actions(step, pipeline.Flight(packet, in_port, packet), message.actions)
    learn(step)


def _is_ingress(step: SwitchStep, number: int) -> bool:
    if step.config.traits.takes_any_port and (number < step.config.max_port or number in (Port.LOCAL, Port.ANY)):
        return True
    return number == Port.CONTROLLER or step.port(number) is not None


def _queue_config(step: SwitchStep, message: QueueGetConfigRequest) -> None:
    any_port = message.port == Port.ANY and step.config.version != V10
    if not any_port and step.port(message.port) is None:
        raise RefusedMessage("queue_op_failed", "bad_port")
    found = tuple(queue for queue in step.config.queues if any_port or queue.port == message.port)
    step.messages.append(QueueGetConfigReply(message.port, found, xid=message.xid))


def _experimenter(step: SwitchStep, message: Experimenter) -> None:
    """Ignore the messages of configured experimenters, refuse all others."""
    if message.experimenter not in step.config.experimenters:
        raise RefusedMessage("bad_request", "bad_experimenter")


def _table_mod(step: SwitchStep, message: TableMod) -> None:
    """Change nothing: 1.3 defines no table configuration, only deprecated bits."""
    if message.table_id != 0xFF and message.table_id >= step.config.n_tables:
        raise RefusedMessage("table_mod_failed", "bad_table")
    if message.config & ~_DEPRECATED:
        raise RefusedMessage("table_mod_failed", "bad_config")


def _role(step: SwitchStep, message: RoleRequest) -> None:
    """Change the role. A generation id of a master or slave must not be older than the newest one (1.3, 6.3.4)."""
    step.writes.add("config")
    settings = step.core.settings
    if message.role not in tuple(Role):
        raise RefusedMessage("role_request_failed", "bad_role")
    if message.role in (Role.MASTER, Role.SLAVE):
        seen = settings.generation_id
        if seen is not None and (message.generation_id - seen) & 1 << 63:  # a signed distance below zero
            raise RefusedMessage("role_request_failed", "stale")
        settings = replace(settings, generation_id=message.generation_id)
    if message.role != Role.NOCHANGE:
        settings = replace(settings, role=message.role)
    step.update(settings=settings)
    generation = NO_GENERATION if settings.generation_id is None else settings.generation_id
    step.messages.append(RoleReply(settings.role, generation, xid=message.xid))


NO_GENERATION = 0xFFFF_FFFF_FFFF_FFFF  # generation id in replies before the first one is set


def _get_async(step: SwitchStep, message: GetAsyncRequest) -> None:
    step.reads.add("config")
    settings = step.core.settings
    step.messages.append(
        GetAsyncReply(settings.packet_in, settings.port_status, settings.flow_removed, xid=message.xid)
    )


def _set_async(step: SwitchStep, message: SetAsync) -> None:
    step.writes.add("config")
    settings = replace(
        step.core.settings,
        packet_in=message.packet_in,
        port_status=message.port_status,
        flow_removed=message.flow_removed,
    )
    step.update(settings=settings)


_BOTH: dict[type[OpenFlowMessage], Callable[[SwitchStep, Any], None]] = {
    Hello: _hello,
    EchoRequest: _echo,
    EchoReply: _echo_reply,
    BarrierRequest: _barrier,
    FeaturesRequest: _features,
    GetConfigRequest: _get_config,
    SetConfig: _set_config,
    PacketOut: _packet_out,
    FlowMod: apply_flow_mod,
    PortMod: apply_port_mod,
    QueueGetConfigRequest: _queue_config,
    Experimenter: _experimenter,
}
_ONLY_13: dict[type[OpenFlowMessage], Callable[[SwitchStep, Any], None]] = {
    GroupMod: apply_group_mod,
    MeterMod: apply_meter_mod,
    TableMod: _table_mod,
    RoleRequest: _role,
    GetAsyncRequest: _get_async,
    SetAsync: _set_async,
}
