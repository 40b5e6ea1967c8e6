"""A suite as text: the reports that need attention, then a table of all."""

from sdnloom.report.baseline.text import judgement_text
from sdnloom.report.describe import counted
from sdnloom.report.suite.result import SuiteResult, SuiteRow
from sdnloom.report.text_style import TextStyle

_HEAD = ("scenario", "verdict", "property", "steps", "states", "seconds")


def check_suite_text(result: SuiteResult, style: TextStyle | None = None) -> str:
    """The report of each row that does not hold, below its name, and a table with a line for each row.

    The reports have their style already.
    """
    lines = []
    for row in result.rows:
        shown = [] if row.verdict in ("holds", "known") else [f"error: {row.error}" if row.error else row.text.rstrip()]
        if row.judgement is not None and (row.judgement.new or row.judgement.known or row.judgement.gone):
            shown += judgement_text(row.judgement, result.baseline)
        if shown:
            lines += [f"== {row.name}", *shown, ""]
    lines += _table([_HEAD, *map(_cells, result.rows)])
    words = [_counted_verdict(verdict, number) for verdict, number in result.counts().items()]
    lines += ["", f"{counted(len(result.rows), 'scenario')}: {', '.join(words)}"]
    if result.left:
        lines.append(f"interrupted: {counted(len(result.left), 'scenario')} did not run: {', '.join(result.left)}")
    return "\n".join(lines) + "\n"


def _counted_verdict(verdict: str, number: int) -> str:
    words = {"error": "with an error", "holds": "holds" if number == 1 else "hold"}
    return f"{number} {words.get(verdict, verdict)}"


def _cells(row: SuiteRow) -> tuple[str, ...]:
    first, *others = row.properties or ("",)
    named = f"{first} and {len(others)} more" if others else first
    numbers = ("" if number is None else f"{number:,}" for number in (row.steps, row.states))
    verdict = row.verdict.upper() + (f" ({row.confirmed})" if row.confirmed is not None else "")
    return (row.name, verdict, named, *numbers, f"{row.seconds:.1f}")


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines with columns of equal width: words to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
