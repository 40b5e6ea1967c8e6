"""Results of an exploration: classes, counts, and every reason for which it is not complete."""

import itertools
import re
from pathlib import Path

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.execution import Execution, PathLimit, Site, current
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import ExplorationError, PathRun, explore
from sdnloom.symbolic.self_check import check_partition, check_purity, enumerate_inputs
from sdnloom.symbolic.solver import interface as solving
from sdnloom.symbolic.solver.interface import SolverError
from sdnloom.symbolic.terms.constructors import (
    TRUE,
    add,
    all_,
    any_,
    concat,
    const,
    eq,
    evaluate_term,
    ite,
    mul,
    not_,
    term_text,
    ule,
    ult,
    var,
    zero_extend,
)

SRC, DST = var("eth.src", 48, "mac"), var("eth.dst", 48, "mac")
TYPE = var("eth.type", 16, "hex")
X, Y = var("x", 8), var("y", 8)
SMALL_X, SMALL_Y = var("x", 4), var("y", 4)  # few enough to try them all
HERE = Site("app.py", 10, "==")


def mac_learning(execution):
    """Decide as a learning switch with two known addresses does: LLDP is ignored, the source is learned."""
    src, dst = execution.value("eth.src"), execution.value("eth.dst")
    if execution.branch(eq(TYPE, const(0x88CC, 16)), execution.value("eth.type") == 0x88CC, Site("app.py", 1)):
        return "ignore"
    table = [(const(0xA, 48), 0xA), (const(0xB, 48), 0xB)]
    if not any(execution.branch(eq(SRC, key), src == value, Site("app.py", 2)) for key, value in table):
        table.append((SRC, src))
    for key, value in table:
        if execution.branch(eq(DST, key), dst == value, Site("app.py", 3)):
            return "forward"
    return "flood"


def test_a_learning_switch_has_eleven_classes_and_guessing_finds_them_all():
    exploration = explore(mac_learning, [SRC, DST, TYPE])
    assert exploration.complete
    assert exploration.reasons == ()
    assert len(exploration.classes) == 11
    assert sorted(found.output for found in exploration.classes) == ["flood"] * 3 + ["forward"] * 7 + ["ignore"]
    statistics = exploration.statistics
    assert (statistics.paths, statistics.guessed, statistics.refuted) == (11, 10, 0)
    assert (statistics.solved, statistics.unsat, statistics.unknown) == (0, 0, 0)
    purity = check_purity(exploration, mac_learning)
    assert purity
    assert purity.models == 11 * 20
    assert purity.small_classes == 0


def test_conditions_are_readable_and_leave_out_what_is_implied():
    exploration = explore(mac_learning, [SRC, DST, TYPE])
    shown = [found.readable for found in exploration.classes]
    assert "eth.type == 0x88cc" in shown
    assert "eth.type != 0x88cc and eth.src == 00:00:00:00:00:0b and eth.dst == 00:00:00:00:00:0b" in shown
    assert len(set(shown)) == 11


def test_a_domain_restricts_the_classes_and_facts_decide_what_it_excludes():
    domain = [
        eq(TYPE, const(0x800, 16)),
        any_(*(eq(SRC, const(value, 48)) for value in (0xA, 0xB))),
        any_(*(eq(DST, const(value, 48)) for value in (0xA, 0xC))),
    ]
    exploration = explore(mac_learning, [SRC, DST, TYPE], domain)
    assert exploration.complete
    assert len(exploration.classes) == 4
    assert exploration.statistics.solved == exploration.statistics.unsat == 0
    partition = check_partition(exploration, mac_learning)
    assert partition
    assert partition.inputs == 4


def test_the_search_starts_near_the_initial_values():
    exploration = explore(mac_learning, [SRC, DST, TYPE], initial={"eth.src": 0xB, "eth.type": 0x800})
    assert exploration.classes[0].witness == {"eth.src": 0xB, "eth.dst": 0, "eth.type": 0x800}
    assert len(exploration.classes) == 11


def test_an_unsatisfiable_domain_is_reported_with_its_contradictory_constraints():
    domain = [ult(X, const(5, 8)), ult(Y, const(9, 8)), ult(const(7, 8), X)]
    exploration = explore(lambda execution: None, [X, Y], domain)
    assert exploration.classes == ()
    assert not exploration.complete
    assert exploration.reasons == (
        "the domain constraints are unsatisfiable, so there are no inputs: (x < 5) and (7 < x)",
    )


def counting_loop(execution):
    """Count up to x, asking each time."""
    number = 0
    while not execution.branch(eq(X, const(number, 8)), execution.value("x") == number, HERE):
        number += 1
    return number


def test_a_loop_on_symbolic_input_is_cut_at_the_depth_and_reported():
    exploration = explore(counting_loop, [X], options=ExplorationOptions(depth=20))
    assert not exploration.complete
    assert exploration.reasons == (
        "1 path did not end within the budget, first app.py:10 (==): the path was cut at 20 branches",
    )
    assert sorted(found.output for found in exploration.classes) == list(range(20))


def test_a_loop_that_ends_within_the_budget_is_complete():
    exploration = explore(counting_loop, [X])
    assert exploration.complete
    assert len(exploration.classes) == 256


def test_a_loop_on_one_undecided_condition_ends_at_the_step_budget():
    def spin(execution):
        while not execution.branch(eq(X, const(7, 8)), execution.value("x") == 7, HERE):
            pass

    exploration = explore(spin, [X], options=ExplorationOptions(steps=500))
    assert [found.witness for found in exploration.classes] == [{"x": 7}]
    assert exploration.reasons == (
        "1 path did not end within the budget, first app.py:10 (==): the path was cut at 500 steps",
    )


def test_a_handler_that_swallows_everything_is_still_cut():
    def stubborn(execution):
        for number in range(50):
            try:
                execution.branch(eq(X, const(number, 8)), execution.value("x") == number, HERE)
            except BaseException:
                continue
        return "done"

    exploration = explore(stubborn, [X], options=ExplorationOptions(depth=5, paths=100))
    assert not exploration.complete
    assert "did not end within the budget" in exploration.reasons[0]
    assert exploration.classes == ()


def test_ticks_count_as_steps():
    execution = Execution({}, max_steps=10)
    for _ in range(9):
        execution.tick(lambda: HERE)
    with pytest.raises(PathLimit):
        execution.tick(lambda: HERE)
    assert execution.limit == "app.py:10 (==): the path was cut at 10 steps"


def test_an_exception_is_a_class_with_its_site():
    def fragile(execution):
        if execution.branch(eq(X, const(3, 8)), execution.value("x") == 3, HERE):
            raise LookupError("no such thing: 3\nsecond line")
        return "fine"

    exploration = explore(fragile, [X])
    assert exploration.complete
    fine, raised = exploration.classes
    assert (fine.output, fine.exception) == ("fine", None)
    assert raised.witness == {"x": 3}
    assert (raised.exception.type, raised.exception.message) == ("LookupError", "no such thing: 3\nsecond line")
    assert raised.exception.site.file == __file__
    assert "raise LookupError" in raised.exception.traceback


def test_lost_constraints_are_reported_by_site_and_counted():
    def calls_c(execution):
        execution.note_concretised(Site("app.py", 4), "math.sqrt")
        return execution.branch(ult(X, Y), execution.value("x") < execution.value("y"), HERE)

    exploration = explore(calls_c, [X, Y])
    assert len(exploration.classes) == 2
    assert not exploration.complete
    assert exploration.concretised == ((Site("app.py", 4, "math.sqrt"), 2),)
    assert exploration.reasons == ("constraints were lost at 1 site, first app.py:4 (math.sqrt)",)


def test_a_lost_constraint_that_changes_the_path_is_a_divergence():
    def forgets(execution):
        if execution.value("x") > 100:  # decided without a recorded branch
            execution.branch(eq(Y, const(1, 8)), execution.value("y") == 1, Site("app.py", 5))
        else:
            execution.branch(eq(Y, const(2, 8)), execution.value("y") == 2, Site("app.py", 6))
        execution.branch(eq(X, const(200, 8)), execution.value("x") == 200, Site("app.py", 7))

    exploration = explore(forgets, [X, Y])
    assert not exploration.complete
    assert exploration.divergences[0].site == Site("app.py", 5)
    assert str(exploration.divergences[0]) == "app.py:5: predicted y != 2, got y != 1"
    assert "from the prediction, first app.py:5" in exploration.reasons[-1]


def test_a_term_that_disagrees_with_its_value_is_a_divergence():
    def wrong(execution):
        x, y = execution.value("x"), execution.value("y")
        execution.branch(eq(Y, const(3, 8)), y == 3, HERE)
        execution.branch(eq(X, const(0, 8)), x == 2, HERE)
        execution.branch(eq(mul(Y, Y), const(49, 8)), y * y % 256 == 49, HERE)

    exploration = explore(wrong, [X, Y])
    assert not exploration.complete
    assert str(exploration.divergences[0]) == "app.py:10 (==): predicted x == 0 to be True, got False"
    assert exploration.reasons == (f"2 divergences from the prediction, first {exploration.divergences[0]}",)
    assert exploration.statistics.paths == 2, "what follows the contradiction is not explored"


def test_a_run_that_depends_on_what_ran_before_is_a_divergence():
    runs = itertools.count()

    def drifting(execution):
        execution.branch(eq(X, const(1, 8)), execution.value("x") == 1, HERE)
        if next(runs) % 2:
            execution.branch(eq(Y, const(1, 8)), execution.value("y") == 1, HERE)
        execution.branch(eq(Y, const(2, 8)), execution.value("y") == 2, HERE)

    assert explore(drifting, [X, Y]).divergences


@pytest.mark.slow
def test_an_impure_class_is_found_by_further_models():
    def forgets(execution):
        return execution.value("x") > 6 and execution.branch(
            eq(SMALL_Y, const(1, 4)), execution.value("y") == 1, Site("app.py", 5)
        )

    exploration = explore(forgets, [SMALL_X, SMALL_Y])
    purity = check_purity(exploration, forgets)
    assert not purity
    assert purity.impure[0].site == Site("app.py", 5)
    assert not check_partition(exploration, forgets)


@pytest.mark.slow
def test_outputs_and_exceptions_are_part_of_purity():
    def hides(execution):
        execution.branch(ult(SMALL_Y, const(9, 4)), execution.value("y") < 9, HERE)
        if execution.value("x") > 13:
            raise ValueError
        return execution.value("x")

    exploration = explore(hides, [SMALL_X, SMALL_Y])
    assert exploration.complete, "nothing was seen to go wrong"
    assert any(
        "expected no exception, got ValueError" in str(found) for found in check_partition(exploration, hides).impure
    )
    assert not check_purity(exploration, hides, same=lambda found, model, output: found.output == output)


def test_the_path_budget_is_exact_and_not_a_reason_when_nothing_is_left():
    assert explore(counting_loop, [X], options=ExplorationOptions(paths=256)).complete
    cut = explore(counting_loop, [X], options=ExplorationOptions(paths=255))
    assert cut.statistics.paths == 255
    assert cut.reasons == ("the budget of 255 paths is used up",)


def test_the_time_limit_ends_the_search_between_and_within_runs():
    ticks = itertools.count()
    between = explore(counting_loop, [X], options=ExplorationOptions(seconds=50), clock=lambda: float(next(ticks)))
    assert between.reasons[0] == "the time limit of 50 s is reached"
    assert 0 < len(between.classes) < 50

    def spin(execution):
        while not execution.branch(eq(X, const(7, 8)), execution.value("x") == 7, HERE):
            pass

    ticks = itertools.count()
    within = explore(spin, [X], options=ExplorationOptions(seconds=5, steps=10**9), clock=lambda: float(next(ticks)))
    assert within.reasons == (
        "the time limit of 5 s is reached",
        "1 path did not end within the budget, first app.py:10 (==): the path was cut at the time limit",
    )


def test_an_interrupt_ends_the_search_with_what_was_found():
    def interrupted(execution):
        if execution.value("x") == 5:
            raise KeyboardInterrupt
        return counting_loop(execution)

    exploration = explore(interrupted, [X])
    assert len(exploration.classes) == 5
    assert exploration.reasons == ("interrupted from the keyboard",)
    assert current() is None


def test_an_interrupt_before_a_query_ends_the_search_with_what_was_found():
    flips = itertools.count(1)

    def limit():
        if next(flips) == 4:
            raise KeyboardInterrupt("the limit")

    exploration = explore(counting_loop, [X], before_query=limit)
    assert (len(exploration.classes), exploration.reasons) == (4, ("the limit",))


def test_assumptions_restrict_without_being_explored():
    def assuming(execution):
        x = execution.value("x")
        execution.assume(ult(const(9, 8), X), x > 9, HERE)
        return execution.branch(eq(X, const(20, 8)), x == 20, HERE)

    exploration = explore(assuming, [X])
    assert exploration.complete
    assert [found.output for found in exploration.classes] == [False, True]
    assert all(found.witness["x"] > 9 for found in exploration.classes)
    assert exploration.statistics.paths == 3
    assert check_partition(exploration, assuming)


def test_assumptions_that_no_input_satisfies_are_reported():
    def assuming(execution):
        execution.assume(ult(X, Y), execution.value("x") < execution.value("y"), HERE)

    exploration = explore(assuming, [X, Y], [ule(Y, X)])
    assert exploration.reasons == ("every run was discarded by an assumption",)
    assert not exploration.complete


def test_pinned_values_are_explored_one_by_one():
    i, j = var("i", 2), var("j", 2)

    def indexing(execution):
        first = "abcd"[execution.pin(zero_extend(i, 8), execution.value("i"), HERE)]
        execution.branch(ult(i, j), execution.value("i") < execution.value("j"), HERE)
        return first + "efgh"[execution.pin(j, execution.value("j"), HERE)]

    exploration = explore(indexing, [i, j])
    assert exploration.complete, exploration.reasons
    assert sorted(found.output for found in exploration.classes) == [a + b for a in "abcd" for b in "efgh"]
    assert check_partition(exploration, indexing, same=lambda found, _, output: found.output == output)
    assert check_purity(exploration, indexing)


def test_pinned_terms_of_any_shape_are_explored_one_by_one():
    i = var("i", 2)
    shapes = [concat(const(1, 1), i, const(2, 2), i), ite(ult(i, const(3, 2)), const(4, 4), zero_extend(i, 4))]

    def pinning(execution):
        return [execution.pin(shape, evaluate_term(shape, execution.model), HERE) for shape in shapes]

    exploration = explore(pinning, [i])
    assert exploration.complete, exploration.reasons
    shifted = [[0b10010 << 2, 4], [0b10110 << 2 | 1, 4], [0b11010 << 2 | 2, 4], [0b11110 << 2 | 3, 3]]
    assert sorted(found.output for found in exploration.classes) == shifted


def test_branches_are_not_recorded_in_a_parser_and_counted():
    def parsing(execution):
        with execution.unrecorded():
            execution.branch(ult(X, Y), execution.value("x") < execution.value("y"), HERE)
        return execution.branch(eq(X, const(1, 8)), execution.value("x") == 1, HERE)

    exploration = explore(parsing, [X, Y])
    assert len(exploration.classes) == 2
    assert exploration.statistics.unrecorded == 2


def test_a_condition_is_recorded_once_in_either_polarity():
    execution = Execution({"x": 1})
    condition = eq(X, const(1, 8))
    assert execution.branch(condition, True, HERE) is True
    assert execution.branch(not_(condition), False, HERE) is False
    assert execution.branch(condition, True, HERE) is True
    assert execution.branch(TRUE, True, HERE) is True
    assert [(branch.condition, branch.taken) for branch in execution.branches] == [(condition, True)]


def test_executions_nest():
    outer, inner = Execution({}), Execution({})
    with outer.active():
        with inner.active():
            assert current() is inner
        assert current() is outer
    assert current() is None


def test_progress_is_reported_after_each_run():
    events = []
    explore(mac_learning, [SRC, DST, TYPE], on_event=events.append)
    assert [event.paths for event in events] == list(range(1, 12))
    assert all(isinstance(event, PathRun) and event.found is not None for event in events)
    assert events[-1].classes == 11


def hard(execution):
    """Ask for a sum of two cubes that is a cube."""
    numbers = [zero_extend(var(name, 20), 64) for name in "abc"]
    values = [execution.value(name) for name in "abc"]
    a, b, c = (mul(mul(number, number), number) for number in numbers)
    positive = all_(*(not_(eq(number, const(0, 64))) for number in numbers))
    met = values[0] ** 3 + values[1] ** 3 == values[2] ** 3 and all(values)
    return execution.branch(all_(positive, eq(add(a, b), c)), met, HERE)


def test_a_query_that_takes_too_long_is_left_open_and_reported():
    names = [var(name, 20) for name in "abc"]
    exploration = explore(hard, names, options=ExplorationOptions(query_seconds=0.05))
    assert exploration.statistics.unknown == 1
    assert exploration.reasons == ("1 branch undecided: the solver gave up after 0.05 s",)


def test_without_a_solver_what_guessing_cannot_answer_is_left_open(monkeypatch):
    def not_there():
        raise ImportError

    monkeypatch.setattr(solving, "_BACK_ENDS", {"bitwuzla": (not_there, "symbolic")})
    names = [var(name, 20) for name in "abc"]
    exploration = explore(hard, names)
    assert exploration.reasons == ("1 branch undecided: no solver is in use: pip install 'sdnloom[symbolic]'",)
    with pytest.raises(SolverError, match=r"'bitwuzla' is not installed: pip install 'sdnloom\[symbolic\]'"):
        explore(hard, names, options=ExplorationOptions(solver="bitwuzla"))
    blind = explore(lambda execution: None, [X], [eq(mul(X, X), const(225, 8)), ult(const(30, 8), X)])
    assert blind.reasons[0].startswith("no inputs were found that satisfy the domain constraints (no solver is in use")


def test_the_same_query_behind_unrelated_branches_is_solved_once():
    impossible = eq(mul(X, X), const(3, 8))

    def asks(execution):
        for value in range(4):
            execution.branch(eq(Y, const(value, 8)), execution.value("y") == value, HERE)
        return execution.branch(impossible, execution.value("x") ** 2 % 256 == 3, HERE)

    exploration = explore(asks, [X, Y])
    assert exploration.complete
    assert len(exploration.classes) == 5
    assert (exploration.statistics.unsat, exploration.statistics.remembered) == (1, 4)


@pytest.mark.parametrize(
    ("variables", "domain", "initial", "message"),
    [
        ([X, var("x", 9)], [], {}, "two variables of different width or kind are named 'x'"),
        ([const(1, 8)], [], {}, "1 is not a variable"),
        ([X], [Y], {}, "the domain constraint y is not a truth value"),
        ([X], [ult(X, Y)], {}, "the domain constraint x < y mentions 'y', which is not declared"),
        ([X], [], {"y": 1}, "the initial value 1 is for 'y', which is not declared"),
        ([X], [], {"x": 256}, "the initial value 256 of 'x' does not fit into 8 bits"),
    ],
)
def test_invalid_variables_and_domains_are_refused(variables, domain, initial, message):
    with pytest.raises(ExplorationError, match=message):
        explore(lambda execution: None, variables, domain, initial=initial)


def test_a_condition_on_an_undeclared_variable_is_an_error_with_its_site():
    with pytest.raises(ExplorationError, match=r"app.py:10 \(==\): a condition mentions the variable 'y'"):
        explore(lambda execution: execution.branch(eq(Y, const(0, 8)), True, HERE), [X])


def test_an_unknown_solver_is_refused():
    with pytest.raises(SolverError, match="'yices'; expected one of auto, bitwuzla, z3, none"):
        explore(mac_learning, [SRC, DST, TYPE], options=ExplorationOptions(solver="yices"))


def test_a_domain_too_large_to_enumerate_is_refused():
    with pytest.raises(ExplorationError, match="at most 1048576"):
        next(enumerate_inputs([SRC], []))


def test_symbolic_outputs_are_kept_as_they_are():
    exploration = explore(lambda execution: add(X, const(1, 8)), [X])
    assert term_text(exploration.classes[0].output) == "x + 1"


def test_an_error_meant_for_the_user_passes_through():
    def unusable(execution):
        raise SdnloomError("the app cannot be loaded")

    with pytest.raises(SdnloomError, match="the app cannot be loaded"):
        explore(unusable, [X])


def test_the_documented_example_prints_what_the_page_says(capsys):
    page = (Path(__file__).parents[3] / "docs" / "symbolic.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (tcp.*)$", code, re.MULTILINE)


def test_a_path_found_again_after_a_divergence_is_not_a_second_class():
    exploration = explore(lambda execution: execution.branch(eq(X, const(1, 8)), False, HERE), [X])
    assert exploration.statistics.paths == 2
    assert len(exploration.classes) == 1
    assert not exploration.complete
