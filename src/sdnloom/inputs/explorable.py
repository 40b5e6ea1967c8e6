"""The rewritten twin of a program, for symbolic execution."""

from sdnloom.inputs.clients import DiscoveryError
from sdnloom.network.program import Program, capability
from sdnloom.platforms.explorable import Rewritable, RewrittenProgram


def explorable(program: Program) -> RewrittenProgram:
    """The rewritten twin of a program. Raises DiscoveryError for a platform that makes none."""
    rewritable = capability(program, Rewritable)
    if rewritable is None:
        raise DiscoveryError(
            f"packets for program {program.name!r} cannot be discovered: it is a {type(program).__name__}; "
            "expected an os-ken or Ryu app, or a class in plain Python"
        )
    return rewritable.rewritten()
