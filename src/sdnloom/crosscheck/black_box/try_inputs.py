"""Phase 1 for a black box: it is tried on chosen inputs, and what it does with each is known for these alone.

Some inputs are run a second time at the end: a switch that then does something else has kept state over a reset, or is
not deterministic, and the partition says so.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from random import Random
from typing import Final

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.agents.load import AgentSource
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.partition import BehaviourClass, Partition, PartitionStatistics
from sdnloom.crosscheck.switch_test import SwitchTest

_AGAIN: Final = 20  # inputs that are run a second time, or one in twenty if that is more
_AGAIN_SHARE: Final = 20


@dataclass(frozen=True, slots=True)
class TryProgress:
    """Progress with a black box: inputs tried, of how many if that is known."""

    agent: str
    test: str
    tried: int
    total: int | None


def try_inputs(
    source: AgentSource,
    test: SwitchTest,
    inputs: Iterable[tuple[str, Mapping[str, int]]],
    seconds: float | None = None,
    on_event: Callable[[TryProgress], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Partition:
    """Return what the agent does with these inputs (case, values). Ctrl-C and the limit end it with what was found.

    The partition is never complete: a black box may do anything with an input that was not tried.
    """
    return _Trials(source, test, seconds, on_event, clock).partition(inputs)


class _Trials:
    def __init__(
        self,
        source: AgentSource,
        test: SwitchTest,
        seconds: float | None,
        on_event: Callable[[TryProgress], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self._source, self._test, self._seconds, self._on_event, self._clock = source, test, seconds, on_event, clock
        self._started = clock()
        self._cases = {case.name: case for case in test.cases}
        self._classes: list[BehaviourClass] = []
        self._outputs: dict[AgentOutput, AgentOutput] = {}  # equal outputs are one object
        self._reasons: list[str] = []
        self._runs = self._checked = 0
        self._skipped: dict[str, bool] = {}
        self._unseen: tuple[str, ...] = ()

    def partition(self, inputs: Iterable[tuple[str, Mapping[str, int]]]) -> Partition:
        total = len(inputs) if isinstance(inputs, Sized) else None
        with self._source.open(self._test.version) as agent:
            try:
                self._try_all(agent, inputs, total)
                self._try_again(agent)
            except KeyboardInterrupt:
                self._reasons.append("interrupted from the keyboard")
            except AgentError as error:
                if not self._classes:
                    raise
                self._reasons.append(f"the switch cannot be tried any further: {error}")
            self._unseen = tuple(getattr(agent, "unseen", ()))
        seconds = round(self._clock() - self._started, 3)
        count = len(self._classes)
        self._reasons.insert(0, f"a black box: {count:,} input{'' if count == 1 else 's'} tried")
        return Partition(
            self._source.name,
            self._test,
            "inputs",
            tuple(self._classes),
            False,
            tuple(self._reasons),
            PartitionStatistics(self._runs, seconds, 0.0, self._checked),
            self._unseen,
        )

    def _try_all(self, agent: Agent, inputs: Iterable[tuple[str, Mapping[str, int]]], total: int | None) -> None:
        for name, values in inputs:
            if self._overdue():
                self._reasons.append(f"the limit of {self._seconds:g} seconds was reached")
                return
            if self._is_skipped(agent, name):
                continue
            output = self._run(agent, name, values)
            output = self._outputs.setdefault(output, output)
            self._classes.append(BehaviourClass(name, dict(values), output))
            if self._on_event is not None:
                self._on_event(TryProgress(self._source.name, self._test.name, len(self._classes), total))

    def _is_skipped(self, agent: Agent, name: str) -> bool:
        """Return whether a case cannot be run on this agent, and note why."""
        if name not in self._skipped:
            reason = getattr(agent, "cannot_run", lambda case: None)(self._cases[name])
            self._skipped[name] = reason is not None
            if reason is not None:
                self._reasons.append(f"case {name} was skipped: {reason}")
        return self._skipped[name]

    def _try_again(self, agent: Agent) -> None:
        """Run some inputs a second time, in another order."""
        count = min(len(self._classes), max(_AGAIN, len(self._classes) // _AGAIN_SHARE))
        different = []
        for each in Random(0).sample(self._classes, count):
            if self._overdue():
                break
            self._checked += 1
            if self._run(agent, each.case, each.witness) != each.output:
                different.append(each)
        if different:
            first = ", ".join(f"{name}={value:#x}" for name, value in different[0].witness.items())
            self._reasons.append(
                f"{len(different)} of {self._checked} inputs had another output the second time, first"
                f" {different[0].case}{': ' if first else ''}{first[:200]}"
            )

    def _run(self, agent: Agent, name: str, values: Mapping[str, int]) -> AgentOutput:
        self._runs += 1
        return run_case(agent, self._cases[name], self._test.version, values)

    def _overdue(self) -> bool:
        return self._seconds is not None and self._clock() - self._started >= self._seconds
