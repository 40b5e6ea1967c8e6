"""Errors of DyNetKAT models and properties, each with its position."""

from sdnloom.errors import SdnloomError
from sdnloom.netkat.errors import SourcePosition


class DyNetkatError(SdnloomError):
    """A model or property that cannot be read or analysed: `source:line:column: message`."""

    def __init__(self, position: SourcePosition | str, message: str) -> None:
        super().__init__(f"{position}: {message}")
        self.position = position
        self.message = message
