"""Makes the metrics of `prometheus_client` a sink: a program writes them, and nothing keeps what it wrote.

Metrics say how a program is doing; they are read by a monitoring system, which no search has. Kept, they would make
states differ that the program cannot distinguish (a counter of packets), and a registry that outlives a state would
refuse a metric that is made again. Each program has its own copy of the library; a value that is read is 0, and a
registry is empty.
"""

from types import ModuleType
from typing import Any

METRICS = "prometheus_client"
METRICS_NOTE = "metrics of prometheus_client keep no values: reading one gives 0"


def is_metrics(name: str) -> bool:
    """Whether a module is part of the library."""
    return name == METRICS or name.startswith(f"{METRICS}.")


class InertValue:
    """The value of a metric: takes everything and keeps nothing."""

    _multiprocess = False

    def __init__(self, *described: Any, **options: Any) -> None:
        pass

    def inc(self, amount: float) -> None:
        """Does nothing."""

    def set(self, value: float, timestamp: float | None = None) -> None:
        """Does nothing."""

    def set_exemplar(self, exemplar: Any) -> None:
        """Does nothing."""

    def get(self) -> float:
        """Return 0."""
        return 0.0

    def get_exemplar(self) -> None:
        """Return None: there is none."""


def settle_metrics(module: ModuleType) -> None:
    """Make a module of the library inert, when it has been loaded."""
    if module.__name__ == f"{METRICS}.values":
        vars(module)["ValueClass"] = InertValue
    elif module.__name__ == f"{METRICS}.registry":
        for name in ("register", "unregister"):
            setattr(module.CollectorRegistry, name, lambda self, collector: None)
