"""Phase 2 from files alone: two partition files, or two folders of them, test by test. No agent is loaded."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from sdnloom.crosscheck.comparison import (
    CauseProgress,
    CompareOptions,
    CompareProgress,
    Comparison,
    compare_partitions,
    merge_comparisons,
)
from sdnloom.crosscheck.partition import INTERRUPTED, Partition
from sdnloom.crosscheck.partition_file import read_partition
from sdnloom.crosscheck.partition_lines import PartitionFileError
from sdnloom.crosscheck.result import CrosscheckResult, PartitionSummary

_MOST_FILES: Final = 1_000  # of a folder
_SUFFIX: Final = ".jsonl"


def compare_files(
    first: str | Path,
    second: str | Path,
    options: CompareOptions | None = None,
    seconds: float | None = None,
    on_event: Callable[[CompareProgress | CauseProgress], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> CrosscheckResult:
    """Compare two partition files, or those of two folders that have the same name; `seconds` is for all of them.

    A file that only one of the folders has makes the result incomplete: its test was not compared. Ctrl-C ends it with
    what was found so far. Two versions of one agent are told by their files: `switch (old)` and `switch (new)`.
    """
    started, options = clock(), options or CompareOptions()
    first, second = Path(first), Path(second)
    pairs, missing = _pairs(first, second)
    comparisons, summaries = list[Comparison](), list[PartitionSummary]()
    for number, files in enumerate(pairs):
        one, other = _distinct(read_partition(files[0]), read_partition(files[1]), (first, second))
        _check_agents(comparisons, one, other, files)
        left = None if seconds is None else max((seconds - (clock() - started)) / (len(pairs) - number), 0.0)
        comparisons.append(compare_partitions(one, other, replace(options, seconds=left), on_event))
        summaries += [PartitionSummary.of(one), PartitionSummary.of(other)]
        if any(INTERRUPTED in reason for reason in comparisons[-1].reasons):
            missing += [f"{rest[0]} was not compared: {INTERRUPTED}" for rest in pairs[number + 1 :]]
            break
    merged = merge_comparisons(comparisons)
    if missing:
        merged = replace(merged, complete=False, reasons=(*merged.reasons, *missing))
    return CrosscheckResult(merged.agents, merged.tests, tuple(summaries), (merged,))


def _pairs(first: Path, second: Path) -> tuple[list[tuple[Path, Path]], list[str]]:
    """Return the files to compare, and a reason for each file without a partner."""
    if not first.is_dir() and not second.is_dir():
        return [(first, second)], []
    for one, other in ((first, second), (second, first)):
        if not one.is_dir():
            kind = "is a file" if one.exists() else "does not exist"
            raise PartitionFileError(f"{one} {kind}, but {other} is a folder; expected two files or two folders")
    ours, theirs = _files(first), _files(second)
    names = sorted(ours.keys() & theirs.keys())
    if not names:
        raise PartitionFileError(f"{first} and {second} have no partition file of the same name, such as a{_SUFFIX}")
    alone = [(first, name) for name in sorted(ours.keys() - theirs.keys())]
    alone += [(second, name) for name in sorted(theirs.keys() - ours.keys())]
    return [(ours[name], theirs[name]) for name in names], [
        f"{folder / name} was not compared: the other folder has no such file" for folder, name in alone
    ]


def _files(folder: Path) -> dict[str, Path]:
    found = {file.name: file for file in sorted(folder.iterdir()) if file.suffix == _SUFFIX}
    if len(found) > _MOST_FILES:
        raise PartitionFileError(f"{folder}: {len(found):,} partition files; expected at most {_MOST_FILES:,}")
    return found


def _distinct(one: Partition, other: Partition, places: tuple[Path, Path]) -> tuple[Partition, Partition]:
    """Return the partitions with different names of agents, because a report says which of the two does what."""
    if one.agent != other.agent or places[0] == places[1]:
        return one, other
    first, second = (
        replace(each, agent=f"{each.agent} ({place})") for each, place in zip((one, other), places, strict=True)
    )
    return first, second


def _check_agents(before: list[Comparison], one: Partition, other: Partition, files: tuple[Path, Path]) -> None:
    """One report is about two agents: files of a third one in a folder are refused."""
    if before:
        for file, expected, partition in zip(files, before[0].agents, (one, other), strict=True):
            if partition.agent != expected:
                raise PartitionFileError(
                    f"{file}: the partition of agent {partition.agent}, but other files of the folder are of {expected}"
                )
