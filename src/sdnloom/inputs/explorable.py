"""Programs made ready to be explored: the same program once more, with code that follows symbolic values."""

from typing import Protocol

from sdnloom.inputs.clients import DiscoveryError
from sdnloom.network.program import Program
from sdnloom.platforms.explorable import ExplorableProgram


class CanBeRewritten(Program, ExplorableProgram, Protocol):
    """A program that can be explored."""


def explorable(program: Program) -> CanBeRewritten:
    """A rewritten twin of the program. Raises DiscoveryError for a platform that has none."""
    rewritten = getattr(program, "rewritten", None)
    if rewritten is None:
        raise DiscoveryError(
            f"packets for program {program.name!r} cannot be discovered: it is a {type(program).__name__}; "
            "expected an os-ken or Ryu app, or a class in plain Python"
        )
    found: CanBeRewritten = rewritten()
    return found
