"""The formats of exports: one line for each suffix of a file.

An export is a pure function of `ResultView`s. To add one, write `report/export/<format>.py` and name its function here.
Functions are named and not imported, so that a command loads only those that it needs. A format whose files hold one
diagram or capture has one file for each finding: `x.mmd`, `x-2.mmd`, ..., for the first hundred.
"""

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sdnloom.errors import SdnloomError
from sdnloom.report.view.result_view import FindingView, ResultView

MOST_EXPORT_FILES: Final = 100  # a search for races may find thousands


class ExportFormat(NamedTuple):
    """A format: what it is, and its function below `sdnloom.report`.

    The function gets a sequence of results or, if there is a file for each finding, a result and a finding; None for
    a result without one.
    """

    title: str
    function: str
    file_per_finding: bool = False


EXPORTS: Final[dict[str, ExportFormat]] = {
    ".html": ExportFormat("page for the browser, as `sdnloom view` makes", "page.page:results_html"),
    ".json": ExportFormat("result document, for `sdnloom view` and `sdnloom export`", "view.document:result_document"),
    ".mmd": ExportFormat("mermaid sequence diagram", "export.mermaid:mermaid_sequence", True),
    ".puml": ExportFormat("PlantUML sequence diagrams", "export.plantuml:plantuml_sequences"),
    ".dot": ExportFormat("Graphviz graph of happens-before", "export.graphviz:graphviz_causes"),
    ".shiviz": ExportFormat("ShiViz log with vector clocks", "export.shiviz:shiviz_log"),
    ".pcapng": ExportFormat("packets and OpenFlow messages, for Wireshark", "export.packets:packets_pcapng", True),
    ".xml": ExportFormat("JUnit XML, for CI systems", "export.junit:junit_xml"),
    ".sarif": ExportFormat("SARIF, for code hosts and editors", "export.sarif:sarif_log"),
}


class ExportError(SdnloomError):
    """A file that an export cannot be written to, and why."""


def export_format(file: Path) -> ExportFormat:
    """The format of a file, told by its suffix."""
    found = EXPORTS.get(file.suffix.lower())
    if found is None:
        what = f"the suffix {file.suffix!r} is no export" if file.suffix else "no suffix says which export is meant"
        raise ExportError(f"{str(file)!r}: {what}; expected one of {', '.join(EXPORTS)}")
    return found


def exported(views: Sequence[ResultView], file: Path) -> dict[Path, bytes]:
    """The contents of an export by file: one, or one for each finding."""
    form = export_format(file)
    module, _, name = form.function.partition(":")
    function: Any = getattr(importlib.import_module(f"sdnloom.report.{module}"), name)
    if not form.file_per_finding:
        return {file: _octets(function(views))}
    chosen: list[tuple[ResultView, FindingView | None]]
    chosen = [(view, finding) for view in views for finding in view.findings]
    chosen = chosen[:MOST_EXPORT_FILES] or [(view, None) for view in views[:1]]
    if not chosen:
        raise ExportError(f"{file}: there is no result; expected at least one")
    names = [file, *(file.with_name(f"{file.stem}-{number}{file.suffix}") for number in range(2, len(chosen) + 1))]
    return {name: _octets(function(*one)) for name, one in zip(names, chosen, strict=True)}


def write_exports(views: ResultView | Sequence[ResultView], files: Iterable[str | Path]) -> list[Path]:
    """Write one or more results to each file, in the format of its suffix; return the files that were written."""
    shown = [views] if isinstance(views, ResultView) else views
    written = []
    for file in files:
        for path, contents in exported(shown, Path(file)).items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
            except OSError as error:
                raise ExportError(f"{path}: cannot write the export: {error.strerror}") from error
            written.append(path)
    return written


def _octets(contents: str | bytes) -> bytes:
    return contents if isinstance(contents, bytes) else contents.encode("utf-8", "replace")
