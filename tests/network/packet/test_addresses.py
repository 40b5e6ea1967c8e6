"""Addresses as text and as numbers."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.packet import AddressError, ip, ip4_text, ip6_text, mac, mac_text


@given(st.integers(0, (1 << 48) - 1))
def test_mac_text_reads_back(address: int) -> None:
    assert mac(mac_text(address)) == address


@given(st.integers(0, (1 << 32) - 1))
def test_ipv4_text_reads_back_and_is_the_standard_one(address: int) -> None:
    assert ip(ip4_text(address)) == address
    assert ip4_text(address) == str(ipaddress.IPv4Address(address))


@given(st.integers(0, (1 << 128) - 1))
def test_ipv6_text_reads_back(address: int) -> None:
    assert ip(ip6_text(address)) == address


@pytest.mark.parametrize("text", ["", "00:00:00:00:00", "00:00:00:00:00:0g", "0:0:0:0:0:1", "00:00:00:00:00:01\n"])
def test_what_is_no_mac_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="is no MAC address"):
        mac(text)


@pytest.mark.parametrize("text", ["", "10.0.0", "10.0.0.256", "::g", "10.0.0.1/8", "fe80::1%eth0", "\0"])
def test_what_is_no_ip_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="is no IP address"):
        ip(text)
