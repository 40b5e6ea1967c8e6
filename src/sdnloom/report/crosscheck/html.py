"""A crosscheck as one HTML file: no scripts, nothing from outside, light and dark, and fit to print.

Everything that comes from agents, tests or files is escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest
from typing import Final

from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.result import CrosscheckResult, pair_verdict
from sdnloom.report.crosscheck.event_text import step_texts
from sdnloom.report.crosscheck.html_style import overview_style
from sdnloom.report.crosscheck.input_text import StepShown, case_steps, changed_values, input_line
from sdnloom.report.crosscheck.view import (
    PLAIN_VIEW,
    CrosscheckView,
    case_of,
    case_place,
    confirmed_words,
    difference_line,
    listed,
    matrix_cell,
    shortened_line,
    tests_words,
    verdict_words,
)
from sdnloom.report.describe import counted

_FEW_CAUSES: Final = 3  # more of them have an overview
_MOST_INCONSISTENCIES: Final = 500  # listed for each pair


def crosscheck_html(result: CrosscheckResult, view: CrosscheckView = PLAIN_VIEW) -> str:
    """The whole page."""
    title = f"{listed(result.agents)}: {result.verdict}"
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{overview_style()}</style>\n</head>\n<body>\n<main>",
        *_head(result),
    ]
    for number, comparison in enumerate(result.comparisons):
        parts += _pair(number, comparison, view, alone=len(result.comparisons) == 1)
    parts += [*_figures(result), "</main>\n</body>\n</html>"]
    return "\n".join(parts) + "\n"


def _head(result: CrosscheckResult) -> list[str]:
    names = listed([f"<em>{escape(name)}</em>" for name in result.agents])
    completeness = "every input was compared" if result.complete else "not every input was compared"
    causes = sum(len(comparison.root_causes) for comparison in result.comparisons)
    found = sum(len(comparison.inconsistencies) for comparison in result.comparisons)
    facts = [
        counted(causes, "root cause"),
        counted(found, "inconsistency"),
        counted(len(result.tests), "test"),
        tests_words(result),
        completeness,
    ]
    lines = [
        f"<h1>{names}</h1>",
        f'<p class="verdict">{_badge(result.verdict)} {" · ".join(facts)}</p>',
    ]
    return lines + (_matrix(result) if len(result.comparisons) > 1 else [])


def _badge(verdict: str) -> str:
    return f'<span class="badge {verdict}">{verdict.upper()}</span>'


def _matrix(result: CrosscheckResult) -> list[str]:
    """A table of all pairs, with links to their sections."""
    names, rows, number = result.agents, list[str](), 0
    for place, name in enumerate(names[:-1]):
        cells = ["<td></td>"] * place
        for _ in names[place + 1 :]:
            comparison = result.comparisons[number]
            link = f'<a href="#pair-{number + 1}">{escape(matrix_cell(comparison))}</a>'
            cells.append(f'<td class="{pair_verdict(comparison)}">{link}</td>')
            number += 1
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>')
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names[1:])
    return [f'<table class="matrix"><thead><tr><td></td>{head}</tr></thead><tbody>', *rows, "</tbody></table>"]


def _pair(number: int, comparison: Comparison, view: CrosscheckView, *, alone: bool) -> list[str]:
    first, second = comparison.agents
    lines = [f'<section id="pair-{number + 1}">']
    if not alone:
        lines += [
            f"<h2>{escape(first)} and {escape(second)}</h2>",
            f'<p class="verdict">{_badge(pair_verdict(comparison))} {escape(verdict_words(comparison))}</p>',
        ]
    if comparison.reasons:
        reasons = "".join(f"<li>{escape(reason)}</li>" for reason in comparison.reasons)
        lines.append(f'<div class="note"><p>Not complete:</p><ul>{reasons}</ul></div>')
    if len(comparison.root_causes) > _FEW_CAUSES:
        entries = "".join(
            f'<li><a href="#cause-{number + 1}-{place}">{escape(cause.condition)}</a></li>'
            for place, cause in enumerate(comparison.root_causes, 1)
        )
        lines.append(f'<ol class="overview">{entries}</ol>')
    for place, cause in enumerate(comparison.root_causes):
        lines += _cause(number, place, cause, comparison, view)
    if comparison.inconsistencies:
        lines += _inconsistencies(comparison)
    return [*lines, "</section>"]


def _cause(number: int, place: int, cause: RootCause, comparison: Comparison, view: CrosscheckView) -> list[str]:
    test, case = case_of(comparison, cause)
    found = [comparison.inconsistencies[index] for index in cause.inconsistencies]
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td><code>{escape(value)}</code></td></tr>'
        for name, value in changed_values(case, cause.witness, test.version)
    )
    lines = [
        f'<article id="cause-{number + 1}-{place + 1}">',
        f'<h3><a class="number" href="#cause-{number + 1}-{place + 1}">{place + 1}</a> {escape(cause.condition)}</h3>',
        f'<p class="difference">{escape(difference_line(cause))}</p>',
        f'<p class="caption">For example in {escape(case_place(test, case))}: '
        f"{'these fields differ from the harmless input' if rows else 'the harmless input'}</p>",
        f'<table class="input"><tbody>{rows}</tbody></table>' if rows else "",
        *_steps(cause, comparison),
        f"<p>{escape(confirmed_words(found, cause))}</p>",
    ]
    again = view.try_command(number, place, comparison.agents)
    if again is not None:
        lines.append(f"<p><code>{escape(again)}</code></p>")
    return [*lines, "</article>"]


def _steps(found: RootCause | Inconsistency, comparison: Comparison) -> list[str]:
    """A table of what goes in and what each agent does, step by step."""
    test, case = case_of(comparison, found)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in comparison.agents)
    lines = [f'<div class="scroll"><table class="steps"><thead><tr><th scope="col">step</th>{head}</tr></thead><tbody>']
    steps = case_steps(case, found.witness)
    for number, events in enumerate(zip_longest(*found.outputs, fillvalue=())):
        step = steps[number] if number < len(steps) else StepShown(f"step {number + 1}")  # a file may be wrong
        octets = f"<details><summary>octets</summary><code>{step.octets.hex()}</code></details>" if step.octets else ""
        mark = ' class="differs"' if events[0] != events[1] else ""
        cells = "".join(f"<td>{_lines(step_texts(each, test.version))}</td>" for each in events)
        lines.append(f"<tr{mark}><td>{escape(step.title)}{octets}</td>{cells}</tr>")
    return [*lines, "</tbody></table></div>"]


def _inconsistencies(comparison: Comparison) -> list[str]:
    shown = comparison.inconsistencies[:_MOST_INCONSISTENCIES]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in comparison.agents)
    lines = [
        f"<details><summary>All inconsistencies ({len(comparison.inconsistencies):,})</summary>",
        f'<div class="scroll"><table><thead><tr><th>number</th><th>test</th><th>condition and witness</th>{head}'
        "<th>confirmed</th></tr></thead><tbody>",
    ]
    words = {True: "yes", False: '<strong class="differ">NO</strong>', None: "not replayed"}
    for number, one in enumerate(shown, 1):
        test, case = case_of(comparison, one)
        outputs = "".join(f"<td>{_output(output, test.version)}</td>" for output in one.outputs)
        witness = escape(input_line(case, one.witness, test.version))
        lines.append(
            f"<tr><td>{number}</td><td>{escape(case_place(test, case))}</td>"
            f"<td>{escape(shortened_line(one.condition))}<br><code>{witness}</code></td>{outputs}<td>{words[one.confirmed]}</td></tr>"
        )
    more = len(comparison.inconsistencies) - len(shown)
    rest = f"<p>and {more:,} more, which JSON lists</p>" if more else ""
    return [*lines, f"</tbody></table></div>{rest}</details>"]


def _output(output: AgentOutput, version: int) -> str:
    return _lines(f"{number}: {text}" for number, step in enumerate(output, 1) for text in step_texts(step, version))


def _lines(texts: Iterable[str]) -> str:
    return "<br>".join(escape(text) for text in texts)


def _figures(result: CrosscheckResult) -> list[str]:
    """A table of the partitions."""
    rows: Sequence[str] = [
        f"<tr><td>{escape(one.test)}</td><td>{escape(one.agent)}</td>"
        f'<td class="figure">{one.classes:,} {"classes" if one.kind == "paths" else "inputs tried"}</td>'
        f'<td class="figure">{one.statistics.runs:,}</td><td class="figure">{one.statistics.seconds:.1f}</td>'
        f"<td>{'complete' if one.complete else _lines(one.reasons)}</td></tr>"
        for one in result.partitions
    ]
    return [
        '<section id="tests"><h2>Tests</h2>',
        '<div class="scroll"><table><thead><tr><th>test</th><th>agent</th><th>classes</th><th>runs</th><th>seconds</th>'
        "<th>completeness</th></tr></thead><tbody>",
        *rows,
        "</tbody></table></div></section>",
    ]
