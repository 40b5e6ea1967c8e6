"""The context of a component: the functions of NOX that it calls, as the C++ side offers them."""

import struct
from collections.abc import Callable
from typing import Any

from sdnloom.network.openflow import V10, DecodeError, decode
from sdnloom.platforms.nox import openflow, wire
from sdnloom.platforms.nox.kernel import HandlerRule, Kernel, NoxError
from sdnloom.platforms.nox.netinet import Packet_expr, c_htonl
from sdnloom.platforms.nox.octets import octets

NOX_VERSION = "0.9.2"  # the version of NOX that is emulated


class Named:
    """A component in the list of all components."""

    def __init__(self, name: str) -> None:
        self._name = name

    def get_name(self) -> str:
        """Return its name."""
        return self._name


class Context:
    """The functions that one component calls. A message to a switch that is not connected is lost, as in NOX."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def resolve(self, interface: Any) -> Any:
        """Return the component whose interface this is; None if there is none."""
        wanted = str(interface)
        for component in self._kernel.components.values():
            if str(component.getInterface()) == wanted:
                return component
        return None

    def get_kernel(self) -> "Context":
        """Return the object that lists all components."""
        return self

    def get_all(self) -> list[Named]:
        """Return all components, by name."""
        return [Named(name) for name in self._kernel.components]

    def get_version(self) -> str:
        """Return the version of NOX."""
        return NOX_VERSION

    def post(self, event: Any) -> None:
        """Raise an event when the handlers of the present one are done."""
        self._kernel.posted.append(event)

    def post_timer(self, seconds: float, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function after some seconds."""
        self._kernel.set_timer(seconds, function, arguments)

    def register_event(self, name: str) -> None:
        """Does nothing: every name of an event is known here."""

    register_python_event = register_event

    def register_handler(self, name: str, handler: Callable[..., Any]) -> None:
        """Call a handler with every event of that name, after those registered before it."""
        if not callable(handler):
            raise TypeError("not a callable parameter")
        self._kernel.handlers.setdefault(name, []).append(handler)

    def register_handler_on_match(self, handler: Callable[..., Any], priority: int, expr: Packet_expr) -> int:
        """Call a handler with packets that match, before the other handlers; return the number of the rule."""
        if not callable(handler):
            raise TypeError("not a callable parameter")
        number = self._kernel.next_rule
        self._kernel.next_rule += 1
        self._kernel.rules.append(HandlerRule(number, priority, expr, handler))
        return number

    def unregister_handler(self, rule_id: int) -> bool:
        """Remove a rule; return whether there was one."""
        before = len(self._kernel.rules)
        self._kernel.rules = [rule for rule in self._kernel.rules if rule.number != rule_id]
        return len(self._kernel.rules) < before

    def send_openflow_command(self, datapath_id: int, packet: Any) -> int:
        """Send a whole OpenFlow message given as bytes."""
        try:
            message = decode(octets(packet), V10)
        except DecodeError as error:
            raise ValueError(f"no OpenFlow 1.0 message: {error}") from error
        return self._kernel.send(datapath_id, message)

    def send_openflow_packet_port(self, datapath_id: int, packet: Any, out_port: int, in_port: int) -> None:
        """Send a packet out of a port."""
        self.send_openflow_packet_acts(datapath_id, packet, _to_port(out_port), in_port)

    def send_openflow_packet_acts(self, datapath_id: int, packet: Any, actions: bytes, in_port: int) -> None:
        """Send a packet with actions."""
        message = wire.packet_out(openflow.UINT32_MAX, _port(in_port), actions, packet)
        self._kernel.send(datapath_id, message)

    def send_openflow_buffer_port(self, datapath_id: int, buffer_id: int, out_port: int, in_port: int) -> None:
        """Send a buffered packet out of a port."""
        self.send_openflow_buffer_acts(datapath_id, buffer_id, _to_port(out_port), in_port)

    def send_openflow_buffer_acts(self, datapath_id: int, buffer_id: int, actions: bytes, in_port: int) -> None:
        """Apply actions to a buffered packet."""
        self._kernel.send(datapath_id, wire.packet_out(buffer_id, _port(in_port), actions))

    def send_flow_command(
        self,
        datapath_id: int,
        command: int,
        match: openflow.ofp_match,
        idle_timeout: int,
        hard_timeout: int,
        actions: bytes,
        buffer_id: int,
        priority: int,
    ) -> None:
        """Change a flow table."""
        message = wire.flow_mod(match, command, idle_timeout, hard_timeout, priority, buffer_id, actions)
        self._kernel.send(datapath_id, message)

    def send_port_mod(self, datapath_id: int, port_no: int, addr: Any, mask: int, config: int) -> int:
        """Change a port."""
        return self._kernel.send(datapath_id, wire.port_mod(port_no, addr, mask, config))

    def send_table_stats_request(self, datapath_id: int) -> None:
        """Ask for the statistics of the tables."""
        self._kernel.send(datapath_id, wire.stats_request(openflow.OFPST_TABLE))

    def send_port_stats_request(self, datapath_id: int, port: int = openflow.OFPP_NONE) -> None:
        """Ask for the statistics of a port, or of all."""
        self._kernel.send(datapath_id, wire.stats_request(openflow.OFPST_PORT, struct.pack("!H6x", port)))

    def send_desc_stats_request(self, datapath_id: int) -> None:
        """Ask for the description of the switch."""
        self._kernel.send(datapath_id, wire.stats_request(openflow.OFPST_DESC))

    def send_aggregate_stats_request(self, datapath_id: int, match: openflow.ofp_match, table_id: int) -> None:
        """Ask for sums over the entries that a match covers."""
        self._entries(openflow.OFPST_AGGREGATE, datapath_id, match, table_id)

    def send_flow_stats_request(self, datapath_id: int, match: openflow.ofp_match, table_id: int, xid: int = 0) -> None:
        """Ask for the entries that a match covers."""
        self._entries(openflow.OFPST_FLOW, datapath_id, match, table_id)

    def _entries(self, kind: int, datapath_id: int, match: openflow.ofp_match, table_id: int) -> None:
        body = match.pack() + struct.pack("!BxH", table_id, openflow.OFPP_NONE)
        self._kernel.send(datapath_id, wire.stats_request(kind, body))

    def close_openflow_connection(self, datapath_id: int) -> int:
        """Refused: in the model only faults break connections."""
        raise NoxError(f"close_openflow_connection of {datapath_id:#x}; expected a program that keeps its connections")

    def get_switch_ip(self, datapath_id: int) -> int:
        """Return the address of a switch: the model has none."""
        return c_htonl(0)

    get_switch_controller_ip = get_switch_ip


def _to_port(port: int) -> bytes:
    return wire.actions_bytes([[openflow.OFPAT_OUTPUT, _port(port)]])


def _port(number: Any) -> int:
    """A port of 16 bits, as the C++ side requires."""
    if not isinstance(number, int):
        raise TypeError(f"{number!r} is no port number")
    if not 0 <= number <= 0xFFFF:
        raise OverflowError(f"port {number} does not fit in 16 bits")
    return number
