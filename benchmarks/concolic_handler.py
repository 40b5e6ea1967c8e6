"""The handler of Ryu's simple_switch_13 as a function of three values, with no controller around it.

Its code is the published file, as it is or rewritten; what it calls of os-ken are stand-ins that only hand values on.
That is the easiest way to run it for any engine: no packet has to be parsed and no message to be serialised.
"""

import sys
import types
from collections.abc import Callable
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

from os_ken.ofproto import ofproto_v1_3

from sdnloom.platforms.osken.ryu_alias import RyuAlias

APP = Path(__file__).parents[1] / ".cache" / "ryu-4.34" / "ryu" / "app" / "simple_switch_13.py"
KNOWN = {"00:00:00:00:00:01": 1, "00:00:00:00:00:02": 2}  # the MAC table: two entries
PORT = 3  # where the packet comes in
LLDP = 0x88CC

Handler = Callable[[str, str, int], tuple[Any, ...]]


class _Parser:
    """Messages are tuples."""

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        return lambda *args, **kwargs: (name, *args, *kwargs.values())


class _Silence:
    def info(self, *args: Any) -> None:
        """Nothing."""

    debug = info


def handler(compiled: CodeType) -> Handler:
    """The messages that the handler sends for a source, a destination and a type."""
    alias = RyuAlias(None, lambda name, path: None, {})  # type: ignore[arg-type, return-value]
    module = types.ModuleType("simple_switch_13")
    sys.meta_path.insert(0, alias)
    try:
        exec(compiled, vars(module))
    finally:
        sys.meta_path.remove(alias)
    kind = module.SimpleSwitch13
    vars(module)["packet"] = SimpleNamespace(Packet=lambda data: SimpleNamespace(get_protocols=lambda kind: [data]))
    handle, add_flow = vars(kind)["_packet_in_handler"], vars(kind)["add_flow"]
    parser, silence = _Parser(), _Silence()

    def run(src: str, dst: str, ethertype: int) -> tuple[Any, ...]:
        sent: list[Any] = []
        datapath = SimpleNamespace(id=1, ofproto=ofproto_v1_3, ofproto_parser=parser, send_msg=sent.append)
        app = SimpleNamespace(mac_to_port={1: dict(KNOWN)}, logger=silence)
        app.add_flow = types.MethodType(add_flow, app)
        frame = SimpleNamespace(src=src, dst=dst, ethertype=ethertype)
        message = SimpleNamespace(
            datapath=datapath, match={"in_port": PORT}, data=frame, msg_len=64, total_len=64, buffer_id=0xFFFFFFFF
        )
        handle(app, SimpleNamespace(msg=message))
        return tuple(message[0] for message in sent)

    return run


def kind_of(src: str, dst: str, ethertype: int) -> tuple[Any, ...]:
    """Which of the eleven classes three values belong to."""
    if ethertype == LLDP:
        return ("lldp",)
    return KNOWN.get(src), KNOWN.get(dst), src == dst and src not in KNOWN
