"""What traffic engineering is for: every site is reached, and the upper half is moved while there is much traffic."""

import ipaddress
from dataclasses import dataclass

from sdnloom import Needs, NetworkProperty, Property, events, flow_of, openflow, packet

SITES = {"10.0.1.0/24": "office", "10.0.2.0/24": "centre", "172.16.3.0/24": "centre"}  # network -> its host
LONG = ("s1", 4)  # the port whose load decides
MUCH = 1_000_000  # bytes between two looks at the load
RELIEF = 300  # the priority of the rule that moves the upper half


@dataclass(frozen=True)
class Delivered(NetworkProperty):
    """What `source` sends to the address of a site arrives at the host of the site."""

    name: str = "Delivered"
    source: str = ""

    def bind(self, view):
        networks = {ipaddress.ip_network(text): host for text, host in SITES.items()}

        def fold(missing, event):
            if not isinstance(event, events.Sent | events.Received):
                return missing
            address = flow_of(event.packet).ip_dst
            if isinstance(event, events.Received):
                return missing - {(event.host, address)}
            hosts = {host for network, host in networks.items() if ipaddress.ip_address(address) in network}
            return missing | {(host, address) for host in hosts} if event.host == self.source else missing

        def violated(missing, _):
            host, address = min(missing, default=("", 0))
            return f"a packet for {packet.ip4_text(address)} never reached {host}" if missing else None

        return (Property(self.name, Needs.QUIESCENT, violated, fold=fold, initial=frozenset()),)


def relieved_while_busy():
    """At rest, the rule that moves the upper half is there if the last look at the load showed much, and only then."""

    def fold(memory, event):
        counted, busy, moved = memory
        match event:
            case events.MessageHandled(switch=switch, message=openflow.PortStatsReply(ports=rows)) if switch == LONG[0]:
                for row in rows:
                    if row.port_no == LONG[1]:
                        return row.tx_bytes, row.tx_bytes - counted > MUCH, moved
            case events.EntryInstalled(switch=switch, priority=priority) if (switch, priority) == (LONG[0], RELIEF):
                return counted, busy, True
            case events.EntryRemoved(switch=switch, priority=priority) if (switch, priority) == (LONG[0], RELIEF):
                return counted, busy, False
        return memory

    def violated(memory, _):
        _, busy, moved = memory
        load, place = "much" if busy else "little", "has moved" if moved else "has not moved"
        return None if busy == moved else f"there is {load} traffic, and the upper half of the data centre {place}"

    return Property("RelievedWhileBusy", Needs.QUIESCENT, violated, fold=fold, initial=(0, False, False))
