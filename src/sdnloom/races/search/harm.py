"""Which races a property calls harmful: those for which its value differs before and after."""

from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.syntax import SKIP, Policy
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model import BigSwitch, Element, ElementRole, RaceModel, TermComponent
from sdnloom.races.language.properties import Formula, ForwardingProperty, RaceType
from sdnloom.races.language.templates import holes
from sdnloom.races.language.terms import Prefix, Receive, reachable
from sdnloom.races.search.abstraction import Abstraction, Check, Signature
from sdnloom.races.search.behaviour import Tables
from sdnloom.races.search.evaluate import PropertyEvaluator
from sdnloom.races.search.limits import Watch
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets, Vector
from sdnloom.races.search.truth_sets import Truth

FEW: Final = 8


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The vectors with which a race is harmful; if they are few, each of them as well.

    A property that one way through the network decides changes with few tables, and looking those up is much faster.
    """

    changed: NodeId
    few: tuple[tuple[Vector, int, NodeId], ...] | None = None


_NEVER: Final = _Judgement(EMPTY, ())


class Harm:
    """One property's judgement of the races of a model; every answer is remembered."""

    def __init__(self, abstraction: Abstraction, judged: ForwardingProperty, sets: TableSets, watch: Watch) -> None:
        self._model = abstraction.model
        self._elements = abstraction.model.elements
        self._cells = abstraction.cells
        self._property = judged
        self._sets = sets
        self._watch = watch
        self._truths: dict[tuple[Formula, int], Truth] = {}
        self._judges: dict[tuple[Formula, int], PropertyEvaluator] = {}
        self._changed: dict[tuple[int, int, int, Policy], NodeId] = {}  # by identity of the formula
        self._known: dict[NodeId, _Judgement] = {}
        self._judgements: dict[Signature, _Judgement] = {}
        self._all = sets.everything()

    @property
    def evaluations(self) -> int:
        """Return how many questions to NetKAT were decided."""
        judges = [*self._judges.values(), *(truth.judge for truth in self._truths.values())]
        return sum(judge.evaluations for judge in judges)

    def judges(self, kind: RaceType) -> bool:
        """Return whether the property says anything about races of the type."""
        return kind in self._property.formulas

    def vectors(self, check: Check, vectors: NodeId) -> NodeId:
        """Return those of the vectors with which the race is harmful."""
        judgement = self._judgements.get(check.signature)
        if judgement is None:
            judgement = self._judgements[check.signature] = self._judgement(check)
        if judgement.few is None:
            return self._sets.intersection(vectors, judgement.changed)
        found = EMPTY
        for vector, unwritten, single in judgement.few:
            if self._sets.contains(vectors, vector, unwritten):
                found = self._sets.union(found, single)
        return found

    def _judgement(self, check: Check) -> "_Judgement":
        signature = check.signature
        formula, switch, policy = self._property.formulas.get(signature.kind), signature.switch, signature.second.policy
        if formula is None:
            return _NEVER
        if check.before is not None:
            judge = self._judge(formula, switch)
            return _NEVER if judge.holds((check.before,)) == judge.holds((policy,)) else _Judgement(self._all)
        assert check.table is not None
        changed = self.changed(formula, switch, check.table, policy)
        if changed not in self._known:
            sets = self._sets
            few = sets.few(changed, FEW)
            singles = None if few is None else tuple((one, sets.unwritten(one), sets.single(one)) for one in few)
            self._known[changed] = _Judgement(changed, singles)
        return self._known[changed]

    def confirms(self, kind: RaceType, switch: int, before: Tables, after: Tables) -> bool:
        """Return whether the property tells the tables apart, asked directly."""
        formula = self._property.formulas[kind]
        big = isinstance(self._elements[switch], BigSwitch)
        judge = self._truth(formula, switch).judge if big else self._judge(formula, switch)
        return judge.holds(before) != judge.holds(after)

    def never(self) -> bool:
        """Return whether no race whatsoever can be harmful, because no replaced table changes the property's value.

        A `False` only means that it cannot be told without a search.
        """
        received = _received_by_controllers(self._model)
        if received is None or any(not isinstance(one, BigSwitch) for one in self._switches()):
            return False
        for kind, formula in self._property.formulas.items():
            for cell in self._cells:
                policies = [cell.policies[value] for value in cell.writable]
                for policy in received if kind is RaceType.CT_CT_SW else policies:
                    if self.changed(formula, cell.element, cell.table, policy) != EMPTY:
                        return False
        return True

    def at_all(self, switch: int) -> NodeId:
        """Return vectors that include all with which two updates, or an update and its controller's, may be harmful."""
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

    def _truth(self, formula: Formula, switch: int) -> Truth:
        key = (formula, switch)
        if key not in self._truths:
            big = self._elements[switch]
            assert isinstance(big, BigSwitch)
            self._truths[key] = Truth(self._sets, self._cells, switch, big, formula, self._watch.tick)
        return self._truths[key]

    def _judge(self, formula: Formula, switch: int) -> PropertyEvaluator:
        key = (formula, switch)
        if key not in self._judges:
            if formula.avoid is not SKIP:
                raise DyNetkatError(
                    self._property.name,
                    f"a waypoint needs hops; switch {self._elements[switch].name!r} is a term, expected a network",
                )
            self._judges[key] = PropertyEvaluator(self._elements[switch], formula)
        return self._judges[key]


def _received_by_controllers(model: RaceModel) -> list[Policy] | None:
    """Return the policies that some controller may receive; None if they depend on parameters."""
    found: dict[Policy, None] = {}
    roots = [
        one.term for one in model.elements if isinstance(one, TermComponent) and one.role is ElementRole.CONTROLLER
    ]
    for term in reachable(roots, model.definitions):
        if isinstance(term, Prefix) and isinstance(term.action, Receive):
            if holes(term.action.policy):
                return None
            found[term.action.policy] = None
    return list(found)
