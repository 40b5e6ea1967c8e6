"""The value of `--threads`: a number. It once was a word, about threads of the app."""

from typing import Any

import click

from sdnloom.engine.options.option_mixes import MOST_THREADS

_OF_THE_APP = ("settle", "explore")  # values of --app-threads


class ThreadCount(click.IntRange):
    """A number of threads; a word for the app's threads is told where it belongs."""

    def __init__(self) -> None:
        super().__init__(1, MOST_THREADS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a text stands for."""
        if value in _OF_THE_APP:
            self.fail(f"{value!r} is no number; expected a whole number; threads of the app: --app-threads {value}")
        return super().convert(value, param, ctx)
