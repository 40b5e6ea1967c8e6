"""Apps whose first state cannot be copied are made again, and all their steps are taken again."""

import gc
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.check.scenario import Scenario
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.program import SwitchDown
from sdnloom.network.topology.shapes import linear
from sdnloom.platforms.capture.states import ReplayError
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.properties import NoHandlerException
from tests.platforms.osken.helpers import APPS, app, frame, joined, packet, program, run

NAMES = ("counting", "cycling")
INPUTS = st.one_of(
    st.builds(lambda number, port: packet(frame(1, 2), number, port), st.integers(1, 2), st.integers(1, 2)),
    st.sampled_from([SwitchDown("s2"), joined(2)]),
)


def course(under_test, inputs, core=None):
    return run(under_test, *inputs) if core is None else run(under_test, *inputs, core=core)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15)
@given(before=st.lists(INPUTS, max_size=4), after=st.lists(INPUTS, max_size=3), other=st.lists(INPUTS, max_size=3))
def test_a_state_is_the_same_when_the_app_was_made_anew(name, before, after, other):
    direct, anew = program(name, version="1.3"), program(name, version="1.3")
    start = (joined(1), joined(2))
    expected = course(direct, (*start, *before, *after))  # never anywhere else: nothing is taken again
    assert direct._states.repeated == 0
    way = course(anew, (*start, *before))
    course(anew, (*start, *other))
    assert [*way, *course(anew, after, way[-1].core)] == expected


def test_making_anew_is_chosen_by_itself_and_reported():
    under_test = program("counting", version="1.3")
    assert under_test.capture == (
        "replay from the very start: bricks['Counting'].ports is a generator, whose frame cannot be copied"
    )
    assert under_test.notes == (f"states of the program are kept by {under_test.capture}",)


def test_states_that_can_be_read_are_one_and_others_are_told_apart_by_how_they_were_reached():
    exact, told = (run(program(name, version="1.3"), joined(), *[packet(frame(1, 2))] * 7) for name in NAMES)
    assert exact[1].core == exact[4].core == exact[7].core
    assert len({each.core for each in exact}) == 4  # before the first packet, and after each of the three ports
    assert len({each.core for each in told}) == 8


def counts_of(under_test):
    options = SwitchOptions(version="1.0", profile="reference")
    network = Network(linear(2), (Client("h1", ("h2",)), Client("h2", ("h1",))), options)
    report = Scenario(network, lambda: under_test, (NoHandlerException(),)).check()
    assert report.verdict == "holds"
    found = report.result.statistics
    return found.states, found.transitions, report.handler_runs


@pytest.mark.parametrize(("name", "counts"), [("counting", (94, 128, 20)), ("cycling", (29, 44, 4))])
def test_a_search_has_the_same_verdict_and_counts_every_time(name, counts):
    for _ in range(2):
        under_test = program(name, version="1.0")
        assert counts_of(under_test) == counts
        assert under_test._states.repeated > 0


PLAIN = """
class ports:
    def __init__(self, last):
        self.last, self.port = last, 0

    def __next__(self):
        self.port = self.port % self.last + 1
        return self.port


"""


def test_a_generator_is_searched_like_an_object_that_does_the_same(tmp_path):
    text = (APPS / "counting.py").read_text()
    file = tmp_path / "plain.py"
    file.write_text(text[: text.index("def ports")] + PLAIN + text[text.index("class Counting") :])
    plain = OskenProgram([file], version="1.0")
    assert plain.capture == "snapshot"
    assert counts_of(plain) == (94, 128, 20)


@pytest.mark.slow
def test_apps_that_were_made_before_are_let_go():
    under_test = program("counting", version="1.3")
    first = weakref.ref(type(app(under_test, "Counting")))
    (start,) = run(under_test, joined())
    run(under_test, packet(frame(1, 2)), core=start.core)
    run(under_test, packet(frame(1, 2)), core=start.core)
    gc.collect()
    assert first() is None


ANOTHER = """
from pathlib import Path
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls

class Another(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.waiting = (each for each in [1])
        made = Path(__file__).with_name("made")
        self.number = made.read_text() if made.exists() else ""
        made.write_text(self.number + "x")

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        pass
"""


def test_an_app_that_is_another_one_when_it_is_made_anew_is_refused(tmp_path):
    file = tmp_path / "another.py"
    file.write_text(ANOTHER)
    under_test = OskenProgram([file])
    run(under_test, joined())
    with pytest.raises(ReplayError, match="again when it was made again: its state was "):
        run(under_test, joined(2))
