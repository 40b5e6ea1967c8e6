"""How functions are compiled, and when what an earlier process has compiled of them is still right.

numba keeps compiled functions in files and compares each with the source file of the function. But functions of other
files are put into it, so a change of those would go unnoticed: here every function is compared with the sources of all.
"""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from numba import njit

# Without the runtime that counts references: each use of an array would count them, in counters that threads share. So
# compiled code cannot make arrays. Functions that only compiled code calls are put into their callers, because a call
# would copy the whole bundle.
_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "nogil": True, "_nrt": False}
# For functions that only compiled code calls, without the wrappers for Python.
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
_ENGINE = Path(__file__).parents[1]


def digest_of(files: Iterable[Path]) -> str:
    """A digest of the names and contents of files."""
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        digest.update(f"{file.name}\0".encode() + hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> str | None:
    """The digest of all files with compiled functions; None if there are no files."""
    with suppress(OSError):
        return digest_of([*_ENGINE.rglob("jit_*.py"), _ENGINE / "kernel" / "atomics.py"])
    return None


SOURCES = _sources()


def _compiled(options: dict[str, Any], function: Callable[..., Any]) -> Any:
    found = njit(**options)(function)
    if SOURCES is not None:
        with suppress(AttributeError):  # a numba that keeps its cache in another way
            found._cache._cache_file._source_stamp = SOURCES
    return found


entry: Any = partial(_compiled, _OPTIONS)  # for functions that Python calls
inlined: Any = partial(_compiled, {**_OPTIONS, "inline": "always"})
inner: Any = partial(_compiled, _INNER)
