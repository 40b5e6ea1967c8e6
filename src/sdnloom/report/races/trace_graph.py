"""Parts common to the graphs of traces: clocks as text, titles of races and labels of events."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sdnloom.races.language.model import RaceModel
from sdnloom.races.result import Race
from sdnloom.report.races.text import clock_text, label_text

RED: Final = "#c0392b"  # the racing events


@dataclass(frozen=True)
class TraceState:
    """A state of a trace: its clocks as text, and the element whose clock takes part in the race, if any."""

    clocks: tuple[str, ...]
    racing: int | None


def trace_states(race: Race) -> Iterator[TraceState]:
    """Yield the states of the race's trace in order."""
    racing = dict(zip(race.positions, (race.first.source, race.second.source), strict=True))
    for number, clocks in enumerate(race.trace.clocks):
        yield TraceState(tuple(map(clock_text, clocks)), racing.get(number))


def event_labels(model: RaceModel, race: Race) -> Iterator[str]:
    """Yield the labels of the race's trace in order."""
    for event in race.trace.events:
        yield label_text(model, event.label)


def race_title(race: Race) -> str:
    """The type of the race and the property that it changes."""
    return race.kind.value if race.property is None else f"{race.kind.value} changes {race.property}"
