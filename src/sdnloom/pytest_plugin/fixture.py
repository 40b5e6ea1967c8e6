"""The fixture `sdnloom`: checks that fail with a counterexample, and replay what failed in the last run first."""

import importlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

from sdnloom.api.checks import AnyReport, AppNames, Checkable, GivenProperty, PreparedCheck, prepare_check, report_of
from sdnloom.check.options.keywords import CheckKeywords
from sdnloom.cli.crosscheck.options import chosen_tests, labelled_agent
from sdnloom.crosscheck.result import CrosscheckOptions, CrosscheckResult
from sdnloom.crosscheck.run import crosscheck_agents
from sdnloom.engine.result import Counterexample, Limits, VerdictName
from sdnloom.errors import SdnloomError
from sdnloom.pytest_plugin.confirmation import ConfirmedReport, confirmed_report, confirmed_trace
from sdnloom.pytest_plugin.last_failure import LastFailure, has_file, trace_folder
from sdnloom.races import RaceMode, RaceOptions, RaceResult, find_races, load_model, load_properties
from sdnloom.report.crosscheck.text import crosscheck_text
from sdnloom.report.races.text import races_text

_PASS = "to let such a result pass: allow=[{!r}]"


class SdnloomFixture:
    """Checks of one test. Each raises a failure of pytest whose message is the report, unless everything holds.

    Names of files are relative to the folder of the test file; if there is no such file there, to the current folder.
    """

    def __init__(self, node: pytest.Item) -> None:
        self._node, self._number = node, 0
        marks = reversed(list(node.iter_markers("sdnloom")))  # the closest one wins
        self._subject: Checkable | None = None
        self._defaults: dict[str, Any] = {}
        for mark in marks:
            if len(mark.args) > 1:
                raise pytest.UsageError(f"{node.nodeid}: marker sdnloom has {len(mark.args)} subjects; expected one")
            self._subject = mark.args[0] if mark.args else self._subject
            self._defaults.update(mark.kwargs)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A public name of sdnloom: inside a test that takes the fixture, its name hides that of the module."""
            return getattr(importlib.import_module("sdnloom"), name)

    def check(
        self,
        subject: Checkable | None = None,
        *,
        app: AppNames | None = None,
        properties: Sequence[GivenProperty] | None = None,
        allow: Collection[VerdictName] = (),
        **options: Unpack[CheckKeywords],
    ) -> AnyReport:
        """Check a scenario file, an app, a scenario or a program of actors, and return the report if all holds.

        The options are those of `sdnloom check`; the marker `sdnloom` has defaults for them. `allow` names further
        verdicts that pass, such as "vacuous" and "incomplete". If the same check failed in the last run, its trace is
        replayed first.
        """
        __tracebackhide__ = True
        given: dict[str, Any] = {**self._defaults, **options}
        app = given.pop("app", None) if app is None and subject is None else app
        given.pop("app", None)
        properties = given.pop("properties", None) if properties is None else properties
        given.pop("properties", None)
        allow = allow or given.pop("allow", ())
        given.pop("allow", None)
        if subject is None and app is None:
            subject = self._subject
        limit = self._node.config.getoption("--sdnloom-time-limit")
        if limit is not None:
            given.setdefault("time_limit", limit)
        self._number += 1
        try:
            prepared = prepare_check(subject, app, properties, given, self._place)
            failure = self._failure(prepared, allow)
        except SdnloomError as error:
            failure = f"error: {error}"
        if isinstance(failure, str):
            pytest.fail(failure, pytrace=False)
        return failure

    def races(
        self,
        model: str | Path,
        properties: str | Path | None = None,
        *,
        mode: str = RaceMode.COMPLETE.value,
        depth: int | None = None,
        max_states: int | None = None,
        time_limit: float | None = None,
        allow: Collection[VerdictName] = (),
    ) -> RaceResult:
        """Find harmful races of a DyNetKAT model, as `sdnloom races` does; the races are the message of the failure."""
        __tracebackhide__ = True
        limit = self._node.config.getoption("--sdnloom-time-limit") if time_limit is None else time_limit
        try:
            loaded = load_model(Path(self._place(str(model))))
            given = load_properties(Path(self._place(str(properties))), loaded) if properties is not None else ()
            options = RaceOptions(RaceMode(mode), depth, limits=Limits(states=max_states, seconds=limit))
            result = find_races(loaded, given, options)
        except SdnloomError as error:
            pytest.fail(f"error: {error}", pytrace=False)
        if result.verdict != "holds" and result.verdict not in allow:
            pytest.fail(races_text(result), pytrace=False)
        return result

    def crosscheck(
        self,
        *agents: str,
        tests: Sequence[str | Path] = (),
        openflow: str | None = None,
        time_limit: float | None = None,
        allow: Collection[str] = (),
    ) -> CrosscheckResult:
        """Compare agents, as `sdnloom crosscheck run` does; the root causes are the message of the failure."""
        __tracebackhide__ = True
        limit = self._node.config.getoption("--sdnloom-time-limit") if time_limit is None else time_limit
        try:
            sources = [labelled_agent(self._placed_agent(agent)).source for agent in agents]
            if len(sources) < 2:
                raise SdnloomError(f"crosscheck: {len(sources)} agents are given; expected two or more to compare")
            chosen = chosen_tests([self._place(str(test)) for test in tests], openflow)
            result = crosscheck_agents(sources, chosen, CrosscheckOptions(seconds=limit))
        except SdnloomError as error:
            pytest.fail(f"error: {error}", pytrace=False)
        if result.verdict != "agree" and result.verdict not in allow:
            pytest.fail(crosscheck_text(result), pytrace=False)
        return result

    def _failure(self, prepared: PreparedCheck, allow: Collection[VerdictName]) -> str | AnyReport:
        """The message of the failure, or the report of a check that passes."""
        config = self._node.config
        last = LastFailure(trace_folder(config), self._node.nodeid, self._number)
        confirms = config.getoption("--sdnloom-confirm")
        if not config.getoption("--sdnloom-no-replay") and (again := last.replayed(prepared)) is not None:
            return again + (confirmed_trace(prepared, last.file) if confirms else "")
        report = prepared.check()
        if (report.result.incomplete or "").startswith("interrupted"):
            raise KeyboardInterrupt  # or pytest would go on with the next test
        if report.verdict == "holds" or report.verdict in allow:
            last.forget()
            return report
        traces: Mapping[Counterexample, Path] = last.kept(report)
        confirmed = confirmed_report(report) if confirms else ConfirmedReport()
        text = report_of(report, traces if has_file(prepared.subject) else {}, confirmed.outcomes) + confirmed.failures
        return text if report.violations else f"{text}{_PASS.format(report.verdict)}"

    def _place(self, name: str) -> str:
        """Where a file of that name is: beside the test file, or as the name says."""
        file, colon, _ = name.partition(".py:")
        beside = self._node.path.parent / (f"{file}.py" if colon else name)
        return str(self._node.path.parent / name) if beside.exists() else name

    def _placed_agent(self, agent: str) -> str:
        label, equals, name = agent.rpartition("=")
        return f"{label}{equals}{self._place(name)}"
