"""Harm of races: a race is harmful if the value of a property differs before and after it."""

from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.syntax import PASS_ALL, Policy
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model import BigSwitch, Element, ElementRole, RaceModel, TermComponent
from sdnloom.races.language.properties import Formula, ForwardingProperty, RaceType
from sdnloom.races.language.templates import holes
from sdnloom.races.language.terms import Prefix, Receive, reachable_terms
from sdnloom.races.search.abstraction import Abstraction, RaceCheck, Signature
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.evaluate import PropertyEvaluator
from sdnloom.races.search.limit_checks import LimitChecks
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets, Vector
from sdnloom.races.search.truth_sets import TruthSets

FEW: Final = 8


@dataclass(frozen=True, slots=True)
class _HarmfulVectors:
    """The vectors with which a race is harmful; if they are few, also each of them.

    A property that depends on one path through the network changes with few vectors; looking these up is much faster.
    """

    changed: NodeId
    few: tuple[tuple[Vector, int, NodeId], ...] | None = None


_NEVER: Final = _HarmfulVectors(EMPTY, ())


class Harm:
    """Decides which races of a model one property makes harmful; keeps every answer."""

    def __init__(
        self, abstraction: Abstraction, prop: ForwardingProperty, sets: TableSets, limits: LimitChecks
    ) -> None:
        self._model = abstraction.model
        self._elements = abstraction.model.elements
        self._cells = abstraction.cells
        self._property = prop
        self._sets = sets
        self._limits = limits
        self._truths: dict[tuple[Formula, int], TruthSets] = {}
        self._evaluators: dict[tuple[Formula, int], PropertyEvaluator] = {}
        self._changed: dict[tuple[int, int, int, Policy], NodeId] = {}  # by identity of the formula
        self._by_change: dict[NodeId, _HarmfulVectors] = {}
        self._by_signature: dict[Signature, _HarmfulVectors] = {}
        self._all = sets.everything()

    @property
    def evaluations(self) -> int:
        """The number of questions to NetKAT that were decided."""
        evaluators = [*self._evaluators.values(), *(truth.evaluator for truth in self._truths.values())]
        return sum(evaluator.evaluations for evaluator in evaluators)

    def covers(self, kind: RaceType) -> bool:
        """Return whether the property has a formula for races of the type."""
        return kind in self._property.formulas

    def harmful_vectors(self, check: RaceCheck, vectors: NodeId) -> NodeId:
        """Return the vectors of the set with which the race is harmful."""
        harmful = self._by_signature.get(check.signature)
        if harmful is None:
            harmful = self._by_signature[check.signature] = self._decide(check)
        if harmful.few is None:
            return self._sets.intersection(vectors, harmful.changed)
        found = EMPTY
        for vector, unwritten, single in harmful.few:
            if self._sets.contains(vectors, vector, unwritten):
                found = self._sets.union(found, single)
        return found

    def _decide(self, check: RaceCheck) -> "_HarmfulVectors":
        signature = check.signature
        formula, switch, policy = self._property.formulas.get(signature.kind), signature.switch, signature.second.policy
        if formula is None:
            return _NEVER
        if check.before is not None:
            evaluator = self._evaluator(formula, switch)
            same = evaluator.holds((check.before,)) == evaluator.holds((policy,))
            return _NEVER if same else _HarmfulVectors(self._all)
        assert check.table is not None
        changed = self.changed(formula, switch, check.table, policy)
        if changed not in self._by_change:
            sets = self._sets
            few = sets.few(changed, FEW)
            singles = (
                None if few is None else tuple((vector, sets.unwritten(vector), sets.single(vector)) for vector in few)
            )
            self._by_change[changed] = _HarmfulVectors(changed, singles)
        return self._by_change[changed]

    def confirms(self, kind: RaceType, switch: int, before: SwitchTables, after: SwitchTables) -> bool:
        """Return whether the property's value differs between the tables, evaluated directly."""
        formula = self._property.formulas[kind]
        big = isinstance(self._elements[switch], BigSwitch)
        evaluator = self._truth(formula, switch).evaluator if big else self._evaluator(formula, switch)
        return evaluator.holds(before) != evaluator.holds(after)

    def never_harmful(self) -> bool:
        """Return whether no race can be harmful, because no table that is replaced changes the property's value.

        False means that only a search can tell.
        """
        received = _received_by_controllers(self._model)
        if received is None or any(not isinstance(switch, BigSwitch) for switch in self._switches()):
            return False
        for kind, formula in self._property.formulas.items():
            for cell in self._cells:
                policies = [cell.policies[value] for value in cell.writable]
                for policy in received if kind is RaceType.CT_CT_SW else policies:
                    if self.changed(formula, cell.element, cell.table, policy) != EMPTY:
                        return False
        return True

    def maybe_harmful(self, switch: int) -> NodeId:
        """Return a superset of the vectors with which a CT->SW<-CT or CT->CT->SW race at the switch is harmful."""
        received = _received_by_controllers(self._model)
        if received is None or not isinstance(self._elements[switch], BigSwitch):
            return self._all
        found = EMPTY
        for kind, formula in self._property.formulas.items():
            if kind is not RaceType.CT_SW:
                for cell in self._cells:
                    if cell.element == switch:
                        written = [cell.policies[value] for value in cell.writable]
                        for policy in received if kind is RaceType.CT_CT_SW else written:
                            found = self._sets.union(found, self.changed(formula, switch, cell.table, policy))
        return found

    def _switches(self) -> list[Element]:
        return [element for element in self._model.elements if element.role is ElementRole.SWITCH]

    def changed(self, formula: Formula, switch: int, table: int, policy: Policy) -> NodeId:
        """Return the vectors for which replacing a table by the policy changes the formula's value."""
        key = (id(formula), switch, table, policy)
        known = self._changed.get(key)
        if known is None:
            known = self._changed[key] = self._truth(formula, switch).changed_by(table, policy)
        return known

    def _truth(self, formula: Formula, switch: int) -> TruthSets:
        key = (formula, switch)
        if key not in self._truths:
            big = self._elements[switch]
            assert isinstance(big, BigSwitch)
            self._truths[key] = TruthSets(self._sets, self._cells, switch, big, formula, self._limits.tick)
        return self._truths[key]

    def _evaluator(self, formula: Formula, switch: int) -> PropertyEvaluator:
        key = (formula, switch)
        if key not in self._evaluators:
            if formula.avoid is not PASS_ALL:
                raise DyNetkatError(
                    self._property.name,
                    f"a waypoint needs hops; switch {self._elements[switch].name!r} is a term, expected a network",
                )
            self._evaluators[key] = PropertyEvaluator(self._elements[switch], formula)
        return self._evaluators[key]


def _received_by_controllers(model: RaceModel) -> list[Policy] | None:
    """Return the policies that some controller may receive; None if they depend on parameters."""
    found: dict[Policy, None] = {}
    roots = [
        element.term
        for element in model.elements
        if isinstance(element, TermComponent) and element.role is ElementRole.CONTROLLER
    ]
    for term in reachable_terms(roots, model.definitions):
        if isinstance(term, Prefix) and isinstance(term.action, Receive):
            if holes(term.action.policy):
                return None
            found[term.action.policy] = None
    return list(found)
