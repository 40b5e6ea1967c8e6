"""A confirmation as text: the outcome first, then the step that decided it, then the steps that went as recorded."""

from collections.abc import Sequence
from dataclasses import replace

from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, Impossible, ObservedStep, PartKind, StepDifference
from sdnloom.engine.semantics import Transition
from sdnloom.report.confirm.contrast_table import contrast_table
from sdnloom.report.describe import Names, counted
from sdnloom.report.steps import StepCode, last_step_text, steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle, list_lines

_MOST_LOG = 8  # lines of what the controller printed


def confirmation_text(
    confirmed: Confirmation,
    names: Names,
    code: StepCode = (),
    lists_steps: bool = True,
    style: TextStyle = PLAIN_STYLE,
) -> str:
    """The outcome, what the parts are, what decided it, and the steps; `code` has the functions that each step ran."""
    lines = [style.verdict(outcome_line(confirmed)), *_unconfirmed(confirmed), *_surroundings(confirmed, style)]
    taken = [each for each in confirmed.steps if not each.startup]
    shown = [each.transition for each in taken[: confirmed.taken]]
    decided = _deciding_step(confirmed, names, style)
    if decided:
        lines += ["", *decided, ""]
    heading = _steps_heading(confirmed, len(shown))
    if lists_steps and shown:
        lines += [f"{heading}:", *steps_text(shown, names, style, code[: len(shown)])]
    else:
        lines.append(heading)
    return "\n".join(lines) + "\n"


def _steps_heading(confirmed: Confirmation, count: int) -> str:
    """What is said of the steps that went as the trace says."""
    if confirmed.outcome is ConfirmOutcome.CONFIRMED:
        return f"it happened on the real system: {_all(count)} went as the trace says"
    if confirmed.outcome is ConfirmOutcome.AGREED:
        return "it happened on the real system"
    if not count:
        return "no step of the trace was taken before it"
    steps = "the step" if count == 1 else f"the {counted(count, 'step')}"
    return f"{steps} before it went as the trace says"


def confirmation_lines(confirmed: Confirmation, names: Names, style: TextStyle = PLAIN_STYLE) -> list[str]:
    """The outcome as part of another report, below the violation and its steps."""
    return [
        style.verdict(short_outcome(confirmed)),
        *_surroundings(confirmed, style),
        *_deciding_step(confirmed, names, style),
    ]


def short_outcome(confirmed: Confirmation) -> str:
    """The outcome in one line, where the property was named before."""
    if confirmed.outcome is ConfirmOutcome.CONFIRMED:
        return f"CONFIRMED on the real system: {_all(confirmed.taken)} went as the trace says"
    return outcome_line(replace(confirmed, finding=None))


def outcome_line(confirmed: Confirmation) -> str:
    """The outcome in one line, with the property that the trace is about."""
    about = f" {confirmed.finding.property}" if confirmed.finding else ""
    match confirmed.outcome, confirmed.difference, confirmed.impossible:
        case ConfirmOutcome.CONFIRMED, _, _ if confirmed.finding is not None:
            return f"CONFIRMED{about}: {confirmed.finding.message}"
        case ConfirmOutcome.DIFFERENT, StepDifference() as different, _:
            where = step_place(different.step, confirmed.of_trace)
            text = f"{part_words(different)} did something else in {where}"
        case ConfirmOutcome.NOT_POSSIBLE, _, Impossible() as impossible:
            where = step_place(impossible, confirmed.of_trace)
            text = f"{where} cannot be enforced from outside: {impossible.obstacle}"
        case _:
            return f"{confirmed.outcome} {_all(confirmed.taken)} went as the trace says"
    return f"{confirmed.outcome}{about}{':' if about else ''} {text}"


def part_words(different: StepDifference) -> str:
    """The part that did something else."""
    if different.part is PartKind.CONTROLLER:
        return "the controller"  # its command is among the parts
    return f"the {different.part} {different.name}"


def step_place(step: ObservedStep | Impossible, of_trace: int) -> str:
    """The number of a step, among those of the start-up or of the trace."""
    return f"start-up step {step.number}" if step.startup else f"step {step.number} of {of_trace}"


def _unconfirmed(confirmed: Confirmation) -> list[str]:
    """What the trace is about, where the first line does not say it."""
    if confirmed.finding is None or confirmed.outcome is ConfirmOutcome.CONFIRMED:
        return []
    return [f"not confirmed: {confirmed.finding.message}"]


def _surroundings(confirmed: Confirmation, style: TextStyle) -> list[str]:
    """What the real parts are, and what they do not have."""
    parts = "; ".join(f"{part}: {text}" for part, text in confirmed.parts.items())
    return [*([parts] if parts else []), *list_lines("supplied by sdnloom", confirmed.supplied, style)]


def _all(count: int) -> str:
    return "the only step" if count == 1 else f"all {counted(count, 'step')}"


def _deciding_step(confirmed: Confirmation, names: Names, style: TextStyle) -> list[str]:
    """The step that went otherwise or cannot be enforced, and what there is to say of it."""
    different, impossible = confirmed.difference, confirmed.impossible
    if different is not None:
        before = [each.transition for each in confirmed.steps if each.startup == different.step.startup]
        return [
            *_step_lines(before[:-1], different.step, names, style),
            *contrast_table(different.contrasts, style),
            *_end_of_log(confirmed, different),
        ]
    if impossible is not None:
        before = [each.transition for each in confirmed.steps if each.startup == impossible.startup]
        return [*_step_lines(before, impossible, names, style), f"  {impossible.reason}"]
    return []


def _end_of_log(confirmed: Confirmation, different: StepDifference) -> list[str]:
    """The last lines that the controller printed, which often say why the app did something else."""
    last = last_log_lines(confirmed)
    if different.part is PartKind.SWITCH or not last:
        return []
    return ["the controller's last lines of output:", *(f"  {line}" for line in last)]


def last_log_lines(confirmed: Confirmation) -> list[str]:
    """The end of what the controller printed."""
    lines = [line.rstrip() for line in confirmed.log.splitlines() if line.strip()]
    return lines[-_MOST_LOG:]


def _step_lines(
    before: Sequence[Transition], step: ObservedStep | Impossible, names: Names, style: TextStyle
) -> list[str]:
    """The step in words, after the steps before it."""
    first, *rest = last_step_text([*before, step.transition], names, style)
    return [f"{'start-up ' if step.startup else ''}{first}", *rest]
