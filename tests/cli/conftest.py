"""Commands run in an empty folder of their own."""

from pathlib import Path

import pytest

from tests.cli.running import CommandLine


@pytest.fixture
def sdnloom(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    """Return a function that runs the command line; the current directory is `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capsys)
