"""The classes of the places of a state, as numbers, and what a reduction answers for each combination of them.

A reduction depends on a state only through the classes of its places (`reduction.py`), so it is asked once for each
combination. Places are given as in `system_graph`: (core, contents of the component's channels) in numbers of a memo.
"""

from collections.abc import Sequence

from sdnloom.engine.memo import Interner, Memo
from sdnloom.engine.reduction.place_classes import PlaceClass, Status
from sdnloom.engine.reduction.reduction import Reduction


class StateClasses:
    """Numbers the classes of the places that are met, and keeps the answers of a reduction."""

    def __init__(self, tables: Memo, reduction: Reduction) -> None:
        self.tables, self.reduction = tables, reduction
        components = tables.system.components
        self._actions: list[list[tuple[int, int]]] = [[] for _ in components]  # (number, slot that it takes from or -1)
        for number, (owner, _) in enumerate(tables.actions):
            self._actions[owner].append((number, tables.taken_slot[number]))
        self._classifiers = [*map(reduction.classifier, components)]
        self._classes: list[Interner[PlaceClass]] = [Interner() for _ in components]
        # By id of a class, which is kept beside its number: the id of one that is gone may be that of another one.
        self._numbers: list[dict[int, tuple[int, PlaceClass]]] = [{} for _ in components]
        self._kept: dict[tuple[int, ...], int | None] = {}
        self._commuting: dict[tuple[int, ...], list[int]] = {}

    def class_of(self, component: int, place: Sequence[int]) -> int:
        """The number of a place's class."""
        tables = self.tables
        core, inbox = place[0], tables.inbox[component]
        offers: list[bool] = []
        outcomes = []
        for action, slot in self._actions[component]:
            if slot < 0:
                offers.append(True)
                outcomes.append([local.outcome for local in tables.step(action, core, 0)])
            else:
                taken = tables.take(inbox[slot], place[slot + 1])
                offers.append(bool(taken))
                outcomes.append(
                    [each.outcome for message, _, _ in taken for each in tables.step(action, core, message)]
                )
        found = self._classifiers[component].class_of(
            tables.cores[component].values[core],
            [tables.contents[channel].values[content] for channel, content in zip(inbox, place[1:], strict=True)],
            offers,
            outcomes,
            [tables.undisturbed(channel, content) for channel, content in zip(inbox, place[1:], strict=True)],
        )
        numbers = self._numbers[component]
        if id(found) not in numbers:
            numbers[id(found)] = self._classes[component].number(found), found
        return numbers[id(found)][0]

    def kept(self, numbers: tuple[int, ...]) -> int | None:
        """The bit set of actions that the reduction keeps where the places have these classes, None for all."""
        if numbers not in self._kept:
            self._kept[numbers] = self.reduction.subset(self._values(numbers))
        return self._kept[numbers]

    def commuting(self, numbers: tuple[int, ...]) -> list[int]:
        """For each action, those that commute with it where the places have these classes."""
        if numbers not in self._commuting:
            self._commuting[numbers] = self.reduction.commuting(self._values(numbers))
        return self._commuting[numbers]

    def _values(self, numbers: tuple[int, ...]) -> tuple[PlaceClass, ...]:
        return tuple([table.values[number] for table, number in zip(self._classes, numbers, strict=True)])

    def enabled(self, numbers: tuple[int, ...]) -> int:
        """The bit set of the actions that are enabled where the places have these classes."""
        actions = [action for each in self._values(numbers) for action in each.actions]
        return sum(1 << number for number, action in enumerate(actions) if action.status is Status.ENABLED)
