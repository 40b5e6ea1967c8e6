"""NICE's figure 1 as a System: two switches in line, host A pings host B, a MAC-learning controller, N pings at once.

The model is written against the engine alone, so that it measures the engine. A reply carries no identity; a ping does.
"""

from collections.abc import Iterable
from typing import Any

from sdnloom.engine.disciplines import Bag, Fifo, Ports
from sdnloom.engine.model import NONE, Action, Channel, Component, Mode, Needs, Outcome, Property, System

A, B = "A", "B"
SWITCHES = ("s1", "s2")
# (switch, port) -> the channel that a packet sent there goes to, and the port it arrives at on a switch.
LINKS = {("s1", 0): ("A.in", None), ("s1", 1): ("s2.in", 0), ("s2", 0): ("s1.in", 1), ("s2", 1): ("B.in", None)}

# Pings -> (states, transitions) of the whole search. SPIN finds the same, as far as its memory and its digits go.
KNOWN = {
    4: (68_868, 207_817),
    5: (1_004_445, 3_549_726),
    6: (14_489_544, 57_739_897),
    7: (205_234_298, 900_065_138),
}

Packet = tuple[Any, str, str]  # identity, source, destination
Table = frozenset[tuple[str, str, int, int]]  # source, destination, in port -> out port


def _forward(switch: str, port: int, packet: Packet) -> tuple[str, Any]:
    channel, arrival = LINKS[switch, port]
    return (channel, packet) if arrival is None else (channel, (arrival, packet))


def _lookup(table: Iterable[tuple[str, str, int, int]], packet: Packet, port: int) -> int | None:
    wanted = (packet[1], packet[2], port)
    return next((entry[3] for entry in table if entry[:3] == wanted), None)


def _switch(name: str, canonical: bool) -> Component:
    def add(table: Any, entry: tuple[str, str, int, int]) -> Any:
        if canonical:
            return table | {entry}
        return (*(known for known in table if known != entry), entry)

    def process_packets(core: Any, heads: Any) -> list[Outcome]:
        table, store = core
        buffers, sends = dict(store), []
        for port, packet in heads:
            out = _lookup(table, packet, port)
            if out is None:
                free = next(number for number in range(len(buffers) + 1) if number not in buffers)
                buffers[free] = (packet, port)
                sends.append((f"{name}.up", (free, packet, port)))
            else:
                sends.append(_forward(name, out, packet))
        return [Outcome((table, tuple(sorted(buffers.items()))), tuple(sends))]

    def process_of(core: Any, message: Any) -> list[Outcome]:
        table, store = core
        buffers = dict(store)
        buffer, entry = message
        packet, port = buffers.pop(buffer)
        if entry is not None:
            table = add(table, entry)
        out = 1 - port if entry is None else entry[3]
        return [Outcome((table, tuple(sorted(buffers.items()))), (_forward(name, out, packet),))]

    links = frozenset(LINKS[name, port][0] for port in (0, 1))
    return Component(
        name,
        (frozenset() if canonical else (), ()),
        (
            Action("packets", process_packets, f"{name}.in", links | {f"{name}.up"}),
            Action("of", process_of, f"{name}.of", links),
        ),
    )


def _controller(cells: bool) -> Component:
    """The MAC-learning controller. With `cells` it declares that each switch has a table of its own."""

    def handler(place: int, switch: str) -> Any:
        def packet_in(tables: Any, message: Any) -> list[Outcome]:
            buffer, (_, source, destination), port = message
            table = dict(tables[place])
            table[source] = port
            learned = tuple(sorted(table.items()))
            core = (*tables[:place], learned, *tables[place + 1 :])
            out = table.get(destination, port)
            entry = None if out == port else (source, destination, port, out)
            return [Outcome(core, ((f"{switch}.of", (buffer, entry)),))]

        return packet_in

    actions = []
    for place, switch in enumerate(SWITCHES):
        cell: Any = frozenset({("mac", switch)}) if cells else frozenset({"mac"})
        actions.append(
            Action(f"handle {switch}", handler(place, switch), f"{switch}.up", frozenset({f"{switch}.of"}), cell, cell)
        )
    return Component("controller", ((), ()), tuple(actions))


def _pinger(pings: int) -> Component:
    def send(core: Any, _: None) -> list[Outcome]:
        following, received = core
        if following > pings:
            return []
        packet = (following, A, B)
        return [Outcome((following + 1, received), (("s1.in", (0, packet)),), (("sent", following),))]

    def receive(core: Any, packet: Packet) -> list[Outcome]:
        following, received = core
        return [Outcome((following, received + 1), (), (("got", A, packet[0]),))]

    sent, counted = frozenset({"sent"}), frozenset({"received"})
    return Component(
        A,
        (1, 0),
        (
            Action("send", send, None, frozenset({"s1.in"}), sent, sent, Mode.MAY),
            Action("receive", receive, "A.in", frozenset(), counted, counted),
        ),
    )


def _replier() -> Component:
    """Host B. A ping to answer waits in a bag that B sends itself: B may answer in any order."""

    def receive(following: int, packet: Packet) -> list[Outcome]:
        if packet[2] != B:
            return [Outcome(following)]
        return [Outcome(following + 1, (("B.todo", following),), (("got", B, packet[0]),))]

    def reply(following: int, _: int) -> list[Outcome]:
        return [Outcome(following, (("s2.in", (1, ("r", B, A))),))]

    counted: Any = frozenset({"following"})
    return Component(
        B,
        1,
        (
            Action("receive", receive, "B.in", frozenset({"B.todo"}), counted, counted),
            Action("reply", reply, "B.todo", frozenset({"s2.in"}), NONE, NONE),
        ),
    )


def pings(count: int, *, canonical: bool = True, cells: bool = True, properties: tuple[Property, ...] = ()) -> System:
    """The system with `count` pings. `canonical` tables are sets; others keep the order of the last installs."""
    channels = [
        Channel("s1.in", "s1", Ports(((A, 0), ("s2", 1)))),
        Channel("s2.in", "s2", Ports((("s1", 0), (B, 1)))),
    ]
    channels += [Channel(f"{switch}.of", switch, Fifo()) for switch in SWITCHES]
    channels += [Channel(f"{switch}.up", "controller", Fifo()) for switch in SWITCHES]
    channels += [Channel("A.in", A, Fifo()), Channel("B.in", B, Fifo()), Channel("B.todo", B, Bag())]
    return System(
        (_controller(cells), *(_switch(name, canonical) for name in SWITCHES), _pinger(count), _replier()),
        tuple(channels),
        properties,
    )


def at_most_received(count: int) -> Property:
    """EVENT: host A receives at most `count` replies."""

    def fold(memory: int, event: Any) -> int:
        return min(memory + 1, count + 1) if event[:2] == ("got", A) else memory

    return Property(
        "at most received", Needs.EVENT, lambda m, _: "too many" if m > count else None, fold=fold, initial=0
    )


def at_most_outstanding(count: int) -> Property:
    """ORDER: host A never waits for more than `count` replies; its sends and receptions do not commute for this."""

    def fold(memory: int, event: Any) -> int:
        if memory > count:
            return memory
        return memory + (event[0] == "sent") - (event[:2] == ("got", A))

    watches = frozenset({(A, "send"), (A, "receive")})
    return Property(
        "at most outstanding", Needs.ORDER, lambda m, _: "too many" if m > count else None, watches, fold, 0
    )
