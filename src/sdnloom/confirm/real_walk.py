"""A random walk that is taken on the model and on the real parts at once: it shows whether the two agree."""

import random
import time

from sdnloom.check.run import Run
from sdnloom.confirm.lockstep import Lockstep, RealNetwork
from sdnloom.confirm.open_parts import PartsFactory
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import Confirmation
from sdnloom.confirm.run import concluded, startup_steps, take_startup
from sdnloom.confirm.switch_input import why_not_disconnected
from sdnloom.engine.semantics import Transition
from sdnloom.network.build import BuiltNetwork


def walk_with(parts: PartsFactory, run: Run, steps: int, seed: int, options: ConfirmOptions) -> Confirmation:
    """Take random steps until there are so many, none is left, or a part does something that the model does not allow.

    Where the model has several outcomes, that of the real part is taken. A walk has no step that is known to be
    impossible on the real parts, and with `wait` 0 none that waits for a timer of the app.
    """
    chance = random.Random(seed)
    built = run.built
    before = startup_steps(run)
    with parts(run, built, options) as opened:
        real = RealNetwork(built, opened.switches, opened.controller, options.wait)
        began = time.time()
        trouble = take_startup(real, before)
        lockstep = Lockstep(built, real, startup=False)
        taken = 0
        while trouble is None and taken < steps:
            offered = [
                each
                for each in lockstep.semantics.transitions(lockstep.state)
                if _is_possible(built, each) and (options.wait or not lockstep.runs_by_itself(each))
            ]
            if not offered:
                break
            taken += 1
            trouble = lockstep.take(chance.choice(offered), adopt=True)
        return concluded(real, opened, trouble, None, taken, began)


def _is_possible(built: BuiltNetwork, transition: Transition) -> bool:
    """Whether a step can be taken on a real switch: not every switch loses its connection as Open vSwitch does."""
    config = built.configs.get(transition.step.component)
    return config is None or transition.action.name != "disconnect" or not why_not_disconnected(config)
