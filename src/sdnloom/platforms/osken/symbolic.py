"""os-ken and Ryu apps under exploration: apps whose code follows symbolic values.

The message that carries a packet is real: sdnloom's codec writes its bytes and os-ken's parser reads them. Then only
its data is replaced by the symbolic one. App code and os-ken's packet library are rewritten; the parts of os-ken that
build and send messages are not, for the app has decided before it calls them.
"""

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import os_ken
from os_ken.lib import addrconv
from os_ken.ofproto import ofproto_parser

from sdnloom.engine.stop_points import shielded
from sdnloom.network.openflow import StatsReply
from sdnloom.network.openflow.tables import STATS_REPLY
from sdnloom.network.program import MessageIn
from sdnloom.network.reply_counters import StatisticsKind, kind_of
from sdnloom.platforms.capture.states import StateId
from sdnloom.platforms.explorable import HandlerRun, Holders, MessageContent
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.osken.sandbox import Sandbox
from sdnloom.platforms.program_base import ProgramStep
from sdnloom.symbolic.execution import start_trail
from sdnloom.symbolic.operations.calls import trust
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.shims import converters, install

_HERE = Path(__file__).parents[2]  # the package
_OSKEN = Path(os_ken.__file__).parent
_READERS = tuple(str(_OSKEN / "lib" / name) for name in ("packet", "ip.py", "mac.py"))
_PACKET_IN = 10  # OFPT_PACKET_IN in every version

trust("os_ken")
install()


class SymbolicOsken(OskenProgram):
    """Apps as a program that can be explored. Law: it reacts as the same apps without rewriting."""

    def __init__(self, apps: Sequence[str | Path], **options: Any) -> None:
        super().__init__(apps, compiler=_rewritten, **options)

    def _new_sandbox(self) -> Sandbox:
        sandbox = super()._new_sandbox()
        sandbox.stand_in(addrconv, converters(addrconv))
        return sandbox

    def rewritten(self) -> "SymbolicOsken":
        """The program itself."""
        return self

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files of the apps, and of the os-ken modules of which they have copies."""
        return tuple(sorted(_files(self._sandbox.own.modules.values())))

    @property
    def library(self) -> tuple[str, ...]:
        """os-ken's libraries."""
        return (str(_OSKEN / "lib"),)

    @property
    def quiet(self) -> tuple[str, ...]:
        """The rest of os-ken, and the platform."""
        return (str(_OSKEN), *(str(_HERE / name) for name in ("platforms", "network")))

    @property
    def parsers(self) -> tuple[str, ...]:
        """os-ken's packet library."""
        return (str(_OSKEN / "lib" / "packet"),)

    def attempt(self, core: Any, given: MessageIn, content: MessageContent | None = None) -> HandlerRun:
        """Run the handlers of a message in a state, with other content in the message."""
        with shielded(), self._running():
            self._states.restore(core)
            start_trail()
            with contextlib.nullcontext() if content is None else _carrying(content):
                done = self._run(ProgramStep(given))
        return HandlerRun(done.messages, done.events)

    def run_changed(
        self, core: StateId, given: MessageIn, change: Callable[[Holders], None], content: MessageContent | None = None
    ) -> HandlerRun:
        """Run the handlers of a message in a state that is changed first, with other content in the message."""

        def begin(holders: Holders) -> None:
            start_trail()
            change(holders)

        with shielded(), self._running(), self.log.muted():
            self._states.restore(core)  # outside of the next context: it may take steps again
            with contextlib.nullcontext() if content is None else _carrying(content):
                return self._run_from(core, given, begin)


def _rewritten(source: bytes, file: str) -> CodeType:
    """The rewritten code of a module; lines are recorded except in os-ken's packet library."""
    return rewrite(source, file, watched=not file.startswith(_READERS))


def _files(modules: Any) -> Iterator[Path]:
    for module in modules:
        assert isinstance(module, ModuleType)
        if module.__file__:
            yield Path(module.__file__)


@contextlib.contextmanager
def _carrying(content: MessageContent) -> Iterator[None]:
    """Context in which received packets, or the counters of replies, are replaced by this content."""
    parse = ofproto_parser.msg

    def msg(datapath: Any, version: int, msg_type: int, *rest: Any) -> Any:
        message = parse(datapath, version, msg_type, *rest)
        if isinstance(content, bytes):
            if msg_type == _PACKET_IN and message is not None:
                message.data = content
        elif msg_type == STATS_REPLY.get(version) and message is not None:
            message.body = _with_counters(message.body, content)
        return message

    ofproto_parser.msg = msg
    try:
        yield
    finally:
        ofproto_parser.msg = parse


def _with_counters(body: Any, reply: StatsReply) -> Any:
    """os-ken's body of a reply with the counters of another one."""
    kind = kind_of(reply)
    assert kind is not None
    given = getattr(reply, kind.rows) if kind.rows else (reply,)
    if not isinstance(body, list):
        return _counted(body, given[0], kind)
    return [_counted(row, each, kind) for row, each in zip(body, given, strict=True)]


def _counted(row: Any, given: Any, kind: StatisticsKind) -> Any:
    """os-ken's row of counters with other values."""
    if hasattr(row, "_fields"):
        counted = row._replace(**{name: getattr(given, name) for name in kind.counters if name in row._fields})
        counted.length = row.length
        return counted
    counted = copy.copy(row)
    for name in kind.counters:
        setattr(counted, name, getattr(given, name))
    if kind.parts is not None:
        attribute = f"{kind.parts[1]}_stats"  # bucket_stats, band_stats
        pairs = zip(getattr(row, attribute), getattr(given, kind.parts[0]), strict=True)
        setattr(counted, attribute, [type(part)(*pair) for part, pair in pairs])
    return counted
