"""Hosts: small classes to use as they are or to subclass."""

from sdnloom.network.hosts.arp import ArpHost
from sdnloom.network.hosts.client import Client
from sdnloom.network.hosts.host import Host, HostAction, HostStep, HostTraffic, HostView
from sdnloom.network.hosts.mobile import MobileHost
from sdnloom.network.hosts.replier import Replier
from sdnloom.network.hosts.tcp import TcpClient, TcpServer

__all__ = [
    "ArpHost",
    "Client",
    "Host",
    "HostAction",
    "HostStep",
    "HostTraffic",
    "HostView",
    "MobileHost",
    "Replier",
    "TcpClient",
    "TcpServer",
]
