"""A search that goes to disk gives the loop's answers, ends cleanly if the folder fails, and leaves nothing behind."""

import errno
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.pings import pings
from sdnloom.engine.kernel import layout
from sdnloom.engine.kernel.disk import files, level, runs, visited_runs
from sdnloom.engine.kernel.disk import search as disk_search
from sdnloom.engine.kernel.disk.files import Folder, StateFile
from sdnloom.engine.kernel.disk.level import DiskLevel, LevelTable, Sizes
from sdnloom.engine.kernel.disk.runs import SortedRun, hashes_of, merged_runs
from sdnloom.engine.kernel.disk.search import DiskSearch
from sdnloom.engine.kernel.jit_expand import NUMBER_MASK
from sdnloom.engine.kernel.layout import Layout
from sdnloom.engine.kernel.states import States
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import MOST_VISITED
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.result import Incomplete, Limits, Notice, Result, SearchOptions
from sdnloom.engine.search import SleepSetLoop, SystemLoop, search
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.errors import SdnloomError
from tests.engine.random_strategies import random_strategy
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_kernel import LIMIT, summary

SMALL = Sizes(part=40, block=16, merge=24)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    spill(monkeypatch, 5, SMALL)


def spill(monkeypatch: pytest.MonkeyPatch, states: int, sizes: Sizes) -> None:
    """Let searches go to disk at so many states, and work on so few at a time."""
    monkeypatch.setattr(disk_search, "SPILL_AT", states)
    monkeypatch.setattr(disk_search, "FIXED_SIZES", sizes)


def on_disk(system, folder: Path, **options) -> Result:
    result = search(system, SearchOptions(disk=str(folder), **options))
    assert list(folder.iterdir()) == []
    return result


def compare(seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Compare with the loop; how many searches went to disk, and how many of these with the cycle proviso."""
    stored = with_proviso = 0
    for seed in seeds:
        rng = random.Random(seed)
        reduce = rng.random() < 0.5
        system = random_system(seed, needs=REDUCIBLE) if reduce else random_system(seed)
        limits = [Limits(states=LIMIT)] * 3
        limits += [Limits(states=rng.randrange(1, 400)), Limits(states=LIMIT, depth=rng.randrange(1, 12))]
        options = {"reduce": reduce, "find_all": rng.random() < 0.5, "limits": rng.choice(limits)}
        options["strategy"] = random_strategy(seed) if rng.random() < 0.3 else None
        sizes = Sizes(rng.choice((1, 8, 64, 1000)), rng.choice((1, 3, 16, 4096)), rng.choice((2, 5, 64, 4096)))
        spill(monkeypatch, rng.choice((0, 1, 5, 50)), sizes)
        expected = search(system, SearchOptions(engine="loop", **options))
        found = on_disk(system, folder, threads=rng.choice((1, 2)), **options)
        assert summary(found) == summary(expected), (seed, sizes)
        if found.statistics.disk_bytes:
            stored += 1
            with_proviso += "cycle proviso" in found.reduction
    return stored, with_proviso


def test_disk_equals_loop_on_random_systems(tmp_path, monkeypatch) -> None:
    stored, with_proviso = compare(range(40_000, 40_060), tmp_path, monkeypatch)
    assert stored >= 25
    assert with_proviso >= 5


@pytest.mark.slow
def test_disk_equals_loop_on_many_random_systems(tmp_path, monkeypatch) -> None:
    compare(range(41_000, 41_200), tmp_path, monkeypatch)


@pytest.mark.parametrize("reduce", [False, True])
def test_states_have_the_numbers_that_the_loop_gives_them(reduce, tmp_path, small) -> None:
    for seed in range(50_000, 50_012):
        system = random_system(seed, needs=REDUCIBLE)
        limits = Limits(states=400)
        reduction = StubbornSets(system) if reduce else None
        loop = (SleepSetLoop if reduce else SystemLoop)(SystemGraph(Memo(system), reduction), limits=limits)
        loop.run()
        folder = Folder(str(tmp_path))
        disk = DiskSearch(
            Memo(system),
            reduction,
            limits=limits,
            watch=LimitWatch(limits),
            on_finding=lambda found, number: False,
            on_pause=lambda: None,
            folder=folder,
            on_spill=lambda states: None,
        )
        disk.run()
        numbered = [disk.values(number)[-1] for number in range(disk.count())]
        folder.close()
        assert numbered == [loop.graph.value(state) for state in loop.states], seed


def test_runs_are_sorted_again_when_values_outgrow_their_fields(tmp_path, small, monkeypatch) -> None:
    monkeypatch.setattr(layout, "_spend", lambda *fields: None)  # no field has bits to spare
    changes = []
    sort_again = runs.in_layout

    def noting(*arguments):
        changes.append(arguments)
        return sort_again(*arguments)

    monkeypatch.setattr(visited_runs, "in_layout", noting)
    monkeypatch.setattr(level, "in_layout", noting)
    compare(range(42_000, 42_020), tmp_path, monkeypatch)
    assert len(changes) >= 10


def test_more_parts_than_are_merged_at_once_make_no_difference(tmp_path, monkeypatch) -> None:
    spill(monkeypatch, 0, Sizes(part=20, block=4, merge=16))
    monkeypatch.setattr(level, "_AT_ONCE", 3)
    assert on_disk(pings(3), tmp_path).statistics.states == 4649


FEW_FILES = """
import resource, sys
from benchmarks.pings import pings
from sdnloom.engine.kernel import layout
from sdnloom.engine.kernel.disk import level
from sdnloom.engine.kernel.disk import search as disk_search
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_kernel import summary

disk_search.SPILL_AT, disk_search.FIXED_SIZES = 0, level.Sizes(part=1, block=1, merge=16)
parts, changed = [], []
find_new, sort_again = level.DiskLevel.find_new, level.in_layout
level.DiskLevel.find_new = lambda self, *given: parts.append(len(self._parts)) or find_new(self, *given)
level.in_layout = lambda *given: changed.append(given) or sort_again(*given)
layout._spend = lambda *fields: None  # no field has bits to spare, so parts are sorted again
systems = {"pings": (pings(3), False), 40061: (random_system(40061, needs=REDUCIBLE), True)}
systems[40142] = random_system(40142, needs=REDUCIBLE), True
with_loop = {"engine": "loop", "find_all": True}
expected = [search(system, SearchOptions(reduce=reduce, **with_loop)) for system, reduce in systems.values()]
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
for (name, (system, reduce)), one in zip(systems.items(), expected):
    parts.clear(), changed.clear()
    found = search(system, SearchOptions(disk=sys.argv[1], reduce=reduce, find_all=True))
    print(name, max(parts) > 100, len(changed) > 10, "cycle proviso" in found.reduction, summary(found) == summary(one))
"""


def test_parts_need_few_files_however_many_they_are(tmp_path) -> None:
    """With the cycle proviso too, which needs each part again."""
    command = [sys.executable, "-c", FEW_FILES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "pings True True False True",
        "40061 True True True True",
        "40142 True True True True",
    ]


def test_a_part_of_a_level_has_room_for_so_many_candidates_and_no_more(monkeypatch) -> None:
    table, slots = LevelTable(Layout([4, 4]), Team(1)), []
    monkeypatch.setattr(table, "_empty", slots.append)
    monkeypatch.setattr(table, "_move", lambda layout, many: slots.append(many))
    table.empty(MOST_VISITED, 1000)
    table.rebuild([4, 4], MOST_VISITED + 1000)
    table.rebuild([4, 4], 1001)
    assert slots == [1 << 32, 1 << 32, table.slots]
    reason = "a part of a level on disk has room for 3,221,225,472 candidates for new states"
    with pytest.raises(LimitReached, match=reason):
        table.rebuild([4, 4], MOST_VISITED + 1001)
    with pytest.raises(LimitReached, match=reason):
        table.empty(MOST_VISITED + 1, 0)
    table.empty(10, level.MOST_CANDIDATES)
    with pytest.raises(LimitReached, match="a level on disk has room for 4,278,190,079 candidates for new states"):
        table.rebuild([4, 4], level.MOST_CANDIDATES + 1)
    table.sealed = True
    table.rebuild([4, 4], level.SEALED + 1)
    assert slots[-1] == table.slots


def test_the_table_of_a_part_can_grow_on_the_largest_machine(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(disk_search, "resident_bytes", lambda: 0)
    limits, folder = Limits(memory=1 << 50), Folder(str(tmp_path))
    options = {"limits": limits, "watch": LimitWatch(limits), "folder": folder}
    disk = DiskSearch(Memo(pings(1)), None, on_finding=None, on_pause=None, on_spill=None, **options)
    assert disk._sizes().part == LevelTable.room_in(1 << 31)
    assert disk._sizes().part + 1_000_000_000 < MOST_VISITED


def test_a_level_with_too_many_candidates_ends_a_search_before_they_get_numbers(tmp_path, monkeypatch) -> None:
    most, counts, add = 4_000, [], DiskLevel.add

    def adding(self, block, expanded) -> None:
        add(self, block, expanded)
        counts.append(self.count)

    spill(monkeypatch, 5, Sizes(part=4_096, block=64, merge=1_024))
    monkeypatch.setattr(DiskLevel, "add", adding)
    monkeypatch.setattr(level, "MOST_CANDIDATES", most)
    result = on_disk(pings(4), tmp_path, threads=1)
    reason = f"a level on disk has room for {most:,} candidates for new states"
    assert (result.verdict, result.incomplete) == (Incomplete(reason), reason)
    plain = search(pings(4), SearchOptions(engine="loop", limits=Limits(states=result.statistics.states)))
    assert (result.statistics.depth, result.statistics.transitions) == (
        plain.statistics.depth,
        plain.statistics.transitions,
    )
    assert 2_000 < max(counts) <= most


@pytest.mark.parametrize("full", [True, False])
def test_a_search_goes_to_disk_when_its_memory_is_used(full, tmp_path, monkeypatch) -> None:
    limit = 1 << 40
    monkeypatch.setattr(disk_search, "resident_bytes", lambda: limit if full else 0)
    events = []
    options = SearchOptions(disk=str(tmp_path), limits=Limits(memory=limit))
    result = search(pings(2), options, events.append)
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert (result.statistics.states, result.statistics.disk_bytes > 0) == (296, full)
    expected = f"the memory is full: the search goes on with files in {tmp_path} (states so far: 1)"
    assert (expected in notices) == full


def failing(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the folder be full after so many bytes."""
    written, write = 0, os.pwrite

    def pwrite(file, data, at):
        nonlocal written
        written += len(data)
        if written > after:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data, at)

    monkeypatch.setattr(files.os, "pwrite", pwrite)


@pytest.mark.parametrize("room", [0, 500, 5_000, 50_000, 200_000])
def test_a_full_disk_ends_a_search_as_incomplete(room, tmp_path, small, monkeypatch) -> None:
    failing(monkeypatch, room)
    result = on_disk(pings(3), tmp_path)
    reason = f"the folder {str(tmp_path)!r} failed: No space left on device"
    assert (result.verdict, result.incomplete) == (Incomplete(reason), reason)
    assert 5 <= result.statistics.states < 4649


def test_a_violation_found_before_the_disk_is_full_is_shown(tmp_path, small, monkeypatch) -> None:
    shown = 0
    for seed in range(60_000, 60_040):
        system = random_system(seed)
        whole = search(system, SearchOptions(engine="loop", find_all=True, limits=Limits(states=LIMIT)))
        with monkeypatch.context() as patch:
            failing(patch, 2_000)
            found = on_disk(system, tmp_path, find_all=True)
        assert found.violations == whole.violations[: len(found.violations)]
        shown += bool(found.violations) and "No space left" in (found.incomplete or "")
    assert shown >= 3


def test_an_interrupt_ends_a_search_with_whole_levels(tmp_path, small) -> None:
    watch = LimitWatch(Limits())

    def interrupt(event) -> None:
        watch.interrupted = isinstance(event, Notice) or watch.interrupted

    result = search(pings(3), SearchOptions(disk=str(tmp_path)), interrupt, watch)
    assert result.verdict == Incomplete("interrupted")
    plain = search(pings(3), SearchOptions(engine="loop", limits=Limits(states=result.statistics.states)))
    assert result.statistics.depth == plain.statistics.depth
    assert list(tmp_path.iterdir()) == []


def test_the_folder_looks_empty_during_a_search(tmp_path, small, monkeypatch) -> None:
    seen = set()
    monkeypatch.setattr(DiskSearch, "_pause", lambda self: seen.update(os.listdir(tmp_path)))
    assert on_disk(pings(2), tmp_path).statistics.disk_bytes > 0
    assert not seen


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "loop"}, "option engine is 'loop'; a search on disk needs the kernel engine"),
        ({"order": "dfs"}, "option order is 'dfs'; a search on disk needs the kernel engine"),
        ({"checked": True}, "the run is checked; a search on disk needs the kernel engine"),
        ({"disk": "/no/such/folder"}, "'/no/such/folder': No such file or directory; expected a folder to write in"),
        ({"disk": __file__}, "Not a directory; expected a folder to write in"),
    ],
)
def test_what_cannot_be_on_disk_is_refused_by_name(options, message, tmp_path) -> None:
    with pytest.raises(SdnloomError, match=message):
        search(pings(1), SearchOptions(**{"disk": str(tmp_path), **options}))


# Runs and files


@pytest.fixture
def folder(tmp_path) -> Iterator[Folder]:
    made = Folder(str(tmp_path))
    yield made
    made.close()
    assert made.bytes == 0


def packed(layout: Layout, values: list[int]) -> np.ndarray:
    """States with these values, sorted by hash; the number of each is its value + 1."""
    if not values:
        return np.zeros(0, np.uint64)
    plain = np.concatenate([layout.pack([value, value % 7]) for value in values])
    order = np.argsort(hashes_of(plain, layout.words))
    states = plain.reshape(-1, layout.words)[order]
    states[:, -1] |= np.array(values, np.uint64)[order] + np.uint64(1)
    return states.reshape(-1)


def numbers(layout: Layout, states: np.ndarray) -> list[int]:
    return (states.reshape(-1, layout.words)[:, -1] & np.uint64(NUMBER_MASK)).astype(int).tolist()


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.integers(0, 3_000), st.integers(0, 60), st.integers(1, 2_000))
def test_a_run_finds_exactly_the_states_that_it_has(tmp_path_factory, seed, many, asked, size) -> None:
    rng, layout = random.Random(seed), Layout([1 << 20, 7])
    inside = rng.sample(range(1 << 20), many)
    wanted = sorted({*rng.sample(inside, min(many, asked)), *rng.sample(range(1 << 20), asked)})
    folder = Folder(str(tmp_path_factory.getbasetemp()))
    run, states = SortedRun(folder, layout), packed(layout, inside)
    cut = rng.randrange(many + 1) * layout.words
    run.append(states[:cut])
    run.append(states[cut:])
    candidates = packed(layout, wanted)
    found = np.zeros(len(wanted), np.uint32)
    plain = candidates.copy().reshape(-1, layout.words)
    plain[:, -1] &= ~np.uint64(NUMBER_MASK)
    run.mark(plain.reshape(-1), hashes_of(candidates, layout.words), found, size)
    known = set(inside)
    assert found.tolist() == [n if n - 1 in known else 0 for n in numbers(layout, candidates)]
    for value in wanted[:5]:
        assert run.number_of(layout.pack([value, value % 7])) == (value if value in known else -1)
    folder.close()


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.integers(1, 6), st.integers(1, 500))
def test_of_equal_states_that_of_the_first_run_is_kept(tmp_path_factory, seed, count, size) -> None:
    rng, layout = random.Random(seed), Layout([1 << 20, 7])
    folder, expected, made = Folder(str(tmp_path_factory.getbasetemp())), {}, []
    for number in range(count):
        values = rng.sample(range(300), rng.randrange(200))
        states = packed(layout, values).reshape(-1, layout.words)
        states[:, -1] += np.uint64(1000 * number)
        made.append(SortedRun(folder, layout))
        made[-1].append(states.reshape(-1))
        for value in values:
            expected.setdefault(value, value + 1 + 1000 * number)
    parts = list(merged_runs(made, size))
    states = np.concatenate([np.zeros(0, np.uint64), *parts])
    hashes = hashes_of(states, layout.words)
    assert (hashes[:-1] <= hashes[1:]).all()
    assert sorted(numbers(layout, states)) == sorted(expected.values())
    folder.close()


def test_a_file_of_states_has_them_in_the_last_layout(folder) -> None:
    narrow, wide = Layout([4, 4]), Layout([1 << 30, 1 << 30])
    file = StateFile(folder, 10, with_sleep=True)
    for fields, first in ((narrow, 0), (wide, 3)):
        words = np.concatenate([fields.pack([first + n, n]) for n in range(3)])
        asleep = np.arange(first, first + 3, dtype=np.uint64)
        file.append(States(10 + first, fields, words, asleep))
    states = file.read(1, 5)
    assert [states.values(position).tolist() for position in range(4)] == [[1, 1], [2, 2], [3, 0], [4, 1]]
    assert (states.first, states.layout, states.asleep.tolist()) == (11, wide, [1, 2, 3, 4])


def test_what_is_on_disk_is_counted(tmp_path, small) -> None:
    result = on_disk(pings(3), tmp_path)
    whole = replace(result.statistics, seconds=0.0)
    assert whole.disk_bytes > 4649 * 20
    assert whole.bytes_per_state == pytest.approx(4 + 8 * 2, rel=0.01)
