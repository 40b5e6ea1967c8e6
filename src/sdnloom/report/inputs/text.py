"""Input classes as text: the condition of each, one example, and the reaction of the program."""

from sdnloom.check.survey import Survey, SurveyEntry
from sdnloom.inputs.concolic import ConcolicClass
from sdnloom.inputs.domains import value_text
from sdnloom.inputs.statistics import STATISTICS
from sdnloom.network.openflow import FlowStatsReply
from sdnloom.network.topology import Topology
from sdnloom.report.branch_sides import domain_lines
from sdnloom.report.describe import Names, counted, event_words, flow_rows, message_words
from sdnloom.symbolic.execution import Site


def survey_text(survey: Survey, topology: Topology | None) -> str:
    """The whole report. The same program, state and packets give the same text."""
    names = Names.of(topology) if topology is not None else Names()
    shown = list(survey.classes)
    where = survey.port.switch if survey.whole else survey.port
    lines = [f"{counted(len(shown), 'class')} of {survey.about} at {where} for {survey.program}"]
    if isinstance(survey.reply, FlowStatsReply):
        lines += ["", *(f"  {row}" for row in flow_rows(survey.reply, names) or ["the switch has no entries"])]
    if survey.robust:
        shown = _first_of_each_kind(shown)
        lines = [f"{lines[0]}: {counted(len(shown), 'way') if shown else 'no way'} to make it raise"]
    for number, one in enumerate(shown, 1):
        lines += ["", *_class(number, one, names)]
    lines.append("")
    if survey.repeated:
        differ = "differs" if survey.repeated == 1 else "differ"
        lines.append(
            f"{counted(survey.repeated, 'more class')} that {differ} only in fields that the program does not read"
        )
    if survey.unsent:
        lines.append(f"not sent to the controller in this state: packets of {', '.join(survey.unsent)}")
    lines += domain_lines(survey.domains)
    if survey.complete:
        such = "packet" if survey.about == "packets" else "reply"
        lines.append(
            f"complete: every such {such} is in one of these classes ({counted(survey.paths, 'run')} of the program)"
        )
    lines += [f"incomplete: {gap}" for gap in survey.gaps]
    lines += [f"unreached: {each}" for each in survey.unreached]
    lines += [f"diverged: {each}" for each in survey.divergences]
    lines += [f"not followed: {site_text(site)}" for site in sorted(survey.concretised)]
    return "\n".join(lines) + "\n"


def _first_of_each_kind(classes: list[SurveyEntry]) -> list[SurveyEntry]:
    """The first class for each exception, by its text and position."""
    found: dict[tuple[tuple[str, str, int, str], ...], SurveyEntry] = {}
    for one in classes:
        if one.raised:
            found.setdefault(tuple((each.text, each.file, each.line, each.library) for each in one.raised), one)
    return list(found.values())


def _class(number: int, entry: SurveyEntry, names: Names) -> list[str]:
    one = entry.found
    witness = " ".join(f"{name}={text}" for name, text in witness_texts(one).items())
    lines = [f"{number:>3}  {one.question.skeleton.stack.name}: {condition_words(one, names)}"]
    if witness:
        lines.append(f"     for example {witness}")
    if not entry.confirmed:
        return [*lines, "     -> not confirmed"]
    effects = [f"{switch}: {message_words(message, names)}" for switch, message in one.handler_run.messages]
    effects += [text for event in one.handler_run.events if (text := event_words(event, names)) is not None]
    return lines + [f"     -> {text}" for text in effects or ["nothing"]]


def condition_words(found: ConcolicClass, names: Names) -> str:
    """The condition of a class, with names of hosts instead of their addresses."""
    return found.readable_with({"mac": names.macs, "ipv4": names.ips})


def witness_texts(found: ConcolicClass) -> dict[str, str]:
    """The fields of the example that are in the condition or have no usual value, with their values."""
    skeleton = found.question.skeleton
    stack = skeleton.stack
    counters = stack.name == STATISTICS  # their usual value is 0
    usual = {field.name for field, domain in skeleton.symbolic if domain.preferred == 1}
    return {
        name: value_text(stack.field(name), value)
        for name, value in found.witness.items()
        if name in found.mentioned or (bool(value) if counters else name not in usual)
    }


def site_text(site: Site) -> str:
    """A line of code by the name of its file."""
    return f"{site.file.rpartition('/')[2]}:{site.line} ({site.construct})"
