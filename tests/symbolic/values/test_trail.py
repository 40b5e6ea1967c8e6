"""The trail of watched code against a trace of its lines: it distinguishes the same runs and changes nothing."""

import itertools
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.symbolic import execution as execution_module
from sdnloom.symbolic.execution import Execution, start_trail
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.values.make import symbolic_int

INPUTS = list(itertools.product(range(3), repeat=2))
STATEMENTS = ["n += x", "n -= 2 * y", "log.append(n)", "pass", "n = {n: y}[n]", '"""Only a text."""']
HEADERS = [
    "if x == {}:", "if y > {}:", "for _ in range(x + {} - 1):", "for n in [y] * {}:", "while n < {}:",
    "try:", "with open_(log):", "match x + {}:", "class Inner:", "def inner(y=y):",
]  # fmt: skip


@st.composite
def blocks(draw: st.DrawFn, depth: int = 3) -> list[str]:
    """The lines of a block."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if not depth or draw(st.booleans()):
            lines.append(draw(st.sampled_from(STATEMENTS)))
            continue
        header = draw(st.sampled_from(HEADERS)).format(draw(st.integers(0, 2)))
        inner = textwrap.indent("\n".join(draw(blocks(depth - 1))), "  ").splitlines()
        if header.startswith("match"):
            lines += [header, "  case 1:", *(f"  {each}" for each in inner), "  case _:", "    n += 1"]
        elif header.startswith("try"):
            lines += [header, *inner, "  assert n != 1", "except AssertionError:", "  n += 5", "finally:", "  n += 1"]
        elif header.startswith("while"):
            lines += [header, *inner, "  n += 9", "else:", "  n += 1"]
        elif header.startswith("class"):
            lines += [header, "  if y:", "    value = x", "  else:", "    value = y", "n += Inner.value"]
        elif header.startswith("def"):
            lines += [header, "  log.append(y)", "  return y", "n += inner() if x else 0"]
        else:
            lines += [header, *inner]
    return lines


def source_of(block: list[str]) -> str:
    body = textwrap.indent("\n".join(block), "  ")
    return (
        "import contextlib\n@contextlib.contextmanager\ndef open_(log):\n  log.append('in')\n  yield\n"
        f"def f(x, y):\n  'A docstring.'\n  n, log = 0, []\n{body}\n  return n, log\n"
    )


def loaded(code: CodeType) -> Callable[..., Any]:
    space: dict[str, Any] = {"__name__": "under_test"}
    exec(code, space)
    function: Callable[..., Any] = space["f"]
    assert function.__doc__ == "A docstring."
    return function


def runs(source: str) -> list[tuple[tuple[Line, ...], tuple[tuple[str, int], ...]]]:
    """The lines and the trail of each run, after what the program does was compared with the original."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "under_test.py"
        file.write_text(source)
        original = loaded(compile(source, str(file), "exec"))
        watched = loaded(rewrite(source, str(file), watched=True))
        found = []
        for x, y in INPUTS:
            expected, lines = line_trace(lambda a=x, b=y: original(a, b), [file])
            with Execution({}).active() as execution:
                assert watched(x, y) == expected
            assert line_trace(lambda a=x, b=y: watched(a, b), [file]) == (expected, lines)
            assert {each for each, _ in execution.trail} == {str(file)}
            found.append((lines, tuple(execution.trail)))
        return found


@settings(max_examples=60)
@given(blocks())
def test_runs_have_the_same_trail_exactly_if_they_take_the_same_lines(block: list[str]) -> None:
    for (lines, trail), (other_lines, other_trail) in itertools.combinations(runs(source_of(block)), 2):
        assert (lines == other_lines) is (trail == other_trail)


EXPRESSIONS = [
    "n = (lambda: 1 if x else 2)()",
    "n = [lambda: 1,\n     lambda: 2][x > 1]()",
    "n = sum(each for each in range(x))",
    "n = any(each == y for each in range(3))",
    "n = [each for each in range(y)] if x else y",
    "n = {each: x for each in range(y)} if x else y",
    "n = {each for each in range(y)} if x else y",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_with_their_own_frame_are_on_the_trail(expression: str) -> None:
    found = runs(source_of(expression.splitlines()))
    for (lines, trail), (other_lines, other_trail) in itertools.combinations(found, 2):
        assert lines == other_lines or trail != other_trail
    if expression != EXPRESSIONS[0]:  # which has one way through
        assert len({trail for _, trail in found}) > 1


def test_code_that_is_not_watched_leaves_no_trail() -> None:
    function = loaded(rewrite(source_of(["n += x"]), "under_test.py"))
    with Execution({}).active() as execution:
        function(1, 2)
    assert execution.trail == []


def test_a_class_has_the_trail_of_its_run_from_where_it_starts() -> None:
    function = loaded(rewrite(source_of(["if x < 3:", "  n = 1"]), "under_test.py", watched=True))
    x = var("x", 4)

    def run(execution: Execution) -> Any:
        function(0, 0)  # on the way to the state that the run starts in
        start_trail()
        return function(symbolic_int(execution.value("x"), x), 0)

    found = explore(run, [x])
    assert {each.output[0]: [line for _, line in each.trail] for each in found.classes} == {
        1: [8, 9, 10, 11],
        0: [8, 9, 11],
    }


def test_an_endless_loop_without_symbolic_values_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution_module, "MAX_TRAIL", 5_000)
    function = loaded(rewrite(source_of(["while True:", "  n += 1"]), "under_test.py", watched=True))
    tracing = sys.gettrace()
    found = explore(lambda execution: function(0, 0), [var("x", 4)])
    assert found.reasons == (
        "1 path did not end within the budget, first under_test.py:10: the path was cut at 5000 statements",
    )
    assert sys.gettrace() is tracing


def test_an_endless_loop_without_symbolic_values_ends_at_the_time_limit() -> None:
    function = loaded(rewrite(source_of(["while True:", "  n += 1"]), "under_test.py", watched=True))
    ticks = itertools.count()
    options = ExplorationOptions(seconds=5)
    found = explore(lambda execution: function(0, 0), [var("x", 4)], options=options, clock=lambda: next(ticks))
    assert not found.complete
    assert "the time limit" in found.reasons[0]
