"""Random partitions of small tests, whose every input can be tried."""

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

from sdnloom.crosscheck.output import AgentEvent, AgentOutput
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.switch_test import Case, MessageStep, Part, SwitchTest, Variable
from sdnloom.symbolic.terms.constructors import add, bv_and, bv_xor, const, eq, extract, not_, ult, var, zero_extend
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term


def toy_test(widths: tuple[int, ...], ranges: tuple[tuple[tuple[int, int], ...], ...] = ()) -> SwitchTest:
    """Return a test with variables m1.a, m1.b ... of these widths in one message; octets are filled up with zeros."""
    variables = tuple(
        Variable(f"m1.{'abc'[number]}", width, 0 if not ranges or not ranges[number] else ranges[number][0][0],
                 ranges[number] if ranges else ())
        for number, width in enumerate(widths)
    )  # fmt: skip
    padding = -sum(widths) % 8
    parts = (Part(32, 0x01000000), Part(32, 1), *(Part(each.bits, each.name) for each in variables))
    step = MessageStep("raw", parts + ((Part(padding, 0),) if padding else ()))
    return SwitchTest("toy", 1, (Case("test", (step,), variables),), {"name": "toy"})


def all_inputs(test: SwitchTest) -> Iterator[dict[str, int]]:
    variables = test.cases[0].variables
    names = [each.name for each in variables]
    for values in product(*(range(1 << each.bits) for each in variables)):
        if all(each.allows(value) for each, value in zip(variables, values, strict=True)):
            yield dict(zip(names, values, strict=True))


def random_partition(random: Random, test: SwitchTest, agent: str, drop: float = 0.0) -> Partition:
    """Return the partition of a random decision tree; with `drop` some classes are missing and it is not complete."""
    terms = [var(each.name, each.bits) for each in test.cases[0].variables]
    classes: list[BehaviourClass] = []
    inputs = list(all_inputs(test))

    def grow(literals: tuple[Term, ...], inside: list[dict[str, int]], depth: int) -> None:
        if depth == 0 or random.random() < 0.15:
            if random.random() >= drop:
                classes.append(BehaviourClass("test", random.choice(inside), random_output(random, terms), literals))
            return
        condition = random_condition(random, terms)
        for literal in (condition, not_(condition)):
            left = [values for values in inside if evaluate_term(literal, values)]
            if left:
                grow((*literals, literal), left, depth - 1)

    grow((), inputs, random.randint(0, 4))
    reasons = ("classes are missing",) if drop else ()
    random.shuffle(classes)
    return Partition(agent, test, "paths", tuple(classes), not drop, reasons)


def random_condition(random: Random, terms: list[Term]) -> Term:
    term = random.choice(terms)
    number = const(random.randrange(1 << term.width), term.width)
    match random.randrange(4):
        case 0:
            return eq(term, number)
        case 1:
            return ult(term, number)
        case 2:
            return eq(bv_and(term, const(random.randrange(1, 1 << term.width), term.width)), const(0, term.width))
    other = random.choice(terms)
    width = max(term.width, other.width)
    return ult(zero_extend(term, width), zero_extend(other, width))


def random_output(random: Random, terms: list[Term]) -> AgentOutput:
    term = random.choice(terms)
    kind = random.randrange(6)
    if kind == 0:
        return ((),)
    if kind == 1:
        return ((AgentEvent("crash"),),)
    if kind == 2:
        return ((AgentEvent("Error", (("type", 1), ("code", random.randrange(2)))),),)
    wide = zero_extend(term, 8) if term.width <= 8 else extract(term, 7, 0)
    value = random.choice((wide, add(wide, const(1, 8)), bv_xor(wide, const(3, 8)), const(5, 8)))
    if kind == 3:
        data = value if value.op != "const" else value.args[0].to_bytes(1, "big")
        return ((AgentEvent("EchoReply", (("data", data),)),),)
    return ((AgentEvent("frame", (("port", value if value.op != "const" else 5), ("data", b"x"))),),)


def scan_classes(partition: Partition, case: str, values: Mapping[str, int]) -> int | None:
    """Return what `ClassIndex.find` does, by trying one class after the other: its definition."""
    for number, each in enumerate(partition.classes):
        if each.case != case:
            continue
        if partition.kind == "inputs":
            if dict(each.witness) == dict(values):
                return number
        elif all(evaluate_term(literal, values) for literal in each.condition):
            return number
    return None
