"""Programs whose state is changed before a handler runs: neither the change nor what the handler does is kept."""

from pathlib import Path

import pytest

from sdnloom.network.openflow import FlowMod, PacketOut
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.python.handlers import ProgramError
from sdnloom.platforms.python.program import PythonProgram
from tests.inputs.program_pair import ProgramState
from tests.network.programs import Learning

APP = Path(__file__).parents[2] / "examples" / "apps" / "learning_switch.py"
SHARED = []


class Leaky:
    """Changes a variable of its module when its attribute tells it to."""

    def __init__(self):
        self.leaks = False

    def packet_in(self, net, switch, message):
        if self.leaks:
            SHARED.append(message)


def packet(state):
    from sdnloom.inputs.skeletons import SenderView, make_skeletons

    skeleton = make_skeletons(["ethernet"], SenderView(), {})[0]
    return state.packet_in(skeleton, 1, {"eth.src": 1, "eth.dst": 2})


def kinds(run):
    return [type(message) for _, message in run.messages]


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize(
    ("make", "learned"),
    [(lambda: PythonProgram(Learning), {"s1": {2: 3}}), (lambda: OskenProgram([APP]), {1: {"00:00:00:00:00:02": 3}})],
    ids=["plain Python", "os-ken"],
)
def test_a_handler_runs_from_a_changed_state_and_nothing_is_kept(make, learned, rewritten):
    program = make()
    state = ProgramState.of(program.rewritten() if rewritten else program)
    opened, given = state.program, packet(state)

    def ports(holders):
        (holder,) = holders.values()
        return {key: dict(value) for key, value in holder.ports.items()}

    def learn(holders):
        (holder,) = holders.values()
        holder.ports.update(learned)

    before = opened.read_state(state.core, ports)
    assert kinds(opened.run_changed(state.core, given, lambda holders: None)) == [PacketOut]
    assert kinds(opened.run_changed(state.core, given, learn))[0] is FlowMod
    assert opened.read_state(state.core, ports) == before
    reaction = opened.handle(state.core, given)[0]
    assert [type(message) for _, message in reaction.messages] == [PacketOut]


def test_the_holders_of_an_os_ken_program_are_its_apps_and_not_those_of_os_ken():
    state = ProgramState.of(OskenProgram([APP]))
    assert state.program.read_state(state.core, sorted) == ["LearningSwitch"]


def test_a_change_that_fails_leaves_the_state_as_it_was():
    state = ProgramState.of(OskenProgram([APP]))

    def fail(holders):
        holders["LearningSwitch"].ports["x"] = {}
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        state.program.run_changed(state.core, packet(state), fail)
    assert state.program.read_state(state.core, lambda holders: dict(holders["LearningSwitch"].ports)) == {}


def test_a_handler_that_changes_a_variable_of_its_module_only_in_a_changed_state_is_refused():
    state = ProgramState.of(PythonProgram(Leaky))
    try:
        with pytest.raises(ProgramError, match="changes the module's SHARED"):
            state.program.run_changed(
                state.core, packet(state), lambda holders: setattr(holders["Leaky"], "leaks", True)
            )
    finally:
        SHARED.clear()
