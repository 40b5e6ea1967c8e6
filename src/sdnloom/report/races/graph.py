"""Traces as pictures: Graphviz and mermaid, with the vector clocks of each state and the racing events in red."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from sdnloom.races.language.model import RaceModel
from sdnloom.races.result import Race, RaceResult
from sdnloom.report.races.text import label_text

_RED = "#c0392b"


@dataclass(frozen=True)
class _State:
    """A state of a trace: its clocks as text, and the element whose clock takes part in the race, if any."""

    clocks: tuple[str, ...]
    racing: int | None


def result_dot(result: RaceResult) -> str:
    """Return one Graphviz graph with a cluster for each race."""
    names = ", ".join(_html(element.name) for element in result.model.elements)
    lines = ["digraph races {", '  node [shape=box, style=filled, fillcolor="#f4f6fb", fontname="monospace"];']
    for number, race in enumerate(result.races, 1):
        lines += [f"  subgraph cluster_{number} {{", f'    label="{number}. {_quoted(_title(race))}";']
        for place, state in enumerate(_states(race)):
            clocks = [
                f'<font color="{_RED}">{clock}</font>' if element == state.racing else clock
                for element, clock in enumerate(state.clocks)
            ]
            lines.append(f"    r{number}s{place} [label=<{names}<br/>{', '.join(clocks)}>];")
        for place, text in enumerate(_labels(result.model, race), 1):
            style = f', color="{_RED}", fontcolor="{_RED}", penwidth=2' if place in race.positions else ""
            shown = "\\n".join(_quoted(line) for line in wrap(text, 60))
            lines.append(f'    r{number}s{place - 1} -> r{number}s{place} [label="{shown}"{style}];')
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def result_mermaid(result: RaceResult) -> str:
    """Return one mermaid flowchart with a subgraph for each race."""
    names = ", ".join(element.name for element in result.model.elements)
    lines = ["flowchart TD"]
    red: list[int] = []
    edge = 0
    for number, race in enumerate(result.races, 1):
        lines.append(f'  subgraph race{number}["{number}. {_entities(_title(race))}"]')
        for place, state in enumerate(_states(race)):
            clocks = [
                f"<b>{clock}</b>" if element == state.racing else clock for element, clock in enumerate(state.clocks)
            ]
            lines.append(f'    r{number}s{place}["{_entities(names)}<br/>{", ".join(clocks)}"]')
        for place, text in enumerate(_labels(result.model, race), 1):
            shown = "<br/>".join(_entities(line) for line in wrap(text, 60))
            lines.append(f'    r{number}s{place - 1} -->|"{shown}"| r{number}s{place}')
            if place in race.positions:
                red.append(edge)
            edge += 1
        lines.append("  end")
    if red:
        lines.append(f"  linkStyle {','.join(map(str, red))} stroke:{_RED},stroke-width:3px")
    return "\n".join(lines) + "\n"


def _title(race: Race) -> str:
    return race.kind.value if race.property is None else f"{race.kind.value} changes {race.property}"


def _states(race: Race) -> Iterator[_State]:
    racing = dict(zip(race.positions, (race.first.source, race.second.source), strict=True))
    for place, clocks in enumerate(race.trace.clocks):
        texts = tuple("[" + ", ".join(map(str, clock)) + "]" for clock in clocks)
        yield _State(texts, racing.get(place))


def _labels(model: RaceModel, race: Race) -> Iterator[str]:
    for event in race.trace.events:
        yield label_text(model, event.label)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _entities(text: str) -> str:
    # Mermaid reads #name; entities; a plain quote or bracket would end the label.
    table = {"#": "#35;", "&": "#amp;", "<": "#lt;", ">": "#gt;", '"': "#quot;", "|": "#124;"}
    return "".join(table.get(char, char) for char in text)
