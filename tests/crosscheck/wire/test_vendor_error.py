"""Errors of a vendor inside of errors, as Open vSwitch sends them for what OpenFlow 1.0 has no number for."""

import struct

from sdnloom.crosscheck.normalise import events_of
from sdnloom.crosscheck.wire.vendor_error import error_words
from sdnloom.network.openflow.constants import V10
from sdnloom.report.crosscheck.event_text import agent_event_text
from sdnloom.switches.reset_messages import header

REQUEST = header(V10, 9, bytes((0, 8, 0, 128)))


def error(*body: int, quoted: bytes = REQUEST) -> bytes:
    return header(V10, 1, struct.pack("!HHIHH", *body) + quoted, xid=7)


def test_vendor_type_code_and_the_quoted_request_are_fields() -> None:
    (event,) = events_of([error(0xB0C2, 0, 0x2320, 3, 258)], V10)
    expected = {
        "xid": 7,
        "type": 0xB0C2,
        "code": 0,
        "vendor": 0x2320,
        "vendor_type": 3,
        "vendor_code": 258,
        "data": REQUEST,
    }
    assert event.values() == expected
    assert error_words(event.values(), V10) == ("nicira", "flow_mod_failed", "bad_flags")
    assert agent_event_text(event, V10) == "Error nicira flow_mod_failed bad_flags"


def test_numbers_without_a_name_and_other_vendors_stay_numbers() -> None:
    (event,) = events_of([error(0xB0C2, 0, 0x2320, 77, 515)], V10)
    assert error_words(event.values(), V10) == ("nicira", 77, 515)
    (event,) = events_of([error(0xB0C2, 0, 0x1234, 1, 2)], V10)
    assert error_words(event.values(), V10) == ("vendor 0x1234", 1, 2)


def test_other_errors_and_short_ones_are_as_they_are() -> None:
    (event,) = events_of([error(1, 0, 0x2320, 10, 0)], V10)
    assert event.values()["data"] == struct.pack("!IHH", 0x2320, 10, 0) + REQUEST
    assert error_words(event.values(), V10) == ("bad_request", "bad_version")
    (event,) = events_of([header(V10, 1, struct.pack("!HH", 0xB0C2, 0) + b"short")], V10)
    assert event.values()["data"] == b"short"
    assert error_words(event.values(), V10) == (0xB0C2, 0)
