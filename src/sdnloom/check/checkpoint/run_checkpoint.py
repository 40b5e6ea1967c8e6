"""The checkpoint of a run: what searches before the present one have refuted, and the scenario that it is of."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sdnloom.check.report import CheckpointReport
from sdnloom.engine.checkpoint.file import Checkpoint, CheckpointError, read_manifest
from sdnloom.engine.checkpoint.keeper import OVER, CheckpointKeeper
from sdnloom.engine.result import Notice, SearchEvent
from sdnloom.engine.trace import Fingerprints

if TYPE_CHECKING:
    from sdnloom.check.scenario import Scenario


class RunStage(NamedTuple):
    """Why searches began again, whether insertion order is part of cores since then, and what is still assumed."""

    restarts: tuple[str, ...]
    refuted: tuple[str, ...]
    ordered: bool
    assumed: tuple[bool, bool, tuple[str, ...]]  # as `AssumeIndependent.assume` takes it


class RunCheckpoint:
    """The checkpoint of a run in a file. `record` says which scenario it is of; `saved` is what was read."""

    def __init__(self, file: Path, record: Mapping[str, Any], saved: Checkpoint | None = None) -> None:
        self.file, self._record, self._saved = file, record, saved
        self._stage: RunStage | None = None  # what was refuted when the checkpoint was written that was read
        self._resumed = saved is not None

    def begin(self, scenario: "Scenario") -> RunStage | None:
        """The stage that a checkpoint was written at that was read. Refuses scenarios that have none."""
        if scenario.narrowed().needs_discovery:
            raise CheckpointError(
                f"{self.file}: a checkpoint is wanted, and inputs are discovered; expected one or the other: discovery "
                "searches many systems"
            )
        if self._saved is not None:
            self._stage = _stage(self.file, self._saved.manifest)
        return self._stage

    def assumed(self) -> tuple[bool, bool, tuple[str, ...]]:
        """What the first search may assume, and why no more; further ones find that out by themselves."""
        stage, self._stage = self._stage, None
        return (True, True, ()) if stage is None else stage.assumed

    def keeper(
        self,
        fingerprints: Fingerprints,
        stage: Callable[[], RunStage],
        on_event: Callable[[SearchEvent], None],
    ) -> CheckpointKeeper:
        """The keeper of the next search. Raises CheckpointError if scenario or code are not those of the file."""
        saved, self._saved = self._saved, None  # a search that begins again begins at its start
        known = {"scenario": fingerprints.scenario, "code": fingerprints.code}
        if saved is not None:
            for name, value in known.items():
                if saved.manifest.get("fingerprints", {}).get(name) != value:
                    what = "the scenario" if name == "scenario" else "the code of the program"
                    raise CheckpointError(f"{self.file}: cannot be resumed: {what} has changed")

        def about() -> Mapping[str, Any]:
            return {"scenario": self._record, "fingerprints": known, "run": stage()._asdict()}

        return CheckpointKeeper(self.file, about, saved, lambda text: on_event(Notice(text)))

    def report(self) -> CheckpointReport:
        """What is so after the search. A file of another search, which was over, says nothing about this one."""
        goes_on = self._resumed
        with suppress(CheckpointError):
            goes_on = goes_on or read_manifest(self.file).get("ended") != OVER
        return CheckpointReport(self.file, self._resumed, goes_on)


def _stage(file: Path, manifest: Mapping[str, Any]) -> RunStage:
    try:
        run = manifest["run"]
        apart, near, reasons = run["assumed"]
        texts = [tuple(each) for each in (run["restarts"], run["refuted"], reasons)]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{file}: its manifest is not one of this sdnloom ({error!r})") from error
    if not all(isinstance(text, str) for each in texts for text in each):
        raise CheckpointError(f"{file}: its manifest is not one of this sdnloom (a reason is no text)")
    return RunStage(texts[0], texts[1], run["ordered"] is True, (apart is True, near is True, texts[2]))
