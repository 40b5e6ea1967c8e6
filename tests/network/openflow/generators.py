"""Hypothesis generators of canonical OpenFlow messages: all messages of each version."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from sdnloom.network.openflow import (
    ERRORS,
    V10,
    V13,
    VLAN_PRESENT,
    AggregateReply,
    AggregateRequest,
    ApplyActions,
    BarrierReply,
    BarrierRequest,
    Bucket,
    ClearActions,
    CopyTtlIn,
    CopyTtlOut,
    DecMplsTtl,
    DecNwTtl,
    DescReply,
    DescRequest,
    EchoReply,
    EchoRequest,
    Enqueue,
    Error,
    Experimenter,
    ExperimenterAction,
    ExperimenterInstruction,
    ExperimenterStatsReply,
    ExperimenterStatsRequest,
    FeaturesReply,
    FeaturesRequest,
    FlowMod,
    FlowRemoved,
    FlowStats,
    FlowStatsReply,
    FlowStatsRequest,
    GetAsyncReply,
    GetAsyncRequest,
    GetConfigReply,
    GetConfigRequest,
    GotoTable,
    Group,
    GroupDesc,
    GroupDescReply,
    GroupDescRequest,
    GroupFeaturesReply,
    GroupFeaturesRequest,
    GroupMod,
    GroupStats,
    GroupStatsReply,
    GroupStatsRequest,
    Hello,
    Match,
    Meter,
    MeterBand,
    MeterConfig,
    MeterConfigReply,
    MeterConfigRequest,
    MeterFeaturesReply,
    MeterFeaturesRequest,
    MeterMod,
    MeterStats,
    MeterStatsReply,
    MeterStatsRequest,
    OpaqueMessage,
    OpaqueStatsReply,
    OpaqueStatsRequest,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketOut,
    PacketQueue,
    PopMpls,
    PopPbb,
    PopVlan,
    PortDesc,
    PortDescReply,
    PortDescRequest,
    PortMod,
    PortStats,
    PortStatsReply,
    PortStatsRequest,
    PortStatus,
    PushMpls,
    PushPbb,
    PushVlan,
    QueueGetConfigReply,
    QueueGetConfigRequest,
    QueueProperty,
    QueueStats,
    QueueStatsReply,
    QueueStatsRequest,
    RoleReply,
    RoleRequest,
    SetAsync,
    SetConfig,
    SetField,
    SetMplsTtl,
    SetNwTtl,
    SetQueue,
    TableMod,
    TableStats,
    TableStatsReply,
    TableStatsRequest,
    UnknownAction,
    UnknownInstruction,
    WriteActions,
    WriteMetadata,
)
from sdnloom.network.openflow.oxm import FIELDS

Strategy = st.SearchStrategy[Any]


def bits(count: int) -> st.SearchStrategy[int]:
    """Numbers of so many bits, the extremes often."""
    top = (1 << count) - 1
    return st.one_of(st.integers(0, min(top, 9)), st.integers(0, top), st.just(top))


def numbers(kind: type[Any], widths: str, **others: Strategy) -> Strategy:
    """A value class whose fields have the widths given as `name:bits`."""
    rows = (item.split(":") for item in widths.split())
    return st.builds(kind, **{name: bits(int(width)) for name, width in rows}, **others)


def tuples(element: Strategy, most: int = 3) -> Strategy:
    return st.lists(element, max_size=most).map(tuple)


def octets(unit: int, most: int, head: int = 0) -> st.SearchStrategy[bytes]:
    """Bytes of length `head` modulo `unit`."""
    return st.integers(0, most).flatmap(lambda n: st.binary(min_size=n * unit + head, max_size=n * unit + head))


def text(most: int) -> Strategy:
    return st.text("abcXYZ 09-é", max_size=most // 2).map(lambda content: content.rstrip("\0"))


data = st.binary(max_size=24)


def ports(version: int) -> st.SearchStrategy[int]:
    reserved = st.integers(0xFFFFFF00, 0xFFFFFFFF)
    return st.one_of(st.integers(0, 0xFEFF), reserved) if version == V10 else st.one_of(bits(32), reserved)


# ---- matches ---------------------------------------------------------------------------------------------------------


@st.composite
def matches(draw: st.DrawFn, version: int) -> Match:
    """A match whose fields have what they depend on; in 1.3 with masks and, sometimes, fields without a name."""
    chosen: dict[str, Any] = {}

    def maybe(*names: str) -> None:
        for name in names:
            if draw(st.booleans()):
                field = FIELDS[name]
                value = draw(bits(field.bits))
                if field.maskable and version == V13 and draw(st.booleans()):
                    mask = draw(st.integers(1, field.full))
                    chosen[name] = (value & mask, mask)
                elif name in ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"):
                    mask = 0xFFFFFFFF << draw(st.integers(0, 31)) & 0xFFFFFFFF
                    chosen[name] = (value & mask, mask)
                else:
                    chosen[name] = value

    if draw(st.booleans()):
        chosen["in_port"] = draw(ports(version))
        if version == V13:
            maybe("in_phy_port")
    maybe("eth_src", "eth_dst")
    tag = draw(st.sampled_from(["any", "none", "vid", "vid and pcp", "pcp"]))
    if tag != "any":
        vid = VLAN_PRESENT | draw(bits(12))
        chosen["vlan_vid"] = {"none": 0, "pcp": (VLAN_PRESENT, VLAN_PRESENT)}.get(tag, vid)
        if "pcp" in tag:
            chosen["vlan_pcp"] = draw(bits(3))
    kinds = [None, 0x0800, 0x0806, 0x1234] + ([0x86DD, 0x8847, 0x88E7] if version == V13 else [])
    kind = draw(st.sampled_from(kinds))
    if kind is not None:
        chosen["eth_type"] = kind
    if version == V13:
        maybe("metadata", "tunnel_id")
    if kind in (0x0800, 0x86DD):
        maybe("ip_dscp", *(("ip_ecn",) if version == V13 else ()))
        if draw(st.booleans()):
            transports = {0x0800: {1: "icmpv4_type icmpv4_code"}, 0x86DD: {58: "icmpv6_type icmpv6_code"}}[kind]
            transports |= {6: "tcp_src tcp_dst", 17: "udp_src udp_dst", 47: ""}
            if version == V13:
                transports |= {132: "sctp_src sctp_dst"}
            proto = draw(st.sampled_from(sorted(transports)))
            chosen["ip_proto"] = proto
            maybe(*transports[proto].split())
            if proto == 58 and draw(st.booleans()):
                chosen["icmpv6_type"] = draw(st.sampled_from([135, 136]))
                maybe("ipv6_nd_target", "ipv6_nd_sll" if chosen["icmpv6_type"] == 135 else "ipv6_nd_tll")
    if kind == 0x0800:
        maybe("ipv4_src", "ipv4_dst")
    elif kind == 0x86DD:
        maybe("ipv6_src", "ipv6_dst", "ipv6_flabel", "ipv6_exthdr")
    elif kind == 0x0806:
        if draw(st.booleans()):
            chosen["arp_op"] = draw(bits(8 if version == V10 else 16))
        maybe("arp_spa", "arp_tpa", *(("arp_sha", "arp_tha") if version == V13 else ()))
    elif kind == 0x8847:
        maybe("mpls_label", "mpls_tc", "mpls_bos")
    elif kind == 0x88E7:
        maybe("pbb_isid")
    return Match.of(**chosen)


@st.composite
def foreign_matches(draw: st.DrawFn) -> Match:
    """A 1.3 match with fields of other classes."""
    fields: dict[str, Any] = {}
    for kind, number in draw(st.lists(st.tuples(bits(16), bits(7)), max_size=3, unique=True)):
        if kind == 0x8000 and number < 40:
            continue
        size = draw(st.integers(1, 8))
        suffix = f"_{draw(bits(32)):08x}" if kind == 0xFFFF else ""
        mask = draw(st.integers(1, (1 << 8 * size) - 1))
        fields[f"oxm_{kind:04x}_{number}_{size}{suffix}"] = (draw(bits(8 * size)) & mask, mask)
    return Match.of(**fields)


# ---- actions and instructions ----------------------------------------------------------------------------------------

unknown_actions = st.builds(UnknownAction, type=st.integers(0x100, 0xFFFE), data=octets(8, 2, head=4))
experimenter_actions = st.builds(ExperimenterAction, experimenter=bits(32), data=octets(8, 2))
set_fields_10 = st.one_of(
    st.builds(SetField, field=st.just("vlan_vid"), value=bits(12).map(lambda vid: vid | VLAN_PRESENT)),
    *(
        st.builds(SetField, field=st.just(name), value=bits(width))
        for name, width in {
            "vlan_pcp": 3,
            "eth_src": 48,
            "eth_dst": 48,
            "ipv4_src": 32,
            "ipv4_dst": 32,
            "ip_dscp": 6,
            "tp_src": 16,
            "tp_dst": 16,
        }.items()
    ),
)
set_fields_13 = st.sampled_from(sorted(FIELDS)).flatmap(
    lambda name: st.builds(SetField, field=st.just(name), value=bits(FIELDS[name].bits))
)
plain_actions_10 = st.one_of(
    st.builds(Output, port=ports(V10), max_len=bits(16)),
    st.builds(Enqueue, port=ports(V10), queue_id=bits(32)),
    st.builds(PopVlan),
    set_fields_10,
)
plain_actions_13 = st.one_of(
    st.builds(Output, port=ports(V13), max_len=bits(16)),
    set_fields_13,
    *(numbers(kind, "ethertype:16") for kind in (PushVlan, PushMpls, PopMpls, PushPbb)),
    *(st.builds(kind) for kind in (PopVlan, PopPbb, DecNwTtl, DecMplsTtl, CopyTtlIn, CopyTtlOut)),
    numbers(Group, "group_id:32"),
    numbers(SetQueue, "queue_id:32"),
    numbers(SetNwTtl, "ttl:8"),
    numbers(SetMplsTtl, "ttl:8"),
)
PLAIN_ACTIONS = {V10: plain_actions_10, V13: plain_actions_13}
ACTIONS = {version: st.one_of(plain, experimenter_actions, unknown_actions) for version, plain in PLAIN_ACTIONS.items()}


def instructions(version: int, actions: Strategy, plain: bool = False) -> Strategy:
    if version == V10:
        return tuples(actions).map(lambda found: (ApplyActions(found),) if found else ())
    others = [
        st.builds(ExperimenterInstruction, experimenter=bits(32), data=octets(8, 2)),
        st.builds(UnknownInstruction, type=st.integers(7, 0xFFFE), data=octets(8, 2, head=4)),
    ]
    return tuples(
        st.one_of(
            st.builds(ApplyActions, tuples(actions)),
            st.builds(WriteActions, tuples(actions)),
            st.builds(ClearActions),
            numbers(GotoTable, "table_id:8"),
            numbers(WriteMetadata, "metadata:64 mask:64"),
            numbers(Meter, "meter_id:32"),
            *([] if plain else others),
        )
    )


# ---- messages --------------------------------------------------------------------------------------------------------


def errors(version: int) -> Strategy:
    named = [(name, code) for name, codes in ERRORS[version].values() for code in codes]
    numbered = st.tuples(st.integers(100, 0xFFFE), bits(16))
    return st.one_of(st.sampled_from(named), numbered).flatmap(
        lambda names: st.builds(Error, type=st.just(names[0]), code=st.just(names[1]), data=data, xid=bits(32))
    )


def messages(version: int, plain: bool = False) -> dict[type[OpenFlowMessage], Strategy]:
    """Generators of all messages of a version; with `plain` only those that other implementations know."""
    actions = (PLAIN_ACTIONS if plain else ACTIONS)[version]
    match = matches(version)
    if version == V13 and not plain:
        match = st.one_of(match, foreign_matches())
    port = ports(version)
    entry = instructions(version, actions, plain)
    only13 = version == V13
    found: dict[type[OpenFlowMessage], Strategy] = {}

    def add(kind: type[OpenFlowMessage], widths: str = "", widths13: str = "", **others: Strategy) -> None:
        text_ = f"{widths} {widths13 if only13 else ''} xid:32"
        found[kind] = numbers(kind, text_, **others)

    descs = numbers(
        PortDesc,
        "hw_addr:48 config:32 state:32 curr:32 advertised:32 supported:32 peer:32"
        + (" curr_speed:32 max_speed:32" if only13 else ""),
        port_no=port,
        name=text(16),
    )
    add(Hello, body=st.just(b"") if plain else data)
    found[Error] = errors(version)
    add(EchoRequest, data=data)
    add(EchoReply, data=data)
    add(Experimenter, "experimenter:32", data=data)
    for kind in (FeaturesRequest, GetConfigRequest, BarrierRequest, BarrierReply):
        add(kind)
    if only13:
        add(FeaturesReply, "datapath_id:64 n_buffers:32 n_tables:8 capabilities:32 auxiliary_id:8 reserved:32")
    else:
        add(FeaturesReply, "datapath_id:64 n_buffers:32 n_tables:8 capabilities:32 actions:32", ports=tuples(descs))
    add(GetConfigReply, "flags:16 miss_send_len:16")
    add(SetConfig, "flags:16 miss_send_len:16")
    add(
        PacketIn,
        "total_len:16 reason:8 buffer_id:32",
        "table_id:8 cookie:64",
        match=match if only13 else port.map(lambda number: Match.of(in_port=number)),
        data=data,
    )
    add(
        FlowRemoved,
        "reason:8 priority:16 cookie:64 duration_sec:32 duration_nsec:32 idle_timeout:16 packet_count:64 byte_count:64",
        "table_id:8 hard_timeout:16",
        match=match,
    )
    add(PortStatus, "reason:8", desc=descs)
    add(PacketOut, "buffer_id:32", actions=tuples(actions), data=data, in_port=port)
    flags10 = st.integers(0, 7).map(lambda flags: flags & 3 | (flags & 4) << 14)
    add(
        FlowMod,
        "priority:16 idle_timeout:16 hard_timeout:16 cookie:64 buffer_id:32",
        "cookie_mask:64 table_id:8 out_group:32",
        command=st.integers(0, 4) if plain else bits(8),
        match=match,
        instructions=entry,
        out_port=port,
        flags=bits(16) if only13 else flags10,
    )
    add(PortMod, "hw_addr:48 config:32 mask:32 advertise:32", port_no=port)
    add(QueueGetConfigRequest, port=port)
    # Rates are all that both versions define: 2 bytes and padding.
    properties = st.builds(
        QueueProperty, property=st.just(1), data=bits(16).map(lambda r: r.to_bytes(2, "big") + bytes(6))
    )
    if not plain:
        properties = st.builds(QueueProperty, property=bits(16), data=octets(8, 2))
    queues = numbers(PacketQueue, "queue_id:32", properties=tuples(properties), **({"port": port} if only13 else {}))
    add(QueueGetConfigReply, port=port, queues=tuples(queues))

    # statistics
    def add_stats(kind: type[OpenFlowMessage], widths: str = "", **others: Strategy) -> None:
        add(kind, f"flags:16 {widths}", **others)

    def pair(request: type[OpenFlowMessage], reply: type[OpenFlowMessage], name: str, element: Strategy) -> None:
        add_stats(request)
        add_stats(reply, **{name: tuples(element)})

    add_stats(DescRequest)
    add_stats(
        DescReply,
        mfr_desc=text(256),
        hw_desc=text(256),
        sw_desc=text(256),
        serial_num=text(32),
        dp_desc=text(256),
    )
    request = {"match": match, "table_id": bits(8), "out_port": port}
    request |= {"out_group": bits(32), "cookie": bits(64), "cookie_mask": bits(64)} if only13 else {}
    add_stats(FlowStatsRequest, **request)
    add_stats(AggregateRequest, **request)
    flow_stats = numbers(
        FlowStats,
        "table_id:8 priority:16 cookie:64 duration_sec:32 duration_nsec:32 idle_timeout:16 hard_timeout:16"
        f" packet_count:64 byte_count:64 {'entry_flags:16' if only13 else ''}",
        match=match,
        instructions=entry,
    )
    add_stats(FlowStatsReply, flows=tuples(flow_stats))
    add_stats(AggregateReply, "packet_count:64 byte_count:64 flow_count:32")
    table = "table_id:8 active_count:32 lookup_count:64 matched_count:64"
    if only13:
        pair(TableStatsRequest, TableStatsReply, "tables", numbers(TableStats, table))
    else:
        full = numbers(TableStats, f"{table} wildcards:32 max_entries:32", name=text(32))
        pair(TableStatsRequest, TableStatsReply, "tables", full)
    durations = " duration_sec:32 duration_nsec:32" if only13 else ""
    counters = (
        "rx_packets:64 tx_packets:64 rx_bytes:64 tx_bytes:64 rx_dropped:64 tx_dropped:64 rx_errors:64 tx_errors:64"
        " rx_frame_err:64 rx_over_err:64 rx_crc_err:64 collisions:64"
    )
    add_stats(PortStatsRequest, port_no=port)
    add_stats(PortStatsReply, ports=tuples(numbers(PortStats, counters + durations, port_no=port)))
    add_stats(QueueStatsRequest, "queue_id:32", port_no=port)
    queue = numbers(QueueStats, "queue_id:32 tx_bytes:64 tx_packets:64 tx_errors:64" + durations, port_no=port)
    add_stats(QueueStatsReply, queues=tuples(queue))
    add_stats(ExperimenterStatsRequest, "experimenter:32", data=data)
    add_stats(ExperimenterStatsReply, "experimenter:32", data=data)
    unknown_stats = st.integers(14, 0xFFFE)
    add_stats(OpaqueStatsRequest, stats_type=unknown_stats, body=data)
    add_stats(OpaqueStatsReply, stats_type=unknown_stats, body=data)
    found[OpaqueMessage] = st.builds(OpaqueMessage, type=st.integers(40, 255), body=data, xid=bits(32))
    if only13:
        _only_13(add, add_stats, actions)
    return found


def _only_13(add: Callable[..., None], add_stats: Callable[..., None], actions: Strategy) -> None:
    bucket = numbers(Bucket, "weight:16 watch_port:32 watch_group:32", actions=tuples(actions))
    add(GroupMod, "group_id:32 command:16 type:8", buckets=tuples(bucket))
    add(TableMod, "table_id:8 config:32")
    bands = tuples(numbers(MeterBand, "type:16 rate:32 burst_size:32", data=st.binary(min_size=4, max_size=4)))
    add(MeterMod, "meter_id:32 command:16 flags:16", bands=bands)
    add_stats(MeterStatsRequest, "meter_id:32")
    add_stats(MeterConfigRequest, "meter_id:32")
    add_stats(MeterFeaturesRequest)
    add_stats(MeterFeaturesReply, "max_meter:32 band_types:32 capabilities:32 max_bands:8 max_color:8")
    add_stats(MeterConfigReply, meters=tuples(numbers(MeterConfig, "meter_id:32 flags:16", bands=bands)))
    numbers_ = "meter_id:32 flow_count:32 packet_in_count:64 byte_in_count:64 duration_sec:32 duration_nsec:32"
    counts = tuples(st.tuples(bits(64), bits(64)))
    add_stats(MeterStatsReply, meters=tuples(numbers(MeterStats, numbers_, bands=counts)))
    add(RoleRequest, "role:32 generation_id:64")
    add(RoleReply, "role:32 generation_id:64")
    add(GetAsyncRequest)
    masks = {name: st.tuples(bits(32), bits(32)) for name in ("packet_in", "port_status", "flow_removed")}
    add(GetAsyncReply, **masks)
    add(SetAsync, **masks)
    add_stats(GroupStatsRequest, "group_id:32")
    counters = tuples(st.tuples(bits(64), bits(64)))
    numbers_ = "group_id:32 ref_count:32 packet_count:64 byte_count:64 duration_sec:32 duration_nsec:32"
    add_stats(GroupStatsReply, groups=tuples(numbers(GroupStats, numbers_, buckets=counters)))
    add_stats(GroupDescRequest)
    add_stats(GroupDescReply, groups=tuples(numbers(GroupDesc, "group_id:32 type:8", buckets=tuples(bucket))))
    add_stats(GroupFeaturesRequest)
    four = st.tuples(bits(32), bits(32), bits(32), bits(32))
    add_stats(GroupFeaturesReply, "types:32 capabilities:32", max_groups=four, actions=four)
    add_stats(PortDescRequest)
    widths = "hw_addr:48 config:32 state:32 curr:32 advertised:32 supported:32 peer:32 curr_speed:32 max_speed:32"
    add_stats(PortDescReply, ports=tuples(numbers(PortDesc, widths, port_no=ports(V13), name=text(16))))


MESSAGES = {version: messages(version) for version in (V10, V13)}
PLAIN = {version: messages(version, plain=True) for version in (V10, V13)}
ANY = {version: st.one_of(*MESSAGES[version].values()) for version in (V10, V13)}
KINDS = [
    (version, kind) for version in (V10, V13) for kind in sorted(MESSAGES[version], key=lambda kind: kind.__name__)
]
