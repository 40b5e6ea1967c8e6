"""A program in plain Python that handles everything, keeps state of several kinds, and raises now and then."""

from typing import Any

from sdnloom.network.openflow import BarrierRequest, EchoRequest, FlowCommand, FlowMod, Match, Output, PacketOut
from sdnloom.network.packet import decode
from tests.platforms.server import raising_library


class EveryHandler:
    def __init__(self, greeting: str, limits: list[Any]) -> None:
        self.greeting, self.limits = greeting, limits
        self.log: list[tuple[Any, ...]] = []
        self.counts: dict[str, int] = {}

    def note(self, net: Any, name: str, *about: Any) -> None:
        """Remember an input, and tell every switch how many there were."""
        self.counts[name] = self.counts.get(name, 0) + 1
        self.log.append((name, *about))
        for switch in ("s1", "s2"):
            net.send(switch, EchoRequest(repr((self.greeting, self.limits, self.counts, self.log[-2:])).encode()))

    def switch_join(self, net: Any, switch: str, features: Any) -> None:
        self.note(net, "join", switch, features)
        net.install(switch, Match.of(eth_type=0x88CC), Output(1), priority=len(self.log) % 9)

    def switch_leave(self, net: Any, switch: str) -> None:
        self.note(net, "leave", switch)
        if self.counts["leave"] % 2:
            raise RuntimeError(f"{switch} left\nfor good")

    def packet_in(self, net: Any, switch: str, message: Any) -> None:
        net.flood(switch, message)
        frame: Any = decode(message.data).headers[0]  # raises for a frame that was cut
        if message.in_port == 3:
            raise SystemExit(f"{frame.src}")
        net.install(switch, Match.of(in_port=message.in_port), Output(2), release=message, idle_timeout=5)

    def port_status(self, net: Any, switch: str, message: Any) -> None:
        self.note(net, "port", switch, message)
        raising_library.divide(message.reason)

    def flow_removed(self, net: Any, switch: str, message: Any) -> None:
        self.note(net, "removed", switch, message)
        net.send(switch, FlowMod(message.match, FlowCommand.DELETE))

    def stats(self, net: Any, switch: str, message: Any) -> None:
        self.note(net, "stats", switch, message)

    def barrier_reply(self, net: Any, switch: str, message: Any) -> None:
        net.send(switch, BarrierRequest(xid=message.xid + 1))

    def error(self, net: Any, switch: str, message: Any) -> None:
        self.note(net, "error", switch, message)
        net.send(switch, PacketOut((Output(message.data[0] % 4),), b"as it was"))

    def timer(self, net: Any, name: str) -> None:
        self.note(net, name)
        if name == "other":
            self.log.clear()

    def external(self, net: Any, name: str, *arguments: Any) -> None:
        self.note(net, name, *arguments)
        if name == "fail":
            self.counts[name] += arguments[0]
