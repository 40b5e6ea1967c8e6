"""The names of hosts in programs of actors."""

from sdnloom.actors.program import Program
from sdnloom.report.describe import Names


def program_names(program: Program) -> Names:
    """The names of the actors that have addresses."""
    macs, ips = (
        {int(getattr(actor, field)): actor.name for actor in program.actors if field in actor.fields}
        for field in ("mac", "ip")
    )
    return Names(macs, ips)
