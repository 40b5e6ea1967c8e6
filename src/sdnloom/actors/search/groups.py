"""Interchangeable owners of tagged values, found in the state with which a program starts.

Owners are the actors, and whatever else values are tagged with, such as packets. Two owners are interchangeable if
they have the same class and the same facets, and exchanging them, with all values that are tagged as theirs, leaves
the fields and tasks at the start as they are. That is an equivalence relation. What the program's code does with them
is not looked at here: equivariance.py checks every step that runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Group, Naming, Program
from sdnloom.actors.values import Symbol, TaggedInt, TaggedStr, substitute
from sdnloom.engine.stable_text import stable_text

_NAME = "name"  # the facet that every actor has


def interchangeable_actors(program: Program) -> tuple[Group, ...]:
    """The groups of at least two interchangeable owners."""
    facets = _facets(program)
    kinds: dict[str, type] = {actor.name: type(actor) for actor in program.actors}
    alike: dict[tuple[type | None, frozenset[str]], list[str]] = defaultdict(list)
    for owner, known in facets.items():
        alike[kinds.get(owner), frozenset(known)].append(owner)
    candidates = [names for names in alike.values() if len(names) > 1]
    naming = Naming([_group(names, facets) for names in candidates])
    start = _start(program, naming)
    found = []
    for number, names in enumerate(candidates):
        left = list(range(len(names)))
        while left:
            first, *others = left
            same = [first, *(each for each in others if _exchanged(start, number, first, each) == start)]
            same = _with_different_values([names[each] for each in same], same, facets)
            if len(same) > 1:
                found.append(_group([names[each] for each in same], facets))
            left = [each for each in left if each not in same]
    return tuple(found)


def _with_different_values(names: list[str], members: list[int], facets: dict[str, dict[str, Any]]) -> list[int]:
    """Members no two of which have the same value of a facet: symbols would tell apart what programs cannot."""
    taken: set[tuple[str, Any]] = set()
    found = []
    for name, member in zip(names, members, strict=True):
        values = set(facets[name].items())
        if not values & taken:
            found.append(member)
            taken |= values
    return found


def groups_text(groups: tuple[Group, ...]) -> str:
    """The groups as people read them."""
    shown = ["{" + ", ".join(group.members) + "}" for group in groups]
    return f"interchangeable: {', '.join(shown)}" if shown else "no actors are interchangeable"


def _group(names: list[str], facets: dict[str, dict[str, Any]]) -> Group:
    return Group(tuple(names), {facet: tuple(facets[name][facet] for name in names) for facet in facets[names[0]]})


def _facets(program: Program) -> dict[str, dict[str, Any]]:
    """The values tagged as an owner's, by owner and facet. Owners that have two values of one facet are left out."""
    facets: dict[str, dict[str, Any]] = {actor.name: {_NAME: actor.name} for actor in program.actors}
    unclear = set()
    values = [actor._values for actor in (*program.actors, *program.monitors)]
    values += [type(actor).fields[name].default for actor in program.actors for name in actor.fields]
    for tagged in _tagged([values, [message.args for message in program.start]]):
        plain = int(tagged) if isinstance(tagged, TaggedInt) else str(tagged)
        if facets.setdefault(tagged.owner, {}).setdefault(tagged.facet, plain) != plain:
            unclear.add(tagged.owner)
    unclear.update(monitor.name for monitor in program.monitors)
    return {name: known for name, known in facets.items() if name not in unclear}


def _tagged(value: Any) -> Iterator[TaggedInt | TaggedStr]:
    """The tagged values in a value."""
    match value:
        case TaggedInt() | TaggedStr():
            yield value
        case Actor():
            pass
        case dict():
            yield from _tagged([*value.keys(), *value.values()])
        case set() | frozenset():
            yield from _tagged(sorted(value, key=stable_text))  # the hash seed must not decide the order of a group
        case list() | tuple():
            for each in value:
                yield from _tagged(each)
        case _ if is_dataclass(value) and not isinstance(value, type):
            for each in fields(value):
                yield from _tagged(getattr(value, each.name))


def _start(program: Program, naming: Naming) -> tuple[dict[Any, Any], Counter[Any]]:
    return program.initial_cells(naming), Counter(program.initial_tasks(naming))


def _exchanged(
    start: tuple[dict[Any, Any], Counter[Any]], group: int, one: int, other: int
) -> tuple[dict[Any, Any], Counter[Any]]:
    """The start after the exchange of two members of a group."""
    partner = {one: other, other: one}

    def exchange(atom: Any) -> Any:
        if isinstance(atom, Symbol) and atom.group == group and atom.index is not None:
            return Symbol(group, atom.facet, partner.get(atom.index, atom.index))
        return atom

    cells, tasks = start
    return (
        {at.substituted(exchange): substitute(value, exchange) for at, value in cells.items()},
        Counter({task.substituted(exchange): count for task, count in tasks.items()}),
    )
