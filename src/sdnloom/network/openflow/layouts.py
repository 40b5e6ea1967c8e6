"""The wire layouts of OpenFlow 1.0 and 1.3: name, bits and type of every field, in wire order.

The types are defined in `field_types.py`: `port` (16 or 32 bits of a port number), `text` (padded with NULs), `words`
(several 32-bit numbers), `flags` (FlowMod's), `match` (1.0's fixed one), `in_port` (a port as a match), `vlan`, `pcp`
and `tos` (arguments of 1.0 actions), `size` (computed when written). Offsets count from the start of the structure; a
message's structure starts after the 8 bytes of its header.
"""

from sdnloom.network.bitstruct import BitStruct, Slot
from sdnloom.network.openflow.constants import V10, V13

HEADER = BitStruct("header", "version:8 type:8 length:16 xid:32")

_COUNTERS = (
    "rx_packets:64 tx_packets:64 rx_bytes:64 tx_bytes:64 rx_dropped:64 tx_dropped:64 rx_errors:64 tx_errors:64"
    " rx_frame_err:64 rx_over_err:64 rx_crc_err:64 collisions:64"
)
_DESC = "mfr_desc:2048:text hw_desc:2048:text sw_desc:2048:text serial_num:256:text dp_desc:2048:text"
_DURATION = "duration_sec:32 duration_nsec:32"
_ASYNC = "packet_in:64:words port_status:64:words flow_removed:64:words"
_STATS13 = "stats_type:16 flags:16 -:32"
_FLOW_REQUEST13 = "table_id:8 -:24 out_port:32:port out_group:32 -:32 cookie:64 cookie_mask:64"

_BOTH = {
    "empty": "",
    "error": "type:16 code:16",
    "experimenter": "experimenter:32",
    "switch_config": "flags:16 miss_send_len:16",
    "port_status": "reason:8 -:56",
    "unknown": "type:16 len:16:size",
    "queue_property": "property:16 len:16:size -:32",
}

_V10 = {
    "match": (
        "wildcards:32 in_port:16:port dl_src:48 dl_dst:48 dl_vlan:16 dl_vlan_pcp:8 -:8 dl_type:16 nw_tos:8 nw_proto:8"
        " -:16 nw_src:32 nw_dst:32 tp_src:16 tp_dst:16"
    ),
    "port": "port_no:16:port hw_addr:48 name:128:text config:32 state:32 curr:32 advertised:32 supported:32 peer:32",
    "features_reply": "datapath_id:64 n_buffers:32 n_tables:8 -:24 capabilities:32 actions:32",
    "packet_in": "buffer_id:32 total_len:16 match:16:in_port reason:8 -:8",
    "flow_removed": (
        "match:320:match cookie:64 priority:16 reason:8 -:8 duration_sec:32 duration_nsec:32 idle_timeout:16 -:16"
        " packet_count:64 byte_count:64"
    ),
    "packet_out": "buffer_id:32 in_port:16:port actions_len:16:size",
    "flow_mod": (
        "match:320:match cookie:64 command:16 idle_timeout:16 hard_timeout:16 priority:16 buffer_id:32 out_port:16:port"
        " flags:16:flags"
    ),
    "port_mod": "port_no:16:port hw_addr:48 config:32 mask:32 advertise:32 -:32",
    "queue_config_request": "port:16:port -:16",
    "queue_config_reply": "port:16:port -:48",
    "queue": "queue_id:32 len:16:size -:16",
    # statistics
    "stats": "stats_type:16 flags:16",
    "desc_reply": f"stats_type:16 flags:16 {_DESC}",
    "flow_stats_request": "stats_type:16 flags:16 match:320:match table_id:8 -:8 out_port:16:port",
    "flow_stats": (
        "length:16:size table_id:8 -:8 match:320:match duration_sec:32 duration_nsec:32 priority:16 idle_timeout:16"
        " hard_timeout:16 -:48 cookie:64 packet_count:64 byte_count:64"
    ),
    "aggregate_reply": "stats_type:16 flags:16 packet_count:64 byte_count:64 flow_count:32 -:32",
    "table_stats": (
        "table_id:8 -:24 name:256:text wildcards:32 max_entries:32 active_count:32 lookup_count:64 matched_count:64"
    ),
    "port_stats_request": "stats_type:16 flags:16 port_no:16:port -:48",
    "port_stats": f"port_no:16:port -:48 {_COUNTERS}",
    "queue_stats_request": "stats_type:16 flags:16 port_no:16:port -:16 queue_id:32",
    "queue_stats": "port_no:16:port -:16 queue_id:32 tx_bytes:64 tx_packets:64 tx_errors:64",
    "experimenter_stats": "stats_type:16 flags:16 experimenter:32",
    # actions
    "output": "type:16 len:16:size port:16:port max_len:16",
    "set_vlan_vid": "type:16 len:16:size value:16:vlan -:16",
    "set_vlan_pcp": "type:16 len:16:size value:8:pcp -:24",
    "strip_vlan": "type:16 len:16:size -:32",
    "set_dl_addr": "type:16 len:16:size value:48 -:48",
    "set_nw_addr": "type:16 len:16:size value:32",
    "set_nw_tos": "type:16 len:16:size value:8:tos -:24",
    "set_tp_port": "type:16 len:16:size value:16 -:16",
    "enqueue": "type:16 len:16:size port:16:port -:48 queue_id:32",
    "experimenter_action": "type:16 len:16:size experimenter:32",
}

_V13 = {
    "match": "type:16 length:16:size",
    "oxm": "class:16 field:7 hasmask:1 length:8",
    "port": (
        "port_no:32:port -:32 hw_addr:48 -:16 name:128:text config:32 state:32 curr:32 advertised:32 supported:32"
        " peer:32 curr_speed:32 max_speed:32"
    ),
    "features_reply": "datapath_id:64 n_buffers:32 n_tables:8 auxiliary_id:8 -:16 capabilities:32 reserved:32",
    "packet_in": "buffer_id:32 total_len:16 reason:8 table_id:8 cookie:64",
    "flow_removed": (
        "cookie:64 priority:16 reason:8 table_id:8 duration_sec:32 duration_nsec:32 idle_timeout:16 hard_timeout:16"
        " packet_count:64 byte_count:64"
    ),
    "packet_out": "buffer_id:32 in_port:32:port actions_len:16:size -:48",
    "flow_mod": (
        "cookie:64 cookie_mask:64 table_id:8 command:8 idle_timeout:16 hard_timeout:16 priority:16 buffer_id:32"
        " out_port:32:port out_group:32 flags:16 -:16"
    ),
    "group_mod": "command:16 type:8 -:8 group_id:32",
    "bucket": "len:16:size weight:16 watch_port:32:port watch_group:32 -:32",
    "port_mod": "port_no:32:port -:32 hw_addr:48 -:16 config:32 mask:32 advertise:32 -:32",
    "table_mod": "table_id:8 -:24 config:32",
    "meter_mod": "command:16 flags:16 meter_id:32",
    "meter_band": "type:16 len:16:size rate:32 burst_size:32",
    "queue_config_request": "port:32:port -:32",
    "queue_config_reply": "port:32:port -:32",
    "queue": "queue_id:32 port:32:port len:16:size -:48",
    "role": "role:32 -:32 generation_id:64",
    "async": _ASYNC,
    # multipart
    "stats": _STATS13,
    "desc_reply": f"{_STATS13} {_DESC}",
    "flow_stats_request": f"{_STATS13} {_FLOW_REQUEST13}",
    "flow_stats": (
        "length:16:size table_id:8 -:8 duration_sec:32 duration_nsec:32 priority:16 idle_timeout:16 hard_timeout:16"
        " entry_flags:16 -:32 cookie:64 packet_count:64 byte_count:64"
    ),
    "aggregate_reply": f"{_STATS13} packet_count:64 byte_count:64 flow_count:32 -:32",
    "table_stats": "table_id:8 -:24 active_count:32 lookup_count:64 matched_count:64",
    "port_stats_request": f"{_STATS13} port_no:32:port -:32",
    "port_stats": f"port_no:32:port -:32 {_COUNTERS} {_DURATION}",
    "queue_stats_request": f"{_STATS13} port_no:32:port queue_id:32",
    "queue_stats": f"port_no:32:port queue_id:32 tx_bytes:64 tx_packets:64 tx_errors:64 {_DURATION}",
    "group_stats_request": f"{_STATS13} group_id:32 -:32",
    "group_stats": f"length:16:size -:16 group_id:32 ref_count:32 -:32 packet_count:64 byte_count:64 {_DURATION}",
    "bucket_counter": "packet_count:64 byte_count:64",
    "group_desc": "length:16:size type:8 -:8 group_id:32",
    "group_features_reply": f"{_STATS13} types:32 capabilities:32 max_groups:128:words actions:128:words",
    "meter_request": f"{_STATS13} meter_id:32 -:32",
    "meter_stats": (f"meter_id:32 len:16:size -:48 flow_count:32 packet_in_count:64 byte_in_count:64 {_DURATION}"),
    "meter_config": "length:16:size flags:16 meter_id:32",
    "meter_features_reply": f"{_STATS13} max_meter:32 band_types:32 capabilities:32 max_bands:8 max_color:8 -:16",
    "experimenter_stats": f"{_STATS13} experimenter:32",
    # actions
    "output": "type:16 len:16:size port:32:port max_len:16 -:48",
    "bare_action": "type:16 len:16:size -:32",
    "ethertype_action": "type:16 len:16:size ethertype:16 -:16",
    "ttl_action": "type:16 len:16:size ttl:8 -:24",
    "group_action": "type:16 len:16:size group_id:32",
    "set_queue": "type:16 len:16:size queue_id:32",
    "set_field": "type:16 len:16:size",
    "experimenter_action": "type:16 len:16:size experimenter:32",
    # instructions
    "goto_table": "type:16 len:16:size table_id:8 -:24",
    "write_metadata": "type:16 len:16:size -:32 metadata:64 mask:64",
    "actions_instruction": "type:16 len:16:size -:32",
    "meter": "type:16 len:16:size meter_id:32",
    "experimenter_instruction": "type:16 len:16:size experimenter:32",
}

STRUCTS: dict[int, dict[str, BitStruct]] = {
    version: {name: BitStruct(name, text) for name, text in {**_BOTH, **own}.items()}
    for version, own in ((V10, _V10), (V13, _V13))
}


def struct_layout(version: int, name: str) -> dict[str, Slot]:
    """Return the fields of a structure: name -> offset and width in bits, and type.

    The fields of a fixed match inside it are included, as `match.nw_src`.
    """
    slots = dict(STRUCTS[version][name].slots)
    for outer in STRUCTS[version][name].slots.values():
        if outer.kind == "match":
            for inner in STRUCTS[version]["match"].slots.values():
                path = f"{outer.name}.{inner.name}"
                slots[path] = Slot(path, outer.offset + inner.offset, inner.bits, inner.kind)
    return slots
