"""Modules that a program under test imports instead of the originals, by name."""

from functools import cache
from types import ModuleType

from sdnloom.symbolic.shims import addresses, struct_shim
from sdnloom.symbolic.shims.libraries import ipaddress_module, netaddr_module


def low_level_modules() -> dict[str, ModuleType]:
    """Return `struct`, `socket` and `binascii` for code that is not rewritten."""
    return {
        "struct": struct_shim.struct_module(),
        "socket": addresses.socket_module(),
        "binascii": addresses.binascii_module(),
    }


@cache
def library_modules() -> dict[str, ModuleType]:
    """Return `ipaddress` and, if installed, `netaddr` for rewritten code; made once."""
    found = {"ipaddress": ipaddress_module(), "netaddr": netaddr_module()}
    return {name: module for name, module in found.items() if module is not None}
