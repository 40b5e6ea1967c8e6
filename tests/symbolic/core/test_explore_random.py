"""Exploration of random programs against brute force, with every solver and without."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.self_check import check_partition, check_purity, enumerate_inputs
from sdnloom.symbolic.solver.flip import BranchFlipper
from sdnloom.symbolic.solver.guess import guess
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.simplify import essential
from tests.symbolic.core.programs import DOMAINS, VARIABLES, conditions, large_program, programs, runner
from tests.symbolic.core.recipes import build

ALL_INPUTS = list(enumerate_inputs(VARIABLES, ()))
MEANS = {
    "guess and solver": ExplorationOptions(),
    "solver only": ExplorationOptions(guess=False),
    "z3 only": ExplorationOptions(guess=False, solver="z3"),
}


def paths_of(exploration):
    return {tuple((branch.condition, branch.taken) for branch in found.branches) for found in exploration.classes}


def paths_by_brute_force(run, domain):
    paths = set()
    for model in enumerate_inputs(VARIABLES, domain):
        execution = Execution(model)
        run(execution)
        paths.add(tuple((branch.condition, branch.taken) for branch in execution.branches))
    return paths


@pytest.mark.slow
@settings(max_examples=40)
@given(programs(), st.sampled_from(DOMAINS))
def test_classes_are_those_of_brute_force(program, domain):
    run = runner(program)
    exploration = explore(run, VARIABLES, domain)
    assert exploration.complete, exploration.reasons
    assert paths_of(exploration) == paths_by_brute_force(run, domain)
    assert check_partition(exploration, run, same=lambda found, model, output: found.output == output)
    assert exploration.statistics.paths == len(exploration.classes)


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS, ids=["all inputs", "choices", "related"])
def test_classes_of_large_programs_are_those_of_brute_force(domain):
    totals = Counter()
    for seed in range(24):
        run = runner(large_program(Random(seed)))
        exploration = explore(run, VARIABLES, domain)
        assert exploration.complete, exploration.reasons
        assert paths_of(exploration) == paths_by_brute_force(run, domain)
        statistics = exploration.statistics
        totals.update(guessed=statistics.guessed, refuted=statistics.refuted, unsat=statistics.unsat)
    assert min(totals.values()) > 30  # each way of deciding a flip was used


@settings(max_examples=30)
@given(programs(), st.sampled_from(DOMAINS))
def test_every_solver_finds_the_same_classes(program, domain):
    run = runner(program)
    found = {name: explore(run, VARIABLES, domain, options=options) for name, options in MEANS.items()}
    assert all(exploration.complete for exploration in found.values())
    assert len({frozenset(paths_of(exploration)) for exploration in found.values()}) == 1


@pytest.mark.slow
@settings(max_examples=30)
@given(programs())
def test_guessing_alone_never_invents_a_class_and_reports_undecided_branches(program):
    run = runner(program)
    alone = explore(run, VARIABLES, options=ExplorationOptions(solver="none"))
    everything = paths_by_brute_force(run, ())
    assert paths_of(alone) <= everything
    assert alone.complete == (not alone.reasons)
    if alone.complete:
        assert paths_of(alone) == everything
    else:
        assert "no solver is in use" in alone.reasons[0]


@pytest.mark.slow
@settings(max_examples=30)
@given(programs(), st.sampled_from(DOMAINS))
def test_further_models_of_a_class_behave_alike(program, domain):
    run = runner(program)
    purity = check_purity(explore(run, VARIABLES, domain), run, same=lambda found, _, output: found.output == output)
    assert purity, purity.impure


@settings(max_examples=30)
@given(programs())
def test_exploration_is_deterministic(program):
    first, second = (explore(runner(program), VARIABLES, clock=lambda: 0.0) for _ in range(2))
    assert first == second


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(conditions(), max_size=3), conditions(), st.sampled_from(ALL_INPUTS), st.sampled_from(DOMAINS))
def test_flips_agree_with_enumeration(prefix, goal, model, domain):
    """Facts refute only flips without inputs; guesses and solver models satisfy all literals; unsat means no input."""
    condition = build(goal)
    if not all(evaluate_term(constraint, model) for constraint in domain):
        model = next(enumerate_inputs(VARIABLES, domain))
    literals = [(term, bool(evaluate_term(term, model))) for term in map(build, prefix)]
    wanted = not evaluate_term(condition, model)
    facts = Facts()
    for constraint in domain:
        facts.learn(constraint, True)
    for term, holds in literals:
        facts.learn(term, holds)

    def meets(inputs):
        return all(bool(evaluate_term(term, inputs)) is holds for term, holds in [*literals, (condition, wanted)])

    possible = any(meets(inputs) for inputs in enumerate_inputs(VARIABLES, domain))
    if facts.refutes(condition, wanted):
        assert not possible
    guessed = guess([*((term, True) for term in domain), *literals], condition, wanted, model, facts)
    assert guessed is None or (possible and meets(guessed))
    for guessing in (True, False):
        inputs = BranchFlipper(domain, find_solver("bitwuzla"), lambda: 0.0, guessing)
        answer = inputs.flip(literals, condition, wanted, model, facts)
        if possible:
            assert isinstance(answer, dict)
            assert meets(answer)
            assert all(evaluate_term(constraint, answer) for constraint in domain)
        else:
            assert answer is SolverAnswer.UNSAT


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(conditions(), max_size=5), st.sampled_from(ALL_INPUTS))
def test_facts_never_exclude_a_model(prefix, model):
    facts = Facts()
    for condition in map(build, prefix):
        holds = bool(evaluate_term(condition, model))
        assert not facts.refutes(condition, holds)
        facts.learn(condition, holds)
        assert not facts.refutes(condition, holds)
    for variable in VARIABLES:
        assert model[variable.args[0]] in facts.range(variable)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(conditions(), max_size=5), st.sampled_from(ALL_INPUTS))
def test_essential_literals_have_the_same_models(prefix, model):
    literals = [
        term if evaluate_term(term, model) else build(("not_", 0, recipe))
        for recipe in prefix
        for term in [build(recipe)]
    ]
    fewer = essential(literals)
    assert set(fewer) <= set(literals)
    for inputs in ALL_INPUTS:
        assert all(evaluate_term(term, inputs) for term in literals) == all(
            evaluate_term(term, inputs) for term in fewer
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 4), conditions()), min_size=1, max_size=8))
def test_an_incremental_solver_answers_like_a_fresh_one(name, queries):
    """Prefixes that share, shrink and change in any order."""
    solver = find_solver(name)
    incremental = solver(DOMAINS[1])
    prefix = []
    for keep, recipe in queries:
        goal = build(recipe)
        prefix = prefix[:keep]
        mine, fresh = incremental.check(prefix, goal), solver(DOMAINS[1]).check(prefix, goal)
        assert isinstance(mine, dict) == isinstance(fresh, dict)
        if isinstance(mine, dict):
            model = {"a": 0, "b": 0, "c": 0, **mine}
            assert all(evaluate_term(term, model) for term in [*DOMAINS[1], *prefix, goal])
            prefix = [*prefix, goal]
