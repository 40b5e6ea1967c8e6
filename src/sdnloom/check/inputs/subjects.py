"""Programs made ready to be explored: the same program once more, with code that follows symbolic values."""

from typing import Protocol

from sdnloom.check.inputs.clients import DiscoveryError
from sdnloom.network.controller import Program
from sdnloom.platforms.subject import Subject


class Explorable(Program, Subject, Protocol):
    """A program that can be explored."""


def explorable(program: Program) -> Explorable:
    """A rewritten twin of the program. Raises DiscoveryError for a platform that has none."""
    rewritten = getattr(program, "rewritten", None)
    if rewritten is None:
        raise DiscoveryError(
            f"packets for program {program.name!r} cannot be discovered: it is a {type(program).__name__}; "
            "expected an os-ken or Ryu app, or a class in plain Python"
        )
    found: Explorable = rewritten()
    return found
