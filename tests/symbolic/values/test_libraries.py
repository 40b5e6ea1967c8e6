# ruff: noqa: E501 (tables: one program a line)
"""`ipaddress` and `netaddr` with symbolic addresses: what they return, and how many classes an address is divided into."""

import ipaddress
import sys

import netaddr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.operations.calls import HOOKS_ALIAS
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.shims.libraries import followed_libraries
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.values.make import IPV4, IPV6, MAC, symbolic_bytes, symbolic_int, symbolic_text
from tests.symbolic.values.comparison import Address, Number, Octets, compare_with_original

BODIES = {
    "equal": "ipaddress.ip_address(a) == ipaddress.ip_address('10.0.0.3')",
    "not equal to text": "ipaddress.ip_address(a) == '10.0.0.3'",
    "number": "int(ipaddress.IPv4Address(a)) % 3",
    "bytes": "ipaddress.ip_address(ipaddress.ip_address(a).packed) == ipaddress.ip_address(a)",
    "network": "ipaddress.ip_address(a) in ipaddress.ip_network('10.0.0.8/30')",
    "not in network": "ipaddress.ip_address(a) not in ipaddress.IPv4Network('10.0.0.0/29')",
    "other version": "ipaddress.ip_address(a) in ipaddress.ip_network('fe80::/10')",
    "network of address": "str(ipaddress.ip_network(a + '/30', strict=False))",
    "strict network": "ipaddress.ip_network(a + '/30').num_addresses",
    "subnet": "ipaddress.ip_network(a + '/32').subnet_of(ipaddress.ip_network('10.0.0.0/30'))",
    "interface": "str(ipaddress.ip_interface(a + '/30').network)",
    "ip of interface": "ipaddress.ip_interface(a + '/24').ip == ipaddress.ip_address('10.0.0.9')",
    "plus": "str(ipaddress.IPv4Address(a) + 1) == '10.0.0.4'",
    "minus": "ipaddress.IPv4Address(a) - 3 < ipaddress.IPv4Address('10.0.0.4')",
    "less": "ipaddress.ip_address(a) < ipaddress.ip_address('10.0.0.5')",
    "greatest": "str(max(ipaddress.ip_address(a), ipaddress.ip_address('10.0.0.5')))",
    "sorted": "sorted([ipaddress.ip_address(a), ipaddress.ip_address('10.0.0.5')])[0].packed",
    "flags": "(ipaddress.ip_address(a).is_private, ipaddress.ip_address(a).is_multicast, ipaddress.ip_address(a).is_loopback)",
    "text": "f'{ipaddress.ip_address(a)}' == '10.0.0.7', '%s' % ipaddress.ip_address(a)",
    "format": "'{}/24'.format(ipaddress.ip_address(a)), format(ipaddress.ip_address(a), 'x')",
    "repr": "repr(ipaddress.ip_address(a))",
    "exploded": "ipaddress.ip_address(a).exploded",
    "reverse pointer": "ipaddress.ip_address(a).reverse_pointer",
    "key of a dict": "{ipaddress.ip_address('10.0.0.2'): 1, ipaddress.ip_address('10.0.0.9'): 2}.get(ipaddress.ip_address(a), 0)",
    "member of a set": "ipaddress.ip_address(a) in {ipaddress.ip_address('10.0.0.2'), ipaddress.ip_address('10.0.0.9')}",
    "member of a list": "ipaddress.ip_address(a) in [ipaddress.ip_address('10.0.0.2'), 5]",
    "hosts": "ipaddress.ip_address(a) in list(ipaddress.ip_network('10.0.0.8/30').hosts())",
    "any of networks": "any(ipaddress.ip_address(a) in n for n in (ipaddress.ip_network('10.0.0.8/30'), ipaddress.ip_network('10.0.0.2/31')))",
    "no address": "ipaddress.ip_address('x' + a)",
    "netaddr equal": "netaddr.IPAddress(a) == netaddr.IPAddress('10.0.0.3'), netaddr.IPAddress(a).value % 3",
    "netaddr network": "netaddr.IPAddress(a) in netaddr.IPNetwork('10.0.0.8/30')",
    "netaddr text in network": "a in netaddr.IPNetwork('10.0.0.8/30')",
    "netaddr network of address": "str(netaddr.IPNetwork(a + '/30').network), str(netaddr.IPNetwork(a + '/30').cidr)",
    "netaddr range": "netaddr.IPAddress(a) in netaddr.IPRange('10.0.0.3', '10.0.0.6')",
    "netaddr set": "netaddr.IPAddress(a) in netaddr.IPSet(['10.0.0.8/30', '10.0.0.1'])",
    "netaddr glob": "netaddr.IPAddress(a) in netaddr.IPGlob('10.0.0.4-7')",
    "netaddr text": "str(netaddr.IPAddress(a)) == '10.0.0.7', netaddr.IPAddress(a).packed",
    "netaddr plus": "str(netaddr.IPAddress(a) + 1), int(netaddr.IPAddress(a)) & 3, netaddr.IPAddress(a) & 1 == netaddr.IPAddress(1)",
    "netaddr order": "netaddr.IPAddress(a) < netaddr.IPAddress('10.0.0.5')",
    "netaddr flags": "netaddr.IPAddress(a).is_multicast(), netaddr.IPAddress(a).is_reserved(), netaddr.IPAddress(a).is_loopback()",
    "netaddr key of a dict": "{netaddr.IPAddress('10.0.0.2'): 1}.get(netaddr.IPAddress(a), 0)",
    "netaddr words": "netaddr.IPAddress(a).words[3]",
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_text_of_an_address_is_followed(name: str) -> None:
    source = f"import ipaddress, netaddr\ndef f(a): return {BODIES[name]}"
    found = compare_with_original(source, a=Address(IPV4, 32, 0x0A000000))
    assert found.concretised == ()
    assert found.complete, found.reasons


@pytest.mark.parametrize(
    "body",
    [
        "ipaddress.ip_address(0x0A000000 + n) in ipaddress.ip_network('10.0.0.8/30')",
        "ipaddress.ip_address(n) in ipaddress.ip_network('10.0.0.8/30')",
        "ipaddress.IPv4Address(0xFFFFFFF8 + n)",
        "ipaddress.IPv6Address(n) in ipaddress.ip_network('::8/125')",
        "str(ipaddress.IPv4Address(n)) == '0.0.0.5'",
        "str(netaddr.IPAddress(0x0A000000 + n)) == '10.0.0.5', netaddr.IPAddress(n, 4) in netaddr.IPNetwork('0.0.0.0/30')",
        "netaddr.EUI(n) == netaddr.EUI('00-00-00-00-00-03')",
    ],
)  # fmt: skip
def test_a_number_as_an_address_is_followed(body: str) -> None:
    found = compare_with_original(f"import ipaddress, netaddr\ndef f(n): return str({body})", n=Number(15))
    assert found.concretised == ()


def test_bytes_of_an_address_are_followed() -> None:
    body = "ipaddress.ip_address(b) in ipaddress.ip_network('10.0.0.64/26'), ipaddress.ip_address(b).is_private"
    found = compare_with_original(f"import ipaddress\ndef f(b): return {body}", b=Octets(b"\x0a\0\0", b""))
    assert (found.concretised, len(found.classes)) == ((), 2)


IPV6_BODIES = [
    "ipaddress.ip_address(a) in ipaddress.ip_network('fe80::/124')",
    "ipaddress.ip_address(a).is_link_local, ipaddress.ip_address(a).is_private, ipaddress.ip_address(a).is_global",
    "str(ipaddress.ip_address(a) + 1) == 'fe80::4', ipaddress.ip_address(a).exploded",
    "netaddr.IPAddress(a) in netaddr.IPNetwork('fe80::/124'), netaddr.IPAddress(a).is_link_local()",
    "str(netaddr.IPAddress(a)) == 'fe80::4'",
]


@pytest.mark.parametrize("body", IPV6_BODIES)
def test_ipv6_addresses_are_followed(body: str) -> None:
    found = compare_with_original(
        f"import ipaddress, netaddr\ndef f(a): return {body}", a=Address(IPV6, 128, 0xFE80 << 112, 31)
    )
    assert found.concretised == ()


@pytest.mark.parametrize(
    "body",
    [
        "netaddr.EUI(a) == netaddr.EUI('00-00-00-00-00-03')",
        "str(netaddr.EUI(a)) == '00-00-00-00-00-0A'",
        "netaddr.EUI(a).packed, int(netaddr.EUI(a)) % 5",
        "{netaddr.EUI('00-00-00-00-00-03'): 1}.get(netaddr.EUI(a), 0)",
        "netaddr.EUI(a).words[5] == 3, netaddr.EUI(a) < netaddr.EUI(5)",
        "str(netaddr.EUI(a, dialect=netaddr.mac_unix_expanded)) == '00:00:00:00:00:04'",
    ],
)
def test_mac_addresses_of_netaddr_are_followed(body: str) -> None:
    found = compare_with_original(f"import netaddr\ndef f(a): return {body}", a=Address(MAC, 48))
    assert found.concretised == ()


CLASSES = {
    "ipaddress.ip_address(a) in ipaddress.ip_network('10.1.0.0/16')": 2,
    "ipaddress.ip_address(a).is_private": 2,
    "ipaddress.ip_address(a).is_global": 2,
    "ipaddress.ip_address(a).is_multicast": 2,
    "ipaddress.ip_address(a) in {ipaddress.ip_address('10.0.0.1'), ipaddress.ip_address('10.0.0.2')}": 3,
    "ipaddress.ip_interface(a + '/24').network == ipaddress.ip_network('10.0.0.0/24')": 4,  # the library asks whether the address is that of the network
    "netaddr.IPAddress(a) in netaddr.IPNetwork('10.1.0.0/16')": 2,
    "netaddr.IPAddress(a).is_reserved()": 2,
    "netaddr.IPAddress(a) in netaddr.IPRange('10.0.0.5', '10.0.0.9')": 3,
}  # fmt: skip


@pytest.mark.parametrize("body", CLASSES)
def test_all_ipv4_addresses_are_divided_into_as_many_classes_as_the_question_has_answers(body: str) -> None:
    module = RewrittenModules(lambda name: False).run(f"import ipaddress, netaddr\ndef f(a): return {body}", "x.py")
    term = var("ip", 32, "ipv4")

    def run(execution: Execution) -> bool:
        return module.f(symbolic_text(IPV4.render(execution.value("ip")), term, IPV4))

    found = explore(run, [term])
    assert (found.complete, len(found.classes)) == (True, CLASSES[body])
    for each in found.classes:
        address = IPV4.render(each.witness["ip"])
        assert each.output == eval(body, {"ipaddress": ipaddress, "netaddr": netaddr, "a": address})


FLAGS = ("is_private", "is_global", "is_reserved", "is_multicast", "is_loopback", "is_link_local", "is_unspecified")
NUMBERS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["0.255.255.255", "1.0.0.0", "100.64.0.0", "100.128.0.0", "192.0.0.9", "192.0.0.171", "192.0.0.172", "223.255.255.255", "224.0.0.0", "239.255.255.255", "255.255.255.254"]).map(
        lambda text: int(ipaddress.IPv4Address(text))
    ),
)  # fmt: skip


@given(NUMBERS, NUMBERS, st.sampled_from(FLAGS))
def test_kind_of_an_address_is_that_of_the_original(number: int, other: int, flag: str) -> None:
    expected = [getattr(ipaddress.IPv4Address(each), flag) for each in (number, other)]
    execution = Execution({"ip": number})
    with followed_libraries(), execution.active():
        address = ipaddress.IPv4Address(symbolic_int(number, var("ip", 32)))
        assert getattr(address, flag) == expected[0]
    (branch,) = execution.branches
    from sdnloom.symbolic.terms.evaluate import evaluate_term

    assert (bool(evaluate_term(branch.condition, {"ip": other})) == branch.taken) == (expected[0] == expected[1])


@given(
    st.binary(min_size=16, max_size=16),
    st.sampled_from(["", "mapped", "low", "fc", "fe80", "2001"]),
    st.sampled_from(FLAGS[:6]),
)
def test_kind_of_an_ipv6_address_is_that_of_the_original(content: bytes, near: str, flag: str) -> None:
    prefix = {
        "mapped": bytes(10) + b"\xff\xff",
        "low": bytes(14),
        "fc": b"\xfc",
        "fe80": b"\xfe\x80",
        "2001": b"\x20\x01",
    }
    number = prefix.get(near, b"") + content[len(prefix.get(near, b"")) :]
    expected = getattr(ipaddress.IPv6Address(number), flag)
    with followed_libraries(), Execution({"ip": int.from_bytes(number, "big")}).active():
        assert getattr(ipaddress.IPv6Address(symbolic_bytes(number, var("ip", 128))), flag) == expected


def test_an_address_object_that_goes_into_c_is_reported() -> None:
    module = RewrittenModules(lambda name: False).run(
        "import ipaddress, pickle\ndef f(a): return len(pickle.dumps(ipaddress.ip_address(a)))", "x.py"
    )
    term = var("ip", 32, "ipv4")
    execution = Execution({"ip": 0x0A000001})
    with followed_libraries(), execution.active():
        module.f(symbolic_text("10.0.0.1", term, IPV4))
    assert [str(site) for site in execution.concretisations] == ["x.py:2 (call of _pickle.dumps)"]


def test_a_branch_inside_of_a_library_is_one_of_the_line_that_calls_it() -> None:
    module = RewrittenModules(lambda name: False).run(
        "import ipaddress\ndef f(a):\n  return ipaddress.ip_address(a) in ipaddress.ip_network('10.0.0.0/8')", "x.py"
    )
    execution = Execution({"ip": 0x0A000001})
    with followed_libraries(), execution.active():
        assert module.f(symbolic_text("10.0.0.1", var("ip", 32, "ipv4"), IPV4))
    assert [str(branch.site) for branch in execution.branches] == ["x.py:3"]


def test_libraries_have_their_own_code_again_after_the_block() -> None:
    def state() -> list[object]:
        kinds = (ipaddress.IPv4Address, ipaddress.IPv6Network, netaddr.IPAddress, netaddr.EUI)
        codes = [each.__init__.__code__ for each in kinds]
        names = [dict(vars(each)) for each in kinds]
        spaces = [
            HOOKS_ALIAS in vars(sys.modules[name]) for name in ("ipaddress", "netaddr.ip", "netaddr.strategy.ipv4")
        ]
        return [codes, names, spaces, netaddr.strategy.ipv4.str_to_int]

    before = state()
    with followed_libraries():
        assert state() != before
        with followed_libraries():
            pass
        assert state() != before
    assert state() == before
    with pytest.raises(ZeroDivisionError), followed_libraries():
        raise ZeroDivisionError
    assert state() == before


@given(st.integers(0, 2**32 - 1), st.integers(0, 32))
def test_rewritten_libraries_with_plain_addresses_are_the_originals(number: int, prefix: int) -> None:
    def facts() -> list[object]:
        one, two = ipaddress.ip_address(number), netaddr.IPAddress(number)
        network, other = ipaddress.ip_network((number, prefix), strict=False), netaddr.IPNetwork(f"{two}/{prefix}")
        return [
            str(one), one.packed, hash(one), int(one), *(getattr(one, name) for name in FLAGS), repr(network), network.netmask,
            one in network, hash(network), str(two), two.packed, hash(two), int(two), two.is_multicast(), two.is_reserved(),
            repr(other), str(other.netmask), two in other, hash(other), str(netaddr.EUI(number)), one == two, one == network,
        ]  # fmt: skip

    before = facts()
    with followed_libraries():
        assert facts() == before


ADDRESSES = st.integers(0, 20).map(lambda last: f"10.0.0.{last}")
NETWORKS = st.tuples(ADDRESSES, st.integers(27, 32)).map(
    lambda pair: str(ipaddress.ip_network(pair[0] + f"/{pair[1]}", strict=False))
)
QUESTIONS = st.one_of(
    st.builds("ipaddress.ip_address({0}) in ipaddress.ip_network({1!r})".format, st.just("v"), NETWORKS),
    st.builds("ipaddress.ip_address(v) {0} ipaddress.ip_address({1!r})".format, st.sampled_from(["<", ">=", "==", "!="]), ADDRESSES),
    st.builds("netaddr.IPAddress(v) in netaddr.IPNetwork({0!r})".format, NETWORKS),
    st.builds("ipaddress.ip_address(v) in {{ipaddress.ip_address({0!r}), ipaddress.ip_address({1!r})}}".format, ADDRESSES, ADDRESSES),
    st.builds("v.startswith({0!r})".format, ADDRESSES),
    st.builds("v.split('.')[3] in ({0!r}, '7', '12')".format, st.integers(0, 20).map(str)),
    st.builds("re.match({0!r}, v)".format, st.sampled_from([r"10\\.0\\.0\\.1", "1.*[2-5]$", r".*\\b[37]"])),
    st.builds("struct.unpack('!I', socket.inet_aton(v))[0] % {0} == 1".format, st.integers(2, 5)),
    st.builds("int(ipaddress.ip_address(v)) & {0}".format, st.integers(1, 7)),
)  # fmt: skip
CHANGES = st.sampled_from(["v", "str(ipaddress.ip_address(v) + 1)", "str(netaddr.IPAddress(v))", "'.'.join(v.split('.'))", "socket.inet_ntoa(socket.inet_aton(v))", "str(ipaddress.ip_interface(v + '/30').network.network_address)"])  # fmt: skip


@settings(max_examples=40)
@given(st.lists(st.tuples(CHANGES, QUESTIONS), min_size=1, max_size=3))
def test_random_programs_of_these_questions_are_divided_as_by_brute_force(steps: list[tuple[str, str]]) -> None:
    lines = ["import ipaddress, netaddr, re, socket, struct", "def f(a):", " v, n = a, 0"]
    for number, (change, question) in enumerate(steps):
        lines += [f" v = {change}", f" if {question}:", f"  n += {1 << number}"]
    found = compare_with_original("\n".join([*lines, " return n, v"]), a=Address(IPV4, 32, 0x0A000000))
    assert found.concretised == ()
    assert found.complete, found.reasons
