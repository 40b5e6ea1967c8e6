"""The last checkpoint of a search in a cluster: arrays in files of the driver's machine."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sdnloom.engine.cluster.notation import SpelledStates
from sdnloom.engine.cluster.protocol import SavedWorker


class CheckpointFolder:
    """Keeps what workers saved last, in a temporary folder; the one before is deleted when the new one is whole."""

    def __init__(self) -> None:
        self._root: tempfile.TemporaryDirectory[str] | None = None
        self._last: list[Path] = []
        self._number = 0

    @property
    def name(self) -> str:
        """Where the files are, for a message."""
        return "a temporary folder" if self._root is None else f"the folder {self._root.name!r}"

    def keep(self, workers: Sequence[SavedWorker]) -> None:
        """Write what the workers saved. Raises OSError if that fails; what they saved before stays then."""
        if self._root is None:
            self._root = tempfile.TemporaryDirectory(prefix="sdnloom-checkpoint-")
        self._number += 1
        files = [Path(self._root.name) / f"{self._number}-{worker}.npz" for worker in range(len(workers))]
        try:
            for path, saved in zip(files, workers, strict=True):
                _write(path, saved)
        except BaseException:
            _delete(files)
            raise
        before, self._last = self._last, files
        _delete(before)

    def kept(self) -> list[SavedWorker]:
        """What the workers saved last."""
        results = []
        for path in self._last:
            with np.load(path, allow_pickle=False) as arrays:
                places = tuple(arrays[name] for name in arrays.files if name.startswith("place "))
                numbers = tuple(arrays[name] for name in arrays.files if name.startswith("number "))
                stretch = SpelledStates(arrays["rows"], arrays["counts"], places, numbers, arrays["asleep"])
                results.append(SavedWorker(arrays["keys"], stretch, arrays["segments"], arrays["parents"]))
        return results

    def close(self) -> None:
        """Delete the checkpoint."""
        if self._root is not None:
            self._root.cleanup()
            self._root = None


def _write(path: Path, saved: SavedWorker) -> None:
    stretch = saved.stretch
    arrays: dict[str, Any] = {
        **{f"place {number}": part for number, part in enumerate(stretch.places)},
        **{f"number {number}": part for number, part in enumerate(stretch.numbers)},
    }
    np.savez(
        path,
        keys=saved.keys,
        segments=saved.segments,
        parents=saved.parents,
        rows=stretch.rows,
        counts=stretch.counts,
        asleep=stretch.asleep,
        **arrays,
    )


def _delete(files: Sequence[Path]) -> None:
    """Delete files as far as that is possible; the folder is deleted in the end."""
    for path in files:
        with suppress(OSError):
            path.unlink()
