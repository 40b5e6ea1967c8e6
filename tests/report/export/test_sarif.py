"""SARIF logs: the structure of the standard, places in the program, and fingerprints that stay."""

import json
import re
from dataclasses import replace
from typing import Any

import jsonschema

from sdnloom.report.export.sarif import sarif_log
from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneView,
    ResultView,
    StepView,
    TraceView,
)
from tests.report.random_views import random_results

CODE = CodeView("app/switch.py", "packet_in", 7, ("def packet_in(self):", "    pass"), (9, 12))
TRACE = TraceView(
    (LaneView("h1", "host"), LaneView("controller", "controller")),
    (
        StepView(1, "h1", "send", "h1: sends"),
        StepView(2, "controller", "handle", "controller: packet_in", code=(CODE,)),
    ),
)
FINDING = FindingView("P", "broken", TRACE, (), "app/switch.py", 9, "t.json")
RESULT = ResultView("check", "x", "violated", "VIOLATED P", ("Q", "P"), (FINDING,), (("bound", "1"),), version="1.0")

# The part of SARIF 2.1.0 (OASIS standard, section 3) that we write: nothing else, and what it requires.
MESSAGE = {"$ref": "#/$defs/message"}
SARIF = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "message": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {"text": {"type": "string", "minLength": 1}},
        },
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "additionalProperties": False,
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name"],
                            "additionalProperties": False,
                            "properties": {
                                "name": {"type": "string"},
                                "version": {"type": "string"},
                                "rules": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/rule"}},
                            },
                        }
                    },
                },
                "automationDetails": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"id": {"type": "string"}},
                },
                "invocations": {"type": "array", "items": {"$ref": "#/$defs/invocation"}},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "properties": {"type": "object"},
            },
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {"id": {"type": "string"}, "shortDescription": MESSAGE},
        },
        "invocation": {
            "type": "object",
            "required": ["executionSuccessful"],
            "additionalProperties": False,
            "properties": {
                "executionSuccessful": {"type": "boolean"},
                "toolExecutionNotifications": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["message"],
                        "additionalProperties": False,
                        "properties": {"message": MESSAGE, "level": {"enum": ["none", "note", "warning", "error"]}},
                    },
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": MESSAGE,
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "codeFlows": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["threadFlows"],
                        "additionalProperties": False,
                        "properties": {
                            "threadFlows": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/threadFlow"}}
                        },
                    },
                },
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
            },
        },
        "threadFlow": {
            "type": "object",
            "required": ["locations"],
            "additionalProperties": False,
            "properties": {
                "locations": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "location": {"$ref": "#/$defs/location"},
                            "executionOrder": {"type": "integer", "minimum": -1},
                            "importance": {"enum": ["important", "essential", "unimportant"]},
                        },
                    },
                }
            },
        },
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "required": ["uri"],
                            "additionalProperties": False,
                            "properties": {
                                "uri": {"type": "string", "pattern": r"^[A-Za-z0-9_.~/%:-]+$"},
                                "uriBaseId": {"const": "%SRCROOT%"},
                            },
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
                "logicalLocations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"name": {"type": "string"}, "kind": {"type": "string"}},
                    },
                },
                "message": MESSAGE,
            },
        },
    },
}
VALIDATOR = jsonschema.Draft202012Validator(SARIF)


def runs(*views: ResultView) -> list[dict[str, Any]]:
    log = json.loads(sarif_log(views))
    VALIDATOR.validate(log)
    found: list[dict[str, Any]] = log["runs"]
    return found


def test_any_result_has_the_structure_of_the_standard() -> None:
    for seed in range(60):
        views = random_results(seed)
        found = runs(*views)
        assert [len(run["results"]) for run in found] == [len(view.findings) for view in views]
        for run in found:
            rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
            assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_a_violation_leads_into_the_source_of_the_app() -> None:
    [run] = runs(RESULT)
    [result] = run["results"]
    place = {"artifactLocation": {"uri": "app/switch.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 9}}
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("P", 1, "error")
    assert result["locations"][0]["physicalLocation"] == place
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [("physicalLocation" in each["location"], each["executionOrder"]) for each in flow] == [
        (False, 1),
        (True, 2),
    ]
    assert flow[1]["location"]["physicalLocation"] == place  # the first line that ran
    assert [each["location"]["message"]["text"] for each in flow] == ["1. h1: sends", "2. controller: packet_in"]
    assert [each["location"]["logicalLocations"][0]["name"] for each in flow] == ["h1", "controller"]
    assert [each["importance"] for each in flow] == ["important", "essential"]


def test_a_fingerprint_stays_when_lines_move_and_differs_for_another_violation() -> None:
    moved = replace(FINDING, line=99, file="elsewhere.py", trace=None)
    other = replace(FINDING, message="broken elsewhere")
    [run] = runs(replace(RESULT, findings=(FINDING, moved, other)))
    prints = [result["partialFingerprints"]["sdnloom/v1"] for result in run["results"]]
    assert prints[0] == prints[1] != prints[2]
    assert all(re.fullmatch(r"[0-9a-f]{32}", each) for each in prints)


def test_a_baseline_gives_the_state_of_each_result() -> None:
    known = replace(FINDING, known=True)
    [run] = runs(replace(RESULT, findings=(known, FINDING)))
    assert [result["baselineState"] for result in run["results"]] == ["unchanged", "new"]
    [run] = runs(RESULT)
    assert "baselineState" not in run["results"][0]


def test_files_outside_of_the_folder_and_odd_names_are_uris() -> None:
    files = ("/tmp/my app.py", "a:b.py", "ä#?.py", "")
    [run] = runs(
        replace(RESULT, findings=tuple(replace(FINDING, file=file, trace=None, trace_file="") for file in files))
    )
    places = [result.get("locations", [{}])[0].get("physicalLocation", {}) for result in run["results"]]
    uris = [place.get("artifactLocation", {}).get("uri") for place in places]
    assert uris == ["file:///tmp/my%20app.py", "a%3Ab.py", "%C3%A4%23%3F.py", None]


def test_an_incomplete_result_has_a_warning_and_a_finding_without_property_is_a_note() -> None:
    harmless = replace(FINDING, property="")
    [run] = runs(replace(RESULT, verdict="incomplete", headline="INCOMPLETE so far", findings=(harmless,)))
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"] == {"text": "INCOMPLETE so far"}
    assert (run["results"][0]["level"], run["results"][0]["ruleId"]) == ("note", "finding")
