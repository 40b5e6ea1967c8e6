"""Which functions and lines a call ran."""

import contextlib
from pathlib import Path

from sdnloom.network.usercode import run_file
from sdnloom.platforms.code_runs import CodeRecorder, CodeRun, main_run
from sdnloom.platforms.line_trace import line_trace

_SOURCE = """\
import json


def decorated(function):
    return function


@decorated
def outer(n):
    if n > 1:
        return [inner(k) for k in range(n)]
    json.dumps({})
    return None


def inner(k):
    if k:
        raise ValueError(k)
    return k
"""


def _recorded(tmp_path: Path, n: int, wanted: str = "app.py") -> list[tuple[str, int, tuple[int, ...], int, int]]:
    file = tmp_path / "app.py"
    file.write_text(_SOURCE)
    outer = run_file(file).outer
    recorder = CodeRecorder([tmp_path / wanted])
    with recorder.tracing():
        outer(n) if n < 2 else None  # not recorded
        with recorder.recording(), contextlib.suppress(ValueError):
            outer(n)
    (lines,) = recorder.recorded
    return [(run.function, run.line, run.ran, run.first, run.last) for run in lines.runs()]


def test_the_lines_of_each_function_are_told_in_the_order_in_which_they_begin(tmp_path: Path) -> None:
    assert _recorded(tmp_path, 1) == [("outer", 9, (10, 12, 13), 8, 13)]


def test_a_comprehension_belongs_to_its_function_and_an_exception_keeps_the_lines(tmp_path: Path) -> None:
    assert _recorded(tmp_path, 2) == [("outer", 9, (10, 11), 8, 13), ("inner", 16, (17, 18, 19), 16, 19)]


def test_files_beside_the_program_count_and_others_do_not(tmp_path: Path) -> None:
    assert _recorded(tmp_path, 1, "other.py") == [("outer", 9, (10, 12, 13), 8, 13)]
    assert _recorded(tmp_path, 1, "elsewhere/other.py") == []


def test_the_source_of_a_run_is_its_lines_from_the_decorator_on(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text(_SOURCE)
    inner = run_file(file).inner
    recorder = CodeRecorder([file])
    with recorder.tracing(), recorder.recording():
        inner(0)
    (run,) = recorder.recorded[0].runs()
    assert run.source() == ("def inner(k):", "    if k:", "        raise ValueError(k)", "    return k")
    assert run.file == file


def test_lines_are_those_of_the_trace_of_statements(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text(_SOURCE)
    outer = run_file(file).outer
    for n in (0, 1):
        _, trace = line_trace(lambda n=n: outer(n), [file])
        recorder = CodeRecorder([file])
        with recorder.tracing(), recorder.recording():
            outer(n)
        ran = [line for run in recorder.recorded[0].runs() for line in run.ran]
        assert ran == sorted({line.number for line in trace})


def test_the_main_run_is_the_first_that_is_no_constructor() -> None:
    def run(function: str) -> CodeRun:
        return CodeRun(Path("app.py"), function, 1, (2,), 1, 3)

    made, called, helper = run("Rest.__init__"), run("Rest.put"), run("App.install")
    assert main_run([made, called, helper]) == called
    assert main_run([made]) == made
    assert main_run([]) is None
