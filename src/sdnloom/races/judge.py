"""What a property says about a switch's tables, decided by images of packet sets and remembered."""

from collections.abc import Iterable
from itertools import chain

from sdnloom.netkat.decide import contains, space_for
from sdnloom.netkat.image import Images
from sdnloom.netkat.syntax import DROP, Policy
from sdnloom.races.behaviour import Tables
from sdnloom.races.holes import NETWORK, fill
from sdnloom.races.model import BigSwitch, Element, network_policy
from sdnloom.races.properties import Formula, Inclusion


class Judge:
    """Decides the inclusions of one formula on one switch.

    `possible` are policies that its tables may hold; they only help to order the fields well.
    """

    def __init__(self, element: Element, formula: Formula, possible: Iterable[Policy] = ()) -> None:
        self._element = element
        self._formula = formula
        asked = chain.from_iterable((one.left, one.right) for one in formula.inclusions)
        links = [element.links] if isinstance(element, BigSwitch) else []
        self._images = Images(space_for(formula.avoid, *asked, *links, *possible))
        self._known: dict[tuple[Inclusion, Tables], bool] = {}

    @property
    def evaluations(self) -> int:
        """Return how many different questions were decided."""
        return len(self._known)

    def holds(self, tables: Tables) -> bool:
        """Return whether every inclusion of the formula holds; its negation is left to whoever shows it."""
        return all(self.includes(inclusion, tables) for inclusion in self._formula.inclusions)

    def includes(self, inclusion: Inclusion, tables: Tables) -> bool:
        """Return whether one inclusion holds for the policy of the tables."""
        key = (inclusion, tables)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._decide(inclusion, self.policy(tables))
        return known

    def policy(self, tables: Tables) -> Policy:
        """Return what the switch forwards with: a network of tables, or the one policy of a term's action."""
        if isinstance(self._element, BigSwitch):
            return network_policy(tables, self._element.links, self._formula.avoid)
        return tables[0]

    def _decide(self, inclusion: Inclusion, policy: Policy) -> bool:
        left = fill(inclusion.left, {NETWORK: policy})
        if inclusion.right is DROP:
            return not self._images.forward(left, self._images.space.everything)
        return bool(contains(left, fill(inclusion.right, {NETWORK: policy})))
