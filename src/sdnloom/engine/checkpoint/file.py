"""The checkpoint file: a manifest of names and numbers, and sections that are arrays of integers.

A header of fixed size says where the manifest is and has a digest of it; the manifest is JSON and has the type, shape
and digest of every section. The sections come first, so that they are written as they are, whatever their size.

The file is written beside, synced and renamed: a process that is killed while it writes leaves the old one. Nothing in
a file is executed or unpickled, and a file that is not whole is refused before any of it is used.
"""

import hashlib
import json
import math
import os
import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from sdnloom.errors import SdnloomError, json_problem

Numbers = npt.NDArray[Any]

FORMAT = 1
_MAGIC = b"sdnloom checkpt\n"
_HEADER = struct.Struct("<16sIQQ32s")  # magic, format, place and length of the manifest, its digest
_CHECK = 32  # octets of the digest that follows the header
_START = _HEADER.size + _CHECK
_MOST_MANIFEST = 256 << 20
_BLOCK = 1 << 24
_TYPES = ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "|b1")
_NAME = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_MOST_DIMENSIONS = 4
_MOST_CELLS = 1 << 48


class CheckpointError(SdnloomError):
    """A checkpoint that cannot be written or used, and why."""


class Checkpoint(NamedTuple):
    """What a checkpoint file holds: the manifest without its sections, and the sections by name."""

    manifest: dict[str, Any]
    arrays: dict[str, Numbers]


def write_checkpoint(file: Path, manifest: Mapping[str, Any], arrays: Mapping[str, Numbers]) -> None:
    """Write a checkpoint in place of the file. Raises CheckpointError if that fails; the old one stays then."""
    beside = beside_of(file)
    try:
        with beside.open("wb") as stream:
            stream.write(bytes(_START))
            sections = [_write_section(stream, name, array) for name, array in arrays.items()]
            text = json.dumps({**manifest, "sections": sections}, ensure_ascii=True, allow_nan=False).encode()
            place = stream.tell()
            stream.write(text)
            header = _HEADER.pack(_MAGIC, FORMAT, place, len(text), _digest(text))
            stream.seek(0)
            stream.write(header + _digest(header))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, file)
        _sync_folder(file.absolute().parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise CheckpointError(f"{file}: cannot write the checkpoint: {error.strerror}") from error


def beside_of(file: Path) -> Path:
    """The file that is written before it takes the place of the checkpoint."""
    return file.with_name(f"{file.name}.new")


def check_writable(file: Path) -> None:
    """Raise CheckpointError if no checkpoint can be written there: before a long search, not after it."""
    if file.is_dir():
        raise CheckpointError(f"{file}: is a folder; expected a file for the checkpoint")
    folder = file.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise CheckpointError(f"{file}: cannot write a checkpoint there; expected a folder that can be written")
    if file.exists() and not os.access(file, os.W_OK):
        raise CheckpointError(f"{file}: cannot be written; expected a file for the checkpoint")


def read_checkpoint(file: Path) -> Checkpoint:
    """Read a checkpoint, all of it. Raises CheckpointError for a file that is damaged, cut or something else."""
    try:
        with file.open("rb") as stream:
            manifest, sections = _read_manifest(file, stream)
            arrays = {each.name: _read_section(file, stream, each) for each in sections}
    except OSError as error:
        raise CheckpointError(f"{file}: cannot read the checkpoint: {error.strerror}") from error
    except MemoryError as error:
        raise CheckpointError(f"{file}: is larger than the memory of this machine") from error
    return Checkpoint(manifest, arrays)


def read_manifest(file: Path) -> dict[str, Any]:
    """The manifest of a checkpoint alone."""
    try:
        with file.open("rb") as stream:
            return _read_manifest(file, stream)[0]
    except OSError as error:
        raise CheckpointError(f"{file}: cannot read the checkpoint: {error.strerror}") from error


class _Section(NamedTuple):
    name: str
    type: str
    shape: tuple[int, ...]
    place: int
    digest: str

    @property
    def size(self) -> int:
        return math.prod(self.shape) * np.dtype(self.type).itemsize


def _write_section(stream: BinaryIO, name: str, array: Numbers) -> dict[str, Any]:
    """Write an array, block by block, and return its entry in the manifest."""
    kind = array.dtype.newbyteorder("<").str
    if not _NAME.fullmatch(name) or kind not in _TYPES or array.ndim > _MOST_DIMENSIONS:
        raise AssertionError(f"section {name!r} is {array.ndim}-dimensional {array.dtype}; expected whole numbers")
    place, digest = stream.tell(), hashlib.blake2b(digest_size=32)
    rows = array.reshape(-1) if array.ndim == 0 else array
    step = max(1, _BLOCK // max(1, rows[:1].nbytes))
    for start in range(0, len(rows), step):
        block = np.ascontiguousarray(rows[start : start + step]).astype(kind, copy=False)
        octets = block.reshape(-1).view(np.uint8).data
        digest.update(octets)
        stream.write(octets)
    return {"name": name, "type": kind, "shape": list(array.shape), "place": place, "digest": digest.hexdigest()}


def _sync_folder(folder: Path) -> None:
    """Make the renaming last; not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read_manifest(file: Path, stream: BinaryIO) -> tuple[dict[str, Any], list[_Section]]:
    """The manifest, checked, and where its sections are."""
    head = stream.read(_START)
    if head[: len(_MAGIC)] != _MAGIC:
        raise CheckpointError(f"{file}: is no checkpoint; expected a file that `--checkpoint` has written")
    header, check = head[: _HEADER.size], head[_HEADER.size :]
    if len(head) < _START or _digest(header) != check:
        raise _damaged(file, "its header")
    _, version, place, length, digest = _HEADER.unpack(header)
    if version != FORMAT:
        raise CheckpointError(f"{file}: has the format {version}; this sdnloom reads format {FORMAT}")
    size = stream.seek(0, os.SEEK_END)
    if size != place + length:
        raise CheckpointError(f"{file}: has {size:,} bytes; expected {place + length:,}, so it was cut or added to")
    if place < _START or length > _MOST_MANIFEST:
        raise _damaged(file, "its header")
    stream.seek(place)
    text = stream.read(length)
    if _digest(text) != digest:
        raise _damaged(file, "its manifest")
    try:
        manifest = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except OverflowError as error:
        raise CheckpointError(f"{file}: its manifest has the number {error}; expected finite ones") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{file}: {json_problem(text, error, 'a checkpoint of sdnloom')}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("sections"), list):
        raise _damaged(file, "its manifest")
    sections = [_section(file, each) for each in manifest.pop("sections")]
    at = _START
    for each in sections:
        if each.place != at or each.size > place - at:
            raise _damaged(file, f"the place of its section {each.name!r}")
        at += each.size
    if at != place or len({each.name for each in sections}) < len(sections):
        raise _damaged(file, "its list of sections")
    return manifest, sections


def _finite(text: str) -> float:
    """A number of a manifest; raises OverflowError with the text of one that is none or too large."""
    if not math.isfinite(number := float(text)):
        raise OverflowError(text[:40])
    return number


def _section(file: Path, entry: Any) -> _Section:
    """One entry of the list of sections."""
    if not isinstance(entry, dict) or entry.keys() != {"name", "type", "shape", "place", "digest"}:
        raise _damaged(file, "its list of sections")
    shape = entry["shape"]
    fits = (
        isinstance(entry["name"], str)
        and _NAME.fullmatch(entry["name"]) is not None
        and entry["type"] in _TYPES
        and isinstance(shape, list)
        and len(shape) <= _MOST_DIMENSIONS
        and all(type(one) is int and one >= 0 for one in shape)
        and math.prod(max(1, one) for one in shape) < _MOST_CELLS  # an empty array may not have more either
        and type(entry["place"]) is int
        and isinstance(entry["digest"], str)
    )
    if not fits:
        raise _damaged(file, "its list of sections")
    return _Section(entry["name"], entry["type"], tuple(shape), entry["place"], entry["digest"])


def _read_section(file: Path, stream: BinaryIO, section: _Section) -> Numbers:
    array = np.empty(section.shape, np.dtype(section.type))
    stream.seek(section.place)
    digest = hashlib.blake2b(digest_size=32)
    octets = array.reshape(-1).view(np.uint8).data
    for start in range(0, len(octets), _BLOCK):
        block = octets[start : start + _BLOCK]
        if stream.readinto(block) != len(block):  # type: ignore[attr-defined]
            raise _damaged(file, f"its section {section.name!r}")
        digest.update(block)
    if digest.hexdigest() != section.digest:
        raise _damaged(file, f"its section {section.name!r}")
    if section.type == "|b1" and array.size and array.view(np.uint8).max() > 1:
        raise _damaged(file, f"its section {section.name!r}")
    return array


def _digest(octets: bytes) -> bytes:
    return hashlib.blake2b(octets, digest_size=32).digest()


def _damaged(file: Path, what: str) -> CheckpointError:
    return CheckpointError(f"{file}: is damaged: {what} is not as it was written")
