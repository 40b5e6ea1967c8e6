"""The log of what a program prints."""

from sdnloom.network.program import OutputLine
from sdnloom.platforms.process.output_log import MAX_LINES, NOT_KEPT, OutputLog


def test_lines_beyond_the_most_that_are_kept_are_counted_and_named():
    log = OutputLog()
    log.write("".join(f"{number}\n" for number in range(MAX_LINES + 2)))
    log.write("0\n")
    assert len(log.lines) == MAX_LINES + 1
    assert (log.lines[0], log.lines[-1]) == (OutputLine("load", "0", 2), OutputLine("load", NOT_KEPT, 2))
