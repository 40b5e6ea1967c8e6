"""The formats of every report: one line per command and format.

A format is a pure function from a command's result to the text that is printed; it runs no program. To add one, write
`report/<command>/<format>.py` and name its function here: the command's `--format` then offers it. Functions are named
and not imported, so that a command loads only the format that it prints.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from sdnloom.report.text_style import TextStyle, terminal_text

# Command -> format -> function below `sdnloom.report`. The first format of a command is its default.
FORMATS: Final[Mapping[str, Mapping[str, str]]] = {
    "check": {"text": "check.text:report_text", "json": "check.json_format:report_json"},
    "check FILE.py": {"text": "actors.text:actor_report_text", "json": "actors.json_format:actor_report_json"},
    "check FOLDER": {"text": "suite.text:check_suite_text", "json": "suite.json_format:check_suite_json"},
    "inputs": {"text": "inputs.text:survey_text", "json": "inputs.json_format:survey_json"},
    "inputs --from any": {
        "text": "inputs.any_state_text:any_state_text",
        "json": "inputs.any_state_json:any_state_json",
    },
    "replay": {"text": "replay.text:replay_text", "json": "replay.json_format:replay_json"},
    "confirm": {"text": "confirm.text:confirmation_text", "json": "confirm.json_format:confirmation_json"},
    "minimise": {"text": "minimise.text:minimise_text", "json": "minimise.json_format:minimise_json"},
    "explain": {"text": "explain.text:explanation_text", "json": "explain.json_format:explanation_json"},
    "walk": {"text": "walk.text:walk_text", "json": "walk.json_format:walk_json"},
    "walk --swarm": {"text": "walk.swarm_text:swarm_text", "json": "walk.swarm_json:swarm_json"},
    "races": {
        "text": "races.text:races_text",
        "json": "races.json_format:races_json",
        "dot": "races.dot:races_dot",
        "mermaid": "races.mermaid:races_mermaid",
    },
    "crosscheck run": {
        "text": "crosscheck.text:crosscheck_text",
        "json": "crosscheck.json_format:crosscheck_json",
        "html": "crosscheck.html:crosscheck_html",
    },
    "crosscheck compare": {
        "text": "crosscheck.text:crosscheck_text",
        "json": "crosscheck.json_format:crosscheck_json",
        "html": "crosscheck.html:crosscheck_html",
    },
    "crosscheck explore": {
        "text": "crosscheck.partition_text:partitions_text",
        "json": "crosscheck.partition_json:partitions_json",
    },
    "crosscheck try": {"text": "crosscheck.try_text:tried_text", "json": "crosscheck.try_json:tried_json"},
    "crosscheck tests": {"text": "crosscheck.lists:suite_text", "json": "crosscheck.lists:suite_json"},
    "crosscheck agents": {"text": "crosscheck.lists:agents_text", "json": "crosscheck.lists:agents_json"},
    "doctor": {"text": "doctor.text:doctor_text", "json": "doctor.json_format:doctor_json"},
    "netkat check": {"text": "netkat.text:claims_text", "json": "netkat.json_format:claims_json"},
    "netkat equiv": {"text": "netkat.text:equivalence_text", "json": "netkat.json_format:equivalence_json"},
    "netkat reach": {"text": "netkat.text:reachability_text", "json": "netkat.json_format:reachability_json"},
}


def formatter(command: str, name: str) -> Callable[..., str]:
    """The function that prints a command's result in this format."""
    module, _, function = FORMATS[command][name].partition(":")
    found: Callable[..., str] = getattr(importlib.import_module(f"sdnloom.report.{module}"), function)
    return found


def render(command: str, name: str, *result: Any, style: TextStyle | None = None) -> str:
    """A command's result in this format, ending with a newline; `style` is for text.

    Text has no character that a terminal would obey, other than our own colours: names, messages and what a program
    prints come from outside.
    """
    written = formatter(command, name)
    if name != "text":
        return written(*result)
    text = written(*result) if style is None else written(*result, style=style)
    return terminal_text(text, style is not None and style.colour)
