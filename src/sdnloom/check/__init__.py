"""Checking a controller program: scenarios in Python and in files, properties, and reports.

`Scenario(network, program, properties).check()`, `load_scenario(file).check()` and `app_scenario(app).check()` return a
`Report`.
"""

from sdnloom.check.document import ScenarioError
from sdnloom.check.load import app_scenario, load_scenario
from sdnloom.check.scenario import Report, Scenario

__all__ = ["Report", "Scenario", "ScenarioError", "app_scenario", "load_scenario"]
