"""Traces of races as a mermaid flowchart, with the vector clocks of each state and the racing events in red."""

from textwrap import wrap

from sdnloom.races.result import RaceResult
from sdnloom.report.graph_text import mermaid_text
from sdnloom.report.races.trace_graph import RED, event_labels, race_title, trace_states


def races_mermaid(result: RaceResult) -> str:
    """One flowchart with a subgraph for each race."""
    names = ", ".join(element.name for element in result.model.elements)
    lines = ["flowchart TD"]
    red: list[int] = []
    edge = 0
    for number, race in enumerate(result.races, 1):
        lines.append(f'  subgraph race{number}["{number}. {mermaid_text(race_title(race))}"]')
        for place, state in enumerate(trace_states(race)):
            clocks = [
                f"<b>{clock}</b>" if element == state.racing else clock for element, clock in enumerate(state.clocks)
            ]
            lines.append(f'    r{number}s{place}["{mermaid_text(names)}<br/>{", ".join(clocks)}"]')
        for place, text in enumerate(event_labels(result.model, race), 1):
            shown = "<br/>".join(mermaid_text(line) for line in wrap(text, 60))
            lines.append(f'    r{number}s{place - 1} -->|"{shown}"| r{number}s{place}')
            if place in race.positions:
                red.append(edge)
            edge += 1
        lines.append("  end")
    if red:
        lines.append(f"  linkStyle {','.join(map(str, red))} stroke:{RED},stroke-width:3px")
    return "\n".join(lines) + "\n"
