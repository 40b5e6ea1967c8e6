"""A switch of a scenario that is a bridge of a real Open vSwitch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from sdnloom.confirm.openvswitch.bridge_plans import local_port, other_ports
from sdnloom.confirm.openvswitch.port_devices import port_numbers, ports_down, with_port_devices
from sdnloom.confirm.real_parts import NotEnforceable, RealSwitch
from sdnloom.network.openflow import V10, V13, FlowStats, FlowStatsReply, PortConfig
from sdnloom.network.openflow.codec import decode
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.switch import Switch
from sdnloom.switches.bridge import LOCAL, Bridge, SwitchReaction
from sdnloom.switches.connection import divide_messages
from sdnloom.switches.errors import ConnectionLostError, RealSwitchError, SwitchEndedError
from sdnloom.switches.vswitch_processes import VswitchProcesses

# Types of messages that may remove entries: those of vendors, FlowMod, GroupMod, MeterMod.
_REMOVING: Final = {V10: frozenset((4, 14)), V13: frozenset((4, 14, 15, 29))}
_PORT_MOD: Final = {V10: 15, V13: 16}
_HEADER: Final = 8
_SHORTEST_FRAME: Final = 14
_LONGEST_FRAME: Final = 65000  # an OpenFlow message with more would break its length field, and Open vSwitch with it
_SECOND_MS: Final = 1000
_MASK_AT: Final = {V10: 20, V13: 28}  # where a PortMod says which bits it changes


class SharedClock(NamedTuple):
    """The clock of all switches, for one of them."""

    advance: Callable[[int], SwitchReaction]
    next_expiry: Callable[[], int | None]
    before_input: Callable[[Sequence[bytes]], None]  # with messages; none for frames


class BridgeSwitch(RealSwitch):
    """A bridge with power, whose ports and connection are held here. It is connected from `start` on.

    Frames are neither given to a port that is down or without carrier nor taken from it: dummy devices would pass them.
    """

    def __init__(self, name: str, config: Switch, bridge: Bridge, clock: SharedClock) -> None:
        self.name = name
        self._config, self._bridge, self._clock = config, bridge, clock
        self._ports = {port.port_no: port for port in config.ports}
        self._without_carrier: set[int] = set()
        self._down: set[int] = set()  # by configuration, or because a port has no carrier
        self._powered = True
        self._late = SwitchReaction()

    # -- messages and frames ----------------------------------------------------------------------------------------

    def request(self, message: bytes) -> tuple[bytes, ...]:
        """Send a request whose answer is not part of the trace; return the answers."""
        return self.receive_message(message).messages

    def receive_message(self, message: bytes) -> SwitchReaction:
        """Deliver messages of the controller, as they are on the wire; one after the other if these are several."""
        version = self._config.version
        found, rest = divide_messages(message)
        waits = len(rest) < _HEADER or int.from_bytes(rest[2:4], "big") >= _HEADER  # for the rest of a message
        if waits and (rest or not found):
            raise RealSwitchError(f"switch {self.name}: {message.hex()[:40]!r}: expected whole OpenFlow messages")
        types = {each[1] for each in (*found, rest) if each}
        changes_ports = _PORT_MOD[version] in types
        for each in found:
            self._check_port_mod(each)
        with self._clear_errors(f"a message of type {', '.join(map(str, sorted(types)))}"):
            self._clock.before_input(found)
            self._bridge.openflow.send(message)
            reaction = self._bridge.observe(removals=bool(types & _REMOVING[version]))
            if changes_ports:
                self._down = ports_down(self._bridge.service.port_descriptions())
        return self.shown(reaction)

    def receive_frames(self, arrivals: Sequence[tuple[int, bytes]]) -> SwitchReaction:
        """Let frames arrive at ports, one after the other."""
        given = [(port, frame) for port, frame in arrivals if port not in self._down]
        for port, frame in given:
            if not _SHORTEST_FRAME <= len(frame) <= _LONGEST_FRAME:
                raise NotEnforceable(
                    f"switch {self.name}: a frame of {len(frame)} octets at port {port}: "
                    f"Open vSwitch receives frames of {_SHORTEST_FRAME} to {_LONGEST_FRAME} octets"
                )
        with self._clear_errors("a frame"):
            if given:
                self._clock.before_input(())
            for number, (port, frame) in enumerate(given):
                if number:
                    self._bridge.processes.rounds(1)  # frames that wait at several ports are taken in any order
                self._bridge.inject(port, frame)
            return self.shown(self._bridge.observe())

    # -- devices and time -------------------------------------------------------------------------------------------

    def carrier(self, port: int, up: bool) -> SwitchReaction:
        """Take the carrier of a port away, or give it back."""
        if up == (port not in self._without_carrier):
            return SwitchReaction()
        if not up and port in self._down:
            raise NotEnforceable(
                f"switch {self.name}: port {port} is down by a PortMod, and dummy devices of Open vSwitch lose their "
                f"carrier only by being taken down"
            )
        for ports in (self._without_carrier, self._down):
            ports.symmetric_difference_update({port})
        if not self._powered:
            return SwitchReaction()
        with self._clear_errors("a change of a carrier"):
            self._bridge.set_up(port, up)
            return self.shown(self._bridge.observe())

    def advance(self, milliseconds: int) -> SwitchReaction:
        """Let the clock of all switches move on; what the others did is then in their `late`."""
        return self._clock.advance(milliseconds)

    def next_expiry(self) -> int | None:
        """Return the milliseconds until an entry of any switch may expire; None if none ever does."""
        return self._clock.next_expiry()

    def late(self) -> SwitchReaction:
        """Return what the switch did when the clock moved on for another one, and forget it."""
        late, self._late = self._late, SwitchReaction()
        return late

    def keep_late(self, reaction: SwitchReaction) -> None:
        """Add to what `late` will return."""
        late = self._late
        self._late = SwitchReaction(late.messages + reaction.messages, late.frames + reaction.frames)

    # -- connection and power ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Complete a bridge that was made and has been told to connect."""
        self._prepare()
        self._bridge.accept()
        self._bridge.greet()
        self._check_ports()

    def disconnect(self) -> SwitchReaction:
        """Cut the connection to the controller. One of fail mode standalone then is a bridge, after a second."""
        with self._clear_errors("the end of its connection"):
            self._bridge.drop()
            self._bridge.processes.rounds(2)
            reaction = self.shown(self._bridge.observe())
        if self._config.fail_mode == "secure":
            return reaction
        # It becomes a bridge when it is without a connection in the next second of its clock.
        after = self.advance(_SECOND_MS)
        return SwitchReaction(reaction.messages + after.messages, reaction.frames + after.frames)

    def connect(self) -> SwitchReaction:
        """Connect again, after `disconnect` or `power_on`; a switch that is connected stays as it is."""
        if self._bridge.connected:
            return SwitchReaction()
        with self._clear_errors("a new connection"):
            self._bridge.service.fence()  # fails if there is no bridge
            self._bridge.connect_again()
            return self.shown(self._bridge.observe())

    def power_off(self) -> None:
        """Take the power away, and with it all state."""
        if self._powered:
            self._powered = False
            self._bridge.close()
            self._bridge.processes.configure(*self._bridge.words_to_remove())
            self._down = set(self._without_carrier)

    def power_on(self) -> None:
        """Give the power back; the switch is then as new, and not connected."""
        if not self._powered:
            self._bridge.processes.configure(*self._bridge.words_to_add())
            self._powered = True
            self._prepare()

    @property
    def powered(self) -> bool:
        """Whether the switch has power."""
        return self._powered

    # -- questions --------------------------------------------------------------------------------------------------

    def entries(self) -> tuple[FlowStats, ...]:
        """The flow entries of all tables."""
        found: list[FlowStats] = []
        with self._clear_errors("a question for its entries"):
            for each in self._bridge.service.flow_stats():
                try:
                    reply = decode(each, self._config.version)
                except DecodeError as error:
                    raise RealSwitchError(f"an entry that sdnloom cannot read: {error}") from None
                assert isinstance(reply, FlowStatsReply)
                found += reply.flows
        return tuple(found)

    def shown(self, reaction: SwitchReaction) -> SwitchReaction:
        """Return a reaction as it would be if the ports were the devices of the scenario."""
        messages = (with_port_devices(each, self._ports, self._without_carrier) for each in reaction.messages)
        frames = (each for each in reaction.frames if each[0] not in self._down)
        return SwitchReaction(tuple(messages), tuple(frames))

    # -- details ----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Bring the devices of a new bridge into their states."""
        self._bridge.open()
        local = local_port(self._config)
        if local is None or local.config & PortConfig.PORT_DOWN:
            self._bridge.set_up(LOCAL, False)
        for port in self._without_carrier:
            self._bridge.set_up(port, False)
        self._bridge.service.fence()

    def _check_ports(self) -> None:
        """Make sure that ports have the numbers that were asked for."""
        wanted = {port.port_no for port in other_ports(self._config)}
        found = port_numbers(self._bridge.service.port_descriptions())
        if found != wanted:
            raise RealSwitchError(f"switch {self.name}: ports {sorted(found)}: expected {sorted(wanted)}")

    def _check_port_mod(self, message: bytes) -> None:
        """Refuse a PortMod that a dummy device without carrier would take for more than it says."""
        version = self._config.version
        if message[1] != _PORT_MOD[version]:
            return
        number = int.from_bytes(message[8:10] if version == V10 else message[8:12], "big")
        at = _MASK_AT[version]
        mask = int.from_bytes(message[at : at + 4], "big")
        if number in self._without_carrier and mask & PortConfig.PORT_DOWN:
            raise NotEnforceable(
                f"switch {self.name}: port {number} has no carrier, and a PortMod that takes a dummy device of Open "
                f"vSwitch up would give it one"
            )

    @contextmanager
    def _clear_errors(self, cause: str) -> Iterator[None]:
        """Let errors name the switch and what it was given; a connection that was lost is dropped."""
        with clear_errors(self._bridge.processes, f"switch {self.name}", cause):
            try:
                yield
            except ConnectionLostError:
                self._bridge.drop()
                raise


@contextmanager
def clear_errors(processes: VswitchProcesses, who: str, cause: str) -> Iterator[None]:
    """Let errors name who was given what, and why Open vSwitch ended if it did."""
    try:
        processes.check()
        yield
    except (ConnectionLostError, SwitchEndedError) as error:
        reason = processes.crash_reason()
        text = f"{who}, after {cause}: {reason or error}"
        if reason is None and isinstance(error, ConnectionLostError):
            raise type(error)(text, error.messages) from None
        raise SwitchEndedError(text) from None
    except RealSwitchError as error:
        raise RealSwitchError(f"{who}: {error}") from None
