"""What a search costs beside the user's own code, in microseconds for each evaluation of a step.

Each subject is searched in a process of its own. Its questions (an action, a core, a message) are recorded, and their
answers computed once more, so that they are new objects. Then the same search runs with steps that only hand out these
answers: what it takes is the cost of everything but the steps. For apps, what their platform adds is measured as well.

The subjects with apps need those of ryu==4.34 (`make ryu`).
"""

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import System
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import _Run, search
from sdnloom.engine.semantics import AT_REST

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "ryu-4.34"
EXAMPLES = ROOT / "examples"
SWITCH_13 = FOLDER / "ryu" / "app" / "simple_switch_13.py"

# Name -> arguments: the number of pings, or what `sdnloom check` is given.
SYSTEMS = {"4 pings": 4, "5 pings": 5, "6 pings": 6}
PLAIN = {"mac_learning/bug3_fixed.toml": [str(EXAMPLES / "mac_learning" / "bug3_fixed.toml")]}
RYU = {
    "simple_switch_13, linear,4": ["--app", str(SWITCH_13), "--topology", "linear,4"],
    "simple_switch_13, linear,8": ["--app", str(SWITCH_13), "--topology", "linear,8"],
    "rest_router.toml": [str(EXAMPLES / "ryu" / "rest_router.toml")],
    "stp_ring.toml": [str(EXAMPLES / "ryu" / "stp_ring.toml")],
    "monitor13.toml": [str(EXAMPLES / "ryu" / "monitor13.toml")],
}


@dataclass(frozen=True)
class Figures:
    """What one search took; times are CPU seconds. Those of the app are 0 for a system without one."""

    states: int
    transitions: int
    evaluations: int
    whole: float  # the search with its steps
    beside: float  # the same search with steps that only hand out answers
    memo: float  # asking the memo each question for the first time, with such steps
    app_runs: int = 0  # inputs that the app was given by the search
    app: float = 0.0  # its own code while it handled them, once each
    platform: float = 0.0  # the rest of handling them: states, footprints, replay
    repeated: int = 0  # steps of the app that were taken again to restore a state


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; quick means fewer and smaller subjects."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks evaluations", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="subjects whose name contains this")
    parser.add_argument("--repeat", type=int, default=1 if quick else 3, help="take the run with least CPU of so many")
    given = parser.parse_args(arguments)
    names = [*(list(SYSTEMS)[:1] if quick else SYSTEMS), *PLAIN, *(RYU if SWITCH_13.exists() else ())]
    report = Report("evaluations")
    rows = report.table(
        "Searches with --reduce in the loop engine: microseconds for each evaluation",
        "subject",
        "states",
        "transitions",
        "evaluations",
        "memo, beside the step",
        "search, beside the steps",
        "search, CPU s",
    )
    apps = report.table(
        "What the platform adds to an app: microseconds for each input",
        "subject",
        "inputs",
        "app's code",
        "platform",
        "steps taken again",
    )
    for name in names:
        if given.only in name:
            found = min((measure(name) for _ in range(given.repeat)), key=lambda one: one.beside)
            each = 1e6 / found.evaluations
            counts = (found.states, found.transitions, found.evaluations)
            rows.add(name, *counts, found.memo * each, found.beside * each, found.whole)
            if found.app_runs:
                each = 1e6 / found.app_runs
                apps.add(name, found.app_runs, found.app * each, found.platform * each, found.repeated)
    if not SWITCH_13.exists():
        report.notes.append(f"{FOLDER}: not there, so no apps; `make ryu` fetches those of ryu==4.34")
    return report


def measure(name: str) -> Figures:
    """Search a subject in a new process."""
    command = [sys.executable, "-m", "benchmarks.evaluations", name]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return Figures(**json.loads(printed.splitlines()[-1]))


class _Questions:
    """Records what the memos of searches are asked; `tables` is that of the latest search."""

    def __init__(self) -> None:
        self.tables: Memo | None = None
        self.seconds = 0.0  # of all searches: an app may refute what one relies on, and it begins again
        self._asked: dict[int, list[tuple[int, Any, Any]]] = {}
        self._unchanged = Memo._evaluate, _Run.result

        def evaluate(tables: Memo, action: int, core: int, message: int) -> Any:
            component = tables.actions[action][0]
            taken = None if message == 0 else tables.messages.values[message]
            asked = self._asked.setdefault(id(tables), [])
            asked.append((action, tables.cores[component].values[core], taken))
            return self._unchanged[0](tables, action, core, message)

        def result(search: Any) -> Any:
            self.tables = search.tables
            before = time.process_time()
            found = self._unchanged[1](search)
            self.seconds += time.process_time() - before
            return found

        Memo._evaluate, _Run.result = evaluate, result  # type: ignore[method-assign]

    @property
    def asked(self) -> list[tuple[int, Any, Any]]:
        """The questions of the latest search: (action, core, message)."""
        return self._asked[id(self.tables)]

    def stop(self) -> None:
        """Record no more."""
        Memo._evaluate, _Run.result = self._unchanged  # type: ignore[method-assign]

    def answered(self) -> System:
        """Return the system with steps that hand out the answers in the order of the questions.

        What holds at rest perhaps holds only with LATE actions, which are no part of it, and witnesses would be
        replayed: neither is looked for.
        """
        assert self.tables is not None
        found = [self.tables.actions[action][1].step(core, message) for action, core, message in self.asked]
        answers: Iterator[Any] = iter(found)

        def step(core: Any, message: Any) -> Any:
            return next(answers)

        system = self.tables.system
        return replace(
            system,
            components=tuple(
                replace(each, actions=tuple(replace(action, step=step) for action in each.actions), waits=None)
                for each in system.components
            ),
            properties=tuple(
                replace(each, violated=_nothing) if each.sometimes or each.needs in AT_REST else each
                for each in system.properties
            ),
        )

    def memo_seconds(self) -> float:
        """Return what asking the questions takes when they are all that the memo does."""
        tables = Memo(self.answered())
        numbered = []
        for action, core, message in self.asked:
            taken = 0 if message is None else tables.messages.number(message)
            numbered.append((action, tables.cores[tables.actions[action][0]].number(core), taken))
        watch = LimitWatch(Limits())
        with _quiet(), watch.in_force():
            before = time.process_time()
            for each in numbered:
                tables.step(*each)
            return time.process_time() - before


def _nothing(memory: Any, columns: Any) -> None:
    return None


class _quiet:  # noqa: N801 (a context)
    """Context without the garbage collector, as in a search."""

    def __enter__(self) -> None:
        gc.collect()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        gc.enable()


class _Clock:
    """Measures what a platform and its app take. Nested calls count for the outermost one."""

    def __init__(self) -> None:
        from sdnloom.platforms.capture.states import StateStore
        from sdnloom.platforms.program_base import CapturedProgram

        self.inputs, self.handled, self.app, self.runs, self.repeated = 0, 0.0, 0.0, 0, 0
        self._inside: list[float] = []  # in a call of `handle`, the seconds of each run of the app's code
        handle, footprint, perform = CapturedProgram.handle, CapturedProgram.footprint, StateStore.leave
        restore = StateStore.restore

        def timed(whole: Callable[..., Any], counts: bool) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                before, self._inside = time.thread_time(), []
                found = whole(*arguments)
                self.handled += time.thread_time() - before
                if counts:
                    self.inputs += 1
                    self.app += sum(self._inside[-len(found) :]) if isinstance(found, list | tuple) else 0
                return found

            return call

        def leave(states: Any, act: Callable[[], Any]) -> Any:
            before = time.thread_time()
            found = perform(states, act)
            self._inside.append(time.thread_time() - before)
            return found

        def restored(states: Any, core: Any) -> Any:
            before = states.repeated
            found = restore(states, core)
            self.repeated += states.repeated - before
            return found

        CapturedProgram.handle = timed(handle, True)  # type: ignore[method-assign]
        CapturedProgram.footprint = timed(footprint, False)  # type: ignore[method-assign]
        StateStore.leave, StateStore.restore = leave, restored  # type: ignore[method-assign]


def main(name: str) -> None:
    options = SearchOptions(engine="loop", reduce=True)
    search(pings(1), options)  # everything is imported
    questions = _Questions()
    clock: _Clock | None = None
    if name in SYSTEMS:
        search(pings(SYSTEMS[name]), options)
    else:
        from sdnloom.cli import cli

        clock = _Clock()
        arguments = [*{**PLAIN, **RYU}[name], "--reduce", "--engine", "loop"]
        cli(["check", *arguments], standalone_mode=False, obj=time.monotonic())
    questions.stop()
    assert questions.tables is not None
    memo = questions.memo_seconds()
    again = questions.answered()
    before = time.process_time()
    result = search(again, options)
    beside = time.process_time() - before
    counts = result.statistics
    figures = Figures(counts.states, counts.transitions, len(questions.asked), questions.seconds, beside, memo)
    if clock is not None:
        figures = replace(
            figures,
            app_runs=clock.inputs,
            app=clock.app,
            platform=clock.handled - clock.app,
            repeated=clock.repeated,
        )
    print(json.dumps(asdict(figures)))


if __name__ == "__main__":
    main(sys.argv[1])
