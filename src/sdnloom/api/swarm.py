"""A swarm in a scenario or an app, for spaces that are too large for a check, and the report of what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, get_type_hints

from sdnloom.api.checks import AppNames, Checkable, GivenProperty, check_names, prepare_check
from sdnloom.check.load import MEBIBYTE
from sdnloom.check.options.keywords import CheckCallError, CheckKeywords, SettingKeywords
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Counterexample, Limits, SearchEvent
from sdnloom.engine.semantics import Finding
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.result import SwarmResult
from sdnloom.engine.swarm.run import search_swarm
from sdnloom.engine.trace import Fingerprints, Trace

_DEFAULT = SwarmOptions()
_OWN = {"members", "seed", "max_transitions", "max_steps", "memory", "jobs", "time_limit"}
_KNOWN = {*get_type_hints(SettingKeywords), *_OWN, "app", "properties"}
_OF_CHECKS = {*get_type_hints(CheckKeywords), "checkpoint"} - _KNOWN


@dataclass(frozen=True)
class SwarmReport:
    """The result of a swarm in a scenario."""

    scenario: Scenario
    result: SwarmResult
    fingerprints: Fingerprints

    @property
    def verdict(self) -> Literal["violated", "incomplete"]:
        """`violated` or `incomplete`: a swarm never shows that a property holds."""
        return self.result.verdict

    @property
    def violation(self) -> Counterexample | None:
        """The violation of the first member that found one, by number."""
        return self.result.violation

    def trace(self, shown: Counterexample, source: Mapping[str, str] | None = None) -> Trace:
        """A counterexample as a trace. `source` says where the scenario is found again."""
        found = Finding(shown.property, shown.message)
        return Trace(shown.path, found, self.fingerprints.scenario, self.fingerprints.code, dict(source or {}))


def run_swarm(
    subject: Checkable | None = None,
    *,
    app: AppNames | None = None,
    properties: Sequence[GivenProperty] | None = None,
    seed: int = _DEFAULT.seed,
    members: int = _DEFAULT.members,
    max_transitions: int = _DEFAULT.transitions,
    max_steps: int = _DEFAULT.depth,
    memory: int = _DEFAULT.memory // MEBIBYTE,
    jobs: int | None = None,
    time_limit: float | None = None,
    **options: Unpack[SettingKeywords],
) -> SwarmReport:
    """Search a scenario file, an app or a scenario with a swarm of bitstate searches.

    The options are those of `sdnloom walk --swarm`: `memory`, in MiB, is that of each bit array. Call it from a process
    without other threads, or the members run one after the other.
    """
    _check_options(options)
    sizes = {"max_transitions": max_transitions, "max_steps": max_steps, "memory": memory}
    _check_values(sizes, time_limit)
    swarm = SwarmOptions(seed, members, max_transitions, max_steps, memory * MEBIBYTE, jobs=jobs, seconds=time_limit)
    scenario = prepare_check(subject, app, properties, options).subject
    if not isinstance(scenario, Scenario):
        raise CheckCallError("swarm: this is a program of actors; expected a scenario or an app")
    return run_scenario_swarm(Run(scenario.ready(), ordered=True), swarm)


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise CheckCallError for an option that a swarm does not use."""
    for name in options:
        if name in _OF_CHECKS:
            expected = f"one of {', '.join(sorted(_OWN))}, or one that describes an app and its network"
            raise CheckCallError(f"the option {name!r} is for checks; expected {expected}")
    check_names(options, _KNOWN)


def _check_values(sizes: Mapping[str, Any], time_limit: Any) -> None:
    """Raise CheckCallError for values whose names are other ones in SwarmOptions."""
    for name, value in sizes.items():
        if type(value) is not int or value < 1:
            expected = "a whole number of MiB, at least 1" if name == "memory" else "a whole number of at least 1"
            raise CheckCallError(f"swarm: {name} is {value!r}; expected {expected}")
    if time_limit is not None and (type(time_limit) not in (int, float) or not 0 < time_limit < float("inf")):
        raise CheckCallError(f"swarm: time_limit is {time_limit!r}; expected a positive number of seconds")


def run_scenario_swarm(
    run: Run,
    options: SwarmOptions,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
) -> SwarmReport:
    """Search the system of a run with a swarm. Strategies and reductions of the scenario are not used.

    The time limit covers the start-up too. The program of `run` must tell its states apart by insertion order.
    """
    noted, watch = on_event or (lambda event: None), watch or LimitWatch(Limits(seconds=options.seconds))
    with watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
        try:
            with watch.during("during the start-up"):
                system = run.system
        except LimitReached as reached:
            stopped = SwarmResult(options, (), stopped=reached.reason, seconds=watch.seconds)
            return SwarmReport(run.scenario, stopped, Fingerprints("", ""))
        result = search_swarm(system, options, noted, watch)
    return SwarmReport(run.scenario, result, run.fingerprints)
