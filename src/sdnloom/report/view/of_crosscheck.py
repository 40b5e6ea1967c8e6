"""A crosscheck as it is shown: each root cause is a finding, with a lane for the test and for each agent.

A step of the test sends the same message or packet to both agents; then each agent has a step with what it does. The
steps in which the agents differ first are marked. Octets of what agents send are known for frames only: an output is
compared by its fields (`--pcap-dir` of `crosscheck run` records what really passed).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sdnloom import __version__
from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.output import FRAME, AgentEvent
from sdnloom.crosscheck.result import CrosscheckResult, CrosscheckVerdict
from sdnloom.crosscheck.switch_test import PacketStep
from sdnloom.network.openflow.codec import decode as decode_message
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.report.crosscheck.event_text import (
    NOTHING,
    agent_event_text,
    difference_texts,
    first_difference,
    output_value_text,
    step_texts,
)
from sdnloom.report.crosscheck.input_text import StepShown, case_steps, changed_values, input_line
from sdnloom.report.crosscheck.view import (
    PLAIN_VIEW,
    CrosscheckView,
    case_of,
    case_place,
    confirmed_words,
    difference_line,
    listed,
    shortened_line,
    tests_words,
    verdict_words,
)
from sdnloom.report.describe import counted, message_words
from sdnloom.report.view.result_view import (
    FindingView,
    LaneView,
    ResultView,
    StepView,
    TraceView,
    TransferView,
    ViewVerdict,
    WireView,
)

_VERDICTS: Final[Mapping[CrosscheckVerdict, ViewVerdict]] = {
    "agree": "holds",
    "differ": "violated",
    "incomplete": "incomplete",
}
_TEST: Final = "test"


def crosscheck_result_view(result: CrosscheckResult, shown: CrosscheckView = PLAIN_VIEW) -> ResultView:
    """The result as it is shown. If `shown` has every inconsistency, each of them is a finding, too."""
    findings: list[FindingView] = []
    facts = [("compared", tests_words(result))]
    for number, comparison in enumerate(result.comparisons):
        names = listed(comparison.agents)
        facts.append((names, verdict_words(comparison)))
        facts += [("not complete", reason) for reason in comparison.reasons[:10]]
        findings += [
            _cause(cause, place, number, comparison, shown) for place, cause in enumerate(comparison.root_causes)
        ]
        if shown.every or not comparison.root_causes:
            findings += [_inconsistency(one, comparison) for one in comparison.inconsistencies]
    facts += [
        (f"{each.agent}, {each.test}", counted(each.classes, "class" if each.kind == "paths" else "input"))
        for each in result.partitions
    ]
    return ResultView(
        kind="crosscheck",
        name=listed(result.agents),
        verdict=_VERDICTS[result.verdict],
        headline=_headline(result),
        properties=tuple(test.name for test in result.tests),
        findings=tuple(findings),
        facts=tuple(facts),
        seconds=sum(each.statistics.seconds for each in result.partitions),
        version=__version__,
    )


def _headline(result: CrosscheckResult) -> str:
    word = result.verdict.upper()
    if len(result.comparisons) == 1:
        return f"{word} {listed(result.agents)}: {verdict_words(result.comparisons[0])}"
    causes = sum(len(comparison.root_causes) for comparison in result.comparisons)
    pairs = counted(len(result.comparisons), "pair")
    return f"{word} {listed(result.agents)}: {counted(causes, 'root cause')} in {pairs}"


def _cause(cause: RootCause, place: int, number: int, comparison: Comparison, shown: CrosscheckView) -> FindingView:
    found = [comparison.inconsistencies[index] for index in cause.inconsistencies]
    facts = [("agents", listed(comparison.agents)), ("condition", cause.condition)]
    facts += [("fields", ", ".join(cause.fields))] if cause.fields else []
    facts += [("difference", cause.difference), ("found", confirmed_words(found, cause))]
    again = shown.try_command(number, place, comparison.agents)
    facts += [] if again is None else [("try", again)]
    message = f"{cause.condition}: {difference_line(cause)}"
    return _finding(cause, comparison, message, facts)


def _inconsistency(one: Inconsistency, comparison: Comparison) -> FindingView:
    test, _ = case_of(comparison, one)
    pairs = zip(comparison.agents, difference_texts(one.outputs, test.version), strict=True)
    message = "; ".join(f"{agent}: {text}" for agent, text in pairs)
    facts = [("agents", listed(comparison.agents)), ("condition", shortened_line(one.condition))]
    return _finding(one, comparison, message, [*facts, ("found", confirmed_words([one]))])


def _finding(
    found: RootCause | Inconsistency, comparison: Comparison, message: str, facts: Sequence[tuple[str, str]]
) -> FindingView:
    test, case = case_of(comparison, found)
    example = ("example", f"{case_place(test, case)}: {input_line(case, found.witness, test.version)}")
    values = [(f"field {name}", value) for name, value in changed_values(case, found.witness, test.version)]
    return FindingView(test.name, message, _trace(found, comparison), (*facts, example, *values))


def _trace(found: RootCause | Inconsistency, comparison: Comparison) -> TraceView:
    test, case = case_of(comparison, found)
    inputs = case_steps(case, found.witness)
    ports = [""] * (len(inputs) - len(case.steps))
    ports += [str(step.port) if isinstance(step, PacketStep) else "" for step in case.steps]
    differs = first_difference(found.outputs)
    lanes = _lane_names(comparison.agents)
    steps: list[StepView] = []
    marked: list[int] = []
    for place, (given, port) in enumerate(zip(inputs, ports, strict=True)):
        number = len(steps) + 1
        steps.append(_input_step(number, given, port, lanes, test.version))
        for agent, lane in enumerate(lanes):
            output = found.outputs[agent]
            events = output[place] if place < len(output) else ()
            steps.append(_answer(number + 1 + agent, lane, given, events, test.version))
        if place == differs:
            marked += [number + 1, number + 2]
    wires = tuple(WireView(_TEST, "", lane, "", control=True) for lane in lanes)
    return TraceView(
        (LaneView(_TEST, "environment"), *(LaneView(lane, "agent") for lane in lanes)),
        tuple(_ordered(steps)),
        wires,
        marked=tuple(marked),
        length=f"{counted(len(inputs), 'step')} of {case_place(test, case)}",
    )


def _lane_names(agents: tuple[str, str]) -> tuple[str, str]:
    """The names of the agents; an agent may be called as the test's lane is, and two may be called alike."""
    first, second = (f"{name} (agent)" if name == _TEST else name for name in agents)
    return first, second if second != first else f"{second} (second)"


def _input_step(number: int, given: StepShown, port: str, lanes: Sequence[str], version: int) -> StepView:
    kind: Final = "packet" if port else "openflow"
    text = given.title
    transfers = [
        TransferView(
            lane, text, kind, number + 1 + place, long=_decoded(given, port, version), to_port=port, data=given.octets
        )
        for place, lane in enumerate(lanes)
    ]
    return StepView(
        number,
        _TEST,
        "send" if given.octets else "wait",
        text,
        long=f"{text} {given.octets.hex()}".rstrip(),
        transfers=tuple(transfers) if given.octets else (),
        environment=True,
    )


def _decoded(given: StepShown, port: str, version: int) -> str:
    """A message with its fields, if it is well formed; many inputs of tests are not."""
    if port or not given.octets:
        return ""
    try:
        return message_words(decode_message(given.octets, version))
    except DecodeError as error:
        return f"{given.title}, not well formed: {error}"


def _answer(number: int, lane: str, given: StepShown, events: Sequence[AgentEvent], version: int) -> StepView:
    texts = step_texts(events, version)
    shown = "; ".join(texts)
    return StepView(
        number,
        lane,
        "answer",
        f"{lane}: {shown}",
        long=f"{lane}: {'; '.join(map(_all_fields, events)) or NOTHING}",
        takes=given.title,
        effects=tuple(texts[place] for place, event in enumerate(events) if not event.fields) if events else (NOTHING,),
        transfers=tuple(_sent(number, events, version)),
    )


def _sent(number: int, events: Sequence[AgentEvent], version: int) -> Iterator[TransferView]:
    """What the agent sends back: the test sees it at once. A crash is not sent, the text of the step says it."""
    for event in events:
        values = event.values()
        text = agent_event_text(event, version)
        if event.kind == FRAME:
            data, port = values.get("data", b""), output_value_text(values.get("port", 0))
            octets = data if isinstance(data, bytes) else b""
            yield TransferView(_TEST, text, "packet", number, _all_fields(event), port=port, data=octets)
        elif event.fields:
            yield TransferView(_TEST, text, "openflow", number, _all_fields(event))


def _all_fields(event: AgentEvent) -> str:
    values = [
        f"{name}={value.hex() if isinstance(value, bytes) else output_value_text(value)}"
        for name, value in event.fields
    ]
    return " ".join([event.kind, *values, *([f"({event.note})"] if event.note else [])])


def _ordered(steps: Sequence[StepView]) -> Iterator[StepView]:
    """The steps with causes and clocks: an agent answers the test's step, the test goes on after both answers."""
    clocks: list[dict[str, int]] = []
    latest: dict[str, int] = {}
    for step in steps:
        causes = {latest[step.lane]} if step.lane in latest else set()
        causes |= {*latest.values()} if step.lane == _TEST else {latest[_TEST]}
        clock: dict[str, int] = {}
        for cause in causes:
            for lane, count in clocks[cause - 1].items():
                clock[lane] = max(clock.get(lane, 0), count)
        clock[step.lane] = clock.get(step.lane, 0) + 1
        clocks.append(clock)
        latest[step.lane] = step.number
        yield replace(step, causes=tuple(sorted(causes)), clock=clock)
