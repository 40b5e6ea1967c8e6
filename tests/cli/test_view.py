"""`sdnloom view`: pages of traces and results, where they are written, and the browser that shows them."""

import json
import webbrowser
from pathlib import Path

import pytest

from sdnloom.report.page.page import results_html
from sdnloom.report.view.document import result_document
from tests.cli.running import CommandLine
from tests.report.page.sample_views import holds_view, small_view

EXAMPLES = Path(__file__).parents[2] / "examples"
TRACE = "bug7.NoForgottenPackets.sdnloom-trace.json"


def data_of(page: str) -> dict:
    """The data block of a page."""
    found: dict = json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])
    return found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened, on a machine with a display."""
    addresses: list[str] = []

    def opens(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", opens)
    return addresses


def test_a_trace_becomes_a_page_beside_it_and_is_opened(
    sdnloom: CommandLine, tmp_path: Path, opened: list[str]
) -> None:
    assert sdnloom("check", EXAMPLES / "load_balancer/bug7.toml").code == 1
    ran = sdnloom("view", TRACE)
    assert (ran.code, ran.out, ran.err) == (0, "bug7.NoForgottenPackets.html\n", "")
    page = tmp_path / "bug7.NoForgottenPackets.html"
    assert opened == [page.as_uri()]
    data = data_of(page.read_text())
    [result] = data["results"]
    [finding] = result["findings"]
    steps = finding["trace"]["steps"]
    assert (result["verdict"], finding["property"], len(steps)) == ("violated", "NoForgottenPackets", 6)
    files = {Path(data["texts"][data["codes"][place][0]]).name for place, _ in steps[0]["code"]}
    assert files == {"balancer.py", "bug7.py"}
    assert "LoadBalancer.change_policy" in data["texts"]
    orderings = [
        (first, second, removes) for first, second, _, matters, removes in finding["trace"]["orderings"] if matters
    ]
    assert orderings == [(4, 6, True), (2, 4, False)]
    assert sdnloom("view", TRACE, "--no-explain", "--no-open").code == 0
    assert data_of(page.read_text())["results"][0]["findings"][0]["trace"]["orderings"] == []


def test_a_trace_of_actors_has_the_source_of_its_tasks(sdnloom: CommandLine, tmp_path: Path) -> None:
    assert sdnloom("check", EXAMPLES / "actors/first_program.py").code == 1
    [trace] = tmp_path.glob("*.sdnloom-trace.json")
    assert sdnloom("view", trace, "-o", "page.html", "--no-open").code == 0
    data = data_of((tmp_path / "page.html").read_text())
    assert any(data["texts"][file].endswith("first_program.py") for file, *_ in data["codes"])


def test_a_trace_that_diverges_is_shown_as_it_was_recorded(sdnloom: CommandLine, tmp_path: Path) -> None:
    assert sdnloom("check", EXAMPLES / "load_balancer/bug7.toml").code == 1
    document = json.loads((tmp_path / TRACE).read_text())
    document["steps"][3]["component"] = "two"
    (tmp_path / TRACE).write_text(json.dumps(document))
    ran = sdnloom("view", TRACE, "-o", "-")
    assert ran.code == 0
    assert "step 4 of 6 cannot be taken any more; shown as it was recorded" in ran.err
    [result] = data_of(ran.out)["results"]
    assert result["verdict"] == "incomplete"
    assert len(result["findings"][0]["trace"]["steps"]) == 6


def test_a_result_becomes_a_page(sdnloom: CommandLine, tmp_path: Path, opened: list[str]) -> None:
    (tmp_path / "result.json").write_text(result_document([small_view(), holds_view()]))
    assert sdnloom("view", "result.json", "--no-open").out == "result.html\n"
    assert opened == []
    assert (tmp_path / "result.html").read_text() == results_html([small_view(), holds_view()])
    assert sdnloom("view", "result.json", "-o", "-").out == results_html([small_view(), holds_view()])
    assert opened == []


def test_where_there_is_no_display_the_file_is_named(
    sdnloom: CommandLine, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "result.json").write_text(result_document([holds_view()]))
    ran = sdnloom("view", "result.json")
    assert (ran.code, ran.out) == (0, "result.html\n")
    assert ran.err == "no browser could be opened here: open the file in one\n"
    assert opened == []


@pytest.mark.parametrize(
    ("name", "contents", "arguments", "error"),
    [
        ("none.json", None, (), "none.json: cannot read the result or trace: No such file or directory"),
        ("a.json", "{}", (), "a.json: schema is missing; expected 'sdnloom-result-1' or 'sdnloom-trace'"),
        ("a.json", "{", (), "a.json: not a whole JSON document (Expecting property name"),
        ("a.toml", "x = 1", (), "a.toml: not JSON (Expecting value: line 1 column 1 (char 0)); expected a trace or"),
        (".", None, (), ".: expected a file with a result or trace, found a directory"),
        ("a.html", "{}", (), "a.html: is the input; expected another file for the page"),
        ("a.json", result_document([holds_view()]), ("-o", "none/a.html"), "none/a.html: cannot write the page"),
        ("a.json", result_document([holds_view()]), ("--scenario", "b.toml"), "a.json: is a result, which needs no"),
    ],
    ids=["missing", "another schema", "cut off", "not JSON", "a folder", "the input", "no folder", "scenario"],
)
def test_bad_input_is_one_message(
    sdnloom: CommandLine, tmp_path: Path, name: str, contents: str | None, arguments: tuple[str, ...], error: str
) -> None:
    if contents is not None:
        (tmp_path / name).write_text(contents)
    ran = sdnloom("view", name, *("-o", "a.html") if name == "a.html" else (), *arguments, "--no-open")
    assert ran.code == 2
    assert ran.out == ""
    assert error in ran.err
