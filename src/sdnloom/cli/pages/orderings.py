"""The orderings of a trace that matter, for its page."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from sdnloom.cli.counterexample.traced_path import traced_path
from sdnloom.engine.counterexample.explanation import explain_path
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.report.explain.sentences import ordering_views
from sdnloom.report.view.result_view import ResultView

EXPLAINED_SECONDS: Final = 10.0


def with_orderings(view: ResultView, file: Path, scenario: Path | None) -> ResultView:
    """The view of a trace with its orderings, as far as they are found in some seconds; others stay as they are."""
    if view.kind != "trace" or view.verdict != "violated" or any(one.trace is None for one in view.findings):
        return view
    traced = traced_path(file, scenario)
    watch = LimitWatch(Limits(seconds=EXPLAINED_SECONDS))
    with watch.catching_interrupts(), watch.in_force():
        explanation = explain_path(
            traced.memo,
            traced.transitions,
            traced.found,
            senders_of=traced.senders,
            out_of_time=lambda: watch.reason_to_stop() is not None,
        )
    orderings = ordering_views(explanation, traced.is_control)
    facts = view.facts
    if explanation.stopped:
        facts += (("orderings", "there was no time to try all of them: `sdnloom explain` takes longer"),)
    findings = [
        replace(one, trace=replace(one.trace, orderings=orderings)) for one in view.findings if one.trace is not None
    ]
    return replace(view, findings=tuple(findings), facts=facts)
