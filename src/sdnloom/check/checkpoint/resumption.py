"""Checkpoints for a check that begins, and for one that goes on."""

from pathlib import Path
from typing import NamedTuple

from sdnloom.check.checkpoint.run_checkpoint import RunCheckpoint
from sdnloom.check.checkpoint.scenario_record import changed_files, recorded_scenario, scenario_record, with_limits
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.scenario import Scenario
from sdnloom.engine.checkpoint.file import CheckpointError, check_writable, read_checkpoint, read_manifest
from sdnloom.engine.checkpoint.keeper import OVER, refuse_other_versions, refuse_without_kernel


class ResumedCheck(NamedTuple):
    """The scenario of a checkpoint, and the checkpoint to go on from."""

    scenario: Scenario
    checkpoint: RunCheckpoint


def new_checkpoint(file: Path, scenario: Scenario, options: CheckOptions) -> RunCheckpoint:
    """A checkpoint for a check that begins; the options are in the scenario already.

    A file that is no checkpoint is not overwritten, nor a search that is not over.
    """
    check_writable(file)
    refuse_without_kernel(scenario.options, ())
    if file.exists() and file.stat().st_size and read_manifest(file).get("ended") != OVER:
        raise CheckpointError(
            f"{file}: has a search that is not over; go on with `sdnloom resume {file}`, or delete it"
        )
    return RunCheckpoint(file, scenario_record(scenario, options, file))


def resumed_check(file: Path, limits: CheckOptions, given: Scenario | None = None) -> ResumedCheck:
    """The check of a checkpoint, with other limits if they are given.

    Nothing of the user's is loaded unless versions and files are those of the checkpoint. `given` is the scenario, for
    one that was made in Python.
    """
    saved = read_checkpoint(file)
    refuse_other_versions(file, saved.manifest)
    try:
        record = saved.manifest["scenario"]
        changes = changed_files(record, file)
        if changes:
            raise CheckpointError(f"{file}: cannot be resumed: {'; '.join(changes)}")
        scenario = recorded_scenario(record, file, limits, given)
        return ResumedCheck(scenario, RunCheckpoint(file, with_limits(record, limits), saved))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise CheckpointError(f"{file}: its manifest is not one of this sdnloom ({error!r})") from error
