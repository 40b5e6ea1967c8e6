"""Records: fixed structures followed by parts, converted to values and back. All messages and actions are records.

Each part fills one attribute. Both directions use the same declaration. Reading takes (data, start, end) and returns
(value, end of the value); each list element consumes bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol

from sdnloom.network.bitstruct import BitStruct, EncodeError
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.field_types import FIELD_TYPES

BAD_LENGTH = ("bad_request", "bad_len")


class Codec(Protocol):
    """Reads and writes one value."""

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        """Return the value at an offset and its end."""
        ...

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value."""
        ...


class RecordPart:
    """A named attribute after a record's structure.

    `size` names the structure's field with its length in bytes; without it the part may take all that is left. The
    length must be a multiple of `unit`.
    """

    def __init__(self, name: str, codec: Codec, size: str | None = None, unit: int = 1) -> None:
        self.name, self.codec, self.size, self.unit = name, codec, size, unit


class Rest:
    """All remaining bytes."""

    def read(self, data: bytes, at: int, end: int) -> tuple[bytes, int]:
        """Return the bytes and their end."""
        return data[at:end], end

    def write(self, value: bytes) -> bytes:
        """Return the bytes."""
        if not isinstance(value, bytes):
            raise TypeError(f"{value!r} is no bytes")
        return value


class Many:
    """Elements up to the end."""

    def __init__(self, element: Codec) -> None:
        self.element = element

    def read(self, data: bytes, at: int, end: int) -> tuple[tuple[Any, ...], int]:
        """Return the elements as a tuple."""
        found = []
        while at < end:
            value, at = self.element.read(data, at, end)
            found.append(value)
        return tuple(found), at

    def write(self, value: tuple[Any, ...]) -> bytes:
        """Return the elements one after the other."""
        return b"".join(map(self.element.write, value))


class Record:
    """A structure and its parts as one value.

    `length` names the structure's field with the length of the whole record; without it a record with parts takes all
    that is left. `constants` are fields with one possible value, `fixed` are attributes with one possible value. An
    attribute that the version cannot carry must have its default when written, so that nothing is lost silently.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        struct: BitStruct,
        *parts: RecordPart,
        length: str | None = None,
        constants: Mapping[str, int] | None = None,
        fixed: Mapping[str, Any] | None = None,
        view: Callable[[Any], Mapping[str, Any]] | None = None,
        fault: tuple[str, str] = BAD_LENGTH,
    ) -> None:
        self.build, self.struct, self.parts, self.length, self.fault = build, struct, parts, length, fault
        self.constants, self.fixed, self.view = dict(constants or {}), dict(fixed or {}), view
        self._slots = [
            (slot.name, slot.bits, FIELD_TYPES[slot.kind])
            for slot in struct.slots.values()
            if slot.kind != "size" and slot.name not in self.constants
        ]
        carried = {name for name, _, _ in self._slots} | {part.name for part in parts} | set(self.fixed) | {"xid"}
        self._absent = (
            [(each.name, each.default) for each in fields(build) if each.name not in carried]
            if is_dataclass(build)
            else []
        )
        assert all(default is not MISSING for _, default in self._absent), f"{struct.name} cannot build {build}"

    def read(self, data: bytes, at: int, end: int, **extra: Any) -> tuple[Any, int]:
        """Return the value at an offset and its end; `extra` are attributes that the caller gives."""
        if end - at < self.struct.size:
            raise self._fault(at, f"{end - at} bytes are left, expected {self.struct.size} or more")
        raw = self.struct.unpack(data, at)
        if self.length is not None:
            if not self.struct.size <= raw[self.length] <= end - at:
                raise self._fault(at, f"its length is {raw[self.length]}, {end - at} bytes are left")
            end = at + raw[self.length]
        values = {name: kind.read(raw[name], bits) for name, bits, kind in self._slots}
        start, at = at, at + self.struct.size
        for part in self.parts:
            stop = end if part.size is None else at + raw[part.size]
            if stop > end:
                raise self._fault(start, f"{part.name} has {stop - at} bytes, {end - at} are left")
            if (stop - at) % part.unit:
                raise DecodeError(
                    *BAD_LENGTH, f"{part.name} at byte {at}: {stop - at} bytes, no multiple of {part.unit}"
                )
            values[part.name], at = part.codec.read(data, at, stop)
        if self.length is not None and at != end:
            raise self._fault(start, f"{end - at} bytes too many")
        return self.build(**values, **self.fixed, **extra), at

    def write(self, value: Any) -> bytes:
        """Return the bytes; an attribute that this version cannot carry raises EncodeError."""
        for name, default in self._absent:
            if getattr(value, name) != default:
                raise EncodeError(
                    f"{type(value).__name__}.{name} = {getattr(value, name)!r}: this version has no place for it,"
                    f" expected {default!r}"
                )
        view = self.view(value) if self.view else None
        raw = dict(self.constants)
        name = ""
        tails = []
        try:
            for name, bits, kind in self._slots:
                raw[name] = kind.write(view[name] if view else getattr(value, name), bits)
            for part in self.parts:
                name = part.name
                tails.append(part.codec.write(view[name] if view else getattr(value, name)))
        except (TypeError, AttributeError) as error:
            raise EncodeError(f"{self.struct.name}.{name} of {value!r}: expected another type ({error})") from error
        for part, tail in zip(self.parts, tails, strict=True):
            if part.size is not None:
                raw[part.size] = len(tail)
        body = b"".join(tails)
        if self.length is not None:
            raw[self.length] = self.struct.size + len(body)
        return self.struct.pack(raw) + body

    def _fault(self, at: int, detail: str) -> DecodeError:
        return DecodeError(*self.fault, f"{self.struct.name} at byte {at}: {detail}")


class Variant:
    """Actions or instructions: values that start with a 16-bit type and a 16-bit length, which is a multiple of 8."""

    def __init__(
        self,
        records: Mapping[int, tuple[Any, Codec]],
        unknown: Codec,
        unknown_key: object,
        fault: tuple[str, str],
        key: Callable[[Any], object] = type,
    ) -> None:
        self.by_code = {code: record for code, (_, record) in records.items()}
        self._by_key: dict[Any, Codec] = {**dict(records.values()), unknown_key: unknown}
        self.unknown, self._fault, self._key = unknown, fault, key

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        """Return the value at an offset and its end; a value of an unknown type is kept as bytes."""
        code, size = int.from_bytes(data[at : at + 2], "big"), int.from_bytes(data[at + 2 : at + 4], "big")
        if end - at < 8 or size < 8 or size % 8 or size > end - at:
            raise DecodeError(
                *self._fault, f"type {code} at byte {at}: its length is {size}, {end - at} bytes are left"
            )
        value, stop = self.by_code.get(code, self.unknown).read(data, at, at + size)
        if stop != at + size:
            raise DecodeError(*self._fault, f"type {code} at byte {at}: its length is {size}, expected {stop - at}")
        return value, stop

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value."""
        record = self._by_key.get(self._key(value))
        if record is None:
            raise EncodeError(f"{value!r} has no form in this version of OpenFlow")
        data = record.write(value)
        if len(data) % 8:
            raise EncodeError(f"{value!r} has {len(data)} bytes: expected a multiple of 8")
        return data
