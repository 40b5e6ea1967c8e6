"""JUnit XML: the structure that Jenkins and GitLab read, with any text."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from sdnloom.report.export.junit import junit_xml
from sdnloom.report.view.result_view import FindingView, LaneView, ResultView, StepView, TraceView, ViewVerdict
from tests.report.random_views import random_results

TRACE = TraceView((LaneView("s1", "switch"),), (StepView(1, "s1", "a", "s1: drops"),), marked=(1,), length="1 step")
FINDING = FindingView("P", "broken", TRACE, (("why", "because"),), "app.py", 7, "t.json")
RESULT = ResultView("check", "x", "violated", "VIOLATED P", ("P", "Q"), (FINDING,), (("bound", "1 packet"),), 1.5)

# Element -> attributes that it must have, attributes that it may have, elements below it: the common part of the
# schemas of Jenkins' xUnit plugin and of what GitLab reads.
COUNTS = {"tests", "failures", "errors", "skipped", "time"}
STRUCTURE = {
    "testsuites": ({"name", *COUNTS}, set(), {"testsuite"}),
    "testsuite": ({"name", *COUNTS}, set(), {"properties", "testcase"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name", "classname"}, {"file", "line"}, {"failure", "error", "skipped"}),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
}


def checked(text: str) -> ElementTree.Element:
    """The document, if it has the structure and its counts are right."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        needs, may, below = STRUCTURE[element.tag]
        assert needs <= {*element.keys()} <= needs | may
        assert {each.tag for each in element} <= below
    for suite in root:
        cases = suite.findall("testcase")
        assert all(len(case) <= 1 for case in cases)
        assert (
            len({(case.get("classname"), case.get("name")) for case in cases})
            == len(cases)
            == int(suite.get("tests", ""))
        )
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(count, "")) == sum(case.find(tag) is not None for case in cases)
    for count in COUNTS - {"time"}:
        assert int(root.get(count, "")) == sum(int(suite.get(count, "")) for suite in root)
    return root


def test_any_result_is_a_document_with_right_counts() -> None:
    for seed in range(150):
        views = random_results(seed)
        root = checked(junit_xml(views))
        assert len(root) == len(views)
        for view, suite in zip(views, root, strict=True):
            failed = {one.property for one in view.findings if one.property and not one.known}
            assert int(suite.get("failures", "")) == len(failed)


def test_a_violation_is_a_failure_with_its_steps() -> None:
    suite = checked(junit_xml([RESULT]))[0]
    case, other = suite.findall("testcase")
    assert case.attrib == {"classname": "sdnloom.check.x", "name": "P", "file": "app.py", "line": "7"}
    assert case[0].attrib == {"message": "broken", "type": "violated"}
    assert case[0].text == "P: broken\nwhy: because\n1 step\n* 1  s1: drops\nreplay: sdnloom replay t.json"
    assert other[0].attrib == {"message": "not decided: another property is violated"}
    assert (suite.get("time"), suite.find("properties/property").attrib) == (
        "1.500",
        {"name": "bound", "value": "1 packet"},
    )


def test_several_violations_of_a_property_are_one_failure() -> None:
    second = replace(FINDING, message="broken again")
    case = checked(junit_xml([replace(RESULT, findings=(FINDING, second))]))[0].find("testcase")
    assert case is not None
    assert case[0].get("message") == "broken (and 1 more violation)"
    assert "P: broken again" in (case[0].text or "")


@pytest.mark.parametrize(
    ("verdict", "tag"), [("holds", None), ("incomplete", "error"), ("vacuous", "error"), ("violated", "skipped")]
)
def test_a_property_without_a_violation_is_as_the_verdict_says(verdict: ViewVerdict, tag: str | None) -> None:
    suite = checked(junit_xml([replace(RESULT, verdict=verdict, findings=(), headline="why")]))[0]
    assert [case[0].tag if len(case) else None for case in suite.findall("testcase")] == [tag, tag]


def test_a_known_violation_is_skipped_and_a_finding_without_property_is_no_test() -> None:
    known = replace(FINDING, known=True)
    harmless = replace(FINDING, property="")
    suite = checked(junit_xml([replace(RESULT, verdict="holds", findings=(known, harmless))]))[0]
    assert [case.get("name") for case in suite.findall("testcase")] == ["P", "Q"]
    assert suite.find("testcase/skipped").attrib == {"message": "known: broken"}


def test_a_result_without_properties_is_one_test() -> None:
    suite = checked(junit_xml([ResultView("trace", "x", "incomplete", "INCOMPLETE")]))[0]
    assert [(case.get("name"), case[0].tag) for case in suite.findall("testcase")] == [("trace", "error")]
