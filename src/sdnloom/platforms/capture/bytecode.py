"""Stack depth and callee of suspended code, read from CPython bytecode, and its variables, written to its frame.

Everything that depends on the Python version is here.

Opcodes and their stack effects change with every version of CPython. A version that is not in `KNOWN_VERSIONS` is
refused: to add one, run `tests/platforms/capture/test_frames.py` with it and extend the tables below.
"""

import ctypes
import dis
import sys
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

from sdnloom.platforms.capture.save_restore import CaptureError

KNOWN_VERSIONS = ((3, 11), (3, 12), (3, 13))
_SUSPENDS = {"RETURN_GENERATOR", "YIELD_VALUE"}
_PUSHES_ONE_RESULT = {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "YIELD_VALUE"}
_CALLS = {"CALL", "CALL_FUNCTION_EX"}
_NAMES = {"LOAD_GLOBAL", "LOAD_FAST", "LOAD_FAST_CHECK"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_NO_SUCCESSOR = {
    "RETURN_VALUE",
    "RETURN_CONST",
    "RAISE_VARARGS",
    "RERAISE",
    "JUMP_FORWARD",
    "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
}


def check_version() -> None:
    """Raise CaptureError if the bytecode of this Python is not known."""
    if sys.version_info[:2] not in KNOWN_VERSIONS:
        first, last, this = (
            ".".join(map(str, each)) for each in (KNOWN_VERSIONS[0], KNOWN_VERSIONS[-1], sys.version_info[:2])
        )
        raise CaptureError(f"how Python {this} suspends code is not known; expected Python {first} to {last}")


@lru_cache(maxsize=4096)
def instruction_at(code: CodeType, place: int, generator: bool) -> dis.Instruction | None:
    """Return the instruction at a place; specialised bytecode stops a little behind its start.

    A suspended generator is at the instruction that suspended it. From Python 3.13 on its place is the one after that.
    """
    until = [each for each in dis.get_instructions(code) if each.offset <= place]
    if generator and len(until) > 1 and until[-2].opname in _SUSPENDS:
        return until[-2]
    return until[-1] if until else None


@lru_cache(maxsize=4096)
def operands_below(code: CodeType, place: int, generator: bool) -> int | None:
    """Return how many operands lie below those of the call or `yield` at a place; None if that is not known."""
    found = instruction_at(code, place, generator)
    if found is None:
        return 0  # it has not begun
    depth = _depths(code).get(found.offset)
    if depth is None:
        return None  # reached through an exception, which is on the stack
    if found.opname in _PUSHES_ONE_RESULT:
        # The depth after the call has taken its operands, without its result.
        return depth + dis.stack_effect(found.opcode, _argument(found)) - 1
    return 0 if found.opname == "RETURN_GENERATOR" else None


@lru_cache(maxsize=4096)
def callee_path(code: CodeType, place: int) -> tuple[str, ...] | None:
    """Return the name and the attributes by which the call at a place finds what it calls; None if otherwise."""
    call = instruction_at(code, place, False)
    if call is None or call.opname not in _CALLS:
        return None
    before = [each for each in dis.get_instructions(code) if each.offset < call.offset and each.opname != "CACHE"]
    depths = _depths(code)
    starts = [number for number, each in enumerate(before) if depths.get(each.offset) == 0]
    path: list[str] = []
    for each in before[starts[-1] :] if starts else ():
        if not path and each.opname in _NAMES:
            path.append(each.argval)
        elif path and each.opname in _ATTRIBUTES:
            path.append(each.argval)
            if each.opname == "LOAD_METHOD" or "NULL" in each.argrepr:
                break  # what follows are arguments
        elif each.opname != "PUSH_NULL":
            break
    return tuple(path) or None


def write_variables(frame: FrameType, variables: Mapping[str, Any]) -> bool:
    """Give a suspended frame these local variables and no others; False if this Python cannot, and nothing is done."""
    local = frame.f_locals
    if sys.version_info >= (3, 13):  # `f_locals` writes through, and cannot make a variable unbound
        if set(local) - variables.keys():
            return False
        local.update(variables)
        return True
    local.clear()
    local.update(variables)
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(1))
    return True


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
        if each.opname not in _NO_SUCCESSOR and offset in following:
            after = depth + dis.stack_effect(each.opcode, _argument(each), jump=False)
            # The first operand of a generator is pushed by its caller, not by an instruction.
            todo.append((following[offset], max(after, 0)))
    return depths
