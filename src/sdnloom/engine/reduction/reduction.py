"""Interface of a partial-order reduction."""

from typing import Protocol

from sdnloom.engine.model import Component
from sdnloom.engine.reduction.place_classes import Classifier, PlaceClass


class Reduction(Protocol):
    """Chooses actions that are enough to explore in a state.

    Law: its answers depend on a state only through the classes of the places, so the engines ask once for each
    combination of classes. Actions are numbered in the order of components and their actions; a set of actions is a bit
    set of these numbers.
    """

    @property
    def name(self) -> str:
        """The name shown in results."""

    @property
    def sleep_sets(self) -> bool:
        """Whether a search may use sleep sets as well."""

    @property
    def cycle_proviso(self) -> bool:
        """Whether a search has to check the cycle proviso."""

    def classifier(self, component: Component) -> Classifier:
        """The classification of a component's places."""

    def subset(self, classes: tuple[PlaceClass, ...]) -> int | None:
        """The actions to explore in a state of these classes, None for all of them."""

    def commuting(self, classes: tuple[PlaceClass, ...]) -> list[int]:
        """For each action, those that commute with it in a state of these classes."""
