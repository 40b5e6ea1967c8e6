"""Checkpoints of a search: from each one the search goes on to the same result, and another search is refused."""

import itertools
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.checkpoint.file import CheckpointError, read_checkpoint, write_checkpoint
from sdnloom.engine.checkpoint.keeper import CheckpointKeeper, refuse_other_versions
from sdnloom.engine.dives import schedule
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Action, Component, Mode, Needs, Outcome, Property, Restart, System
from sdnloom.engine.reduction import auto_reduction
from sdnloom.engine.reduction.auto_reduction import NoReduction
from sdnloom.engine.result import Activity, Holds, Incomplete, Limits, Notice, Progress, SearchOptions, Violated
from sdnloom.engine.search import LATE_MATTERS, _Run, search
from sdnloom.errors import SdnloomError
from tests.engine.random_strategies import random_strategy
from tests.engine.systems import REDUCIBLE, random_system, with_history
from tests.engine.test_late import server


@pytest.fixture(autouse=True)
def checkpoints_everywhere(monkeypatch):
    """A checkpoint at every boundary."""
    monkeypatch.setattr(_Run, "_compiled", lambda self, meanwhile: True)
    monkeypatch.setattr(keeping, "INTERVAL", 0)
    monkeypatch.setattr(keeping, "REST_FACTOR", 0)
    monkeypatch.setattr(format_of.os, "fsync", lambda descriptor: None)


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """The checkpoints that were written, one after the other."""
    written = []

    def kept(file, manifest, arrays):
        write_checkpoint(file, manifest, arrays)
        written.append(tmp_path / f"copy {len(written)}")
        written[-1].write_bytes(file.read_bytes())

    monkeypatch.setattr(keeping, "write_checkpoint", kept)
    return written


def saved(file):
    return CheckpointKeeper(file, saved=read_checkpoint(file))


def facts(result, **changed):
    """A result without its time and memory."""
    found = replace(result.statistics, seconds=0.0, bytes_per_state=None, **changed)
    return replace(result, statistics=found, choice="")


def searched(system, options, tmp_path, **more):
    return search(system, options, checkpoint=CheckpointKeeper(tmp_path / "search.ckpt"), **more)


def resumed(system, options, file):
    again = file.with_name("again.ckpt")
    again.write_bytes(file.read_bytes())
    return search(system, options, checkpoint=saved(again))


OPTIONS = [SearchOptions(), SearchOptions(find_all=True), SearchOptions(limits=Limits(states=40))]


def test_a_search_goes_on_from_every_checkpoint_to_the_same_result(tmp_path, copies):
    resumes = 0
    for seed in range(24):
        options, chance = OPTIONS[seed % 3], random.Random(seed)
        if seed % 4 == 0:
            options = replace(options, strategy=random_strategy(seed))
        copies.clear()
        whole = searched(with_history(random_system(seed), 2), options, tmp_path)
        assert copies
        for file in {*chance.sample(copies, min(3, len(copies))), copies[-1]}:
            again = resumed(with_history(random_system(seed), 2), options, file)
            assert facts(again) == facts(whole), seed
            resumes += 1
    assert resumes > 50


def test_a_search_with_a_checkpoint_gives_what_one_without_gives(tmp_path):
    for seed in range(12):
        options = OPTIONS[seed % 2]
        plain = search(random_system(seed), replace(options, engine="kernel"))
        assert facts(searched(random_system(seed), options, tmp_path)) == facts(plain)


def test_a_search_that_was_limited_goes_on_with_other_limits(tmp_path):
    for seed in range(12):
        whole = search(random_system(seed), SearchOptions(engine="kernel", order="bfs"))
        file = tmp_path / f"{seed}.ckpt"
        for states in (3, 11, 40):
            checkpoint = saved(file) if file.exists() else CheckpointKeeper(file)
            options = SearchOptions(order="bfs", limits=Limits(states=states))
            found = search(random_system(seed), options, checkpoint=checkpoint)
            assert found.statistics.states <= states
        found = search(random_system(seed), SearchOptions(order="bfs"), checkpoint=saved(file))
        # A limited search has asked the program about states beyond the one that ends the whole search.
        asked = {"evaluations": {}, "cores": {}, "active": frozenset(), "routes": frozenset()}
        assert facts(found, **asked) == facts(whole, **asked)


def test_dives_are_where_they_were(tmp_path, copies, monkeypatch):
    monkeypatch.setattr(schedule, "FIRST", 8)
    dives = found = 0
    for seed in range(30):
        copies.clear()
        whole = searched(random_system(seed), SearchOptions(), tmp_path)
        dives += whole.statistics.dives
        for file in {copies[len(copies) // 2], copies[-1]}:
            again = resumed(random_system(seed), SearchOptions(), file)
            assert facts(again) == facts(whole), seed
        found += isinstance(whole.verdict, Violated) and whole.statistics.dives > 0
    assert dives > 10
    assert found > 0


@pytest.mark.parametrize("find_all", [False, True])
def test_late_actions_are_where_they_were(tmp_path, copies, find_all):
    seconds = 0
    for system in (server, lambda: server(after=9), lambda: server(after=2, raises=3), lambda: server(raises=2)):
        copies.clear()
        options, told = SearchOptions(find_all=find_all), []
        whole = searched(system(), options, tmp_path, on_event=told.append)
        second = Notice(LATE_MATTERS) in told
        seconds += second
        assert (read_checkpoint(copies[-1]).manifest["earlier"] is not None) == second
        for file in copies[1::3]:
            again = resumed(system(), options, file)
            # What LATE courses ran is not in the journal: it may run again.
            ran = zip(again.statistics.evaluations.values(), whole.statistics.evaluations.values(), strict=True)
            assert all(one >= other for one, other in ran)
            assert facts(again, evaluations={}) == facts(whole, evaluations={})
    assert seconds


# Searches that take a reduction by themselves


@pytest.fixture
def small_trials(monkeypatch):
    """Trials of a reduction after a few transitions; some are worth it and some are not."""
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 8)
    monkeypatch.setattr(auto_reduction, "AGAIN", 2)
    for name, value in (("TRANSITION", 1), ("DERIVATION", 1), ("MOST_OF_TRIAL", 1.5), ("MOST_TO_TAKE", 1.5)):
        monkeypatch.setattr(auto_reduction, name, value)


def is_reduced(file):
    """Whether a checkpoint is of a reduced search that took the place of another."""
    return read_checkpoint(file).manifest["choice"]["whole"] is not None


def with_words(result):
    """The facts of a result, with what it says of the choice of a reduction."""
    return facts(result), result.choice


def test_a_search_that_may_take_a_reduction_goes_on_whole_or_reduced(tmp_path, copies, small_trials, monkeypatch):
    monkeypatch.setattr(schedule, "FIRST", 16)
    seen = Counter()
    for seed in range(50):
        copies.clear()
        monkeypatch.setattr(auto_reduction, "MOST_OF_TRIAL", (1.5, 0.2)[seed % 2])
        system, chance = random_system(seed, needs=REDUCIBLE), random.Random(seed)
        whole = searched(system, SearchOptions(), tmp_path)
        stages = [[file for file in copies if is_reduced(file) == reduced] for reduced in (False, True)]
        for file in {chance.choice(files) for files in stages if files} | {copies[-1]}:
            again = resumed(random_system(seed, needs=REDUCIBLE), SearchOptions(), file)
            assert with_words(again) == with_words(whole), seed
            seen[is_reduced(file), bool(whole.reduction)] += 1
        seen["refused"] += whole.choice.startswith("tried at")
        seen["dives after it"] += bool(whole.reduction) and whole.statistics.dives > 0
    assert min(seen[False, False], seen[False, True], seen[True, True], seen["refused"]) > 5, seen
    assert seen["dives after it"] > 1, seen
    assert not seen[True, False]


def test_a_reduction_is_taken_as_without_a_checkpoint(tmp_path, small_trials):
    """Without, a trial begins with the loop, which asks for a little less, so that it may be worth it earlier."""
    taken = others = 0
    for seed in range(30):
        plain = search(random_system(seed, needs=REDUCIBLE), SearchOptions(engine="kernel"))
        kept = searched(random_system(seed, needs=REDUCIBLE), SearchOptions(), tmp_path)
        assert type(kept.verdict) is type(plain.verdict), seed
        same = replace(kept.statistics, engine=plain.statistics.engine)
        others += with_words(replace(kept, statistics=same)) != with_words(plain)
        taken += bool(kept.reduction)
    assert taken > 5
    assert others < 3


class EndedError(Exception):
    """The process ends here."""


def ending_at(number):
    """A method at whose call of that number the process ends."""
    calls = itertools.count(1)

    def called(trial, transitions):
        if next(calls) == number:
            raise EndedError

    return called


def test_a_trial_writes_nothing_and_is_made_again(tmp_path, small_trials, monkeypatch):
    ended = taken = 0
    for seed in range(30):
        whole = searched(random_system(seed, needs=REDUCIBLE), SearchOptions(), tmp_path)
        with monkeypatch.context() as process, suppress(EndedError):
            process.setattr(auto_reduction.ReductionTrial, "look", ending_at(1 + seed % 5))
            searched(random_system(seed, needs=REDUCIBLE), SearchOptions(), tmp_path)
        if not is_over(tmp_path / "search.ckpt"):
            assert not is_reduced(tmp_path / "search.ckpt")
            again = resumed(random_system(seed, needs=REDUCIBLE), SearchOptions(), tmp_path / "search.ckpt")
            assert with_words(again) == with_words(whole), seed
            ended += 1
            taken += bool(whole.reduction)
    assert min(ended, taken) > 4, (ended, taken)


def is_over(file):
    return read_checkpoint(file).manifest["ended"] == keeping.OVER


def test_late_actions_are_explored_by_a_reduced_search_too(tmp_path, copies, small_trials):
    seen = Counter()
    for requests, after in ((1, 1), (2, 1), (2, 2), (3, 1)):
        copies.clear()
        whole = searched(server(requests=requests, after=after), SearchOptions(), tmp_path)
        for file in copies[::2]:
            again = resumed(server(requests=requests, after=after), SearchOptions(), file)
            assert with_words(replace(again, statistics=whole.statistics)) == with_words(whole)
            assert facts(again, evaluations={}) == facts(whole, evaluations={})
            seen[is_reduced(file), read_checkpoint(file).manifest["earlier"] is not None] += 1
    assert len(seen) == 4, seen


class Assuming:
    """Systems of counters under assumptions: a step refutes the first, when its counter is at `refuted_at`.

    What the others assume costs `unsettled` to check.
    """

    footprints = 0

    def __init__(self, refuted_at, unsettled):
        self.assumed, self._refuted_at, self._unsettled = [], refuted_at, unsettled

    def assume(self, saved):
        self.assumed = list(saved)

    def system(self):
        self._known = list(self.assumed)
        return counters(None if self.assumed else self._refute, self._refuted_at)

    def _refute(self):
        self.assumed = ["refuted"]
        return Restart("refuted")

    @property
    def unsettled(self):
        return self._unsettled if self.assumed else 0

    def settle(self):
        return None

    def concerns(self, restart):
        return self.assumed != self._known


def counters(refute=None, refuted_at=0):
    """Three independent counters; one way through them is enough."""

    def count(core, _):
        if refute is not None and core == refuted_at:
            return refute()
        return [Outcome(core + 1, events=(core,))] if core < 6 else []

    def silent(memory, columns):
        return None

    components = tuple(Component(name, 0, (Action("count", count),)) for name in "ABC")
    return System(components, properties=(Property("quiet", Needs.QUIESCENT, silent),))


@pytest.mark.parametrize("refuted_at", [1, 4])
@pytest.mark.parametrize("unsettled", [0, 1_000_000])
def test_a_refuted_assumption_is_where_it_was(tmp_path, copies, small_trials, refuted_at, unsettled):
    """Refuted in the trial or after it; the next trial is worth it, or the whole search goes on."""
    whole = searched(counters(), SearchOptions(), tmp_path, reduced=Assuming(refuted_at, unsettled))
    assert bool(whole.reduction) == (unsettled == 0)
    stages = Counter()
    for file in list(copies):
        manifest = read_checkpoint(file).manifest
        stages[manifest["choice"]["whole"] is not None, bool(manifest["choice"]["assumed"])] += 1
        again = search(counters(), SearchOptions(), checkpoint=saved(file), reduced=Assuming(refuted_at, unsettled))
        assert with_words(again) == with_words(whole)
    assert stages[False, False]
    assert bool(stages[True, False]) == (refuted_at == 4)
    assert stages[unsettled == 0, True]


def test_a_reduced_search_is_not_resumed_as_one_that_may_not_be_reduced(tmp_path, copies, small_trials):
    assert searched(counters(), SearchOptions(), tmp_path).reduction
    file = tmp_path / "search.ckpt"
    with pytest.raises(CheckpointError, match="cannot be resumed: its search has taken a reduction, and none is poss"):
        search(counters(), SearchOptions(), checkpoint=saved(file), reduced=NoReduction("all is counted"))
    for reduce in (True, False):
        with pytest.raises(CheckpointError, match=f"cannot be resumed: reduce was 'auto' and is {reduce} now"):
            search(counters(), SearchOptions(reduce=reduce), checkpoint=saved(file))
    first = next(file for file in copies if not is_reduced(file))
    found = search(counters(), SearchOptions(), checkpoint=saved(first), reduced=NoReduction("all is counted"))
    assert (found.choice, found.statistics.states) == ("all is counted", 7**3)


def chain(length=30, broken=None, wrong=None):
    """A component that counts; `broken` is where its property is violated, `wrong` where it counts otherwise."""

    def step(core, message):
        return [Outcome(core + (2 if core == wrong else 1), events=(("at", core),))] if core < length else []

    safe = Property(
        "safe", Needs.STATE, lambda memory, cores: "there" if cores["A"] == broken else None, columns=("A",)
    )
    return System((Component("A", 0, (Action("count", step, mode=Mode.MAY),)),), properties=(safe,))


def test_a_finished_search_is_not_searched_again(tmp_path):
    whole = searched(chain(), SearchOptions(), tmp_path)
    steps = []
    system = chain()
    again = search(system, SearchOptions(), steps.append, checkpoint=saved(tmp_path / "search.ckpt"))
    assert isinstance(again.verdict, Holds)
    assert again.statistics.states == whole.statistics.states == 31
    assert again.statistics.evaluations == {"A": 31}
    assert again.statistics.seconds > whole.statistics.seconds


def test_progress_goes_on(tmp_path, copies):
    searched(chain(), SearchOptions(), tmp_path)
    manifest = read_checkpoint(copies[20]).manifest
    assert manifest["counts"]["states"] == 22
    assert manifest["ended"] is None
    assert read_checkpoint(copies[-1]).manifest["ended"] == keeping.OVER
    told = []
    keeper = saved(copies[20])
    watch = LimitWatch(Limits())
    watch.progress_due = lambda: True
    search(chain(), SearchOptions(), told.append, watch, checkpoint=keeper)
    shown = [event for event in told if isinstance(event, Progress)]
    assert shown[0].states == 22
    assert shown[0].seconds > manifest["counts"]["seconds"]
    assert any("of 21 questions to the program asked again" in e.text for e in told if isinstance(e, Activity))


def test_a_time_limit_may_end_the_replay_of_the_journal_and_the_checkpoint_stays(tmp_path):
    file = tmp_path / "search.ckpt"
    searched(chain(), SearchOptions(), tmp_path)
    before = file.read_bytes()
    options = SearchOptions(limits=Limits(seconds=1e-9))
    found = search(chain(), options, checkpoint=saved(file))
    assert found.verdict == Incomplete("the time limit of 1e-09 s was reached while the checkpoint was resumed")
    assert file.read_bytes() == before


def test_a_changed_program_is_refused_by_name(tmp_path):
    file = tmp_path / "search.ckpt"
    searched(chain(), SearchOptions(), tmp_path)
    with pytest.raises(CheckpointError) as refused:
        search(chain(wrong=7), SearchOptions(), checkpoint=saved(file))
    assert str(refused.value) == (
        f"{file}: cannot be resumed: the program answers differently now: component 'A', action 'count', core 7 "
        "(question 8 of 31 in the journal)"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (SearchOptions(reduce=True), "reduce was 'auto' and is True now"),
        (SearchOptions(find_all=True), "find_all was False and is True now"),
        (SearchOptions(order="bfs"), "order was 'auto' and is 'bfs' now"),
        (SearchOptions(strategy=random_strategy(1)), "strategy was [] and is ['ARBITRARY'] now"),
    ],
)
def test_other_options_are_refused_by_name(tmp_path, options, reason):
    searched(chain(), SearchOptions(), tmp_path)
    with pytest.raises(CheckpointError) as refused:
        search(replace(chain(), properties=()), options, checkpoint=saved(tmp_path / "search.ckpt"))
    assert str(refused.value).endswith(f"cannot be resumed: {reason}")


def test_another_system_is_refused_by_name(tmp_path):
    searched(chain(), SearchOptions(), tmp_path)
    with pytest.raises(CheckpointError, match=r"properties was \['safe'\] and is \[\] now"):
        search(replace(chain(), properties=()), checkpoint=saved(tmp_path / "search.ckpt"))


@pytest.mark.parametrize(
    "options", [SearchOptions(engine="loop"), SearchOptions(order="dfs"), SearchOptions(checked=True)]
)
def test_what_the_kernel_cannot_do_has_no_checkpoints(tmp_path, options):
    with pytest.raises(SdnloomError, match=r"a checkpoint and .* are given; expected one or the other"):
        searched(chain(), options, tmp_path)


def test_a_disk_that_is_full_is_a_warning_and_the_search_goes_on(tmp_path, monkeypatch):
    def full(file, manifest, arrays):
        raise CheckpointError("no space")

    monkeypatch.setattr(keeping, "write_checkpoint", full)
    warned = []
    found = search(chain(), checkpoint=CheckpointKeeper(tmp_path / "search.ckpt", warn=warned.append))
    assert isinstance(found.verdict, Holds)
    assert len(warned) > 1
    assert set(warned[:-1]) == {"no space; the search goes on without this checkpoint"}
    assert warned[-1] == "no space; the search is not kept"


def test_a_last_checkpoint_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    def full_at_the_end(file, manifest, arrays):
        if manifest["ended"] is not None:
            raise CheckpointError("no space")
        write_checkpoint(file, manifest, arrays)

    monkeypatch.setattr(keeping, "write_checkpoint", full_at_the_end)
    warned = []
    search(chain(), checkpoint=CheckpointKeeper(tmp_path / "search.ckpt", warn=warned.append))
    assert warned == ["no space; what came after the last checkpoint is not kept"]


def test_other_versions_are_named(tmp_path):
    searched(chain(), SearchOptions(), tmp_path)
    file = tmp_path / "search.ckpt"
    manifest = read_checkpoint(file).manifest
    refuse_other_versions(file, manifest)
    with pytest.raises(
        CheckpointError,
        match=r"cannot be resumed: sdnloom 0\.0 has written it and this is .*; expected the same version",
    ):
        refuse_other_versions(file, {**manifest, "sdnloom": "0.0"})
    with pytest.raises(CheckpointError, match=r"cannot be resumed: it was written under Python 3\.1 and this is "):
        refuse_other_versions(file, {**manifest, "python": "3.1"})


@pytest.mark.parametrize(
    ("system", "options"), [(lambda: server(after=9), SearchOptions(find_all=True)), (lambda: counters(), OPTIONS[0])]
)
def test_a_manifest_with_other_contents_is_refused_or_harmless(tmp_path, small_trials, system, options):
    """Manifests with right digests whose parts were exchanged: one message each, never a traceback."""
    file = tmp_path / "search.ckpt"
    whole = searched(system(), options, tmp_path)
    manifest, arrays = read_checkpoint(file)
    chance, refused = random.Random(5), 0
    strange = [None, -1, 1 << 2000, "x", [], {}, [[]], [1], True, 0.5]
    for _ in range(120):
        place, changed = _copied(manifest), None
        changed = place
        while isinstance(place, dict | list) and place:
            key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or chance.random() < 0.3:
                place[key] = chance.choice(strange)
                break
            place = place[key]
        write_checkpoint(file, changed, arrays)
        try:
            found = search(system(), options, checkpoint=saved(file))
        except CheckpointError:
            refused += 1
        else:
            assert isinstance(found.verdict, type(whole.verdict))
    assert refused > 45


def test_a_count_of_seconds_that_no_float_has_is_refused(tmp_path):
    searched(chain(), SearchOptions(), tmp_path)
    file = tmp_path / "search.ckpt"
    manifest, arrays = read_checkpoint(file)
    write_checkpoint(file, {**manifest, "counts": {**manifest["counts"], "seconds": 10**400}}, arrays)
    with pytest.raises(CheckpointError, match=r"search.ckpt: its manifest is not one of this sdnloom \(OverflowError"):
        search(chain(), checkpoint=saved(file))


def _copied(value):
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def test_a_search_that_is_killed_again_and_again_comes_to_the_same_result(tmp_path):
    command = [sys.executable, "-m", "tests.engine.killed_searches", str(tmp_path), "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    killed, while_writing = map(int, done.stdout.split())
    assert killed >= 20
    assert while_writing >= 10


def test_arrays_with_other_numbers_are_refused_or_harmless(tmp_path, copies):
    """Sections with right digests and wrong numbers: a message or some result, never a traceback or a crash."""
    chance, refused = random.Random(11), 0
    for seed in (3, 6, 8):
        options = SearchOptions(find_all=True, limits=Limits(states=200))
        copies.clear()
        searched(with_history(random_system(seed), 2), options, tmp_path)
        for _ in range(40):
            manifest, arrays = read_checkpoint(chance.choice(copies))
            name = chance.choice([name for name, each in arrays.items() if each.size])
            wrong = arrays[name].copy()
            known = np.iinfo(wrong.dtype)
            number = chance.choice((0, 1, 2, known.min, known.max, chance.randrange(known.min, known.max)))
            wrong.flat[chance.randrange(wrong.size)] = number
            file = tmp_path / "wrong.ckpt"
            write_checkpoint(file, manifest, {**arrays, name: wrong})
            try:
                search(with_history(random_system(seed), 2), options, checkpoint=saved(file))
            except CheckpointError:
                refused += 1
    assert refused > 60


@pytest.mark.parametrize("times", [1, 12_000])
def test_a_state_that_occurs_twice_is_refused(tmp_path, times):
    file = tmp_path / "search.ckpt"
    searched(chain(), SearchOptions(), tmp_path)
    manifest, arrays = read_checkpoint(file)
    counts, states, parents = (arrays[f"kernel.{name}"] for name in ("counts", "states", "parents"))
    arrays["kernel.counts"] = counts + np.array([times, 0, 0, 0])
    arrays["kernel.states"] = np.concatenate([states, np.repeat(states[-1:], times, axis=0)])
    arrays["kernel.parents"] = np.concatenate([parents, np.zeros(times, np.uint32)])
    write_checkpoint(file, manifest, arrays)
    with pytest.raises(CheckpointError, match="cannot be resumed: a state occurs twice"):
        search(chain(), SearchOptions(), checkpoint=saved(file))


def test_a_parent_that_does_not_lead_to_its_state_is_refused(tmp_path):
    file = tmp_path / "search.ckpt"
    searched(chain(broken=20), SearchOptions(), tmp_path)
    manifest, arrays = read_checkpoint(file)
    arrays["kernel.parents"][12] = 3
    write_checkpoint(file, manifest, arrays)
    with pytest.raises(CheckpointError, match="a parent of state 12 that does not lead to it"):
        search(chain(broken=20), SearchOptions(), checkpoint=saved(file))


def test_transitions_beyond_every_search_are_refused(tmp_path):
    file = tmp_path / "search.ckpt"
    searched(chain(), SearchOptions(), tmp_path)
    manifest, arrays = read_checkpoint(file)
    arrays["kernel.counts"][2] = np.iinfo(np.int64).max
    write_checkpoint(file, manifest, arrays)
    with pytest.raises(CheckpointError, match="its counts are"):
        search(chain(), SearchOptions(), checkpoint=saved(file))
