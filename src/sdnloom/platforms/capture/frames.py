"""What a suspended thread or generator will do next, as values that a digest can read. It cannot be put back.

A suspended call is its place in the code, its variables, and what lies on its stack of operands: the iterator of a loop
around the call, the exit of a `with`, a value computed before the call. Variables can be read, operands cannot, so a
call with such operands below it has no view. Law: suspended code with equal views does the same from here on.
"""

import dis
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FrameType, GeneratorType
from typing import Any

from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.type_rules import ways
from sdnloom.platforms.handler_errors import library_file

_NEWEST = (3, 13)  # places and instructions change with every version; one that was not looked at could be misread
OURS = "sdnloom.platforms"  # what lies on the stacks of our own calls is part of the hub's state


def frames_view(suspended: Any) -> list[Any]:
    """Return [name, place, variables] of each suspended call, innermost first. A digest takes this as its `opaque`.

    CaptureError names a call that keeps operands on its stack, an object that is not suspended code, or a Python whose
    bytecode is not known here; whoever asks has to tell such states apart by how they were reached.
    """
    if sys.version_info[:2] > _NEWEST:
        known, this = (".".join(map(str, each)) for each in (_NEWEST, sys.version_info[:2]))
        raise CaptureError(f"how Python {this} suspends code is not known; expected Python 3.11 to {known}")
    if not isinstance(suspended, GeneratorType) and not hasattr(suspended, "gr_frame"):
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
    at = _instruction(code, frame.f_lasti, generator)
    return [f"{frame.f_globals.get('__name__')}.{code.co_qualname}", at and at.offset, dict(frame.f_locals)]


@lru_cache(maxsize=4096)
def _instruction(code: CodeType, place: int, generator: bool) -> dis.Instruction | None:
    """Return the instruction at a place; an interpreter that has warmed up stops a little behind its start.

    A suspended generator is at the instruction that suspended it. From Python 3.13 on its place is the one after that.
    """
    until = [each for each in dis.get_instructions(code) if each.offset <= place]
    if generator and len(until) > 1 and until[-2].opname in _SUSPENDS:
        return until[-2]
    return until[-1] if until else None


@lru_cache(maxsize=4096)
def operands_below(code: CodeType, place: int, generator: bool) -> int | None:
    """Return how many operands lie below those of the call or `yield` at a place; None if that cannot be told."""
    found = _instruction(code, place, generator)
    if found is None:
        return 0  # it has not begun
    depth = _depths(code).get(found.offset)
    if depth is None:
        return None  # reached through an exception, which lies on the stack
    if found.opname in _GIVES_ONE:
        # What is left once the call has taken its operands and given its one result.
        return depth + dis.stack_effect(found.opcode, _argument(found)) - 1
    return 0 if found.opname == "RETURN_GENERATOR" else None


def _argument(instruction: dis.Instruction) -> int | None:
    return instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None


@lru_cache(maxsize=1024)
def _depths(code: CodeType) -> dict[int, int]:
    """Return the number of operands before each instruction that is reached without an exception."""
    instructions = list(dis.get_instructions(code))
    following = {one.offset: other.offset for one, other in pairwise(instructions)}
    by_offset = {each.offset: each for each in instructions}
    jumps = {*dis.hasjrel, *dis.hasjabs}
    depths: dict[int, int] = {}
    todo = [(instructions[0].offset, 0)]
    while todo:
        offset, depth = todo.pop()
        if offset in depths:
            continue
        depths[offset] = depth
        each = by_offset[offset]
        if each.opcode in jumps:
            todo.append((each.argval, depth + dis.stack_effect(each.opcode, _argument(each), jump=True)))
        if each.opname not in _NO_NEXT and offset in following:
            after = depth + dis.stack_effect(each.opcode, _argument(each), jump=False)
            # The first operand of a generator comes from whoever starts it, and no instruction pushes it.
            todo.append((following[offset], max(after, 0)))
    return depths


_SUSPENDS = {"RETURN_GENERATOR", "YIELD_VALUE"}
_GIVES_ONE = {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "YIELD_VALUE"}
_NO_NEXT = {
    "RETURN_VALUE",
    "RETURN_CONST",
    "RAISE_VARARGS",
    "RERAISE",
    "JUMP_FORWARD",
    "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
}
