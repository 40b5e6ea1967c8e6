"""Footprints of os-ken handlers, compared with running the handlers in both orders."""

import ast
import functools
import itertools

import pytest

from sdnloom.engine.reduction.place_classes import meet
from sdnloom.network.program import MessageIn
from sdnloom.network.program_cells import Attribute, Connected, Key, Order, conflict
from sdnloom.platforms.footprint.state_cells import REST
from tests.platforms.osken.helpers import APPS, joined, packet, program, run

NAMES = [
    each.id
    for node in ast.parse((APPS / "toucher.py").read_text()).body
    if isinstance(node, ast.Assign) and node.targets[0].id == "OPERATIONS"
    for part in node.value.elts
    for each in part.value.elts
]


@pytest.fixture(scope="module")
def toucher():
    return program("toucher")


@pytest.fixture(scope="module")
def start(toucher):
    return run(toucher, joined(1), joined(2))[-1].core


def doing(*operations, switch=1) -> MessageIn:
    data = b"".join(bytes([NAMES.index(name), argument]) for name, argument in operations)
    return packet(data, switch)


def touched(program, core, given):
    reactions = program.handle(core, given)
    return program.footprint(core, given, reactions)


touched_once = functools.cache(touched)


TABLE, LISTS = Attribute("Toucher.table"), Order("Toucher.lists")


@pytest.mark.parametrize(
    ("operations", "reads", "writes"),
    [
        ([], set(), set()),
        ([("tell", 3)], {Key("Toucher.table", 3)}, set()),
        ([("write", 3)], set(), {Key("Toucher.table", 3), Order("Toucher.table")}),
        (
            [("write", 3), ("delete", 0)],
            set(),
            {Key("Toucher.table", each) for each in (0, 3)} | {Order("Toucher.table")},
        ),
        ([("write", 3), ("delete", 3)], {Key("Toucher.table", 3)}, set()),
        ([("delete", 0)], set(), {Key("Toucher.table", 0)}),
        ([("count", 0)], {TABLE}, set()),
        ([("step", 0)], set(), {REST}),
        ([("learn", 5)], set(), {Key("Toucher.nested", 1)}),
        ([("append", 4)], set(), {Key("Toucher.lists", 4), LISTS}),
        ([("tell_appended", 4)], set(), {Key("Toucher.lists", 4), LISTS}),  # a defaultdict makes what it is asked for
        ([("fill", 1)], {Key("Toucher.boxes", 0)}, {Key("Toucher.boxes", 1)}),
        ([("share", 1)], {Key("Toucher.boxes", 0), Key("Toucher.boxes", 1)}, {REST}),
        ([("share", 1), ("fill", 1)], set(), {Key("Toucher.boxes", 0), Key("Toucher.boxes", 1), REST}),
        ([("write_shared", 1)], set(), {REST}),
        ([("ask", 0)], set(), {Connected("s1")}),
        ([("tell_ids", 2)], {Key("Toucher.datapaths", 2), Connected("s2")}, set()),
        ([("tell_ids", 7)], {Key("Toucher.datapaths", 7)}, set()),
        ([("replace", 0)], {TABLE}, set()),
        ([("replace", 1)], {TABLE}, {Key("Toucher.table", 0)}),
    ],
    ids=lambda value: str(value) if isinstance(value, list) else "",
)
def test_looks_and_changes_are_found_part_by_part(toucher, start, operations, reads, writes):
    found = touched(toucher, start, doing(*operations))
    assert found is not None
    assert found[1] == writes
    assert found[0] - {REST, Connected("s1")} == (reads | writes) - {REST, Connected("s1")}
    assert {REST, Connected("s1")} <= found[0]


def test_a_table_that_something_else_refers_to_is_part_of_the_rest(toucher, start):
    aliased = run(toucher, doing(("alias", 1)), core=start)[-1].core
    assert touched(toucher, start, doing(("alias", 1)))[1] == {REST, TABLE, Key("Toucher.table", 0)}
    assert touched(toucher, aliased, doing(("write", 3)))[1] == {REST}


def test_watching_a_program_leaves_no_trace_in_its_states(toucher, start):
    given = doing(("write", 3), ("append", 4), ("share", 1), ("alias", 1), ("ask", 0))
    (before,) = toucher.handle(start, given)
    assert toucher.footprint(start, given, [before]) is not None
    (after,) = toucher.handle(start, given)
    assert before == after
    assert "Recording" not in toucher._states.text()


def test_what_a_program_does_when_it_notices_that_it_is_watched_is_not_believed(tmp_path):
    text = (APPS / "toucher.py").read_text().replace("len(me.table)", "5 + (type(me.table) is dict)")
    file = tmp_path / "suspicious.py"
    file.write_text(text)
    suspicious = program(file.with_suffix(""))
    core = run(suspicious, joined(1))[-1].core
    assert touched(suspicious, core, doing(("count", 0))) is None
    assert touched(suspicious, core, doing(("tell", 0))) is not None


# States from which every two operations are tried in both orders.
EARLIER = [
    [],
    [("write", 1), ("append", 1), ("learn", 1)],
    [("share", 1), ("fill", 0), ("fill", 0), ("ask", 0)],
    [("alias", 1), ("step", 0)],
]


@pytest.mark.slow
@pytest.mark.parametrize("earlier", EARLIER, ids=str)
def test_handlers_that_meet_in_no_part_commute(toucher, start, earlier):
    core = run(toucher, doing(*earlier), core=start)[-1].core
    handle = functools.cache(lambda core, given: toucher.handle(core, given)[0])
    deeds = list(itertools.product(NAMES, (0, 1, 2)))
    apart = 0
    for one, other in itertools.product(deeds, deeds):
        inputs = doing(one), doing(other, switch=2)
        (reads, writes), (looked, changed) = (touched_once(toucher, core, each) for each in inputs)
        if meet(writes, looked, conflict) or meet(changed, reads, conflict):
            continue
        apart += 1
        ends = []
        for first, second in itertools.permutations(inputs):
            done = handle(core, first)
            after = handle(done.core, second)
            ends.append((after.core, {(each.switch, what.messages) for each, what in ((first, done), (second, after))}))
        assert ends[0] == ends[1], (one, other)
    assert apart > 1000
