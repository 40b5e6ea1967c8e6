"""The state after a step, on items: what Meaning.after defines on values."""

from sdnloom.actors.search.canonical_form import CanonicalForm
from sdnloom.actors.search.items import Items
from sdnloom.actors.search.step_memo import StepEffect
from sdnloom.actors.values import Stored

Cells = dict[int, int]  # location -> the cell that it holds


class Successor:
    """Makes the canonical state after a step."""

    def __init__(self, items: Items, form: CanonicalForm) -> None:
        self._items, self._form = items, form
        self._has_barriers = items.program.has_barriers

    def of(self, state: tuple[int, ...], cells: Cells, task: int, effect: StepEffect) -> tuple[int, ...]:
        """The state after one effect of a task's step."""
        items = list(state)
        items.remove(task)
        if effect.failure >= 0:
            if effect.failure not in items:
                items.append(effect.failure)
            return self.settled(items)
        for location, item in effect.writes:
            before = cells.get(location, -1)
            if before != item:
                if before >= 0:
                    items.remove(before)
                if item >= 0:
                    items.append(item)
        if self._has_barriers:
            for sent in effect.sends:
                items.append(self._posted(items, sent))
        else:
            items += effect.sends
        if effect.goes_on >= 0:
            items.append(effect.goes_on)
        elif self._items.own[task] >= 0:
            items = self._completed(items, self._items.own[task], effect.result)
        return self.settled(items)

    def settled(self, items: list[int]) -> tuple[int, ...]:
        """The canonical state of these items, after barriers that have nothing left to wait for."""
        if self._has_barriers:
            items = self._past_barriers(items)
        return self._form.of(self._without_lost_futures(items))

    def _without_lost_futures(self, items: list[int]) -> list[int]:
        """The items; tasks whose result nobody can await have no future."""
        own, held = self._items.own, self._items.held
        owners = [place for place, item in enumerate(items) if own[item] >= 0]
        if owners:
            awaited = {future for item in items for future in held[item]}
            for place in owners:
                if own[items[place]] not in awaited:
                    items[place] = self._items.without_future(items[place])
        return items

    def _completed(self, items: list[int], future: int, result: Stored) -> list[int]:
        held, known = self._items.held, self._items.known
        return [known(item, future, result) if future in held[item] else item for item in items]

    # Barriers.

    def _posted(self, items: list[int], task: int) -> int:
        """The task as it is in the mailbox: a control task or a barrier behind the barriers that are there."""
        template, actor, actors = self._items.template, self._items.actor[task], self._items.actor
        if not (template[task].is_barrier or template[task].is_control):
            return task
        barriers = [template[each].segment for each in items if actors[each] == actor and template[each].is_barrier]
        if not barriers:
            return task
        segment = max(barriers) + 1
        if template[task].is_barrier and not self._has_control(items, actor, segment):
            segment -= 1
        return self._items.in_segment(task, segment) if segment else task

    def _has_control(self, items: list[int], actor: object, segment: int) -> bool:
        template, actors = self._items.template, self._items.actor
        return any(
            actors[each] == actor and template[each].segment == segment and template[each].is_control for each in items
        )

    def _past_barriers(self, items: list[int]) -> list[int]:
        template, actors, own = self._items.template, self._items.actor, self._items.own
        while True:
            first = [each for each in items if template[each].is_barrier and template[each].segment == 0]
            passed = {actors[each] for each in first if not self._has_control(items, actors[each], 0)}
            if not passed:
                return items
            done = [each for each in first if actors[each] in passed]
            rest = list(items)
            for each in done:
                rest.remove(each)
            items = [
                self._items.in_segment(each, template[each].segment - 1)
                if actors[each] in passed and template[each].segment
                else each
                for each in rest
            ]
            for each in done:
                if own[each] >= 0:
                    items = self._completed(items, own[each], None)
