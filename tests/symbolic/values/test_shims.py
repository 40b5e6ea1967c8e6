# ruff: noqa: E501 (tables: one program a line)
"""Library functions that symbolic values pass through: the terms of their results are right."""

import binascii
import importlib
import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.shims import addresses, converters, struct_shim
from sdnloom.symbolic.shims.modules import low_level_modules
from sdnloom.symbolic.terms.constructors import term_text, var
from sdnloom.symbolic.values.make import IPV4, MAC, SymBytes, SymStr, concrete, symbolic_bytes, symbolic_text
from tests.symbolic.values.comparison import Address, Octets, compare_with_original, value_at

FORMATS = st.builds(
    lambda order, codes: order + "".join(codes),
    st.sampled_from(["", "@", "=", "<", ">", "!"]),
    st.lists(st.sampled_from(["B", "b", "H", "h", "I", "i", "Q", "q", "l", "L", "3s", "s", "c", "x", "2x", "?", "2H", "0s", "d", "f"]), min_size=1, max_size=5),
)  # fmt: skip


@given(FORMATS, st.data())
def test_unpack_and_pack_keep_the_term_of_every_byte(form: str, data: st.DataObject) -> None:
    size = struct.calcsize(form)
    content = data.draw(st.binary(min_size=size, max_size=size))
    other = data.draw(st.binary(min_size=size, max_size=size)) if not set(form) & set("?df") else content
    if not size:
        return
    term = var("b", 8 * size)
    values = struct_shim.unpack(form, symbolic_bytes(content, term))
    model = {"b": int.from_bytes(other, "big")}
    assert repr(concrete(values)) == repr(struct.unpack(form, content))
    assert repr(value_at(values, model)) == repr(struct.unpack(form, other))
    packed = struct_shim.pack(form, *values)
    assert concrete(packed) == struct.pack(form, *struct.unpack(form, content))
    assert value_at(packed, model) == struct.pack(form, *struct.unpack(form, other))


@pytest.mark.parametrize(
    "source",
    [
        "def f(b): return struct.unpack('!HB', b)[0] == 0x6162",
        "def f(b): return struct.unpack_from('<H', b, 1)",
        "def f(b): return struct.unpack('!H', b)",
        "def f(b):\n s = struct.Struct('!HB')\n return s.unpack(b), s.size",
        "def f(b): return struct.pack('!B3s', 1, b)",
        "def f(b): return struct.pack('!b', b[1] - 100)",
        "def f(b):\n a = bytearray(4)\n struct.pack_into('!H', a, 1, b[1])\n return a, a[2] == 98",
        "def f(b): return [x for (x,) in struct.iter_unpack('!B', b)]",
        "def f(b): return socket.inet_ntoa(b + b'x') == '97.98.99.120'",
        "def f(b): return socket.inet_aton(socket.inet_ntoa(b + b'x')) == b'abcx'",
        "def f(b): return socket.inet_ntop(socket.AF_INET6, b'x' * 13 + b) == '7878:7878:7878:7878:7878:7878:7861:6263'",
        "def f(b): return socket.inet_pton(socket.AF_INET, socket.inet_ntop(socket.AF_INET, b + b'x'))",
        "def f(b): return socket.ntohs(b[1] + 256), socket.htonl(b[1]), socket.ntohs(socket.htons(b[1]))",
        "def f(b): return binascii.hexlify(b) == b'616263', binascii.unhexlify(binascii.hexlify(b))[1] == 5",
        "def f(b): return binascii.unhexlify(b[:2])",
        "def f(b): return bytes.fromhex(b.hex()) == b, int(b.hex(), 16) % 7",
    ],
)  # fmt: skip
def test_calls_in_rewritten_code_keep_terms(source: str) -> None:
    found = compare_with_original(f"import struct, socket, binascii\n{source}", b=Octets(b"a", b"c"))
    assert found.concretised == ()
    assert found.complete, found.reasons


@pytest.mark.parametrize("form", ["!d", "<f", "!4p"])
def test_formats_without_terms_are_reported(form: str) -> None:
    size = struct.calcsize(form)
    execution = Execution({"b": 0})
    with execution.active():
        struct_shim.unpack(form, symbolic_bytes(bytes(size), var("b", 8 * size)))
    assert [site.construct for site in execution.concretisations] == [f"struct format {form[-1]!r}"]


def test_plain_buffer_that_gets_symbolic_bytes_is_reported() -> None:
    execution, buffer = Execution({"b": 0x4142}), bytearray(4)
    with execution.active():
        struct_shim.pack_into("!2s", buffer, 1, symbolic_bytes(b"AB", var("b", 16)))
    assert buffer == b"\0AB\0"
    assert [term_text(branch.condition) for branch in execution.branches] == ["b == 16706"]
    assert [site.construct for site in execution.concretisations] == [
        "struct.pack_into a buffer that rewritten code did not make"
    ]


def test_modules_for_code_that_is_not_rewritten_defer_to_the_originals() -> None:
    made = low_level_modules()
    assert made["struct"].pack("!H", 5) == b"\0\5"
    assert made["struct"].error is struct.error
    assert made["struct"].Struct("!H").unpack_from(b"\0\0\5", 1) == (5,)
    assert made["socket"].inet_aton("1.2.3.4") == b"\1\2\3\4"
    assert made["socket"].socket is socket.socket
    assert made["binascii"].hexlify(b"a", "-") == b"61"
    with pytest.raises(binascii.Error):
        made["binascii"].unhexlify("0")


ADDRCONV = importlib.import_module("os_ken.lib.addrconv")


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_converters_there_and_back_keep_the_terms(content: bytes, other: bytes) -> None:
    for name, converter in converters(ADDRCONV).items():
        size = {"mac": 6, "ipv4": 4, "ipv6": 16}[name]
        original = getattr(ADDRCONV, name)
        written = converter.bin_to_text(symbolic_bytes(content[:size], var("b", 8 * size)))
        model = {"b": int.from_bytes(other[:size], "big")}
        assert isinstance(written, SymStr)
        assert (concrete(written), value_at(written, model)) == (
            original.bin_to_text(content[:size]),
            original.bin_to_text(other[:size]),
        )
        read = converter.text_to_bin(written)
        assert isinstance(read, SymBytes)
        assert (concrete(read), value_at(read, model)) == (content[:size], other[:size])


def test_converters_defer_to_the_originals() -> None:
    made = converters(ADDRCONV)
    assert made["mac"].text_to_bin("00-00-00-00-00-0A") == b"\0\0\0\0\0\x0a"
    assert made["ipv4"].text_to_bin("10.0.0.0/8") == (b"\x0a\0\0\0", b"\xff\0\0\0")
    assert made["ipv6"].bin_to_text(bytes(15) + b"\1") == "::1"


def test_unusual_text_of_an_address_is_reported() -> None:
    execution = Execution({"c": ord("a")})
    with execution.active():
        letter = symbolic_text("a", var("c", 8))
        assert addresses.inet_pton(socket.AF_INET6, "::" + letter) == bytes(15) + b"\x0a"
    assert [site.construct for site in execution.concretisations] == ["address of unusual text"]


LIBRARIES = {
    "ip_address": "def f(a): return ipaddress.ip_address(a) == ipaddress.ip_address('10.0.0.3')",
    "network": "def f(a): return ipaddress.ip_address(a) in ipaddress.ip_network('10.0.0.8/30')",
    "back to text": "def f(a): return str(ipaddress.IPv4Address(a) + 1) == '10.0.0.4'",
    "interface": "def f(a): return str(ipaddress.ip_interface(a + '/30').network)",
    "order": "def f(a): return sorted([ipaddress.ip_address(a), ipaddress.ip_address('10.0.0.5')])[0].packed",
    "flags": "def f(a): return ipaddress.ip_address(a).is_private, ipaddress.ip_address(a).is_multicast",
    "netaddr address": "def f(a): return netaddr.IPAddress(a) == netaddr.IPAddress('10.0.0.3'), netaddr.IPAddress(a).value % 3",
    "netaddr network": "def f(a): return netaddr.IPAddress(a) in netaddr.IPNetwork('10.0.0.8/30')",
    "netaddr text": "def f(a): return str(netaddr.IPAddress(a)) == '10.0.0.7', netaddr.IPAddress(a).packed",
}  # fmt: skip


@pytest.mark.parametrize("name", LIBRARIES)
def test_address_libraries_keep_terms_of_addresses(name: str) -> None:
    source = f"import ipaddress, netaddr\n{LIBRARIES[name]}"
    found = compare_with_original(source, a=Address(IPV4, 32, 0x0A000000))
    assert found.concretised == ()
    assert found.complete, found.reasons


@pytest.mark.parametrize(
    "body",
    ["netaddr.EUI(a) == netaddr.EUI('00-00-00-00-00-03')", "str(netaddr.EUI(a)) == '00-00-00-00-00-0A'", "netaddr.EUI(a).packed"],
)  # fmt: skip
def test_mac_addresses_of_netaddr_keep_their_terms(body: str) -> None:
    found = compare_with_original(f"import netaddr\ndef f(a): return {body}", a=Address(MAC, 48))
    assert found.concretised == ()
