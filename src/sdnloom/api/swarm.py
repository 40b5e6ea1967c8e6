"""One call that searches a scenario or an app with a swarm, for spaces that are too large for a check."""

from collections.abc import Sequence
from typing import Unpack

from sdnloom.api.checks import AppNames, Checkable, CheckCallError, GivenProperty, prepare_check
from sdnloom.check.load import MEBIBYTE
from sdnloom.check.options.keywords import SettingKeywords
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.check.swarm_report import SwarmReport, run_scenario_swarm
from sdnloom.engine.swarm.options import SwarmOptions

_DEFAULT = SwarmOptions()


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
    _check_memory(memory)
    swarm = SwarmOptions(seed, members, max_transitions, max_steps, memory * MEBIBYTE, jobs=jobs, seconds=time_limit)
    scenario = prepare_check(subject, app, properties, options).subject
    if not isinstance(scenario, Scenario):
        raise CheckCallError("swarm: this is a program of actors; expected a scenario or an app")
    return run_scenario_swarm(Run(scenario.ready(), ordered=True), swarm)


def _check_memory(memory: int) -> None:
    if type(memory) is not int or memory < 1:
        raise CheckCallError(f"swarm: memory is {memory!r}; expected a whole number of MiB, at least 1")
