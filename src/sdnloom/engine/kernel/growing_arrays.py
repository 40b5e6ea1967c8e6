"""Arrays that grow."""

import math
import mmap
import os
from typing import Any

import numpy as np

from sdnloom.engine.kernel.layout import Array

LONG = 1 << 20  # bytes from which on an array gets an area in which it can grow
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


def grown(array: Array, length: int, value: Any = 0) -> Array:
    """A longer copy, with `value` beyond the old end.

    A new array gets huge pages, which random access needs; one that is resized in place does not.
    """
    bigger = np.zeros((length, *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    if value:
        bigger[len(array) :] = value
    return bigger


def extended(array: Array, length: int, most: int, used: int | None = None) -> Array:
    """A longer copy of the rows that are used, with zeros behind them.

    A long one has room for `most` rows, or for all that this machine can hold: those that are not used take no memory.
    """
    rows = array[:used]
    row_bytes = array.itemsize * math.prod(array.shape[1:])
    area = area_for(length * row_bytes) if length * row_bytes > LONG else None
    if area is None:
        length = max(length, min(2 * len(array), most))
        longer = np.zeros((length, *array.shape[1:]), array.dtype)
    else:
        length = min(len(area) // row_bytes, most)
        longer = area[: length * row_bytes].view(array.dtype).reshape(length, *array.shape[1:])
    longer[: len(rows)] = rows
    return longer


def area_for(needed: int) -> Array | None:
    """At least so many bytes, all 0, in an area as large as the memory of this machine, if the system gives one.

    An area takes no memory until it is used, so an array in it can grow without being copied.
    """
    try:
        size = max(needed, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
        area.madvise(mmap.MADV_HUGEPAGE)
    except (OSError, ValueError, AttributeError):
        return None
    return np.frombuffer(area, np.uint8)
