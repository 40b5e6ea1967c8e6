"""What functions import is found wherever it stands, under its full name."""

import pytest

from sdnloom.platforms.sandbox.late_imports import late_imports

IMPORTS = """
    from os import path, sep
    from . import near
    from .folder import thing as other
    import a.b as c
    if c:
        import json, sys
    from .......too import far
"""
FOUND = ["os", "os.path", "os.sep", "pkg", "pkg.near", "pkg.folder", "pkg.folder.thing", "a.b", "json", "sys"]


@pytest.mark.parametrize("length", [0, 1, 300])
def test_imports_of_a_function_are_found_however_long_it_is(length: int) -> None:
    before = "".join(f"    name{number} = {1_000 + number}\n    call{number}()\n" for number in range(length))
    code = compile(f"import top\ndef f():\n{before}{IMPORTS}", "app.py", "exec")
    assert list(late_imports(code, "pkg")) == FOUND


def test_imports_of_methods_and_inner_functions_are_found() -> None:
    code = compile(
        "class C:\n def f(self):\n  def g():\n   import json\n  return lambda: __import__('os')", "app.py", "exec"
    )
    assert list(late_imports(code, "")) == ["json"]
