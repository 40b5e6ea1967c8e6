"""The real parts of a scenario while they run."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

from sdnloom.check.run import Run
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.real_parts import RealController, RealSwitch
from sdnloom.network.build import BuiltNetwork


@dataclass(frozen=True)
class OpenParts:
    """The real parts of a scenario while they run, with their names and versions, and what is to be known of them."""

    switches: Mapping[str, RealSwitch]
    controller: RealController
    names: Mapping[str, str]
    warnings: tuple[str, ...] = ()


PartsFactory: TypeAlias = Callable[[Run, BuiltNetwork, ConfirmOptions], AbstractContextManager[OpenParts]]
