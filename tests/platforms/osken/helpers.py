"""Helpers for tests of os-ken programs: apps, switches that join, packets that arrive."""

from pathlib import Path

from sdnloom.network.openflow import Match, PacketIn, PortDesc
from sdnloom.network.program import MessageIn, SwitchUp
from sdnloom.platforms.osken.program import OskenProgram

APPS = Path(__file__).parents[2] / "example_apps" / "osken"


def program(*names, **options):
    return OskenProgram([APPS / f"{name}.py" for name in names], **options)


def joined(number=1, ports=2):
    descriptions = tuple(
        PortDesc(port, 0x20000 * number + port, f"s{number}-eth{port}") for port in range(1, ports + 1)
    )
    return SwitchUp(f"s{number}", number, descriptions)


def packet(data=b"", number=1, port=1, buffer_id=0xFFFFFFFF):
    return MessageIn(f"s{number}", PacketIn(Match.of(in_port=port), data, len(data), buffer_id=buffer_id))


def frame(dst, src, size=60):
    addresses = dst.to_bytes(6, "big") + src.to_bytes(6, "big")
    return (addresses + b"\x08\x00").ljust(size, b"\0")


def run(program, *inputs, core=None):
    """The reactions to inputs one after the other; each input has one."""
    core = program.initial() if core is None else core
    reactions = []
    for given in inputs:
        (reaction,) = program.handle(core, given)
        reactions.append(reaction)
        core = reaction.core
    return reactions


def app(program, name):
    """The live app object, in the state that was reached last."""
    return program._sandbox.bricks[name]
