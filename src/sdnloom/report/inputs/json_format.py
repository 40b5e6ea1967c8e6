"""Input classes as one JSON object."""

from typing import Any

from sdnloom.check.survey import Survey, SurveyEntry
from sdnloom.inputs.statistics import STATISTICS
from sdnloom.network.openflow import FlowStatsReply
from sdnloom.network.topology import Topology
from sdnloom.report.branch_sides import domains_json, unreached_json
from sdnloom.report.describe import Names, flow_rows, message_words
from sdnloom.report.inputs.text import condition_words, witness_texts
from sdnloom.report.json_text import json_text
from sdnloom.symbolic.terms.text import term_text

_SCHEMA = "sdnloom-inputs-1"


def survey_json(survey: Survey, topology: Topology | None) -> str:
    """The classes, and how complete they are."""
    names = Names.of(topology) if topology is not None else Names()
    values = {
        "schema": _SCHEMA,
        "program": survey.program,
        "switch": survey.port.switch,
        "port": None if survey.whole else survey.port.port,
        "entries": flow_rows(survey.reply, names) if isinstance(survey.reply, FlowStatsReply) else [],
        "classes": [_class(each, names) for each in survey.classes],
        "repeated": survey.repeated,
        "unsent_stacks": list(survey.unsent),
        "complete": survey.complete,
        "reasons": list(survey.gaps),
        "domains": domains_json(survey.domains),
        "unreached": unreached_json(survey.unreached),
        "divergences": list(survey.divergences),
        "concretised": [
            {"file": site.file.rpartition("/")[2], "line": site.line, "construct": site.construct, "times": times}
            for site, times in sorted(survey.concretised.items())
        ],
        "paths": survey.paths,
    }
    return json_text(values)


def _class(one: SurveyEntry, names: Names) -> dict[str, Any]:
    found = one.found
    stack = found.question.skeleton.stack.name
    return {
        "stack": stack,
        "condition": condition_words(found, names),
        "terms": [term_text(each) for each in found.condition],
        "witness": witness_texts(found),
        "frame": None if stack == STATISTICS else found.question.skeleton.frame(found.witness).hex(),
        "outputs": [
            {"switch": switch, "message": message_words(message, names)} for switch, message in one.effects.messages
        ],
        "raised": [
            {
                "handler": event.handler,
                "file": event.file,
                "line": event.line,
                "error": event.text,
                "library": event.library,
            }
            for event in one.raised
        ],
        "confirmed": one.confirmed,
    }
