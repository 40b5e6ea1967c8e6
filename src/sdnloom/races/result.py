"""Results of a search for races."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from sdnloom.engine.result import VerdictName
from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty, RaceType
from sdnloom.races.search.trace import Label, RaceTrace, ReconfigureLabel


class RaceMode(Enum):
    """`complete` reports every race; `raceloom` ends a trace at its first harmful race, as RaceLoom does."""

    COMPLETE = "complete"
    RACELOOM = "raceloom"


class RaceOutcome(Enum):
    """A verdict in the words of race detection."""

    HARMFUL = "harmful races"
    NONE = "no harmful race"
    INCOMPLETE = "incomplete"


_OUTCOMES: Final[Mapping[VerdictName, RaceOutcome]] = {
    "violated": RaceOutcome.HARMFUL,
    "holds": RaceOutcome.NONE,
    "incomplete": RaceOutcome.INCOMPLETE,
}


@dataclass(frozen=True)
class Race:
    """Two events that race, the property whose value they change (None: harmless), and a shortest trace to them.

    `positions` are the numbers of the two events in the trace, from 1.
    """

    kind: RaceType
    property: str | None
    first: Label
    second: ReconfigureLabel
    positions: tuple[int, int]
    trace: RaceTrace


@dataclass(frozen=True)
class RaceResult:
    """The races of a model.

    A race counts once per type and pair of labels. `counts` are exact for what was searched; `races` may list fewer.
    `states` counts abstract states, `stored` the entries that the search keeps for them; both are 0 when each property
    has the same value for all tables, which needs no search. `proved` means that no trace of any length has another
    race. `stopped` is the reason of a search that ended early.
    """

    model: RaceModel
    properties: tuple[ForwardingProperty, ...]
    mode: RaceMode
    depth: int | None
    races: tuple[Race, ...]
    counts: Mapping[RaceType, int]
    harmless: Mapping[RaceType, int] | None
    states: int
    stored: int
    levels: int
    evaluations: int
    proved: bool
    stopped: str | None = None

    @property
    def verdict(self) -> VerdictName:
        """`incomplete` if the search ended early, even if it found races; else `violated` if a race is harmful."""
        if self.stopped is not None:
            return "incomplete"
        return "violated" if any(self.counts.values()) else "holds"

    @property
    def outcome(self) -> RaceOutcome:
        """The verdict in the words of race detection."""
        return _OUTCOMES[self.verdict]

    @property
    def unlisted(self) -> int:
        """The number of races that are counted but not listed."""
        total = sum(self.counts.values()) + sum((self.harmless or {}).values())
        return total - len({(race.kind, race.first, race.second) for race in self.races})
