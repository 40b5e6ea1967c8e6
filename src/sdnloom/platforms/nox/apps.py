"""The components of a NOX program, live: loaded from their files, made and installed, and given inputs.

`program.py` runs them in a model, with a clock of its own and states that are captured; `server.py` runs them in a
process of their own. What they are and what an input does to them is the same.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdnloom.network.network import plain_arguments
from sdnloom.network.program import Call, Input, MessageIn, SwitchDown, SwitchUp
from sdnloom.network.usercode import UserCodeError, user_code_errors
from sdnloom.platforms.nox import events
from sdnloom.platforms.nox.context import Context
from sdnloom.platforms.nox.inputs import join_event, message_event
from sdnloom.platforms.nox.kernel import Kernel, NoxError
from sdnloom.platforms.nox.load import Loader, quiet
from sdnloom.platforms.nox.modules import provided_modules
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source


class NoxApps:
    """Apps, by the name of their files without the ending. The files are loaded; `install` makes the components.

    `write` gets what the apps print. The modules of `real` are the real ones, not those of the sandbox.
    """

    def __init__(
        self,
        files: Mapping[str, Path],
        configuration: Mapping[str, Sequence[str]],
        kernel: Kernel,
        write: Callable[[str], object],
        compiler: Compiler = compile_source,
        real: Collection[str] = (),
    ) -> None:
        self.files, self.kernel, self._configuration = files, kernel, configuration
        self.provided = {name: each for name, each in provided_modules(kernel).items() if name not in real}
        self.loader = Loader(self.provided, write, compiler)
        self._factories = {name: self._factory(file) for name, file in files.items()}
        self.contexts = {name: Context(kernel) for name in files}

    def _factory(self, file: Path) -> Any:
        found = getattr(self.loader.load(file), "getFactory", None)
        if not callable(found):
            raise UserCodeError(f"{file}: has no getFactory(); expected a NOX app, whose factory makes its component")
        return found

    @property
    def name(self) -> str:
        """The names of the apps."""
        return " + ".join(self.files)

    @property
    def own(self) -> frozenset[str]:
        """The files of the apps and of their modules that were loaded so far."""
        return frozenset(map(str, self.loader.files.values()))

    def install(self) -> None:
        """Make, configure and install the components; an exception becomes one message with its line."""
        kernel = self.kernel
        with quiet():
            for name, file in self.files.items():
                with user_code_errors(file, "the component"):
                    kernel.components[name] = self._factories[name]().instance(self.contexts[name])
            for call in ("configure", "install"):
                for name, file in self.files.items():
                    given = [{"arguments": list(self._configuration.get(name, ()))}] if call == "configure" else []
                    with user_code_errors(file, f"{call}()"):
                        getattr(kernel.components[name], call)(*given)
            kernel.happen(events.Bootstrap_complete_event())
        for handler, error in kernel.escaped:
            with user_code_errors(next(iter(self.files.values())), handler):
                raise error

    def give(self, given: Input) -> None:
        """Give the apps an input from outside; what they send and raise is in the kernel."""
        kernel = self.kernel
        match given:
            case SwitchUp():
                kernel.switches[given.datapath_id] = given.switch
                kernel.happen(join_event(given))
            case SwitchDown():
                datapath = kernel.datapath_of(given.switch)
                if datapath is not None:
                    del kernel.switches[datapath]
                    kernel.happen(events.Datapath_leave_event(datapath_id=datapath))
            case MessageIn():
                datapath = kernel.datapath_of(given.switch)
                event = None if datapath is None else message_event(datapath, given.message)
                if event is not None:
                    kernel.happen(event)
            case Call():
                kernel.request(self.callable(given.name), plain_arguments(given.arguments))
            case _:
                raise NoxError(f"{given!r}; expected an input that a NOX app can get")

    def callable(self, name: str) -> Any:
        """Return the method of a component, or the function of an app's module, of that name."""
        owners = [*self.kernel.components.values(), *self.loader.modules.values()]
        found = next((getattr(owner, name) for owner in owners if callable(getattr(owner, name, None))), None)
        if found is None:
            raise NoxError(f"call of {name!r}; expected a method of a component or a function of {self.name}")
        return found
