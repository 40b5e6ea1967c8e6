"""Files that are only included say so when they are run."""

import tomllib
from pathlib import Path

import pytest

from sdnloom import ScenarioError, load_scenario
from tests.check.scenarios import SCENARIO, write

EXAMPLES = Path(__file__).parents[2] / "examples"
FRAGMENTS = sorted(EXAMPLES.rglob("*.part.toml"))


def test_there_are_fragments():
    assert len(FRAGMENTS) == 24


@pytest.mark.parametrize("file", FRAGMENTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_shipped_fragment_names_a_scenario_that_includes_it(file):
    with pytest.raises(ScenarioError, match="is a fragment: it has no") as raised:
        load_scenario(file)
    example = file.parent / str(raised.value).rpartition("such as ")[2]
    included = tomllib.loads(example.read_text())["include"]
    assert file.name in ([included] if isinstance(included, str) else included)
    assert not example.name.endswith(".part.toml")


def split(folder: Path, name: str) -> Path:
    """Write a scenario in two files; return the one that has neither program nor properties."""
    top, table = SCENARIO.split("[topology]")
    write(folder, f'include = "{name}"\n{top}', "whole.toml")
    return write(folder, f"[topology]{table}", name)


@pytest.mark.parametrize("name", ["net.part.toml", "net.toml"])
def test_a_file_that_another_one_includes_is_a_fragment(tmp_path, name):
    file = split(tmp_path, name)
    assert load_scenario(tmp_path / "whole.toml").name == "whole"
    with pytest.raises(ScenarioError) as raised:
        load_scenario(file)
    assert str(raised.value) == (
        f"{file}: is a fragment: it has no [program] and no properties; check a scenario that includes it, such as "
        "whole.toml"
    )


def test_a_fragment_that_nothing_includes_is_one_by_its_name(tmp_path):
    file = write(tmp_path, 'properties = ["NoForwardingLoops"]', "net.part.toml")
    with pytest.raises(ScenarioError, match=r"it has no \[program\]; check a scenario that includes it$"):
        load_scenario(file)


def test_files_beside_a_fragment_need_not_be_readable(tmp_path):
    file = split(tmp_path, "net.part.toml")
    (tmp_path / "broken.toml").write_bytes(b"\xff= [")
    (tmp_path / "other.toml").write_text("include = 3")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ScenarioError, match=r"such as whole\.toml"):
        load_scenario(file)


def test_an_unfinished_scenario_is_no_fragment(tmp_path):
    with pytest.raises(ScenarioError, match="missing"):
        load_scenario(write(tmp_path, 'properties = ["NoForwardingLoops"]'))
