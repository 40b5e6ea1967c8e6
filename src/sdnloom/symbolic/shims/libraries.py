"""`ipaddress` and `netaddr` for symbolic values: rewritten copies that parse and print a symbolic address in one step.

Rewriting alone would parse an address character by character; here the text of an address gives its number, and
a number its text, at once. All other code of these libraries is their own, rewritten.
"""

import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.values.make import IPV4, MAC, Ipv6Style, MacStyle, NumberStyle, SymInt, SymStr
from sdnloom.symbolic.values.sym_str import WrittenNumber, text_of_number


def ipaddress_module() -> ModuleType:
    """Return a module `ipaddress` that accepts symbolic addresses."""
    replacement = RewrittenModules(lambda name: name == "ipaddress").load("ipaddress")
    for base, accepts, style in (
        (replacement._BaseV4, _is_ipv4, IPV4),
        (replacement._BaseV6, _is_ipv6, Ipv6Style(_compressed(replacement._BaseV6._string_from_ip_int))),
    ):
        base._ip_int_from_string = classmethod(_reader(base._ip_int_from_string.__func__, accepts))
        base._string_from_ip_int = classmethod(_writer(base._string_from_ip_int.__func__, style))
    return replacement


def netaddr_module() -> ModuleType | None:
    """Return a package `netaddr` that accepts symbolic addresses, or None if it is not installed."""
    if importlib.util.find_spec("netaddr") is None:
        return None
    modules = RewrittenModules(lambda name: name.partition(".")[0] == "netaddr")
    replacement = modules.load("netaddr")
    ipv4, ipv6, eui48 = (modules.load(f"netaddr.strategy.{name}") for name in ("ipv4", "ipv6", "eui48"))
    write = ipv6.int_to_str
    for module, accepts, style in (
        (ipv4, _is_ipv4, IPV4),
        (ipv6, _is_ipv6, Ipv6Style(lambda number: str(write(number)))),
    ):
        _wrap(module, accepts, lambda *options, style=style: style if not any(options) else None)
    _wrap(eui48, _is_mac, lambda dialect=None: _mac_style(dialect))
    return replacement


def _wrap(module: Any, accepts: Callable[[NumberStyle], bool], style: Callable[..., NumberStyle | None]) -> None:
    """Replace the parsing and the printing function of one of netaddr's strategies."""
    read, write = module.str_to_int, module.int_to_str

    def str_to_int(text: Any, *options: Any) -> Any:
        number = number_written_in(text, accepts)
        return read(text, *options) if number is None else number

    def int_to_str(number: Any, *options: Any) -> Any:
        found = style(*options) if isinstance(number, SymInt) else None
        return write(number, *options) if found is None else text_of_number(number, found)

    module.str_to_int, module.int_to_str = str_to_int, int_to_str


def number_written_in(text: Any, accepts: Callable[[NumberStyle], bool]) -> int | None:
    """Return the number of a symbolic text in an accepted style, or None."""
    if isinstance(text, SymStr) and len(text.pieces) == 1 and isinstance(only := text.pieces[0], WrittenNumber):
        return only.number if accepts(only.style) else None
    return None


def _is_ipv4(style: NumberStyle) -> bool:
    return style == IPV4


def _is_ipv6(style: NumberStyle) -> bool:
    return isinstance(style, Ipv6Style)


def _is_mac(style: NumberStyle) -> bool:
    return isinstance(style, MacStyle) and style.octets == MAC.octets


def _mac_style(dialect: Any) -> NumberStyle | None:
    if dialect is not None and dialect.word_size == 8 and dialect.word_fmt in ("%.2x", "%02x"):
        return MacStyle(MAC.octets, dialect.word_sep)
    return None


def _compressed(write: Callable[[int], str]) -> Callable[[int], str]:
    """Return the original function that prints a plain address."""
    return lambda number: write(number)


def _reader(read: Callable[..., Any], accepts: Callable[[NumberStyle], bool]) -> Callable[..., Any]:
    def from_string(cls: Any, text: Any) -> Any:
        number = number_written_in(text, accepts)
        return read(cls, text) if number is None else number

    return from_string


def _writer(write: Callable[..., Any], style: NumberStyle) -> Callable[..., Any]:
    def to_string(cls: Any, number: Any = None) -> Any:
        return text_of_number(number, style) if isinstance(number, SymInt) else write(cls, number)

    return to_string
