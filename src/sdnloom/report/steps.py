"""Steps as lines of text: a short form that fits the width of the report, and a long form that says everything."""

from collections.abc import Iterable, Sequence

from sdnloom.engine.model import Step
from sdnloom.engine.semantics import Transition
from sdnloom.platforms.code_runs import CodeRun, main_run
from sdnloom.report.describe import Names
from sdnloom.report.step_words import ComponentKind, StepMemory, StepWords, offered_words, step_words
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle, fold_text

_INDENT = 5  # of effects below a step that is no row of a list
_COLOURS: dict[ComponentKind, str] = {
    "controller": "magenta",
    "switch": "cyan",
    "host": "blue",
    "environment": "yellow",
    "actor": "cyan",
}


StepCode = Sequence[Sequence[CodeRun]]  # the functions that each step of a path ran


def steps_text(
    transitions: Sequence[Transition], names: Names, style: TextStyle = PLAIN_STYLE, code: StepCode = ()
) -> list[str]:
    """The steps of a path, numbered. A short step that does not fit has its effects on lines of their own.

    With `code`, a step that ran some names the function that it ran first (`main_run`).
    """
    memory = None if style.long else StepMemory()
    return _numbered(_told(transitions, names, memory, code), style)


def _told(
    transitions: Sequence[Transition], names: Names, memory: StepMemory | None, code: StepCode
) -> list[StepWords]:
    told = [step_words(each, names, memory) for each in transitions]
    places = [code_place(run) if (run := main_run(runs)) else "" for runs in code] or [""] * len(told)
    return [each._replace(place=place) for each, place in zip(told, places, strict=False)]


def code_place(run: CodeRun) -> str:
    """A function of a program as people look it up: its file, the line of its `def`, and its name."""
    return f"{run.file.name}:{run.line} {run.function.rpartition('.')[2]}"


def choices_text(
    taken: Sequence[Transition], enabled: Iterable[Transition], names: Names, style: TextStyle = PLAIN_STYLE
) -> list[str]:
    """The steps that can be taken after others, numbered."""
    memory = None if style.long else _memory_after(taken, names)
    return _numbered([step_words(each, names, memory and memory.copy()) for each in enabled], style)


def last_step_text(
    transitions: Sequence[Transition], names: Names, style: TextStyle = PLAIN_STYLE, code: StepCode = ()
) -> list[str]:
    """The last step of a path, with its number; `code` is that of this step."""
    *before, last = transitions
    memory = None if style.long else _memory_after(before, names)
    [found] = _told([last], names, memory, code)
    return _lines(f"step {len(transitions)}: ", found, style, _INDENT)


def words_lines(start: str, found: StepWords, style: TextStyle = PLAIN_STYLE) -> list[str]:
    """The words of one step after the text that begins its first line."""
    return _lines(start, found, style)


def short_texts(transitions: Iterable[Transition], names: Names) -> list[str]:
    """The short form of each step of a path, on one line of any length."""
    memory = StepMemory()
    return [_one_line(step_words(each, names, memory)) for each in transitions]


def long_texts(transitions: Sequence[Transition], names: Names, code: StepCode = ()) -> list[str]:
    """The long form of each step of a path, on one line."""
    return [_one_line(each) for each in _told(transitions, names, None, code)]


def transition_text(transition: Transition, names: Names) -> str:
    """The long form of a step: the component, what it does with which message, and the effects."""
    return _one_line(step_words(transition, names))


def offered_text(step: Step, names: Names) -> str:
    """A step that was not taken. Arguments of a task are brief."""
    return _one_line(offered_words(step, names))


def _memory_after(taken: Iterable[Transition], names: Names) -> StepMemory:
    memory = StepMemory()
    for each in taken:
        step_words(each, names, memory)
    return memory


def _numbered(found: Sequence[StepWords], style: TextStyle) -> list[str]:
    width = len(str(len(found)))
    return [line for number, each in enumerate(found, 1) for line in _lines(f"  {number:>{width}}  ", each, style)]


def _one_line(found: StepWords) -> str:
    return f"{_start(found)}{_in_place(found)}{_arrow(found.effects)}"


def _start(found: StepWords) -> str:
    return f"{found.component}: {found.action}"


def _in_place(found: StepWords) -> str:
    return f", in {found.place}" if found.place else ""


def _arrow(effects: Sequence[str]) -> str:
    between = "; " if any(", " in text for text in effects) else ", "
    return f" -> {between.join(effects)}" if effects else ""


def _lines(start: str, found: StepWords, style: TextStyle, indent: int = 0) -> list[str]:
    """One line, or several where a short step does not fit: effects are indented by as much as the start is long."""
    room = style.columns - len(start)
    text = _one_line(found)
    lines = [text] if style.long or len(text) <= room else _folded(found, room)
    subject = f"{found.component}:"
    colour = _COLOURS.get(found.kind)
    if colour is not None and lines[0].startswith(subject):
        lines[0] = style.paint(subject, colour) + lines[0][len(subject) :]
    return [start + lines[0], *(" " * (indent or len(start)) + line for line in lines[1:])]


def _folded(found: StepWords, room: int) -> list[str]:
    """What the component does, where in the program, and the effects, on lines of their own where they do not fit."""
    effects = found.effects
    first = _start(found) + _in_place(found)
    lines = [first] if len(first) <= room else fold_text(_start(found), room)
    if found.place and len(first) > room:
        line = f"  in {found.place}"
        if len(line) + len(_arrow(effects)) <= room:
            return [*lines, line + _arrow(effects)]
        lines.append(line)
    for each in effects:
        lines += [mark + line for mark, line in zip(("  -> ", " " * 7), fold_text(each, room - 7), strict=False)]
    return lines
