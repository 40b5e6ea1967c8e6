"""Classes of packets as text: the condition of each, one example, and what the program does about it."""

from sdnloom.check.inputs.concolic import ConcolicClass
from sdnloom.check.inputs.domains import value_text
from sdnloom.check.inputs.survey import Survey, Surveyed
from sdnloom.network.topology import Topology
from sdnloom.report.words import Names, event_words, message_words
from sdnloom.symbolic.execution import Site


def survey_text(survey: Survey, topology: Topology | None) -> str:
    """The whole report. It is the same for the same program, state and packets."""
    names = Names.of(topology) if topology is not None else Names()
    count = len(survey.classes)
    lines = [f"{count} class{'' if count == 1 else 'es'} of packets at {survey.place} for {survey.program}"]
    raising = [each for each in survey.classes if each.found.raised]
    if survey.robust:
        lines.append(f"{len(raising)} of them make{'s' if len(raising) == 1 else ''} the program or its library raise")
    for number, one in enumerate([*raising, *(each for each in survey.classes if not each.found.raised)], 1):
        lines += ["", *_class(number, one, names)]
    lines.append("")
    if survey.repeated:
        lines.append(f"{survey.repeated} further classes differ only in what the program does not look at")
    if survey.complete:
        lines.append(f"complete: every such packet is in one of these classes ({survey.paths} runs of the program)")
    lines += [f"incomplete: {gap}" for gap in survey.gaps]
    lines += [f"diverged: {each}" for each in survey.divergences]
    lines += [f"not followed: {site_text(site)}" for site in sorted(survey.concretised)]
    return "\n".join(lines) + "\n"


def _class(number: int, one: Surveyed, names: Names) -> list[str]:
    found = one.found
    lines = [
        f"{number:>3}  {found.question.skeleton.stack.name}: {condition_text(found)}",
        f"     for example {' '.join(f'{name}={text}' for name, text in witness_texts(found).items())}",
    ]
    effects = [f"{switch}: {message_words(message, names)}" for switch, message in found.attempt.messages]
    effects += [text for event in found.attempt.events if (text := event_words(event, names)) is not None]
    return lines + [f"     -> {text}" for text in effects or ["nothing"]]


def condition_text(found: ConcolicClass) -> str:
    """The path condition in a few words."""
    text = found.path.readable
    return "any packet" if text == "true" else text


def witness_texts(found: ConcolicClass) -> dict[str, str]:
    """The values of the example: the fields that are not fixed."""
    stack = found.question.skeleton.stack
    return {name: value_text(stack.field(name), value) for name, value in found.witness.items()}


def site_text(site: Site) -> str:
    """A place in the code by the name of its file."""
    return f"{site.file.rpartition('/')[2]}:{site.line} ({site.construct})"
