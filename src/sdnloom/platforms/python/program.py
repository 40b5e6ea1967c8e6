"""The plain-Python platform: a controller program is a class with a method for each kind of event that it handles.

    class Hub:
        def packet_in(self, net, switch, message):
            net.flood(switch, message)

The state of the program is in the attributes of its instance; class and module variables are not part of it, and a
handler that changes one is refused. Handlers send through `net`, which only records the messages.
"""

import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sdnloom.engine.model import NONE, Restart
from sdnloom.network.events import HandlerRaised
from sdnloom.network.network import Network
from sdnloom.network.program import ControllerCommand, Input, MessageIn, Reaction, RunContext, StateEntry
from sdnloom.platforms.capture.dict_order import NOT_ALL_ORDERS, order_dependence, order_note
from sdnloom.platforms.capture.freeze import (
    MUTABLE,
    Rows,
    StateError,
    attributes_of,
    freeze,
    frozen_attributes,
    restore,
)
from sdnloom.platforms.copyable import Copyable
from sdnloom.platforms.explorable import HandlerRun, Holders, MessageContent
from sdnloom.platforms.footprint.recording_dict import EVERY, RecordedReads, read_cells, recording_tables, written_cells
from sdnloom.platforms.handler_errors import error_line
from sdnloom.platforms.process.output_log import OutputKeeper, OutputLog
from sdnloom.platforms.python.handlers import Net, ProgramError, call_of, handlers_of, raising_line
from sdnloom.platforms.python.insertion_order import Arrangement, OrderWatch, arranged
from sdnloom.platforms.server.serve import served_environment, served_network
from sdnloom.platforms.state_entries import StateReader

if TYPE_CHECKING:
    from sdnloom.platforms.python.symbolic import SymbolicPython

_Seen = TypeVar("_Seen")


class PythonProgram(Copyable, OutputKeeper):
    """A class as a controller program; a new instance is made from `arguments`.

    The keys that a handler reads and writes of dicts in its attributes are recorded, and a search with reduction uses
    them. `per_switch`, also as a variable of the class, is a promise about that (`assumed_independence`). The insertion
    order of dicts is part of the state from the moment a handler is found to depend on it (`insertion_order`).
    """

    def __init__(self, kind: type, arguments: Mapping[str, Any] | None = None, per_switch: bool | None = None) -> None:
        self.kind, self.arguments = kind, dict(arguments or {})
        self.handlers = handlers_of(kind)
        self.per_switch: bool | None = getattr(kind, "per_switch", None) if per_switch is None else per_switch
        if self.per_switch not in (None, True, False):
            raise ProgramError(f"{kind.__name__}.per_switch is {self.per_switch!r}; expected True or False")
        self.shared = _shared_containers(kind)
        self.log = OutputLog()
        self.log.when = "start"
        self._ordered = False
        self._dependent: Input | None = None  # the input whose reaction depends on insertion order
        self._all_orders = True  # whether every insertion order that a handler could see was tried

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.kind.__name__

    def rewritten(self) -> "SymbolicPython":
        """The same class with the same options, with code that follows symbolic values."""
        from sdnloom.platforms.python.symbolic import SymbolicPython

        arguments, options = self._arguments
        twin = SymbolicPython(*arguments, **options)
        if self._ordered:
            twin.keep_order()
        return self._shown_alike(twin)

    def controller_command(self, network: Network) -> ControllerCommand:
        """Run an instance behind the OpenFlow server. Raises ProgramError if another process cannot make one."""
        name = self.kind.__qualname__
        try:
            file = str(Path(inspect.getfile(self.kind)).resolve())
        except (OSError, TypeError):
            file = ""
        if not file.endswith(".py") or "<locals>" in name:
            raise ProgramError(f"{name} cannot run in a process of its own; expected a class at the top of a file")
        try:
            told: Any = json.loads(json.dumps(self.arguments))
        except (TypeError, ValueError):
            told = None
        if told != self.arguments:
            raise ProgramError(
                f"{name}({self.arguments!r}) cannot run in a process of its own; "
                "expected arguments of texts, numbers, booleans, lists and dicts with texts as keys"
            )
        document = {**served_network(network), "file": file, "class": name, "arguments": told}
        document["module"] = self.kind.__module__
        return ControllerCommand(
            "sdnloom.platforms.python.server", document, served_environment(), f"OpenFlow server of {self.name}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on insertion order for the report."""
        if self._ordered:
            return (order_note(self._dependent),)
        return () if self._all_orders else (NOT_ALL_ORDERS,)

    def keep_order(self) -> None:
        """Make the insertion order of dicts part of the state from now on."""
        self._ordered = True

    def initial(self) -> Hashable:
        """The state of a new instance."""
        try:
            with self.log.redirected():
                instance = self.kind(**self.arguments)
            self.log.when = "run"
        except TypeError as error:
            raise ProgramError(f"{self.name}({self.arguments!r}) cannot be made: {error}") from error
        return self._core(instance)

    def prepare(self, core: Any) -> None:
        """Nothing: every reaction starts from its core."""

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The file of the class."""
        return (Path(inspect.getfile(self.kind)).resolve(),)

    def read_state(self, core: Any, read: Callable[[Holders], _Seen]) -> _Seen:
        """What a function finds in an instance with this state."""
        return read({self.name: restore(object.__new__(self.kind), core)})

    def state_entries(self, core: Any) -> tuple[StateEntry, ...]:
        """The attributes of an instance with this state."""
        own = {each.__module__ for each in self.kind.__mro__[:-1]}
        return self.read_state(core, StateReader(own).entries)

    def handle_watched(self, core: Any, given: Input, watcher: RunContext) -> Sequence[Reaction]:
        """The reaction, computed anew; the handler runs in a context."""
        name, arguments = call_of(given)
        if name not in self.handlers:
            return (Reaction(core),)
        with self.log.muted():
            instance = restore(object.__new__(self.kind), core)
            net = Net()
            with watcher():
                raised = self._run(name, instance, net, arguments)
        return (Reaction(self._core(instance), tuple(net.messages), raised),)

    def run_changed(
        self, core: Any, given: MessageIn, change: Callable[[Holders], None], content: MessageContent | None = None
    ) -> HandlerRun:
        """Run the handler of a message in a state that is changed first."""
        with self.log.muted():
            done = self._run_once(core, given, change, content)
        self._refuse_shared_state(call_of(given)[0])
        return done

    def _run_once(
        self,
        core: Any,
        given: MessageIn,
        change: Callable[[Holders], None] | None = None,
        content: MessageContent | None = None,
    ) -> HandlerRun:
        """Run a handler whose new state is not kept, on other content of the message if that is given."""
        name, (switch, message) = call_of(given)
        if name not in self.handlers:
            return HandlerRun((), ())
        instance = restore(object.__new__(self.kind), core)
        if change is not None:
            change({self.name: instance})
        if content is not None:
            message = dataclasses.replace(message, data=content) if isinstance(content, bytes) else content
        net = Net()
        raised = self._run(name, instance, net, (switch, message))
        return HandlerRun(tuple(net.messages), raised)

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """Runs the handler for this input; without one the state is unchanged."""
        name, arguments = call_of(given)
        if name not in self.handlers:
            return (Reaction(core, reads=NONE, writes=NONE),)
        watch = None if self._ordered else OrderWatch()
        instance = restore(object.__new__(self.kind), core, watch)
        notes: RecordedReads = set()
        tables = recording_tables(attributes_of(instance) or {}, notes)
        for attribute, table in tables.items():
            object.__setattr__(instance, attribute, table)
        net = Net()
        raised = self._run(name, instance, net, arguments)
        printed = self._printed()
        self._refuse_shared_state(name)
        before = dict(core)
        reads = read_cells(before, tables, notes)  # these two before freezing, which iterates over the tables
        orders = [] if watch is None else self._orders(watch, tables, notes)
        after = self._core(instance)
        for order in orders:
            if self._result(arranged(core, order), name, arguments) != (after, net.messages, raised):
                self._ordered, self._dependent = True, given
                return Restart(order_dependence(self.name, given))
        writes = written_cells(before, dict(after), tables, self._ordered)
        happened = (*raised, *printed)
        return (Reaction(after, tuple(net.messages), happened, reads=reads | writes, writes=writes),)

    def _orders(self, watch: OrderWatch, tables: Mapping[str, Any], notes: RecordedReads) -> list[Arrangement]:
        """Return other insertion orders of the dicts that a handler iterated over."""
        whole = {attribute for attribute, key in notes if key is EVERY}
        watch.see(table.table for attribute, table in tables.items() if attribute in whole)
        if not watch.seen:
            return []
        orders, are_all = watch.arrangements()
        self._all_orders &= are_all
        return orders

    def _result(self, core: Rows, handler: str, arguments: tuple[Any, ...]) -> tuple[Rows, list[Any], tuple[Any, ...]]:
        """Return the state after a handler, its messages and the exception that it raised."""
        instance = restore(object.__new__(self.kind), core)
        net = Net()
        with self.log.muted():
            raised = self._run(handler, instance, net, arguments)
        return self._core(instance), net.messages, raised

    def _run(self, handler: str, instance: Any, net: Net, arguments: tuple[Any, ...]) -> tuple[HandlerRaised, ...]:
        """Run a handler. Its effects before an exception stay, as in a real controller."""
        try:
            with self.log.redirected():
                self.handlers[handler](instance, net, *arguments)
        except (Exception, SystemExit) as error:  # an exception of the user's code is a finding, not an error of ours
            return (self._raised(handler, error),)
        return ()

    def _raised(self, handler: str, error: BaseException) -> HandlerRaised:
        """The exception with the innermost line of the file of the handler."""
        file, line = raising_line(self.handlers[handler], error)
        # The name of the file without its folder: a finding is the same on every machine.
        return HandlerRaised(self.name, handler, Path(file).name, line, error_line(error))

    def _refuse_shared_state(self, handler: str) -> None:
        """Raise ProgramError if a handler changed a class or module variable: the change would leak into other runs."""
        for where, value, before in self.shared:
            if freeze(value, where) != before:
                raise ProgramError(
                    f"{handler} of {self.name} changes {where}, which is no part of its state; "
                    "expected an attribute that is set in __init__"
                )

    def _core(self, instance: Any) -> Rows:
        """The attributes with their values, frozen together so that none is shared."""
        return frozen_attributes(attributes_of(instance) or {}, self.name, self._ordered)


def _shared_containers(kind: type) -> list[tuple[str, Any, Hashable]]:
    """Return the containers among the variables of a class and its module, with their contents now."""
    module = sys.modules.get(kind.__module__)
    variables = [(f"{each.__name__}.{name}", value) for each in kind.__mro__[:-1] for name, value in vars(each).items()]
    if module is not None and kind.__module__ != "builtins":
        variables += [(f"the module's {name}", value) for name, value in vars(module).items()]
    found = []
    for where, value in variables:
        if isinstance(value, MUTABLE) and not where.rpartition(".")[2].rpartition(" ")[2].startswith("__"):
            try:
                found.append((where, value, freeze(value, where)))
            except StateError:
                continue  # a value that cannot be frozen cannot be compared
    return found
