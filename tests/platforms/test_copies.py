"""Programs that are loaded again or rewritten have every option of the original."""

import re
from pathlib import Path

import pytest

from sdnloom import Scenario
from sdnloom.check.cached_program import CachedProgram
from sdnloom.engine.result import SearchOptions
from sdnloom.network.assumed_independence import AssumeIndependent, PromiseError
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network
from sdnloom.network.program import (
    DefinedByClass,
    DescribesRun,
    HasClock,
    HasThreads,
    PromisesIndependence,
    Reloadable,
    ReportsFootprint,
    SpeaksOpenFlow,
    capability,
)
from sdnloom.network.topology import linear
from sdnloom.platforms.nox.program import NoxProgram
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.python.program import PythonProgram
from tests.network.programs import Hub
from tests.platforms.osken.helpers import APPS

NOX = Path(__file__).parents[2] / "examples" / "mac_learning_nox" / "learning.py"
PROMISES = (None, True, False)


def osken(**options):
    return OskenProgram([APPS / "learning.py"], **options)


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
def test_a_rewritten_program_makes_the_same_promise(promise):
    assert PythonProgram(Hub, {}, promise).rewritten().per_switch is promise
    assert osken(per_switch=promise).rewritten().per_switch is promise


@pytest.mark.parametrize("promise", PROMISES)
def test_a_program_that_is_loaded_again_makes_the_same_promise(promise):
    for program in (
        PythonProgram(Hub, per_switch=promise),
        osken(per_switch=promise),
        NoxProgram(NOX, per_switch=promise),
    ):
        again = program.reloaded()
        assert again is not program
        assert again.per_switch is promise
        assert type(again) is type(program)


def test_all_other_options_are_the_same_too():
    program = osken(version="1.3", hub="eventlet", threads="explore", seed=3, draws=2, widest=4)
    for copy in (program.reloaded(), program.rewritten(), program.rewritten().reloaded()):
        assert copy.version == "1.3"
        assert copy.explores_threads
        assert (copy._flavour, copy._random) == (program._flavour, (3, 4, 2))


class Counter:
    """Counts packets of all switches together."""

    def __init__(self):
        self.seen = 0

    def packet_in(self, net, switch, message):
        self.seen += 1
        net.flood(switch, message)


def test_a_promise_that_is_broken_is_an_error_also_where_packets_are_discovered():
    network = Network(linear(2), (Client("h1", to=("h2",)),))
    scenario = Scenario(network, PythonProgram(Counter, {}, True), (), SearchOptions(reduce=True))
    with pytest.raises(PromiseError, match=r"Counter promises to keep to one switch at a time"):
        scenario.discovering().check()


def test_abilities_are_found_through_wrappers():
    plain, apps = PythonProgram(Hub), osken(threads="explore")
    for program in (plain, AssumeIndependent(plain)):
        assert capability(program, DefinedByClass) is plain
        assert capability(program, PromisesIndependence) is plain
        assert [capability(program, each) for each in (HasClock, HasThreads, SpeaksOpenFlow, ReportsFootprint)] == [
            None
        ] * 4
    for program in (apps, AssumeIndependent(apps)):
        for each in (HasClock, HasThreads, SpeaksOpenFlow, ReportsFootprint, Reloadable, DescribesRun):
            assert capability(program, each) is apps
        assert capability(program, DefinedByClass) is None


def test_abilities_are_found_by_protocol_only():
    source = Path(__file__).parents[2] / "src" / "sdnloom"
    by_name = re.compile(r"(get|has)attr\((self\.)?_?(program|wrapped|source|twin)\b")
    assert [file for file in source.rglob("*.py") if by_name.search(file.read_text())] == []
    assert not any(hasattr(wrapper, "__getattr__") for wrapper in (AssumeIndependent, CachedProgram))
