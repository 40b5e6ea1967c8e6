"""Programs that can be made once more: a copy is made with the arguments of the original."""

from typing import Any, Self


class Copyable:
    """Remembers the arguments of its constructor, so that a copy has every option of the original."""

    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Make the object and keep the arguments."""
        made = super().__new__(cls)
        made._arguments = arguments, options
        return made

    def reloaded(self) -> Self:
        """The same program with the same options, loaded once more."""
        arguments, options = self._arguments
        return type(self)(*arguments, **options)
