"""A program in a state: it and its rewritten twin are given the same inputs, and the switch answers as it does."""

import random
from dataclasses import dataclass, replace

from sdnloom.inputs.concolic import ConcolicClasses, ConcolicExplorer
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.flow_tables import packet_in_template
from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.network.openflow import V10, V13
from sdnloom.network.program import MessageIn, SwitchUp
from sdnloom.network.switch import Switch, initial_switch_core, plain_ports, receive_message, receive_packet
from sdnloom.platforms.line_trace import line_trace
from sdnloom.symbolic.sampler import _constants
from sdnloom.symbolic.self_check import check_purity

VERSIONS = {"1.0": V10, "1.3": V13}


@dataclass(frozen=True)
class Standing:
    """A program, the state it is in, and its only switch."""

    program: object
    core: object
    config: Switch
    switch: object

    @staticmethod
    def of(program, ports=(1, 2, 3)):
        """The program when its switch has joined."""
        version = VERSIONS[getattr(program, "version", "1.0")]
        config = Switch(1, plain_ports(*ports), version=version)
        started = Standing(program, program.initial(), config, initial_switch_core(config))
        return started.given(SwitchUp("s1", 1, config.ports))

    def given(self, *inputs):
        """The program after it was given these, and after the switch's answers have come."""
        core, switch, todo = self.core, self.switch, list(inputs)
        while todo:
            reaction = self.program.handle(core, todo.pop(0))[0]
            core = reaction.core
            for _, message in reaction.messages:
                outcome = receive_message(self.config, switch, message)[0]
                switch = outcome.core
                todo += [MessageIn("s1", answer) for answer in outcome.messages]
        return replace(self, core=core, switch=switch)

    def received(self, skeleton, port, values):
        """The program after the switch has received the packet with these values."""
        outcome = receive_packet(self.config, self.switch, port, skeleton.packet(values))[0]
        return replace(self, switch=outcome.core).given(*(MessageIn("s1", message) for message in outcome.messages))

    def came(self, skeleton, port, values):
        """The packet with these values as it comes in at a port."""
        frame = skeleton.frame(values)
        message = packet_in_template(self.config, self.switch, port, skeleton)
        return MessageIn("s1", replace(message, data=frame, total_len=len(frame)))

    def lines(self, given, files):
        """The lines that run when the program is given this."""
        self.program.prepare(self.core)
        reactions, lines = line_trace(lambda: self.program.handle(self.core, given), files)
        return reactions[0], lines


@dataclass(frozen=True)
class Pair:
    """The program as it was written and its twin, in the same state."""

    original: Standing
    twin: Standing

    @staticmethod
    def of(program, prepare=lambda standing: standing, ports=(1, 2, 3)):
        return Pair(
            prepare(Standing.of(program, ports)),
            prepare(Standing.of(program.rewritten(), ports)),
        )

    def question(self, stack, port, said=None, setting=None):
        """What is asked about packets of a stack that come in at a port."""
        skeleton = make_skeletons([stack], setting or SenderView(), said or {})[0]
        message = packet_in_template(self.twin.config, self.twin.switch, port, skeleton)
        return HandlerQuestion(self.twin.core, "s1", message, skeleton)

    def explored(self, question) -> ConcolicClasses:
        return ConcolicExplorer(self.twin.program).explore(question)

    def original_lines(self, question, values):
        given = self.original.came(question.skeleton, question.message.in_port, values)
        return self.original.lines(given, self.twin.program.own_files)

    def confirm(self, answer):
        """Every witness takes the predicted lines in the program as it was written, and it does the same about it."""
        for one in answer.classes:
            reaction, lines = self.original_lines(one.question, one.witness)
            assert lines == one.lines, one.path.readable
            assert (reaction.messages, reaction.events) == one.handler_run, one.path.readable
        both = {(one.path.trail, one.lines) for one in answer.classes}  # trails tell the runs apart that lines do
        assert len({trail for trail, _ in both}) == len({lines for _, lines in both}) == len(both)

    def pure(self, question, answer, models=20):
        """Further members of each class take the same path; no run did anything that was not predicted."""
        assert answer.exploration.divergences == ()
        purity = check_purity(answer.exploration, ConcolicExplorer(self.twin.program).task(question).run, models)
        assert purity, purity.impure[0]
        return purity.models

    def random_lines_are_explored(self, question, answer, count, seed=0):
        """Random packets, many of them with values that occur in conditions, take only lines that were predicted."""
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


def random_value(chance, field, domain, special):
    """A value of a domain: half of the time one that a condition names, or a neighbour of it, if there are any."""
    near = [value for value in special if value in domain]
    if near and chance.random() < 0.5:
        value = chance.choice(near) + chance.choice((0, 0, 1, -1))
        return value if value in domain else chance.choice(near)
    return chance.randint(*chance.choice(domain.ranges))
