"""`ipaddress` and `netaddr` for symbolic values: their own code, rewritten in place while code is explored.

Three things are done in one step instead of being followed: parsing the text of an address, writing one, and asking for
its kind ("is it private?"), which is one condition on the number instead of one for each network in a list.
"""

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from sdnloom.symbolic.rewrite.in_place import RewrittenInPlace
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.make import (
    IPV4,
    MAC,
    Ipv6Style,
    MacStyle,
    NumberStyle,
    SymInt,
    SymStr,
)
from sdnloom.symbolic.values.sym_int import bits_needed, concrete_int, fit
from sdnloom.symbolic.values.sym_str import WrittenNumber, concrete_text, text_of_number

_NETADDR: Final = ("compat", "core", "strategy", "strategy.ipv4", "strategy.ipv6", "strategy.eui48", "strategy.eui64",
                   "ip", "ip.sets", "ip.glob", "eui")  # fmt: skip
ADDRESS_CLASSES: Final = frozenset(
    {"IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network", "IPv4Interface", "IPv6Interface",
     "IPAddress", "IPNetwork", "IPRange", "IPGlob", "IPSet", "EUI", "OUI", "IAB"}
)  # fmt: skip


def ipaddress_parts() -> Iterable[RewrittenInPlace]:
    """Return `ipaddress`, rewritten."""
    module = sys.modules["ipaddress"]
    made = RewrittenInPlace(module)
    write = module._BaseV6._string_from_ip_int.__func__
    for base, accepts, style in (
        (module._BaseV4, _is_ipv4, IPV4),
        (module._BaseV6, _is_ipv6, Ipv6Style(lambda number: str(write(module._BaseV6, number)))),
    ):
        read = vars(base)["_ip_int_from_string"].__func__
        made.change_name(base, "_ip_int_from_string", classmethod(_reader(read, accepts)))
        made.change_name(
            base, "_string_from_ip_int", classmethod(_writer(vars(base)["_string_from_ip_int"].__func__, style))
        )
    ends4 = _ends(vars(module._IPv4Constants).values())
    ends6 = [*_ends(vars(module._IPv6Constants).values()), *_mapped(ends4)]
    for kind, ends, width in ((module.IPv4Address, ends4, 32), (module.IPv6Address, ends6, 128)):
        for name, value in list(vars(kind).items()):
            if name.startswith("is_") and isinstance(value, property):
                own: Any = getattr(value.fget, "__wrapped__", value.fget)
                answer = _by_number(own, kind, lambda address: address._ip, ends, width)
                made.change_name(kind, name, property(answer, doc=value.__doc__))
    return [made]


def netaddr_parts() -> Iterable[RewrittenInPlace]:
    """Return the modules of `netaddr`, rewritten."""
    modules = {name: sys.modules.get(f"netaddr.{name}") for name in _NETADDR}
    made = {name: RewrittenInPlace(module) for name, module in modules.items() if module is not None}
    ipv6 = modules["strategy.ipv6"]
    if ipv6 is not None:
        write = ipv6.int_to_str
        _change_strategy(
            made["strategy.ipv6"], _is_ipv6, _without_options(Ipv6Style(lambda number: str(write(number))))
        )
    if "strategy.ipv4" in made:
        _change_strategy(made["strategy.ipv4"], _is_ipv4, _without_options(IPV4))
    if "strategy.eui48" in made:
        _change_strategy(made["strategy.eui48"], _is_mac, _mac_style)
    addresses = modules["ip"]
    if addresses is not None:
        _change_kinds(made["ip"], addresses)
    return made.values()


def _change_kinds(made: RewrittenInPlace, module: Any) -> None:
    """Replace the methods of netaddr's addresses that look into lists of networks."""
    ends = {version: _ends(_constants_of(module, version)) for version in (4, 6)}
    ends[6] += _mapped(ends[4])
    for kind in (module.BaseIP, module.IPAddress):
        for name in _KINDS & vars(kind).keys():
            made.change_name(kind, name, _netaddr_kind(vars(kind)[name], module, ends))


_KINDS: Final = frozenset({"is_reserved", "is_private", "is_global", "is_ipv4_private_use", "is_ipv6_unique_local"})


def _constants_of(module: Any, version: int) -> list[Any]:
    return [value for name, value in vars(module).items() if name.startswith((f"IPV{version}_", f"_IPV{version}"))]


def _netaddr_kind(own: Callable[[Any], Any], module: Any, ends: dict[int, list[int]]) -> Callable[[Any], Any]:
    answers = {
        version: _by_number(own, partial(module.IPAddress, version=version), _value_of, ends[version], width)
        for version, width in ((4, 32), (6, 128))
    }

    def method(self: Any) -> Any:
        return answers[self.version](self) if isinstance(self, module.IPAddress) else own(self)

    return method


def _value_of(address: Any) -> int:
    number: int = address._value
    return number


# The kind of an address, which is the same for all numbers between two neighbouring ends of networks.


def _ends(constants: Iterable[Any]) -> list[int]:
    """Return where the networks, ranges and addresses among some constants begin, and where what follows begins."""
    found: set[int] = set()
    for each in constants:
        if isinstance(each, list | tuple | set | frozenset):
            found.update(_ends(each))
        elif hasattr(each, "network_address"):
            found.update((int(each.network_address), int(each.broadcast_address) + 1))
        elif hasattr(each, "first"):
            found.update((int(each.first), int(each.last) + 1))
        elif hasattr(each, "_ip"):
            found.update((int(each._ip), int(each._ip) + 1))
    return sorted(found)


def _mapped(ends: Iterable[int]) -> list[int]:
    """Return ends of IPv4 networks as those of the addresses that IPv6 maps them to."""
    return [(0xFFFF << 32) + end for end in (0, *ends, 1 << 32)]


def _by_number(
    own: Callable[[Any], Any],
    make: Callable[[int], Any],
    number_of: Callable[[Any], int],
    ends: Iterable[int],
    width: int,
) -> Callable[[Any], Any]:
    """Return a question about an address, with one condition on a symbolic number; `own` asks about a plain one."""
    starts = sorted({0, *(end for end in ends if end < 1 << width)})
    answers: list[Any] = []  # for the numbers from each start to the next

    def question(self: Any) -> Any:
        number = number_of(self)
        if not isinstance(number, SymInt):
            return own(self)
        answers.extend(own(make(start)) for start in starts[len(answers) :])
        bits = max(width, bits_needed(number.low, number.high))
        term = fit(number, bits)
        ranges = []
        for answer, low, high in zip(answers, starts, [*starts[1:], 1 << bits], strict=True):
            if answer:
                above = terms.ule(terms.const(low, bits), term)
                ranges.append(terms.all_(above, terms.ule(term, terms.const(high - 1, bits))))
        return decide(terms.any_(*ranges), bool(answers[bisect_right(starts, concrete_int(number)) - 1]))

    return question


# Text of addresses.


def _change_strategy(
    made: RewrittenInPlace, accepts: Callable[[NumberStyle], bool], style: Callable[..., NumberStyle | None]
) -> None:
    """Replace the parsing and the printing function of one of netaddr's strategies."""
    module: Any = made.module
    read, write = module.str_to_int, module.int_to_str

    def str_to_int(text: Any, *options: Any, **named: Any) -> Any:
        number = number_written_in(text, accepts)
        return read(_plain_if_other(text), *options, **named) if number is None else number

    def int_to_str(number: Any, *options: Any, **named: Any) -> Any:
        found = style(*options, **named) if isinstance(number, SymInt) else None
        return write(number, *options, **named) if found is None else text_of_number(number, found)

    made.change_name(module, "str_to_int", str_to_int)
    made.change_name(module, "int_to_str", int_to_str)


def number_written_in(text: Any, accepts: Callable[[NumberStyle], bool]) -> int | None:
    """Return the number of a symbolic text in an accepted style, or None."""
    if isinstance(text, SymStr) and len(text.pieces) == 1 and isinstance(only := text.pieces[0], WrittenNumber):
        return only.number if accepts(only.style) else None
    return None


def _plain_if_other(text: Any) -> Any:
    """Return the text; without its terms if it is an address of another family, which a parser refuses in any case."""
    other = number_written_in(text, lambda style: _is_ipv4(style) or _is_ipv6(style) or isinstance(style, MacStyle))
    return text if other is None else concrete_text(text)


def _is_ipv4(style: NumberStyle) -> bool:
    return style == IPV4


def _is_ipv6(style: NumberStyle) -> bool:
    return isinstance(style, Ipv6Style)


def _is_mac(style: NumberStyle) -> bool:
    return isinstance(style, MacStyle) and style.octets == MAC.octets


def _without_options(style: NumberStyle) -> Callable[..., NumberStyle | None]:
    return lambda *options, **named: style if not (any(options) or any(named.values())) else None


def _mac_style(dialect: Any = None) -> NumberStyle | None:
    if dialect is not None and dialect.word_size == 8 and dialect.word_fmt in ("%.2x", "%02x"):
        return MacStyle(MAC.octets, dialect.word_sep)
    return None


def _reader(read: Callable[..., Any], accepts: Callable[[NumberStyle], bool]) -> Callable[..., Any]:
    def from_string(cls: Any, text: Any) -> Any:
        number = number_written_in(text, accepts)
        return read(cls, _plain_if_other(text)) if number is None else number

    return from_string


def _writer(write: Callable[..., Any], style: NumberStyle) -> Callable[..., Any]:
    def to_string(cls: Any, number: Any = None) -> Any:
        return text_of_number(number, style) if isinstance(number, SymInt) else write(cls, number)

    return to_string
