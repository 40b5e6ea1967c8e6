"""BranchFilter: which branches are paths of the program; its cache must not change an answer."""

from types import ModuleType
from typing import Any

from sdnloom.platforms.explorable import BranchFilter
from sdnloom.symbolic.execution import Site

OWN, LIBRARY, QUIET = "/own.py", "/library/packets.py", "/quiet/send.py"
LIBRARY_CODE = """
def parser(ask, again=1):
    return [ask() for _ in range(again)]

def has_flags(ask, again=1):
    return [ask() for _ in range(again)]

def deep(ask):
    return [*parser(ask), *has_flags(ask), ask()]

def __init__(ask):
    return [*deep(ask), ask()]

def endless(ask):
    while True:
        yield ask()

def serialize(generator):
    return [next(generator)]

def of_each(generator):
    return [next(generator)]
"""
OWN_CODE = "def program(function, *args):\n    return function(*args)\n"


def module(source: str, file: str) -> ModuleType:
    found = ModuleType("under_test")
    exec(compile(source, file, "exec"), vars(found))
    return found


def a_rule() -> tuple[BranchFilter, Any]:
    """Return a filter, and a function that calls it from the frame of its caller."""
    quiet = BranchFilter(lambda name: name == OWN, ("/library",), ("/quiet",))
    return quiet, lambda file=LIBRARY: quiet(Site(file, 1))


def test_a_branch_of_a_library_counts_unless_it_reads_or_writes_for_the_program() -> None:
    _, ask = a_rule()
    library, own = module(LIBRARY_CODE, LIBRARY), module(OWN_CODE, OWN)
    quiet = module(OWN_CODE, QUIET)
    assert own.program(ask, OWN) is False
    assert own.program(library.parser, ask, 3) == [True] * 3
    assert own.program(library.has_flags, ask, 3) == [False] * 3
    assert own.program(library.deep, ask) == [False] * 3  # whatever it calls in turn
    assert own.program(library.__init__, ask) == [True] * 4
    assert own.program(quiet.program, library.has_flags, ask) == [True]
    assert library.has_flags(ask) == [True]  # no program called it


def test_calls_of_one_function_are_distinguished_by_their_callers() -> None:
    _, ask = a_rule()
    library, own = module(LIBRARY_CODE, LIBRARY), module(OWN_CODE, OWN)
    for _ in range(3):
        assert own.program(library.has_flags, ask) == [False]
        assert library.has_flags(ask) == [True]
        assert own.program(library.parser, ask) == [True]


def test_a_generator_belongs_to_the_function_that_resumes_it() -> None:
    _, ask = a_rule()
    library, own = module(LIBRARY_CODE, LIBRARY), module(OWN_CODE, OWN)
    steps = library.endless(ask)
    for _ in range(2):
        assert own.program(library.serialize, steps) == [True]
        assert own.program(library.of_each, steps) == [False]
        assert next(steps) is True
