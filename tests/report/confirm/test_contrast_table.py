"""What differs, side by side: it fits the width, loses nothing, and marks what differs and nothing else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.confirm.outcome import Contrast
from sdnloom.report.confirm.contrast_table import contrast_table
from sdnloom.report.text_style import TextStyle

WORDS = st.lists(st.text("abc0,:", min_size=1, max_size=30), max_size=30).map(" ".join)
CONTRASTS = st.lists(st.builds(Contrast, st.text("abc ", max_size=50).map(str.strip), WORDS, WORDS), min_size=1)


def test_columns_are_as_wide_as_they_need_and_marks_are_below_what_differs() -> None:
    lines = contrast_table(
        [
            Contrast("PacketIn: reason", "no match", "action"),
            Contrast("FlowMod: actions", "output 1, output 2", "output 1, output 3"),
            Contrast("frame out of s1:2", "", "h1 > h2 ICMP echo request"),
        ]
    )
    assert lines == [
        "                     expected            observed",
        "  PacketIn: reason   no match            action",
        "  FlowMod: actions   output 1, output 2  output 1, output 3",
        "                                      ^                   ^",
        "  frame out of s1:2  nothing             h1 > h2 ICMP echo request",
    ]


def test_octets_are_separated_and_those_that_differ_are_marked() -> None:
    zeros = " ".join(["00"] * 8)
    lines = contrast_table([Contrast("data", "00" * 20, "00" * 8 + "ff" + "00" * 11)], TextStyle(60))
    assert lines[1:] == [
        f"  data  {zeros:<25}  {zeros}",
        f"        {zeros:<25}  ff{zeros[2:]}",
        f"        {'^^':<25}  ^^",
        f"        {zeros[:11]:<25}  {zeros[:11]}",
    ]


def test_a_long_value_is_shortened_to_what_differs_unless_everything_is_asked_for() -> None:
    one = bytes(range(250)).hex()
    other = one[:300] + "ee" + one[302:]
    short = contrast_table([Contrast("frame", one, other)])
    assert [line.split() for line in short].count(["...", "..."]) == 2
    assert sum("^^" in line for line in short) == 1
    assert len(short) < 10
    full = contrast_table([Contrast("frame", one, other)], TextStyle(long=True))
    assert sum(len(re.findall(r"\b[0-9a-f]{2}\b", line)) for line in full) == 500


def test_texts_that_have_little_in_common_are_not_marked() -> None:
    lines = contrast_table([Contrast("s1", "PacketIn port 1: h1 > h2 ARP", "Error bad_request: bad_len 1 > 2")])
    assert len(lines) == 2
    assert "^" in contrast_table([Contrast("s1", "PacketIn port 1: h1 > h2 ARP", "PacketIn port 2: h1 > h2 ARP")])[2]


def test_a_message_from_outside_cannot_command_the_terminal() -> None:
    assert "\x1b" not in "".join(contrast_table([Contrast("a\x1b[2J", "\x1b]0;x\x07", "y")]))


@given(CONTRASTS, st.integers(20, 140))
def test_the_table_fits_and_loses_nothing(contrasts: list[Contrast], width: int) -> None:
    style = TextStyle(width, long=True)
    lines = contrast_table(contrasts, style)
    assert all(len(line) <= style.columns for line in lines)
    shown = "".join(line for line in lines if set(line) - {"^", " "}).replace(" ", "")
    for contrast in contrasts:
        given_texts = "".join(contrast).replace(" ", "")
        assert not set(given_texts) - set(shown)
    kept = sum(len(text.replace(" ", "")) or len("nothing") for each in contrasts for text in each[1:])
    names = sum(len(each.what.replace(" ", "")) for each in contrasts)
    octets = re.compile(r"(?:[0-9a-f]{2}){8,}")
    if not any(octets.search(text) for each in contrasts for text in each):
        assert len(shown) == kept + names + len("expectedobserved")


@given(WORDS, WORDS)
def test_what_is_not_marked_is_the_same_on_both_sides(one: str, other: str) -> None:
    """Painted text: with the painted runs left out, both sides have the same tokens."""
    painted = contrast_table([Contrast("", one, other)], TextStyle(2000, long=True, colour=True))[1]
    if "\x1b" not in painted:
        return
    rest = re.sub(r"\x1b\[1m\x1b\[3([12])m(.*?)\x1b\[0m", lambda found: "\0" * len(found[2]), painted[2:])
    width = max(len(one), len("expected"))
    sides = [rest[2 : 2 + width], rest[2 + width + 2 :]]
    left, right = (side.replace("\0", "").strip() for side in sides)
    assert left.split() == right.split() or left.replace(" ", "") == right.replace(" ", "")
