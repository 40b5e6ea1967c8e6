"""Library functions that symbolic values pass through: struct, socket, binascii, address converters.

Rewritten code needs nothing but `install`: calls of the originals with symbolic arguments then go to the shims. Code
that is not rewritten gets what `modules` returns, and converters as `converters` makes them, from whoever loads it.
"""

import struct

from sdnloom.symbolic.operations.builtin_calls import register_replacement
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.shims import addresses, struct_shim
from sdnloom.symbolic.shims.addresses import converters

__all__ = ["converters", "install"]


def install() -> None:
    """Let rewritten code follow symbolic values through these libraries. Plain arguments never come here."""
    for function, handler in (struct_shim.struct_replacements() | addresses.address_replacements()).items():
        register_replacement(function, handler)
    METHODS[struct.Struct] = struct_shim.struct_methods()
