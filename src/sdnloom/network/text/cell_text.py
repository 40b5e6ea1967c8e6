"""Cells of a switch as short text: what a reduction names when it says why steps cannot be swapped."""

from typing import Any

from sdnloom.engine.reduction.explain import default_cell_text
from sdnloom.network.openflow.match import Match
from sdnloom.network.text.openflow_text import match_words


def switch_cell_text(cell: Any) -> str:
    """A cell of a switch core (`network/switch/cells.py`); matches are in the words of reports."""
    if not isinstance(cell, tuple):
        return default_cell_text(cell)
    return default_cell_text(tuple(match_words(part) if isinstance(part, Match) else part for part in cell))
