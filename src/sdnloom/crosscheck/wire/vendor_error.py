"""Errors of a vendor inside of errors: Open vSwitch writes what OpenFlow 1.0 has no number for with type 0xb0c2.

The data of such an error starts with the vendor and a type and code of its own; the quoted request follows. Nicira's
types are those of the version, and its codes start at 256.
"""

import struct
from collections.abc import Mapping
from typing import Final

from sdnloom.crosscheck.output import OutputValue
from sdnloom.network.openflow.constants import V10, VERSIONS
from sdnloom.network.openflow.errors import error_names

VENDOR_ERROR: Final = 0xB0C2
_NICIRA: Final = 0x00002320
# Version, type and code -> the name of the code, as `ovs-ofctl ofp-print` writes it.
_CODES: Final = {(V10, 1, 514): "bad_port", (V10, 1, 521): "unencodable_error", (V10, 3, 258): "bad_flags"}
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
            kind_name, code_name = error_names(version, vendor_kind, vendor_code)
            return ("nicira", kind_name, _CODES.get((version, vendor_kind, vendor_code), code_name))
        return (f"vendor {vendor:#x}", vendor_kind, vendor_code)
    return error_names(version, kind, code)
