"""One input on one agent as text: what went in and came out step by step, and whether it is what the file says."""

from dataclasses import dataclass

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.witness_file import SwitchWitness
from sdnloom.report.crosscheck.event_text import step_texts
from sdnloom.report.crosscheck.input_text import case_steps, input_line


@dataclass(frozen=True, slots=True)
class TriedWitness:
    """What an agent did with the input of a witness file; `like` is the agent of the file that counts, None for any."""

    witness: SwitchWitness
    agent: str
    output: AgentOutput
    like: str | None = None

    @property
    def alike(self) -> tuple[str, ...]:
        """The agents of the file that did the same."""
        pairs = zip(self.witness.agents, self.witness.outputs, strict=True)
        return tuple(name for name, output in pairs if output == self.output)

    @property
    def same(self) -> bool:
        """Whether the agent did what the file says."""
        return bool(self.alike) if self.like is None else self.like in self.alike


def tried_text(tried: TriedWitness) -> str:
    """The whole report."""
    witness = tried.witness
    case = witness.test.case(witness.case)
    lines = [f"{'SAME' if tried.same else 'DIFFERS'} {tried.agent}: {_verdict(tried)}"]
    if witness.condition:
        lines.append(f"condition: {witness.condition}")
    lines.append(f"input: {input_line(case, witness.values, witness.test.version)}")
    others = [(name, out) for name, out in zip(witness.agents, witness.outputs, strict=True) if out != tried.output]
    for number, (step, events) in enumerate(zip(case_steps(case, witness.values), tried.output, strict=True)):
        lines += ["", f"{number + 1}. {step.title}"]
        lines += [f"     {step.octets.hex()}"] if step.octets else []
        lines += [f"   -> {text}" for text in step_texts(events, witness.test.version)]
        for name, output in others:
            recorded = output[number] if number < len(output) else ()
            if recorded != events:
                lines += [f"      {name} in the file: {text}" for text in step_texts(recorded, witness.test.version)]
    return "\n".join(lines) + "\n"


def _verdict(tried: TriedWitness) -> str:
    if tried.alike:
        same = f"it did what {' and '.join(tried.alike)} did"
        return same if tried.same else f"{same}, not what {tried.like} did"
    return f"it did not what {tried.like or ' or '.join(tried.witness.agents)} did"
