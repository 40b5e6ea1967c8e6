"""Names and messages that a terminal cannot show, and errors that are no Exceptions."""

from typing import Any

import pytest

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.search.search import search_program
from sdnloom.engine.result import Violated

ODD = "one\ntwo\x1b[31m \udcff"
SHOWN = r"one\ntwo\x1b[31m \udcff"


class OwnError(BaseException):
    pass


class Odd(Actor):
    async def fails(self) -> None:
        raise ValueError(ODD)

    async def emits(self) -> None:
        self.emit(ODD)

    async def own_error(self) -> None:
        raise OwnError

    async def generator_exit(self) -> None:
        raise GeneratorExit


class Echo(Monitor):
    def on_event(self, event: Any) -> None:
        self.report("saw {}", event)


def echoed(view: Any) -> str:
    return ODD


def message(task: str, **parts: Any) -> str:
    actor = Odd("odd")
    verdict = search_program(Program((actor,), (getattr(actor, task)(),), **parts)).result.verdict
    assert isinstance(verdict, Violated)
    return verdict.counterexample.message


def test_messages_are_one_line_that_every_terminal_shows() -> None:
    assert message("fails").startswith(f"odd.fails() raised ValueError: {SHOWN} (test_odd_text.py:")
    assert message("emits", monitors=[Echo()]) == f"saw {SHOWN}"
    assert message("emits", final=[echoed]) == SHOWN


@pytest.mark.parametrize(("task", "error"), [("own_error", "OwnError"), ("generator_exit", "GeneratorExit")])
def test_an_error_that_is_no_exception_is_a_violation_too(task: str, error: str) -> None:
    assert message(task).startswith(f"odd.{task}() raised {error} (test_odd_text.py:")


@pytest.mark.parametrize("name", ["", "two\nlines", "\x1b[31m", "\ud800"])
def test_names_of_actors_are_printable(name: str) -> None:
    with pytest.raises(ActorError, match="of printable characters"):
        Odd(name)
