"""The kernel is compiled as a whole in another process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdnloom.engine.kernel import compilation, jit_options
from sdnloom.engine.kernel.compilation import KernelCompilation
from sdnloom.engine.kernel.search import ENTRIES

ROOT = Path(__file__).parents[2]
COMPILE = """
from sdnloom.engine.kernel.compilation import compile_kernel
from sdnloom.engine.kernel.search import ENTRIES, is_compiled
assert not any(function.signatures for function in ENTRIES)
compile_kernel()
print([function.__name__ for function in ENTRIES if not function.signatures], is_compiled())
"""


@pytest.mark.slow
def test_every_function_that_python_calls_is_compiled():
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", COMPILE],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[] True\n"


class Process:
    """A process that runs until it is killed."""

    def __init__(self, *arguments, **options):
        self.code = None

    def poll(self):
        return self.code

    def kill(self):
        self.code = -9

    def wait(self):
        return self.code


def test_a_compilation_is_over_when_its_process_has_ended(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.kernel.search.is_compiled", lambda: False)
    monkeypatch.setattr(compilation.subprocess, "Popen", Process)
    under_way = KernelCompilation()
    assert not under_way.is_over
    under_way.stop()
    assert under_way.is_over


def test_without_another_process_the_kernel_is_compiled_here(monkeypatch):
    def refused(*arguments, **options):
        raise OSError("no more processes")

    monkeypatch.setattr("sdnloom.engine.kernel.search.is_compiled", lambda: False)
    monkeypatch.setattr(compilation.subprocess, "Popen", refused)
    assert KernelCompilation().is_over


def test_what_was_compiled_is_right_for_the_sources_of_all_functions_only(tmp_path):
    """numba itself looks at the file of a function alone, and puts functions of other files into it."""
    engine = Path(jit_options.__file__).parents[1]
    found = {file.name for file in engine.rglob("*.py") if "import entry" in file.read_text()}
    assert found == {file.name for file in engine.rglob("jit_*.py")} - {"jit_options.py"}
    assert {function._cache._cache_file._source_stamp for function in ENTRIES} == {jit_options.SOURCES}
    files = [tmp_path / name for name in ("jit_a.py", "jit_b.py")]
    digests = set()
    for texts in (("one", "two"), ("two", "one"), ("one", "twos"), ("", "onetwo")):
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        digests.add(jit_options.digest_of(files))
        assert jit_options.digest_of(reversed(files)) in digests
    assert len(digests) == 4
