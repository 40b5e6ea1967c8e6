"""Memos of the moves of a component by its place, and of receptions by the place of the receiver.

They belong to a `SystemGraph`, which fills them; its hot loops look up nothing else.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sdnloom.engine.memo import LocalOutcome
from sdnloom.engine.model import Fault

if TYPE_CHECKING:
    from sdnloom.engine.system_graph import SystemGraph


class Move(NamedTuple):
    """One component's part of a transition: the difference to the state, and the receptions of the other columns."""

    change: int
    received: tuple[tuple[int, "Reception"], ...]  # (column, code there -> what it adds to the state)
    local: LocalOutcome


# A move as the hot loop wants it: (change, first column that receives, its memo, the further ones, the Move).
FastMove: TypeAlias = tuple[int, int, "Reception | None", tuple[tuple[int, "Reception"], ...], Move]


class Forked(Exception):  # noqa: N818 (not an error)
    """A reception has several alternatives or a fault, so the move is more than one transition."""


class Reception(dict[int, int]):
    """Memo of one reception by one column: code before -> what it adds to the state. Filled on demand."""

    def __init__(self, graph: "SystemGraph", column: int, what: Any) -> None:
        super().__init__()
        self.graph, self.column, self.what = graph, column, what

    def alternatives(self, code: int) -> list[tuple[int, tuple[Fault, ...]]]:
        """Every (change, faults) of the reception."""
        return [(after - code, faults) for after, faults in self.graph.receive(self.column, code, self.what)]

    def __missing__(self, code: int) -> int:
        graph, column = self.graph, self.column
        if column < graph.components:
            after = graph.pushed_plainly(column, graph.values[column][code], self.what)
            if after is None:
                raise Forked
            change = self[code] = graph.code(column, after) - code
        else:
            ((change, _),) = self.alternatives(code)
            self[code] = change
        return change


class Moves(dict[int, tuple[FastMove, ...]]):
    """Memo of the moves of one component: code -> its moves. Filled on demand."""

    def __init__(self, graph: "SystemGraph", component: int, idle: bool) -> None:
        super().__init__()
        self.graph, self.component, self.idle = graph, component, idle

    def __missing__(self, code: int) -> tuple[FastMove, ...]:
        moves = self[code] = self.graph.moves(self.component, code, self.idle)
        return moves


# A move as a reduced search wants it: (bit of its action, its action, change, receptions, the Move).
ReducedMove: TypeAlias = tuple[int, int, int, tuple[tuple[int, "Reception"], ...], Move]


class ReducedMoves(dict[int, tuple[ReducedMove, ...]]):
    """Memo of the moves of one component as a reduced search wants them. Filled on demand."""

    def __init__(self, moves: Moves) -> None:
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
