"""The checkpoint file: what was written is read, and what is not whole is refused before any of it is used."""

import json
import random
import struct

import numpy as np
import pytest

from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint.file import (
    CheckpointError,
    beside_of,
    check_writable,
    read_checkpoint,
    read_manifest,
    write_checkpoint,
)

MANIFEST = {"sdnloom": "1", "counts": {"states": 3}, "text": "é"}
ARRAYS = {
    "journal": np.arange(24, dtype=np.int64).reshape(6, 4),
    "journal.checks": np.arange(6, dtype=np.uint64) << 60,
    "kernel.rows": np.arange(60, dtype=np.int32).reshape(3, 4, 5)[:, 1:, ::2],
    "kernel.flags": np.array([True, False, True]),
    "kernel.bytes": np.arange(7, dtype=np.uint8),
    "kernel.big_endian": np.arange(5, dtype=">u4"),
    "kernel.none": np.zeros((0, 3), np.uint32),
    "kernel.one": np.array(7, np.int64),
}


@pytest.fixture
def file(tmp_path):
    found = tmp_path / "search.ckpt"
    write_checkpoint(found, MANIFEST, ARRAYS)
    return found


def same(checkpoint):
    return checkpoint.manifest == MANIFEST and all(
        checkpoint.arrays[name].shape == array.shape and np.array_equal(checkpoint.arrays[name], array)
        for name, array in ARRAYS.items()
    )


def test_what_was_written_is_read(file):
    found = read_checkpoint(file)
    assert same(found)
    assert [each.dtype.str for each in found.arrays.values()] == [
        *("<i8", "<u8", "<i4", "|b1", "|u1", "<u4", "<u4", "<i8")
    ]
    assert read_manifest(file) == MANIFEST
    assert all(array.flags.writeable for array in found.arrays.values())


def test_sections_are_written_and_read_in_blocks(file, monkeypatch):
    whole = file.read_bytes()
    monkeypatch.setattr(format_of, "_BLOCK", 8)
    assert same(read_checkpoint(file))
    write_checkpoint(file, MANIFEST, ARRAYS)
    assert file.read_bytes() == whole


def test_every_flipped_octet_is_refused(file):
    whole, refused = file.read_bytes(), 0
    places = random.Random(1).sample(range(len(whole)), 400) if len(whole) > 400 else range(len(whole))
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= random.Random(place).randrange(1, 256)
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"is damaged|is no checkpoint|has the format"):
            read_checkpoint(file)
        refused += 1
    assert refused == 400


def test_every_cut_and_every_addition_is_refused(file):
    whole = file.read_bytes()
    for length in (*range(0, len(whole), 9), len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match=r"is no checkpoint|is damaged|it was cut or added to"):
            read_checkpoint(file)
    for more in (b"\0", b"more", whole):
        file.write_bytes(whole + more)
        with pytest.raises(CheckpointError, match="it was cut or added to"):
            read_checkpoint(file)


def rewritten(file, change, again=str):
    """The file with another manifest, whose digests are right."""
    whole = file.read_bytes()
    header = struct.Struct("<16sIQQ32s")
    _, _, place, length, _ = header.unpack(whole[: header.size])
    manifest = json.loads(whole[place : place + length])
    change(manifest)
    text = again(json.dumps(manifest)).encode()
    head = header.pack(b"sdnloom checkpt\n", 1, place, len(text), format_of._digest(text))
    file.write_bytes(head + format_of._digest(head) + whole[len(head) + 32 : place] + text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("type", "|O"),
        ("type", "<f8"),
        ("type", ">i8"),
        ("type", 8),
        ("shape", [1 << 60]),
        ("shape", [1 << 5000]),
        ("shape", [6, -4]),
        ("shape", [True, 24]),
        ("shape", [6, 4, 1, 1, 1]),
        ("shape", "6"),
        ("shape", [6, 5]),
        ("place", 0),
        ("place", 1 << 70),
        ("name", "../x"),
        ("name", "journal.checks"),
        ("name", None),
        ("digest", "00"),
        ("digest", 0),
    ],
)
def test_a_list_of_sections_that_cannot_be_is_refused_before_memory_is_taken(file, key, value):
    rewritten(file, lambda manifest: manifest["sections"][0].update({key: value}))
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(file)


@pytest.mark.parametrize("shape", [[0, 1 << 47, 1 << 47, 1 << 47], [0, 1 << 63], [1 << 47, 0, 2], [0, 1 << 5000]])
def test_an_empty_section_of_a_shape_that_no_array_has_is_refused(file, shape):
    def change(manifest):
        [empty] = [each for each in manifest["sections"] if each["name"] == "kernel.none"]
        empty["shape"] = shape

    rewritten(file, change)
    with pytest.raises(CheckpointError, match=r"search.ckpt: is damaged: its list of sections is not"):
        read_checkpoint(file)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "Infinity", "NaN"])
def test_a_number_that_is_not_finite_is_named(file, number):
    rewritten(file, lambda manifest: manifest.update(counts=["here"]), lambda text: text.replace('"here"', number))
    for read in (read_checkpoint, read_manifest):
        with pytest.raises(CheckpointError, match=rf"search.ckpt: its manifest has the number {number}; expected"):
            read(file)


@pytest.mark.parametrize("change", [dict.clear, lambda m: m.update(sections={}), lambda m: m["sections"].pop()])
def test_a_manifest_without_its_sections_is_refused(file, change):
    rewritten(file, change)
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(file)


@pytest.mark.parametrize("content", [b"", b"{}", b"sdnloom checkpt", bytes(200), b"\x80\x04pickle", b"x" * 5000])
def test_another_file_is_no_checkpoint(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(CheckpointError, match="is no checkpoint; expected a file that `--checkpoint` has written"):
        read_checkpoint(tmp_path / "other")


def test_another_format_is_named(file):
    whole = bytearray(file.read_bytes())
    whole[16] = 9
    header = bytes(whole[:68])
    file.write_bytes(header + format_of._digest(header) + whole[100:])
    with pytest.raises(CheckpointError, match="has the format 9; this sdnloom reads format 1"):
        read_checkpoint(file)


def test_a_file_that_is_not_there_or_a_folder_is_one_message(tmp_path):
    for name in ("none", "."):
        with pytest.raises(CheckpointError, match="cannot read the checkpoint"):
            read_checkpoint(tmp_path / name)


class CutError(Exception):
    """The process ends here."""


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_kill_while_a_checkpoint_is_written_leaves_the_old_one(file, monkeypatch, where):
    def cut(*_):
        raise CutError

    if where == "write":
        monkeypatch.setattr(format_of, "_write_section", cut)
    else:
        monkeypatch.setattr(format_of.os, where, cut)
    with pytest.raises(CutError):
        write_checkpoint(file, {"new": 1}, ARRAYS)
    monkeypatch.undo()
    assert same(read_checkpoint(file))
    write_checkpoint(file, {"new": 1}, {})
    assert read_checkpoint(file) == ({"new": 1}, {})
    assert not beside_of(file).exists()


def test_a_full_disk_leaves_the_old_one_and_nothing_beside_it(file, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(format_of.os, "fsync", full)
    with pytest.raises(CheckpointError, match="cannot write the checkpoint: No space left on device"):
        write_checkpoint(file, {"new": 1}, {})
    assert same(read_checkpoint(file))
    assert not beside_of(file).exists()


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(CheckpointError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(CheckpointError, match="expected a folder that can be written"):
        check_writable(tmp_path / "none" / "file")
    check_writable(tmp_path / "new")
