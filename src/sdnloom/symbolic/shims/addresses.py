"""Addresses as text and as bytes: shims of `socket`, `binascii` and the address converters of libraries.

An address in text keeps its number, so converting it back and forth changes nothing and a comparison with a
constant is one condition on the bits.
"""

import binascii
import socket
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sdnloom.symbolic.values.make import (
    IPV4,
    MAC,
    Ipv6Style,
    NumberStyle,
    SymBytes,
    SymInt,
    SymStr,
    concrete,
    concretise_all,
    has_symbolic,
)
from sdnloom.symbolic.values.sym_bytes import (
    bytes_of,
    bytes_of_hex,
    bytes_of_int,
    bytes_of_units,
    hex_digits,
    int_of_bytes,
)
from sdnloom.symbolic.values.sym_str import WrittenNumber, text_of_number


def _write_ipv6(number: int) -> str:
    return socket.inet_ntop(socket.AF_INET6, number.to_bytes(16, "big"))


SOCKET_IPV6 = Ipv6Style(_write_ipv6)


def bytes_to_text(value: Any, style: NumberStyle, original: Callable[[Any], str]) -> str:
    """Return an address in bytes as text; `original` converts plain bytes."""
    if not isinstance(value, SymBytes):
        return original(value)
    number = int_of_bytes(value)
    text = original(value.concrete())
    assert style.render(concrete(number)) == text, f"{style} does not write {text!r}"
    return text_of_number(number, style)


def text_to_bytes(value: Any, style: NumberStyle, size: int, original: Callable[[str], Any]) -> Any:
    """Return an address in text as bytes; `original` converts plain text and text in another style."""
    if isinstance(value, SymStr):
        only = value.pieces[0]
        if len(value.pieces) == 1 and isinstance(only, WrittenNumber) and _same_form(only.style, style):
            return bytes_of_int(only.number, size, "big", False)
        return original(value.concretise("address of unusual text"))
    return original(value)


def _same_form(left: NumberStyle, right: NumberStyle) -> bool:
    return left == right or (isinstance(left, Ipv6Style) and isinstance(right, Ipv6Style))


def inet_aton(text: Any) -> bytes:
    """Return an IPv4 address as bytes."""
    found: bytes = text_to_bytes(text, IPV4, 4, socket.inet_aton)
    return found


def inet_ntoa(value: Any) -> str:
    """Return an IPv4 address as text."""
    return bytes_to_text(bytes_of(value), IPV4, socket.inet_ntoa) if has_symbolic(value) else socket.inet_ntoa(value)


def inet_pton(family: int, text: Any) -> bytes:
    """Return an address of a family as bytes."""
    style, size = (IPV4, 4) if family == socket.AF_INET else (SOCKET_IPV6, 16)
    found: bytes = text_to_bytes(text, style, size, lambda each: socket.inet_pton(family, each))
    return found


def inet_ntop(family: int, value: Any) -> str:
    """Return an address of a family as text."""
    if not has_symbolic(value):
        return socket.inet_ntop(family, value)
    style = IPV4 if family == socket.AF_INET else SOCKET_IPV6
    return bytes_to_text(bytes_of(value), style, lambda each: socket.inet_ntop(family, each))


def _byte_swap(size: int, original: Callable[[int], int]) -> Callable[[Any], int]:
    def convert(number: Any) -> int:
        if not isinstance(number, SymInt) or original(1) == 1:
            return number if isinstance(number, SymInt) else original(number)
        return int_of_bytes(bytes_of_int(number, size, "big", False), "little")

    return convert


htons, ntohs = _byte_swap(2, socket.htons), _byte_swap(2, socket.ntohs)
htonl, ntohl = _byte_swap(4, socket.htonl), _byte_swap(4, socket.ntohl)


def hexlify(data: Any, *separators: Any) -> bytes:
    """Return bytes as hexadecimal digits."""
    if not has_symbolic(data):
        return binascii.hexlify(data, *separators)
    if separators:
        concretise_all(data, "hexlify with a separator")
        return binascii.hexlify(concrete(bytes_of(data)), *separators)
    plain = binascii.hexlify(concrete(bytes_of(data)))
    return bytes_of_units(plain, hex_digits(data))


def unhexlify(text: Any) -> bytes:
    """Return the bytes of hexadecimal digits."""
    if not has_symbolic(text):
        return binascii.unhexlify(text)
    units = text.units()
    codes = [ord(char) for char in text.concrete()] if isinstance(text, SymStr) else list(text.concrete())
    if len(units) % 2:
        raise binascii.Error("Odd-length string")
    try:
        return bytes_of_hex(units, codes)
    except ValueError:
        raise binascii.Error("Non-hexadecimal digit found") from None


def address_replacements() -> dict[Any, Any]:
    """Return the functions that rewritten code calls instead of the originals if an argument is symbolic."""
    found = {getattr(socket, name): globals()[name] for name in _SOCKET}
    found |= {
        binascii.hexlify: hexlify,
        binascii.b2a_hex: hexlify,
        binascii.unhexlify: unhexlify,
        binascii.a2b_hex: unhexlify,
    }
    return found


_SOCKET = ("inet_aton", "inet_ntoa", "inet_pton", "inet_ntop", "htons", "ntohs", "htonl", "ntohl")


def socket_module() -> ModuleType:
    """Return a module `socket` for code that is not rewritten."""
    return _with_names(socket, {name: globals()[name] for name in _SOCKET})


def binascii_module() -> ModuleType:
    """Return a module `binascii` for code that is not rewritten."""
    return _with_names(binascii, {"hexlify": hexlify, "b2a_hex": hexlify, "unhexlify": unhexlify, "a2b_hex": unhexlify})


def _with_names(module: ModuleType, names: dict[str, Any]) -> ModuleType:
    replacement = ModuleType(module.__name__, module.__doc__)
    vars(replacement).update(vars(module))
    vars(replacement).update(names)
    return replacement


class AddressConverter:
    """An address converter of a library (`text_to_bin`, `bin_to_text`) that also converts symbolic values."""

    def __init__(self, original: Any, style: NumberStyle, size: int) -> None:
        self._original, self._style, self._size = original, style, size

    def text_to_bin(self, text: Any) -> Any:
        """Return the address as bytes."""
        if isinstance(text, SymStr):
            return text_to_bytes(text, self._style, self._size, self._original.text_to_bin)
        return self._original.text_to_bin(text)

    def bin_to_text(self, value: Any) -> str:
        """Return the address as text."""
        if has_symbolic(value):
            return bytes_to_text(bytes_of(value), self._style, self._original.bin_to_text)
        found: str = self._original.bin_to_text(value)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def converters(module: Any) -> dict[str, AddressConverter]:
    """Return replacements for `mac`, `ipv4` and `ipv6` of a module of converters, such as os-ken's `addrconv`."""

    def write(number: int) -> str:
        found: str = module.ipv6.bin_to_text(number.to_bytes(16, "big"))
        return found

    return {
        "mac": AddressConverter(module.mac, MAC, 6),
        "ipv4": AddressConverter(module.ipv4, IPV4, 4),
        "ipv6": AddressConverter(module.ipv6, Ipv6Style(write), 16),
    }
