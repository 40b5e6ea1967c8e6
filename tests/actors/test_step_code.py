"""The code that steps of a program of actors ran."""

from typing import Any

from sdnloom.actors import Actor, Program
from sdnloom.actors.run import check_program


class Worker(Actor):
    done: int = 0

    async def work(self) -> None:
        first = await self.later.part(1)
        self.done = first
        if self.choose("stop", "go") == "go":
            self.done = 9

    async def part(self, number: int) -> int:
        return number


class Waiter(Actor):
    async def wait(self) -> int:
        return await self.later.answer()

    async def answer(self) -> int:
        raise ValueError("no")


def never_nine(view: Any) -> str | None:
    return "nine" if view["w"].done == 9 else None


def _ran(program: Program) -> list[list[tuple[str, tuple[int, ...]]]]:
    report = check_program(program)
    (shown,) = report.violations
    assert len(report.code[shown]) == len(shown.path.steps)
    return [[(run.function, tuple(n - run.line for n in run.ran)) for run in code] for code in report.code[shown]]


def test_each_step_has_the_lines_from_one_await_to_the_next_and_those_of_its_choice() -> None:
    worker = Worker("w")
    assert _ran(Program(actors=[worker], start=[worker.work()], final=[never_nine])) == [
        [("Worker.work", (1,))],
        [("Worker.part", (1,))],
        [("Worker.work", (1, 2, 3, 4))],
    ]


def test_a_task_that_fails_has_its_lines() -> None:
    waiter = Waiter("w")
    assert _ran(Program(actors=[waiter], start=[waiter.wait()])) == [
        [("Waiter.wait", (1,))],
        [("Waiter.answer", (1,))],
    ]
