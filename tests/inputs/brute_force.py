"""Slow, obvious explorer: runs a handler on every packet of a small domain and groups packets by behaviour."""

import inspect
import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from sdnloom.inputs.concolic import variable
from sdnloom.inputs.explorer import HandlerQuestion, InputClasses
from sdnloom.network.openflow import FlowMod, PacketOut
from sdnloom.network.program import MessageIn
from sdnloom.platforms.line_trace import line_trace
from sdnloom.symbolic.terms import constructors as terms


@dataclass(frozen=True)
class ListedClass:
    """A class as the list of its members."""

    key: object
    members: tuple[dict[str, int], ...]
    skeleton: object
    reactions: tuple

    @property
    def samples(self):
        return tuple(zip((self.members[0], self.members[-1]), self.reactions, strict=True))

    @property
    def trail(self):
        return self.key

    @property
    def condition(self):
        fields = [field for field, _ in self.skeleton.symbolic if not field.computed]
        each = [
            terms.all_(*(terms.eq(variable(field), terms.const(values[field.name], field.bits)) for field in fields))
            for values in self.members
        ]
        return (terms.any_(*each),)

    @property
    def witness(self):
        return self.members[0]

    def member(self, within):
        inside = (each for each in self.members if all(each.get(name, -1) in within[name] for name in within))
        return next(inside, None)


def listed_packets(skeleton):
    """Yield every packet of a skeleton whose domains are lists; a range is represented by its ends."""
    fields = [(field.name, domain) for field, domain in skeleton.symbolic if not field.computed]
    choices = [list(dict.fromkeys(end for low, high in domain.ranges for end in (low, high))) for _, domain in fields]
    fixed = skeleton.preferred
    for values in itertools.product(*choices):
        yield {**fixed, **dict(zip((name for name, _ in fields), values, strict=True))}


class BruteForce:
    """Runs the handler of a plain-Python program on each packet."""

    def __init__(self, program):
        self.program = program
        self.file = Path(inspect.getfile(program.kind))
        self.asked = 0

    def explore(self, question: HandlerQuestion) -> InputClasses:
        self.asked += 1
        classes, messages = defaultdict(list), {}
        for values in listed_packets(question.skeleton):
            frame = question.skeleton.frame(values)
            message = replace(question.message, data=frame, total_len=len(frame))
            reactions, lines = line_trace(
                lambda message=message: self.program.handle(question.core, MessageIn(question.switch, message)),
                [self.file],
            )
            key = lines, tuple(map(behaviour, reactions))
            classes[key].append(values)
            sent_now = tuple(each for reaction in reactions for each in reaction.messages)
            messages[key] = messages.get(key, (sent_now,))[0], sent_now
        return InputClasses(
            tuple(
                ListedClass(key, tuple(members), question.skeleton, messages[key]) for key, members in classes.items()
            )
        )


def behaviour(reaction):
    """Return the effects of a reaction without the data of the packet."""
    return tuple((switch, *sent(message)) for switch, message in reaction.messages), reaction.events


def sent(message):
    match message:
        case FlowMod():
            return "FlowMod", message.command, message.instructions
        case PacketOut():
            return "PacketOut", message.actions
    return (type(message).__name__,)
