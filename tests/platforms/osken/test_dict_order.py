"""Programs that depend on insertion order are detected, and searched with the order as part of the state."""

from dataclasses import replace

import pytest

from sdnloom.check.scenario import Scenario
from sdnloom.engine.model import Restart
from sdnloom.engine.semantics import Finding
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.topology.shapes import single
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.properties import NoHandlerException
from tests.platforms.osken.helpers import frame, joined, packet, run

# A hub that remembers who it has seen, and once it has seen two and hears from one again, looks at the first of them.
APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0


class Looking(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = {}
        self.later = None

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        source = ev.msg.data[6:12]
        if source in self.seen and len(self.seen) == 2:
            BODY
        self.seen.setdefault(source, ev.msg.in_port)
"""
RAISES = "assert list(self.seen) @ sorted(self.seen)"
RAISES_LATER = """
            if self.later:
                assert list(self.seen) @ sorted(self.seen)
            self.later = True"""
HOSTS = (Client("h1", ("h2",), sends=2), Client("h2", ("h1",), sends=2))
NOTE = "the insertion order of dicts is part of the program's state: its reaction to PacketIn of s1 depends on it"


def looking(folder, body):
    file = folder / "looking.py"
    file.write_text(APP.replace("BODY", body))
    return OskenProgram([file])


def scenario(under_test):
    network = Network(single(2), HOSTS, SwitchOptions(version=under_test.version))
    return Scenario(network, under_test, (NoHandlerException(),))


def ordered(together):
    """The scenario with programs that tell states apart by the order of their dicts from the start."""

    def make():
        program = together.program.reloaded()
        program.keep_order()
        return program

    return replace(together, program=make)


@pytest.mark.parametrize("body", [RAISES, RAISES_LATER], ids=["at once", "later"])
@pytest.mark.parametrize("wrong", ["==", "!="], ids=["other order", "order of names"])
def test_an_exception_in_one_of_two_orders_is_found_whichever_it_is(tmp_path, body, wrong):
    checked = scenario(looking(tmp_path, body.replace("@", wrong)))
    report = checked.check()
    assert report.verdict == "violated"
    assert {each.property for each in report.violations} == {"NoHandlerException"}
    assert NOTE in report.bounds
    found = report.violations[0]
    trace = checked.trace(found.path, Finding(found.property, found.message), {})
    again = scenario(looking(tmp_path, body.replace("@", wrong))).replay(trace)
    assert (again.confirmed, again.diverged) == (True, None)


def test_counts_of_a_search_that_started_again_are_those_with_the_order_kept_from_the_beginning(tmp_path):
    body = "self.seen.pop(next(iter(self.seen)))"
    found_out = scenario(looking(tmp_path, body))
    told = ordered(found_out)
    reports = [each.check() for each in (found_out, told)]
    assert [each.verdict for each in reports] == ["holds", "holds"]
    first, second = ((each.result.statistics.states, each.result.statistics.transitions) for each in reports)
    assert first == second
    assert NOTE in reports[0].bounds


def test_an_order_that_makes_no_difference_keeps_states_together(tmp_path):
    body = "self.later = sum(self.seen.values())"
    together = scenario(looking(tmp_path, body))
    apart = ordered(together)
    reports = [each.check() for each in (together, apart)]
    assert [each.verdict for each in reports] == ["holds", "holds"]
    first, second = (each.handler_runs for each in reports)
    assert first < second
    assert not [line for line in reports[0].bounds if "order" in line and "dict" in line]


@pytest.mark.slow
def test_an_order_is_found_out_also_where_packets_are_discovered(tmp_path):
    report = scenario(looking(tmp_path, RAISES.replace("@", "=="))).discovering().check()
    assert report.verdict == "violated"
    assert any("insertion order of dicts is part of the program's state" in line for line in report.bounds)


FIRST, SECOND, THIRD = (packet(frame(9, source), port=source) for source in (1, 2, 1))


def test_inputs_that_were_given_before_the_other_order_came_are_given_to_it(tmp_path):
    under_test = looking(tmp_path, RAISES.replace("@", "=="))
    (start,) = run(under_test, joined())
    run(under_test, FIRST, SECOND, THIRD, core=start.core)
    (second,) = run(under_test, SECOND, core=start.core)
    reason = "the reaction of Looking to PacketIn of s1 depends on the insertion order of a dict"
    assert under_test.handle(second.core, FIRST) == Restart(reason)


def test_cores_from_before_a_new_start_still_stand_for_their_states(tmp_path):
    under_test = looking(tmp_path, RAISES.replace("@", "=="))
    (start,) = run(under_test, joined())
    quiet = run(under_test, FIRST, SECOND, THIRD, core=start.core)[-1]
    before = under_test.initial()
    under_test.keep_order()
    assert under_test.initial() != before
    assert run(under_test, FIRST, SECOND, THIRD, core=start.core)[-1].events == quiet.events == ()
    (start,) = run(under_test, joined())
    assert len(run(under_test, SECOND, FIRST, THIRD, core=start.core)[-1].events) == 1
