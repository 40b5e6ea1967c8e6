"""os-ken and Ryu apps under exploration: one instance of the apps, whose code follows symbolic values.

The message that brings a packet is real: our codec writes its bytes and os-ken's parser reads them. Then its data, and
nothing else, are put in place of what was read. App code and os-ken's packet library are rewritten; the parts of os-ken
that build and send messages are not, for what they are given is what an app has decided already.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import os_ken
from os_ken.lib import addrconv
from os_ken.ofproto import ofproto_parser

from sdnloom.network.controller import Came
from sdnloom.platforms.osken import OskenProgram, Step
from sdnloom.platforms.subject import Attempt
from sdnloom.symbolic.operations_calls import trust
from sdnloom.symbolic.rewrite import rewrite
from sdnloom.symbolic.shims import converters, install

_HERE = Path(__file__).parent.parent
_OSKEN = Path(os_ken.__file__).parent
_PACKET_IN = 10  # OFPT_PACKET_IN in every version
trust("os_ken")
install()


class SymbolicOsken(OskenProgram):
    """Apps as a program that can be explored. It reacts as the same apps do when nothing of them is rewritten."""

    def __init__(self, apps: Sequence[str | Path], **options: Any) -> None:
        super().__init__(apps, compiler=rewrite, **options)
        self._world.stand_in(addrconv, converters(addrconv))

    def rewritten(self) -> "SymbolicOsken":
        """The program itself."""
        return self

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files of the apps, and of the parts of os-ken that have state for them."""
        return tuple(sorted(_files(self._world.own.modules.values())))

    @property
    def library(self) -> tuple[str, ...]:
        """os-ken's libraries."""
        return (str(_OSKEN / "lib"),)

    @property
    def quiet(self) -> tuple[str, ...]:
        """The rest of os-ken, where it is not part of the program, and what runs it."""
        return (str(_OSKEN), *(str(_HERE / name) for name in ("platforms", "network")))

    @property
    def parsers(self) -> tuple[str, ...]:
        """os-ken's packet library."""
        return (str(_OSKEN / "lib" / "packet"),)

    def attempt(self, core: Any, given: Came, data: bytes) -> Attempt:
        """What the apps do in a state about a message whose data are these."""
        with self._world.running():
            self._states.bring(core)
            with _data(data):
                done = self._run(Step(given))
        return Attempt(done.messages, done.events)


def _files(modules: Any) -> Iterator[Path]:
    for module in modules:
        assert isinstance(module, ModuleType)
        if module.__file__:
            yield Path(module.__file__)


@contextlib.contextmanager
def _data(data: bytes) -> Iterator[None]:
    """While this lasts, the data of a packet that comes in are these."""
    parse = ofproto_parser.msg

    def msg(datapath: Any, version: int, msg_type: int, *rest: Any) -> Any:
        message = parse(datapath, version, msg_type, *rest)
        if msg_type == _PACKET_IN and message is not None:
            message.data = data
        return message

    ofproto_parser.msg = msg
    try:
        yield
    finally:
        ofproto_parser.msg = parse
