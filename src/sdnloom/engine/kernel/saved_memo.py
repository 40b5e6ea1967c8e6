"""What a checkpoint has of the kernel's memo: the contents and the places that states consist of.

Everything else in the memo follows from them and from the answers of user code, and is entered again when it is needed.
"""

import itertools
from collections.abc import Mapping

import numpy as np

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.memo import KernelMemo

_MADE = -1  # in the place of the content before a push: Python gave this content


def saved_memo(memo: KernelMemo, contents: int, places: list[int]) -> dict[str, Array]:
    """The first so many contents, and the first so many places of each component."""
    return {
        "contents": memo.contents_as_rows(contents),
        "places": np.concatenate([memo.places_of(component)[:count] for component, count in enumerate(places)]),
        "place_counts": np.array(places, np.int64),
    }


def restore_memo(memo: KernelMemo, arrays: Mapping[str, Array]) -> None:
    """Enter saved contents and places in a new memo. Raises CheckpointError for numbers that stand for nothing."""
    channels = _restore_contents(memo, rows_of(arrays, "contents", np.int32, 3))
    rows = rows_of(arrays, "places", np.int32, memo.places_of(0).shape[1])
    counts = rows_of(arrays, "place_counts", np.int64, None)
    fits = len(counts) == memo.components and counts.min(initial=0) >= 0 and counts.max(initial=0) <= len(rows)
    if not fits or counts.sum() != len(rows):
        raise CheckpointError(f"the counts of places are {counts.tolist()}; expected {len(rows):,} in all")
    owners = np.repeat(np.arange(memo.components), counts)
    fits = (rows[:, 0] == owners) & (rows[:, 1] >= 0)
    for component, inbox in enumerate(memo.tables.inbox):
        mine = owners == component
        fits[mine] &= rows[mine, 1] < len(memo.tables.cores[component])
        for slot in range(rows.shape[1] - 2):
            of_slot = rows[mine, 2 + slot]
            if slot >= len(inbox):
                fits[mine] &= of_slot == 0
            else:
                known = (of_slot >= 0) & (of_slot < len(channels))
                fits[mine] &= known & (channels[np.where(known, of_slot, 0)] == inbox[slot])
    if not fits.all():
        raise CheckpointError(f"place {int(np.argmin(fits)):,} stands for nothing")
    if (memo.intern_again(rows) != np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)).any():
        raise CheckpointError("a place occurs twice")


def _restore_contents(memo: KernelMemo, rows: Array) -> Array:
    """Enter saved contents: (channel, content before or -1, message or number in the tables) rows; their channels."""
    tables = memo.tables
    channels = rows[:, 0].copy()
    fits = (channels >= 0) & (channels < len(tables.contents))
    made = rows[:, 1] == _MADE
    sizes = np.array([len(table) for table in tables.contents])
    fits &= ~made | ((rows[:, 2] >= 0) & (rows[:, 2] < sizes[np.where(fits, channels, 0)]))
    fits &= made | ((rows[:, 1] >= 0) & (rows[:, 1] < np.arange(len(rows))))
    fits &= made | ((rows[:, 2] > 0) & (rows[:, 2] < len(tables.messages)))
    fits &= made | (channels[np.where(made | ~fits, 0, rows[:, 1])] == channels)
    plain = np.isin(channels, memo.plain_channels)  # their contents are made, but for the first
    fits &= np.where(made, ~plain | (rows[:, 2] == 0), plain)
    if not fits.all():
        raise CheckpointError(f"content {int(np.argmin(fits)):,} stands for nothing")
    ends = [*np.flatnonzero(made).tolist(), len(rows)]
    for start, stop in itertools.pairwise(ends):  # what Python gave, then what was pushed after it
        first = memo.content(int(channels[start]), int(rows[start, 2]))
        pushed = memo.push_again(rows[start + 1 : stop, 1], rows[start + 1 : stop, 2])
        if first != start or (pushed != np.arange(start + 1, stop)).any():
            raise CheckpointError("a content occurs twice, or not in the order in which it was made")
    return channels


def rows_of(arrays: Mapping[str, Array], name: str, kind: type, width: int | None) -> Array:
    """An array of a checkpoint, after its type and shape were checked; without a width it has one dimension."""
    array = arrays.get(name)
    if array is None:
        raise CheckpointError(f"it has no {name}")
    fits = array.ndim == 1 if width is None else array.ndim == 2 and array.shape[1] == width
    if array.dtype != kind or not fits:
        raise CheckpointError(f"{name} is {array.dtype} {array.shape}; expected {np.dtype(kind)}")
    return array
