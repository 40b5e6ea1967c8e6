"""Modules that code that is not rewritten imports instead of the originals, by name."""

from types import ModuleType

from sdnloom.symbolic.shims import addresses, struct_shim


def low_level_modules() -> dict[str, ModuleType]:
    """Return `struct`, `socket` and `binascii` for code that is not rewritten."""
    return {
        "struct": struct_shim.struct_module(),
        "socket": addresses.socket_module(),
        "binascii": addresses.binascii_module(),
    }
