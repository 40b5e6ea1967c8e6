"""DyNetKAT: models of controllers and switches, and the races between them that change what the network forwards.

from sdnloom.races import find_races, load_model, load_properties
result = find_races(load_model("model.races"), load_properties("properties.json"))
"""

from sdnloom.races.errors import ModelError
from sdnloom.races.finder import Options, find_races
from sdnloom.races.limits import Limits, Progress
from sdnloom.races.loader import load_model, load_properties
from sdnloom.races.model import Model
from sdnloom.races.properties import Formula, Inclusion, Property, RaceType
from sdnloom.races.result import Mode, Outcome, Race, Result

__all__ = [
    "Formula",
    "Inclusion",
    "Limits",
    "Mode",
    "Model",
    "ModelError",
    "Options",
    "Outcome",
    "Progress",
    "Property",
    "Race",
    "RaceType",
    "Result",
    "find_races",
    "load_model",
    "load_properties",
]
