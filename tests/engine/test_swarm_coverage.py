"""The odds and estimates of a swarm, against counts: omissions of a bit array, samples, sizes from overlaps."""

import math
import random

import pytest

from sdnloom.engine.swarm.bit_array import BitArray, expected_omissions, odds_of_confusion
from sdnloom.engine.swarm.coverage import SwarmCoverage, chao_unseen, coverage_of, paired_size
from sdnloom.engine.swarm.sample import BottomSample
from sdnloom.report.walk.swarm_text import percent

WHOLE = 1 << 64


def test_a_sample_has_the_smallest_numbers_in_order() -> None:
    chooser = random.Random(1)
    for count in (0, 1, 9, 10, 11, 25, 500):
        numbers = [chooser.randrange(WHOLE) for _ in range(count)]
        sample = BottomSample(10)
        for number in numbers:
            if number < sample.threshold:
                sample.add(number)
        assert list(sample.smallest()) == sorted(numbers)[:10]


def test_odds_are_the_share_of_bits_that_are_set_to_the_power_of_the_bits_of_a_state() -> None:
    assert odds_of_confusion(1, 4, 3) == 1 / 64
    assert odds_of_confusion(4, 4, 3) == 1
    assert expected_omissions(3, 0.25) == 1  # of four new states one is left out
    assert expected_omissions(0, 1.0) == 0
    assert expected_omissions(3, 1.0) == math.inf


@pytest.mark.parametrize(("size", "bits_per_state"), [(500, 3), (1_000, 3), (1_000, 1), (1_000, 6)])
def test_expected_omissions_are_those_that_happen(size: int, bits_per_state: int) -> None:
    chooser = random.Random(f"{size}/{bits_per_state}")
    array, new, expected, met = BitArray(size, bits_per_state), 0, 0.0, 2_000
    for _ in range(met):
        odds = array.odds
        if array.add(chooser.getrandbits(64 * (bits_per_state + 1))):
            new += 1
            expected += expected_omissions(1, odds)
    assert met - new > 50
    assert abs(expected - (met - new)) < 0.1 * (met - new) + 10


def members_of_a_space(size: int, shares: list[float], sample_size: int) -> tuple[int, list[tuple[int, ...]]]:
    """How many of the states some independent members have found, and the samples of these members."""
    chooser = random.Random(f"{size}/{shares}")
    space = [chooser.getrandbits(64) for _ in range(size)]
    found = [[each for each in space if chooser.random() < share] for share in shares]
    return len(set().union(*found)), [tuple(sorted(each)[:sample_size]) for each in found]


@pytest.mark.parametrize("sample_size", [1_000, 100_000])
@pytest.mark.parametrize("shares", [[0.3, 0.2], [0.1] * 5, [0.05, 0.4, 0.2], [0.6] * 4])
def test_the_space_of_independent_members_is_estimated_well(sample_size: int, shares: list[float]) -> None:
    count, samples = members_of_a_space(20_000, shares, sample_size)
    coverage = coverage_of(samples, sample_size)
    assert coverage.exact == (sample_size > 20_000)
    assert coverage.found == (count if coverage.exact else pytest.approx(count, rel=0.1))
    assert coverage.share is not None
    assert coverage.size is not None
    for share, size in zip(coverage.share, coverage.size, strict=True):
        assert share == pytest.approx(count / 20_000, rel=0.15)
        assert size == pytest.approx(20_000, rel=0.2)
    assert not coverage.is_poor


def test_a_part_that_few_members_reach_makes_the_estimate_too_small_as_its_assumption_says() -> None:
    easy, samples = members_of_a_space(10_000, [0.5] * 4, 100_000)
    hard = [tuple(range(number * 10, number * 10 + 10)) for number in range(4)]  # 40 of very many
    coverage = coverage_of([each + more for each, more in zip(samples, hard, strict=True)], 100_000)
    assert coverage.found == easy + 40
    assert coverage.size == pytest.approx((10_040, 10_040), rel=0.05)


def members_of_parts(size: int, parts: list[tuple[float, float]]) -> SwarmCoverage:
    """What members say that find states of the two halves of a space with these probabilities."""
    chooser = random.Random(1)
    space = [(chooser.getrandbits(64), number % 2) for number in range(size)]
    return coverage_of(
        [tuple(sorted(state for state, half in space if chooser.random() < part[half])) for part in parts], 1 << 20
    )


def test_members_that_meet_in_one_half_make_the_share_too_large_and_members_kept_apart_make_it_too_small() -> None:
    meeting = members_of_parts(20_000, [(0.5, 0.02)] * 4)
    assert meeting.share is not None
    assert meeting.found / 20_000 < meeting.share[0] < meeting.share[1]
    apart = members_of_parts(20_000, [(0.5, 0.05), (0.05, 0.5)] * 2)
    assert apart.share is not None
    assert apart.share[0] < apart.share[1] < apart.found / 20_000


def test_two_members_are_estimated_as_lincoln_and_petersen_do() -> None:
    both, one, other = 300, 500, 600
    found = [set(range(both + one)), {*range(both), *range(-other, 0)}]
    size = (both + one) * (both + other) / both
    assert paired_size(found) == pytest.approx(size, rel=0.01)
    assert both + one + other + chao_unseen(one + other, both, [both + one, both + other]) == pytest.approx(
        size, rel=0.01
    )


def test_there_is_no_estimate_without_an_overlap_and_none_is_missing_where_all_found_all() -> None:
    assert coverage_of([]).share is None
    assert coverage_of([(1, 2)]).share is None
    assert coverage_of([(1, 2), (3, 4)]).share is None
    same = coverage_of([(1, 2, 3), (1, 2, 3)])
    assert (same.found, same.exact, same.size, same.share, same.is_poor) == (3, True, (3, 3), (1, 1), False)
    poor = coverage_of([(1, 2, 3), (3, 4, 5)])
    assert (poor.once, poor.twice, poor.is_poor) == (4, 1, True)
    assert poor.size == pytest.approx((5 + 1 / 2 * 4 * 3 / 4, 7))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (1e-9, "less than 0.01 %"),
        (0.99999, "more than 99.9 %"),
        (0.016, "1.6 %"),
        (0.5, "50.0 %"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(share: float, text: str) -> None:
    assert percent(share) == text
