"""Several workers in this process give the loop's answers: states, transitions, verdicts, counterexamples, limits."""

import errno
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.pings import pings
from sdnloom.engine.cluster.in_process import InProcessBackend
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.cluster.protocol import WorkerLost
from sdnloom.engine.cluster.search import ClusterSearch
from sdnloom.engine.dives.system_loop import SleepSetLoop, SystemLoop
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.random_strategies import random_strategy
from tests.engine.systems import random_system

LIMIT = 3000
LIMITS = Limits(states=LIMIT)
AT_REST = frozenset({Needs.QUIESCENT, Needs.SETTLED})


class LossyBackend(InProcessBackend):
    """Loses a worker when the results of calls with these numbers are awaited."""

    def __init__(self, program: ClusterProgram, workers: int, losses: Sequence[int]) -> None:
        super().__init__(lambda: program, workers)
        self.losses, self.awaited, self.lost = list(losses), 0, 0

    def results(self, called: Sequence[Any], pause: Callable[[], None]) -> list[Any]:
        self.awaited += 1
        if self.losses and self.awaited >= self.losses[0]:
            self.losses.pop(0)
            self.lost += 1
            raise WorkerLost(self.awaited % self.workers, "its process was killed")
        return super().results(called, pause)


def clustered(
    program: ClusterProgram,
    workers: int,
    limits: Limits,
    find_all: bool = True,
    losses: Sequence[int] = (),
    checkpoint_seconds: float = 60,
    on_notice: Callable[[str], None] = lambda text: None,
) -> tuple[object, ...]:
    """What a search in a cluster found: counts, findings, and the paths of states to each."""
    found: dict[Finding, int] = {}

    def note(finding: Finding, number: int) -> bool:
        found.setdefault(finding, number)
        return not find_all

    backend = LossyBackend(program, workers, losses)
    search = ClusterSearch(
        program.memo(),
        backend,
        limits=limits,
        watch=LimitWatch(limits),
        on_finding=note,
        small_level=workers,
        on_notice=on_notice,
        checkpoint_seconds=checkpoint_seconds,
    )
    search.run()
    backend.losses.clear()  # a search that is over finds paths only
    paths = {one: search.values(number) for one, number in found.items()}
    last = search.values(search.count() - 1)
    return search.count(), search.transitions, search.depth, search.stopped, found, paths, last


def looped(program: ClusterProgram, limits: Limits, find_all: bool = True) -> tuple[object, ...]:
    """The same of the loop."""
    found: dict[Finding, int] = {}

    def note(finding: Finding, number: int) -> bool:
        found.setdefault(finding, number)
        return not find_all

    tables = program.memo()
    reduction = program.reduction(tables.system)
    kind = SleepSetLoop if program.reduce and program.strategy is None else SystemLoop
    loop = kind(SystemGraph(tables, reduction, program.strategy), limits=limits, on_finding=note)
    loop.run()

    def values(number: int) -> list[object]:
        return [loop.graph.value(state) for state in loop.route(number)]

    paths = {one: values(number) for one, number in found.items()}
    count = len(loop.states)
    return count, loop.transitions, loop.depth, loop.stopped, found, paths, values(count - 1)


def both(program: ClusterProgram, workers: int, limits: Limits = LIMITS, find_all: bool = True) -> None:
    assert clustered(program, workers, limits, find_all) == looped(program, limits, find_all)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(2))
def test_workers_equal_the_loop_on_random_systems(share: int) -> None:
    for seed in range(share, 300, 2):
        both(ClusterProgram(random_system(seed)), 1 + seed % 4, find_all=seed % 8 < 4)


@pytest.mark.slow
def test_workers_equal_the_loop_under_reduction_and_strategies() -> None:
    for seed in range(5000, 5120):
        system = random_system(seed, needs=AT_REST)
        strategy = random_strategy(seed) if seed % 3 else None
        both(ClusterProgram(system, strategy, reduce=seed % 3 != 1), 1 + seed % 4, find_all=seed % 2 > 0)


@pytest.mark.slow
def test_limits_cut_workers_at_the_state_of_the_loop() -> None:
    for seed in range(7000, 7080):
        program = ClusterProgram(random_system(seed))
        both(program, 1 + seed % 4, Limits(states=1 + seed % 37), find_all=False)
        both(program, 1 + seed % 3, Limits(states=LIMIT, depth=1 + seed % 8))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_pings_have_the_known_counts(workers: int) -> None:
    found = clustered(ClusterProgram(pings(3)), workers, Limits())
    assert found[:3] == (4649, 11_231, 41)


@pytest.mark.slow
def test_a_search_that_loses_workers_ends_with_the_same_result() -> None:
    """Without a checkpoint it begins again, with one after each level it goes on from there."""
    for seed in range(9000, 9060):
        program = ClusterProgram(random_system(seed), reduce=False)
        limits = Limits(states=LIMIT)
        losses = [3 + seed % 29, 5 + seed % 31 + seed % 29][: 1 + seed % 2]
        found = clustered(program, 2 + seed % 3, limits, losses=losses, checkpoint_seconds=0 if len(losses) % 2 else 60)
        assert found == looped(program, limits), seed


@pytest.mark.parametrize("room", [0, 1, 5, 8])
def test_a_full_temporary_folder_ends_no_search_and_a_lost_worker_goes_back_to_the_last_whole_checkpoint(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for so many files of two workers; the next one is cut, as are all after it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    written, save = 0, np.savez

    def savez(file: Path, **arrays: Any) -> None:
        nonlocal written
        save(file, **arrays)
        written += 1
        if written > room:
            file.write_bytes(file.read_bytes()[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        whole.append(len(list(file.parent.iterdir())))

    whole: list[int] = []
    notices: list[str] = []
    monkeypatch.setattr(np, "savez", savez)
    program = ClusterProgram(pings(2))
    found = clustered(program, 2, LIMITS, losses=[100], checkpoint_seconds=0, on_notice=notices.append)
    assert found == looped(program, LIMITS)
    assert max(whole, default=0) <= 4  # of this checkpoint and the one before
    assert list(tmp_path.iterdir()) == []
    [back] = [text for text in notices if "is lost" in text]
    assert back.endswith(f"the search goes on from level {room // 2}")
    for text in set(notices) - {back}:
        assert re.fullmatch(
            rf"the folder '{re.escape(str(tmp_path))}/sdnloom-checkpoint-\w+': cannot write the checkpoint: "
            r"No space left on device; the search goes on without this checkpoint",
            text,
        )


def test_a_temporary_folder_that_cannot_be_made_ends_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    notices: list[str] = []
    program = ClusterProgram(pings(1))
    assert clustered(program, 2, LIMITS, checkpoint_seconds=0, on_notice=notices.append) == looped(program, LIMITS)
    assert set(notices) == {
        "a temporary folder: cannot write the checkpoint: No such file or directory; "
        "the search goes on without this checkpoint"
    }


def test_memories_that_another_worker_met_first_report_too() -> None:
    """Memories count everything that happened, so that there are many, and each is in few states."""

    def most(memory: Any, _: object) -> str | None:
        return f"{sorted(memory)}" if len(memory) > 6 else None

    history = Property("history", Needs.EVENT, most, fold=lambda memory, event: memory | {event}, initial=frozenset())
    both(ClusterProgram(pings(3, properties=(history,))), 3, Limits(states=6000))
