"""The real parts of a scenario while they run: Open vSwitch, and the program in a process of its own."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from sdnloom.check.run import Run
from sdnloom.confirm.controller.controller_process import run_command
from sdnloom.confirm.controller.foreign_controller import (
    StartedController,
    command_words,
    start_by_command,
    use_running,
)
from sdnloom.confirm.controller.process_controller import listening_controller
from sdnloom.confirm.openvswitch.real_bridges import RealBridges
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.real_parts import RealController, RealPartError, RealSwitch
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.program import RunsInProcess, capability
from sdnloom.switches.sigterm import ended_like_ctrl_c

_OPEN_VSWITCH = "openvswitch"


@dataclass(frozen=True)
class OpenParts:
    """The real parts of a scenario while they run, with their names and versions, and what is to be known of them."""

    switches: Mapping[str, RealSwitch]
    controller: RealController
    names: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    foreign: bool = False  # whether the controller is not the scenario's program


PartsFactory: TypeAlias = Callable[[Run, BuiltNetwork, ConfirmOptions], AbstractContextManager[OpenParts]]


@contextmanager
def open_real_parts(run: Run, built: BuiltNetwork, options: ConfirmOptions) -> Iterator[OpenParts]:
    """Start Open vSwitch with a bridge for each switch, and the controller; end both after the block."""
    if options.switch != _OPEN_VSWITCH:
        raise RealPartError(f"switch is {options.switch!r}; expected {_OPEN_VSWITCH}")
    # The controller begins to start before the switches do, because it takes longer.
    with ended_like_ctrl_c(), _begun_controller(run, options) as ready, RealBridges(built.configs) as bridges:
        started = ready()
        with closing(started.controller) as controller:
            count = len(bridges.switches)
            switches = f"{bridges.version}, {count} bridge{'s' if count != 1 else ''}"
            names = {"switches": switches, "controller": started.name}
            foreign = options.controller_command is not None or options.controller is not None
            yield OpenParts(bridges.switches, controller, names, (*bridges.notes, *started.warnings), foreign)


@contextmanager
def _begun_controller(run: Run, options: ConfirmOptions) -> Iterator[Callable[[], StartedController]]:
    """Begin to start the program, or what the options name in its place; the function waits until it is there."""
    if options.controller_command is not None and options.controller is not None:
        raise RealPartError("--controller-command and --controller are given; expected one or the other")
    if options.controller is not None:
        yield partial(use_running, options.controller)
        return
    if options.controller_command is not None:
        command_words(options.controller_command)  # a mistake shows before anything is started
        yield partial(start_by_command, options.controller_command)
        return
    program = capability(run.program, RunsInProcess)
    if program is None:
        raise RealPartError(f"{run.program.name} cannot run in a process of its own; expected a program that can")
    command = program.controller_command(run.scenario.network)
    with closing(run_command(command)) as process:
        yield lambda: StartedController(listening_controller(process), command.what)
