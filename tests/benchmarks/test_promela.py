"""The Promela model of the pings has exactly the states and transitions of the system, and its runner is strict."""

import pytest

from benchmarks import spin_runner
from benchmarks.spin_runner import VARIANTS, SpinError, build, hash_bits, parse, quiescent_states, run

FULL = {1: (17, 16), 2: (296, 508), 3: (4_649, 11_231)}
REDUCED = {1: (17, 16), 2: (208, 275), 3: (2_183, 3_553)}
QUIESCENT = {1: 1, 2: 3, 3: 3}

OUTPUT = """
State-vector 116 byte, depth reached 46, errors: 0
     4649 states, stored
     6583 states, matched
    11232 transitions (= stored+matched)

pan: elapsed time 0.25 seconds
measured 0 8605696 0.27
"""


@pytest.fixture(autouse=True)
def built_quickly(monkeypatch):
    """Searchers are built without optimisation: the counts are the same, and at these sizes gcc is what takes time."""
    for variant, flags in spin_runner._PAN_FLAGS.items():
        monkeypatch.setitem(spin_runner._PAN_FLAGS, variant, (*flags, "-O0"))


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_spin_finds_exactly_the_known_states_and_transitions(need_tool, tmp_path, n, variant):
    need_tool("spin", "gcc")
    figures = run(build(n, variant, tmp_path), hash_bits(n, variant))
    assert (figures.states, figures.transitions) == (REDUCED if variant == "reduced" else FULL)[n]
    assert figures.errors == 0
    assert figures.peak_bytes > 0


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["full", "reduced"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_claims_for_the_reduction_lose_no_quiescent_state(need_tool, tmp_path, n, variant):
    # The reduced search visits a subset of the states, so an equal number means the same ones.
    need_tool("spin", "gcc")
    assert quiescent_states(n, variant, tmp_path) == QUIESCENT[n]


def test_splitting_the_actions_into_processes_changes_no_count(need_tool, tmp_path, monkeypatch):
    need_tool("spin", "gcc")
    monkeypatch.setitem(spin_runner._PAN_FLAGS, "reduced", ("-DNOREDUCE", "-O0"))
    figures = run(build(3, "reduced", tmp_path), hash_bits(3, "full"))
    assert (figures.states, figures.transitions) == FULL[3]


def test_a_search_cut_off_by_depth_is_refused(need_tool, tmp_path):
    need_tool("spin", "gcc")
    with pytest.raises(SpinError, match="did not complete"):
        run(build(2, "full", tmp_path), hash_bits(2, "full"), max_depth=20)


@pytest.mark.parametrize("n", [0, 9])
def test_a_number_of_pings_that_the_model_cannot_pack_is_refused(need_tool, tmp_path, n):
    need_tool("spin", "gcc")
    with pytest.raises(SpinError, match="N is 1 to 8"):
        build(n, "full", tmp_path)


def test_the_initial_state_is_not_counted_as_a_transition():
    figures = parse(OUTPUT)
    assert (figures.states, figures.transitions, figures.depth) == (4_649, 11_231, 46)
    assert (figures.seconds, figures.cpu_seconds, figures.peak_bytes) == (0.25, 0.27, 8_605_696)


@pytest.mark.parametrize(
    ("printed", "instead", "message"),
    [
        ("4649 states", "1.2345679e+08 states", "1.2345679e\\+08"),
        ("errors: 0", "errors: 1", "1 errors"),
        ("measured 0", "measured -9", "exit code -9"),
        ("states, stored", "", "nothing like"),
    ],
)
def test_output_of_anything_but_a_complete_exact_search_is_refused(printed, instead, message):
    with pytest.raises(SpinError, match=message):
        parse(OUTPUT.replace(printed, instead))


def test_an_unknown_variant_is_refused_by_name(tmp_path):
    with pytest.raises(SpinError, match="'bitstate'"):
        build(1, "bitstate", tmp_path)
