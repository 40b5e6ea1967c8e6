"""Fingerprints of scenarios and programs, by which a trace is recognised."""

import hashlib
import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path

from sdnloom.engine.model import Property
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.trace import code_fingerprint
from sdnloom.inputs.clients import with_pools
from sdnloom.inputs.statistics import with_answers
from sdnloom.network.network import Network
from sdnloom.network.program import DefinedByClass, Program, capability


def declared_fingerprint(network: Network, properties: Iterable[Property]) -> str:
    """A hash of network and properties. Code and discovered inputs are left out: a trace has its own inputs."""
    declared = with_answers(with_pools(network, {}), {})
    asked = [(prop.name, prop.needs.value, prop.sometimes) for prop in properties]
    return _digest([stable_text(declared).encode(), stable_text(asked).encode()])


def program_fingerprint(program: Program, files: Sequence[Path]) -> str:
    """A hash of the program's files or, if there are none, of the methods of its class."""
    if files:
        return _digest([file.read_bytes() for file in files])
    defined = capability(program, DefinedByClass)
    kind = defined.kind if defined else type(program)
    return code_fingerprint(part for base in kind.__mro__ for part in vars(base).values() if inspect.isfunction(part))


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()[:32]
