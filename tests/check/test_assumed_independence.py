"""An assumption of a reduction about a program's handlers is refuted before it does harm."""

from dataclasses import replace
from typing import Any

import pytest

from sdnloom import Scenario, run_check, run_resume
from sdnloom.check.reduction_choice.noted_program import NotedProgram, RecalledProgram
from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.checkpoint.file import read_checkpoint, write_checkpoint
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Restart
from sdnloom.engine.reduction import auto_reduction
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import _Run, search
from sdnloom.network.assumed_independence import AssumeIndependent, PromiseError
from sdnloom.network.build import build
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import Network
from sdnloom.network.openflow import Match, PacketIn
from sdnloom.network.program import MessageIn, Reaction, SwitchUp
from sdnloom.network.program_cells import Attribute, Order
from sdnloom.network.topology import linear
from sdnloom.platforms.python.handlers import ProgramError
from sdnloom.platforms.python.program import PythonProgram
from tests.reduction_comparison import compare

NETWORK = Network(linear(2), (Client("h1", to=("h2",), sends=2), Replier("h2")))


class Keeps:
    """A learning switch that keeps to its switch, unless told otherwise."""

    def __init__(self, breaks: str = "") -> None:
        self.ports: dict[str, dict[int, int]] = {}
        self.breaks, self.seen = breaks, 0

    def switch_join(self, net: Any, switch: str, joined: SwitchUp) -> None:
        self.ports[switch] = {}

    def packet_in(self, net: Any, switch: str, message: PacketIn) -> None:
        self.ports[switch][message.in_port] = 1
        if self.breaks == "looks":
            self.ports["s2"].get(1)
        if self.breaks == "counts":
            len(self.ports)
        if self.breaks == "changes":
            self.seen += 1
        net.flood("s2" if self.breaks == "sends" else switch, message)


def assumed_of(program: PythonProgram) -> tuple[int, AssumeIndependent]:
    """How often a search with this program restarts, and the assumptions that are left."""
    known, starts = AssumeIndependent(program), 0
    while isinstance(
        search(build(NETWORK, known), SearchOptions(engine="loop", reduce=True)).verdict,
        Restart,
    ):
        starts += 1
    return starts, known


@pytest.mark.parametrize(
    ("breaks", "apart", "near", "refuted"),
    [
        ("", True, True, ()),
        ("looks", False, True, ("s1 and s2 share ports['s2']",)),
        ("counts", False, True, ("s1 and s2 share ports['s2']",)),
        ("changes", False, True, ("s1 and s2 share seen",)),
        ("sends", True, False, ("the program sends to s2 for a message from s1",)),
    ],
)
def test_an_assumption_that_is_refuted_is_dropped_and_no_other(breaks, apart, near, refuted):
    starts, known = assumed_of(PythonProgram(Keeps, {"breaks": breaks}))
    assert (known.apart, known.near, known.refuted) == (apart, near, refuted)
    assert starts == (not apart) + (not near)


def test_nothing_is_assumed_of_a_program_that_says_no():
    starts, known = assumed_of(PythonProgram(Keeps, per_switch=False))
    assert (starts, known.apart, known.near) == (0, False, False)


@pytest.mark.parametrize(
    ("breaks", "what"),
    [
        ("looks", r"s1 and s2 share ports\['s2'\] \(written for s2, read for s1\)"),
        ("counts", r"s1 and s2 share ports\['s2'\] \(written for s2, read for s1\)"),
        ("changes", r"s1 and s2 share seen \(written for s2, read for s1\)"),
        ("sends", "the program sends to s2 for a message from s1"),
    ],
)
def test_a_broken_promise_names_what_was_done(breaks, what):
    scenario = Scenario(NETWORK, PythonProgram(Keeps, {"breaks": breaks}, True), (), SearchOptions(reduce=True))
    expected = rf"Keeps promises to keep to one switch at a time \(per_switch\), but {what}; expected no cell"
    with pytest.raises(PromiseError, match=expected):
        scenario.check()


def test_a_promise_is_true_or_false():
    with pytest.raises(ProgramError, match=r"Keeps.per_switch is 1.5; expected True or False"):
        PythonProgram(type("Keeps", (Keeps,), {"per_switch": 1.5}))


def test_handlers_that_are_apart_reduce_more_than_those_that_are_only_noted():
    sizes = [compare(Scenario(NETWORK, PythonProgram(Keeps, {}, said), ())) for said in (True, None, False)]
    promised, supposed, noted = (one.factor for one in sizes if one is not None)
    assert promised == supposed > noted


class Told:
    """A program that says itself what it touches: for each switch, what it reads and what it writes."""

    name = "told"

    def __init__(self, **touches: tuple[set[Any], set[Any]]) -> None:
        self.touches = touches

    def handle(self, core: Any, given: MessageIn) -> list[Reaction]:
        reads, writes = map(frozenset, self.touches[given.switch])
        return [Reaction(core, reads=reads | writes, writes=writes)]


@pytest.mark.parametrize("breaks", ["", "looks", "changes", "sends"])
def test_what_is_put_off_is_refuted_later_with_the_same_reasons(breaks):
    program = PythonProgram(Keeps, {"breaks": breaks})
    at_once = assumed_of(program)[1]
    deferred = AssumeIndependent(program, deferred=True)
    while True:
        met = search(build(NETWORK, deferred), SearchOptions(engine="loop", reduce=True)).verdict
        if not isinstance(met, Restart) and deferred.settle() is None:
            break
    assert (deferred.apart, deferred.near, deferred.unsettled) == (at_once.apart, at_once.near, 0)
    assert set(deferred.refuted) == set(at_once.refuted)


def test_noted_reactions_are_recalled_without_running_a_handler():
    ran = []

    class Runs:
        name = "runs"

        def initial(self) -> int:
            return 0

        def handle(self, core: int, given: MessageIn) -> list[Reaction]:
            ran.append((core, given))
            return [Reaction(core + 1)]

    noted = NotedProgram(Runs())
    recalled = RecalledProgram(noted)
    one, two = (MessageIn(switch, PacketIn(Match(), b"", 0)) for switch in ("s1", "s2"))
    assert noted.handle(0, one) == noted.handle(0, one) == recalled.handle(0, one) == [Reaction(1)]
    assert (recalled.handle(0, two), recalled.handle(0, two)) == ([Reaction(1)], [Reaction(1)])
    assert ran == [(0, one), (0, one), (0, two)]  # its own search runs it each time, as its replays have to


@pytest.mark.parametrize("breaks", ["", "looks", "changes", "sends"])
def test_a_check_that_takes_a_reduction_itself_reports_as_one_that_was_told_to(breaks, monkeypatch):
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", 30)
    for name in ("MOST_OF_TRIAL", "MOST_TO_TAKE"):
        monkeypatch.setattr(auto_reduction, name, 1e9)
    scenario = Scenario(NETWORK, PythonProgram(Keeps, {"breaks": breaks}), (), SearchOptions(engine="loop"))
    chosen, told = (replace(scenario, options=SearchOptions("loop", reduce=how)).check() for how in ("auto", True))
    assert chosen.result.choice.startswith("taken at ")
    assert chosen.verdict == told.verdict
    assert chosen.reduction == told.reduction
    counts = [(one.result.statistics.states, one.result.statistics.transitions) for one in (chosen, told)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("breaks", "first"), [("", 30), ("looks", 30), ("looks", 1), ("sends", 30)])
def test_a_check_that_takes_a_reduction_goes_on_from_every_checkpoint(breaks, first, monkeypatch, tmp_path):
    """With assumptions that are refuted in a trial, by a step or when footprints are found, and after it."""
    monkeypatch.setattr(auto_reduction, "FIRST_TRIAL", first)
    for module, name, value in (
        *((auto_reduction, name, 1e9) for name in ("MOST_OF_TRIAL", "MOST_TO_TAKE")),
        *((keeping, name, 0) for name in ("INTERVAL", "REST_FACTOR")),
        (format_of.os, "fsync", lambda descriptor: None),
        (_Run, "_compiled", lambda self, meanwhile: True),
    ):
        monkeypatch.setattr(module, name, value)
    file, copies = tmp_path / "search.ckpt", []

    def write(*given):
        write_checkpoint(*given)
        copies.append(file.read_bytes())

    def scenario():
        return Scenario(NETWORK, PythonProgram(Keeps, {"breaks": breaks}), ())

    def facts(report):
        counts = replace(report.result.statistics, seconds=0.0, bytes_per_state=None)
        return report.verdict, report.reduction, replace(report.result, statistics=counts)

    with monkeypatch.context() as noting:
        noting.setattr(keeping, "write_checkpoint", write)
        whole = run_check(scenario(), checkpoint=file)
    assert whole.result.choice.startswith("taken at ")
    assert bool(whole.reduction.refuted) == bool(breaks)
    stages = set()
    for copy in copies[::4]:
        file.write_bytes(copy)
        choice = read_checkpoint(file).manifest["choice"]
        stages.add((choice["whole"] is not None, choice["assumed"][2] != []))
        assert facts(run_resume(file, scenario=scenario())) == facts(whole)
    assert (True, bool(breaks)) in stages
    assert ((True, False) in stages) == (not breaks or first == 1)  # taken, and refuted later if at all


def test_tables_may_be_filled_for_any_switch_as_long_as_nobody_looks_at_their_order():
    fill, look = (set(), {Order("table")}), ({Attribute("table")}, set())
    program = AssumeIndependent(Told(s1=fill, s2=fill, s3=look))
    one, two, three = (MessageIn(switch, PacketIn(Match(), b"", 0)) for switch in ("s1", "s2", "s3"))
    assert program.handle(None, one)[0].writes is None  # they are apart
    assert program.handle(None, two)[0].writes is None
    assert program.handle(None, three) == Restart("s1 and s3 share the order of table")
    assert program.handle(None, one)[0].writes == program.handle(None, two)[0].reads == {Order("table")}


def test_the_time_limit_counts_from_the_first_start_and_is_reported_as_it_was_given():
    limits = Limits(seconds=60)
    scenario = Scenario(NETWORK, PythonProgram(Keeps), (), SearchOptions(limits=limits))
    report = scenario.check(watch=LimitWatch(limits, spent=61))
    assert report.result.incomplete == "the time limit of 60 s was reached during the start-up"
    assert "at most 60 seconds" in report.bounds


# Two switches, and all that their handlers may do to each other.


class Anything:
    """Does one thing for packets of each switch, and remembers what it saw."""

    def __init__(self, deeds: dict[str, Any]) -> None:
        self.deeds = deeds
        self.seen: dict[str, list[Any]] = {"s1": [], "s2": []}
        self.table: dict[str, str] = {}
        self.total = 0

    def packet_in(self, net: Any, switch: str, message: PacketIn) -> None:
        deed, key = self.deeds[switch]
        if deed == "write":
            self.table[key] = switch
        elif deed == "look":
            self.seen[switch].append(self.table.get(key))
        elif deed == "look at all":
            self.seen[switch].append(sorted(self.table.items()))
        elif deed == "count":
            self.total += 1
            self.seen[switch].append(self.total)
        elif deed == "forget":
            self.seen[switch].append(self.table.pop(key, None))
        net.flood(key if deed == "send" else switch, message)


DEEDS = (
    *(("write", "x"), ("write", "y"), ("look", "x"), ("look", "y"), ("look at all", ""), ("count", "")),
    *(("forget", "x"), ("send", "s1"), ("send", "s2")),
)


@pytest.mark.slow
@pytest.mark.parametrize("first", DEEDS, ids=str)
def test_whatever_handlers_do_a_reduction_finds_what_the_whole_search_finds(first):
    network = Network(linear(2), (Client("h1", to=("h2",)), Client("h2", to=("h1",))))
    for second in DEEDS:
        compare(Scenario(network, PythonProgram(Anything, {"deeds": {"s1": first, "s2": second}}), ()))
