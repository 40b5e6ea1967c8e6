"""The controller as a component: one action for each switch, and one for each timer and call from outside."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from sdnloom.engine.model import ALL, Action, Component, Event, Mode, Outcome
from sdnloom.network.controller import Call, Came, Fired, Input, Joined, Left, Program, Reaction
from sdnloom.network.events import Called, Handled, HandlerRaised, TimerFired, Told
from sdnloom.network.network import Network, NetworkError
from sdnloom.network.openflow import Message
from sdnloom.network.station import Greeting, Letter
from sdnloom.network.switch import Switch, SwitchCore, initial_core, receive_message

MAX_START = 10_000  # messages exchanged before the search starts; a program that never stops talking is refused


class ControllerCore(NamedTuple):
    """The program's core; for each switch its connection (None: there is none); what may still come from outside."""

    program: Hashable
    epochs: tuple[int | None, ...]
    budgets: tuple[int, ...] = ()


class Control:
    """Makes the component of the controller."""

    def __init__(self, network: Network, program: Program) -> None:
        self.network, self.program = network, program
        self.names = sorted(switch.name for switch in network.topology.switches)
        # Connections are numbered only where they can break.
        self.numbered = {name for name, faults in network.switch_faults if faults.any}
        self.changing = network.joining or bool(self.numbered)
        self.outside: list[tuple[str, Input, Event, int]] = [
            *((f"timer {each.name}", Fired(each.name), TimerFired(each.name), each.budget) for each in network.timers),
            *(
                (f"external {each.name}", Call(each.name, each.arguments), Called(each.name), each.budget)
                for each in network.externals
            ),
        ]

    def component(self, core: Hashable) -> Component:
        """Return the component; `core` is the program's after the switches have joined, if they have."""
        epochs = tuple(None if self.network.joining else 0 for _ in self.names)
        every = frozenset(f"{name}.of" for name in self.names)
        actions = []
        for name in self.names:
            reach = self.program.reaches(name)
            cells = ALL if self.changing else self.program.cells(name)
            sends = every if reach is None else frozenset(f"{each}.of" for each in reach)
            actions.append(Action(f"handle {name}", self._handler(name), f"{name}.up", sends, cells, cells))
        actions += [
            Action(label, self._caller(place, given, event), None, every, mode=Mode.MAY)
            for place, (label, given, event, budget) in enumerate(self.outside)
            if budget
        ]
        initial = ControllerCore(core, epochs, tuple(budget for *_, budget in self.outside))
        return Component("controller", initial, tuple(actions))

    def _handler(self, switch: str) -> Callable[[Any, Any], list[Outcome]]:
        place = self.names.index(switch)

        def handle(core: ControllerCore, message: Any) -> list[Outcome]:
            if isinstance(message, Greeting | Joined):
                epoch = message.epoch if isinstance(message, Greeting) else 0
                given: Input = message.joined if isinstance(message, Greeting) else message
                core = core._replace(epochs=(*core.epochs[:place], epoch, *core.epochs[place + 1 :]))
                return self._outcomes(core, given)
            if isinstance(message, Left):
                return self._outcomes(
                    core._replace(epochs=(*core.epochs[:place], None, *core.epochs[place + 1 :])), message
                )
            return self._outcomes(core, Came(switch, message), (Handled(switch, message),))

        return handle

    def _caller(self, place: int, given: Input, event: Event) -> Callable[[Any, Any], list[Outcome]]:
        def call(core: ControllerCore, _: None) -> list[Outcome]:
            left = core.budgets[place]
            if not left:
                return []
            after = core._replace(budgets=(*core.budgets[:place], left - 1, *core.budgets[place + 1 :]))
            return self._outcomes(after, given, (event,))

        return call

    def _outcomes(self, core: ControllerCore, given: Input, events: tuple[Event, ...] = ()) -> list[Outcome]:
        return [self._outcome(core, reaction, events) for reaction in self.program.handle(core.program, given)]

    def _outcome(self, core: ControllerCore, reaction: Reaction, events: tuple[Event, ...]) -> Outcome:
        sends, told = [], []
        for switch, message in reaction.messages:
            epoch = core.epochs[self._place(switch)]
            if epoch is not None:
                sends.append((f"{switch}.of", Letter(epoch, message) if switch in self.numbered else message))
                told.append(Told(switch, message))
        return Outcome(
            core._replace(program=reaction.core),
            tuple(sends),
            (*events, *reaction.events, *told),
            choice=reaction.choice,
        )

    def _place(self, switch: str) -> int:
        if switch not in self.names:
            raise NetworkError(
                f"program {self.program.name!r} sends a message to the switch {switch!r}; "
                f"expected one of {', '.join(self.names)}"
            )
        return self.names.index(switch)

    def start(self, configs: Mapping[str, Switch]) -> tuple[Hashable, dict[str, SwitchCore]]:
        """Return the program's core and the switches' when all have joined and every message has arrived.

        The switches join in the order of their names. With `joining` nothing has happened yet.
        """
        cores = {name: initial_core(configs[name]) for name in self.names}
        core = self.program.initial()
        if self.network.joining:
            return core, cores
        pending: list[Input] = [Joined(name, configs[name].datapath_id, configs[name].ports) for name in self.names]
        for _ in range(MAX_START):
            if not pending:
                return core, cores
            reaction = self.program.handle(core, pending.pop(0))[0]
            core = reaction.core
            self._refuse_exception(reaction.events)
            for switch, message in reaction.messages:
                self._place(switch)
                cores[switch], answers = self._tell(switch, configs[switch], cores[switch], message)
                pending += [Came(switch, answer) for answer in answers]
        raise NetworkError(
            f"program {self.program.name!r} and the switches exchange more than {MAX_START} messages when they join; "
            "let the switches join during the search (joining)"
        )

    def _tell(
        self, name: str, config: Switch, core: SwitchCore, message: Message
    ) -> tuple[SwitchCore, Sequence[Message]]:
        outcome = receive_message(config, core, message)[0]
        if outcome.outputs:
            raise NetworkError(
                f"program {self.program.name!r} sends packets out of {name!r} as soon as it joins; "
                "let the switches join during the search (joining)"
            )
        return outcome.core, outcome.messages

    def _refuse_exception(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, HandlerRaised):
                raise NetworkError(
                    f"{event.file}:{event.line}: {event.handler} of program {event.program!r} raised {event.text} "
                    "before the search started"
                )
