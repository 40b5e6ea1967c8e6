"""Errors of NetKAT input, each with the position it was found at."""

from dataclasses import dataclass

from sdnloom.errors import SdnloomError


class PolicyError(SdnloomError):
    """A policy that cannot be built or decided."""


@dataclass(frozen=True)
class SourcePosition:
    """A position in a named text; line and column count from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class PolicySyntaxError(PolicyError):
    """Text that is not a policy: `source:line:column: message`."""

    def __init__(self, position: SourcePosition, message: str) -> None:
        super().__init__(f"{position}: {message}")
        self.position = position
        self.message = message
