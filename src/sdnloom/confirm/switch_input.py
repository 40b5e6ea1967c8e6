"""Steps of a switch as inputs of a real switch: frames, messages, carriers, time, power and connection."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sdnloom.confirm.comparison import observed_message
from sdnloom.confirm.held_messages import HeldMessage
from sdnloom.confirm.outcome import Obstacle
from sdnloom.confirm.quoted_message import Quoted
from sdnloom.confirm.real_parts import NotEnforceable, RealSwitch
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.taken_step import StepImpossible
from sdnloom.engine.semantics import Transition
from sdnloom.network.events import BufferDiscarded, EntryRemoved
from sdnloom.network.openflow import (
    V10,
    Error,
    FeaturesRequest,
    FlowStats,
    FlowStatsReply,
    FlowStatsRequest,
    OpenFlowMessage,
    PortDescRequest,
    encode,
)
from sdnloom.network.switch import Switch, SwitchCore, receive_message
from sdnloom.network.switch_component import Carrier, EpochMessage, SwitchState
from sdnloom.switches.bridge import SwitchReaction

_SECOND = 1000
_MOST_SECONDS = 0xFFFF  # of a timeout


class SwitchInput:
    """Gives steps of one switch to the real switch that stands for it; `others` are all real switches.

    `greeting` is what the switch said of itself when it joined last, `quoted` the message that an error may quote.
    """

    def __init__(self, name: str, config: Switch, real: RealSwitch, others: Mapping[str, RealSwitch]) -> None:
        self.name, self.config, self.real, self._others = name, config, real, others
        self.greeting = b""
        self.quoted: Quoted | None = None
        self._is_alone = False  # it has been a bridge since before it joined

    def perform(
        self, before: SwitchState, transition: Transition, taken: Sequence[HeldMessage], supplied: SuppliedParts
    ) -> SwitchReaction:
        """Take the step on the real switch and return what it did.

        It is connected to the wire from the start: what it says before it has joined is not passed on.
        """
        self.quoted = None
        try:
            reaction = self._perform(before, transition, taken, supplied)
        except NotEnforceable as error:
            raise StepImpossible(Obstacle.SWITCH_FAULT, str(error)) from None
        unheard = before.phase == "disconnected" and before.epoch == 0
        return replace(reaction, messages=()) if unheard else reaction

    def _perform(
        self, before: SwitchState, transition: Transition, taken: Sequence[HeldMessage], supplied: SuppliedParts
    ) -> SwitchReaction:
        match transition.action.name:
            case "packets":
                return self._packets(before, taken)
            case "of":
                return self._message(before, taken[0], supplied)
            case "carrier":
                return self._carrier(before, transition)
            case "expire" | "settle":
                return self._expiry(before, transition, supplied)
            case "connect" | "join":
                return self._join(before, supplied)
            case "fail":
                self.real.power_off()
                supplied.forget(self.name)
                return SwitchReaction()
            case "disconnect":
                return self._disconnect()
        raise StepImpossible(Obstacle.SWITCH_FAULT, f"{self.name} cannot {transition.action.name} from outside")

    def _packets(self, before: SwitchState, taken: Sequence[HeldMessage]) -> SwitchReaction:
        """Let frames arrive; a wire without power or carrier at its end carries none."""
        dead = {port for port, _ in before.down}
        arrivals = []
        alone = before.phase == "disconnected" and before.epoch == 0 and self.config.fail_mode == "standalone"
        if alone and self.config.keeps_entries and not self._is_alone:
            self.real.disconnect()  # connected to the wire, it would be no bridge
            self._is_alone = True
        for held in taken:
            assert isinstance(held.message, tuple)
            assert held.data is not None
            if held.message[0] not in dead:
                arrivals.append((held.message[0], held.data))
        return self.real.receive_frames(arrivals) if arrivals and before.phase != "off" else SwitchReaction()

    def _message(self, before: SwitchState, taken: HeldMessage, supplied: SuppliedParts) -> SwitchReaction:
        given = taken.message
        if isinstance(given, EpochMessage) and (given.epoch != before.epoch or before.phase != "on"):
            return SwitchReaction()  # it was lost with its connection
        assert taken.data is not None
        reaction = SwitchReaction()
        model = given.message if isinstance(given, EpochMessage) else given
        assert isinstance(model, OpenFlowMessage)
        for data in supplied.to_switch(self.name, taken.data):
            self.quoted = Quoted(model, data, taken.data)
            more = self.real.receive_message(data)
            reaction = _both(reaction, more)
            if any(isinstance(observed_message(each, self.config.version), Error) for each in more.messages):
                break
        return reaction

    def _carrier(self, before: SwitchState, transition: Transition) -> SwitchReaction:
        change = transition.step.message
        assert isinstance(change, Carrier)
        after = transition.outcome.core
        assert isinstance(after, SwitchState)
        was_down, is_down = (any(port == change.port for port, _ in each.down) for each in (before, after))
        if was_down == is_down:
            return SwitchReaction()
        return self.real.carrier(change.port, not is_down)  # without power, it has that carrier when it is back

    def _join(self, before: SwitchState, supplied: SuppliedParts) -> SwitchReaction:
        if before.phase == "off":
            self.real.power_on()
        # Otherwise it is connected from the start.
        connects = before.phase == "off" or before.epoch > 0 or self._is_alone
        reaction = self.real.connect() if connects else SwitchReaction()
        if not supplied.describes(self.name):
            # It is asked now: when the controller asks, it may have lost its connection again.
            requests = [FeaturesRequest()] if self.config.version == V10 else [FeaturesRequest(), PortDescRequest()]
            replies = [self.real.request(encode(each, self.config.version)) for each in requests]
            self.greeting = b"".join(itertools.chain(*replies))
        return reaction

    def _disconnect(self) -> SwitchReaction:
        reason = why_not_disconnected(self.config)
        if reason:
            raise StepImpossible(Obstacle.SWITCH_FAULT, f"{self.name} {reason} (profile {self.config.profile})")
        return self.real.disconnect()

    # -- time ---------------------------------------------------------------------------------------------------------

    def _expiry(self, before: SwitchState, transition: Transition, supplied: SuppliedParts) -> SwitchReaction:
        """Let the clock of the real switches move on until the entry of this step has gone, and no other one."""
        discarded = [event for event in transition.events if isinstance(event, BufferDiscarded)]
        if discarded:
            for event in discarded:
                supplied.forget(self.name, event.buffer_id)
            return SwitchReaction()
        wanted = _entries_after(self.config, transition)
        elsewhere = {name: _keys(real.entries()) for name, real in self._others.items() if name != self.name}
        reaction = SwitchReaction()
        start = _keys(self.real.entries())
        passed = 0
        now = start
        while now == start and all(_keys(self._others[name].entries()) == keys for name, keys in elsewhere.items()):
            wait = self.real.next_expiry()
            if wait is None or passed > self._longest(before, transition) * _SECOND:
                raise StepImpossible(Obstacle.SWITCH_CLOCK, f"nothing of {self.name} expires, though its time is over")
            reaction = _both(reaction, self.real.advance(wait))
            passed += wait
            now = _keys(self.real.entries())
        others = [name for name, keys in elsewhere.items() if _keys(self._others[name].entries()) != keys]
        if others or now != _keys(wanted):
            where = ", ".join(others) or self.name
            raise StepImpossible(
                Obstacle.SWITCH_CLOCK,
                f"another entry expires before this one, or with it, in {where}; in the model they expire in any "
                "order, on a real clock when their time is over",
            )
        return reaction

    def _longest(self, before: SwitchState, transition: Transition) -> int:
        """The seconds after which the entry of this step must have gone."""
        removed = {(e.table, e.priority, e.match) for e in transition.events if isinstance(e, EntryRemoved)}
        times = [
            max(entry.idle_timeout, entry.hard_timeout)
            for entry in before.core.flows
            if (entry.table, entry.priority, entry.match) in removed
        ]
        return min(max(times, default=0), _MOST_SECONDS) + 2


def why_not_disconnected(config: Switch) -> str:
    """Why Open vSwitch cannot lose its connection as this switch does; "" if it can."""
    if not config.keeps_entries:
        return "deletes its entries when its connection is lost; Open vSwitch keeps them"
    if config.fail_mode == "standalone" and not config.traits.bridge_is_empty:
        return "has its entries again after it was a bridge; Open vSwitch deletes them"
    return ""


def entries_of(config: Switch, core: SwitchCore) -> tuple[FlowStats, ...]:
    """The flow entries of a switch of the model, as it reports them when it is asked."""
    quiet = replace(config, counters=False)
    (outcome,) = receive_message(quiet, core, FlowStatsRequest())
    return tuple(row for each in outcome.messages if isinstance(each, FlowStatsReply) for row in each.flows)


def _entries_after(config: Switch, transition: Transition) -> tuple[FlowStats, ...]:
    after = transition.outcome.core
    assert isinstance(after, SwitchState)
    return entries_of(config, after.core)


def _keys(entries: Sequence[FlowStats]) -> set[tuple[int, int, str]]:
    return {(each.table_id, each.priority, str(each.match)) for each in entries}


def _both(one: SwitchReaction, other: SwitchReaction) -> SwitchReaction:
    return SwitchReaction(one.messages + other.messages, one.frames + other.frames)
