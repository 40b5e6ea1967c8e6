"""The page of results in a real browser: what it shows, keys, long traces, hostile texts, narrow windows."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from sdnloom.report.page.page import results_html
from sdnloom.report.view.result_view import (
    FindingView,
    LaneView,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)
from tests.browser.chromium import BrowserPage, OpenPage
from tests.report.page.sample_views import HOSTILE, crosscheck_view, holds_view, hostile_view, long_view, small_view

Show = Callable[..., BrowserPage]

# Whether something is wider than the window; boxes that scroll by themselves do not count.
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def show(open_page: OpenPage, tmp_path: Path) -> Show:
    """A function that shows views in a page, opened from a file."""

    def shown(*views: ResultView, address: str = "", width: int = 1280, dark: bool = False) -> BrowserPage:
        file = tmp_path / "page.html"
        file.write_text(results_html(views), encoding="utf-8")
        page = open_page(width, 800, dark=dark)
        page.open(file.as_uri() + address)
        page.painted()
        return page

    return shown


def text_of(page: BrowserPage, selector: str) -> str:
    return str(page.value(f"document.querySelector({json.dumps(selector)}).innerText"))


def texts_of(page: BrowserPage, selector: str) -> list[str]:
    return list(page.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)"))


def assert_quiet(page: BrowserPage) -> None:
    """Nothing went wrong, and the page has loaded nothing but itself."""
    assert page.problems == []
    assert [address.partition("#")[0][-9:] for address in page.requests] == ["page.html"]


def test_a_finding_is_shown_with_its_last_step(show: Show) -> None:
    page = show(small_view())
    assert text_of(page, ".badge") == "VIOLATED"
    assert text_of(page, ".headline") == "NoBlackHoles: packet A never reached h2"
    assert texts_of(page, ".finding b") == ["NoBlackHoles", "NoLoops", "NoTrace"]
    assert text_of(page, ".where") == "5 of 5"
    assert texts_of(page, ".lane-head") == ["controller", "s1", "s2", "h1"]  # nothing happens in the others
    assert texts_of(page, ".row .words") == [
        *(
            "start",
            "h1: send → h1 > h2 ping",
            "s1: to the controller",
            "controller: handle PacketIn",
            "s1: FlowMod add",
        ),
        *("link s1-s2 goes down", "NoBlackHoles: packet A never reached h2"),
    ]
    assert page.value("document.querySelectorAll('.picture .arrow').length") == 4
    assert page.value("document.querySelectorAll('.picture .arrow.lost').length") == 1
    assert page.value("document.querySelectorAll('.picture .marked').length") == 2
    assert texts_of(page, ".picture .bracket.removes title") == ["step 4 could come first; this removes the trace"]
    assert text_of(page, ".cure") == "This removes the trace"
    assert page.value("document.querySelectorAll('.picture path.shape').length") == 2  # of the environment
    assert_quiet(page)


def test_a_step_is_shown_with_message_clock_causes_state_and_source(show: Show) -> None:
    page = show(small_view(), address="#f1s3")
    step = text_of(page, ".step")
    assert "Step 3" in step
    assert "FlowMod add" in step
    assert "taken in step 4" in step
    assert "not taken in this trace" in step
    assert texts_of(page, ".count") == ["h1 1", "s1 1", "controller 1"]
    assert texts_of(page, ".state-line.added") == ["+added: h1: port 1"]
    assert texts_of(page, ".code-line.ran .line-number") == ["10", "12"]
    assert texts_of(page, ".code-line code") == ["def packet_in(self, event):", "    learn(event)", "    flood(event)"]
    page.press("j")
    assert texts_of(page, ".state-line") == ["−removed: entry two", "·entry one", "+added: entry three"]
    assert texts_of(page, ".step .step-link") == ["3", "2", "3"]
    page.click(".step .step-link")
    assert text_of(page, ".where") == "3 of 5"
    assert_quiet(page)


def test_the_state_of_any_component_can_be_chosen(show: Show) -> None:
    page = show(small_view(), address="#f1s1")
    assert "changes no state" in text_of(page, ".state")
    page.click(".choice:nth-of-type(3)")
    assert texts_of(page, ".state-line") == ["·entry one", "·entry two"]
    page.press("j", "j", "j")
    assert texts_of(page, ".state-line.added, .state-line.removed") == ["−removed: entry two", "+added: entry three"]


def test_the_drawing_shows_what_is_under_way_and_which_wires_are_down(show: Show) -> None:
    page = show(small_view(), address="#f1s1")
    assert texts_of(page, ".dot text") == ["A"]
    assert text_of(page, ".caption.soft") == "under way: A h1 → s1"
    assert texts_of(page, ".node.current text") == ["h1"]
    assert page.value("document.querySelectorAll('.wire.control').length") == 2
    assert page.value("document.querySelectorAll('.wire.down').length") == 0
    page.press("j", "j")
    assert texts_of(page, ".dot text") == ["FlowMod", "A"]
    assert text_of(page, ".caption.soft") == "under way: FlowMod controller → s1, A controller → s1"
    assert texts_of(page, ".arrival title") == ["PacketIn port 1"]
    assert text_of(page, ".caption.arrived") == "arrived: A s1 → controller"
    page.press("End")
    assert texts_of(page, ".wire.down title") == ["s1:2 – s2:2 (down)"]
    assert page.value("document.querySelector('.caption.arrived').hidden") is True


def test_a_wire_that_a_host_has_left_stays_in_sight_with_the_packet_that_is_lost_there(show: Show) -> None:
    moved = (WireView("h1", "", "s1", "1"), WireView("h2", "", "s1", "3"))
    tells = TransferView("s1", "ARP", "packet", 2, packet="R", to_port="3")
    sends = TransferView("h2", "A (h1 > h2)", "packet", 3, packet="A", port="2")
    steps = (
        StepView(1, "h2", "move", "h2: moves from s1:2 to s1:3", transfers=(tells,), wires=moved, environment=True),
        StepView(2, "s1", "packets", "s1: out 2", transfers=(sends,), causes=(1,)),
        StepView(3, "h2", "receive", "h2: is not at s1:2", effects=("lost (moved)",), causes=(2,)),
    )
    wires = (moved[0], WireView("h2", "", "s1", "2"))
    lanes = (LaneView("s1", "switch"), LaneView("h1", "host"), LaneView("h2", "host"))
    result = replace(small_view(), findings=(FindingView("NoBlackHoles", "lost", TraceView(lanes, steps, wires)),))
    page = show(result, address="#f1s0")
    assert page.value("document.querySelectorAll('.wire.gone').length") == 0
    page.press("j")
    assert texts_of(page, ".wire.gone title") == ["h2 – s1:2 (gone)"]
    page.press("j")
    assert texts_of(page, ".dot text") == ["A"]
    page.press("j")
    assert texts_of(page, ".arrival.lost text") == ["A"]
    assert text_of(page, ".caption.arrived") == "arrived: A s1 → h2 ✕ lost (moved)"
    assert texts_of(page, ".label.effect") == ["✕ lost (moved)"]
    assert angle_of_dot(page, ".arrival") == pytest.approx(angle_of_wire(page, "h2 – s1:2 (gone)"))
    page.press("k", "k")
    assert abs(angle_of_dot(page, ".dot") - angle_of_wire(page, "h2 – s1:3")) == pytest.approx(180)


def angle_of_wire(page: BrowserPage, title: str) -> float:
    """The direction from the second end of a wire to the first, in degrees."""
    line = f"[...document.querySelectorAll('.wire')].find(one => one.textContent === {json.dumps(title)}).children[1]"
    x1, y1, x2, y2 = page.value(f"['x1', 'y1', 'x2', 'y2'].map(name => Number({line}.getAttribute(name)))")
    return math.degrees(math.atan2(y1 - y2, x1 - x2))


def angle_of_dot(page: BrowserPage, selector: str) -> float:
    path = f"document.querySelector({json.dumps(selector + ' path')})"
    return float(page.value(f"{path}.getAttribute('transform').match(/rotate.([-0-9.e]+)/)[1]"))


def test_a_tree_of_switches_is_drawn_in_rows_and_nothing_covers_anything(show: Show) -> None:
    wires = []
    for pod in range(1, 5):
        for one in (1, 2):
            for other in (1, 2):
                wires.append(WireView(f"a{pod}{one}", str(other), f"e{pod}{other}", str(one)))
                wires.append(WireView(f"c{2 * one + other - 2}", str(pod), f"a{pod}{one}", str(2 + other)))
                wires.append(WireView(f"h{pod}{one}{other}", "", f"e{pod}{one}", str(2 + other)))
    names = sorted({name for wire in wires for name in (wire.one, wire.other)})
    lanes = tuple(LaneView(name, "host" if name[0] == "h" else "switch") for name in names)
    trace = TraceView(lanes, (StepView(1, "c1", "x", "c1: x"),), tuple(wires))
    page = show(replace(small_view(), findings=(FindingView("NoLoops", "x", trace),)))
    drawn = page.value(
        "[...document.querySelectorAll('.topology .node')].map(one => {"
        " const {x, y, right, bottom} = one.querySelector('rect').getBoundingClientRect();"
        " return [one.querySelector('title').textContent.split(' ')[1], x, y, right, bottom]; })"
    )
    assert sorted(name for name, *_ in drawn) == names
    for (_, left, top, right, bottom), (_, x1, y1, x2, y2) in combinations(drawn, 2):
        assert right <= x1 or x2 <= left or bottom <= y1 or y2 <= top
    rows = {kind: [y for name, _, y, _, _ in drawn if name[0] == kind] for kind in "caeh"}
    assert max(rows["c"]) < min(rows["a"]) <= max(rows["a"]) < min(rows["e"]) <= max(rows["e"]) < min(rows["h"])
    assert len(set(rows["c"])) == len(set(rows["e"])) == 1


def test_changes_show_the_parts_that_the_step_has_changed(show: Show) -> None:
    before = (StateLine("flow table", "entry one"), StateLine("ports", "1 up"), StateLine("ports", "2 up"))
    after = (*before[:1], StateLine("flow table", "entry two"), *before[1:])
    step = StepView(1, "s1", "of", "s1: FlowMod add", changes={"s1": after})
    trace = TraceView((LaneView("s1", "switch"),), (step,), (), {"s1": before})
    page = show(replace(small_view(), findings=(FindingView("NoBlackHoles", "lost", trace),)))
    assert texts_of(page, ".state-line") == ["·entry one", "+added: entry two"]
    assert text_of(page, ".lane-state button") == "and 2 lines as before"
    page.click(".lane-state button")
    assert texts_of(page, ".state-line") == ["·entry one", "+added: entry two", "·1 up", "·2 up"]


def test_an_arrow_is_labelled_with_what_tells_messages_apart(show: Show) -> None:
    transfers = (
        TransferView("s1", "PacketIn port 1 buffer 0: A:1 (A > B ICMP echo request)", "openflow", packet="A:1"),
        TransferView("s1", "PacketIn port 1 buffer 0: A > C IP A > B", "openflow"),
        TransferView("s1", "FlowMod add", "openflow"),
        TransferView("s1", "A:1 (A > B ICMP echo request)", "packet"),
        TransferView("s1", "A > 00:00:00:00:01:00 IP A > B UDP", "packet"),
        TransferView("s1", "install(p1, in_port=1,tcp,ipv4_dst=10.0.0.100)", "task", packet="p1"),
        TransferView("s1", "0123456789" * 20, "message"),
    )
    steps = []
    for number, each in enumerate(transfers):
        steps += [
            StepView(2 * number + 1, "h1", "send", "h1: send", transfers=(replace(each, taken=2 * number + 2),)),
            StepView(2 * number + 2, "s1", "receive", "s1: receive", causes=(2 * number + 1,)),
        ]
    lanes = (LaneView("s1", "switch"), LaneView("h1", "host"))
    wide = TraceView(lanes, tuple(steps))
    busy = tuple(StepView(99, f"busy{number}", "send", "x") for number in range(2))
    narrow = TraceView((*lanes, *(LaneView(each.lane, "host") for each in busy)), (*steps, *busy))
    page = show(replace(small_view(), findings=tuple(FindingView("NoLoops", "x", each) for each in (narrow, wide))))
    labels = "[...document.querySelectorAll('.picture .label:not(.action)')].map(one => one.textContent)"
    page.press("Home")
    forms = ["PacketIn A:1", "PacketIn A > B", "FlowMod add", "A:1 (A > B)", "A > B UDP", "install p1"]
    *brief, cut = page.value(labels)
    assert brief == forms
    assert re.fullmatch("[0-9]+…", cut)
    page.press("n", "Home")
    assert page.value(labels)[2:5] == ["FlowMod add", *(each.text for each in transfers[3:5])]
    for _ in range(9):
        page.press("j")
    assert text_of(page, ".caption.soft") == "under way: A > B UDP: h1 → s1"


def test_every_key_does_what_the_help_says(show: Show) -> None:
    page = show(small_view())
    page.press("k", "ArrowUp")
    assert text_of(page, ".where") == "3 of 5"
    page.press("Home")
    assert text_of(page, ".where") == "0 of 5"
    page.press("j", "ArrowDown")
    assert text_of(page, ".where") == "2 of 5"
    page.press("End", "j")
    assert text_of(page, ".where") == "5 of 5"
    page.press("g", "2", "Enter")
    assert text_of(page, ".where") == "2 of 5"
    page.press("n")
    assert text_of(page, ".where") == "2 of 2"
    page.press("n")
    assert page.value("document.querySelector('main').hidden") is True  # a finding without a trace
    page.press("j", "p", "p")
    assert text_of(page, ".where") == "5 of 5"
    page.press("/", "h", "1")
    assert texts_of(page, ".row .words") == ["h1: send → h1 > h2 ping"]
    page.press("Escape")
    assert len(texts_of(page, ".row .words")) == 7
    page.press("g", "4", "Enter", "c")
    assert texts_of(page, ".row.dim .number") == ["5"]
    assert texts_of(page, ".row.past .number") == ["1", "2", "3"]
    page.press("l")
    assert page.value("document.querySelectorAll('.picture').length") == 0
    assert len(texts_of(page, ".row .words")) == 7
    page.press("d")
    assert page.value("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.press("?")
    assert page.value("document.querySelector('dialog').open") is True
    page.press("j", "Escape")
    assert page.value("document.querySelector('dialog').open") is False
    assert text_of(page, ".where") == "4 of 5"
    assert_quiet(page)


def test_the_address_names_the_step(show: Show) -> None:
    page = show(holds_view(), small_view(), address="#r2f1s2")
    assert text_of(page, ".where") == "2 of 5"
    page.press("j")
    page.wait_for("location.hash === '#r2f1s3'")
    page.value("location.hash = '#r2f2s1'")
    page.wait_for("document.querySelector('.where').textContent === '1 of 2'")
    page.value("location.hash = '#r1f2'")  # there is no such finding
    page.value("location.hash = '#<b>'")
    assert text_of(page, ".where") == "1 of 2"
    assert_quiet(page)


def test_no_results_are_said_to_be_none(show: Show) -> None:
    page = show()
    assert page.value("document.body.innerText.trim()") == "There are no results to show."
    assert_quiet(page)


def test_many_findings_are_listed_in_part(show: Show) -> None:
    view = small_view()
    page = show(replace(view, findings=view.findings[:1] * 500), address="#f300s2")
    assert page.value("document.querySelectorAll('.finding').length") == 201
    assert texts_of(page, ".findings li.soft") == ["199 findings before these", "100 findings after these"]
    assert texts_of(page, ".finding[aria-current] .number") == ["300"]
    page.press("n")
    assert texts_of(page, ".finding[aria-current] .number") == ["301"]
    assert_quiet(page)


def test_a_result_without_findings_shows_what_was_not_tried(show: Show) -> None:
    page = show(holds_view())
    assert text_of(page, ".badge") == "HOLDS"
    assert "not tried\nmoves" in text_of(page, ".facts")
    assert page.value("document.querySelector('main').hidden") is True
    page.press("j", "k", "n", "p", "g", "End", "Home", "/", "Escape", "c", "l")
    assert_quiet(page)


def test_answers_of_two_agents_are_side_by_side(show: Show) -> None:
    page = show(crosscheck_view())
    assert text_of(page, ".badge") == "DIFFER"
    assert texts_of(page, ".answers th") == ["input", "old", "new", "Hello", "one second passesthe answers differ"]
    assert texts_of(page, ".answers td") == ["Hello", "Hello", "crashesis gone", "nothing"]
    assert texts_of(page, ".answers .differs .selected") == ["nothing"]
    page.click(".answers tr:first-child td")
    assert text_of(page, ".where") == "2 of 6"
    assert_quiet(page)


def test_lanes_can_be_hidden_and_shown_again(show: Show) -> None:
    page = show(small_view(), width=1150)  # too narrow for lanes in which nothing happens
    assert texts_of(page, ".hidden-lanes button") == ["show 2 idle lanes"]
    page.click(".lane-head:nth-of-type(2)")
    assert texts_of(page, ".lane-head") == ["controller", "s2", "h1"]
    assert texts_of(page, ".row .number") == ["1", "3", "5"]
    page.press("Home", "j")
    assert text_of(page, ".where") == "3 of 5"
    page.click(".hidden-lanes button")
    assert texts_of(page, ".lane-head") == ["controller", "s1", "s2", "h1"]
    page.click(".hidden-lanes button")
    assert texts_of(page, ".lane-head") == ["controller", "s1", "s2", "h1", "h2", "idle"]


def test_two_thousand_steps_need_few_elements(show: Show) -> None:
    page = show(long_view(2000))
    assert text_of(page, ".where") == "2000 of 2000"
    count = "document.querySelectorAll('*').length"
    assert page.value(count) < 900
    assert texts_of(page, ".row.selected .number") == ["2000"]
    for number in (1, 1000, 1999):
        page.value(f"location.hash = '#f1s{number}'")
        page.wait_for(f"document.querySelector('.where').textContent === '{number} of 2000'")
        page.painted()
        lane = ["controller", "s1", "s2", "h1", "h2"][number % 5]
        assert texts_of(page, ".state-line.added")[0] == f"+added: entry {number} of {lane}"
        assert texts_of(page, ".row.selected .number") == [str(number)]
        assert page.value(count) < 900
    page.value("document.querySelector('.diagram').scrollTop = 20000")
    page.painted()
    assert "500" in texts_of(page, ".row .number")
    assert page.value(count) < 900
    assert_quiet(page)


def test_all_steps_are_printed(show: Show) -> None:
    page = show(long_view(50))
    page.value("dispatchEvent(new Event('beforeprint'))")
    assert page.value("document.querySelectorAll('.printed tbody tr').length") == 50
    page.value("dispatchEvent(new Event('afterprint'))")
    assert page.value("document.querySelectorAll('.printed tbody tr').length") == 0


def printable(text: str) -> str:
    """As the page writes a text: what could not be seen is an escape."""
    for char in "\u0000\u2028\u2029\u202e\u202c\u200f\ud800":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def test_texts_of_an_app_are_texts_of_the_page(show: Show) -> None:
    page = show(*(hostile_view(text) for text in HOSTILE))
    elements = page.value("document.querySelectorAll('script').length")
    for number, text in enumerate(HOSTILE, 1):
        page.value(f"location.hash = '#r{number}f2s1'")
        page.wait_for(f"document.querySelector('.headline').textContent === {json.dumps(printable(text))}")
        seen = page.value("document.body.textContent")
        assert seen.count(printable(text)) > 15
        titles = page.value("[...document.querySelectorAll('[title]')].map(one => one.title).join(' ')")
        assert printable(text) in titles
        page.press("c", "l", "l", "c")
        page.value("dispatchEvent(new Event('beforeprint'))")
        assert texts_of(page, ".printed td")[2] == printable(text)
        assert page.value("document.querySelectorAll('img, iframe, b > script, a[href], object, embed').length") == 0
    assert page.value("document.querySelectorAll('script').length") == elements == 2
    assert page.value("typeof window.pwned") == "undefined"
    assert_quiet(page)


def test_the_policy_refuses_scripts_and_requests_that_are_not_the_pages_own(show: Show) -> None:
    page = show(small_view())
    page.value(
        "(() => { const made = document.createElement('script'); made.textContent = 'window.pwned = 1';"
        " document.body.append(made); const image = new Image(); image.src = 'file:///etc/hostname'; })()"
    )
    page.painted()
    assert page.value("typeof window.pwned") == "undefined"
    assert any("Content Security Policy" in problem for problem in page.problems)
    assert page.value("fetch('http://127.0.0.1:9/').then(() => 'asked', error => 'refused')") == "refused"
    assert [address for address in page.requests if not address.startswith("file:")] == []


def test_a_narrow_window_has_room_for_fingers_and_keeps_the_moves_in_sight(show: Show) -> None:
    page = show(small_view(), width=400)
    small = (
        "[...document.querySelectorAll('button, input, select, summary')].filter(one => one.getClientRects().length)"
        ".map(one => [one.textContent, one.getBoundingClientRect()])"
        ".filter(([, box]) => box.width < 24 || box.height < 24).map(([text]) => text)"
    )
    assert page.value(small) == []
    for place in ("0", "document.body.scrollHeight"):
        page.value(f"scrollTo(0, {place})")
        assert page.value("document.querySelector('.moves').getBoundingClientRect().bottom === innerHeight") is True
    assert text_of(page, ".row.end .words") == "NoBlackHoles: packet A never reached h2"
    page.click(".moves button")
    assert text_of(page, ".where") == "0 of 5"
    assert_quiet(page)


def test_only_boxes_of_a_wide_window_scroll(show: Show) -> None:
    page = show(long_view(60, entries=200), address="#f1s40")
    assert page.value("document.documentElement.scrollHeight === innerHeight") is True
    assert page.value("document.querySelector('.details').scrollHeight > innerHeight") is True


def test_nothing_is_wider_than_a_narrow_window(show: Show) -> None:
    views = (small_view(), long_view(30), hostile_view("w" * 100_000), hostile_view("long words " * 9_000))
    page = show(*views, width=400, dark=True)
    for number in range(1, len(views) + 1):
        page.value(f"location.hash = '#r{number}f1s1'")
        page.wait_for("document.querySelector('.where').textContent.startsWith('1 of')")
        page.painted()
        assert page.value(TOO_WIDE) is False
        assert page.value("document.querySelector('.diagram').scrollWidth") > 0
    assert_quiet(page)
