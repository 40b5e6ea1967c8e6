"""A bytearray that can hold symbolic bytes. Rewritten code makes one wherever the original makes a bytearray.

Symbolic units are stored beside the concrete content, by index; a change that moves bytes moves them too.
"""

from collections.abc import Iterable
from typing import Any, SupportsIndex

from sdnloom.symbolic.values.code_units import CodeUnit, concretise_units, unit_number
from sdnloom.symbolic.values.sym_bytes import (
    bytes_of,
    bytes_of_numbers,
    bytes_of_units,
    concrete_bytes,
    unit_of,
    units_of_bytes,
)
from sdnloom.symbolic.values.sym_int import SymInt, concrete_index, concrete_int, concrete_slice, fork_or_concretise


class SymByteArray(bytearray):
    """A bytearray with units for its symbolic bytes."""

    __class__ = property(lambda self: bytearray)  # for the program; isinstance checks type() first
    _symbolic: dict[int, CodeUnit]  # index -> unit, only of bytes that depend on an input

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) == 1 and isinstance(args[0], SymInt):
            args = (fork_or_concretise(args[0], "size of a bytearray"),)
        self._symbolic = {}
        if args and isinstance(args[0], str):
            args = (args[0].encode(*args[1:], **kwargs),)
            kwargs = {}
        if args and not isinstance(args[0], int):
            source = args[0] if isinstance(args[0], bytes | bytearray | memoryview) else bytes_of_numbers(args[0])
            bytearray.__init__(self, concrete_bytes(source))
            self._keep(units_of_bytes(source))
        else:
            bytearray.__init__(self, *args, **kwargs)

    def tracks(self) -> bool:
        """Return whether some byte depends on an input."""
        return bool(self._symbolic)

    def symbolic_units(self) -> tuple[CodeUnit, ...]:
        """Return the unit of each byte."""
        codes = bytes(memoryview(self))
        if not self._symbolic:
            return tuple(codes)
        return tuple(self._symbolic.get(position, code) for position, code in enumerate(codes))

    def concretise(self, construct: str) -> bytearray:
        """Concretise every byte, because of the construct."""
        codes = bytes(memoryview(self))
        concretise_units(self.symbolic_units(), codes, construct)
        return self

    def _keep(self, units: Iterable[CodeUnit]) -> None:
        self._symbolic = {position: unit for position, unit in enumerate(units) if not isinstance(unit, int)}

    def _become(self, value: bytes) -> None:
        """Replace the content, in place."""
        bytearray.__setitem__(self, slice(None), concrete_bytes(value))
        self._keep(units_of_bytes(value))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            index = concrete_slice(index, len(self))
            if not self._symbolic:
                return SymByteArray(bytearray.__getitem__(self, index))
            return SymByteArray(bytes_of(self)[index])
        if isinstance(index, SymInt):
            index = concrete_index(index, len(self), "bytearray")
        code = bytearray.__getitem__(self, index)
        return unit_number(self._symbolic.get(index % len(self), code), code) if self._symbolic else code

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            index = concrete_slice(index, len(self))
            source = value if isinstance(value, bytes | bytearray | memoryview) else bytes_of_numbers(value)
            units = list(self.symbolic_units())
            units[index] = units_of_bytes(source)
            bytearray.__setitem__(self, index, concrete_bytes(source))
            self._keep(units)
            return
        if isinstance(index, SymInt):
            index = concrete_index(index, len(self), "bytearray")
        if not 0 <= value < 256:
            raise ValueError("byte must be in range(0, 256)")
        bytearray.__setitem__(self, index, concrete_int(value))
        unit, position = unit_of(value), index % len(self)
        if isinstance(unit, int):
            self._symbolic.pop(position, None)
        else:
            self._symbolic[position] = unit

    def __delitem__(self, index: Any) -> None:
        units = list(self.symbolic_units())
        index = (
            concrete_slice(index, len(self))
            if isinstance(index, slice)
            else concrete_index(index, len(self), "bytearray")
        )
        del units[index]
        bytearray.__delitem__(self, index)
        self._keep(units)

    def __iter__(self) -> Any:
        return (self[position] for position in range(len(self)))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, bytes | bytearray | memoryview):
            return NotImplemented
        return bytes_of(self) == bytes_of(other)

    def __ne__(self, other: object) -> Any:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    __hash__ = None

    def __contains__(self, part: Any) -> bool:
        return part in bytes_of(self)

    def __add__(self, other: Any) -> "SymByteArray":
        return SymByteArray(
            bytes_of_units(concrete_bytes(self) + concrete_bytes(other), self.symbolic_units() + units_of_bytes(other))
        )

    def __radd__(self, other: Any) -> Any:
        joined = bytes_of_units(
            concrete_bytes(other) + concrete_bytes(self), units_of_bytes(other) + self.symbolic_units()
        )
        return SymByteArray(joined) if isinstance(other, bytearray) else joined

    def __iadd__(self, other: Any) -> "SymByteArray":
        self.extend(other)
        return self

    def __imul__(self, times: Any) -> "SymByteArray":  # type: ignore[misc]
        self._become(bytes_of(self) * times)
        return self

    def append(self, value: Any) -> None:
        self.extend((value,))

    def extend(self, values: Any) -> None:
        source = values if isinstance(values, bytes | bytearray | memoryview) else bytes_of_numbers(values)
        units, start = units_of_bytes(source), len(self)
        bytearray.extend(self, concrete_bytes(source))
        for position, unit in enumerate(units, start):
            if not isinstance(unit, int):
                self._symbolic[position] = unit

    def insert(self, index: SupportsIndex, value: Any) -> None:
        whole = bytes_of(self)
        self._become(whole[:index] + bytes_of_numbers((value,)) + whole[index:])

    def pop(self, index: Any = -1) -> int:
        found: int = self[index]
        del self[index]
        return found

    def remove(self, value: Any) -> None:
        del self[bytes_of(self).index(value)]

    def reverse(self) -> None:
        self._become(bytes_of(self)[::-1])

    def clear(self) -> None:
        self._become(b"")

    def copy(self) -> "SymByteArray":
        return SymByteArray(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return bytearray, (bytes(memoryview(self.concretise("copy or pickle"))),)

    def __copy__(self) -> "SymByteArray":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "SymByteArray":
        return self.copy()


def _delegated(name: str) -> Any:
    """Return a method of bytearray that calls the symbolic method of bytes."""

    def method(self: SymByteArray, *args: Any, **kwargs: Any) -> Any:
        found = getattr(bytes_of(self), name)(*args, **kwargs)
        return SymByteArray(found) if isinstance(found, bytes) else found

    method.__name__ = name
    return method


for _name in sorted(vars(bytearray)):
    if not _name.startswith("_") and _name not in vars(SymByteArray) and _name not in ("fromhex", "maketrans"):
        setattr(SymByteArray, _name, _delegated(_name))
