"""A small scenario to build on: a hub that floods, in a line of switches."""

from pathlib import Path

PROGRAM = '''\
from sdnloom.engine.model import Needs, Property
from sdnloom.network.events import Received
from sdnloom.network.hosts import Client


class Hub:
    def __init__(self, broken=False):
        self.broken = broken
        self.ports = {}

    def packet_in(self, net, switch, message):
        self.ports[switch] = message.in_port
        if self.broken:
            raise KeyError(switch)
        net.flood(switch, message)


class Other(Client):
    """A host of one's own."""


def quiet(host: str, most: int = 0):
    """The host receives at most so many packets."""

    def fold(count, event):
        heard = isinstance(event, Received) and event.host == host
        return min(count + 1, most + 1) if heard else count

    return Property(
        f"quiet {host}",
        Needs.EVENT,
        lambda count, _: f"{host} received {count}" if count > most else None,
        fold=fold,
        initial=0,
    )


def nothing():
    return 3


reached = Property(
    "h2 is reached",
    Needs.EVENT,
    lambda seen, _: "h2 received a packet" if seen else None,
    fold=lambda seen, event: seen or (isinstance(event, Received) and event.host == "h2"),
    initial=False,
    sometimes=True,
)
silence = Property(
    "silence",
    Needs.EVENT,
    lambda heard, _: f"{heard} heard something" if heard else None,
    fold=lambda heard, event: event.host if isinstance(event, Received) else heard,
    initial="",
)
'''

SCENARIO = """\
properties = [{ file = "hub.py", name = "quiet", host = "h2" }]

[program]
file = "hub.py"
class = "Hub"

[topology]
shape = "linear"
switches = 2

[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
"""
# The same with switches that buffer packets.
BUFFERED = SCENARIO + '\n[switches]\nprofile = "reference"\n'


def write(folder: Path, text: str = SCENARIO, name: str = "hub.toml") -> Path:
    """Write the program and the scenario into the folder and return the scenario's file."""
    (folder / "hub.py").write_text(PROGRAM)
    file = folder / name
    file.write_text(text)
    return file
