"""Results as JUnit XML, which CI systems show as tests: a suite for each result, a case for each property.

A violation is a failure, with its steps; one that a baseline accepts is skipped. A result that is incomplete or vacuous
is an error of each property that is not violated, as its exit code is not 0. A property that was not decided because
another one is violated is skipped. A finding without a property, such as a harmless race, is no test.
"""

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from sdnloom.report.describe import counted
from sdnloom.report.export.sequence import ordering_texts, unique_names
from sdnloom.report.view.result_view import FindingView, ResultView

_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_MOST_STEPS: Final = 2_000  # of a trace that is written out
_REASONS: Final = {"incomplete": "not everything was searched", "vacuous": "too little happened"}


def junit_xml(views: Sequence[ResultView]) -> str:
    """One document with a test suite for each result."""
    suites = [_suite(view, name) for view, name in zip(views, unique_names(views), strict=True)]
    root = ElementTree.Element("testsuites", {"name": "sdnloom", **_sums(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _sums(suites: Sequence[ElementTree.Element]) -> dict[str, str]:
    counts = {key: str(sum(int(suite.get(key, "0")) for suite in suites)) for key in ("tests", "failures", "errors")}
    seconds = sum(float(suite.get("time", "0")) for suite in suites)
    return {**counts, "skipped": str(sum(int(suite.get("skipped", "0")) for suite in suites)), "time": f"{seconds:.3f}"}


def _suite(view: ResultView, title: str) -> ElementTree.Element:
    found = {finding.property: None for finding in view.findings if finding.property}
    names = dict.fromkeys((*view.properties, *found)) or {view.kind: None}
    cases = [_case(view, title, name, [each for each in view.findings if each.property == name]) for name in names]
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": _text(title),
            "tests": str(len(cases)),
            "failures": str(sum(case.find("failure") is not None for case in cases)),
            "errors": str(sum(case.find("error") is not None for case in cases)),
            "skipped": str(sum(case.find("skipped") is not None for case in cases)),
            "time": f"{view.seconds:.3f}",
        },
    )
    if view.facts:
        properties = ElementTree.SubElement(suite, "properties")
        for label, text in view.facts:
            ElementTree.SubElement(properties, "property", {"name": _text(label), "value": _text(text)})
    suite.extend(cases)
    return suite


def _case(view: ResultView, title: str, name: str, findings: list[FindingView]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"classname": _text(f"sdnloom.{view.kind}.{title}"), "name": _text(name)})
    new = [finding for finding in findings if not finding.known]
    if new:
        more = f" (and {counted(len(new) - 1, 'more violation')})" if len(new) > 1 else ""
        failure = ElementTree.SubElement(case, "failure", {"message": _text(new[0].message + more), "type": "violated"})
        failure.text = _text("\n\n".join(map(finding_lines, new)))
    elif findings:
        ElementTree.SubElement(case, "skipped", {"message": _text(f"known: {findings[0].message}")})
    elif view.verdict in _REASONS:
        said = view.headline or _REASONS[view.verdict]
        error = ElementTree.SubElement(case, "error", {"message": _text(said), "type": view.verdict})
        error.text = _text("\n".join([said, *(f"{label}: {text}" for label, text in view.facts)]))
    elif view.verdict == "violated":
        ElementTree.SubElement(case, "skipped", {"message": "not decided: another property is violated"})
    if findings and (file := findings[0].file):
        case.set("file", _text(file))
        if findings[0].line:
            case.set("line", str(findings[0].line))
    return case


def finding_lines(finding: FindingView) -> str:
    """A finding as plain text: its message, facts and steps."""
    lines = [f"{finding.property}: {finding.message}" if finding.property else finding.message]
    lines += [f"{label}: {text}" for label, text in finding.facts]
    if finding.trace is not None:
        lines += [finding.trace.length] if finding.trace.length else []
        shown = finding.trace.steps[:_MOST_STEPS]
        lines += [f"{'*' if step.number in finding.trace.marked else ' '} {step.number}  {step.text}" for step in shown]
        more = len(finding.trace.steps) - len(shown)
        lines += [f"  and {counted(more, 'more step')}"] if more else []
        lines += ordering_texts(finding.trace)
    lines += [f"replay: sdnloom replay {finding.trace_file}"] if finding.trace_file else []
    return "\n".join(lines)


def _text(text: str) -> str:
    """A text without characters that XML cannot have."""
    return _FORBIDDEN.sub("\ufffd", text)
