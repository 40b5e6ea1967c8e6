"""Reads values of the network that a trace file has as text. Nothing is evaluated: only known kinds are built."""

import ast
from collections.abc import Callable
from enum import Enum
from inspect import getmembers, isclass
from typing import Any, Final

from sdnloom.engine.path import QuotedMessage
from sdnloom.network.openflow import actions, constants, messages, stats
from sdnloom.network.openflow.match import Match
from sdnloom.network.packet import headers
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp
from sdnloom.network.value import Value, ip, mac

_LONGEST: Final = 100_000  # characters that are read
_BUILT: Final[dict[str, Callable[..., Any]]] = {
    **{each.__name__: each for each in (SwitchUp, SwitchDown, Carrier, EpochMessage, EpochSwitchUp)},
    **{
        name: kind
        for module in (messages, stats, actions, headers)
        for name, kind in getmembers(module, isclass)
        if issubclass(kind, Value)
    },
    "mac": mac,
    "ip": ip,
    "Match.of": Match.of,
}
_CONSTANTS: Final[dict[str, Any]] = {
    **{name: value for name, value in vars(constants).items() if isinstance(value, int) and name.isupper()},
    **{
        f"{name}.{member.name}": member
        for name, kind in getmembers(constants, isclass)
        if issubclass(kind, Enum)
        for member in kind
    },
}


def unquoted_message(message: Any) -> Any:
    """The message that a quoted one stands for; the quoted one itself if it is of no known kind."""
    if not isinstance(message, QuotedMessage) or len(message.text) > _LONGEST:
        return message
    try:
        return _read(ast.parse(message.text, mode="eval").body)
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError, OverflowError):
        return message
    except Exception as error:  # a field has a value that its kind refuses
        if type(error).__module__.startswith("sdnloom."):
            return message
        raise


def _read(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=str() | bytes() | int() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case ast.Tuple(elts=parts):
            return tuple(map(_read, parts))
        case ast.Call(func=function, args=arguments, keywords=named):
            if any(each.arg is None for each in named):
                raise ValueError
            build = _BUILT[_name(function)]
            return build(*map(_read, arguments), **{str(each.arg): _read(each.value) for each in named})
    return _CONSTANTS[_name(node)]


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
    raise ValueError
