"""`nox.lib.core.Component`: the base of every app, and the names that apps use with it."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

from sdnloom.platforms.nox import adapters, events, openflow
from sdnloom.platforms.nox.context import Context
from sdnloom.platforms.nox.events import UINT32_MAX
from sdnloom.platforms.nox.netinet import Packet_expr, create_eaddr, create_ipaddr
from sdnloom.platforms.nox.octets import octets
from sdnloom.platforms.nox.util import convert_to_eaddr, set_match
from sdnloom.platforms.nox.wire import actions_bytes

# Keys of the dictionaries that describe flows, switches, ports and statistics.
NAMES = {
    **{
        name.upper(): name
        for name in [
            "in_port",
            "ap_src",
            "ap_dst",
            "dl_src",
            "dl_dst",
            "dl_vlan",
            "dl_vlan_pcp",
            "dl_type",
            "nw_src",
            "nw_src_n_wild",
            "nw_dst",
            "nw_dst_n_wild",
            "nw_proto",
            "nw_tos",
            "tp_src",
            "tp_dst",
            "group_src",
            "group_dst",
            "n_tables",
            "actions",
            "ports",
            "table_id",
            "name",
            "max_entries",
            "active_count",
            "lookup_count",
            "matched_count",
            "port_no",
            "speed",
            "config",
            "state",
            "curr",
            "advertised",
            "supported",
            "peer",
            "hw_addr",
            "rx_packets",
            "tx_packets",
            "rx_bytes",
            "tx_bytes",
            "rx_dropped",
            "tx_dropped",
            "rx_errors",
            "tx_errors",
            "collisions",
            "packet_count",
            "byte_count",
            "flow_count",
            "match",
            "cookie",
            "priority",
            "mfr_desc",
            "hw_desc",
            "sw_desc",
            "dp_desc",
            "serial_num",
        ]
    },
    "N_BUFFERS": "n_bufs",
    "CAPABILITES": "caps",
    "RX_FRAME_ERROR": "rx_frame_err",
    "RX_OVER_ERROR": "rx_over_err",
    "RX_CRC_ERROR": "rx_crc_err",
    "DUR_SEC": "duration_sec",
    "DUR_NSEC": "duration_nsec",
    "IDLE_TO": "idle_timeout",
    "HARD_TO": "hard_timeout",
}
FIRST_XID = 8238  # of the barriers that a component sends

Handler = Callable[..., Any]


class Component:
    """An app: made by the factory of its module, then configured, then installed."""

    def __init__(self, ctxt: Context) -> None:
        self.ctxt = ctxt
        self.component_names: list[str] | None = None

    def configure(self, config: Mapping[str, Any]) -> None:
        """Read the configuration; `config["arguments"]` is a list of texts."""

    def install(self) -> None:
        """Register handlers and set timers."""

    def getInterface(self) -> Any:
        """Return the interface by which other components resolve this one: its class, or its text."""
        return type(self)

    def resolve(self, interface: Any) -> Any:
        """Return the component with that interface, or None."""
        return self.ctxt.resolve(str(interface))

    def is_component_loaded(self, name: str) -> bool:
        """Whether a component of that name is loaded."""
        if not self.component_names:
            self.component_names = [each.get_name() for each in self.ctxt.get_kernel().get_all()]
        return name in self.component_names

    def register_event(self, event_name: str) -> None:
        """Register an event."""
        self.ctxt.register_event(event_name)

    def register_python_event(self, event_name: str) -> None:
        """Register an event that the program defines."""
        self.ctxt.register_python_event(event_name)

    def register_handler(self, event_name: str, handler: Handler) -> None:
        """Call handler(event) with every event of that name."""
        self.ctxt.register_handler(event_name, handler)

    def unregister_handler(self, rule_id: int) -> bool:
        """Remove a rule of `register_for_packet_match`."""
        return self.ctxt.unregister_handler(rule_id)

    def post(self, event: Any) -> None:
        """Raise an event when the handlers of the present one are done."""
        self.ctxt.post(event)

    def post_callback(self, t: float, function: Handler) -> None:
        """Call a function once, after t seconds."""
        self.ctxt.post_timer(t, function)

    def make_action_array(self, actions: Any) -> bytes:
        """Return a list of [type, argument] as bytes; the argument of an output is a port or [length, port]."""
        return actions_bytes(actions)

    def send_openflow_command(self, dp_id: int, packet: Any) -> None:
        """Send a whole OpenFlow message given as bytes."""
        self.ctxt.send_openflow_command(dp_id, packet)

    def send_openflow_packet(
        self, dp_id: int, packet: Any, actions: Any, inport: Any = openflow.OFPP_CONTROLLER
    ) -> None:
        """Send a packet out of a port, or with a list of actions."""
        if isinstance(actions, int):
            self.ctxt.send_openflow_packet_port(dp_id, octets(packet), actions, inport)
        elif isinstance(actions, list):
            self.ctxt.send_openflow_packet_acts(dp_id, octets(packet), actions_bytes(actions), inport)
        else:
            raise Exception("Bad argument")

    def send_openflow_buffer(
        self, dp_id: int, buffer_id: int, actions: Any, inport: Any = openflow.OFPP_CONTROLLER
    ) -> None:
        """Send a buffered packet out of a port, or with a list of actions."""
        if isinstance(actions, int):
            self.ctxt.send_openflow_buffer_port(dp_id, buffer_id, actions, inport)
        elif isinstance(actions, list):
            self.ctxt.send_openflow_buffer_acts(dp_id, buffer_id, actions_bytes(actions), inport)
        else:
            raise Exception("Bad argument")

    def send_openflow(
        self, dp_id: int, buffer_id: int | None, packet: Any, actions: Any, inport: Any = openflow.OFPP_CONTROLLER
    ) -> None:
        """Send the buffered packet or, if `buffer_id` is None, the given one."""
        if buffer_id is not None:
            self.send_openflow_buffer(dp_id, buffer_id, actions, inport)
        else:
            self.send_openflow_packet(dp_id, packet, actions, inport)

    def send_flow_command(
        self,
        dp_id: int,
        command: int,
        attrs: Mapping[str, Any],
        priority: int = openflow.OFP_DEFAULT_PRIORITY,
        add_args: Any = None,
        hard_timeout: int = openflow.OFP_FLOW_PERMANENT,
    ) -> bool:
        """Change a flow table; `add_args` of an addition are (idle timeout, actions, buffer_id)."""
        match = set_match(attrs)
        idle_timeout, actions, buffer_id = 0, b"", UINT32_MAX
        if command == openflow.OFPFC_ADD:
            idle_timeout, wanted, buffer_id = add_args
            actions = actions_bytes(wanted)
        self.ctxt.send_flow_command(dp_id, command, match, idle_timeout, hard_timeout, actions, buffer_id, priority)
        return True

    def delete_datapath_flow(self, dp_id: int, attrs: Mapping[str, Any]) -> bool:
        """Delete the entries that a flow covers."""
        return self.send_flow_command(dp_id, openflow.OFPFC_DELETE, attrs)

    def delete_strict_datapath_flow(
        self, dp_id: int, attrs: Mapping[str, Any], priority: int = openflow.OFP_DEFAULT_PRIORITY
    ) -> bool:
        """Delete the entry with exactly this flow and priority."""
        return self.send_flow_command(dp_id, openflow.OFPFC_DELETE_STRICT, attrs, priority)

    def install_datapath_flow(
        self,
        dp_id: int,
        attrs: Mapping[str, Any],
        idle_timeout: int,
        hard_timeout: int,
        actions: Any,
        buffer_id: int | None = None,
        priority: int = openflow.OFP_DEFAULT_PRIORITY,
        inport: Any = None,
        packet: Any = None,
    ) -> None:
        """Add an entry, and send the buffered packet or, if `buffer_id` is None, the given one, the same way."""
        kept = UINT32_MAX if buffer_id is None else buffer_id
        self.send_flow_command(dp_id, openflow.OFPFC_ADD, attrs, priority, (idle_timeout, actions, kept), hard_timeout)
        if kept == UINT32_MAX and packet is not None:
            for action in actions:
                if action[0] != openflow.OFPAT_OUTPUT:
                    raise NotImplementedError("NOX sends such a packet with outputs only")
                port = action[1] if isinstance(action[1], int) else action[1][1]
                self.send_openflow_packet(dp_id, packet, port, inport)

    def send_barrier(self, dpid: int, xid: int | None = None) -> int:
        """Send a barrier; as in NOX only when no transaction id is given."""
        if xid is None:
            xid = getattr(self, "xid", FIRST_XID)
            xid = FIRST_XID if xid >= 0xFFFFFFFE else xid
            self.xid = xid + 1
            header = struct.pack("!BBHI", openflow.OFP_VERSION, openflow.OFPT_BARRIER_REQUEST, 8, xid)
            self.send_openflow_command(dpid, header)
        return xid

    def send_port_mod(self, dpid: int, portno: int, hwaddr: Any, mask: int, config: int) -> int:
        """Change a port; its address is a text or an object."""
        address = create_eaddr(str(hwaddr))
        if address is None:
            raise RuntimeError(f"unable to send port mod:{hwaddr}")
        return self.ctxt.send_port_mod(dpid, portno, address, mask, config)

    def _listen(self, kind: type[events.Event], on_event: Handler) -> None:
        self.register_handler(kind.static_get_name(), on_event)

    def register_for_packet_in(self, handler: Handler) -> None:
        """Call handler(dpid, inport, reason, length, buffer_id or None, packet) with every packet."""
        self._listen(events.Packet_in_event, adapters.gen_packet_in_callback(handler))

    def register_for_packet_match(self, handler: Handler, priority: int, expr: Mapping[str, Any]) -> int:
        """The same for packets of a flow; only the handlers with the lowest priority number get a packet."""
        wanted = Packet_expr()
        for key, value in expr.items():
            field = key.upper()
            if field not in Packet_expr.FIELDS:
                raise RuntimeError(f"invalid key: {key}")
            if key in ("dl_src", "dl_dst"):
                address = convert_to_eaddr(value)
                if address is None:
                    raise RuntimeError("invalid ethernet addr")
                wanted.set_eth_field(getattr(Packet_expr, field), address)
            elif key in ("nw_src", "nw_dst"):
                number = create_ipaddr(value)
                if number is None:
                    raise RuntimeError("invalid ip addr")
                wanted.set_uint32_field(getattr(Packet_expr, field), number.hb_long())
            else:
                wanted.set_uint32_field(getattr(Packet_expr, field), value)
        return self.ctxt.register_handler_on_match(adapters.gen_packet_in_callback(handler), priority, wanted)

    def register_for_flow_removed(self, handler: Handler) -> None:
        """Call handler(dpid, flow, priority, reason, cookie, seconds, nanoseconds, bytes, packets)."""
        self._listen(events.Flow_removed_event, adapters.gen_flow_removed_callback(handler))

    def register_for_flow_mod(self, handler: Handler) -> None:
        """Call handler(dpid, flow, command, idle, hard, buffer_id, priority, cookie) with every change sent."""
        self._listen(events.Flow_mod_event, adapters.gen_flow_mod_callback(handler))

    def register_for_bootstrap_complete(self, handler: Handler) -> None:
        """Call handler(event) when all components are installed."""
        self.register_handler(events.Bootstrap_complete_event.static_get_name(), handler)

    def register_for_datapath_join(self, handler: Handler) -> None:
        """Call handler(dpid, attributes) when a switch connects."""
        self._listen(events.Datapath_join_event, adapters.gen_datapath_join_callback(handler))

    def register_for_datapath_leave(self, handler: Handler) -> None:
        """Call handler(dpid) when a switch disconnects."""
        self._listen(events.Datapath_leave_event, adapters.gen_datapath_leave_callback(handler))

    def register_for_port_status(self, handler: Handler) -> None:
        """Call handler(dpid, reason, port) when a port changes."""
        self._listen(events.Port_status_event, adapters.gen_port_status_callback(handler))

    def register_for_table_stats_in(self, handler: Handler) -> None:
        """Call handler(dpid, tables)."""
        self._listen(events.Table_stats_in_event, adapters.gen_table_stats_in_callback(handler))

    def register_for_port_stats_in(self, handler: Handler) -> None:
        """Call handler(dpid, ports)."""
        self._listen(events.Port_stats_in_event, adapters.gen_port_stats_in_callback(handler))

    def register_for_flow_stats_in(self, handler: Handler) -> None:
        """Call handler(dpid, flows, more, xid)."""
        self._listen(events.Flow_stats_in_event, adapters.gen_flow_stats_in_callback(handler))

    def register_for_aggregate_stats_in(self, handler: Handler) -> None:
        """Call handler(dpid, sums)."""
        self._listen(events.Aggregate_stats_in_event, adapters.gen_aggr_stats_in_callback(handler))

    def register_for_desc_stats_in(self, handler: Handler) -> None:
        """Call handler(dpid, texts)."""
        self._listen(events.Desc_stats_in_event, adapters.gen_desc_stats_in_callback(handler))

    def register_for_barrier_reply(self, handler: Handler) -> None:
        """Call handler(dpid, xid)."""
        self._listen(events.Barrier_reply_event, adapters.gen_barrier_reply_callback(handler))

    def register_for_error(self, handler: Handler) -> None:
        """Call handler(dpid, type, code, data, xid)."""
        self._listen(events.Error_event, adapters.gen_error_callback(handler))

    def register_for_switch_mgr_join(self, handler: Handler) -> None:
        """Call handler(number) when a management connection is made, which never happens here."""
        self._listen(events.Switch_mgr_join_event, adapters.gen_switch_mgr_callback(handler))

    def register_for_switch_mgr_leave(self, handler: Handler) -> None:
        """Call handler(number) when a management connection ends, which never happens here."""
        self._listen(events.Switch_mgr_leave_event, adapters.gen_switch_mgr_callback(handler))
