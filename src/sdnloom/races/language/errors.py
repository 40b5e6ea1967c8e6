"""Errors of DyNetKAT models and properties, each with the place it was found at."""

from sdnloom.errors import SdnloomError
from sdnloom.netkat.errors import SourcePosition


class DyNetkatError(SdnloomError):
    """A model or property that cannot be read or analysed: `source:line:column: message`."""

    def __init__(self, place: SourcePosition | str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message
