"""Cells of switches in words."""

from sdnloom.network.openflow import Match
from sdnloom.network.text.cell_text import switch_cell_text


def test_cells_of_a_switch_are_told_without_python() -> None:
    assert switch_cell_text("buffers") == "buffers"
    assert switch_cell_text(("port", 3)) == "port 3"
    cell = ("flow", 0, 10, Match.of(in_port=1, eth_dst=2))
    assert switch_cell_text(cell) == "flow 0 10 in_port=1,eth_dst=00:00:00:00:00:02"
