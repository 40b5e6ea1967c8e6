"""An exception of a handler is an event with the lines of app and library, and has the effect of the real hub."""

import pytest

from sdnloom.network.events import HandlerRaised
from tests.platforms.osken.helpers import APPS, app, frame, joined, packet, program, run

ENDS = "the app's event loop ends, silently: nothing that comes later is handled"
GOES_ON = "it is logged, and the app's event loop goes on"
LINES = (APPS / "failing.py").read_text().splitlines()
RAISES = next(number for number, line in enumerate(LINES, 1) if "raise ValueError" in line)
PARSES = RAISES + 1
BRIDGE_GROUP = bytes.fromhex("0180c2000000") + bytes.fromhex("020000000001")
# An Ethernet CFM frame with an operation code that 802.1ag does not define.
CFM = BRIDGE_GROUP + bytes.fromhex("8902") + bytes([0x00, 0xFF, 0x00, 0x00]) + bytes(46)
# A configuration BPDU with bits 1 to 6 of its flags set, which are reserved there.
BPDU = BRIDGE_GROUP + bytes.fromhex("0026424203") + bytes.fromhex("00000000") + bytes([0x7E]) + bytes(30) + bytes(8)


@pytest.mark.parametrize(("hub", "effect", "handled"), [("native", ENDS, 0), ("eventlet", GOES_ON, 1)])
def test_an_exception_of_the_app_ends_its_loop_on_the_native_hub_only(hub, effect, handled):
    under_test = program("failing", version="1.3", hub=hub)
    _, raised, later = run(under_test, joined(), packet(b""), packet(frame(1, 2)))
    assert raised.events == (
        HandlerRaised("Failing", "packet_in", "failing.py", RAISES, "ValueError: nothing in it", "", effect),
    )
    assert len(later.messages) == handled
    assert app(under_test, "Failing").handled == handled
    assert (later.core == raised.core) is (hub == "native")  # nothing happens any more


@pytest.mark.parametrize(("hub", "effect"), [("native", ENDS), ("eventlet", GOES_ON)])
@pytest.mark.parametrize(
    ("data", "library", "text"),
    [
        (CFM, "os_ken/lib/packet/cfm.py:", "AttributeError: 'NoneType' object has no attribute 'parser'"),
        (BPDU, "os_ken/lib/packet/bpdu.py:", "AssertionError"),
    ],
    ids=["cfm", "bpdu"],
)
def test_frames_that_the_packet_library_cannot_take_are_found_with_both_lines(hub, effect, data, library, text):
    _, raised = run(program("failing", version="1.3", hub=hub), joined(), packet(data))
    (event,) = raised.events
    assert (event.program, event.handler, event.file, event.line) == ("Failing", "packet_in", "failing.py", PARSES)
    assert event.library.startswith(library)
    assert event.text.startswith(text)
    assert event.effect == effect


def test_what_was_sent_before_the_exception_stays_sent():
    under_test = program("failing", version="1.3", hub="eventlet")
    reactions = run(under_test, joined(), packet(frame(1, 2)), packet(b""), packet(frame(1, 2)))
    assert [len(each.messages) for each in reactions] == [0, 1, 0, 1]
