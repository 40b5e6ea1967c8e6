"""Options of an exploration."""

from dataclasses import dataclass

from sdnloom.symbolic.execution import MAX_BRANCHES, MAX_STEPS


@dataclass(frozen=True, slots=True)
class ExplorationOptions:
    """Budgets and solver of an exploration. `solver` is auto, bitwuzla, z3 or none; times are in seconds."""

    paths: int = 2_000
    seconds: float | None = None
    depth: int = MAX_BRANCHES  # branches recorded on one path
    steps: int = MAX_STEPS  # branches on one path, recorded or not
    query_seconds: float = 1.0
    solver: str = "auto"
    guess: bool = True
    recording: bool = True  # whether runs start with recording on
