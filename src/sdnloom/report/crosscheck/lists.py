"""The lists of built-in tests and of agents."""

from collections.abc import Mapping, Sequence

from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.network.openflow.constants import version_name
from sdnloom.report.json_text import json_text


def suite_text(tests: Sequence[SwitchTest]) -> str:
    """One line for each test: name, version and description."""
    rows = [(test.name, version_name(test.version), test.description) for test in tests]
    width = max(len(name) for name, _, _ in rows)
    return "".join(f"{name:{width}}  {version}  {description}\n" for name, version, description in rows)


def suite_json(tests: Sequence[SwitchTest]) -> str:
    """The same as a JSON object, with the cases and their symbolic fields."""
    rows = [
        {
            "name": test.name,
            "openflow": version_name(test.version),
            "description": test.description,
            "cases": [
                {
                    "name": case.name,
                    "steps": len(case.steps),
                    "variables": {each.name: each.bits for each in case.variables},
                }
                for case in test.cases
            ],
        }
        for test in tests
    ]
    return json_text({"schema": "sdnloom-crosscheck-tests-1", "tests": rows})


def agents_text(agents: Mapping[str, str]) -> str:
    """One line for each agent: how it is named, and what it is."""
    width = max(map(len, agents))
    return "".join(f"{name:{width}}  {text}\n" for name, text in agents.items())


def agents_json(agents: Mapping[str, str]) -> str:
    """The same as a JSON object."""
    rows = [{"name": name, "description": text} for name, text in agents.items()]
    return json_text({"schema": "sdnloom-crosscheck-agents-1", "agents": rows})
