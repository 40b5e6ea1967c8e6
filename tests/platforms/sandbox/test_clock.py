"""A program sees time and chance that are the same in every run; everybody else sees the real ones."""

import datetime
import functools
import random
import secrets
import time
import types
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot
from sdnloom.platforms.sandbox.clock import SECOND, Clock, Draws, next_script
from sdnloom.platforms.sandbox.fake_modules import importer, rebind, virtual_modules


def no_sleep(seconds):
    raise AssertionError("nobody sleeps here")


@pytest.fixture
def world():
    clock = Clock()
    return clock, virtual_modules(clock, Draws(1), no_sleep)


PROGRAM = """
import time, uuid, random, secrets
import datetime as dt
from datetime import datetime, date
from time import monotonic
from functools import lru_cache

def look():
    import random as again
    return (time.time(), time.time_ns(), monotonic(), time.perf_counter_ns(), time.strftime("%H:%M:%S"), time.ctime(),
            time.localtime().tm_hour, str(datetime.now()), str(datetime.utcnow()), str(date.today()),
            str(datetime.now(dt.timezone.utc)), dt.datetime.today().isoformat(), str(uuid.uuid4()), str(uuid.uuid1()),
            random.random(), again.randint(1, 100), random.choice("abc"), random.gauss(0, 1), random.Random().random(),
            secrets.token_hex(4), random.SystemRandom().random())
"""


def load(source, modules):
    module = types.ModuleType("program")
    vars(module)["__builtins__"] = {**vars(__import__("builtins")), "__import__": importer(modules)}
    exec(source, vars(module))
    return module


def test_program_sees_the_virtual_clock_and_seeded_chance():
    runs = []
    for _ in range(2):
        clock = Clock()
        program = load(PROGRAM, virtual_modules(clock, Draws(1), no_sleep))
        first = program.look()
        clock.now += 90 * SECOND + 500_000_000
        runs.append((first, program.look()))
    assert runs[0] == runs[1]
    first, second = runs[0]
    assert first[:12] == (
        1_700_000_000.0,
        1_700_000_000 * SECOND,
        0.0,
        0,
        "22:13:20",
        "Tue Nov 14 22:13:20 2023",
        22,
        "2023-11-14 22:13:20",
        "2023-11-14 22:13:20",
        "2023-11-14",
        "2023-11-14 22:13:20+00:00",
        "2023-11-14T22:13:20",
    )
    assert second[:5] == (1_700_000_090.5, 1_700_000_090_500_000_000, 90.5, 90_500_000_000, "22:14:50")
    assert not set(first[12:16]) & set(second[12:16])


def test_real_modules_stay_as_they_are(world):
    _, modules = world
    assert modules["time"] is not time
    assert time.time() > 1_700_000_000
    assert datetime.datetime.now().year > 2023
    assert modules["functools"].lru_cache is not functools.lru_cache
    assert (modules["random"].choice, secrets.choice) != (random.choice, modules["secrets"].choice)


def test_real_dates_pass_for_virtual_ones(world):
    _, modules = world
    virtual = modules["datetime"]
    assert isinstance(datetime.datetime(2020, 1, 1), virtual.datetime)
    assert isinstance(virtual.datetime.now(), virtual.datetime)
    assert isinstance(virtual.datetime.now(), datetime.datetime)
    assert not isinstance(datetime.date(2020, 1, 1), virtual.datetime)
    assert virtual.datetime(2020, 1, 2) - virtual.datetime(2020, 1, 1) == datetime.timedelta(1)
    assert virtual.datetime.strptime("2020", "%Y") == datetime.datetime(2020, 1, 1)


def test_names_of_a_module_imported_before_are_bound_again(world):
    clock, modules = world
    namespace = {"time": time, "now": time.time, "uuid4": uuid.uuid4, "choice": random.choice, "other": types}
    assert rebind(namespace, modules) == ("time", "now", "uuid4", "choice")
    clock.now = SECOND
    assert (namespace["now"](), namespace["time"].time(), namespace["other"]) == (
        1_700_000_001.0,
        1_700_000_001.0,
        types,
    )


def test_uuids_are_well_formed(world):
    _, modules = world
    one, four = modules["uuid"].uuid1(), modules["uuid"].uuid4()
    assert (one.version, one.variant, one.time) == (1, uuid.RFC_4122, 17_000_000_000_000_000 + 0x01B21DD213814000)
    assert (four.version, four.variant) == (4, uuid.RFC_4122)


def test_draws_are_captured_with_two_values():
    draws = Draws(5)
    roots, scope = {"draws": draws}, Scope()
    draws.random()
    before, snapshot = digest(roots, scope), require(take_snapshot(roots, scope))
    expected = [draws.random(), draws.gauss(0, 1), draws.sample(range(50), 5)]
    assert digest(roots, scope) != before
    restore_snapshot(snapshot)
    assert digest(roots, scope) == before
    assert [draws.random(), draws.gauss(0, 1), draws.sample(range(50), 5)] == expected


def test_seed_starts_again():
    draws = Draws(5)
    first = [draws.random() for _ in range(3)]
    draws.seed(5)
    assert [draws.random() for _ in range(3)] == first
    assert [Draws(6).random()] != first[:1]


@given(st.integers(1, 300), st.integers(0, 1000))
def test_draws_stay_in_their_range(bits, seed):
    draws = Draws(seed)
    assert 0 <= draws.getrandbits(bits) < 1 << bits
    assert 0 <= draws.random() < 1
    assert 0 <= draws.randrange(bits) < bits


def test_draws_are_spread_evenly():
    draws = Draws(0)
    counts = [0] * 10
    for _ in range(10_000):
        counts[draws.randrange(10)] += 1
    assert all(850 < each < 1150 for each in counts)


def outcomes(program, widest, budget):
    found, script = [], ()
    while script is not None:
        draws = Draws(0, widest, budget)
        draws.begin(script)
        found.append(program(draws))
        script = next_script(draws.made)
    return found


def test_all_choices_are_explored_once():
    def program(draws):
        if draws.choice("ab") == "a":
            return "a", draws.randrange(3)
        return ("b",)

    assert outcomes(program, widest=3, budget=9) == [("a", 0), ("a", 1), ("a", 2), ("b",)]


def test_shuffles_are_all_permutations():
    def program(draws):
        cards = [1, 2, 3]
        draws.shuffle(cards)
        return tuple(cards)

    found = outcomes(program, widest=3, budget=9)
    assert (len(found), len(set(found))) == (6, 6)


def test_budget_and_width_bound_what_is_explored():
    def program(draws):
        return tuple(draws.randrange(2) for _ in range(4)), draws.randrange(1000)

    found = outcomes(program, widest=2, budget=2)
    assert [each[0][:2] for each in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len({(each[0][2:], each[1]) for each in found}) == 1  # the rest is chance, and the same for all
    assert len(outcomes(program, widest=0, budget=9)) == 1
