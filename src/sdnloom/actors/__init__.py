"""Programs of actors: `async def` tasks, unordered mailboxes, futures and barriers; every order is searched."""

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.load import load_program
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.values import tag

__all__ = ["Actor", "ActorError", "Monitor", "Program", "load_program", "tag"]
