"""NICE's search strategies (section 5), which leave out orderings of events. Several compose, in order.

PKT-SEQ is a bound. A search under one of the others that finds nothing ends Incomplete and names what it skips.
They are built on the engine's `Strategy` protocol, which ranks the steps of any system. The order of a search (breadth
first, depth first) is something else and belongs to the engine's options.

A new strategy is a file of this folder, an entry of `STRATEGY_NAMES` and `make_strategies`, and a text in the docs.
"""

from collections.abc import Sequence

from sdnloom.errors import SdnloomError, did_you_mean
from sdnloom.strategies.base import SearchStrategy
from sdnloom.strategies.flow_ir import FlowIR, SameFlow, same_connection
from sdnloom.strategies.no_delay import NoDelay
from sdnloom.strategies.pkt_seq import PktSeq
from sdnloom.strategies.unusual import Unusual

STRATEGY_NAMES = (PktSeq.name, NoDelay.name, Unusual.name, FlowIR.name)

__all__ = [
    "STRATEGY_NAMES",
    "FlowIR",
    "NoDelay",
    "PktSeq",
    "SameFlow",
    "SearchStrategy",
    "Unusual",
    "make_strategies",
    "same_connection",
]


class StrategyError(SdnloomError):
    """A strategy that cannot be made. The message names it and says what was expected."""


def make_strategies(
    names: Sequence[str], same_flow: SameFlow | None = None, pkt_seq: PktSeq | None = None
) -> tuple[SearchStrategy, ...]:
    """Return the strategies of these names, in their order, after PKT-SEQ, which applies the clients' own bounds."""
    strategies: list[SearchStrategy] = [pkt_seq or PktSeq()]
    for number, name in enumerate(names):
        if name not in STRATEGY_NAMES:
            known = f"{', '.join(STRATEGY_NAMES)}{did_you_mean(name, STRATEGY_NAMES)}"
            raise StrategyError(f"strategy {name!r} is unknown; expected one of {known}")
        if name in names[:number]:
            raise StrategyError(f"strategy {name!r} is given twice; expected each once")
        if name == NoDelay.name:
            strategies.append(NoDelay())
        if name == Unusual.name:
            strategies.append(Unusual())
        if name == FlowIR.name:
            if same_flow is None:
                raise StrategyError(
                    "strategy 'flow-ir' does not know which packets belong together; expected a function of two "
                    'packets, in the [search] table: same_flow = "file.py:function" (--same-flow)'
                )
            strategies.append(FlowIR(same_flow))
    return tuple(strategies)
