"""Tests made by hand, without a document, for tests of the exploration."""

from pathlib import Path

from sdnloom.crosscheck.agents.load import AgentSource, class_in_file
from sdnloom.crosscheck.switch_test import Case, CaseStep, MessageStep, Part, SwitchTest, Variable

SMALL_AGENT = Path(__file__).parent / "small_agent.py"
FRAME = bytes(range(20))


def small_agent(kind: str = "Small") -> AgentSource:
    return class_in_file(SMALL_AGENT, kind, "small")


def made_test(*cases: Case, name: str = "made-by-hand") -> SwitchTest:
    return SwitchTest(name, 1, cases, {"name": name})


def message(code: int, *body: Part, xid: int | str = 7) -> MessageStep:
    size = 8 + sum(part.bits for part in body) // 8
    return MessageStep("raw", (Part(8, 1), Part(8, code), Part(16, size), Part(32, xid), *body))


def packet_out(*action: Part, data: Part | None = None) -> MessageStep:
    frame = data or Part(8 * len(FRAME), int.from_bytes(FRAME, "big"))
    return message(13, Part(32, 0xFFFFFFFF), Part(16, 0xFFFF), Part(16, 8), *action, frame)


def case(*steps: CaseStep, variables: tuple[Variable, ...] = (), name: str = "one", fresh: bool = False) -> Case:
    return Case(name, steps, variables, fresh)


TYPE = Variable("m1.actions[0].type", 16)
PORT = Variable("m1.actions[0].port", 16, 2)
OUTPUT = packet_out(Part(16, TYPE.name), Part(16, 8), Part(16, PORT.name), Part(16, 0))
OUTPUT_TEST = made_test(case(OUTPUT, variables=(TYPE, PORT)), name="output")
