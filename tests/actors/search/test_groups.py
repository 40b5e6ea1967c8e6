"""Interchangeable actors: found at the start, and given up where the program tells them apart."""

from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program
from sdnloom.actors.search.groups import groups_text, interchangeable_actors
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.actors.values import tag
from sdnloom.engine.result import Notice, SearchEvent


class Client(Actor):
    """Asks a server."""

    server: Any
    port: int = 0
    note: str = ""

    async def ask(self, what: str) -> None:
        await self.server.answer(self.later, what)


class Server(Actor):
    """Counts, and keeps whom it has answered."""

    answered: set[Any] = set()  # noqa: RUF012
    count: int = 0
    favourite: Any = None

    async def answer(self, client: Any, what: str) -> int:
        self.count += 1
        self.answered.add(what)
        return self.count


class PortServer(Server):
    """Computes with what it is told."""

    async def answer(self, client: Any, what: Any) -> int:
        self.count += int(what) % 2
        return self.count


def clients(number: int, server: Server, **same: Any) -> Program:
    found = [
        Client(f"c{each}", server=server, port=tag(80 + each, f"c{each}", "port"), **same) for each in range(number)
    ]
    asks = [client.ask(tag(f"q{each}", client.name, "question")) for each, client in enumerate(found)]
    return Program((server, *found), tuple(asks))


def members(program: Program) -> list[tuple[str, ...]]:
    return [group.members for group in interchangeable_actors(program)]


def test_clients_that_differ_in_tagged_values_alone_are_interchangeable() -> None:
    program = clients(3, Server("s"))
    (group,) = interchangeable_actors(program)
    assert group.members == ("c0", "c1", "c2")
    assert dict(group.facets) == {
        "name": ("c0", "c1", "c2"),
        "port": (80, 81, 82),
        "question": ("q0", "q1", "q2"),
    }
    assert groups_text((group,)) == "interchangeable: {c0, c1, c2}"


def test_an_actor_with_another_field_is_no_member() -> None:
    program = clients(3, Server("s"))
    program.actors[1].note = "x"  # type: ignore[attr-defined]
    assert members(program) == [("c1", "c2")]


def test_an_actor_that_a_field_refers_to_is_no_member() -> None:
    server = Server("s")
    program = clients(3, server)
    server.favourite = program.actors[2]
    assert members(program) == [("c0", "c2")]


def test_actors_with_an_equal_value_of_a_facet_are_not_interchangeable() -> None:
    server = Server("s")
    found = [Client(f"c{each}", server=server, port=tag(80, f"c{each}", "port")) for each in range(2)]
    assert members(Program((server, *found), tuple(each.ask("q") for each in found))) == []


def test_an_owner_with_two_values_of_a_facet_is_no_member() -> None:
    program = clients(3, Server("s"))
    again = Program(program.actors, (*program.start, program.actors[1].ask(tag("other", "c0", "question"))))  # type: ignore[attr-defined]
    assert members(again) == [("c1", "c2")]


def test_owners_that_are_no_actors_can_be_interchangeable() -> None:
    server = Server("s")
    client = Client("c", server=server)
    asks = [client.ask(tag(f"q{each}", f"packet {each}", "question")) for each in range(3)]
    assert members(Program((server, client), tuple(asks))) == [("packet 0", "packet 1", "packet 2")]


@pytest.mark.parametrize(("kind", "symmetric"), [(Server, True), (PortServer, False)])
def test_a_program_that_computes_with_tagged_values_is_searched_without_symmetry(
    kind: type[Server], symmetric: bool
) -> None:
    server = kind("s")
    found = [Client(f"c{each}", server=server) for each in range(3)]
    asks = [client.ask(tag(80 + each, client.name, "port")) for each, client in enumerate(found)]
    program = Program((server, *found), tuple(asks))
    events: list[SearchEvent] = []
    result = search_program(program, ActorOptions(reduction="none"), events.append)
    plain = search_program(program, ActorOptions(reduction="none", symmetry=False))
    notices = [event.text for event in events if isinstance(event, Notice)]
    if symmetric:
        assert (result.symmetry, notices) == ("interchangeable: {c0, c1, c2}", [])
        assert result.result.statistics.states < plain.result.statistics.states
    else:
        assert notices == ["symmetry is not used: s.answer does not treat interchangeable actors alike"]
        assert result.result.restarts == ("s.answer does not treat interchangeable actors alike",)
        assert result.finals == plain.finals


def test_a_key_that_is_tagged_for_one_task_and_plain_for_another_is_no_basis_for_symmetry() -> None:
    """With symbols, `answered` would have two entries; the program sees one."""
    server = Server("s")
    found = [Client(f"c{each}", server=server) for each in range(2)]
    asks = [client.ask(tag(f"q{each}", client.name, "question")) for each, client in enumerate(found)]
    other = Client("other", server=server, note="x")
    program = Program((server, *found, other), (*asks, other.ask("q1")))
    result = search_program(program)
    assert result.symmetry.startswith("not used: the field 'answered' has keys that are equal")
    assert {len([at for at, _ in state.cells if at.field == "answered"]) for state in result.finals} == {2}
