"""Traces of races for Graphviz, with the vector clocks of each state and the racing events in red."""

from textwrap import wrap

from sdnloom.races.result import RaceResult
from sdnloom.report.graph_text import graphviz_html
from sdnloom.report.races.trace_graph import RED, event_labels, race_title, trace_states


def races_dot(result: RaceResult) -> str:
    """One graph with a cluster for each race."""
    names = ", ".join(graphviz_html(element.name) for element in result.model.elements)
    lines = ["digraph races {", '  node [shape=box, style=filled, fillcolor="#f4f6fb", fontname="monospace"];']
    for number, race in enumerate(result.races, 1):
        lines += [f"  subgraph cluster_{number} {{", f'    label="{number}. {_quoted(race_title(race))}";']
        for place, state in enumerate(trace_states(race)):
            clocks = [
                f'<font color="{RED}">{clock}</font>' if element == state.racing else clock
                for element, clock in enumerate(state.clocks)
            ]
            lines.append(f"    r{number}s{place} [label=<{names}<br/>{', '.join(clocks)}>];")
        for place, text in enumerate(event_labels(result.model, race), 1):
            style = f', color="{RED}", fontcolor="{RED}", penwidth=2' if place in race.positions else ""
            shown = "\\n".join(_quoted(line) for line in wrap(text, 60))
            lines.append(f'    r{number}s{place - 1} -> r{number}s{place} [label="{shown}"{style}];')
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
