"""Fingerprints of programs of actors, by which a trace is recognised."""

import hashlib
import inspect
from collections.abc import Iterator
from typing import Any

from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.trace import Fingerprints, code_fingerprint


def actor_fingerprints(program: Program) -> Fingerprints:
    """Hashes of how the program starts and what is checked, and of the code of its actors and checks."""
    cells = sorted(map(stable_text, program.initial_cells(PLAIN).items()))
    tasks = sorted(map(stable_text, program.initial_tasks(PLAIN)))
    actors = [(actor.name, type(actor).__qualname__) for actor in program.actors]
    declared = stable_text((actors, cells, tasks, ActorSemantics(program).property_names))
    code = code_fingerprint(_functions(program))
    if program.origin is not None:
        code += hashlib.sha256(program.origin.file.read_bytes()).hexdigest()
    return Fingerprints(_digest(declared), _digest(code))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _functions(program: Program) -> Iterator[Any]:
    """The functions of the user's classes, each class once, and the checks."""
    kinds = dict.fromkeys(base for actor in (*program.actors, *program.monitors) for base in type(actor).__mro__)
    for kind in kinds:
        if kind is not object and not kind.__module__.startswith("sdnloom."):
            yield from (inspect.unwrap(part) for part in vars(kind).values() if inspect.isfunction(part))
    yield from (*program.final, *program.always)
