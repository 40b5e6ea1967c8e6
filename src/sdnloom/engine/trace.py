"""Traces: paths as JSON files of names and values.

A trace has two fingerprints. That of the scenario must match, or the trace is refused. That of the code may differ:
then the trace is replayed as far as it matches, and the first step that differs is reported. So a trace is a regression
test.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from sdnloom.engine.model import Step, System
from sdnloom.engine.path import Path, QuotedMessage, ReplayDivergence, clocks, final_state, replay
from sdnloom.engine.result import Result
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError, json_problem

SCHEMA = "sdnloom-trace"
TRACE_VERSION = 1
_MOST_BYTES = 256 << 20


class TraceError(SdnloomError):
    """A trace file that cannot be used, and why."""


class Fingerprints(NamedTuple):
    """Hashes of what was declared (a scenario, the start of a program of actors) and of the program's code."""

    scenario: str
    code: str


@dataclass(frozen=True)
class Trace:
    """A path, its finding, and the fingerprints it was recorded with. `source` tells the caller where its input is."""

    path: Path
    finding: Finding | None
    scenario: str
    code: str
    source: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReplayResult:
    """The replay of a trace: the steps that match, whether its property reports again, and what it reports now.

    The message may differ from the one in the trace: it may name a line of code. The replay was on `semantics`. If it
    did not confirm the trace, `search` may say what the trace's inputs lead to in other orders.
    """

    transitions: tuple[Transition, ...]
    confirmed: bool
    diverged: ReplayDivergence | None
    warnings: tuple[str, ...]
    now: Finding | None = None
    semantics: Semantics | None = field(default=None, compare=False)
    search: Result | None = field(default=None, compare=False)


def code_fingerprint(functions: Iterable[Any]) -> str:
    """A hash of the bytecode of functions, with nested functions and closures."""
    seen: set[int] = set()
    texts: list[str] = []

    def visit(thing: Any) -> None:
        if id(thing) in seen:
            return
        seen.add(id(thing))
        if isinstance(thing, FunctionType):
            visit(thing.__code__)
            for cell in thing.__closure__ or ():
                visit(cell.cell_contents)
        elif isinstance(thing, CodeType):
            texts.append(f"{thing.co_qualname} {thing.co_code.hex()} {thing.co_names}")
            for constant in thing.co_consts:
                if isinstance(constant, CodeType):
                    visit(constant)
                else:
                    texts.append(stable_text(constant))
        elif hasattr(thing, "__func__"):
            visit(thing.__func__)

    for function in functions:
        visit(function)
    return _digest(texts)


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def save_trace(
    file: str | FilePath, trace: Trace, transitions: Sequence[Transition], causes: Sequence[set[int]] | None = None
) -> None:
    """Write a trace with the events and vector clocks of its transitions, for people and tools that only read it.

    `causes` are the causes of its steps, if they are known already.
    """
    file = FilePath(file)
    steps = [
        {
            "component": t.step.component,
            "action": t.step.action,
            "message": None if t.step.message is None else stable_text(t.step.message),
            "choice": t.step.choice,
            "faults": list(t.step.faults),
            "events": [stable_text(event) for event in t.events],
            "clock": clock,
        }
        for t, clock in zip(transitions, clocks(transitions, causes), strict=True)
    ]
    document = {
        "schema": SCHEMA,
        "version": TRACE_VERSION,
        "scenario": trace.scenario,
        "code": trace.code,
        "source": trace.source,
        "property": trace.finding.property if trace.finding else None,
        "message": trace.finding.message if trace.finding else None,
        "steps": steps,
    }
    try:
        file.write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n")
    except OSError as error:
        raise TraceError(f"{file}: cannot write the trace: {error.strerror}") from error


def load_trace(file: str | FilePath) -> Trace:
    """Read a trace. Messages stay text: nothing in the file is evaluated."""
    file = FilePath(file)
    try:
        with file.open("rb") as stream:  # a device may have no size, and no end
            text = stream.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise TraceError(f"{file}: more than {_MOST_BYTES:,} bytes; expected a trace of at most so many")
    except OSError as error:
        raise TraceError(f"{file}: cannot read the trace: {error.strerror}") from error
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{file}: {json_problem(text, error, 'a trace that sdnloom has written')}") from error
    read = _Reader(file)
    top = read.mapping(document, "the document")
    if top.get("schema") != SCHEMA:
        shown = repr(top["schema"]) if "schema" in top else "missing"
        raise TraceError(f"{file}: schema is {shown}; expected {SCHEMA!r}")
    if top.get("version") != TRACE_VERSION:
        raise TraceError(f"{file}: version is {top.get('version')!r}; this sdnloom reads version {TRACE_VERSION}")
    steps = tuple(read.step(step, number) for number, step in enumerate(read.items(top, "steps")))
    name, message = read.optional(top, "property"), read.optional(top, "message")
    found = None if name is None else Finding(name, message or "")
    source = read.mapping(top.get("source", {}), "source")
    for key, value in source.items():
        read.text({key: value}, key)
    return Trace(Path(steps), found, read.text(top, "scenario"), read.text(top, "code"), source)


class _Reader:
    """Reads a document; an error names the field."""

    def __init__(self, file: FilePath) -> None:
        self.file = file

    def _wrong(self, where: str, value: Any, expected: str) -> TraceError:
        shown = repr(value)
        return TraceError(f"{self.file}: {where} is {shown[:80]}; expected {expected}")

    def mapping(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(where, value, "an object")
        return value

    def items(self, top: dict[str, Any], key: str) -> list[Any]:
        if not isinstance(top.get(key), list):
            raise self._wrong(key, top.get(key), "a list")
        items: list[Any] = top[key]
        return items

    def text(self, top: dict[str, Any], key: str, where: str = "") -> str:
        value = top.get(key)
        if not isinstance(value, str):
            raise self._wrong(where + key, value, "a string")
        return value

    def optional(self, top: dict[str, Any], key: str, where: str = "") -> str | None:
        return None if top.get(key) is None else self.text(top, key, where)

    def step(self, value: Any, number: int) -> Step:
        where = f"steps[{number}]"
        step = self.mapping(value, where)
        message = self.optional(step, "message", f"{where}.")
        faults = self.items({f"{where}.faults": step.get("faults", [])}, f"{where}.faults")
        return Step(
            self.text(step, "component", f"{where}."),
            self.text(step, "action", f"{where}."),
            None if message is None else QuotedMessage(message),
            self.text({"choice": "", **step}, "choice", f"{where}."),
            tuple(self.text({"fault": fault}, "fault", f"{where}.faults.") for fault in faults),
        )


def replay_trace(trace: Trace, system: System | Semantics, scenario: str, code: str) -> ReplayResult:
    """Replay a trace. A trace of another scenario is refused; other code is a warning."""
    if trace.scenario != scenario:
        raise TraceError(
            f"the trace was recorded with another scenario (fingerprint {trace.scenario}, this one has {scenario})"
        )
    warnings = () if trace.code == code else ("the code has changed since the trace was recorded",)
    semantics = system if isinstance(system, Semantics) else Semantics(system)
    try:
        transitions = replay(semantics, trace.path)
    except ReplayDivergence as diverged:
        matching = replay(semantics, Path(trace.path.steps[: diverged.position]))
        return ReplayResult(tuple(matching), False, diverged, warnings, semantics=semantics)
    if trace.finding is None:
        return ReplayResult(tuple(transitions), True, None, warnings, semantics=semantics)
    findings = semantics.findings(final_state(semantics, transitions))
    alike = [found for found in findings if found.property == trace.finding.property]
    now = trace.finding if trace.finding in alike else next(iter(alike), None)
    return ReplayResult(tuple(transitions), now is not None, None, warnings, now, semantics)
