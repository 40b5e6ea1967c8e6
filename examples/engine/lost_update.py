"""Two clients add one to a shared number. Run: python examples/engine/lost_update.py

The engine knows nothing about networks: any system of components that exchange messages can be searched.
"""

from typing import Any

from sdnloom.engine import (
    Action,
    Channel,
    Component,
    Fifo,
    Mode,
    Needs,
    Outcome,
    Property,
    SearchOptions,
    System,
    Violated,
    describe,
    search,
)

CLIENTS = ("ann", "bob")


def server() -> Component:
    """Holds the number; answers `read`, obeys `write` and `add`."""

    def handle(client: str) -> Any:
        def step(number: int, message: tuple[str, int]) -> list[Outcome]:
            verb, value = message
            if verb == "read":
                return [Outcome(number, ((f"to {client}", number),))]
            return [Outcome(value if verb == "write" else number + value)]

        return step

    actions = [Action(f"serve {c}", handle(c), f"from {c}", frozenset({f"to {c}"})) for c in CLIENTS]
    return Component("server", 0, tuple(actions))


def client(name: str, atomic: bool) -> Component:
    """Adds one: in one message, or by reading first and writing the sum."""
    to_server = f"from {name}"

    def start(core: str, _: None) -> list[Outcome]:
        if core != "idle":
            return []
        return [Outcome("done" if atomic else "reading", ((to_server, ("add", 1) if atomic else ("read", 0)),))]

    def answered(core: str, number: int) -> list[Outcome]:
        return [Outcome("done", ((to_server, ("write", number + 1)),))]

    sends = frozenset({to_server})
    return Component(
        name,
        "idle",
        (Action("start", start, None, sends, mode=Mode.MAY), Action("answered", answered, f"to {name}", sends)),
    )


def shared_number(atomic: bool) -> System:
    """The whole system, with what must hold when it has come to rest."""

    def lost(memory: None, columns: Any) -> str | None:
        done = sum(columns[name] == "done" for name in CLIENTS)
        return None if columns["server"] >= done else f"{done} clients are done, but the number is {columns['server']}"

    def both(memory: None, columns: Any) -> str | None:
        return "both clients are done" if all(columns[name] == "done" for name in CLIENTS) else None

    columns = ("server", *CLIENTS)
    return System(
        (server(), *(client(name, atomic) for name in CLIENTS)),
        tuple(Channel(f"from {c}", "server", Fifo()) for c in CLIENTS)
        + tuple(Channel(f"to {c}", c, Fifo()) for c in CLIENTS),
        (
            Property("no lost update", Needs.QUIESCENT, lost, columns=columns),
            Property("both get done", Needs.QUIESCENT, both, columns=columns, sometimes=True),
        ),
    )


def main() -> None:
    for atomic in (False, True):
        result = search(shared_number(atomic), SearchOptions(reduce=True))
        kind = "adding in one message" if atomic else "reading, then writing"
        print(f"{kind}: {type(result.verdict).__name__}, {result.statistics.states} states")  # noqa: T201
        if isinstance(result.verdict, Violated):
            print(f"  {result.verdict.counterexample.message}")  # noqa: T201
            for number, step in enumerate(result.verdict.counterexample.path.steps, 1):
                print(f"  {number}. {describe(step)}")  # noqa: T201


if __name__ == "__main__":
    main()
