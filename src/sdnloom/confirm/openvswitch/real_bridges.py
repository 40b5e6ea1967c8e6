"""All switches of a scenario as bridges of one real Open vSwitch, which is started here or was started before."""

import contextlib
import itertools
from collections.abc import Mapping, Sequence

from sdnloom.confirm.openvswitch.bridge_plans import bridge_plans
from sdnloom.confirm.openvswitch.bridge_switch import BridgeSwitch, SharedClock, clear_errors
from sdnloom.confirm.openvswitch.switch_clock import SwitchClock
from sdnloom.network.switch import Switch
from sdnloom.switches.bridge import Bridge, SwitchReaction, advance_clock
from sdnloom.switches.errors import SwitchEndedError
from sdnloom.switches.vswitch_processes import VswitchProcesses


class RealBridges:
    """The switches by name, connected, in the state after power-on. They have one clock, which stands still.

    With `processes`, a running Open vSwitch is used that has no bridges of these names, and goes on afterwards. Law:
    after `close` no bridge, socket or file of these switches is left.
    """

    def __init__(self, configs: Mapping[str, Switch], processes: VswitchProcesses | None = None) -> None:
        plans, self.notes = bridge_plans(configs)
        self._ours = processes is None
        self._processes = VswitchProcesses() if processes is None else processes
        self._bridges = {name: Bridge(self._processes, plan) for name, plan in plans.items()}
        self._clock = SwitchClock(self._processes.warp, lambda name: self._switches[name].entries())
        self._switches = {
            name: BridgeSwitch(name, configs[name], bridge, self._clock_of(name))
            for name, bridge in self._bridges.items()
        }
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "RealBridges":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def switches(self) -> Mapping[str, BridgeSwitch]:
        """The switches by name."""
        return self._switches

    @property
    def processes(self) -> VswitchProcesses:
        """The processes of Open vSwitch."""
        return self._processes

    @property
    def version(self) -> str:
        """The product and its version: "Open vSwitch 3.1.0"."""
        return self._processes.version

    def advance(self, milliseconds: int) -> dict[str, SwitchReaction]:
        """Let the clock of all switches move on; return what each that has power did."""
        powered = self._powered()
        end = self._clock.now + milliseconds
        stops = [self._clock.now, *(each for each in self._clock.expiries(powered) if each < end), end]
        steps = [after - before for before, after in itertools.pairwise(stops)]
        with clear_errors(self._processes, "the switches", f"{milliseconds} ms"):
            reactions = advance_clock(self._processes, [self._bridges[name] for name in powered], steps)
        self._clock.moved_to(end)
        return {name: self._switches[name].shown(each) for name, each in zip(powered, reactions, strict=True)}

    def next_expiry(self) -> int | None:
        """Return the milliseconds until an entry may expire; None if none ever does."""
        expiries = self._clock.expiries(self._powered())
        return expiries[0] - self._clock.now if expiries else None

    def _powered(self) -> list[str]:
        return [name for name, switch in self._switches.items() if switch.powered]

    def close(self) -> None:
        """Remove the bridges, and end Open vSwitch if it was started here."""
        for bridge in self._bridges.values():
            bridge.close()
        if self._ours:
            self._processes.close()
        elif self._bridges:
            with contextlib.suppress(SwitchEndedError):  # then there are no bridges
                self._processes.configure(*(word for each in self._bridges.values() for word in each.words_to_remove()))

    def _start(self) -> None:
        for bridge in self._bridges.values():
            bridge.listen()
        if self._bridges:
            self._processes.configure(*(word for each in self._bridges.values() for word in each.words_to_add()))
        for name, switch in self._switches.items():
            with clear_errors(self._processes, f"switch {name}", "its start"):
                switch.start()

    def _clock_of(self, name: str) -> SharedClock:
        """Return the clock as one switch has it: what the others do when it moves on is kept for them."""

        def advance(milliseconds: int) -> SwitchReaction:
            reactions = self.advance(milliseconds)
            for other in reactions.keys() - {name}:
                self._switches[other].keep_late(reactions[other])
            return reactions.get(name, SwitchReaction())

        def before_input(given: Sequence[bytes]) -> None:
            self._clock.before_input(name, given, self._powered())

        return SharedClock(advance, self.next_expiry, before_input)
