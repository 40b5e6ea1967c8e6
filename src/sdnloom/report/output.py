"""The output of a program as text."""

from collections.abc import Iterable

from sdnloom.network.program import OutputLine
from sdnloom.report.describe import counted

_TITLES = {"load": "while it was loaded", "start": "when it started"}


def output_text(lines: Iterable[OutputLine], code: str = "handlers") -> list[str]:
    """Each distinct line once, under a title that says when it was printed, with how often if that is more than once.

    How often is a fact about the search: it runs a handler once in each state, and again to find out more about it.
    """
    found = list(lines)
    shown: list[str] = []
    for when, title in (*_TITLES.items(), ("run", f"in its {code}")):
        part = [each for each in found if each.when == when]
        if part:
            shown.append(f"output of the program {title}:")
            shown += [f"  {each.text}{_often(each.times)}" for each in part]
    return shown or ["output of the program: none"]


def _often(times: int) -> str:
    return f"  ({counted(times, 'time')})" if times > 1 else ""
