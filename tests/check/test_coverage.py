"""Coverage of programs: lines and branches, of functions and classes that count, beside other measurements."""

import itertools
import subprocess
import sys
from pathlib import Path

import coverage as coverage_py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.check.coverage import Coverage, CoverageError
from sdnloom.engine.model import Action, Component, Outcome, System
from sdnloom.engine.search import search

TEXT = '''\
class Program:
    limit = 3

    def step(self, x):
        """Say something of a number."""
        if x > 1 and x < self.limit:
            return "two"
        for y in range(x):
            if y == 4:
                break
        else:
            x = -x
        try:
            1 / (x - 7)
        except ZeroDivisionError:
            return "seven"
        return [z for z in (1, 2) if z == x]


def never():
    return 1
'''


def load(folder: Path):
    file = folder / "program.py"
    file.write_text(TEXT)
    namespace: dict = {"__name__": "program"}
    exec(compile(TEXT, str(file), "exec"), namespace)
    return file, namespace["Program"]()


def test_lines_and_branches_that_ran_are_reached(tmp_path: Path) -> None:
    file, program = load(tmp_path)
    coverage = Coverage((file,))
    [before] = coverage.report()
    assert before.reached_lines == 0
    assert before.lines == (6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 21)
    assert before.reached_branches == 0
    coverage.watching(lambda: program.step(0))
    [after] = coverage.report()
    assert after.missed_lines == (7, 9, 10, 15, 16, 21)
    coverage.watching(lambda: program.step(2))
    assert coverage.report()[0].missed_lines == (9, 10, 15, 16, 21)
    for number in (1, 3, 5, 7, -7):
        coverage.watching(lambda number=number: program.step(number))
    [everything] = coverage.report()
    assert everything.missed_lines == (21,)
    assert everything.branches == before.branches


def test_both_branches_of_a_condition_are_counted(tmp_path: Path) -> None:
    file, program = load(tmp_path)
    coverage = Coverage((file,))
    coverage.watching(lambda: program.step(3))
    missed = coverage.report()[0].missed_branches
    assert [(a, b) for a, b in missed if a == 6] == [(6, 7)]  # never both conditions
    assert (9, 10) in missed
    coverage.watching(lambda: program.step(2))
    assert [(a, b) for a, b in coverage.report()[0].missed_branches if a == 6] == []


@pytest.mark.parametrize("length", [1, 40, 400])
def test_branches_over_long_bodies_are_seen(tmp_path: Path, length: int) -> None:
    body = "".join(f"   y = x + {number % 100}\n" for number in range(length))
    text = f"def f(x):\n  if x > 3:\n{body}  for _ in range(x):\n{body}   if x > 6: return 5\n  return 1\n"
    file = tmp_path / "long.py"
    file.write_text(text)
    namespace: dict = {}
    exec(compile(text, str(file), "exec"), namespace)
    coverage = Coverage((file,))
    over, loop = 3 + length, 4 + 2 * length
    missed = []
    for number in (0, 1, 5, 9):
        coverage.watching(lambda number=number: namespace["f"](number))
        missed.append(list(coverage.report()[0].missed_branches))
    assert coverage.report()[0].branches == 6
    leaves, repeats = (loop, -1), (loop, over)
    assert missed == [[(2, 3), (over, over + 1), leaves, repeats], [(2, 3), leaves], [leaves], []]


def test_the_first_run_of_a_process_is_watched_like_any_other(tmp_path: Path) -> None:
    file, program = load(tmp_path)
    coverage = Coverage((file,))
    for _ in range(2):
        coverage.watching(lambda: program.step(2))
    [expected] = coverage.report()
    assert 0 < expected.reached_branches < expected.branches
    script = (
        "import sys, pathlib, sdnloom.check.coverage as c; f = pathlib.Path(sys.argv[1]); n = {};"
        "exec(compile(f.read_text(), str(f), 'exec'), n); w = c.Coverage((f,));"
        "w.watching(lambda: n['Program']().step(2)); print(w.report()[0].missed_branches)"
    )
    run = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(expected.missed_branches)


if sys.version_info >= (3, 12):  # the syntax is new there

    def test_the_parameters_of_a_generic_are_no_function(tmp_path: Path) -> None:
        file = tmp_path / "generic.py"
        file.write_text("class C[T]:\n  def f[S](self, x):\n    return x\n\n\ndef g[T](x):\n  return x\n")
        assert Coverage((file,)).report()[0].lines == (3, 7)


def test_a_loop_that_raises_took_neither_branch(tmp_path: Path) -> None:
    text = "def f(numbers):\n  try:\n    for _ in numbers:\n      pass\n  except OSError:\n    return 1\n"
    file = tmp_path / "loop.py"
    file.write_text(text)
    namespace: dict = {}
    exec(compile(text, str(file), "exec"), namespace)

    class Broken:
        def __iter__(self):
            return self

        def __next__(self):
            raise OSError

    coverage = Coverage((file,))
    assert coverage.watching(lambda: namespace["f"](Broken())) == 1
    assert [line for line, _ in coverage.report()[0].missed_branches].count(3) == 2
    coverage.watching(lambda: namespace["f"]([]))
    assert [line for line, _ in coverage.report()[0].missed_branches].count(3) == 1


@pytest.mark.slow
@settings(max_examples=30)
@given(st.sets(st.integers(-8, 8), max_size=6), st.sets(st.integers(-8, 8), max_size=6))
def test_more_runs_reach_at_least_as_much(tmp_path_factory, one: set[int], other: set[int]) -> None:
    file, program = load(tmp_path_factory.mktemp("program"))
    missed = []
    for numbers in (one, one | other):
        coverage = Coverage((file,))
        for number in sorted(numbers):
            coverage.watching(lambda number=number: program.step(number))
        missed.append(coverage.report()[0])
    assert set(missed[1].missed_lines) <= set(missed[0].missed_lines)
    assert set(missed[1].missed_branches) <= set(missed[0].missed_branches)
    if not one:
        assert missed[0].reached_lines == missed[0].reached_branches == 0


def test_classes_that_the_program_does_not_inherit_from_are_left_out(tmp_path: Path) -> None:
    file, program = load(tmp_path)
    text = TEXT + "\n\nclass Other:\n    def step(self):\n        return 2\n"
    file.write_text(text)
    assert Coverage((file,)).report()[0].lines[-1] == 26
    assert Coverage((file,), type(program)).report()[0].lines[-1] == 21


def test_a_watched_search_gives_the_same_result_and_sees_every_handler_run(tmp_path: Path) -> None:
    file, program = load(tmp_path)

    def step(core: int, _: None) -> list[Outcome]:
        program.step(core)
        return [Outcome(core + 1)] if core < 3 else []

    system = System((Component("controller", 0, (Action("go", step),)), Component("other", 0, (Action("go", step),))))
    coverage = Coverage((file,))
    plain, watched = search(system), search(coverage.watch(system, "controller"))
    assert (plain.statistics.states, plain.statistics.transitions) == (16, 24)
    assert (watched.statistics.states, watched.statistics.transitions) == (16, 24)
    direct = Coverage((file,))
    for number in itertools.takewhile(lambda number: number <= 3, itertools.count()):
        direct.watching(lambda number=number: program.step(number))
    assert coverage.report() == direct.report()


def test_a_measurement_around_it_goes_on_afterwards(tmp_path: Path) -> None:
    file, program = load(tmp_path)
    mine = tmp_path / "mine.py"
    mine.write_text("def before():\n  return 1\n\n\ndef after():\n  return 2\n")
    namespace: dict = {}
    exec(compile(mine.read_text(), str(mine), "exec"), namespace)
    outer = coverage_py.Coverage(data_file=None, config_file=False, include=[str(mine)], messages=False)
    inner = Coverage((file,))
    outer.start()
    namespace["before"]()
    inner.watching(lambda: program.step(2))
    namespace["after"]()
    outer.stop()
    assert {2, 6} <= set(outer.get_data().lines(str(mine)) or ())
    assert 7 not in inner.report()[0].missed_lines


def test_code_in_other_greenlets_is_measured(tmp_path: Path) -> None:
    greenlet = pytest.importorskip("greenlet")
    file, program = load(tmp_path)
    coverage = Coverage((file,))
    started = greenlet.greenlet(lambda: (greenlet.getcurrent().parent.switch(), program.step(2)))
    coverage.watching(started.switch)
    coverage.watching(started.switch)
    assert 7 not in coverage.report()[0].missed_lines


def test_without_coverage_py_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CoverageError, match=r"coverage\.py is not installed; expected it for --coverage: pip install"):
        Coverage((tmp_path / "f.py",))


def test_rewritten_code_has_lines_and_no_branches(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("def f(x):\n  if x:\n    return 1\n  return 2\n")
    (found,) = Coverage((file,), branches=False).report()
    assert (found.lines, found.branches, found.missed_branches) == ((2, 3, 4), 0, ())
