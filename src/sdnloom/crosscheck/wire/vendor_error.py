"""Errors of a vendor inside of errors: Open vSwitch writes what OpenFlow 1.0 has no number for with type 0xb0c2.

The data of such an error starts with the vendor and a type and code of its own; the quoted request follows. Nicira uses
the numbers of later versions of OpenFlow where these have the error, and its own from 256 on.
"""

import struct
from collections.abc import Mapping
from typing import Final

from sdnloom.crosscheck.output import OutputValue
from sdnloom.network.openflow.constants import V13, VERSIONS
from sdnloom.network.openflow.errors import error_names

VENDOR_ERROR: Final = 0xB0C2
_NICIRA: Final = 0x00002320
_HEAD: Final = struct.Struct("!IHH")


def vendor_error_fields(kind: OutputValue, data: OutputValue) -> list[tuple[str, OutputValue]] | None:
    """Return vendor, type, code and quoted request of an error's data; None if it is no vendor's error."""
    if kind != VENDOR_ERROR or not isinstance(data, bytes) or len(data) < _HEAD.size:
        return None
    names = ("vendor", "vendor_type", "vendor_code")
    return [*zip(names, _HEAD.unpack_from(data), strict=True), ("data", data[_HEAD.size :])]


def error_words(values: Mapping[str, OutputValue], version: int) -> tuple[str | int, ...] | None:
    """Return how the fields of an error event say what went wrong, in names if there are any; None if it depends."""
    kind, code = values.get("type"), values.get("code")
    if not isinstance(kind, int) or not isinstance(code, int) or version not in VERSIONS:
        return None
    vendor, vendor_kind, vendor_code = (values.get(name) for name in ("vendor", "vendor_type", "vendor_code"))
    if isinstance(vendor, int) and isinstance(vendor_kind, int) and isinstance(vendor_code, int):
        if vendor == _NICIRA:
            return ("nicira", *error_names(V13, vendor_kind, vendor_code))
        return (f"vendor {vendor:#x}", vendor_kind, vendor_code)
    return error_names(version, kind, code)
