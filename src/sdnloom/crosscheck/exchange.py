"""The exchange of a case with an agent: what goes in step by step, and what comes out as comparable events.

With an execution the bytes of messages and probes are symbolic and the agent must be one whose code is rewritten. What
an agent prints is not part of a report: it goes to stderr, and nowhere while the agent is explored.
"""

import io
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from sdnloom.crosscheck.agent import Agent, AgentError, Crash
from sdnloom.crosscheck.normalise import events_of
from sdnloom.crosscheck.output import CLOSE, CRASH, WAIT, AgentEvent, AgentOutput
from sdnloom.crosscheck.switch_test import Case, MessageStep, PacketStep, Part, TimeStep, template_bytes
from sdnloom.engine.stop_points import interruptible
from sdnloom.network.openflow.codec import encode
from sdnloom.network.openflow.messages import Hello
from sdnloom.symbolic.execution import Execution, PathEnd, current
from sdnloom.symbolic.terms.constructors import concat, const, var
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.make import concrete, octet_terms, symbolic_bytes

_ENDS: Final = frozenset((CRASH, CLOSE, WAIT))
_MOST_OBSERVED: Final = 10_000  # of a step: an agent may be a generator without an end


class _Nowhere(io.TextIOBase):
    """A stream that forgets what is written."""

    def write(self, text: str) -> int:
        return len(text)


_NOWHERE: Final = _Nowhere()


@contextmanager
def printed_elsewhere(quiet: bool = False) -> Iterator[None]:
    """Return a context for code of an agent, in which what it prints does not get into a report.

    If `quiet`, and while it is explored, what it prints or logs is dropped: it would be printed for each path.
    """
    if quiet or current() is not None:
        with redirect_stdout(_NOWHERE), redirect_stderr(_NOWHERE):
            yield
    else:
        with redirect_stdout(sys.stderr):
            yield


_OURS: Final = (str(Path(__file__).parents[1] / "symbolic"), __file__)  # frames that are not the agent's


def run_case(
    agent: Agent,
    case: Case,
    version: int,
    values: Mapping[str, int],
    execution: Execution | None = None,
    *,
    quiet: bool = False,
) -> AgentOutput:
    """Reset the agent, give it the steps with these values and return what it did in each.

    Unless the case is `fresh`, the agent gets a Hello first and what it sends until then is not part of the output. An
    exception of the agent is a crash. After a crash, a close or a wait it gets nothing more: later steps have no event.
    If `quiet`, what it prints is dropped.
    """
    output: list[tuple[AgentEvent, ...]] = []
    first = _events(agent.reset, version, quiet)
    if case.fresh:
        output.append(first)
    elif not _ended(first):
        first = _events(lambda: agent.message(_hello(version)), version, quiet)
    ended = _ended(first)
    unasked = () if case.fresh else tuple(event for event in first if event.kind in _ENDS)  # of the first step then
    for step in case.steps:
        if ended:
            output.append(unasked)
            unasked = ()
            continue
        events = _events(partial(_give, agent, step, values, execution), version, quiet)
        output.append(events)
        ended = _ended(events)
    return tuple(output)


def _give(
    agent: Agent, step: MessageStep | PacketStep | TimeStep, values: Mapping[str, int], execution: Execution | None
) -> Iterable[Any]:
    if isinstance(step, TimeStep):
        return agent.advance(step.milliseconds)
    data = template_bytes(step.parts, values)
    if execution is not None:
        data = symbolic_bytes(data, template_octets(step.parts))
    return agent.message(data) if isinstance(step, MessageStep) else agent.packet(step.port, data)


@lru_cache(maxsize=256)
def template_octets(parts: tuple[Part, ...]) -> tuple[Term, ...]:
    """Return the octets of a template as terms."""
    if not parts:
        return ()
    return octet_terms(
        concat(
            *(
                var(part.value, part.bits) if isinstance(part.value, str) else const(part.value, part.bits)
                for part in parts
            )
        )
    )


@lru_cache(maxsize=8)
def _hello(version: int) -> bytes:
    return encode(Hello(), version)


def _ended(events: tuple[AgentEvent, ...]) -> bool:
    return any(event.kind in _ENDS for event in events)


def _events(give: Callable[[], Iterable[Any]], version: int, quiet: bool) -> tuple[AgentEvent, ...]:
    """Return the events of one call of the agent, which may be a generator."""
    observed: list[Any] = []
    try:
        with printed_elsewhere(quiet), interruptible("the agent"):
            for each in give() or ():
                observed.append(each)  # what came before an exception counts
                if len(observed) > _MOST_OBSERVED:
                    raise AgentError(f"the agent returned more than {_MOST_OBSERVED:,} observations for one step")
    except (AgentError, KeyboardInterrupt, PathEnd):
        raise
    except BaseException as error:  # the agent's: it would have ended
        execution = current()
        with execution.unrecorded() if execution is not None else nullcontext():  # the text may have symbolic parts
            observed.append(Crash(_reason(error)))
    return events_of(observed, version)


def _reason(error: BaseException) -> str:
    """Return an exception with its innermost place in the agent's code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    try:
        text = f"{type(error).__name__}: {concrete(str(error))}".removesuffix(": ")
    except Exception:  # the agent's, in the text of its exception
        text = type(error).__name__
    return " ".join(text.split()) + place
