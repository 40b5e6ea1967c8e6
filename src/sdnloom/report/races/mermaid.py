"""Traces of races as a mermaid flowchart, with the vector clocks of each state and the racing events in red."""

from textwrap import wrap

from sdnloom.races.result import RaceResult
from sdnloom.report.races.trace_graph import RED, event_labels, race_title, trace_states


def races_mermaid(result: RaceResult) -> str:
    """One flowchart with a subgraph for each race."""
    names = ", ".join(element.name for element in result.model.elements)
    lines = ["flowchart TD"]
    red: list[int] = []
    edge = 0
    for number, race in enumerate(result.races, 1):
        lines.append(f'  subgraph race{number}["{number}. {_entities(race_title(race))}"]')
        for place, state in enumerate(trace_states(race)):
            clocks = [
                f"<b>{clock}</b>" if element == state.racing else clock for element, clock in enumerate(state.clocks)
            ]
            lines.append(f'    r{number}s{place}["{_entities(names)}<br/>{", ".join(clocks)}"]')
        for place, text in enumerate(event_labels(result.model, race), 1):
            shown = "<br/>".join(_entities(line) for line in wrap(text, 60))
            lines.append(f'    r{number}s{place - 1} -->|"{shown}"| r{number}s{place}')
            if place in race.positions:
                red.append(edge)
            edge += 1
        lines.append("  end")
    if red:
        lines.append(f"  linkStyle {','.join(map(str, red))} stroke:{RED},stroke-width:3px")
    return "\n".join(lines) + "\n"


def _entities(text: str) -> str:
    # Mermaid reads #name; entities; a plain quote or bracket would end the label.
    table = {"#": "#35;", "&": "#amp;", "<": "#lt;", ">": "#gt;", '"': "#quot;", "|": "#124;"}
    return "".join(table.get(char, char) for char in text)
