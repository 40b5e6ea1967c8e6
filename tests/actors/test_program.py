"""Programs that cannot be used are refused with what was expected, and checks and monitors have names."""

from typing import Any

import pytest

from sdnloom.actors import Actor, ActorError, Monitor, Program
from sdnloom.actors.program import NO_TASK_ERRORS
from sdnloom.actors.run import check_program


class Counter(Actor):
    count: int = 0

    async def add(self) -> None:
        self.count += 1
        self.emit("added")

    async def misspelt(self) -> None:
        self.count = self.cuont  # type: ignore[attr-defined]

    def ordinary(self) -> None:
        pass


class Unready(Actor):
    def __init__(self, name: str) -> None:
        self.count = 0


class Silent(Monitor):
    def on_event(self, event: Any) -> None:
        pass


class WrongBraces(Monitor):
    def on_event(self, event: Any) -> None:
        self.report("{} and {}", event)


def fits(view: Any) -> None:
    return None


counter = Counter("c")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"actors": counter}, "actors is c; expected a list of actors"),
        ({"actors": [Counter]}, "actors has the class Counter; expected actors"),
        ({"start": counter.add()}, "start is Message(actor=c, method='add', args=()); expected a list of calls"),
        ({"start": [counter.add]}, "expected calls of `async def` methods"),
        ({"start": [counter.ordinary()]}, "start has None; expected calls of `async def` methods"),
        ({"final": fits}, "expected a list of functions of a view of the state"),
        ({"final": "fits"}, "final is 'fits'; expected a list of functions of a view of the state"),
        ({"final": ["fits"]}, "a check is 'fits'; expected a function of a view of the state"),
        ({"final": [fits], "always": [fits]}, "two properties of the program have the name 'fits'"),
        ({"monitors": [Silent("NoDeadlock")]}, "a monitor has the name 'NoDeadlock', which a built-in property has"),
        ({"monitors": [Silent("fits")], "final": [fits]}, "two properties of the program have the name 'fits'"),
        ({"monitors": [Silent]}, "monitors has the class Silent; expected monitors"),
        ({"monitors": [Silent(), Silent()]}, "two actors of the program have the name 'Silent'"),
    ],
)
def test_a_program_with_a_wrong_part_is_refused(parts: dict[str, Any], text: str) -> None:
    with pytest.raises(ActorError) as raised:
        Program(**{"actors": [counter], "start": [counter.add()], **parts})
    assert text in str(raised.value)


def test_a_task_cannot_yield_values() -> None:
    with pytest.raises(ActorError, match=r"Stream\.go has a `yield`; expected a task that returns one value"):

        class Stream(Actor):
            async def go(self) -> Any:
                yield 1


def test_a_task_stays_a_task_in_subclasses() -> None:
    with pytest.raises(ActorError, match=r"FastCounter\.add is no task; expected `async def add`, as in its base"):

        class FastCounter(Counter):
            def add(self) -> None:  # type: ignore[override]
                pass


def test_an_actor_without_a_name_says_what_its_init_has_to_do() -> None:
    with pytest.raises(ActorError, match=r"Unready\.__init__ has to call super"):
        Unready("u")


def message(**parts: Any) -> tuple[str, str]:
    """The property and the message of the only violation."""
    report = check_program(Program(**{"actors": [counter], "start": [counter.add()], **parts}))
    (found,) = report.violations
    return found.property, found.message


def test_an_unknown_field_is_reported_with_those_that_there_are() -> None:
    expected = "Counter 'c' has no field or task 'cuont'; expected one of: count, add, misspelt"
    name, text = message(start=[counter.misspelt()])
    assert name == NO_TASK_ERRORS
    assert expected in text


def test_a_report_with_a_wrong_number_of_values_is_an_error_of_the_step() -> None:
    name, text = message(monitors=[WrongBraces()])
    assert name == NO_TASK_ERRORS
    assert "report('{} and {}', ...): the text does not fit the values ('added',)" in text


def test_a_view_of_an_actor_has_its_name() -> None:
    def named(view: Any) -> str:
        return f"{view['c'].name} has {view['c'].count}"

    assert message(final=[named]) == ("named", "c has 1")


def test_a_state_says_which_actors_it_has() -> None:
    def named(view: Any) -> str:
        return str(["c" in view, "d" in view, *view])

    assert message(final=[named]) == ("named", "[True, False, 'c']")


def is_one(view: Any) -> bool:
    return view["c"].count == 1  # type: ignore[no-any-return]


def divides(view: Any) -> str:
    return str(1 / 0)


def asks_nobody(view: Any) -> str:
    return str(view["d"].count)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (is_one, "the check is_one returned True; expected a text that says what is wrong, or None"),
        (divides, "the check divides: raised ZeroDivisionError: division by zero (test_program.py:"),
        (asks_nobody, "the check asks_nobody: the state has no actor 'd'; expected one of: c"),
    ],
)
def test_a_check_that_cannot_be_used_is_named(check: Any, text: str) -> None:
    with pytest.raises(ActorError) as raised:
        message(final=[check])
    assert text in str(raised.value)
    assert "(test_program.py:" in str(raised.value) or check is is_one
