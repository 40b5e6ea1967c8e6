"""A program that is remembered: its code runs once for each situation, and it reacts as before."""

import pytest

from sdnloom.check.cached_program import CachedProgram
from sdnloom.engine.model import Restart
from sdnloom.network.assumed_independence import AssumeIndependent
from sdnloom.network.openflow import Match, PacketIn
from sdnloom.network.program import Call, MessageIn, Reaction, SwitchUp
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


class Restarting:
    """Counts its versions: a call ends the present one, whose cores are not valid any more."""

    name = "restarting"

    def __init__(self):
        self.version_of_cores = 0

    def initial(self):
        return self.version_of_cores, "start"

    def handle(self, core, given):
        if isinstance(given, Call):
            self.keep_order()
            return Restart("the call")
        return [Reaction((self.version_of_cores, "after"), reads=frozenset(), writes=frozenset())]

    def keep_order(self):
        self.version_of_cores += 1


PACKET = MessageIn("s1", PacketIn(Match(), b"", 0))


@pytest.mark.parametrize("wrap", [CachedProgram, AssumeIndependent])
@pytest.mark.parametrize("ends", ["a restart", "keep_order"])
def test_a_wrapper_forgets_reactions_when_the_program_has_other_cores(wrap, ends):
    known = wrap(Restarting())
    first = (0, "start")
    assert (known.initial(), known.handle(first, PACKET)[0].core) == (first, (0, "after"))
    if ends == "keep_order":
        known.keep_order()
    else:
        assert known.handle(first, Call("x")) == Restart("the call")
        assert known.handle(known.initial(), MessageIn("s2", PACKET.message)) is not None
    assert known.initial() == (1, "start")
    assert known.handle(first, PACKET)[0].core == (1, "after")
