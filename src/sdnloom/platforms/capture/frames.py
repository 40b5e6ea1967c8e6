"""View of a suspended thread or generator: values that a digest can read. It cannot be restored from them.

The state of a suspended call is its place in the code, its variables, and the operands on its stack: the iterator of a
loop around the call, the exit of a `with`, a value computed before the call. Variables can be read, operands cannot, so
a call with such operands below it has no view. Law: suspended code with equal views does the same from here on.
"""

from collections.abc import Iterator
from types import FrameType, GeneratorType
from typing import Any

from sdnloom.platforms.capture.bytecode import check_version, instruction_at, operands_below
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.type_rules import ways
from sdnloom.platforms.handler_errors import library_file

OURS = "sdnloom.platforms"  # operands of our own calls are part of the hub's state


def frames_view(suspended: Any) -> list[Any]:
    """Return [name, place, variables] of each suspended call, innermost first. A digest takes this as its `opaque`.

    CaptureError names a call that keeps operands on its stack, an object that is not suspended code, or a Python
    version whose bytecode is not known; such states are distinguished by how they were reached.
    """
    check_version()
    if not isinstance(suspended, GeneratorType) and not hasattr(type(suspended), "gr_frame"):
        raise CaptureError(f"the state holds {ways(suspended)}; expected state that can be digested")
    return [_view(frame, isinstance(suspended, GeneratorType)) for frame in _frames(suspended)]


def _frames(suspended: Any) -> Iterator[FrameType]:
    frame = suspended.gi_frame if isinstance(suspended, GeneratorType) else suspended.gr_frame
    while frame is not None:
        yield frame
        frame = None if isinstance(suspended, GeneratorType) else frame.f_back


def _view(frame: FrameType, generator: bool) -> list[Any]:
    code = frame.f_code
    ours = frame.f_globals.get("__name__", "").startswith(OURS)
    if not ours and operands_below(code, frame.f_lasti, generator) != 0:
        raise CaptureError(
            f"{library_file(code.co_filename)}:{frame.f_lineno}: {code.co_qualname} waits inside of a `for`, a `with`, "
            "an `except` or an expression; expected a call whose whole state is in variables"
        )
    at = instruction_at(code, frame.f_lasti, generator)
    # Sorted: before Python 3.13 `f_locals` remembers earlier readings and puts variables that were bound since at its
    # end. So its order would tell how often a state was digested on the way.
    variables = dict(sorted(frame.f_locals.items()))
    return [f"{frame.f_globals.get('__name__')}.{code.co_qualname}", at and at.offset, variables]
