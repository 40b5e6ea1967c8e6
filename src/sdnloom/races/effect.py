"""What a harmful race changes: the property's value before and after it, and a packet that shows the difference.

The definitions, evaluated directly on the tables of one race (`definitions.compared_tables`). A packet shows why an
inclusion does not hold, so it is one that the network treats so before the race or after it, never both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.decide import Decision, Witness, contains, is_empty
from sdnloom.netkat.syntax import DROP_ALL
from sdnloom.races.language.model import BigSwitch, RaceModel, network_policy
from sdnloom.races.language.properties import Formula, ForwardingProperty, Inclusion
from sdnloom.races.language.templates import NETWORK, fill
from sdnloom.races.result import Race, RaceResult
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.definitions import compared_tables


@dataclass(frozen=True, slots=True)
class RaceEffect:
    """The tables of a switch before and after a race, the property's values with them, and the packet.

    `witness` is what happens to a packet before the race if `witness_before`, else after it; the other tables do not
    do that.
    """

    switch: int
    tables: tuple[SwitchTables, SwitchTables]
    formula: Formula
    holds: tuple[bool, bool]
    witness: Witness | None
    witness_before: bool

    @property
    def replaced(self) -> tuple[int, ...]:
        """The places of the tables that differ."""
        return tuple(place for place, (one, other) in enumerate(zip(*self.tables, strict=True)) if one != other)


class RaceEffects:
    """Finds the effects of the races of a result; keeps every answer."""

    def __init__(self, result: RaceResult) -> None:
        self._model: Final[RaceModel] = result.model
        self._properties: Mapping[str, ForwardingProperty] = {prop.name: prop for prop in result.properties}
        self._decided: dict[tuple[int, Formula, Inclusion, SwitchTables], Decision] = {}

    def effect(self, race: Race) -> RaceEffect | None:
        """Return what the race changes; None for a harmless one."""
        if race.property is None:
            return None
        formula = self._properties[race.property].formulas[race.kind]
        first, second = (position - 1 for position in race.positions)
        switch, before, after = compared_tables(self._model, race.trace, first, second, race.kind)
        decisions = [
            [self._decide(switch, formula, each, tables) for each in formula.inclusions] for tables in (before, after)
        ]
        holds = tuple(all(map(bool, found)) != formula.negated for found in decisions)
        witness, is_before = None, False
        for one, other in zip(*decisions, strict=True):
            if bool(one) != bool(other) and witness is None:
                witness, is_before = (one.witness, True) if other else (other.witness, False)
        return RaceEffect(switch, (before, after), formula, (holds[0], holds[1]), witness, is_before)

    def _decide(self, switch: int, formula: Formula, inclusion: Inclusion, tables: SwitchTables) -> Decision:
        key = (switch, formula, inclusion, tables)
        if key not in self._decided:
            element = self._model.elements[switch]
            policy = tables[0]
            if isinstance(element, BigSwitch):
                policy = network_policy(tables, element.links, formula.avoid)
            left, right = (fill(side, {NETWORK: policy}) for side in (inclusion.left, inclusion.right))
            self._decided[key] = is_empty(left) if right is DROP_ALL else contains(left, right)
        return self._decided[key]
