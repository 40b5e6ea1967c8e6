"""Small NOX apps, and the inputs that a switch would give them."""

import textwrap

from sdnloom.network.openflow import Match, PacketIn, PortDesc
from sdnloom.network.packet import Ethernet, IPv4, Tcp, encode, stack
from sdnloom.network.program import MessageIn, SwitchUp
from sdnloom.platforms.nox import NoxProgram

FACTORY = """

def getFactory():
    class Factory:
        def instance(self, ctxt):
            return App(ctxt)
    return Factory()
"""
JOINED = SwitchUp("s1", 0x1A, (PortDesc(1, 0x0A01, "eth1"), PortDesc(2, 0x0A02, "eth2", config=16, state=1)))


def write(folder, source, name="app"):
    """Write an app whose component is called App; return its file."""
    file = folder / f"{name}.py"
    file.write_text("from nox.lib.core import *\n" + textwrap.dedent(source) + FACTORY)
    return file


def program(folder, source, **options):
    return NoxProgram(write(folder, source), **options)


def component(started, name="app"):
    """The live component; tests look at what it knows after an input."""
    return started._apps.kernel.components[name]


def frame(src=0x10, dst=0x20, *rest, payload=b"hello"):
    return encode(stack(Ethernet(dst, src), *(rest or (IPv4(1, 2), Tcp(5, 80))), payload=payload))


def packet_in(data=None, port=1, buffer_id=7, switch="s1", reason=0):
    data = frame() if data is None else data
    return MessageIn(switch, PacketIn(Match.of(in_port=port), data, len(data), reason, buffer_id))


def give(started, *inputs, core=None):
    """Give inputs one after the other, each of which has one reaction; return the last one."""
    core = started.initial() if core is None else core
    for given in inputs:
        (reaction,) = started.handle(core, given)
        core = reaction.core
    return reaction
