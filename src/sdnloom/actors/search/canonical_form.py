"""The canonical form of a state: one of all states that differ by a renaming of individuals.

The individuals are told apart by the items in which they occur, then by the individuals with which they occur there
(colour refinement). Those that stay tied fall into components that no item links; equal components are in any order.
In a component, tied individuals are put into any order if exchanging two of them, each with the individuals that it
alone determines, leaves the items as they are. Otherwise each of them is tried as the first, and the least form is
taken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from sdnloom.actors.search.items import Items

Colours = dict[int, int]  # of each individual: how many individuals are before its class


class CanonicalForm:
    """Makes canonical forms of states, which are sequences of items."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.branches = 0  # how often several orders were tried

    def of(self, items: Sequence[int]) -> tuple[int, ...]:
        """The canonical form: items in the order of their numbers."""
        contributions, kinds = self._items.contributions, self._items.kinds
        signs: dict[int, list[int]] = {}
        for item in items:
            for individual, sign in contributions[item]:
                if individual in signs:
                    signs[individual].append(sign)
                else:
                    signs[individual] = [sign]
        if not signs:
            return tuple(sorted(items))
        for each in signs.values():
            each.sort()
        ordered = sorted([(individual % kinds, signs[individual], individual) for individual in signs])
        tied = [
            place
            for place in range(1, len(ordered))
            if ordered[place][1] == ordered[place - 1][1] and ordered[place][0] == ordered[place - 1][0]
        ]
        order = [individual for _, _, individual in ordered]
        if tied:
            colours = {individual: place for place, individual in enumerate(order)}
            for place in tied:
                colours[order[place]] = colours[order[place - 1]]
            alone = _alone(colours)
            individuals = self._items.individuals
            linked = [item for item in items if len(individuals[item]) > 1 and not alone.issuperset(individuals[item])]
            if linked:
                order = self._order(self._refined(colours, linked), linked)
        return self._renamed(items, order)

    def _renamed(self, items: Iterable[int], order: Iterable[int]) -> tuple[int, ...]:
        """The items with the individuals numbered in this order."""
        kinds = self._items.kinds
        count = list(range(kinds))
        change: dict[int, int] = {}
        same = True
        for individual in order:
            kind = individual % kinds
            change[individual] = count[kind]
            same = same and count[kind] == individual
            count[kind] += kinds
        if same:
            return tuple(sorted(items))
        individuals, renamed = self._items.individuals, self._items.renamed
        get = change.__getitem__
        results = [renamed(item, tuple(map(get, individuals[item]))) if individuals[item] else item for item in items]
        results.sort()
        return tuple(results)

    def _order(self, colours: Colours, linked: Sequence[int]) -> list[int]:
        """The individuals in their final order; `linked` are the items that may tell tied ones apart.

        Tied individuals that no item links, directly or by others, are ordered apart from each other.
        """
        ranked = []
        for members, inside in self._components(_alone(colours), linked):
            order = members
            if len({colours[each] for each in members}) < len(members):
                near = {each: colours[each] for item in inside for each in self._items.individuals[item]}
                order = self._order_in(near, inside)
            else:
                order.sort(key=colours.__getitem__)
            order = [each for each in order if each in set(members)]
            ranked.append(([colours[each] for each in order], self._shape(order, colours, inside), order))
        ranked.sort()
        key = {each: (number, place) for number, (_, _, order) in enumerate(ranked) for place, each in enumerate(order)}
        return sorted(colours, key=lambda each: (colours[each], key.get(each, (0, 0)), each))

    def _components(self, alone: set[int], linked: Sequence[int]) -> list[tuple[list[int], list[int]]]:
        """The sets of tied individuals that items link, each with the items in which they occur."""
        individuals = self._items.individuals
        component: dict[int, list[int]] = {}  # of each tied individual
        for item in linked:
            several = [each for each in individuals[item] if each not in alone]
            joined = component.setdefault(several[0], [several[0]]) if several else []
            for each in several[1:]:
                other = component.setdefault(each, [each])
                if other is not joined:
                    joined += other
                    for moved in other:
                        component[moved] = joined
        found: dict[int, tuple[list[int], list[int]]] = {}
        for item in linked:
            first = next((each for each in individuals[item] if each not in alone), None)
            if first is not None:
                members = component[first]
                found.setdefault(id(members), (members, []))[1].append(item)
        return list(found.values())

    def _shape(self, order: Sequence[int], colours: Colours, inside: Sequence[int]) -> list[tuple[int, list[int]]]:
        """Items with the places of individuals; those that are in no tie have their colours."""
        place = {each: number for number, each in enumerate(order)}
        individuals, codes = self._items.individuals, self._items.code
        return sorted(
            (codes[item], [place[each] if each in place else -1 - colours[each] for each in individuals[item]])
            for item in inside
        )

    def _order_in(self, colours: Colours, linked: Sequence[int]) -> list[int]:
        """The individuals of one component, and those in no tie beside them, in their order."""
        colours = self._refined(colours, linked)
        free: set[int] = set()  # colours whose individuals may be in any order
        while True:
            tied = self._first_tied(colours, free)
            if tied is None:
                return sorted(colours, key=lambda each: (colours[each], each))
            if all(self._is_same_after({tied[0]: each, each: tied[0]}, linked) for each in tied[1:]):
                free.add(colours[tied[0]])
                continue
            exchanges = [self._exchange(colours, tied, each, linked) for each in tied[1:]]
            if None not in exchanges:  # each can be the first, with the same form
                colours = self._refined(self._after_exchanges(colours, tied, exchanges), linked)
                continue
            self.branches += 1
            orders = [self._order_in(self._first(colours, tied, each), linked) for each in tied]
            return min(orders, key=lambda order: self._shape(order, colours, linked))

    def _first_tied(self, colours: Colours, free: set[int]) -> list[int] | None:
        classes: dict[int, list[int]] = {}
        for individual, colour in colours.items():
            classes.setdefault(colour, []).append(individual)
        several = [colour for colour, each in classes.items() if len(each) > 1 and colour not in free]
        return sorted(classes[min(several)]) if several else None

    @staticmethod
    def _first(colours: Colours, tied: Sequence[int], chosen: int) -> Colours:
        """The colours with one of the tied individuals before the others."""
        return {**colours, **{each: colours[each] + 1 for each in tied if each != chosen}}

    def _refined(self, colours: Colours, linked: Sequence[int]) -> Colours:
        """The coarsest colours, finer than these, that agree with the items in which individuals occur together."""
        contributions = self._items.contributions
        while True:
            signs: dict[int, list[tuple[int, list[int]]]] = {}
            for item in linked:
                beside = [colours[each] for each, _ in contributions[item]]
                for individual, sign in contributions[item]:
                    signs.setdefault(individual, []).append((sign, beside))
            ordered = sorted([(colours[each], sorted(signs.get(each, ())), each) for each in colours])
            refined: Colours = {}
            for place, (colour, beside_it, individual) in enumerate(ordered):
                before = ordered[place - 1]
                same = place > 0 and before[0] == colour and before[1] == beside_it
                refined[individual] = refined[before[2]] if same else place
            if len(set(refined.values())) == len(set(colours.values())):
                return refined
            colours = refined

    def _after_exchanges(self, colours: Colours, tied: Sequence[int], exchanges: Sequence[Colours | None]) -> Colours:
        """The colours with the first of the tied individuals before the others.

        If the exchanges move two of the tied ones each, they lead to all orders of them, so any order will do.
        """
        members = set(tied)
        if all(len(members & exchange.keys()) == 2 for exchange in exchanges if exchange is not None):
            base = colours[tied[0]]
            return {**colours, **{each: base + place for place, each in enumerate(tied)}}
        return self._first(colours, tied, tied[0])

    def _exchange(self, colours: Colours, tied: Sequence[int], other: int, linked: Sequence[int]) -> Colours | None:
        """The exchange of the first tied individual and another, with what each of them determines.

        None if it changes the state.
        """
        one = self._determined(self._refined(self._first(colours, tied, tied[0]), linked))
        two = self._determined(self._refined(self._first(colours, tied, other), linked))
        if one.keys() != two.keys():
            return None
        exchange: Colours = {}
        for colour, individual in one.items():
            partner = two[colour]
            if individual == partner:
                continue
            if exchange.setdefault(individual, partner) != partner:
                return None
            if exchange.setdefault(partner, individual) != individual:
                return None
        return exchange if self._is_same_after(exchange, linked) else None

    @staticmethod
    def _determined(colours: Colours) -> Colours:
        """The individuals that are alone in their class, by colour."""
        found: dict[int, list[int]] = {}
        for individual, colour in colours.items():
            found.setdefault(colour, []).append(individual)
        return {colour: each[0] for colour, each in found.items() if len(each) == 1}

    def _is_same_after(self, exchange: Colours, linked: Sequence[int]) -> bool:
        """Whether exchanging individuals leaves the linked items as they are; other items do not tell them apart."""
        individuals, codes = self._items.individuals, self._items.code
        before, after = [], []
        for item in linked:
            inside = individuals[item]
            changed = tuple([exchange.get(each, each) for each in inside])
            if changed != inside:
                before.append((codes[item], inside))
                after.append((codes[item], changed))
        return sorted(before) == sorted(after)


def _alone(colours: Colours) -> set[int]:
    """The individuals that are alone in their class."""
    count = Counter(colours.values())
    return {individual for individual, colour in colours.items() if count[colour] == 1}
