"""What a search for races returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty, RaceType
from sdnloom.races.search.trace import Label, RaceTrace, Reconfigured


class RaceMode(Enum):
    """`complete` reports every race; `raceloom` ends a trace at its first harmful race, as RaceLoom does."""

    COMPLETE = "complete"
    RACELOOM = "raceloom"


class RaceOutcome(Enum):
    """The three answers."""

    HARMFUL = "harmful races"
    NONE = "no harmful race"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Race:
    """Two events that race, the property that tells them apart (None: harmless), and a shortest trace to them.

    `positions` are the places of the events in the trace, from 1.
    """

    kind: RaceType
    property: str | None
    first: Label
    second: Reconfigured
    positions: tuple[int, int]
    trace: RaceTrace


@dataclass(frozen=True)
class RaceResult:
    """The races of a model.

    A race counts once per type and pair of labels. `races` may list fewer than `counts` says, never different ones.
    `states` counts abstract states, `stored` what the search kept for them; both are 0 when the property has the same
    value for all tables, which needs no search. `proved` says that no trace of any length has another race.
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
    def outcome(self) -> RaceOutcome:
        if self.stopped is not None:
            return RaceOutcome.INCOMPLETE
        return RaceOutcome.HARMFUL if any(self.counts.values()) else RaceOutcome.NONE

    @property
    def unlisted(self) -> int:
        """Return how many races are counted but not listed."""
        total = sum(self.counts.values()) + sum((self.harmless or {}).values())
        return total - len({(race.kind, race.first, race.second) for race in self.races})
