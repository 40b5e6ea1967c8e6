"""Minimised walks: ten of the hundred that `python -m benchmarks minimise` takes of each of three subjects."""

from benchmarks.minimise import NEAR, can_be_left_out, long_walk
from benchmarks.minimise_subjects import plain_python
from sdnloom.engine.counterexample.minimise import minimise


def test_walks_of_hundreds_of_steps_become_shortest_counterexamples() -> None:
    subject = plain_python()
    assert subject.shortest == {"NoForgottenPackets": 7}
    beyond, seed = [], 0
    while len(beyond) < 10:
        walk = long_walk(subject, seed)
        seed += 1
        if walk is not None:
            path, found = walk
            assert len(path) > 200
            shorter = minimise(subject.semantics, path, found, same_message=False)
            assert shorter.minimal
            assert not can_be_left_out(subject.semantics, shorter.path, found.property)
            beyond.append(len(shorter.path) - 7)
    assert seed == 23
    assert max(beyond) <= NEAR
