"""What a property says about a switch's tables, decided by images of packet sets and remembered."""

from collections.abc import Iterable
from itertools import chain

from sdnloom.netkat.decide import contains, space_for
from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import PacketSet
from sdnloom.netkat.syntax import DROP, SKIP, Policy, Product, Sum, product_of, sum_of
from sdnloom.races.behaviour import Tables
from sdnloom.races.holes import NETWORK, fill, hole, holes
from sdnloom.races.model import BigSwitch, Element, network_policy
from sdnloom.races.properties import Formula, Inclusion


class Judge:
    """Decides the inclusions of one formula on one switch.

    Whether packets get through a network is asked hop by hop: the image of a frontier under each table is remembered by
    table and frontier, so another choice of tables costs little more than looking up. `possible` are policies that the
    tables may hold; they only help to order the fields well.
    """

    def __init__(self, element: Element, formula: Formula, possible: Iterable[Policy] = ()) -> None:
        self._element = element
        self._formula = formula
        asked = chain.from_iterable((one.left, one.right) for one in formula.inclusions)
        links = element.links if isinstance(element, BigSwitch) else SKIP
        self._images = Images(space_for(formula.avoid, links, *asked, *possible))
        self._after_table = product_of([formula.avoid, links, formula.avoid])
        self._ways = {one: ways(one) if isinstance(element, BigSwitch) else None for one in formula.inclusions}
        self._known: dict[tuple[Inclusion, Tables], bool] = {}
        self._reached: dict[tuple[Policy, Tables], tuple[PacketSet, PacketSet]] = {}

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
            known = self._known[key] = self._decide(inclusion, tables)
        return known

    def matters(self, inclusion: Inclusion, tables: Tables) -> list[bool]:
        """Return, for each table, whether a packet that the inclusion asks about can pass it on a way through.

        The inclusion's value stays the same whatever smaller policy replaces a table that does not matter.
        """
        found = [False] * len(tables)
        known = self._ways[inclusion]
        if known is None:
            return [True] * len(tables)
        for before, behind in known:
            reached, _ = self._forward(before, tables)
            ready = self._backward(behind, tables)
            for place, table in enumerate(tables):
                found[place] = found[place] or bool(self._images.forward(table, reached) & ready)
        return found

    def _decide(self, inclusion: Inclusion, tables: Tables) -> bool:
        known = self._ways[inclusion]
        if known is not None:
            arrived = (self._images.forward(behind, self._forward(before, tables)[1]) for before, behind in known)
            return not any(arrived)
        policy = tables[0]
        if isinstance(self._element, BigSwitch):
            policy = network_policy(tables, self._element.links, self._formula.avoid)
        left, right = (fill(side, {NETWORK: policy}) for side in (inclusion.left, inclusion.right))
        if right is DROP:
            return not self._images.forward(left, self._images.space.everything)
        return bool(contains(left, right))

    def _forward(self, before: Policy, tables: Tables) -> tuple[PacketSet, PacketSet]:
        """Return where packets get to in any number of hops, and in one hop or more."""
        key = (before, tables)
        if key not in self._reached:
            images = self._images
            table = sum_of(table for table in tables if table is not DROP)
            start = images.forward(product_of([before, self._formula.avoid]), images.space.everything)
            reached = frontier = start
            arrived = images.space.nothing
            while frontier:
                hopped = images.forward(self._after_table, images.forward(table, frontier))
                arrived |= hopped
                frontier = hopped - reached
                reached |= frontier
            self._reached[key] = reached, arrived
        return self._reached[key]

    def _backward(self, behind: Policy, tables: Tables) -> PacketSet:
        """Return the packets that, right after a table, still get to where the question looks for them."""
        images = self._images
        table = sum_of(table for table in tables if table is not DROP)
        wanted = frontier = images.backward(behind, images.space.everything)
        while frontier:
            ready = images.backward(self._after_table, frontier)
            frontier = images.backward(table, ready) - wanted
            wanted |= frontier
        return images.backward(self._after_table, wanted)


def ways(inclusion: Inclusion) -> list[tuple[Policy, Policy]] | None:
    """Return what stands before and behind the network in each summand of an emptiness question; None if unclear.

    A summand without the network is unclear too: it would have to be judged by itself.
    """
    if inclusion.right is not DROP:
        return None
    found: list[tuple[Policy, Policy]] = []
    for summand in inclusion.left.parts if isinstance(inclusion.left, Sum) else (inclusion.left,):
        parts = summand.parts if isinstance(summand, Product) else (summand,)
        places = [index for index, part in enumerate(parts) if NETWORK in holes(part)]
        if len(places) != 1 or parts[places[0]] is not hole(NETWORK):
            return None
        found.append((product_of(parts[: places[0]]), product_of(parts[places[0] + 1 :])))
    return found
