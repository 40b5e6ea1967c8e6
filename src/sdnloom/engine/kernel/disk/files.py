"""Files of a search: arrays that grow at their end, and packed states in the order of their numbers.

A file has no name: it is gone when it is closed, also if the process is killed, so nothing is left in the folder.
"""

import os
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt

from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.states import NO_SLEEP, States, repacked
from sdnloom.engine.result import DISK_OPTION
from sdnloom.errors import SdnloomError


class DiskError(SdnloomError):
    """The folder takes no more, or does not give back what was written."""


class Folder:
    """The folder of the files of one search, and how much is in them. `place` is where it is named."""

    def __init__(self, path: str, place: str = DISK_OPTION) -> None:
        self.path = path
        self.bytes = 0
        self.most_bytes = 0
        self._open: set[ArrayFile] = set()
        try:
            self.new_file().close()
        except (OSError, DiskError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SdnloomError(f"{place} is {path!r}: {reason}; expected a folder to write in") from error

    def new_file(self) -> Any:
        """An empty file without a name."""
        return tempfile.TemporaryFile(dir=self.path, buffering=0)

    def opened(self, file: "ArrayFile") -> None:
        """Note a file that is to be closed."""
        self._open.add(file)

    def closed(self, file: "ArrayFile") -> None:
        """Note that a file was closed."""
        self._open.discard(file)

    def close(self) -> None:
        """Close all files; they are gone then."""
        for file in list(self._open):
            file.close()

    def failed(self, error: OSError) -> DiskError:
        """What to raise when the folder fails."""
        return DiskError(f"the folder {self.path!r} failed: {error.strerror or error}")

    def changed(self, by: int) -> None:
        """Count bytes that were written or freed."""
        self.bytes += by
        self.most_bytes = max(self.most_bytes, self.bytes)


class ArrayFile:
    """Numbers of one type in a file. Several threads may read at once."""

    def __init__(self, folder: Folder, kind: npt.DTypeLike) -> None:
        self._folder, self._kind = folder, np.dtype(kind)
        self.count = 0
        try:
            self._file = folder.new_file()
        except OSError as error:
            raise folder.failed(error) from error
        folder.opened(self)

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return self.count * self._kind.itemsize

    def append(self, values: Array) -> None:
        """Write values at the end."""
        self.write(self.count, values)

    def write(self, first: int, values: Array) -> None:
        """Write values from this position on."""
        data = _bytes(np.ascontiguousarray(values, self._kind))
        at = first * self._kind.itemsize
        try:
            while data:
                done = os.pwrite(self._file.fileno(), data, at)
                data, at = data[done:], at + done
        except OSError as error:
            raise self._folder.failed(error) from error
        if first + len(values) > self.count:
            self._folder.changed((first + len(values) - self.count) * self._kind.itemsize)
            self.count = first + len(values)

    def read(self, first: int, last: int) -> Array:
        """The values from one position to another."""
        values = np.empty(max(0, min(last, self.count) - first), self._kind)
        self.read_into(values, first)
        return values

    def read_into(self, values: Array, first: int) -> None:
        """Fill an array with the values from this position on."""
        data, at = _bytes(values), first * self._kind.itemsize
        try:
            while data:
                done = os.preadv(self._file.fileno(), [data], at)
                if not done:
                    raise DiskError(f"the folder {self._folder.path!r} failed: a file in it was cut")
                data, at = data[done:], at + done
        except OSError as error:
            raise self._folder.failed(error) from error

    def close(self) -> None:
        """Free the room that the file takes."""
        if not self._file.closed:
            self._file.close()
            self._folder.changed(-self.bytes)
            self._folder.closed(self)


def _bytes(values: Any) -> memoryview:
    return memoryview(values).cast("B") if len(values) else memoryview(b"")


class StateFile:
    """Packed states with consecutive numbers in a file, with their sleep sets; each stretch has one layout."""

    def __init__(self, folder: Folder, first: int, with_sleep: bool) -> None:
        self.first, self.count = first, 0
        self._words = ArrayFile(folder, np.uint64)
        self._asleep = ArrayFile(folder, np.uint64) if with_sleep else None
        self._stretches: list[tuple[int, int, Layout]] = []  # first state, first word, layout

    def append(self, states: States) -> None:
        """Write states at the end."""
        if not self._stretches or self._stretches[-1][2] is not states.layout:
            self._stretches.append((self.count, self._words.count, states.layout))
        self._words.append(states.words)
        if self._asleep is not None:
            self._asleep.append(states.asleep)
        self.count += states.count

    def read(self, start: int, stop: int) -> States:
        """The states at these positions."""
        parts = []
        ends = [first for first, _, _ in self._stretches[1:]] + [self.count]
        for (first, at, layout), end in zip(self._stretches, ends, strict=True):
            low, high = max(start, first), min(stop, end)
            if low < high:
                words = self._words.read(at + (low - first) * layout.words, at + (high - first) * layout.words)
                parts.append(repacked(words, layout, self._stretches[-1][2]))
        asleep = NO_SLEEP if self._asleep is None else self._asleep.read(start, stop)
        words = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return States(self.first + start, self._stretches[-1][2], words, asleep)

    def close(self) -> None:
        """Free the room that the file takes."""
        self._words.close()
        if self._asleep is not None:
            self._asleep.close()
