"""A confirmation as facts of a finding, for pages and exports."""

from dataclasses import replace

from sdnloom.confirm.outcome import Confirmation
from sdnloom.report.confirm.text import outcome_line, short_outcome
from sdnloom.report.view.result_view import ResultView


def confirmation_facts(confirmed: Confirmation) -> tuple[tuple[str, str], ...]:
    """What became of a violation on the real system: the outcome, what differs or why not, and what the parts are."""
    facts = [("on the real system", short_outcome(confirmed))]
    if confirmed.difference is not None:
        facts += [
            ("differs", f"{each.what}: expected {each.expected or 'nothing'}, observed {each.observed or 'nothing'}")
            for each in confirmed.difference.contrasts
        ]
    if confirmed.impossible is not None:
        facts.append(("reason", confirmed.impossible.reason))
    facts += [(part, text) for part, text in confirmed.parts.items()]
    return (*facts, *(("supplied by sdnloom", text) for text in confirmed.supplied))


def confirmed_view(view: ResultView, confirmed: Confirmation) -> ResultView:
    """The view of a replayed trace with what became of it on the real system."""
    facts = tuple(each for each in view.facts if each[0] != "outcome")  # that of the replay
    return replace(view, headline=outcome_line(confirmed), facts=(*confirmation_facts(confirmed), *facts))
