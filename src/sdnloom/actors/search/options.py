"""Options and the result of a search of a program of actors."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from sdnloom.actors.program import Naming
from sdnloom.actors.state import ActorState
from sdnloom.engine.result import Limits, Result, SearchOrder
from sdnloom.errors import SdnloomError

ReductionLevel = Literal["none", "actor", "entry", "context"]


@dataclass(frozen=True)
class ActorOptions:
    """How to search.

    `reduction` says when steps are taken to be independent: never (`none`), if they touch different actors (`actor`),
    if neither writes another value where the other reads or writes, entry by entry (`entry`), or also if that changes
    nothing in the present state, so that both orders lead to the same one (`context`). With `symmetry`, states that
    differ by a renaming of interchangeable actors are one state.
    """

    reduction: ReductionLevel = "context"
    symmetry: bool = True
    find_all: bool = False
    order: SearchOrder = "auto"
    only: str | None = None  # the one property that counts; others may be violated without a report
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name, value, known in (
            ("reduction", self.reduction, get_args(ReductionLevel)),
            ("order", self.order, get_args(SearchOrder)),
        ):
            if value not in known:
                raise SdnloomError(f"option {name} is {value!r}; expected one of {', '.join(known)}")


@dataclass(frozen=True)
class ActorResult:
    """The answer of a search, with what only programs of actors have.

    `final_states` are those that the search reached, up to renaming; none are counted if a limit ended it. `finals` are
    the states themselves, with the symbols of `naming`.
    """

    result: Result
    final_states: int
    reduction: ReductionLevel
    symmetry: str  # which actors were interchangeable, or why none were
    rounds: int  # how often the search began again because a task could do more than was known
    naming: Naming = field(compare=False, repr=False)
    finals: frozenset[ActorState] = field(compare=False, repr=False)
