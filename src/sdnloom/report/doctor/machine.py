"""What a machine has of what sdnloom can use: the types of an examination."""

from dataclasses import dataclass
from typing import Literal

PartState = Literal["found", "missing", "unusable"]


@dataclass(frozen=True)
class MachinePart:
    """A library, a program or an ability, what it is for, and what to do if it is not there."""

    name: str
    state: PartState
    detail: str  # its version, or what is wrong with it
    serves: str  # what needs it
    advice: str = ""  # a command that installs it, or a hint
    required: bool = False  # whether `sdnloom check` needs it for every program


@dataclass(frozen=True)
class Machine:
    """An examined machine."""

    sdnloom: str
    python: str
    system: str
    cores: int
    free_memory: int | None  # in bytes; None if the system does not say
    parts: tuple[MachinePart, ...]

    @property
    def works(self) -> bool:
        """Whether everything that is required is there."""
        return all(part.state == "found" for part in self.parts if part.required)
