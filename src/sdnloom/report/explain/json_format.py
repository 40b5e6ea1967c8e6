"""An explanation as one JSON object."""

from sdnloom.engine.counterexample.explanation import PathExplanation
from sdnloom.report.describe import Names
from sdnloom.report.explain.sentences import IsControl, is_barrier_cure, ordering_text, removal_text
from sdnloom.report.json_text import json_text
from sdnloom.report.steps import StepCode, long_texts

_SCHEMA = "sdnloom-explain-1"


def explanation_json(explanation: PathExplanation, names: Names, is_control: IsControl, code: StepCode = ()) -> str:
    """The steps, and every ordering with what was found out about it. Steps are numbered from 1."""
    return json_text(
        {
            "schema": _SCHEMA,
            "property": explanation.found.property,
            "message": explanation.found.message,
            "complete": not explanation.stopped,
            "path": long_texts(explanation.transitions, names, code),
            "orderings": [
                {
                    "first": each.first + 1,
                    "second": None if each.second is None else each.second + 1,
                    "sender": None if each.sender is None else each.sender + 1,
                    "matters": each.matters,
                    "environment": explanation.is_environment(each),
                    "removes": each.removes,
                    "rule": each.enforced[-1].rule.value if each.enforced else None,
                    "barrier": bool(each.removes) and is_barrier_cure(explanation, each, is_control),
                    "states": each.enforced[-1].states if each.enforced else 0,
                    "text": ordering_text(explanation, each),
                    "removal": removal_text(explanation, each, is_control),
                }
                for each in explanation.orderings
            ],
            "avoidable": explanation.avoidable,
        }
    )
