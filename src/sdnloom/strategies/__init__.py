"""Search strategies of NICE's section 5: choose them by name, or make them in Python. Several compose, in order.

PKT-SEQ is a bound. A search under one of the others that finds nothing ends Incomplete and names what it skips.
"""

from collections.abc import Sequence

from sdnloom.errors import SdnloomError
from sdnloom.strategies.base import SearchStrategy
from sdnloom.strategies.flow_ir import FlowIR, SameFlow, same_connection
from sdnloom.strategies.no_delay import NoDelay
from sdnloom.strategies.pkt_seq import PktSeq
from sdnloom.strategies.unusual import Unusual

NAMES = (PktSeq.name, NoDelay.name, Unusual.name, FlowIR.name)

__all__ = [
    "NAMES",
    "FlowIR",
    "NoDelay",
    "PktSeq",
    "SameFlow",
    "SearchStrategy",
    "Unusual",
    "named",
    "same_connection",
]


class StrategyError(SdnloomError):
    """A strategy that cannot be had. The message names it and what was expected."""


def named(
    names: Sequence[str], same_flow: SameFlow | None = None, pkt_seq: PktSeq | None = None
) -> tuple[SearchStrategy, ...]:
    """The strategies of these names, in their order. PKT-SEQ is always among them: clients' own bounds count."""
    made: list[SearchStrategy] = [pkt_seq or PktSeq()]
    for place, name in enumerate(names):
        if name not in NAMES:
            raise StrategyError(f"strategy {name!r} is unknown; expected one of {', '.join(NAMES)}")
        if name in names[:place]:
            raise StrategyError(f"strategy {name!r} is given twice; expected each once")
        if name == NoDelay.name:
            made.append(NoDelay())
        if name == Unusual.name:
            made.append(Unusual())
        if name == FlowIR.name:
            if same_flow is None:
                raise StrategyError(
                    "strategy 'flow-ir' does not know which packets belong together; expected a function of two "
                    'packets, in the [search] table: same_flow = "file.py:function" (--same-flow)'
                )
            made.append(FlowIR(same_flow))
    return tuple(made)
