"""The tree of executions, and its pictures."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from examples.actors.first_program import program, with_barriers
from sdnloom.actors import Actor, Program, load_program
from sdnloom.actors.executions import count
from sdnloom.actors.executions.tree import ExecutionTree, execution_tree
from sdnloom.engine.result import Limits
from sdnloom.errors import SdnloomError
from sdnloom.report.actors.tree_graph import tree_dot, tree_mermaid
from sdnloom.report.actors.tree_svg import tree_svg
from sdnloom.report.actors.tree_text import tree_text

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def balancer() -> ExecutionTree:
    return execution_tree(program())


def leaves(tree: ExecutionTree) -> list[str]:
    return [line.strip() for line in tree_text(tree).splitlines() if line.strip().startswith("execution ")]


def test_the_tree_has_a_leaf_for_each_execution_and_says_how_it_ends(balancer):
    assert balancer.executions == 8
    assert leaves(balancer) == [
        "execution 1; p1 reaches R1",
        "execution 2; p1 is at S1 again: a loop; violates NoForwardingLoop",
        "execution 3; p1 reaches R1",
        "execution 4; p1 reaches R1",
        "execution 5; p1 is at S1 again: a loop; violates NoForwardingLoop",
        "execution 6; p1 is dropped by S2",
        "execution 7; p1 is dropped by S2",
        "execution 8; p1 is dropped by S1",
    ]


def test_every_way_from_the_root_runs_tasks_that_are_there(balancer):
    """Each step of an edge is a task of the state above it, or one that a step of the edge sent."""
    for node in balancer.nodes:
        for branch in node.branches:
            below = {each.number for each in balancer.nodes[branch.to].tasks if each.is_new}
            first = branch.steps[0].number
            assert first in {each.number for each in node.tasks if each.can_run}
            assert not below & {each.number for each in node.tasks}


def test_the_tree_branches_where_tasks_conflict(balancer):
    branching = [node for node in balancer.nodes if len(node.branches) > 1]
    assert len(branching) == 6
    fourth = next(node for node in branching if {each.number for each in node.tasks} == {4, 5, 6})
    assert [(each.number, each.conflicts) for each in fourth.tasks] == [(4, True), (5, False), (6, True)]
    assert [[step.number for step in branch.steps] for branch in fourth.branches] == [[4, 6], [6, 4, 5]]
    assert all(sum(each.conflicts for each in node.tasks) >= 2 for node in branching)


def test_with_barriers_there_is_no_branch():
    tree = execution_tree(with_barriers())
    assert all(len(node.branches) <= 1 for node in tree.nodes)
    assert leaves(tree) == ["execution 1; p1 reaches R1"]
    assert [(each.number, each.can_run) for node in tree.nodes for each in node.tasks if not each.can_run] == [
        (3, False)
    ]


class Waiter(Actor):
    ready: bool = False

    async def wait(self):
        await self.until(lambda: self.ready)

    async def pick(self):
        self.ready = self.choose(False, True)


def test_choices_are_branches_and_tasks_that_wait_for_ever_are_named():
    waiter = Waiter("w")
    tree = execution_tree(Program((waiter,), (waiter.wait(), waiter.pick())))
    assert tree_text(tree).splitlines()[3:] == [
        "1: w.wait()*; 2: w.pick()*",
        "+ run 2 False, 1",
        "  execution 1; 1: w.wait() waits; violates NoDeadlock",
        "+ run 2 True, 1",
        "  execution 2",
        "+ run 1",
        "  (1)  2",
        "  + run 2 False",
        "    execution 3; 1: w.wait() waits; violates NoDeadlock",
        "  + run 2 True, 1",
        "    execution 4",
    ]


def test_a_tree_that_is_too_large_or_not_known_is_refused():
    with pytest.raises(SdnloomError, match="there are more than 7 at the level of entry"):
        execution_tree(program(), most=7)
    with pytest.raises(SdnloomError, match="no tree of executions: the limit of 5 states was reached"):
        execution_tree(program(), limits=Limits(states=5))


def test_the_picture_is_well_formed_and_needs_nothing_else(balancer):
    text = tree_svg(balancer)
    picture = ElementTree.fromstring(text)
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    boxes = [each for each in picture.iter("{http://www.w3.org/2000/svg}rect") if "x" in each.attrib]
    assert len(boxes) == len(balancer.nodes)
    corners = [[float(each.attrib[name]) for name in ("x", "y", "width", "height")] for each in boxes]
    assert all(x >= 0 and x + w <= width and y + h <= height for x, y, w, h in corners)
    for number, (x, y, w, h) in enumerate(corners):
        for x2, y2, w2, h2 in corners[:number]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y, "two boxes overlap"
    assert re.findall(r"https?://[^\"]*|<script|@import|url\(", text) == ["http://www.w3.org/2000/svg"]


def test_graphviz_and_mermaid_have_every_node_and_edge(balancer):
    edges = sum(len(node.branches) for node in balancer.nodes)
    dot, chart = tree_dot(balancer), tree_mermaid(balancer)
    assert dot.count(" -> ") == chart.count(" -->|") == edges == len(balancer.nodes) - 1
    assert dot.count("violates NoForwardingLoop") == chart.count("violates NoForwardingLoop") == 2
    assert chart.count("stroke:#c0392b") == 2


class Quoter(Actor):
    async def say(self, text):
        pass


def test_markup_in_arguments_is_escaped():
    quoter = Quoter("q")
    tree = execution_tree(Program((quoter,), (quoter.say('<b>&"|#'),)))
    assert ElementTree.fromstring(tree_svg(tree)) is not None
    assert "<b>" not in tree_svg(tree) + tree_dot(tree) + tree_mermaid(tree)


def test_the_picture_of_the_docs_is_that_of_the_first_program():
    tree = execution_tree(load_program(ROOT / "examples" / "actors" / "first_program.py"))
    assert (ROOT / "docs" / "actors-tree.svg").read_text() == tree_svg(tree)


def test_a_tree_of_a_large_program_is_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "POINTS_FOR_EXECUTION", 1)
    with pytest.raises(SdnloomError, match="to count them at the level of entry takes more than 8 states"):
        execution_tree(program(), most=8)
