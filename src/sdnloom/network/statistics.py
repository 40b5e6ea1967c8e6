"""Configured port statistics: the values that counters may have in replies to the program (NICE, figure 4)."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from sdnloom.network.network import NetworkError, PortCounter
from sdnloom.network.openflow import PortStats, PortStatsReply
from sdnloom.network.switch import SwitchOutcome
from sdnloom.network.topology import Topology

COUNTERS = tuple(each.name for each in fields(PortStats) if each.name != "port_no")


def check_counters(counters: Sequence[PortCounter], topology: Topology) -> None:
    """Raise an error for an unknown port or counter, one without values, or one that is given twice."""
    for place, each in enumerate(counters):
        topology.check_port(each.port)
        where = f"statistics of {each.port}"
        if each.counter not in COUNTERS:
            raise NetworkError(f"{where}: counter is {each.counter!r}; expected one of {', '.join(COUNTERS)}")
        if not each.values or len(set(each.values)) != len(each.values):
            raise NetworkError(f"{where}: values are {list(each.values)!r}; expected at least one, and each once")
        if (each.port, each.counter) in [(one.port, one.counter) for one in counters[:place]]:
            raise NetworkError(f"{where}: {each.counter} is given twice; expected it once")


def with_statistics(outcome: SwitchOutcome, counters: Sequence[PortCounter]) -> Iterator[SwitchOutcome]:
    """Yield the outcome with each choice of port statistics; an outcome without any is yielded unchanged."""
    asked = {
        row.port_no for message in outcome.messages if isinstance(message, PortStatsReply) for row in message.ports
    }
    chosen = [each for each in counters if each.port.port in asked]
    for values in itertools.product(*(each.values for each in chosen)):
        given = list(zip(chosen, values, strict=True))
        texts = [f"{each.counter} of port {each.port.port} is {value}" for each, value in given if len(each.values) > 1]
        messages = tuple(
            replace(message, ports=tuple(_row(row, given) for row in message.ports))
            if isinstance(message, PortStatsReply)
            else message
            for message in outcome.messages
        )
        choice = "; ".join(text for text in (outcome.choice, *texts) if text)
        yield replace(outcome, messages=messages, choice=choice)


def _row(row: PortStats, given: Sequence[tuple[PortCounter, int]]) -> PortStats:
    return replace(row, **{each.counter: value for each, value in given if each.port.port == row.port_no})
