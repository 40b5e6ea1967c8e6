"""Walks through random programs of actors, minimised and explained: no step can be left out, and removals are true."""

from collections import Counter
from functools import partial

from sdnloom.actors.causes import actor_senders
from sdnloom.actors.search.path import RecordedSemantics
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.counterexample.explanation import explain_path
from sdnloom.engine.counterexample.follow import is_alike
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.counterexample.orderings import OrderRule
from sdnloom.engine.model import Mode
from sdnloom.engine.path import Path, ReplayDivergence, final_state, replay
from sdnloom.engine.walk import random_walk
from tests.actors.random_programs import random_program

MOST_STATES = 60


def names_after(semantics, path):
    """The properties that are violated at the end of a path; nothing if it cannot be taken."""
    try:
        taken = replay(semantics, path)
    except ReplayDivergence:
        return set()
    return {each.property for each in semantics.findings(final_state(semantics, taken))}


def still_violates(semantics, first, second, rule, name):
    """Whether an order of the program violates the property under a rule; a visit of every state."""
    exact = is_alike(first, second)

    def like(step, other):
        return step == other if exact else is_alike(step, other) and step.choice == other.choice

    seen = {semantics.initial()}
    work = list(seen)
    while work:
        state = work.pop()
        if any(each.property == name for each in semantics.findings(state)):
            return True
        enabled = semantics.transitions(state)
        held = [t for t in enabled if like(t.step, first)]
        if rule is OrderRule.NOT_BEFORE:
            blocks = any(like(t.step, second) for t in enabled)
        else:
            blocks = any(t.action.mode is Mode.MUST and t not in held for t in enabled)
        for each in enabled:
            if not (blocks and each in held) and each.state not in seen:
                seen.add(each.state)
                work.append(each.state)
    return False


def test_walks_through_random_programs_become_minimal_and_removals_are_true():
    counts: Counter[str] = Counter()
    for profile in ("monitors", "failures"):  # these programs need not come to their end
        for seed in range(45):
            program = random_program(seed, profile)
            plain = ActorSemantics(program)
            walk = random_walk(plain, seed, 60)
            if not walk.findings:
                continue
            recorded = RecordedSemantics(program)
            shorter = minimise(recorded, walk.path, walk.findings[0], same_message=False, most_states=MOST_STATES)
            name, path = shorter.found.property, shorter.path
            assert shorter.minimal
            assert len(path) <= len(walk.path)
            assert name in names_after(plain, path)
            for gone in range(len(path)):
                assert name not in names_after(plain, Path(path.steps[:gone] + path.steps[gone + 1 :]))
            taken = replay(plain, path)
            explained = explain_path(
                recorded, taken, shorter.found, senders_of=partial(actor_senders, program), most_states=MOST_STATES
            )
            counts["paths"] += 1
            counts["shorter"] += len(path) < len(walk.path)
            for each in explained.mattering:
                if each.removes is not None:
                    rule, first = each.enforced[-1].rule, taken[each.first].step
                    expected = still_violates(plain, first, each.other.step, rule, name)
                    assert each.removes is not expected, (profile, seed)
                    counts[f"removes {each.removes}"] += 1
    assert counts["paths"] > 40, counts
    assert (counts["shorter"], counts["removes True"], counts["removes False"]) == (13, 2, 1)
