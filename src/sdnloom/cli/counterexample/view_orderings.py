"""Orderings for pictures and exports: the first findings of a result are explained, as far as that is done quickly."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import monotonic

from sdnloom.actors.causes import actor_senders
from sdnloom.actors.program import Program
from sdnloom.actors.search.path import RecordedSemantics
from sdnloom.cli.counterexample.traced_path import is_control_task
from sdnloom.engine.counterexample.explanation import explain_path
from sdnloom.engine.counterexample.message_routes import senders
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import RestartRequired, System
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.report.explain.sentences import is_control_message, ordering_views
from sdnloom.report.view.result_view import FindingView, ResultView

_STATES = 2_000  # of each search
_SECONDS = 2.0  # for each finding
_FINDINGS = 5
_STEPS = 100  # of a path; `sdnloom minimise` makes long ones short


def explained_view(view: ResultView, paths: Sequence[Sequence[Transition]], explained: System | Program) -> ResultView:
    """The view with orderings; `paths` are those of its findings, in order. Paths without a violation have none."""
    findings = list(view.findings)
    for number, path in enumerate(paths[:_FINDINGS]):
        if findings[number].trace is not None and len(path) <= _STEPS:
            findings[number] = _explained(findings[number], path, explained)
    return replace(view, findings=tuple(findings))


def _explained(shown: FindingView, path: Sequence[Transition], explained: System | Program) -> FindingView:
    assert shown.trace is not None
    semantics: Semantics
    of, is_control = senders, is_control_message
    if isinstance(explained, Program):
        semantics = RecordedSemantics(explained)
        of, is_control = partial(actor_senders, explained), partial(is_control_task, explained)
    else:
        semantics = MemoSemantics(Memo(explained))
    found = Finding(shown.property, shown.message)
    last = path[-1].state if path else semantics.initial()
    if all(each.property != found.property for each in semantics.findings(last)):
        return shown
    end = monotonic() + _SECONDS
    try:
        explanation = explain_path(
            semantics, path, found, senders_of=of, most_states=_STATES, out_of_time=lambda: monotonic() > end
        )
    except RestartRequired:  # a reaction that the search has not met refutes an assumption about the program
        return shown
    return replace(shown, trace=replace(shown.trace, orderings=ordering_views(explanation, is_control)))
