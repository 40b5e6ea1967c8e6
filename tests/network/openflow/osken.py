"""Conversion of our values to os-ken's objects and back: the oracle of the codec, written without our layouts."""

from collections.abc import Callable
from typing import Any

from os_ken.ofproto import ofproto_parser, ofproto_v1_0, ofproto_v1_0_parser, ofproto_v1_3, ofproto_v1_3_parser
from os_ken.ofproto.ofproto_protocol import ProtocolDesc

from sdnloom.network import openflow as of
from sdnloom.network.openflow import V10, V13
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.network.value import ip, ip4_text, ip6_text, mac, mac_text

PARSER = {V10: ofproto_v1_0_parser, V13: ofproto_v1_3_parser}
OFPROTO = {V10: ofproto_v1_0, V13: ofproto_v1_3}
DATAPATH = {version: ProtocolDesc(version) for version in (V10, V13)}

MACS = {"eth_src", "eth_dst", "arp_sha", "arp_tha", "ipv6_nd_sll", "ipv6_nd_tll"}
IP4S = {"ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"}
IP6S = {"ipv6_src", "ipv6_dst", "ipv6_nd_target"}


def port16(number: int) -> int:
    return number & 0xFFFF


def port32(number: int) -> int:
    return number if number < 0xFF00 else 0xFFFF0000 + number


# ---- matches ---------------------------------------------------------------------------------------------------------


def user(name: str, number: int) -> Any:
    """A field's value as os-ken's users write it."""
    if name in MACS:
        return mac_text(number)
    if name in IP4S:
        return ip4_text(number)
    return ip6_text(number) if name in IP6S else number


def number(name: str, content: Any) -> int:
    if name in MACS:
        return mac(content)
    return ip(content) if name in IP4S | IP6S else int(content)


def match_to(version: int, match: of.Match) -> Any:
    if version == V13:
        fields = {
            name: user(name, value) if mask is None else (user(name, value), user(name, mask))
            for name, value, mask in match.fields
        }
        return ofproto_v1_3_parser.OFPMatch(**fields)
    fields = {}
    for name, value, mask in match.fields:
        if name == "in_port":
            fields["in_port"] = port16(value)
        elif name in ("eth_src", "eth_dst"):
            fields[name.replace("eth", "dl")] = value.to_bytes(6, "big")
        elif name == "vlan_vid":
            if mask is None:
                fields["dl_vlan"] = value & 0xFFF if value else 0xFFFF
        elif name in ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"):
            slot = "nw_src" if name in ("ipv4_src", "arp_spa") else "nw_dst"
            fields[slot] = value
            fields[f"{slot}_mask"] = 32 if mask is None else f"{mask:b}".count("1")
        else:
            slots = {"vlan_pcp": "dl_vlan_pcp", "eth_type": "dl_type", "ip_proto": "nw_proto", "arp_op": "nw_proto"}
            slots |= {"tcp_src": "tp_src", "udp_src": "tp_src", "icmpv4_type": "tp_src", "ip_dscp": "nw_tos"}
            slots |= {"tcp_dst": "tp_dst", "udp_dst": "tp_dst", "icmpv4_code": "tp_dst"}
            fields[slots[name]] = value << 2 if name == "ip_dscp" else value
    return ofproto_v1_0_parser.OFPMatch(**fields)


def match_from(version: int, match: Any) -> of.Match:
    if version == V13:
        fields = {}
        for name, content in match.items():
            assert name in FIELDS
            pair = isinstance(content, tuple)
            fields[name] = tuple(number(name, each) for each in content) if pair else number(name, content)
        return of.Match.of(**fields)
    known = {}
    wildcards = match.wildcards
    for bit, slot in enumerate(["in_port", "dl_vlan", "dl_src", "dl_dst", "dl_type", "nw_proto", "tp_src", "tp_dst"]):
        if not wildcards >> bit & 1:
            known[slot] = getattr(match, slot)
    if not wildcards >> 20 & 1:
        known["dl_vlan_pcp"] = match.dl_vlan_pcp
    if not wildcards >> 21 & 1:
        known["nw_tos"] = match.nw_tos
    fields: dict[str, Any] = {}
    if "in_port" in known:
        fields["in_port"] = port32(known["in_port"])
    for name in ("src", "dst"):
        if f"dl_{name}" in known:
            fields[f"eth_{name}"] = int.from_bytes(known[f"dl_{name}"], "big")
    if "dl_vlan" in known:
        fields["vlan_vid"] = 0 if known["dl_vlan"] == 0xFFFF else 0x1000 | known["dl_vlan"]
    elif "dl_vlan_pcp" in known:
        fields["vlan_vid"] = (0x1000, 0x1000)
    fields["vlan_pcp"] = known.get("dl_vlan_pcp")
    fields["eth_type"] = known.get("dl_type")
    arp = known.get("dl_type") == 0x0806
    fields["arp_op" if arp else "ip_proto"] = known.get("nw_proto")
    if "nw_tos" in known:
        fields["ip_dscp"] = known["nw_tos"] >> 2
    for name, shift in (("src", 8), ("dst", 14)):
        ignored = min(32, wildcards >> shift & 0x3F)
        if ignored < 32:
            mask = (1 << 32) - (1 << ignored)
            fields[{"src": "arp_spa", "dst": "arp_tpa"}[name] if arp else f"ipv4_{name}"] = (
                getattr(match, f"nw_{name}"),
                mask,
            )
    names = {1: ("icmpv4_type", "icmpv4_code"), 6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst")}
    for slot, name in zip(("tp_src", "tp_dst"), names.get(known.get("nw_proto"), ()), strict=False):
        fields[name] = known.get(slot)
    return of.Match.of(**fields)


# ---- actions and instructions ----------------------------------------------------------------------------------------

SETS10 = {
    "vlan_vid": ("OFPActionVlanVid", "vlan_vid"),
    "vlan_pcp": ("OFPActionVlanPcp", "vlan_pcp"),
    "eth_src": ("OFPActionSetDlSrc", "dl_addr"),
    "eth_dst": ("OFPActionSetDlDst", "dl_addr"),
    "ipv4_src": ("OFPActionSetNwSrc", "nw_addr"),
    "ipv4_dst": ("OFPActionSetNwDst", "nw_addr"),
    "ip_dscp": ("OFPActionSetNwTos", "tos"),
    "tp_src": ("OFPActionSetTpSrc", "tp"),
    "tp_dst": ("OFPActionSetTpDst", "tp"),
}
TTL = {of.SetNwTtl: "nw_ttl", of.SetMplsTtl: "mpls_ttl"}


def action_to(version: int, action: of.OpenFlowAction) -> Any:
    parser = PARSER[version]
    if isinstance(action, of.Output):
        return parser.OFPActionOutput(port16(action.port) if version == V10 else action.port, action.max_len)
    if version == V10:
        if isinstance(action, of.SetField):
            name, _ = SETS10[action.field]
            value: Any = action.value
            if action.field == "vlan_vid":
                value &= 0xFFF
            elif action.field == "ip_dscp":
                value <<= 2
            elif action.field in MACS:
                value = value.to_bytes(6, "big")
            return getattr(parser, name)(value)
        if isinstance(action, of.Enqueue):
            return parser.OFPActionEnqueue(port16(action.port), action.queue_id)
        assert isinstance(action, of.PopVlan)
        return parser.OFPActionStripVlan()
    if isinstance(action, of.SetField):
        return parser.OFPActionSetField(**{action.field: user(action.field, action.value)})
    arguments = [getattr(action, name) for name in type(action).__slots__]
    return getattr(parser, f"OFPAction{type(action).__name__}")(*arguments)


def action_from(version: int, action: Any) -> of.OpenFlowAction:
    name = type(action).__name__.removeprefix("OFPAction")
    if name == "Output":
        return of.Output(port32(action.port) if version == V10 else action.port, action.max_len)
    if version == V10:
        for field, (kind, attribute) in SETS10.items():
            if kind == type(action).__name__:
                value = getattr(action, attribute)
                if field in MACS:
                    value = int.from_bytes(value, "big")
                return of.SetField(
                    field, {"vlan_vid": lambda v: v | 0x1000, "ip_dscp": lambda v: v >> 2}.get(field, int)(value)
                )
        if name == "Enqueue":
            return of.Enqueue(port32(action.port), action.queue_id)
        assert name == "StripVlan"
        return of.PopVlan()
    if name == "SetField":
        return of.SetField(action.key, number(action.key, action.value))
    kind = getattr(of, name)
    return kind(*(getattr(action, TTL.get(kind, slot)) for slot in kind.__slots__))


def actions_to(version: int, actions: tuple[of.OpenFlowAction, ...]) -> list[Any]:
    return [action_to(version, action) for action in actions]


def actions_from(version: int, actions: list[Any]) -> tuple[of.OpenFlowAction, ...]:
    return tuple(action_from(version, action) for action in actions)


APPLY, WRITE, CLEAR = (
    ofproto_v1_3.OFPIT_APPLY_ACTIONS,
    ofproto_v1_3.OFPIT_WRITE_ACTIONS,
    ofproto_v1_3.OFPIT_CLEAR_ACTIONS,
)
LISTS = {of.ApplyActions: APPLY, of.WriteActions: WRITE, of.ClearActions: CLEAR}


def instruction_to(instruction: of.Instruction) -> Any:
    parser = ofproto_v1_3_parser
    if type(instruction) in LISTS:
        actions = actions_to(V13, getattr(instruction, "actions", ()))
        return parser.OFPInstructionActions(LISTS[type(instruction)], actions)
    arguments = [getattr(instruction, name) for name in type(instruction).__slots__]
    return getattr(parser, f"OFPInstruction{type(instruction).__name__}")(*arguments)


def instruction_from(instruction: Any) -> of.Instruction:
    name = type(instruction).__name__.removeprefix("OFPInstruction")
    if name == "Actions":
        kind = {code: kind for kind, code in LISTS.items()}[instruction.type]
        return kind(*([actions_from(V13, instruction.actions)] if kind is not of.ClearActions else []))
    if name == "WriteMetadata":
        return of.WriteMetadata(instruction.metadata, instruction.metadata_mask)
    return of.GotoTable(instruction.table_id) if name == "GotoTable" else of.Meter(instruction.meter_id)


def bucket_to(bucket: of.Bucket) -> Any:
    actions = actions_to(V13, bucket.actions)
    return ofproto_v1_3_parser.OFPBucket(bucket.weight, bucket.watch_port, bucket.watch_group, actions)


def bucket_from(bucket: Any) -> of.Bucket:
    return of.Bucket(actions_from(V13, bucket.actions), bucket.weight, bucket.watch_port, bucket.watch_group)


def band_to(band: of.MeterBand) -> Any:
    parser, rest = ofproto_v1_3_parser, int.from_bytes(band.data, "big")
    if band.type == of.BandType.DROP:
        return parser.OFPMeterBandDrop(band.rate, band.burst_size)
    if band.type == of.BandType.DSCP_REMARK:
        return parser.OFPMeterBandDscpRemark(band.rate, band.burst_size, rest >> 24)
    return parser.OFPMeterBandExperimenter(band.rate, band.burst_size, rest)


def band_from(band: Any) -> of.MeterBand:
    rest = getattr(band, "prec_level", 0) << 24 | getattr(band, "experimenter", 0)
    return of.MeterBand(band.type, band.rate, band.burst_size, rest.to_bytes(4, "big"))


# ---- messages --------------------------------------------------------------------------------------------------------

STATS_REQUESTS: dict[type[of.OpenFlowMessage], tuple[str, str]] = {
    of.DescRequest: ("OFPDescStatsRequest", ""),
    of.TableStatsRequest: ("OFPTableStatsRequest", ""),
    of.PortStatsRequest: ("OFPPortStatsRequest", "port_no"),
    of.QueueStatsRequest: ("OFPQueueStatsRequest", "port_no queue_id"),
    of.GroupStatsRequest: ("OFPGroupStatsRequest", "group_id"),
    of.GroupDescRequest: ("OFPGroupDescStatsRequest", ""),
    of.GroupFeaturesRequest: ("OFPGroupFeaturesStatsRequest", ""),
    of.MeterStatsRequest: ("OFPMeterStatsRequest", "meter_id"),
    of.MeterConfigRequest: ("OFPMeterConfigStatsRequest", "meter_id"),
    of.MeterFeaturesRequest: ("OFPMeterFeaturesStatsRequest", ""),
    of.PortDescRequest: ("OFPPortDescStatsRequest", ""),
}
FLOW_REQUESTS: dict[type[of.OpenFlowMessage], str] = {
    of.FlowStatsRequest: "OFPFlowStatsRequest",
    of.AggregateRequest: "OFPAggregateStatsRequest",
}
SAME: dict[type[of.OpenFlowMessage], tuple[str, str]] = {
    of.Hello: ("OFPHello", ""),
    of.EchoRequest: ("OFPEchoRequest", "data"),
    of.EchoReply: ("OFPEchoReply", "data"),
    of.FeaturesRequest: ("OFPFeaturesRequest", ""),
    of.GetConfigRequest: ("OFPGetConfigRequest", ""),
    of.SetConfig: ("OFPSetConfig", "flags miss_send_len"),
    of.BarrierRequest: ("OFPBarrierRequest", ""),
    of.QueueGetConfigRequest: ("OFPQueueGetConfigRequest", "port"),
    of.TableMod: ("OFPTableMod", "table_id config"),
    of.RoleRequest: ("OFPRoleRequest", "role generation_id"),
    of.GetAsyncRequest: ("OFPGetAsyncRequest", ""),
    of.SetAsync: ("OFPSetAsync", "packet_in port_status flow_removed"),
}


def to_osken(version: int, message: of.OpenFlowMessage) -> Any:
    """Return os-ken's object of a message that controllers send, not serialised yet."""
    parser, datapath = PARSER[version], DATAPATH[version]
    port: Callable[[int], int] = port16 if version == V10 else lambda number: number

    def take(names: str) -> list[Any]:
        values = ((name, getattr(message, name)) for name in names.split())
        return [port(value) if name in ("port", "port_no") else value for name, value in values]

    kind = type(message)
    if kind in SAME:
        return getattr(parser, SAME[kind][0])(datapath, *take(SAME[kind][1]))
    if kind in STATS_REQUESTS:
        return getattr(parser, STATS_REQUESTS[kind][0])(datapath, message.flags, *take(STATS_REQUESTS[kind][1]))
    if kind in FLOW_REQUESTS:
        build = getattr(parser, FLOW_REQUESTS[kind])
        match = match_to(version, message.match)
        if version == V10:
            return build(datapath, message.flags, match, message.table_id, port(message.out_port))
        return build(datapath, *take("flags table_id out_port out_group cookie cookie_mask"), match)
    if isinstance(message, of.Error):
        return parser.OFPErrorMsg(datapath, *of.error_numbers(version, message.type, message.code), message.data)
    if isinstance(message, of.PacketOut):
        actions = actions_to(version, message.actions)
        return parser.OFPPacketOut(datapath, message.buffer_id, port(message.in_port), actions, message.data or None)
    if isinstance(message, of.PortMod):
        text = mac_text(message.hw_addr)
        return parser.OFPPortMod(datapath, port(message.port_no), text, message.config, message.mask, message.advertise)
    if isinstance(message, of.FlowMod):
        names = "cookie command idle_timeout hard_timeout priority buffer_id"
        options = {name: getattr(message, name) for name in names.split()}
        options |= {"out_port": port(message.out_port), "match": match_to(version, message.match)}
        if version == V10:
            flags = message.flags & 3 | (4 if message.flags & of.FlowFlag.EMERG else 0)
            actions = actions_to(V10, message.instructions[0].actions) if message.instructions else []
            return parser.OFPFlowMod(datapath, actions=actions, flags=flags, **options)
        options |= {name: getattr(message, name) for name in ("cookie_mask", "table_id", "out_group", "flags")}
        return parser.OFPFlowMod(datapath, instructions=[*map(instruction_to, message.instructions)], **options)
    if isinstance(message, of.GroupMod):
        buckets = [bucket_to(bucket) for bucket in message.buckets]
        return parser.OFPGroupMod(datapath, message.command, message.type, message.group_id, buckets)
    if isinstance(message, of.MeterMod):
        bands = [band_to(band) for band in message.bands]
        return parser.OFPMeterMod(datapath, message.command, message.flags, message.meter_id, bands)
    if isinstance(message, of.Experimenter):
        if version == V10:
            vendor = parser.OFPVendor(datapath)
            vendor.vendor, vendor.data = message.experimenter, message.data
            return vendor
        return parser.OFPExperimenter(
            datapath, message.experimenter, int.from_bytes(message.data[:4], "big"), message.data[4:]
        )
    assert isinstance(message, of.ExperimenterStatsRequest)
    if version == V10:
        return parser.OFPVendorStatsRequest(datapath, message.flags, message.experimenter, message.data)
    kind_ = int.from_bytes(message.data[:4], "big")
    return parser.OFPExperimenterStatsRequest(datapath, message.flags, message.experimenter, kind_, message.data[4:])


def bytes_of(version: int, message: of.OpenFlowMessage) -> bytes:
    """Return what os-ken sends for a message."""
    built = to_osken(version, message)
    built.set_xid(message.xid)
    built.serialize()
    return bytes(built.buf)


def parse(version: int, wire: bytes) -> Any:
    """Return os-ken's object of a message that switches send."""
    parsed = ofproto_parser.msg(DATAPATH[version], *ofproto_parser.header(wire), wire)
    assert parsed is not None, "os-ken refuses it"
    return parsed


def _text(content: Any) -> str:
    return (content if isinstance(content, bytes) else content.encode()).rstrip(b"\0").decode()


def _port_desc(version: int, desc: Any) -> of.PortDesc:
    names = "config state curr advertised supported peer" + (" curr_speed max_speed" if version == V13 else "")
    return of.PortDesc(
        port_no=port32(desc.port_no) if version == V10 else desc.port_no,
        hw_addr=mac(desc.hw_addr),
        name=_text(desc.name),
        **{name: getattr(desc, name) for name in names.split()},
    )


def _same(version: int, kind: type[Any], source: Any, names: str, **others: Any) -> Any:
    values = {name: getattr(source, name) for name in names.split()}
    if version == V10:
        values = {name: port32(value) if name in ("port_no", "port") else value for name, value in values.items()}
    return kind(**values, **others)


DURATION = {V10: "", V13: " duration_sec duration_nsec"}
COUNTERS = (
    "port_no rx_packets tx_packets rx_bytes tx_bytes rx_dropped tx_dropped rx_errors tx_errors rx_frame_err rx_over_err"
    " rx_crc_err collisions"
)
FLOW = "table_id priority cookie duration_sec duration_nsec idle_timeout hard_timeout packet_count byte_count"


def _flow_stats(version: int, flow: Any) -> of.FlowStats:
    match = match_from(version, flow.match)
    if version == V10:
        actions = actions_from(V10, flow.actions)
        return _same(
            V10, of.FlowStats, flow, FLOW, match=match, instructions=(of.ApplyActions(actions),) if actions else ()
        )
    instructions = tuple(map(instruction_from, flow.instructions))
    return _same(V13, of.FlowStats, flow, FLOW, match=match, instructions=instructions, entry_flags=flow.flags)


def _queue(version: int, queue: Any) -> of.PacketQueue:
    properties = tuple(
        of.QueueProperty(each.property, each.rate.to_bytes(2, "big") + bytes(6)) for each in queue.properties
    )
    return _same(
        version, of.PacketQueue, queue, "queue_id" + (" port" if version == V13 else ""), properties=properties
    )


def from_osken(version: int, parsed: Any) -> of.OpenFlowMessage:
    """Return our value of a parsed message that switches send."""
    name = type(parsed).__name__.removeprefix("OFP")
    head = {"xid": parsed.xid}
    if name in ("DescStatsReply", "AggregateStatsReply", "GroupFeaturesStatsReply") or name.endswith("StatsReply"):
        head["flags"] = parsed.flags
        return _stats_from(version, name, parsed.body, head)
    if name == "ErrorMsg":
        return of.Error(*of.error_names(version, parsed.type, parsed.code), bytes(parsed.data), **head)
    if name == "PacketIn":
        data = bytes(parsed.data)
        if version == V10:
            match = of.Match.of(in_port=port32(parsed.in_port))
            return _same(V10, of.PacketIn, parsed, "total_len reason buffer_id", match=match, data=data, **head)
        names = "total_len reason buffer_id table_id cookie"
        return _same(V13, of.PacketIn, parsed, names, match=match_from(V13, parsed.match), data=data, **head)
    if name == "FlowRemoved":
        names = "reason priority cookie duration_sec duration_nsec idle_timeout packet_count byte_count"
        names += " table_id hard_timeout" if version == V13 else ""
        return _same(version, of.FlowRemoved, parsed, names, match=match_from(version, parsed.match), **head)
    if name == "PortStatus":
        return of.PortStatus(parsed.reason, _port_desc(version, parsed.desc), **head)
    if name == "SwitchFeatures":
        if version == V10:
            names = "datapath_id n_buffers n_tables capabilities actions"
            ports = tuple(_port_desc(V10, port) for port in parsed.ports.values())
            return _same(V10, of.FeaturesReply, parsed, names, ports=ports, **head)
        names = "datapath_id n_buffers n_tables capabilities auxiliary_id"
        return _same(V13, of.FeaturesReply, parsed, names, reserved=parsed._reserved, **head)
    if name == "QueueGetConfigReply":
        queues = tuple(_queue(version, queue) for queue in parsed.queues)
        return _same(version, of.QueueGetConfigReply, parsed, "port", queues=queues, **head)
    if name == "Vendor":
        return of.Experimenter(parsed.vendor, bytes(parsed.data), **head)
    if name == "Experimenter":
        return of.Experimenter(parsed.experimenter, parsed.exp_type.to_bytes(4, "big") + bytes(parsed.data), **head)
    if name == "GetAsyncReply":
        masks = {key: tuple(getattr(parsed, f"{key}_mask")) for key in ("packet_in", "port_status", "flow_removed")}
        return of.GetAsyncReply(**masks, **head)
    rest: dict[str, tuple[type[of.OpenFlowMessage], str]] = {
        "Hello": (of.Hello, ""),
        "EchoRequest": (of.EchoRequest, "data"),
        "EchoReply": (of.EchoReply, "data"),
        "GetConfigReply": (of.GetConfigReply, "flags miss_send_len"),
        "BarrierReply": (of.BarrierReply, ""),
        "RoleReply": (of.RoleReply, "role generation_id"),
    }
    kind, names = rest[name]
    return _same(version, kind, parsed, names, **head)


def _stats_from(version: int, name: str, body: Any, head: dict[str, Any]) -> of.OpenFlowMessage:
    if name == "DescStatsReply":
        names = ("mfr_desc", "hw_desc", "sw_desc", "serial_num", "dp_desc")
        return of.DescReply(**{each: _text(getattr(body, each)) for each in names}, **head)
    if name == "AggregateStatsReply":
        body = body[0] if isinstance(body, list) else body
        return _same(version, of.AggregateReply, body, "packet_count byte_count flow_count", **head)
    if name == "FlowStatsReply":
        return of.FlowStatsReply(tuple(_flow_stats(version, flow) for flow in body), **head)
    if name == "TableStatsReply":
        names = "table_id active_count lookup_count matched_count"
        if version == V13:
            return of.TableStatsReply(tuple(_same(V13, of.TableStats, table, names) for table in body), **head)
        names += " wildcards max_entries"
        tables = (_same(V10, of.TableStats, table, names, name=_text(table.name)) for table in body)
        return of.TableStatsReply(tuple(tables), **head)
    if name == "PortStatsReply":
        names = COUNTERS + DURATION[version]
        return of.PortStatsReply(tuple(_same(version, of.PortStats, port, names) for port in body), **head)
    if name == "QueueStatsReply":
        names = "port_no queue_id tx_bytes tx_packets tx_errors" + DURATION[version]
        return of.QueueStatsReply(tuple(_same(version, of.QueueStats, queue, names) for queue in body), **head)
    if name == "GroupStatsReply":
        names = "group_id ref_count packet_count byte_count duration_sec duration_nsec"
        groups = (
            _same(
                V13,
                of.GroupStats,
                group,
                names,
                buckets=tuple((each.packet_count, each.byte_count) for each in group.bucket_stats),
            )
            for group in body
        )
        return of.GroupStatsReply(tuple(groups), **head)
    if name == "GroupDescStatsReply":
        groups = (of.GroupDesc(group.group_id, group.type, tuple(map(bucket_from, group.buckets))) for group in body)
        return of.GroupDescReply(tuple(groups), **head)
    if name == "GroupFeaturesStatsReply":
        return of.GroupFeaturesReply(body.types, body.capabilities, tuple(body.max_groups), tuple(body.actions), **head)
    if name == "MeterStatsReply":
        names = "meter_id flow_count packet_in_count byte_in_count duration_sec duration_nsec"
        meters = []
        for meter in body:
            bands = tuple((each.packet_band_count, each.byte_band_count) for each in meter.band_stats)
            meters.append(_same(V13, of.MeterStats, meter, names, bands=bands))
        return of.MeterStatsReply(tuple(meters), **head)
    if name == "MeterConfigStatsReply":
        configs = (of.MeterConfig(each.meter_id, each.flags, tuple(map(band_from, each.bands))) for each in body)
        return of.MeterConfigReply(tuple(configs), **head)
    if name == "MeterFeaturesStatsReply":
        names = "max_meter band_types capabilities max_bands max_color"
        return _same(V13, of.MeterFeaturesReply, body[0] if isinstance(body, list) else body, names, **head)
    assert name == "PortDescStatsReply"
    return of.PortDescReply(tuple(_port_desc(V13, port) for port in body), **head)
