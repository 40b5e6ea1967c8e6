"""Where agents `strict` come from: `strict`, or `strict:buffers=N` for a switch with another number of buffers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.agents.strict import StrictAgent
from sdnloom.network.openflow.constants import VERSIONS

BUFFERS: Final = 256
_MOST: Final = 0xFFFF


class StrictSource:
    """Agents of the network model's switch, with its own code or with the rewritten copy."""

    black_box = False
    versions = frozenset(VERSIONS)

    def __init__(self, buffers: int = BUFFERS) -> None:
        self.name = "strict" if buffers == BUFFERS else f"strict:buffers={buffers}"
        self._buffers = buffers

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        """Make an agent for concrete runs."""
        yield StrictAgent(version, self._buffers)

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Return what makes agents for exploration."""
        from sdnloom.crosscheck.agents.strict_copy import strict_copy  # rewrites the model, which takes a second

        return strict_copy(version, self._buffers)


def strict_source(text: str = "") -> StrictSource:
    """Return the source for the text behind the name of the agent: nothing, or `buffers=N`."""
    if not text:
        return StrictSource()
    name, _, number = text.partition("=")
    if name != "buffers" or not (number.isascii() and number.isdigit()) or len(number) > 5 or int(number) > _MOST:
        raise AgentError(f"agent 'strict:{text}': expected strict, or strict:buffers=N with N from 0 to {_MOST}")
    return StrictSource(int(number))
