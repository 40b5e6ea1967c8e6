"""What failed in the last run: its trace is kept in pytest's cache, and replayed before the next search."""

import hashlib
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from sdnloom.actors.program import Program
from sdnloom.actors.report import ActorReport
from sdnloom.api.checks import AnyReport, PreparedCheck
from sdnloom.check.scenario import Scenario
from sdnloom.cli.trace_names import TRACE_SUFFIX
from sdnloom.cli.traces import TraceRecord, save
from sdnloom.engine.result import Counterexample
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import TraceError, load_trace
from sdnloom.errors import SdnloomError
from sdnloom.report.describe import counted
from sdnloom.report.steps import steps_text


def trace_folder(config: pytest.Config) -> Path | None:
    """The folder for traces: that of the option, or one in the cache; None if there is no cache."""
    given: Path | None = config.getoption("--sdnloom-trace-dir")
    if given is not None:
        return given
    cache = getattr(config, "cache", None)
    return None if cache is None else Path(cache.mkdir("sdnloom"))


def has_file(subject: Scenario | Program) -> bool:
    """Whether a trace can say where its scenario or program is, so that commands can use it."""
    if isinstance(subject, Program):
        return subject.origin is not None
    return subject.file is not None or subject.document is not None


class LastFailure:
    """The trace of one check of one test; a test may make several checks."""

    def __init__(self, folder: Path | None, test: str, number: int) -> None:
        name = re.sub(r"[^\w.-]+", "-", test.rpartition("::")[2] or test).strip("-.")[:60]
        key = hashlib.sha256(f"{test} {number}".encode()).hexdigest()[:8]
        self.file = None if folder is None else folder / f"{name}.{key}{TRACE_SUFFIX}"

    def replayed(self, prepared: PreparedCheck) -> str | None:
        """The message of a failure that is still there; None if it is gone, or cannot be taken again."""
        if self.file is None or not self.file.is_file():
            return None
        try:
            trace = load_trace(self.file)
            found = prepared.replay(trace, self.file)
        except SdnloomError:  # of another scenario or program by now: search
            return None
        if not found.confirmed or found.now is None:
            return None
        lines = [
            f"VIOLATED {found.now.property}: {found.now.message}",
            f"still there: the counterexample of the last run, {counted(len(found.transitions), 'step')}, replayed:",
            *steps_text(found.transitions, prepared.names),
        ]
        if has_file(prepared.subject):
            place = shlex.quote(str(self.file))
            lines += ["", f"view: sdnloom view {place}", f"replay: sdnloom replay {place}"]
        return "\n".join(lines)

    def kept(self, report: AnyReport) -> Mapping[Counterexample, Path]:
        """Keep the trace of the first violation, and return where it is; without one, forget an older trace."""
        if self.file is None or not report.violations:
            self.forget()
            return {}
        first = report.violations[0]
        traced = report.program if isinstance(report, ActorReport) else report.scenario
        found = Finding(first.property, first.message)
        with suppress(TraceError):
            save(TraceRecord(traced, report.fingerprints, first.transitions, found), self.file)
            return {first: self.file}
        return {}

    def forget(self) -> None:
        """Remove the trace: the check has passed."""
        if self.file is not None:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)
