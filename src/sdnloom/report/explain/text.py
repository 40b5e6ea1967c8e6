"""An explanation as text."""

from textwrap import wrap

from sdnloom.engine.counterexample.explanation import PathExplanation
from sdnloom.report.describe import Names, counted
from sdnloom.report.explain.sentences import IsControl, by_use, ordering_text, removal_text
from sdnloom.report.steps import StepCode, steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

_LONG = 50  # steps of a trace that is better minimised first


def explanation_text(
    explanation: PathExplanation,
    names: Names,
    is_control: IsControl,
    code: StepCode = (),
    style: TextStyle = PLAIN_STYLE,
) -> str:
    """The steps, the orderings that matter with what would remove the trace, and those that do not matter."""
    mattering = by_use(explanation, is_control)
    rest = [each for each in explanation.orderings if not each.matters]
    first = "INCOMPLETE" if explanation.stopped else "EXPLAINED"
    lines = [
        style.verdict(f"{first} {explanation.found.property}: {explanation.found.message}"),
        *steps_text(explanation.transitions, names, style, code),
        "",
    ]
    if mattering:
        lines.append(f"{counted(len(mattering), 'ordering')} that {'matters' if len(mattering) == 1 else 'matter'}:")
    for each in mattering:
        lines += wrap(ordering_text(explanation, each), style.columns, initial_indent="  ", subsequent_indent="    ")
        removal = removal_text(explanation, each, is_control)
        lines += wrap(removal, style.columns, initial_indent="      ", subsequent_indent="      ")
    if not mattering:
        lines.append(_without_orderings(explanation))
    if rest:
        lines.append(f"in the other order of {counted(len(rest), 'race')} the violation stays")
    if explanation.stopped:
        long = "; `sdnloom minimise` makes the trace shorter" if len(explanation.transitions) > _LONG else ""
        lines.append(f"there was no time to try everything{long}")
    return "\n".join(lines) + "\n"


def _without_orderings(explanation: PathExplanation) -> str:
    if explanation.stopped:
        return "no ordering that matters was found so far"
    if not explanation.orderings:
        text = "no two steps of a component could come in the other order"
    else:
        text = "no single ordering matters"
    if explanation.avoidable is False:
        return f"{text}: the inputs violate the property in every order in which they all happen"
    if explanation.avoidable:
        return f"{text}, but in some order of the same inputs the property holds"
    return text
