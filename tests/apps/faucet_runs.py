"""Runs Faucet for tests that give it a process of its own with a fixed hash seed.

    python -m tests.apps.faucet_runs check SCENARIO ... | repeat SCENARIO TIMES

One line of JSON is the result.
"""

import json
import sys
from pathlib import Path

from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.engine.semantics import Finding, Semantics

EXAMPLES = Path(__file__).parents[2] / "examples" / "faucet"


def checked(name: str) -> list[object]:
    """Verdict, violated property, steps, whether its replay confirms it, states, transitions, handler runs."""
    scenario = load_scenario(EXAMPLES / f"{name}.toml")
    report = scenario.check()
    found = report.violations[0] if report.violations else None
    confirmed = None
    if found is not None:
        trace = scenario.trace(found.path, Finding(found.property, found.message), {})
        confirmed = load_scenario(EXAMPLES / f"{name}.toml").replay(trace).confirmed
    statistics = report.result.statistics
    return [
        report.verdict,
        found and found.property,
        found and len(found.path),
        confirmed,
        statistics.states,
        statistics.transitions,
        report.handler_runs,
    ]


def repeated(name: str, times: int) -> list[object]:
    """How many different initial states loads of a configuration give, and states that come back when replayed."""
    firsts = set()
    replayed = 0
    for _ in range(times):
        run = Run(load_scenario(EXAMPLES / f"{name}.toml"))
        program = run.program
        core = Semantics(run.system).column("controller", Semantics(run.system).initial()).program
        firsts.add(core)
        program.prepare(program.initial())
        program.prepare(core)  # from the start, step by step; a difference is an error
        replayed += 1
    return [len(firsts), replayed]


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "check":
        print(json.dumps({name: checked(name) for name in arguments}))  # noqa: T201
    else:
        print(json.dumps(repeated(arguments[0], int(arguments[1]))))  # noqa: T201
