"""The moves of a component and the plan of a state, as a reduced search wants them.

They belong to a `SystemGraph`, which fills them.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from sdnloom.engine.system_graph import Move, MoveMemo, ReceptionMemo


# A move as a reduced search wants it: (bit of its action, its action, change, receptions, the Move).
ReducedMove: TypeAlias = tuple[int, int, int, tuple[tuple[int, "ReceptionMemo"], ...], "Move"]


class ReducedMoves(dict[int, tuple[ReducedMove, ...]]):
    """Memo of the moves of one component as a reduced search wants them. Filled on demand."""

    def __init__(self, moves: "MoveMemo") -> None:
        super().__init__()
        self._moves = moves

    def __missing__(self, code: int) -> tuple[ReducedMove, ...]:
        moves = [fast[4] for fast in self._moves[code]]
        steps = self[code] = tuple(
            (1 << move.local.action, move.local.action, move.change, move.received, move) for move in moves
        )
        return steps


class Plan(NamedTuple):
    """What a reduced search explores where the places have certain classes."""

    kept: int  # the bit set of actions
    commuting: list[int]  # for each action, those that commute with it
    steps: tuple[tuple[int, ReducedMoves], ...]  # of the components with enabled actions that are kept
