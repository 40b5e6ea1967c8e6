"""The parts of `python -m benchmarks scale`: what is searched, medians, SPIN on two cores, a search that is killed."""

from dataclasses import asdict
from importlib import import_module

import pytest

from benchmarks import scale_resume, spin_runner
from benchmarks.__main__ import BENCHMARKS
from benchmarks.measure import Figures, Subject, median
from benchmarks.pings import KNOWN
from benchmarks.scale import thread_counts
from benchmarks.spin_runner import TWO_CORES
from sdnloom.engine.model import Needs
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search

THREE_PINGS = (4_649, 11_231)


def figures(cpu_seconds: float, seconds: float, peak_bytes: int) -> Figures:
    return Figures(1, 0, 0, cpu_seconds, seconds, peak_bytes, 0, None, 0)


def test_whole_searches_have_no_reduction_and_no_property() -> None:
    subject = Subject("kernel", 3, threads=2)
    assert subject.options() == SearchOptions(engine="kernel", order="bfs", reduce=False, threads=2)
    assert subject.system().properties == ()
    assert Subject(**asdict(subject)) == subject


def test_reduced_searches_have_an_event_property() -> None:
    subject = Subject("loop", 3, reduce=True)
    assert subject.options().reduce is True
    assert [prop.needs for prop in subject.system().properties] == [Needs.EVENT]
    result = search(subject.system(), subject.options())
    assert result.statistics.states < THREE_PINGS[0]


def test_the_known_counts_are_those_of_the_loop() -> None:
    found = search(Subject("loop", 4).system(), Subject("loop", 4).options()).statistics
    assert (found.states, found.transitions) == KNOWN[4]


def test_each_figure_of_a_median_is_in_the_middle() -> None:
    middle = median([figures(1, 30, 200), figures(3, 10, 100), figures(2, 20, 300)])
    assert (middle.cpu_seconds, middle.seconds, middle.peak_bytes) == (2, 20, 200)


def test_one_thread_two_and_all_cores_are_measured_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in ((1, [1, 2]), (2, [1, 2]), (16, [1, 2, 16])):
        monkeypatch.setattr("benchmarks.scale.available_cores", lambda cores=cores: cores)
        assert thread_counts() == expected


@pytest.mark.parametrize("name", ["scale", "spin", "nice-table1"])
def test_a_registered_benchmark_can_be_run(name: str) -> None:
    assert callable(import_module(BENCHMARKS[name]).run)


@pytest.mark.slow
@pytest.mark.parametrize("variant", TWO_CORES)
def test_spin_on_two_cores_finds_exactly_the_known_counts(need_tool, tmp_path, monkeypatch, variant) -> None:
    need_tool("spin", "gcc")
    monkeypatch.setitem(spin_runner._PAN_FLAGS, variant, (*spin_runner._PAN_FLAGS[variant], "-O0"))
    found = spin_runner.search(3, variant, tmp_path)
    assert (found.states, found.transitions) == THREE_PINGS
    assert found.cpu_seconds > 0


@pytest.mark.slow
def test_a_search_that_was_killed_has_the_known_counts_when_it_is_resumed(tmp_path) -> None:
    file = tmp_path / "pings.ckpt"
    killed = scale_resume.searched(3, file, write_at=1_000, kill_at=2_500)
    assert 2_500 <= killed.states < THREE_PINGS[0]
    resumed = scale_resume.searched(3, file)
    assert (resumed.states, resumed.transitions) == THREE_PINGS
    assert resumed.resuming > 0
