"""Fetching Ryu's apps: what is unpacked of an archive, and that nothing is fetched twice."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from tools import fetch_ryu


def archive(folder: Path, *members: tuple[str, bytes, bytes]) -> Path:
    file = folder / "ryu-4.34.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(content), "/etc/passwd"
            tar.addfile(member, io.BytesIO(content))
    return file


def test_only_apps_and_license_are_unpacked(tmp_path: Path) -> None:
    found = archive(
        tmp_path,
        ("ryu-4.34/LICENSE", tarfile.REGTYPE, b"terms"),
        ("ryu-4.34/setup.py", tarfile.REGTYPE, b"raise SystemExit"),
        ("ryu-4.34/ryu/__init__.py", tarfile.REGTYPE, b"version = 1"),
        ("ryu-4.34/ryu/base/app_manager.py", tarfile.REGTYPE, b""),
        ("ryu-4.34/ryu/app/one.py", tarfile.REGTYPE, b"one"),
        ("ryu-4.34/ryu/app/linked.py", tarfile.SYMTYPE, b""),
    )
    fetch_ryu.unpack(found, tmp_path / "out")
    files = {str(file.relative_to(tmp_path / "out")): file.read_bytes() for file in (tmp_path / "out").rglob("*.*")}
    assert files == {"ryu/__init__.py": b"version = 1", "ryu/app/one.py": b"one"}
    assert (tmp_path / "out" / "LICENSE").read_bytes() == b"terms"


def test_members_outside_the_folder_are_refused(tmp_path: Path) -> None:
    found = archive(tmp_path, ("ryu-4.34/ryu/app/../../../out.py", tarfile.REGTYPE, b"mine"))
    with pytest.raises(tarfile.OutsideDestinationError):
        fetch_ryu.unpack(found, tmp_path / "inner" / "out")
    assert not list(tmp_path.rglob("out.py"))


def test_a_folder_that_is_there_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was asked"))
    fetch_ryu.fetch(tmp_path)


def test_a_failed_download_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(subprocess, "run", failing)
    with pytest.raises(subprocess.CalledProcessError):
        fetch_ryu.fetch(tmp_path / "cache" / "ryu")
    assert list((tmp_path / "cache").iterdir()) == []


def test_another_archive_than_the_pinned_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def downloading(command: list[str], **_: object) -> None:
        folder = Path(command[command.index("--dest") + 1])
        folder.mkdir()
        archive(folder, ("ryu-4.34/ryu/app/one.py", tarfile.REGTYPE, b"changed"))

    monkeypatch.setattr(subprocess, "run", downloading)
    with pytest.raises(SystemExit, match=r"sha256 is .* expected a31041eb"):
        fetch_ryu.fetch(tmp_path / "cache" / "ryu")
    assert list((tmp_path / "cache").iterdir()) == []
