"""Shared by the reproductions of NICE's tables: its defects, its strategies, and timed searches."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdnloom import Scenario, load_scenario
from sdnloom.check.program_factory import make_program
from sdnloom.engine.model import Property
from sdnloom.engine.result import SearchOptions
from sdnloom.inputs.explorable import explorable
from sdnloom.network.build import Bindable, NetworkView
from sdnloom.strategies import FlowIR, NoDelay, PktSeq, SearchStrategy, Unusual, same_connection

EXAMPLES = Path(__file__).parents[1] / "examples"

BUGS = {  # the paper's name -> the scenario that has the defect
    "I": "mac_learning_osken/bug1",
    "II": "mac_learning_osken/bug2",
    "III": "mac_learning_osken/bug3",
    "IV": "load_balancer/bug4",
    "V": "load_balancer/bug5",
    "VI": "load_balancer/bug6",
    "VII": "load_balancer/bug7",
    "VIII": "load_balancer/bug8",
    "IX": "load_balancer/bug9",
    "X": "traffic_engineering/bug10",
    "XI": "traffic_engineering/bug11",
    "XII": "traffic_engineering/bug12",
    "XIII": "traffic_engineering/bug13",
}


def one_flow(one: object, other: object) -> bool:
    """Whether two packets belong to one flow of a MAC-learning switch: always, because they share its table."""
    return True


def strategies(name: str, scenario: str) -> tuple[SearchStrategy, ...]:
    """The strategy of one of the paper's columns for a scenario; packet sequences are bounded in all of them."""
    chosen: dict[str, tuple[SearchStrategy, ...]] = {
        "PKT-SEQ": (),
        "NO-DELAY": (NoDelay(),),
        "FLOW-IR": (FlowIR(one_flow if scenario.startswith("mac_learning") else same_connection),),
        "UNUSUAL": (Unusual(),),
    }
    return (PktSeq(), *chosen[name])


STRATEGIES = ("PKT-SEQ", "NO-DELAY", "FLOW-IR", "UNUSUAL")


@dataclass(frozen=True)
class Run:
    """Result and cost of one search. `seconds` is the time to the first violation, or of the whole search."""

    verdict: str
    states: int
    transitions: int
    seconds: float


@dataclass(frozen=True)
class _Timed:
    """A property that records the time of its first violation."""

    rule: Bindable | Property
    clock: Callable[[], float]
    seen: list[float]

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def identity(self) -> bool:
        return getattr(self.rule, "identity", False)

    @property
    def rest(self) -> bool:
        return getattr(self.rule, "rest", False)

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        bound = (self.rule,) if isinstance(self.rule, Property) else self.rule.bind(view)
        return tuple(replace(each, violated=self._noting(each.violated)) for each in bound if not each.sometimes)

    def _noting(self, violated: Callable[[Any, Any], str | None]) -> Callable[[Any, Any], str | None]:
        def note(memory: Any, columns: Any) -> str | None:
            message = violated(memory, columns)
            if message is not None and not self.seen:
                self.seen.append(self.clock())
            return message

        return note


def run_once(scenario: Scenario, chosen: Iterable[SearchStrategy], options: SearchOptions, check: bool = True) -> Run:
    """Search a scenario that was not searched before, with its properties or, without `check`, with none."""
    seen: list[float] = []
    rules = tuple(_Timed(rule, time.process_time, seen) for rule in scenario.properties) if check else ()
    prepared = replace(scenario, properties=rules, strategies=tuple(chosen), options=options)
    before = time.process_time()
    report = prepared.check()
    ended = seen[0] if seen else time.process_time()
    statistics = report.result.statistics
    return Run(report.verdict, statistics.states, statistics.transitions, ended - before)


def best_of(times: int, search: Callable[[], Run]) -> Run:
    """The fastest of several runs, which have the same result."""
    runs = [search() for _ in range(times)]
    assert len({replace(each, seconds=0.0) for each in runs}) == 1, "equal searches must give equal counts"
    return min(runs, key=lambda each: each.seconds)


def discovering(bug: str) -> Scenario:
    """The scenario of a defect with discovered inputs, its program rewritten already: that is part of loading it."""
    own = EXAMPLES / f"{BUGS[bug]}_discover.toml"  # where more than `--discover-only` is needed
    scenario = (
        load_scenario(own) if own.exists() else load_scenario(EXAMPLES / f"{BUGS[bug]}.toml").discovering(only=True)
    )
    program = explorable(make_program(scenario.program))
    return replace(scenario, program=lambda: program)


def search_bug(bug: str, strategy: str, options: SearchOptions, times: int = 3, discover: bool = False) -> Run:
    """The search for one of the paper's defects, each time with a program that has just been loaded."""
    name = BUGS[bug]

    def scenario() -> Scenario:
        return discovering(bug) if discover else load_scenario(EXAMPLES / f"{name}.toml")

    return best_of(times, lambda: run_once(scenario(), strategies(strategy, name), options))
