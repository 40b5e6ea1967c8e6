"""sdnloom finds the inputs and event orderings that break a software-defined network before the network does."""

import importlib
from typing import Any

__version__ = "0.1.0"

# Name -> module that defines it. Imported on first use, so that `sdnloom --help` stays fast.
_PUBLIC = {
    "Report": "sdnloom.check.scenario",
    "Scenario": "sdnloom.check.scenario",
    "ScenarioError": "sdnloom.scenario_file.document",
    "app_scenario": "sdnloom.check.load",
    "load_scenario": "sdnloom.check.load",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'sdnloom' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)
