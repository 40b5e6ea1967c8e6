"""Evaluation of a property on the tables of a switch, by images of packet sets; every answer is kept."""

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from sdnloom.netkat.decide import contains, space_for
from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Policy, Product, Sum, product_of
from sdnloom.races.language.model import BigSwitch, Element, network_policy
from sdnloom.races.language.properties import Formula, Inclusion
from sdnloom.races.language.templates import NETWORK, fill, hole, holes
from sdnloom.races.search.behaviour import SwitchTables


class PropertyEvaluator:
    """Decides the inclusions of one formula on one switch.

    Whether packets get through a network is computed hop by hop. The image of a frontier is kept for the tables that
    can match some packet of it, so another choice of the other tables costs a lookup. `options` are the policies that
    each table of a big switch may hold.
    """

    def __init__(self, element: Element, formula: Formula, options: Sequence[SwitchTables] = ()) -> None:
        self._element = element
        self._formula = formula
        sides = chain.from_iterable((inclusion.left, inclusion.right) for inclusion in formula.inclusions)
        links = element.links if isinstance(element, BigSwitch) else PASS_ALL
        self._images = Images(space_for(formula.avoid, links, *sides, *chain.from_iterable(options)))
        self._after_table = product_of([formula.avoid, links, formula.avoid])
        self._around = {
            inclusion: around_network(inclusion) if isinstance(element, BigSwitch) else None
            for inclusion in formula.inclusions
        }
        self._known: dict[tuple[Inclusion, SwitchTables], bool] = {}
        self._reached: dict[tuple[Policy, SwitchTables], tuple[PacketSet, PacketSet]] = {}
        self._hops = _Hops(self._images.forward, self._images.space)
        self._hops_back = _Hops(self._images.backward, self._images.space)
        if options:
            for choice in zip_longest(*options, fillvalue=DROP_ALL):
                self._register(choice)

    @property
    def evaluations(self) -> int:
        """The number of different questions that were decided."""
        return len(self._known)

    def holds(self, tables: SwitchTables) -> bool:
        """Return whether every inclusion of the formula holds; the formula's own negation is not applied."""
        return all(self.includes(inclusion, tables) for inclusion in self._formula.inclusions)

    def includes(self, inclusion: Inclusion, tables: SwitchTables) -> bool:
        """Return whether one inclusion holds for the policy of the tables."""
        key = (inclusion, tables)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._decide(inclusion, tables)
        return known

    def matters(self, inclusion: Inclusion, tables: SwitchTables) -> list[bool]:
        """Return, for each table, whether a packet that the inclusion asks about can pass it on its path.

        Any smaller policy in a table that does not matter leaves the inclusion's value as it is.
        """
        found = [False] * len(tables)
        known = self._around[inclusion]
        if known is None:
            return [True] * len(tables)
        for before, behind in known:
            reached, _ = self._forward(before, tables)
            ready = self._backward(behind, tables)
            for place, table in enumerate(tables):
                found[place] = found[place] or bool(self._images.forward(table, reached) & ready)
        return found

    def _decide(self, inclusion: Inclusion, tables: SwitchTables) -> bool:
        known = self._around[inclusion]
        if known is not None:
            arrived = (self._images.forward(behind, self._forward(before, tables)[1]) for before, behind in known)
            return not any(arrived)
        policy = tables[0]
        if isinstance(self._element, BigSwitch):
            policy = network_policy(tables, self._element.links, self._formula.avoid)
        left, right = (fill(side, {NETWORK: policy}) for side in (inclusion.left, inclusion.right))
        if right is DROP_ALL:
            return not self._images.forward(left, self._images.space.everything)
        return bool(contains(left, right))

    def _register(self, tables: SwitchTables) -> None:
        self._hops.register(tables)
        self._hops_back.register(tables)

    def _forward(self, before: Policy, tables: SwitchTables) -> tuple[PacketSet, PacketSet]:
        """Return the packets reached in any number of hops, and in one hop or more."""
        key = (before, tables)
        if key not in self._reached:
            images = self._images
            self._register(tables)
            reached = frontier = images.forward(product_of([before, self._formula.avoid]), images.space.everything)
            arrived = images.space.nothing
            while frontier:
                hopped = images.forward(self._after_table, self._hops.through(tables, frontier))
                arrived |= hopped
                frontier = hopped - reached
                reached |= frontier
            self._reached[key] = reached, arrived
        return self._reached[key]

    def _backward(self, behind: Policy, tables: SwitchTables) -> PacketSet:
        """Return the packets that, right after a table, still reach the policy behind the network."""
        images = self._images
        wanted = frontier = images.backward(behind, images.space.everything)
        while frontier:
            ready = images.backward(self._after_table, frontier)
            frontier = self._hops_back.through(tables, ready) - wanted
            wanted |= frontier
        return images.backward(self._after_table, wanted)


class _Hops:
    """Images of packet sets under the sum of a choice of tables."""

    def __init__(self, image: Callable[[Policy, PacketSet], PacketSet], space: Space) -> None:
        self._image = image
        self._space = space
        self._policies: list[set[Policy]] = []
        self._parts: list[dict[Policy, None]] = []
        self._matching: dict[PacketSet, tuple[int, ...]] = {}
        self._known: dict[tuple[object, ...], PacketSet] = {}

    def register(self, tables: SwitchTables) -> None:
        """Add policies that tables may hold; a new one invalidates which tables a packet set can match."""
        while len(self._policies) < len(tables):
            self._policies.append({DROP_ALL})
            self._parts.append({})
        for place, table in enumerate(tables):
            if table not in self._policies[place]:
                self._policies[place].add(table)
                for part in table.parts if isinstance(table, Sum) else (table,):
                    if part not in self._parts[place]:
                        self._parts[place][part] = None
                        self._matching.clear()

    def through(self, tables: SwitchTables, packets: PacketSet) -> PacketSet:
        """Return the image under the sum of the tables, all of which must be registered."""
        places = self._matching.get(packets)
        if places is None:
            places = self._matching[packets] = tuple(
                place for place, parts in enumerate(self._parts) if any(self._image(part, packets) for part in parts)
            )
        key = (packets, *[tables[place] for place in places])
        found = self._known.get(key)
        if found is None:
            images = [self._image(tables[place], packets) for place in places]
            found = self._known[key] = self._space.union_of(images)
        return found


def around_network(inclusion: Inclusion) -> list[tuple[Policy, Policy]] | None:
    """Return the policies before and behind the network in each summand of an emptiness question.

    None if a summand does not have the network exactly once as a factor: then the whole policy is built.
    """
    if inclusion.right is not DROP_ALL:
        return None
    found: list[tuple[Policy, Policy]] = []
    for summand in inclusion.left.parts if isinstance(inclusion.left, Sum) else (inclusion.left,):
        parts = summand.parts if isinstance(summand, Product) else (summand,)
        places = [index for index, part in enumerate(parts) if NETWORK in holes(part)]
        if len(places) != 1 or parts[places[0]] is not hole(NETWORK):
            return None
        found.append((product_of(parts[: places[0]]), product_of(parts[places[0] + 1 :])))
    return found
