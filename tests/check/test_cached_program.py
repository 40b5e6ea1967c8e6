"""A program that is remembered: its code runs once for each situation, and it reacts as before."""

from sdnloom.check.cached_program import CachedProgram
from sdnloom.network.program import SwitchUp
from sdnloom.network.switch import plain_ports
from sdnloom.platforms.python.program import PythonProgram
from tests.network.programs import Hub

JOINED = SwitchUp("s1", 1, plain_ports(1, 2))


class Counting(PythonProgram):
    """Notes what it was asked."""

    def __init__(self, kind):
        super().__init__(kind)
        self.asked = []

    def handle(self, core, given):
        self.asked.append(("handle", given))
        return super().handle(core, given)


class Quick(Counting):
    """Can give its first reaction by itself."""

    def first(self, core, given):
        self.asked.append(("first", given))
        return PythonProgram.handle(self, core, given)[0]


def test_reactions_are_those_of_the_program_and_its_code_runs_once():
    plain, program = PythonProgram(Hub), Counting(Hub)
    known = CachedProgram(program)
    for _ in range(2):
        assert known.handle(known.initial(), JOINED) == plain.handle(plain.initial(), JOINED)
    assert (known.runs, program.asked) == (1, [("handle", JOINED)])


def test_the_first_reaction_is_asked_for_once_where_the_program_can_tell_it_alone():
    program = Quick(Hub)
    known = CachedProgram(program)
    reactions = [known.first(known.initial(), JOINED) for _ in range(3)]
    assert reactions == [PythonProgram(Hub).handle(known.initial(), JOINED)[0]] * 3
    assert program.asked == [("first", JOINED)]


def test_the_first_reaction_of_any_other_program_is_the_first_of_all():
    program = Counting(Hub)
    known = CachedProgram(program)
    assert known.first(known.initial(), JOINED) == known.handle(known.initial(), JOINED)[0]
    assert program.asked == [("handle", JOINED)]
