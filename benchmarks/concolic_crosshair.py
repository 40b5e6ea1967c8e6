"""CrossHair on the same handler: how many paths it runs through and how many classes it meets, within a time box.

CrossHair is told to cover paths, which is what it has for this purpose (`crosshair cover --coverage_type=path`).
"""

import time
from dataclasses import dataclass

from benchmarks.concolic_handler import APP, handler, kind_of

_RUN = None
_CALLS = 0


def switch(src: str, dst: str, ethertype: int) -> str:
    """The handler, for CrossHair to call."""
    global _CALLS
    _CALLS += 1
    assert _RUN is not None
    return ",".join(_RUN(src, dst, ethertype))


@dataclass(frozen=True)
class Measured:
    """How often the handler ran, the classes that were met, and the seconds of this process."""

    paths: int
    classes: int
    seconds: float


def measure(seconds: float) -> Measured | None:
    """CrossHair's result within a time limit; None if it is not installed."""
    try:
        import crosshair.core_and_libs  # noqa: F401 - loads its patches
        from crosshair.fnutil import FunctionInfo
        from crosshair.options import DEFAULT_OPTIONS, AnalysisOptionSet
        from crosshair.path_cover import CoverageType, path_cover
    except ImportError:
        return None
    global _RUN, _CALLS
    _RUN, _CALLS = handler(compile(APP.read_bytes(), str(APP), "exec")), 0
    options = DEFAULT_OPTIONS.overlay(
        AnalysisOptionSet(per_condition_timeout=seconds, max_uninteresting_iterations=10**9)
    )
    start = time.process_time()
    paths = path_cover(FunctionInfo.from_fn(switch), options, CoverageType.PATH)
    spent = time.process_time() - start
    classes = {kind_of(*path.args.args) for path in paths}
    return Measured(_CALLS, len(classes), spent)
