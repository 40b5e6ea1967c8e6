"""Hypothesis generators of canonical packets: those that the decoder can return."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from sdnloom.network.packet import (
    Arp,
    Ethernet,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    IPv6Extension,
    IPv6Fragment,
    Lldp,
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
    stack,
)


def bits(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << count) - 1)


def in_words(unit: int, most: int, head: int = 0) -> st.SearchStrategy[bytes]:
    return st.integers(0, most).flatmap(lambda n: st.binary(min_size=n * unit + head, max_size=n * unit + head))


payloads = st.binary(max_size=40)
ethernets = st.builds(Ethernet, dst=bits(48), src=bits(48), type=bits(16))
vlans = st.lists(st.builds(Vlan, vid=bits(12), pcp=bits(3), dei=bits(1), type=bits(16)), max_size=3)
labels = st.lists(st.builds(Mpls, label=bits(20), tc=bits(3), ttl=bits(8)), max_size=3)
arps = st.builds(Arp, op=bits(16), sha=bits(48), spa=bits(32), tha=bits(48), tpa=bits(32))
lldps = st.builds(Lldp, tlvs=st.lists(st.tuples(st.integers(1, 127), st.binary(max_size=20)), max_size=4).map(tuple))
ipv4s = st.builds(
    IPv4,
    src=bits(32),
    dst=bits(32),
    ttl=bits(8),
    dscp=bits(6),
    ecn=bits(2),
    ident=bits(16),
    flags=st.sampled_from([0, 2, 4, 6]),
    options=in_words(4, 10),
)
ipv6s = st.builds(IPv6, src=bits(128), dst=bits(128), ttl=bits(8), dscp=bits(6), ecn=bits(2), label=bits(20))
tcps = st.builds(
    Tcp,
    src=bits(16),
    dst=bits(16),
    seq=bits(32),
    ack=bits(32),
    flags=bits(12),
    window=bits(16),
    urgent=bits(16),
    options=in_words(4, 10),
)
udps = st.builds(Udp, src=bits(16), dst=bits(16), checksum=st.sampled_from([None, 0]))
icmps = st.builds(Icmp, type=bits(8), code=bits(8), rest=bits(32))
icmpv6s = st.builds(Icmpv6, type=bits(8), code=bits(8))
extensions = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([0, 43, 60]), st.builds(IPv6Extension, proto=st.just(0), data=in_words(8, 3, 6))),
        st.tuples(
            st.just(44), st.builds(IPv6Fragment, proto=st.just(0), ident=bits(32), reserved=bits(8), unused=bits(2))
        ),
    ),
    max_size=3,
)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    """A packet of any stack, sometimes with padding after an IP datagram."""
    below: list[Any] = [draw(ethernets), *draw(vlans)]
    kind = draw(st.sampled_from(["arp", "lldp", "ipv4", "ipv6", "opaque"]))
    payload = draw(payloads)
    if kind == "opaque":
        return stack(*below[:-1], replace(below[-1], type=0x1234), payload=payload)
    if kind == "arp":
        return stack(*below, draw(arps), payload=payload)
    if kind == "lldp":
        return stack(*below, draw(lldps), payload=payload)
    below += draw(labels)
    trailer = draw(st.binary(max_size=10))
    if kind == "ipv4":
        return stack(*below, draw(ipv4s), draw(st.one_of(tcps, udps, icmps)), payload=payload, trailer=trailer)
    rows = draw(extensions)
    codes = [code for code, _ in rows]
    network = replace(draw(ipv6s), proto=codes[0] if codes else 0)
    chain = [replace(header, proto=code) for (_, header), code in zip(rows, [*codes[1:], 0], strict=False)]
    transport = draw(st.one_of(tcps, udps, icmpv6s))
    return stack(*below, network, *chain, transport, payload=payload, trailer=trailer)
