"""Oracle of the engines: the loop, the kernel with several threads, on disk, and in a cluster give the same result.

    python -m tests.engine.every_engine 0 1000       # first number, how many
    python -m tests.engine.every_engine --show 17    # what one number stands for

Tables begin tiny and a thread notes little at a time, so what else needs millions of states happens all the time:
tables grow, states get other layouts, blocks are put back in part. A search with a checkpoint at every boundary goes on
from a random one. A search on disk goes there after a few states and sorts few at a time. The workers of a cluster are
in this process. Systems have every discipline, mode, need, limit, reduction and strategy.
"""

import argparse
import faulthandler
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.checkpoint.file import read_checkpoint, write_checkpoint
from sdnloom.engine.checkpoint.keeper import CheckpointKeeper
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.cluster.search import IN_PROCESS, ClusterSearch
from sdnloom.engine.kernel import block, growing_arrays, memo, visited_states
from sdnloom.engine.kernel.compilation import compile_kernel
from sdnloom.engine.kernel.disk import search as disk_search
from sdnloom.engine.kernel.disk.level import Sizes
from sdnloom.engine.kernel.search import next_block
from sdnloom.engine.model import Action, Component, Mode, Needs, Outcome, System
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused
from sdnloom.engine.result import ClusterOptions, Limits, Result, SearchOptions
from sdnloom.engine.search import _Run, search
from sdnloom.errors import SdnloomError
from tests.engine.random_strategies import random_strategy
from tests.engine.systems import REDUCIBLE, random_system, with_history

MOST_STATES = 3_000
THREADS = (1, 2, 4)
WORKERS = (1, 2, 3, 4)
_HANGS = 300  # seconds after which a system ends the comparison, with the place in the code


def case(number: int) -> tuple[System, SearchOptions]:
    """The system and the options of a number."""
    chance = random.Random(f"engines {number}")
    reduce = chance.random() < 0.4
    system = random_system(number, needs=REDUCIBLE if reduce else frozenset(Needs))
    if chance.random() < 0.5:
        system = with_history(system, chance.choice((1, 2)))
    if chance.random() < 0.4:
        system = replace(system, components=system.components + tuple(map(_counter, range(chance.randint(1, 3)))))
    if chance.random() < 0.2:
        system = _with_late(chance, system)
    strategy = random_strategy(number) if chance.random() < 0.25 else None
    limits = chance.choice(
        (
            Limits(states=MOST_STATES),
            Limits(states=MOST_STATES),
            Limits(states=chance.randint(1, 60)),
            Limits(states=MOST_STATES, depth=chance.randint(1, 8)),
        )
    )
    return system, SearchOptions(
        find_all=chance.random() < 0.5, order="bfs", reduce=reduce, strategy=strategy, limits=limits
    )


def _counter(number: int) -> Component:
    """A component that counts and has to do with no other, so that there are many more states."""

    def step(core: int, _: Any) -> list[Outcome]:
        return [Outcome(core + 1)] if core < 4 else []

    cells = frozenset({"count"})
    mode = (Mode.MUST, Mode.MAY, Mode.IDLE)[number]
    return Component(f"counter {number}", 0, (Action("count", step, reads=cells, writes=cells, mode=mode),))


def _with_late(chance: random.Random, system: System) -> System:
    """Some actions that take nothing are LATE."""
    return replace(
        system,
        components=tuple(
            replace(
                each,
                actions=tuple(
                    replace(action, mode=Mode.LATE) if action.take is None and chance.random() < 0.5 else action
                    for action in each.actions
                ),
            )
            for each in system.components
        ),
    )


def kinds(system: System, options: SearchOptions) -> Iterator[str]:
    """What a search has to deal with: disciplines, modes, kinds of properties, and how it is searched."""
    yield from {type(channel.discipline).__name__ for channel in system.channels}
    yield from {action.mode.name for component in system.components for action in component.actions}
    yield from {f"{prop.needs.name} property" for prop in system.properties}
    yield from {"sometimes property" for prop in system.properties if prop.sometimes}
    chosen = {
        "reduction": options.reduce,
        "strategy": options.strategy is not None,
        "find all": options.find_all,
        "limit of states": (options.limits.states or 0) < MOST_STATES,
        "limit of depth": options.limits.depth is not None,
    }
    yield from (name for name, is_so in chosen.items() if is_so)


def facts(result: Result) -> tuple[Any, ...]:
    """All of a result that does not depend on the engine, the machine or the number of threads."""
    statistics = replace(result.statistics, engine="", seconds=0.0, evaluations={}, cores={}, bytes_per_state=None)
    if result.incomplete is not None:  # the kernel looks at a whole level before it ends
        statistics = replace(statistics, active=frozenset(), routes=frozenset())
    statistics = replace(statistics, disk_bytes=0)
    return (result.verdict, statistics, result.violations, result.witnesses, result.never, result.late_explored)


@contextmanager
def tiny(number: int) -> Iterator[None]:
    """Tables begin with room for little, threads share the smallest blocks, and a checkpoint is due at once."""
    chance = random.Random(f"sizes {number}")
    with pytest.MonkeyPatch.context() as patch:
        for module, sizes in {
            block: {
                "PARALLEL_FROM": (2,),
                "_CHUNK": (1, 64),
                "_MISSES": (1, 5, 1 << 14),
                "_MASK_ROWS": (1, 1 << 12),
                "_PART": (1, 50),
                "_SUCCESSORS": (1, 8),
                "_SPARE": (0, 512),
            },
            memo: {
                "_FIRST_PLACES": (1, 16),
                "_FIRST_ROWS": (4, 16),
                "_FIRST_ENTRIES": (4, 16),
                "_FIRST_MISSES": (1, 8, 1 << 16),
                "_FIRST_ALTERNATIVES": ((1, 1), (2, 3)),
            },
            visited_states: {"_FIRST_SLOTS": (2, 64), "_SMALL": (16, 1 << 20), "_PART": (4, 60)},
            growing_arrays: {"LONG": (0, 1000, 1 << 20, 1 << 20)},
            keeping: {"INTERVAL": (0,), "REST_FACTOR": (0,)},
            disk_search: {
                "SPILL_AT": (0, 1, 5, 50),
                "FIXED_SIZES": (Sizes(1, 1, 2), Sizes(8, 3, 5), Sizes(64, 16, 64), Sizes(1000, 4096, 4096)),
            },
        }.items():
            for name, choices in sizes.items():
                assert hasattr(module, name)
                patch.setattr(module, name, chance.choice(choices))
        patch.setattr(next_block, "__defaults__", (chance.choice((3, 17, 1 << 17)),))
        patch.setattr(format_of.os, "fsync", lambda descriptor: None)
        patch.setattr(_Run, "_compiled", lambda self, meanwhile: True)
        yield


def resumed(number: int, folder: Path) -> Result:
    """The result of a search that went on from a random one of its checkpoints."""
    system, options = case(number)
    written: list[bytes] = []

    def kept(file: Path, *contents: Any) -> None:
        write_checkpoint(file, *contents)
        written.append(file.read_bytes())

    file = folder / "search.ckpt"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeping, "write_checkpoint", kept)
        search(system, replace(options, engine="kernel", threads=3), checkpoint=CheckpointKeeper(file))
    file.write_bytes(random.Random(f"checkpoint {number}").choice(written))
    keeper = CheckpointKeeper(file, saved=read_checkpoint(file))
    return search(system, replace(options, engine="kernel", threads=2), checkpoint=keeper)


def on_disk(number: int, folder: Path) -> Result:
    """The result of a search that goes to disk after a few states."""
    system, options = case(number)
    threads = random.Random(f"disk {number}").choice((1, 2))
    return search(system, replace(options, engine="kernel", threads=threads, disk=str(folder)))


def clustered(number: int, workers: int) -> Result | None:
    """The result of so many workers in this process; None if the search is none that a cluster can do."""
    system, options = case(number)
    program = partial(ClusterProgram, system, options.strategy, bool(options.reduce))
    given = replace(options, cluster=ClusterOptions(IN_PROCESS, workers, program))
    needs_proviso = options.reduce and any(prop.needs in (Needs.EVENT, Needs.ORDER) for prop in system.properties)
    with pytest.MonkeyPatch.context() as patch:  # levels have few states, and each is worth a stretch for each worker
        patch.setitem(ClusterSearch.__init__.__kwdefaults__, "small_level", workers)
        try:
            return search(system, given)
        except SdnloomError:
            if not needs_proviso:
                raise
            return None


def differences(number: int, folder: Path) -> tuple[Result | None, list[str], Counter[str]]:
    """The loop's result, how others differ from it, and how many searches of each kind were compared.

    There is no result if the system has no such search.
    """
    system, options = case(number)
    try:
        expected = search(system, replace(options, engine="loop"))
    except ReductionRefused:
        return None, [], Counter()
    found: dict[str, Result | None] = {}
    with tiny(number):
        for threads in THREADS:
            found[f"{threads} threads"] = search(system, replace(options, engine="kernel", threads=threads))
        found["resumed"] = resumed(number, folder)
        found["disk"] = on_disk(number, folder)
        if found["disk"].statistics.disk_bytes == 0:
            found["disk"] = None  # over before it had as many states
        for workers in WORKERS:
            found[f"{workers} workers"] = clustered(number, workers)
    compared = {name: result for name, result in found.items() if result is not None}
    different = [
        f"{name}: {one!r:.600} instead of {other!r:.600}"
        for name, result in compared.items()
        for one, other in zip(facts(result), facts(expected), strict=True)
        if one != other
    ]
    return expected, different, Counter(compared.keys())


def main() -> None:
    """Compare many systems and list the differences; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.every_engine", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    compile_kernel()
    different, states, start = 0, 0, time.perf_counter()
    verdicts, compared, present = Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.first, given.first + given.count):
            faulthandler.dump_traceback_later(_HANGS, exit=True)
            if given.show:
                sys.stdout.write("{}\n{}\n".format(*case(number)))
            expected, found, engines = differences(number, Path(folder))
            compared += engines
            present.update(kinds(*case(number)) if expected is not None else ())
            verdicts["refused" if expected is None else type(expected.verdict).__name__] += 1
            states += 0 if expected is None else expected.statistics.states
            different += bool(found)
            for each in found:
                sys.stdout.write(f"{number}: {each}\n")
                sys.stdout.flush()
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{given.count} systems with {states:,} states in {seconds:.0f} s, {different} differ\n")
    for what, counted in {"verdicts": verdicts, "compared": compared, "systems with": present}.items():
        sys.stdout.write(f"{what}: {', '.join(f'{number} {name}' for name, number in sorted(counted.items()))}\n")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
