"""Phase 2 from files: folders are compared file by file, and Ctrl-C and limits are never agreement."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdnloom.crosscheck.agents.load import class_in_file
from sdnloom.crosscheck.comparison import CompareOptions
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.file_comparison import compare_files
from sdnloom.crosscheck.partition_file import read_partition, write_partition
from sdnloom.crosscheck.test_document import load_test

EXAMPLES = Path(__file__).parents[2] / "examples" / "crosscheck"
FILES = {"old": "tiny_switch.py", "new": "tiny_switch_fixed.py"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of partition files for each version of the switch, with two tests each."""
    place = tmp_path_factory.mktemp("partitions")
    for name, file in FILES.items():
        (place / name).mkdir()
        for test in ("ports", "vlan"):
            source = class_in_file(EXAMPLES / file, "TinySwitch", name)
            partition = explore_agent(source, load_test(str(EXAMPLES / f"{test}.toml")))
            write_partition(partition, place / name / f"{test}.jsonl")
    return place


def test_the_files_of_two_folders_are_one_result(folders: Path) -> None:
    result = compare_files(folders / "old", folders / "new")
    assert (result.verdict, result.complete, result.agents) == ("differ", True, ("old", "new"))
    assert [test.name for test in result.tests] == ["ports", "vlan"]
    assert [(each.agent, each.test) for each in result.partitions] == [
        *(("old", "ports"), ("new", "ports"), ("old", "vlan"), ("new", "vlan")),
    ]
    [comparison] = result.comparisons
    assert [cause.condition for cause in comparison.root_causes] == [
        "Packet Out, output port in (0, 4 to OFPP_NONE)",
        "Packet Out, vlan_vid > 0x0fff",  # of both tests
    ]
    assert {one.confirmed for one in comparison.inconsistencies} == {None}


def test_two_versions_of_one_agent_are_told_by_their_files(folders: Path, tmp_path: Path) -> None:
    for name in FILES:
        partition = read_partition(folders / name / "vlan.jsonl")
        write_partition(replace(partition, agent="switch"), tmp_path / f"{name}.jsonl")
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    result = compare_files(old, new)
    assert result.agents == (f"switch ({old})", f"switch ({new})")
    assert [each.agent for each in result.partitions] == list(result.agents)
    [cause] = result.comparisons[0].root_causes
    assert cause.difference.startswith(f"switch ({old}) sends frames, switch ({new}) sends Error")
    assert compare_files(str(old), str(old)).agents == ("switch", "switch")


def test_ctrl_c_names_the_files_that_were_not_compared(folders: Path) -> None:
    def stop(event: Any) -> None:
        raise KeyboardInterrupt

    result = compare_files(folders / "old", folders / "old", on_event=stop)
    assert (result.verdict, result.complete) == ("incomplete", False)
    reasons = result.comparisons[0].reasons
    assert "interrupted from the keyboard" in reasons[0]
    assert reasons[-1] == f"{folders / 'old' / 'vlan.jsonl'} was not compared: interrupted from the keyboard"


def test_without_time_nothing_is_agreed(folders: Path) -> None:
    result = compare_files(folders / "old", folders / "old", seconds=0.0)
    assert (result.verdict, result.complete) == ("incomplete", False)


def test_options_are_passed_on(folders: Path) -> None:
    files = folders / "old" / "ports.jsonl", folders / "new" / "ports.jsonl"
    grouped, apart = (compare_files(*files, CompareOptions(per_path=each)) for each in (False, True))
    assert [len(each.comparisons[0].inconsistencies) for each in (grouped, apart)] == [3, 5]
