"""Library functions that symbolic values pass through: struct, socket, binascii, re, address converters.

Rewritten code needs only `install`: calls of the originals with symbolic arguments then go to the shims. The loader of
code that is not rewritten gives it the modules of `modules` and the address converters of `converters`. Libraries in
pure Python have no shims: `libraries` lets their own code run rewritten while something is explored.
"""

import re
import struct

from sdnloom.symbolic.operations.builtin_calls import register_replacement
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.shims import addresses, patterns, struct_shim
from sdnloom.symbolic.shims.addresses import converters

__all__ = ["converters", "install"]


def install() -> None:
    """Register the shims for rewritten code. Calls with plain arguments never reach them."""
    found = struct_shim.struct_replacements() | addresses.address_replacements() | patterns.pattern_replacements()
    for function, handler in found.items():
        register_replacement(function, handler)
    METHODS[struct.Struct] = struct_shim.struct_methods()
    METHODS[re.Pattern] = patterns.pattern_methods()
