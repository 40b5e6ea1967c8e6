"""What some state and some packet lead to, as text: exceptions and lines, and what the answers are relative to."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from sdnloom.check.any_state import AnyStateSurvey, StatePacket, TargetAnswer, TargetStatus, target_words
from sdnloom.engine.result import Counterexample
from sdnloom.inputs.any_state.state_shapes import shape_text
from sdnloom.inputs.domains import value_text
from sdnloom.platforms.line_trace import Line
from sdnloom.report.describe import Names, counted, packet_words

MOST_SOURCES = 20  # lines with one answer that are shown with their source


def any_state_text(survey: AnyStateSurvey, traces: Mapping[Counterexample, Path]) -> str:
    """The whole report. The same program and packets give the same text, unless a time limit ends it."""
    names = Names.of(survey.scenario.network.topology)
    entries = counted(survey.shape.bounds.entries, "entry").replace("entrys", "entries")
    lines = [
        f"lines and exceptions of {survey.program} for packets at {survey.port}, from any state "
        f"with up to {entries} in each table"
    ]
    for status in TargetStatus:
        lines += _exceptions(survey.of(status, exceptions=True), traces, names)
    lines += _reached(survey.of(TargetStatus.REACHED, exceptions=False), traces)
    for status in (TargetStatus.POSSIBLE, TargetStatus.IMPOSSIBLE, TargetStatus.UNDECIDED):
        lines += _lines(status, survey.of(status, exceptions=False), names)
    return "\n".join([*lines, "", *_assumed(survey), "", *_ending(survey)]) + "\n"


def _exceptions(answers: Iterable[TargetAnswer], traces: Mapping[Counterexample, Path], names: Names) -> list[str]:
    found = []
    for each in answers:
        found += ["", f"{each.status.value}: {each.text}, raised at {target_words(each.target).partition(' at ')[2]}"]
        if each.run is not None:
            found.append(f"  {_run_text(each.run, traces)}")
        elif each.pair is not None:
            found += _pair(each.pair, names, "  ")
    return found


def _run_text(run: Counterexample, traces: Mapping[Counterexample, Path]) -> str:
    steps = f"a run of {counted(len(run.path), 'step')}"
    return f"{steps}: sdnloom replay {traces[run]}" if run in traces else steps


def _reached(answers: list[TargetAnswer], traces: Mapping[Counterexample, Path]) -> list[str]:
    """The lines that runs reach, by the run that is the shortest for them."""
    if not answers:
        return []
    found = ["", f"{TargetStatus.REACHED.value}: {counted(len(answers), 'line')}"]
    runs = dict.fromkeys(each.run for each in answers if each.run is not None)
    for run in sorted(runs, key=lambda run: (len(run.path), run.message)):
        lines = [each.target for each in answers if each.run == run and isinstance(each.target, Line)]
        found.append(f"  {line_ranges(lines)}: {_run_text(run, traces)}")
    return found


def line_ranges(lines: Iterable[Line]) -> str:
    """Lines as text: "app.py 3-5, 8"."""
    texts = []
    for file, group in groupby(sorted(lines), lambda line: line.file):
        runs: list[list[int]] = []
        for number in (line.number for line in group):
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        texts.append(f"{file} {', '.join(f'{run[0]}-{run[-1]}' if run[1:] else str(run[0]) for run in runs)}")
    return "; ".join(texts)


def _lines(status: TargetStatus, answers: list[TargetAnswer], names: Names) -> list[str]:
    if not answers:
        return []
    found = ["", f"{status.value}: {counted(len(answers), 'line')}"]
    if status is not TargetStatus.POSSIBLE and len(answers) > MOST_SOURCES:
        return [*found, f"  {line_ranges(each.target for each in answers if isinstance(each.target, Line))}"]
    if status is not TargetStatus.POSSIBLE:
        return found + [f"  {target_words(each.target)}  {each.text}" for each in answers]
    pairs: dict[int, list[TargetAnswer]] = {}  # lines to which one state and packet lead are shown together
    for each in answers:
        pairs.setdefault(id(each.pair), []).append(each)
    for group in pairs.values():
        source = f"  {group[0].text}" if len(group) == 1 else ""
        found.append(f"  {line_ranges(each.target for each in group if isinstance(each.target, Line))}{source}")
        found += _pair(group[0].pair, names, "    ") if group[0].pair is not None else []
    return found


def _pair(pair: StatePacket, names: Names, margin: str) -> list[str]:
    state = ", ".join(f"{name} = {value}" for name, value in pair.state) or "any"
    skeleton = pair.question.skeleton
    fields = " ".join(f"{name}={text}" for name, text in pair_fields(pair).items())
    packet = packet_words(skeleton.packet(pair.values), names)
    return [
        f"{margin}state {state}",
        f"{margin}packet {packet} ({' '.join(filter(None, (skeleton.stack.name, fields)))})",
    ]


def pair_fields(pair: StatePacket) -> dict[str, str]:
    """The fields of the packet that matter or have no usual value, with their values."""
    stack = pair.question.skeleton.stack
    usual = {field.name for field, domain in pair.question.skeleton.symbolic if domain.preferred == 1}
    return {
        name: value_text(stack.field(name), value)
        for name, value in pair.values.items()
        if name in pair.mentioned or name not in usual
    }


def _assumed(survey: AnyStateSurvey) -> list[str]:
    """What a state may be: the bound of the answers."""
    shape = survey.shape
    lines = [f"a state has the shape of {counted(shape.states, 'state')} met in the search:"]
    for attribute, each in shape.free:
        absent = ", or not set" if attribute in shape.optional else ""
        lines.append(f"  {attribute}: {shape_text(each)}{absent}")
    lines += [f"  {attribute}: as after the start, because {why}" for attribute, why in shape.kept]
    lines.append("  everything else as after the start, and the switch sends the packet as it does then")
    stacks = ", ".join(skeleton.stack.name for skeleton in survey.skeletons)
    if stacks:
        lines.append(f"a packet, of the stacks {stacks}{':' if survey.domains else ''}")
    return lines + [f"  {field}: {values}" for field, values in survey.domains]


def _ending(survey: AnyStateSurvey) -> list[str]:
    lines = []
    for number, each in enumerate(survey.searches):
        done = each.result
        way = " deeper" if number else ""
        ended = f"not all runs: {done.incomplete}" if done.incomplete else "all runs within the bounds of the scenario"
        lines.append(f"searched{way}: {counted(done.statistics.states, 'state')}, {ended}")
    lines.append(f"explored: {counted(survey.paths, 'run')} of the handlers from symbolic states")
    if survey.complete:
        lines.append("complete: in no such state does such a packet lead to another line or exception")
    lines += [f"incomplete: {gap}" for gap in survey.gaps]
    return [*lines, *(f"diverged: {each}" for each in survey.divergences)]
