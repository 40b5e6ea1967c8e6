"""Byte strings and arrays as in Python 2, as NOX apps expect them."""

import array as real
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["ArrayType", "Octets", "array", "typecodes"]

typecodes = real.typecodes


class Octets(bytes):
    """Bytes whose items are byte strings, as those of a Python 2 string: `ord(address[0])`."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> "Octets":  # type: ignore[override]
        found = bytes.__getitem__(self, key)
        return Octets(found if isinstance(found, bytes) else (found,))

    def __iter__(self) -> Iterator["Octets"]:  # type: ignore[override]
        return (Octets((each,)) for each in bytes.__iter__(self))

    def __add__(self, other: Any) -> "Octets":
        return Octets(bytes.__add__(self, other))


def octets(content: Any) -> Octets:
    """Return the bytes of a byte string, an array, or a text of characters below 256."""
    return Octets(content.encode("latin-1") if isinstance(content, str) else bytes(memoryview(content)))


class array(real.array):  # type: ignore[type-arg]
    """An array with the methods that Python 3 removed; slices, sums and copies of it have them too."""

    __slots__ = ()

    def __new__(cls, typecode: str, initializer: Any = ()) -> "array":
        if isinstance(initializer, str) and typecode != "u":
            initializer = initializer.encode("latin-1")
        return super().__new__(cls, typecode, initializer)

    def tostring(self) -> Octets:
        """Return the items as a byte string."""
        return Octets(self.tobytes())

    def fromstring(self, content: Any) -> None:
        """Append the items of a byte string."""
        self.frombytes(octets(content))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return array(self.typecode, found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> "array":
        return array(self.typecode, super().__add__(other))

    def __copy__(self) -> "array":
        return array(self.typecode, self)

    def __deepcopy__(self, memo: Any) -> "array":
        return array(self.typecode, self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return array, (self.typecode, self.tolist())


ArrayType = array


def octet_array(content: Iterable[int] | bytes | str = b"") -> array:
    """Return an array of bytes."""
    return array("B", content)
