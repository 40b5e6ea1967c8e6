"""The trace of statements that a call executes: what depends on caches and hashes is left out."""

import importlib.util

from sdnloom.platforms.line_trace import Line, line_trace

SOURCE = """
import functools

class Key:
    def __hash__(self):
        return 3

def helper(number):
    return number + 1

@functools.lru_cache(maxsize=4)
def cached(number):
    return helper(number)

@functools.cache
def failing(number):
    raise ValueError(helper(number))

def handler():
    table = {Key(): 1}
    cached(1)
    try:
        failing(1)
    except ValueError:
        pass
    return helper(len(table))
"""


def test_hashes_and_functions_with_a_cache_leave_no_lines(tmp_path):
    file = tmp_path / "under_test.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("under_test", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    first, second = (line_trace(module.handler, [file]) for _ in range(2))
    assert first == second  # the second time the cache has the result
    assert [line.number for line in first[1]] == [20, 21, 22, 23, 24, 25, 26, 9]
    assert first[1][0] == Line("under_test.py", 20)
