"""Dict, set and list fields do what dicts, sets and lists do, and touch no more entries than they have to."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.state import Meaning
from sdnloom.actors.task import Ending, Location, StepResult, Task


class Fields(Actor):
    d: dict[Any, Any] = {1: "one", (2,): "two"}  # noqa: RUF012
    s: set[Any] = {1, "a"}  # noqa: RUF012
    l: list[Any] = [3, 1]  # noqa: E741,RUF012
    n: int = 0

    async def run(self, number: int) -> None:
        BODIES[number](self)


BODIES: list[Callable[[Any], Any]] = []


def run(body: Callable[[Any], Any]) -> StepResult:
    """The one result of a task with this body."""
    BODIES.append(body)
    actor = Fields("a")
    meaning = Meaning(Program((actor,), ()), PLAIN)
    (result,) = meaning.results(dict(meaning.initial().cells), Task("a", "run", (len(BODIES) - 1,)))
    return result


def locations(pairs: Any) -> list[Any]:
    return [at.key[0] if isinstance(at.key, tuple) else at.key for at, _ in pairs]


KEYS = [1, 2, "a", (2,), None, 7]
OPERATIONS: dict[str, list[Callable[[Any, Any, Any], Any]]] = {
    "d": [
        lambda d, k, v: d.get(k, v),
        lambda d, k, v: k in d,
        lambda d, k, v: d.__setitem__(k, v),
        lambda d, k, v: d.pop(k, v),
        lambda d, k, v: d.setdefault(k, v),
        lambda d, k, v: d.update({k: v}),
        lambda d, k, v: len(d),
        lambda d, k, v: sorted(d, key=repr),
        lambda d, k, v: sorted(d.values(), key=repr),
        lambda d, k, v: d[k],
        lambda d, k, v: d.__delitem__(k),
        lambda d, k, v: d == {1: "one"},
        lambda d, k, v: d | {k: v} == {k: v},
        lambda d, k, v: dict(d) == d.copy(),
        lambda d, k, v: d.clear() if v == 3 else None,
        lambda d, k, v: bool(d),
        lambda d, k, v: d.__ior__({k: v}) is d,
    ],
    "s": [
        lambda s, k, v: s.add(k),
        lambda s, k, v: s.discard(k),
        lambda s, k, v: s.remove(k),
        lambda s, k, v: k in s,
        lambda s, k, v: len(s),
        lambda s, k, v: sorted(s, key=repr),
        lambda s, k, v: s.update([k, v]),
        lambda s, k, v: set(s | {k}),
        lambda s, k, v: set(s - {k}),
        lambda s, k, v: set(s & {k, v}),
        lambda s, k, v: set(s ^ {k, v}),
        lambda s, k, v: (s.union([k]), s.intersection([k]), s.difference([k])),
        lambda s, k, v: (s.issubset(KEYS), s.issuperset([k]), s.isdisjoint([k])),
        lambda s, k, v: s == {1, "a"},
        lambda s, k, v: s <= {1, "a"},
        lambda s, k, v: s.clear() if v == 3 else None,
        lambda s, k, v: s.__ior__({k}) is s,
        lambda s, k, v: s.__isub__({k}) is s,
    ],
    "l": [
        lambda q, k, v: q.append(k),
        lambda q, k, v: q.insert(v, k),
        lambda q, k, v: q.pop(),
        lambda q, k, v: q[0],
        lambda q, k, v: q[-v:],
        lambda q, k, v: q.__setitem__(0, k),
        lambda q, k, v: q.__delitem__(0),
        lambda q, k, v: len(q),
        lambda q, k, v: list(q),
        lambda q, k, v: k in q,
        lambda q, k, v: q.index(k),
        lambda q, k, v: q.count(k),
        lambda q, k, v: q.remove(k),
        lambda q, k, v: q.extend([k, v]),
        lambda q, k, v: q.reverse(),
        lambda q, k, v: q.sort(key=repr),
        lambda q, k, v: q + [v],  # noqa: RUF005
        lambda q, k, v: [v] + q,  # noqa: RUF005
        lambda q, k, v: q == [3, 1],
        lambda q, k, v: q.__iadd__([v]) is q,
        lambda q, k, v: q.copy(),
        lambda q, k, v: list(reversed(q)),
    ],
}


def outcome(operation: Callable[..., Any], *args: Any) -> Any:
    try:
        return operation(*args)
    except (KeyError, IndexError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_field_does_what_the_plain_container_does(name: str) -> None:
    for seed in range(60):
        rng = random.Random(seed)
        chosen = [(rng.choice(OPERATIONS[name]), rng.choice(KEYS), rng.randint(0, 3)) for _ in range(12)]
        plain = {"d": dict, "s": set, "l": list}[name](getattr(Fields("b"), name))

        def body(actor: Any, chosen: Any = chosen, plain: Any = plain) -> None:
            own = plain.copy()
            for operation, key, value in chosen:
                view = getattr(actor, name)
                assert outcome(operation, view, key, value) == outcome(operation, own, key, value)
            assert getattr(actor, name).copy() == own

        result = run(body)
        assert result.ending is Ending.RETURNED, result.result


@pytest.mark.parametrize(
    ("body", "reads", "writes"),
    [
        (lambda a: a.d.get(5), [5], []),
        (lambda a: a.d.__setitem__(5, 1), [], [5]),
        (lambda a: a.d.discard(1), [], [1]),
        (lambda a: a.d.__delitem__(1), [1], [1]),
        (lambda a: a.d.update({5: 1, 6: 2}), [], [5, 6]),
        (lambda a: a.s.add(5), [], [5]),
        (lambda a: a.s.update([5, 6]), [], [5, 6]),
        (lambda a: a.s.discard(5), [], [5]),
        (lambda a: a.s.issuperset([1, 9]), [1, 9], []),
        (lambda a: (a.d.get(5), a.d.get(5)), [5], []),
        (lambda a: (a.d.__setitem__(5, 1), a.d[5]), [], [5]),
        (lambda a: a.l.append(1), [None], [None]),
        (lambda a: setattr(a, "n", 5), [], [None]),
        (lambda a: setattr(a, "n", a.n + 1), [None], [None]),
    ],
)
def test_an_operation_touches_only_its_entries(body: Any, reads: list[Any], writes: list[Any]) -> None:
    result = run(body)
    assert (locations(result.reads), locations(result.writes)) == (reads, writes)


def test_iteration_reads_all_entries_at_once_in_a_fixed_order() -> None:
    seen: list[Any] = []
    result = run(lambda a: seen.extend(a.d))
    assert seen[:2] == [(2,), 1]
    assert [at.key.covers(99) for at, _ in result.reads] == [True]


def test_a_field_is_assigned_entry_by_entry() -> None:
    result = run(lambda a: setattr(a, "d", {1: "other", 9: "new"}))
    written = {at.key[0]: value for at, value in result.writes}
    assert {key: str(value) for key, value in written.items()} == {
        1: "other",
        9: "new",
        (2,): "Absence.ABSENT",
    }


def test_true_and_one_are_two_keys() -> None:
    def body(actor: Any) -> None:
        actor.s.clear()
        actor.s.update([1, True])
        actor.n = len(list(actor.s))

    assert dict(run(body).writes)[Location("a", "n")] == 2


def test_what_a_step_has_written_it_reads_again() -> None:
    def body(actor: Any) -> None:
        actor.d[5] = 1
        del actor.d[1]
        assert (dict(actor.d), len(actor.d)) == ({(2,): "two", 5: 1}, 2)
        actor.n = 3
        assert actor.n == 3

    assert run(body).ending is Ending.RETURNED


def test_a_view_as_a_value_is_refused() -> None:
    for body in (lambda a: setattr(a, "n", a.l), lambda a: a.d.__setitem__(1, a.s), lambda a: a.l.append(a.d)):
        result = run(body)
        assert result.ending is Ending.FAILED
        assert "expected a copy" in result.result.text
