"""Atomic operations on the elements of arrays, for threads that share a table without locks.

numba has none for the CPU. Arrays are one-dimensional; indexes are not checked.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_intrinsic: Any = intrinsic  # its result has a type that numba's own code cannot be called with


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    values = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, values, [index], wraparound=False)


@_intrinsic
def compare_and_swap(typing_context, array, index, expected, new):
    """Set the element to `new` if it is `expected`; the element before."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        before = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(before, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), generate


@_intrinsic
def load_acquire(typing_context, array, index):
    """The element, and everything that its writer wrote before it."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.load_atomic(pointer, "acquire", 8)

    return array.dtype(array, types.intp), generate


@_intrinsic
def store_release(typing_context, array, index, value):
    """Set the element, after everything that was written before it."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store_atomic(arguments[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


@_intrinsic
def fetch_and_add(typing_context, array, index, value):
    """Add to the element; the element before."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", pointer, arguments[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), generate


@_intrinsic
def prefetch(typing_context, array, index):
    """Ask for the element's cache line; of a matrix, for that of the row's first element."""

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        values = context.make_array(array_type)(context, builder, arguments[0])
        zero = context.get_constant(types.intp, 0)
        indexes = [arguments[1], *[zero] * (array_type.ndim - 1)]
        pointer = cgutils.get_item_pointer(context, builder, array_type, values, indexes, wraparound=False)
        byte = ir.PointerType(ir.IntType(8))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        settings = [ir.Constant(number, value) for value in (0, 3, 1)]  # to read, to keep, data
        builder.call(function, [builder.bitcast(pointer, byte), *settings])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
