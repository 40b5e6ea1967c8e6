"""Whether two outputs with terms differ, as a term over the inputs.

Laws: for every input, `outputs_differ(a, b)` is true exactly if `concrete_output` of the two is different.
"""

from sdnloom.crosscheck.output import OCTETS, AgentOutput, OutputValue
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, any_, const, ne, zero_extend
from sdnloom.symbolic.terms.node import Term


def outputs_differ(first: AgentOutput, second: AgentOutput) -> Term:
    """Return TRUE if the outputs always differ, FALSE if they never do, else the condition under which they do."""
    if first == second:
        return FALSE
    if output_shape(first) != output_shape(second):
        return TRUE
    found = []
    for mine, theirs in zip(first, second, strict=True):
        for left, right in zip(mine, theirs, strict=True):
            for (name, one), (_, other) in zip(left.fields, right.fields, strict=True):
                unequal = values_differ(name, one, other)
                if unequal is TRUE:
                    return TRUE
                found.append(unequal)
    return any_(*found)


def output_shape(output: AgentOutput) -> tuple[object, ...]:
    """Return the kinds of events and the names of their fields: outputs of different shapes always differ."""
    return tuple(tuple((event.kind, *(name for name, _ in event.fields)) for event in step) for step in output)


def values_differ(name: str, first: OutputValue, second: OutputValue) -> Term:
    """Return whether two values of an output field differ."""
    if first is second:
        return FALSE
    if not isinstance(first, Term) and not isinstance(second, Term):
        return TRUE if first != second else FALSE
    width = max(each.width for each in (first, second) if isinstance(each, Term))
    left, right = _as_term(name, first, width), _as_term(name, second, width)
    return TRUE if left is None or right is None else ne(left, right)


def _as_term(name: str, value: OutputValue, width: int) -> Term | None:
    """Return the value as a term of this width; None if it has no such form: octets of another number, text."""
    if name.rpartition(".")[2] in OCTETS:
        if isinstance(value, bytes):
            return const(int.from_bytes(value, "big"), width) if len(value) * 8 == width else None
        return value if isinstance(value, Term) and value.width == width else None
    if isinstance(value, Term):
        return zero_extend(value, width)
    return const(value, width) if isinstance(value, int) and 0 <= value < 1 << width else None
