"""One run of the code under test: its output or exception as a value."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.execution import Branch, Execution, PathDiscarded, PathLimit, Site
from sdnloom.symbolic.operations.keys import forget_symbolic_keys
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.result import RaisedException
from sdnloom.symbolic.shims.libraries import followed_libraries
from sdnloom.symbolic.terms.node import Model

CodeUnderTest = Callable[[Execution], Any]
_HERE: Final = str(Path(__file__).parent)  # frames of symbolic values are not where the code under test raised


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run. It is `finished` unless a budget or an assumption ended it."""

    execution: Execution
    branches: tuple[Branch, ...]
    output: Any
    exception: RaisedException | None
    finished: bool


def run_once(
    run: CodeUnderTest,
    model: Model,
    options: ExplorationOptions,
    predicted: Sequence[Branch] = (),
    overdue: Callable[[], bool] | None = None,
) -> RunResult:
    """Run the code with these inputs and return the result. Only KeyboardInterrupt and SdnloomError pass through.

    The predicted branches do not change what the run does, only how pinned values are recorded.
    """
    execution = Execution(
        model,
        max_depth=options.depth,
        max_steps=options.steps,
        overdue=overdue,
        recording=options.recording,
        predicted=predicted,
    )
    output, raised, finished = None, None, True
    try:
        with followed_libraries(), execution.active():
            output = run(execution)
    except (PathLimit, PathDiscarded):
        finished = False
    except SdnloomError:  # meant for the user
        raise
    except (Exception, SystemExit) as error:  # raised by the code under test
        raised = _raised(error)
    finally:
        forget_symbolic_keys()
    # The code under test may have swallowed the exception that should have ended it.
    finished = finished and execution.limit is None
    return RunResult(execution, tuple(execution.branches), output, raised, finished)


def _raised(error: BaseException) -> RaisedException:
    """Return a record of the exception that keeps no frame alive."""
    summary = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in summary.stack if not frame.filename.startswith(_HERE)] or list(summary.stack)
    site = Site(frames[-1].filename, frames[-1].lineno or 0) if frames else None
    message = "".join(summary.format_exception_only()).strip().partition(": ")[2]
    return RaisedException(type(error).__name__, message, site, "".join(summary.format()))
