"""One call for every check: of a scenario file, an app, a scenario or a program of actors, with typed options."""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, Unpack, get_type_hints

from sdnloom.actors.load import load_program
from sdnloom.actors.program import Program
from sdnloom.actors.report import ActorReport
from sdnloom.actors.run import check_program, replay_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.check.checkpoint.resumption import new_checkpoint, resumed_check
from sdnloom.check.load import scenario_of_apps, varied_scenario
from sdnloom.check.options.keywords import CheckCallError, CheckKeywords, NetworkKeywords, NoKeywords, given_options
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.report import Report
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.actors.program_choice import program_choice
from sdnloom.cli.traces import check_same, check_same_program
from sdnloom.engine.model import Property
from sdnloom.engine.result import Counterexample
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.network.build import Bindable
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.formats import render
from sdnloom.report.text_style import TextStyle
from sdnloom.report.verdict import Confirmations
from sdnloom.scenario_file.program import names_file

Checkable: TypeAlias = str | Path | Scenario | Program
AnyReport: TypeAlias = Report | ActorReport
AppNames: TypeAlias = str | Path | Sequence[str | Path]
GivenProperty: TypeAlias = str | Property | Bindable
_OF_NETWORK = set(get_type_hints(NetworkKeywords)) - {"properties"}
_OF_ACTORS = {"reduction", "symmetry"}
_OF_SEARCH = set(get_type_hints(CheckKeywords)) - _OF_NETWORK - _OF_ACTORS
_SHARED = {"find_all", "order", "reduce", "max_states", "max_depth", "time_limit", "memory_limit"}


def run_check(
    subject: Checkable | None = None,
    *,
    app: AppNames | None = None,
    properties: Sequence[GivenProperty] | None = None,
    checkpoint: str | Path | None = None,
    **options: Unpack[CheckKeywords],
) -> AnyReport:
    """Check a scenario file, an app, a scenario or a program of actors (`FILE.py`, `FILE.py:NAME`).

    The options are those of `sdnloom check`; over a scenario file they vary it. Properties are names as on the command
    line, or properties as Python has them. The search is kept in the file `checkpoint`, for `run_resume`.
    """
    check_names(options, {*get_type_hints(CheckKeywords), "app", "properties", "checkpoint"})
    file = None if checkpoint is None else _file(checkpoint)
    return prepare_check(subject, app, properties, options).check(file)


def run_resume(
    checkpoint: str | Path,
    *,
    scenario: Scenario | None = None,
    max_states: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **unknown: Unpack[NoKeywords],
) -> Report:
    """Go on with the search in a checkpoint, as `sdnloom resume` does; limits that are given replace its own.

    A scenario that was made in Python is in no file: it has to be given.
    """
    check_names(unknown, {"scenario", "max_states", "time_limit", "memory_limit"})
    limits = CheckOptions(max_states=max_states, time_limit=time_limit, memory_limit=memory_limit)
    resumed = resumed_check(_file(checkpoint), limits, scenario)
    return resumed.scenario.check(checkpoint=resumed.checkpoint)


@dataclass(frozen=True)
class PreparedCheck:
    """Something that is ready to be checked, as often as one likes."""

    subject: Scenario | Program
    actor_options: ActorOptions = field(default_factory=ActorOptions)
    options: CheckOptions = field(default_factory=CheckOptions)  # that the scenario has already

    def check(self, checkpoint: Path | None = None) -> AnyReport:
        """Search all orders of events; the search is kept in the file of the checkpoint."""
        if isinstance(self.subject, Program):
            if checkpoint is not None:
                raise CheckCallError("checkpoint is for scenarios and apps, but this is a program of actors")
            return check_program(self.subject, self.actor_options)
        if checkpoint is None:
            return self.subject.check()
        return self.subject.check(checkpoint=new_checkpoint(checkpoint, self.subject, self.options))

    def replay(self, trace: Trace, file: Path) -> ReplayResult:
        """Take the steps of a trace again; raises TraceError if it is of something else."""
        if isinstance(self.subject, Program):
            origin = self.subject.origin
            choice = program_choice(Path(f"{origin.file}:{origin.name}" if origin else "program.py"))
            assert choice is not None
            check_same_program(trace, file, choice, self.subject)
            return replay_program(self.subject, trace)
        run = Run(self.subject.with_inputs_of(trace.path), ordered=True)
        check_same(trace, file, run)
        return run.replay(trace)

    @property
    def names(self) -> Names:
        """The names that steps are told with."""
        if isinstance(self.subject, Program):
            return program_names(self.subject)
        return Names.of(self.subject.network.topology)


def prepare_check(
    subject: Checkable | None,
    app: AppNames | None,
    properties: Sequence[GivenProperty] | None,
    options: Mapping[str, Any],
    place: Callable[[str], str] = str,
) -> PreparedCheck:
    """What a call asks for; `place` says where a file of that name is."""
    check_names(options, get_type_hints(CheckKeywords))
    if (subject is None) == (app is None) and not (isinstance(subject, str | Path) and app is not None):
        what = "neither is given" if subject is None else f"both are given: {type(subject).__name__} and app"
        raise CheckCallError(f"check: {what}; expected a scenario, a program of actors, or app=")
    if isinstance(subject, str | Path):
        choice = program_choice(Path(place(str(subject))))
        if choice is not None and app is None:
            subject = load_program(choice.file, choice.name)
    if isinstance(subject, Program):
        return PreparedCheck(subject, _actor_options(properties, options))
    refused = sorted(_OF_ACTORS & options.keys())
    if refused:
        raise CheckCallError(f"{refused[0]} is for programs of actors; expected one, or another option")
    scenario = subject if isinstance(subject, Scenario) else None
    network = {name: value for name, value in options.items() if name in _OF_NETWORK}
    if scenario is not None and network:
        raise CheckCallError(f"{min(network)} varies a scenario file or an app; expected one of them, not a Scenario")
    texts, objects = _divided(properties)
    given = given_options({**network, "properties": texts})
    search = CheckOptions(
        **{name: value for name, value in options.items() if name in _OF_SEARCH and value is not None}
    )
    declared = properties or () if objects else ()
    if scenario is None:
        file = None if subject is None else Path(place(str(subject)))
        return PreparedCheck(
            search.loaded(partial(_scenario_of, file, _apps(app, place), given, declared)), options=search
        )
    if texts:
        raise CheckCallError(f"properties has the name {texts[0]!r}; expected properties, because it is a Scenario")
    return PreparedCheck(search.over(_with_properties(scenario, declared)), options=search)


def report_of(
    report: AnyReport, traces: Mapping[Counterexample, Path], confirmations: Confirmations | None = None
) -> str:
    """The text that `sdnloom check` prints."""
    if isinstance(report, ActorReport):
        return render("check FILE.py", "text", report, traces, style=TextStyle())
    return render("check", "text", report, traces, confirmations, style=TextStyle())


def _file(checkpoint: str | Path) -> Path:
    """The file of a checkpoint."""
    if not isinstance(checkpoint, str | Path):
        raise CheckCallError(f"checkpoint is {checkpoint!r}; expected the name of a file")
    return Path(checkpoint)


def check_names(options: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise CheckCallError for an option that has none of the known names."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean {near[0]}?" if near else f"; expected one of {', '.join(sorted(known))}"
            raise CheckCallError(f"the option {name!r} is unknown{hint}")


def _scenario_of(
    file: Path | None, apps: tuple[str, ...], given: Mapping[str, Any], properties: Sequence[GivenProperty]
) -> Scenario:
    """The scenario of a file or of apps, with the given options of the network, and with these properties if any."""
    if file is None:
        scenario = scenario_of_apps(apps, given, build=False)
    else:
        scenario = varied_scenario(file, {**given, "apps": apps} if apps else given, build=False)
    return _with_properties(scenario, properties)


def _apps(app: AppNames | None, place: Callable[[str], str]) -> tuple[str, ...]:
    listed = [] if app is None else [app] if isinstance(app, str | Path) else list(app)
    return tuple(place(str(each)) if names_file(str(each)) else str(each) for each in listed)


def _divided(properties: Sequence[GivenProperty] | None) -> tuple[list[str], list[Property | Bindable]]:
    """The properties that are named, and those that are given."""
    listed: list[Any] = [properties] if isinstance(properties, str) else list(properties or ())
    for each in listed:
        if not isinstance(each, str | Property) and not hasattr(each, "bind"):
            raise CheckCallError(f"properties has {each!r}; expected names such as 'NoBlackHoles', or properties")
    return [each for each in listed if isinstance(each, str)], [each for each in listed if not isinstance(each, str)]


def _with_properties(scenario: Scenario, properties: Sequence[GivenProperty]) -> Scenario:
    """The scenario with these properties, in their order; those that are named it has. No file describes it then.

    Without any it stays as it is.
    """
    if not properties:
        return scenario
    known = iter(scenario.properties)
    found = tuple(next(known) if isinstance(each, str) else each for each in properties)
    return replace(scenario, properties=found, document=None, file=None)


def _actor_options(properties: Sequence[GivenProperty] | None, options: Mapping[str, Any]) -> ActorOptions:
    refused = sorted(options.keys() - _SHARED - _OF_ACTORS) or (["properties"] if properties else [])
    if refused:
        raise CheckCallError(f"{refused[0]} is for scenarios and apps, but this is a program of actors")
    shared = CheckOptions(**{name: value for name, value in options.items() if name in _SHARED})
    given: dict[str, Any] = {name: options[name] for name in ("find_all", "order", *_OF_ACTORS) if name in options}
    if shared.reduce is False:
        given["reduction"] = "none"
    return ActorOptions(**{name: value for name, value in given.items() if value is not None}, limits=shared.limits)
