"""Each of Ryu's 28 app files with the bare command: the table of `examples/ryu/README.md`."""

import gc
import re
from pathlib import Path

import pytest

from tests.apps.conftest import FOLDER, ROOT
from tests.cli.running import CommandLine

TABLE = (ROOT / "examples" / "ryu" / "README.md").read_text(encoding="utf-8").partition("## All 28 apps")[2]
ROWS = [row.strip("| ").split(" | ") for row in TABLE.splitlines() if row.startswith("| `")]
RESULTS = {name: row[1] for row in ROWS for name in re.findall(r"`([\w.]+)`", row[0])}


def test_the_table_has_every_app_file(ryu: Path) -> None:
    folder = FOLDER / "ryu" / "app"
    files = {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.py")}
    apps = [file.relative_to(folder).with_suffix("") for file, text in files.items() if APP_CLASS.search(text)]
    assert sorted(".".join(each.parts) for each in apps) == sorted(RESULTS)
    assert len(RESULTS) == 28


APP_CLASS = re.compile(r"^class \w+\((?:app_manager\.RyuApp|simple_switch_13\.SimpleSwitch13)\)", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(("name", "result"), RESULTS.items(), ids=RESULTS)
def test_an_app_by_itself(ryu: Path, sdnloom: CommandLine, name: str, result: str) -> None:
    run = sdnloom("check", "--path", ryu, "--app", f"ryu.app.{name}", "--topology", "linear,2", "--no-trace")
    if result.startswith("refused: "):
        assert (run.code, run.out) == (2, "")
        assert result.removeprefix("refused: ") in run.err
        assert run.err.count("\n") == 1
    else:
        assert run.out.startswith(result), run.out
        assert run.code == {"HOLDS": 0, "VIOLATED": 1, "VACUOUS": 3}[result.split()[0]]
    if name == "bmpstation":
        gc.collect()  # it leaves files open
