"""Checks of an exploration: its classes are pure, and a partition of the inputs.

Purity is tested on further models of each class, the partition by brute force on domains small enough to enumerate.
Both run the same code again and do not trust the search; a finding means that a constraint was lost or that the code is
not deterministic.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final

from sdnloom.symbolic.execution import Branch, Site
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import ExplorationError
from sdnloom.symbolic.result import Exploration, PathClass
from sdnloom.symbolic.run import CodeUnderTest, RunResult, run_once
from sdnloom.symbolic.sampler import Sampler
from sdnloom.symbolic.solver.interface import find_solver
from sdnloom.symbolic.terms.constructors import term_text
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Model, Term
from sdnloom.symbolic.terms.text import value_in_kind

# (class, further model, output of its run) -> whether that output is the one that the class predicts.
OutputCheck = Callable[[PathClass, Model, Any], bool]

_MAX_INPUTS: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Impurity:
    """An input that satisfies the condition of a class but behaves differently."""

    number: int  # of the class
    model: Model
    site: Site | None
    difference: str

    def __str__(self) -> str:
        values = sorted(self.model.items())
        inputs = ", ".join(f"{name}={value_in_kind(value, value.bit_length())}" for name, value in values)
        return f"class {self.number + 1} is not pure: {inputs}: {self.difference}"


@dataclass(frozen=True, slots=True)
class Purity:
    """Result of `check_purity`: models run, classes with fewer models than requested, findings. True if none."""

    models: int
    small_classes: int
    impure: tuple[Impurity, ...]

    def __bool__(self) -> bool:
        return not self.impure


def check_purity(
    exploration: Exploration,
    run: CodeUnderTest,
    models_per_class: int = 20,
    *,
    same: OutputCheck | None = None,
    options: ExplorationOptions | None = None,
    seed: int = 0,
    before_class: Callable[[], None] = lambda: None,
) -> Purity:
    """Check that further models of each path condition take the same path and end the same way.

    What `before_class` raises before a class is checked ends the check.
    """
    options = options or ExplorationOptions()
    solver = find_solver(options.solver)
    domain = exploration.domain
    sampler = Sampler(exploration.variables, solver(domain, options.query_seconds) if solver else None, Random(seed))
    models = small = 0
    impure = []
    for number, found in enumerate(exploration.classes):
        before_class()
        drawn = sampler.draw((*domain, *found.condition), found.witness, models_per_class)
        models += len(drawn)
        small += len(drawn) < models_per_class
        for model in drawn:
            finding = _compare(number, found, model, run_once(run, model, options, found.branches), same)
            if finding is not None:
                impure.append(finding)
    return Purity(models, small, tuple(impure))


def _compare(number: int, found: PathClass, model: Model, done: RunResult, same: OutputCheck | None) -> Impurity | None:
    """Return the difference of a run from its class; None if there is none."""
    for expected, actual in zip(found.branches, done.branches, strict=False):
        if (expected.condition, expected.taken) != (actual.condition, actual.taken):
            return Impurity(
                number, model, actual.site, f"expected {_decision_text(expected)}, got {_decision_text(actual)}"
            )
    if len(found.branches) != len(done.branches):
        rest = (found.branches if len(found.branches) > len(done.branches) else done.branches)[
            min(len(found.branches), len(done.branches))
        ]
        return Impurity(number, model, rest.site, f"{_decision_text(rest)} on one path only")
    if not done.finished:
        return Impurity(number, model, None, done.execution.limit or "discarded by an assumption")
    before = found.exception.type if found.exception else None
    after = done.exception.type if done.exception else None
    if before != after:
        site = done.exception.site if done.exception else None
        return Impurity(number, model, site, f"expected {before or 'no exception'}, got {after or 'none'}")
    if same is not None and not same(found, model, done.output):
        return Impurity(number, model, None, "the output differs")
    return None


@dataclass(frozen=True, slots=True)
class PartitionCheck:
    """Result of `check_partition`. True if each input is in one class and behaves like it, and no class is empty."""

    inputs: int
    missed: tuple[Model, ...]  # inputs in no class
    shared: tuple[Model, ...]  # inputs in several classes
    impure: tuple[Impurity, ...]
    empty_classes: int

    def __bool__(self) -> bool:
        return not (self.missed or self.shared or self.impure or self.empty_classes)


def check_partition(
    exploration: Exploration,
    run: CodeUnderTest,
    *,
    same: OutputCheck | None = None,
    options: ExplorationOptions | None = None,
) -> PartitionCheck:
    """Check that the classes partition the domain, by running all inputs; raise ExplorationError if too many."""
    options = options or ExplorationOptions()
    missed, shared, impure = [], [], []
    inputs, hit = 0, set()
    conditions = [found.condition for found in exploration.classes]
    for model in enumerate_inputs(exploration.variables, exploration.domain):
        inputs += 1
        matching = [
            n for n, condition in enumerate(conditions) if all(evaluate_term(literal, model) for literal in condition)
        ]
        hit.update(matching)
        if len(matching) == 1:
            number = matching[0]
            found = exploration.classes[number]
            finding = _compare(number, found, model, run_once(run, model, options, found.branches), same)
            if finding is not None:
                impure.append(finding)
        elif matching:
            shared.append(model)
        elif run_once(run, model, options).finished:  # a discarded input belongs to no class
            missed.append(model)
    return PartitionCheck(inputs, tuple(missed), tuple(shared), tuple(impure), len(conditions) - len(hit))


def enumerate_inputs(variables: Sequence[Term], domain: Sequence[Term]) -> Iterator[dict[str, int]]:
    """Yield every input of the domain, in order; raise ExplorationError if there are too many."""
    facts = Facts()
    for constraint in domain:
        facts.learn(constraint, True)
    ranges = [facts.range(variable) for variable in variables]
    size = 1
    for values in ranges:
        size *= max(0, len(values.choices) if values.choices is not None else values.high - values.low + 1)
    if size > _MAX_INPUTS:
        raise ExplorationError(f"the domain has up to {size} inputs; at most {_MAX_INPUTS} can be enumerated")
    names = [variable.args[0] for variable in variables]
    for values_of_one in product(*(list(values.values()) for values in ranges)):
        model = dict(zip(names, values_of_one, strict=True))
        if all(evaluate_term(constraint, model) for constraint in domain):
            yield model


def _decision_text(branch: Branch) -> str:
    return f"{term_text(branch.condition)} is {branch.taken}".lower()
