"""Errors of NetKAT input, each with the place it was found at."""

from dataclasses import dataclass

from sdnloom.errors import SdnloomError


class PolicyError(SdnloomError):
    """A policy that cannot be built or decided."""


@dataclass(frozen=True)
class SourcePosition:
    """Where in which text; line and column count from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class PolicySyntaxError(PolicyError):
    """Text that is no policy: `source:line:column: message`."""

    def __init__(self, place: SourcePosition, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message
