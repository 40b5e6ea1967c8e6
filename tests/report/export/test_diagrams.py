"""Diagrams and logs of traces: texts cannot change them, and every step and message is in them."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from sdnloom.report.export.graphviz import graphviz_causes
from sdnloom.report.export.mermaid import mermaid_sequence
from sdnloom.report.export.plantuml import plantuml_sequences
from sdnloom.report.export.sequence import SequenceArrow, drawn_lanes, sequence_rows
from sdnloom.report.export.shiviz import SHIVIZ_DELIMITER, SHIVIZ_EVENT, shiviz_events, shiviz_log
from sdnloom.report.exports import ExportError, exported
from sdnloom.report.view.result_view import (
    FindingView,
    LaneView,
    ResultView,
    StepView,
    TraceView,
    TransferView,
)
from tests.report.random_views import NASTY, RandomViews, random_results

SEEDS = range(120)
# A step that sends two messages: one that step 2 receives, one that nobody does; step 3 is a rendezvous.
TRACE = TraceView(
    (LaneView("h1", "host"), LaneView("s1", "switch"), LaneView("c", "controller"), LaneView("idle", "switch")),
    (
        StepView(
            1,
            "h1",
            "send",
            "h1: sends",
            transfers=(TransferView("s1", "ping", "packet", 2), TransferView("s1", "pong", "packet")),
        ),
        StepView(2, "s1", "receive", "s1: receives ping", effects=("dropped",), causes=(1,)),
        StepView(3, "c", "sync", "c: tells s1", transfers=(TransferView("s1", "sync", "message", 3),)),
        StepView(4, "s1", "rest", "s1: rests", causes=(2,)),
    ),
    marked=(3,),
)
RESULT = ResultView("check", "x", "violated", "VIOLATED P", ("P",), (FindingView("P", "broken", TRACE),))


def traces() -> list[tuple[ResultView, FindingView]]:
    return [(view, finding) for seed in SEEDS for view in random_results(seed) for finding in view.findings]


def test_rows_are_arrows_where_a_message_is_received_and_notes_elsewhere() -> None:
    assert [row.text for row in sequence_rows(TRACE)] == [
        "1. h1: sends",
        "pong (not received)",
        "2. ping",
        "dropped",
        "3. sync",
        "4. s1: rests",
    ]
    assert [lane.name for lane in drawn_lanes(TRACE)] == ["h1", "s1", "c"]


# ---- mermaid ---------------------------------------------------------------------------------------------------------

TEXT = r"(?:[^#;<>%$\n\"{}&]|#\d+;|<br/>)+"  # what we let through: nothing that mermaid reads as syntax
MERMAID = re.compile(
    rf"  title {TEXT}|  (?:participant|actor) L\d+ as {TEXT}|  rect rgba\(192, 57, 43, 0\.15\)|  end"
    rf"|  Note over L\d+(?:,L\d+)?: {TEXT}|  L\d+(?:->>|--x)L\d+: {TEXT}"
)
KEYWORD = re.compile(r"style|classDef|wrap:|\bend\b", re.IGNORECASE)


def read_mermaid(text: str) -> Counter[str]:
    """The numbers of lines of each kind, if the text is a sequence diagram of our subset."""
    first, *lines = text.removesuffix("\n").split("\n")
    assert first == "sequenceDiagram"
    counts: Counter[str] = Counter()
    open_boxes = 0
    declared: set[str] = set()
    for line in lines:
        assert MERMAID.fullmatch(line), line
        kind = line.split()[0]
        if kind in ("participant", "actor"):
            declared.add(line.split()[1])
        elif kind in ("rect", "end"):
            open_boxes += 1 if kind == "rect" else -1
            assert open_boxes in (0, 1)
        elif kind != "title":
            words = line.split(":")[0]
            assert set(re.findall(r"L\d+", words)) <= declared
            kind = kind if kind == "Note" else "arrow"
        counts[kind] += 1
        said = re.sub(r"^  (?:end|rect .*|title|\w+ L\d+ as|[^:]*:)", "", line)
        assert not KEYWORD.search(said), line
    assert open_boxes == 0
    return counts


def test_mermaid_of_any_text_is_a_sequence_diagram_of_our_subset() -> None:
    for view, finding in traces():
        rows = [] if finding.trace is None else list(sequence_rows(finding.trace))
        counts = read_mermaid(mermaid_sequence(view, finding))
        matters = [] if finding.trace is None else [each for each in finding.trace.orderings if each.matters]
        arrows = sum(isinstance(row, SequenceArrow) for row in rows)
        assert (counts["arrow"], counts["Note"]) == (arrows, len(rows) - arrows + 1 + len(matters))
    assert read_mermaid(mermaid_sequence(RESULT, None)) == {"title": 1, "actor": 1, "Note": 1}


def test_mermaid_boxes_marked_steps() -> None:
    assert mermaid_sequence(RESULT, RESULT.findings[0]).splitlines() == [
        "sequenceDiagram",
        "  title x: P: broken",
        "  actor L1 as h1",
        "  participant L2 as s1",
        "  participant L3 as c",
        "  Note over L1: 1. h1: sends",
        "  L1--xL2: pong (not received)",
        "  L1->>L2: 2. ping",
        "  Note over L2: dropped",
        "  rect rgba(192, 57, 43, 0.15)",
        "  L3->>L2: 3. sync",
        "  end",
        "  Note over L2: 4. s1: rests",
        "  Note over L1,L3: x: P: broken",
    ]


# ---- PlantUML --------------------------------------------------------------------------------------------------------

WORDS = r"(?:[\w .,:()=+?-]|<U\+[0-9A-F]{4,6}>|\\n)+"
PLANTUML = re.compile(
    rf'@startuml|@enduml||title {WORDS}|(?:participant|actor|control) "{WORDS}" as L\d+'
    rf"|note over L\d+(?:,L\d+)?(?: #f5b7b1)? : {WORDS}|L\d+ -(?:\[#c0392b\])?(?:>|->x) L\d+ : {WORDS}"
)
MARKUP = re.compile(r"--|__|\.\.|\+\+|==")


def test_plantuml_of_any_text_has_only_lines_of_our_subset() -> None:
    for seed in SEEDS:
        views = random_results(seed)
        text = plantuml_sequences(views)
        lines = text.split("\n")
        assert [line for line in lines if not PLANTUML.fullmatch(line)] == []
        assert [line for line in lines if MARKUP.search(re.sub(r"^L\d+ \S+ L\d+", "", line))] == []
        blocks = sum(len(view.findings) or 1 for view in views)
        assert (lines.count("@startuml"), lines.count("@enduml")) == (blocks, blocks)


def test_plantuml_colours_marked_steps() -> None:
    lines = plantuml_sequences([RESULT]).splitlines()
    assert lines[5:11] == [
        "note over L1 : 1. h1: sends",
        "L1 -->x L2 : pong (not received)",
        "L1 -> L2 : 2. ping",
        "note over L2 : dropped",
        "L3 -[#c0392b]> L2 : 3. sync",
        "note over L2 : 4. s1: rests",
    ]


# ---- Graphviz --------------------------------------------------------------------------------------------------------


def unescaped(label: str) -> str:
    """A label as Graphviz shows it."""
    return re.sub(r"\\(.)", lambda found: " " if found[1] == "n" else found[1], label)


def test_graphviz_draws_every_step_with_any_text(need_tool) -> None:
    """One graph of all nasty texts: `dot` reads every label back as it was meant."""
    need_tool("dot")
    lanes = tuple(LaneView(text, "switch") for text in dict.fromkeys(NASTY))
    steps = tuple(StepView(number, lane.name, "a", lane.name) for number, lane in enumerate(lanes, 1))
    view = ResultView("check", "x", "violated", "V", (), (FindingView("P", "m", TraceView(lanes, steps)),))
    found = json.loads(
        subprocess.run(
            ["dot", "-Tdot_json"], input=graphviz_causes([view, RESULT]).encode(), capture_output=True, check=True
        ).stdout
    )
    labels = {each["name"]: unescaped(each["label"]) for each in found["objects"] if "label" in each}
    for step in steps:
        words = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\ud800]+", " ", f"{step.number}. {step.text}").split()
        shown = labels[f"f1_{step.number}"].replace("&amp;", "&").split()
        assert "".join(shown) == "".join(words)
    names = [each["name"] for each in found["objects"]]
    edges = [(names[edge["tail"]], names[edge["head"]], edge.get("label", "")) for edge in found["edges"]]
    second = sorted(edge for edge in edges if edge[0].startswith("f2"))
    assert second == [("f2_1", "f2_2", "ping"), ("f2_2", "f2_4", ""), ("f2_4", "f2", "")]


def test_graphviz_of_a_result_without_findings_says_the_verdict() -> None:
    assert '"HOLDS P"' in graphviz_causes([ResultView("check", "x", "holds", "HOLDS P")])


# ---- ShiViz ----------------------------------------------------------------------------------------------------------


def read_shiviz(log: str) -> list[list[tuple[str, str, dict[str, int]]]]:
    """The executions of a log, read as ShiViz does: by the regular expressions of its first two lines."""
    event, delimiter, rest = log.split("\n", 2)
    event, delimiter = (each.replace("(?<", "(?P<") for each in (event, delimiter))
    executions = re.split(re.sub(r"\(\?P<\w+>", "(?:", delimiter), rest)[1:]
    return [
        [(found["event"], found["host"], json.loads(found["clock"])) for found in re.finditer(event, execution)]
        for execution in executions
    ]


def test_a_shiviz_log_has_every_step_with_a_clock_that_shiviz_accepts() -> None:
    """Each host counts its own events from 1, and no clock knows of an event that was not there before."""
    for seed in SEEDS:
        views = random_results(seed)
        findings = [finding for view in views for finding in view.findings]
        executions = read_shiviz(shiviz_log(views))
        assert len(executions) == len(findings)
        for finding, events in zip(findings, executions, strict=True):
            counts: Counter[str] = Counter()
            for _, host, clock in events:
                counts[host] += 1
                assert clock[host] == counts[host]
                assert all(counts[other] >= count for other, count in clock.items())
            steps = finding.trace.steps if finding.trace else ()
            meetings = sum(t.taken == s.number and t.to != s.lane for s in steps for t in s.transfers)
            assert len(events) == len(steps) + meetings


def test_a_rendezvous_is_an_event_of_both_lanes() -> None:
    assert [(event.text, event.host, dict(event.clock)) for event in shiviz_events(TRACE)] == [
        ("1. h1: sends", "h1", {"h1": 1}),
        ("2. s1: receives ping", "s1", {"h1": 1, "s1": 1}),
        ("3. c: tells s1", "c", {"c": 1}),
        ("3. receives sync", "s1", {"h1": 1, "s1": 2, "c": 1}),
        ("4. s1: rests", "s1", {"h1": 1, "s1": 3, "c": 1}),
    ]
    assert shiviz_log([RESULT]).startswith(f"{SHIVIZ_EVENT}\n{SHIVIZ_DELIMITER}\n=== x: P: broken ===\n1. h1: sends\n")


@pytest.mark.parametrize("seed", range(3))
def test_the_same_result_gives_the_same_text(seed: int) -> None:
    first, second = (RandomViews(seed).result() for _ in range(2))
    for function in (plantuml_sequences, graphviz_causes, shiviz_log):
        assert function([first]) == function([second])


def test_a_document_without_results_is_no_diagram() -> None:
    with pytest.raises(ExportError, match=r"x\.mmd: there is no result; expected at least one"):
        exported([], Path("x.mmd"))
