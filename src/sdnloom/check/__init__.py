"""Checking a controller program: scenarios in Python and in files, properties, and reports.

`Scenario(network, program, properties).check()` and `load_scenario(file).check()` return a `Report`.
"""

from sdnloom.check.document import ScenarioError
from sdnloom.check.load import load_scenario
from sdnloom.check.scenario import Report, Scenario

__all__ = ["Report", "Scenario", "ScenarioError", "load_scenario"]
