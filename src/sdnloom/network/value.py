"""Values that print as short, valid Python: the base class of packets and OpenFlow messages, and addresses.

Addresses are integers: they hash and compare fast, a mask is one `&`, encoding is one `to_bytes`, and they can be
symbolic integers. This module converts them to text and back.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from sdnloom.errors import SdnloomError


class AddressError(SdnloomError):
    """A text is no MAC or IP address."""


_MAC = re.compile(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}")


def mac(text: str) -> int:
    """Return the number of a MAC address written `aa:bb:cc:dd:ee:ff`."""
    if not _MAC.fullmatch(text):
        raise AddressError(f"{text!r} is no MAC address: expected six hexadecimal bytes such as 00:00:00:00:00:01")
    return int(text.replace(":", ""), 16)


def ip(text: str) -> int:
    """Return the number of an IPv4 or IPv6 address. The family is not kept: `ip('::1') == ip('0.0.0.1')`."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise AddressError(f"{text!r} is no IP address: expected one such as 10.0.0.1 or fe80::1") from None
    if "%" in text:
        raise AddressError(f"{text!r} is no IP address alone: expected one without a zone after %")
    return int(address)


def mac_text(address: int) -> str:
    """Return `aa:bb:cc:dd:ee:ff`."""
    return address.to_bytes(6, "big").hex(":")


def ip4_text(address: int) -> str:
    """Return the dotted form of an IPv4 address."""
    return ".".join(map(str, address.to_bytes(4, "big")))


def ip6_text(address: int) -> str:
    """Return the shortest form of an IPv6 address."""
    return str(ipaddress.IPv6Address(address))


class Show:
    """The form in which `repr` prints a number; the text evaluates to the number."""

    def __init__(self, bits: int, text: Callable[[int], str]) -> None:
        self.bits, self.text = bits, text

    def __call__(self, number: Any) -> str:
        return self.text(int(number)) if isinstance(number, int) and 0 <= number < 1 << self.bits else _plain(number)


def hexadecimal(number: int) -> str:
    """Return a hexadecimal literal, or a decimal one for a single digit."""
    return str(number) if number < 10 else hex(number)


def _plain(content: Any) -> str:
    # A member of an IntEnum equals its number, so it must print as the number.
    return int.__repr__(content) if isinstance(content, int) and not isinstance(content, bool) else repr(content)


Mac = Annotated[int, Show(48, lambda number: f"mac({mac_text(number)!r})")]
Ip4 = Annotated[int, Show(32, lambda number: f"ip({ip4_text(number)!r})")]
Ip6 = Annotated[int, Show(128, lambda number: f"ip({ip6_text(number)!r})")]
Hex = Annotated[int, Show(128, hexadecimal)]


_LAYOUTS: dict[type, tuple[tuple[str, Any, Callable[[Any], str]], ...]] = {}


def _layout(cls: type[Any]) -> tuple[tuple[str, Any, Callable[[Any], str]], ...]:
    known = _LAYOUTS.get(cls)
    if known is not None:
        return known
    hints = get_type_hints(cls, include_extras=True)
    rows = []
    for each in sorted(fields(cls), key=lambda each: each.kw_only is True):  # keyword-only fields last
        hint = hints[each.name]
        shows = [note for note in get_args(hint)[1:] if isinstance(note, Show)] if get_origin(hint) is Annotated else []
        rows.append((each.name, each.default, shows[0] if shows else _plain))
    return _LAYOUTS.setdefault(cls, tuple(rows))


class Value:
    """Base of frozen dataclasses (`repr=False`): `repr` is the call that builds the value, without defaults.

    Law: equal values print the same text, in every process and under every hash seed.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={shown}' for name, _, shown in shown_fields(self))})"


def shown_field(value: Value, name: str) -> str:
    """The text of one field, also if it has its default."""
    [show] = [show for each, _, show in _layout(type(value)) if each == name]
    return show(getattr(value, name))


def shown_fields(value: Value) -> list[tuple[str, Any, str]]:
    """Name, content and text of each field that has no default."""
    found = []
    for name, default, show in _layout(type(value)):
        content = getattr(value, name)
        if default is MISSING or content != default:
            found.append((name, content, show(content)))
    return found
