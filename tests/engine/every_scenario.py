"""Oracle of the engines on shipped scenarios: the kernel, disk and clusters give the loop's results.

    python -m tests.engine.every_scenario                      # all of them, without a reduction and with one
    python -m tests.engine.every_scenario --only ryu --states 2000

A search ends at a limit of states. One on disk goes there after a few of them, and workers of a cluster are in this
process. Scenarios whose inputs are discovered while they are searched have no cluster.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.reduce_auto import made, scenario_names
from sdnloom import Scenario
from sdnloom.engine.cluster.search import IN_PROCESS
from sdnloom.engine.kernel.compilation import compile_kernel
from sdnloom.engine.kernel.disk import search as disk_search
from sdnloom.engine.result import ClusterOptions, SearchOptions
from sdnloom.errors import SdnloomError
from tests.engine.every_engine import THREADS, WORKERS, facts

SPILL_AT = 50  # states
PROVISO = "cycle proviso, which a search in a cluster does not check"
DISCOVERED = "discovery needs all states in one process"


def ways(folder: str, load: Callable[[], Scenario]) -> dict[str, Callable[[SearchOptions], SearchOptions]]:
    """The engines, each as what it makes of the options of a search."""
    return {
        **{f"{n} threads": partial(replace, engine="kernel", threads=n) for n in THREADS},
        "disk": partial(replace, engine="kernel", threads=2, disk=folder),
        **{
            f"{n} workers": partial(replace, engine="auto", cluster=ClusterOptions(IN_PROCESS, n, scenario=load))
            for n in WORKERS
        },
    }


def limited(name: str, states: int, reduce: bool) -> Scenario:
    """A scenario, searched breadth first up to so many states."""
    scenario = made(name)
    limits = replace(scenario.options.limits, states=states)
    options = replace(scenario.options, engine="loop", order="bfs", reduce=reduce, limits=limits)
    return replace(scenario, options=options)


def compared(name: str, reduce: bool, states: int) -> tuple[Counter[str], list[str]]:
    """How many searches of each kind were compared or refused, and what differs."""
    disk_search.SPILL_AT = SPILL_AT
    load = partial(limited, name, states, reduce)
    try:
        expected = load().check().result
    except SdnloomError as error:
        return Counter({f"scenarios without a search: {error}": 1}), []
    counts, different = Counter[str](), []
    with tempfile.TemporaryDirectory() as folder:
        for engine, change in ways(folder, load).items():
            scenario = load()
            try:
                found = replace(scenario, options=change(scenario.options)).check().result
            except SdnloomError as error:
                if "workers" not in engine or not any(reason in str(error) for reason in (PROVISO, DISCOVERED)):
                    different.append(f"{engine}: {error}")
                counts["not possible in a cluster"] += 1
                continue
            counts[engine] += 1
            pairs: Any = zip(facts(found), facts(expected), strict=True)
            different += [f"{engine}: {one!r:.600} instead of {other!r:.600}" for one, other in pairs if one != other]
    counts["states of the loop"] = expected.statistics.states
    return counts, different


def main() -> None:
    """Compare all scenarios and list the differences; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.every_scenario", description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--states", type=int, default=5_000)
    given = parser.parse_args()
    compile_kernel()
    counts, start, failed = Counter[str](), time.perf_counter(), 0
    context = multiprocessing.get_context("fork")
    for name in [name for name in scenario_names() if given.only in name]:
        for reduce in (False, True):
            with context.Pool(1) as pool:
                found, different = pool.apply(compared, (name, reduce, given.states))
            counts += found
            counts["scenarios, reduced" if reduce else "scenarios"] += 1
            failed += bool(different)
            for each in different:
                sys.stdout.write(f"{name}{', reduced' * reduce}: {each}\n")
                sys.stdout.flush()
    sys.stdout.write("".join(f"{number:>9,} {what}\n" for what, number in sorted(counts.items())))
    sys.stdout.write(f"{failed} differ, in {time.perf_counter() - start:.0f} s\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
