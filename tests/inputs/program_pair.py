"""A program and its rewritten twin in the same state, with one switch that answers their messages."""

import random
from dataclasses import dataclass, replace

from sdnloom.inputs.concolic import ConcolicClasses, ConcolicExplorer
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.inputs.stacks import stack_of
from sdnloom.inputs.switch_paths import packet_ins
from sdnloom.network.openflow import V10, V13
from sdnloom.network.program import MessageIn, SwitchUp
from sdnloom.network.switch import Switch, initial_switch_core, plain_ports, receive_message, receive_packet
from sdnloom.platforms.line_trace import line_trace
from sdnloom.symbolic.sampler import _constants
from sdnloom.symbolic.self_check import check_purity

VERSIONS = {"1.0": V10, "1.3": V13}


@dataclass(frozen=True)
class ProgramState:
    """A program, its state, and its only switch."""

    program: object
    core: object
    config: Switch
    switch: object

    @staticmethod
    def of(program, ports=(1, 2, 3)):
        """Return the program after its switch has connected."""
        version = VERSIONS[getattr(program, "version", "1.0")]
        config = Switch(1, plain_ports(*ports), version=version)
        started = ProgramState(program, program.initial(), config, initial_switch_core(config))
        return started.after_inputs(SwitchUp("s1", 1, config.ports))

    def after_inputs(self, *inputs):
        """Return the program after these inputs and the switch's answers."""
        core, switch, todo = self.core, self.switch, list(inputs)
        while todo:
            reaction = self.program.handle(core, todo.pop(0))[0]
            core = reaction.core
            for _, message in reaction.messages:
                outcome = receive_message(self.config, switch, message)[0]
                switch = outcome.core
                todo += [MessageIn("s1", answer) for answer in outcome.messages]
        return replace(self, core=core, switch=switch)

    def after_packet(self, skeleton, port, values):
        """Return the program after the switch has received the packet with these values."""
        outcome = receive_packet(self.config, self.switch, port, skeleton.packet(values))[0]
        return replace(self, switch=outcome.core).after_inputs(
            *(MessageIn("s1", message) for message in outcome.messages)
        )

    def packet_in(self, skeleton, port, values):
        """Return the message in which the packet with these values reaches the program."""
        frame = skeleton.frame(values)
        message, _ = packet_ins(self.config, self.switch, port, skeleton)[0]
        return MessageIn("s1", replace(message, data=frame, total_len=len(frame)))

    def lines(self, message, files):
        """Return the reaction to a message and the lines that the program executes."""
        self.program.prepare(self.core)
        reactions, lines = line_trace(lambda: self.program.handle(self.core, message), files)
        return reactions[0], lines


@dataclass(frozen=True)
class Pair:
    """The original program and its rewritten twin, in the same state."""

    original: ProgramState
    twin: ProgramState

    @staticmethod
    def of(program, prepare=lambda state: state, ports=(1, 2, 3)):
        return Pair(
            prepare(ProgramState.of(program, ports)),
            prepare(ProgramState.of(program.rewritten(), ports)),
        )

    def question(self, stack, port, overrides=None, sender=None, constants=True):
        """Return the question about packets of a stack that arrive at a port."""
        overrides = {name: text for name, text in (overrides or {}).items() if name in fields_of(stack)}
        skeleton = make_skeletons([stack], sender or SenderView(), overrides, constants=constants)[0]
        message, _ = packet_ins(self.twin.config, self.twin.switch, port, skeleton)[0]
        return HandlerQuestion(self.twin.core, "s1", message, skeleton)

    def explore(self, question) -> ConcolicClasses:
        return ConcolicExplorer(self.twin.program).explore(question)

    def original_lines(self, question, values):
        message = self.original.packet_in(question.skeleton, question.message.in_port, values)
        return self.original.lines(message, self.twin.program.own_files)

    def confirm(self, answer):
        """Assert that every witness takes the predicted lines in the original, with the same effects."""
        for one in answer.classes:
            reaction, lines = self.original_lines(one.question, one.witness)
            assert lines == one.lines, one.path.readable
            assert (reaction.messages, reaction.events) == one.handler_run, one.path.readable
        both = {(one.path.trail, one.lines) for one in answer.classes}  # trails distinguish the same runs as lines
        assert len({trail for trail, _ in both}) == len({lines for _, lines in both}) == len(both)

    def check_pure(self, question, answer, models=5):
        """Assert that further members of each class take the same path, and that no run diverged."""
        assert answer.exploration.divergences == ()
        purity = check_purity(answer.exploration, ConcolicExplorer(self.twin.program).task(question).run, models)
        assert purity, purity.impure[0]
        return purity.models

    def random_lines_are_explored(self, question, answer, count, seed=0):
        """Assert that random packets, many with values that occur in conditions, take only predicted lines."""
        chance, skeleton = random.Random(seed), question.skeleton
        special: dict[int, set[int]] = {}
        for one in answer.classes:
            for width, values in _constants(one.path.condition).items():
                special.setdefault(width, set()).update(values)
        predicted = {one.lines for one in answer.classes}
        seen = set()
        for _ in range(count):
            values = {
                field.name: random_value(chance, field, domain, sorted(special.get(field.bits, ())))
                for field, domain in skeleton.symbolic
                if not field.computed
            }
            _, lines = self.original_lines(question, values)
            assert lines in predicted, (values, [one.path.readable for one in answer.classes if one.contains(values)])
            seen.add(lines)
        return len(seen), len(predicted)


def fields_of(stack):
    """Return the names of the fields of a stack."""
    return {field.name for field in stack_of(stack).fields}


def random_value(chance, field, domain, special):
    """Return a value of a domain: in half of the cases one that occurs in a condition, or a neighbour, if any."""
    near = [value for value in special if value in domain]
    if near and chance.random() < 0.5:
        value = chance.choice(near) + chance.choice((0, 0, 1, -1))
        return value if value in domain else chance.choice(near)
    return chance.randint(*chance.choice(domain.ranges))
