"""DyNetKAT: models of controllers and switches, and the races between them that change what the network forwards.

from sdnloom.races import find_races, load_model, load_properties
result = find_races(load_model("model.races"), load_properties("properties.json"))
"""

from sdnloom.engine.result import Limits
from sdnloom.races.finder import RaceOptions, find_races
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.load import load_model, load_properties
from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import Formula, ForwardingProperty, Inclusion, RaceType
from sdnloom.races.result import Race, RaceMode, RaceOutcome, RaceResult

__all__ = [
    "DyNetkatError",
    "Formula",
    "ForwardingProperty",
    "Inclusion",
    "Limits",
    "Race",
    "RaceMode",
    "RaceModel",
    "RaceOptions",
    "RaceOutcome",
    "RaceResult",
    "RaceType",
    "find_races",
    "load_model",
    "load_properties",
]
