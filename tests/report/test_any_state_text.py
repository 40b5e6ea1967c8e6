"""Lines of a report of `inputs --from any`."""

from sdnloom.platforms.line_trace import Line
from sdnloom.report.inputs.any_state_text import line_ranges


def test_neighbouring_lines_of_a_file_are_a_range() -> None:
    lines = [Line("b.py", 7), *(Line("a.py", number) for number in (9, 4, 3, 5, 11, 12))]
    assert line_ranges(lines) == "a.py 3-5, 9, 11-12; b.py 7"
    assert line_ranges([]) == ""
