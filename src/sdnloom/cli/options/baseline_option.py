"""The options `--baseline` and `--update-baseline`: known violations do not fail, new ones do."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from sdnloom.report.baseline.baseline_file import read_baseline, subject_name, write_baseline
from sdnloom.report.baseline.known import FoundViolation, Judgement, judge, updated
from sdnloom.report.baseline.text import judgement_text, with_judgements
from sdnloom.report.describe import counted

BASELINE_OPTIONS = ("baseline", "update_baseline")


def baseline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options; it receives them as given."""
    command = click.option(
        "--update-baseline", is_flag=True, help="Write what is found now to the file of --baseline, and accept it."
    )(command)
    return click.option(
        "--baseline",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Accept the violations that this file lists, and fail on others only.",
    )(command)


class Baseline:
    """The baseline of one command: judges what is found, subject by subject, and writes the file if that is asked."""

    def __init__(self, file: Path, update: bool) -> None:
        self.file, self.update = file, update
        self.known = () if update and not file.exists() else read_baseline(file)
        self.judgements: list[Judgement] = []

    def name_of(self, file: Path) -> str:
        """The name of a scenario, program or model in the file."""
        return subject_name(file, self.file)

    def judge(self, subject: str, found: Iterable[FoundViolation], complete: bool, first: bool = False) -> Judgement:
        """Compare what was found in a subject with the file; `first` if the search ended there."""
        self.judgements.append(judge(subject, found, self.known, complete, first))
        return self.judgements[-1]

    def echo_text(self) -> None:
        """Print what the file says about each subject, below a report; nothing where there is nothing to say."""
        for each in self.judgements:
            if each.new or each.known or each.gone:
                click.echo("\n".join(judgement_text(each, str(self.file))))

    def echo_json(self, report: str) -> None:
        """Print a report that is a JSON object, with what the file says."""
        click.echo(with_judgements(report, self.judgements), nl=False)

    def finish(self) -> None:
        """Write the file, if that is asked for."""
        if not self.update:
            return
        current = read_baseline(self.file) if self.file.exists() else ()  # another run may have written it meanwhile
        entries = updated(current, self.judgements)
        write_baseline(self.file, entries)
        before, after = ({each.key() for each in known} for known in (current, entries))
        changes = f"{len(after - before)} added, {len(before - after)} removed"
        click.echo(f"baseline {self.file}: {counted(len(after), 'known violation')} ({changes})", err=True)

    def exit_code(self, plain: int) -> int:
        """The exit code of a result that had `plain` without a baseline: 0 if all that was found is accepted."""
        if plain != 1:
            return plain
        if any(each.new for each in self.judgements) and not self.update:
            return 1
        if not any(each.known or each.new for each in self.judgements):
            return plain  # what it is about is no violation that can be listed
        return 0 if all(each.complete for each in self.judgements) else 3


def opened_baseline(file: Path | None, update: bool) -> Baseline | None:
    """The baseline that the options ask for; None without one."""
    if file is None:
        if update:
            raise click.UsageError("--update-baseline is given without --baseline; expected --baseline FILE as well")
        return None
    return Baseline(file, update)


def show_judged(
    baseline: Baseline | None,
    form: str,
    report: str,
    found: Callable[[Baseline], Mapping[str, Iterable[FoundViolation]]],
    complete: bool,
    plain: int,
) -> int:
    """Print a report, with what a baseline says of its subjects, and return the exit code, which was `plain`."""
    if baseline is None:
        click.echo(report, nl=False)
        return plain
    for subject, violations in found(baseline).items():
        baseline.judge(subject, violations, complete)
    if form == "json":
        baseline.echo_json(report)
    else:
        click.echo(report, nl=False)
    if form == "text":
        baseline.echo_text()
    baseline.finish()
    return baseline.exit_code(plain)
