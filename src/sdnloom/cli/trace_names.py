"""Names of trace files: a trace of one scenario never takes the place of a trace of another.

A trace is named for its scenario (or program of actors) and its property. If a file of that name holds a trace of
something else, the name of the scenario's folder comes first; if that is taken too, a hash of the scenario comes last.
The same scenario, checked again, replaces its own old traces.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sdnloom.engine.trace import TraceError, load_trace

TRACE_SUFFIX = ".sdnloom-trace.json"


def free_trace_file(folder: Path, label: str, above: str, source: Mapping[str, str], used: set[Path]) -> Path:
    """The file for a trace: none in `used`, which is added to it, and no trace of another source.

    `above` is the name of the folder in which the scenario is, or "". An empty file of that name is made, so that
    nobody who runs at the same time takes it.
    """
    for stem in _stems(label, above, source):
        file, number = folder / f"{stem}{TRACE_SUFFIX}", 1
        while file in used:
            number += 1
            file = folder / f"{stem}.{number}{TRACE_SUFFIX}"
        if _take(file, source):
            break
    used.add(file)
    return file


def _stems(label: str, above: str, source: Mapping[str, str]) -> Iterator[str]:
    yield _plain(label)
    if above:
        yield _plain(f"{above}.{label}")
    yield f"{_plain(label)}.{hashlib.sha256(_identity(source).encode()).hexdigest()[:6]}"


def _plain(label: str) -> str:
    return re.sub(r"[^\w.-]+", "-", label).strip("-.") or "trace"


def _identity(source: Mapping[str, str]) -> str:
    """What the trace is of, but for the way in which clients are told what to send."""
    return repr([(key, value) for key, value in sorted(source.items()) if key != "clients"])


def _take(file: Path, source: Mapping[str, str]) -> bool:
    """Whether the file is ours: it was not there, or it holds a trace of the same source."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o666))
        return True
    except FileExistsError:
        pass
    except OSError:
        return True  # whoever writes it says what is wrong
    with suppress(TraceError):
        return _identity(load_trace(file).source) == _identity(source)
    return False
