"""Waiting threads that can be put back: the stack of one is used again for every state in which it waits there.

The state of a suspended call is its place in the code, its variables and the operands on its stack (`frames.py`). A
stack cannot be copied. But where no call keeps operands, two stacks with the same calls at the same places differ in
their variables only, and these can be written. So a thread that waits at the end of each round of a `while True` is put
back by writing the variables of the stack that it has now, whichever round that is in.

Law: a stack that is put back goes on as it would have when it was noted, provided that the objects are restored which
its variables refer to. Not noted are stacks of which that is not known: with operands, with variables in cells, with
calls that a function of C may have made, that are traced, or that have context variables.
"""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from sdnloom.platforms.capture.bytecode import callee_path, operands_below, write_variables
from sdnloom.platforms.capture.frames import OURS

_Place = tuple[CodeType, int, int]  # code, instruction, id of the globals


@dataclass(frozen=True, eq=False, slots=True)
class SuspendedStack:
    """A stack of suspended calls as it was noted: the places and variables of its calls, innermost first."""

    stack: Any
    places: tuple[_Place, ...]
    variables: tuple[Mapping[str, Any], ...]

    def objects(self) -> Iterator[tuple[str, Any]]:
        """The objects that the variables refer to, with names for messages."""
        for (code, _, _), variables in zip(self.places, self.variables, strict=True):
            for name, each in variables.items():
                yield f"{code.co_qualname}.{name}", each

    def put_back(self) -> bool | None:
        """Give the stack the variables that it had. Return whether any differed, None if it is somewhere else now."""
        frames = [*_frames(self.stack)]
        if tuple(map(_place, frames)) != self.places or not all(map(_is_untraced, frames)):
            return None
        differing = [
            (frame, noted)
            for frame, noted in zip(frames, self.variables, strict=True)
            if not _are_same(frame.f_locals, noted)
        ]
        if not all(write_variables(frame, noted) for frame, noted in differing):
            return None
        return bool(differing)


def note_stack(stack: Any) -> SuspendedStack | None:
    """The stack of a suspended greenlet, None if it could not be put back."""
    frames = [*_frames(stack)]
    if not frames or not frames[0].f_globals.get("__name__", "").startswith(OURS) or _has_context(stack):
        return None
    called: CodeType | None = None  # the innermost call, which is ours, switches to another stack
    for frame in frames:
        if not _is_plain(frame) or (called is not None and not _calls(frame, called)):
            return None
        called = frame.f_code
    return SuspendedStack(stack, tuple(map(_place, frames)), tuple(dict(each.f_locals) for each in frames))


def _frames(stack: Any) -> Iterator[FrameType]:
    frame = stack.gr_frame
    while frame is not None:
        yield frame
        frame = frame.f_back


def _place(frame: FrameType) -> _Place:
    return frame.f_code, frame.f_lasti, id(frame.f_globals)


def _are_same(some: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    # `keys` of a frame's variables is a list since Python 3.13, which equals no view.
    return set(some) == others.keys() and all(each is others[name] for name, each in some.items())


def _is_plain(frame: FrameType) -> bool:
    code = frame.f_code
    suspends = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
    cells = code.co_cellvars or code.co_freevars
    return _is_untraced(frame) and not suspends and not cells and operands_below(code, frame.f_lasti, False) == 0


def _is_untraced(frame: FrameType) -> bool:
    return frame.f_trace is None


def _has_context(stack: Any) -> bool:
    return stack.gr_context is not None and len(stack.gr_context) > 0


def _calls(frame: FrameType, called: CodeType) -> bool:
    """Whether the frame calls this code itself, and no function of C in between, which has a state of its own."""
    path = callee_path(frame.f_code, frame.f_lasti)
    if path is None:
        return False
    variables, first = frame.f_locals, path[0]
    if first in variables:
        target = variables[first]
    elif first in frame.f_globals:
        target = frame.f_globals[first]
    else:
        return False
    for name in path[1:]:
        target = _attribute(target, name)
    function = target.__func__ if isinstance(target, MethodType) else target
    return isinstance(function, FunctionType) and function.__code__ is called


def _attribute(target: Any, name: str) -> Any:
    """An attribute that is found without running code of the program; None if there is none of that kind."""
    if isinstance(target, ModuleType):
        return vars(target).get(name)
    found = inspect.getattr_static(target, name, None)
    return found.__func__ if isinstance(found, classmethod | staticmethod) else found
