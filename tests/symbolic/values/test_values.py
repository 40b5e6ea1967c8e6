"""Properties of symbolic values besides their terms: hashing, copying, trust, determinism."""

import copy
import logging
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.operations.calls import trust
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.terms.constructors import term_text, var
from sdnloom.symbolic.values.hash_value import hash_candidates
from sdnloom.symbolic.values.make import (
    MAC,
    SymBytes,
    SymInt,
    SymStr,
    concrete,
    symbolic_bytes,
    symbolic_int,
    symbolic_text,
)


def number(value: int = 5, width: int = 16) -> Any:
    return symbolic_int(value, var("x", width))


def conditions(execution: Execution) -> list[str]:
    return [
        term_text(branch.condition) if branch.taken else f"not {term_text(branch.condition)}"
        for branch in execution.branches
    ]


def test_symbolic_values_look_like_plain_ones() -> None:
    address = symbolic_text("00:00:00:00:00:01", var("m", 48, "mac"), MAC)
    data = symbolic_bytes(b"ab", var("b", 16))
    assert isinstance(number(), int)
    assert isinstance(address, str)
    assert isinstance(data, bytes)
    assert (concrete(number()), concrete(address), concrete(data)) == (5, "00:00:00:00:00:01", b"ab")
    assert [type(concrete(each)) for each in (number(), address, data)] == [int, str, bytes]


def test_constant_terms_give_plain_values() -> None:
    plain = number() & 0
    assert type(plain) is int
    assert type((number() | 0) - number() * 0) is SymInt


def test_text_must_be_written_in_its_style() -> None:
    with pytest.raises(ValueError, match="'00:00' is not how"):
        symbolic_text("00:00", var("m", 48), MAC)


def test_without_an_execution_only_the_value_counts() -> None:
    assert number() == 5
    assert number() in {5}
    assert hash(number()) == 5


def test_hash_outside_rewritten_code_forks_over_candidates_and_concretises_other_values() -> None:
    execution = Execution({"x": 5})
    with execution.active(), hash_candidates([3, 5, "text"]):
        assert {3: "a", 5: "b"}[number()] == "b"
    assert conditions(execution) == ["not x == 3", "x == 5"]
    assert execution.concretisations == {}
    other = Execution({"x": 9})
    with other.active(), hash_candidates([3, 5]):
        assert number(9) not in {3: "a", 5: "b"}
    assert conditions(other) == ["not x == 3", "not x == 5", "x == 9"]
    assert [site.construct for site in other.concretisations] == ["hash in code that is not rewritten"]


def test_candidates_are_tried_in_one_order() -> None:
    orders = []
    for candidates in ([1, 2, 30], [30, 2, 1]):
        execution = Execution({"x": 9})
        with execution.active(), hash_candidates(candidates):
            hash(number(9))
        orders.append(conditions(execution))
    assert orders[0] == orders[1]


def test_copies_keep_terms() -> None:
    values = [number(), symbolic_text("a", var("c", 8)), symbolic_bytes(b"a", var("b", 8))]
    assert [type(each) for each in copy.deepcopy(values)] == [SymInt, SymStr, SymBytes]
    assert copy.copy(values[0]).term is values[0].term


def test_trusted_packages_get_symbolic_values() -> None:
    app = RewrittenModules(lambda name: False).run("import textwrap\ndef f(t): return textwrap.dedent(t)", "a.py")
    letter = symbolic_text("a", var("c", 8))
    execution = Execution({"c": 97})
    with execution.active():
        app.f(letter)
    assert [site.construct for site in execution.concretisations] == ["call of textwrap.dedent, which is not rewritten"]
    assert [(site.file, site.line) for site in execution.concretisations] == [("a.py", 2)]
    app = RewrittenModules(lambda name: False).run(
        "from email.header import Header\ndef f(t): return Header(t)", "a.py"
    )
    trust("email")
    execution = Execution({"c": 97})
    with execution.active():
        app.f(letter)
    assert execution.concretisations == {}


def test_logging_depends_on_nothing(caplog: pytest.LogCaptureFixture) -> None:
    source = "import logging\nLOG = logging.getLogger('app')\ndef f(x):\n LOG.info('got %d', x)\n print(x)\n return x"
    app = RewrittenModules(lambda name: False).run(source, "a.py")
    execution = Execution({"x": 5})
    with caplog.at_level(logging.INFO), execution.active():
        app.f(number())
    assert caplog.messages == ["got 5"]
    assert conditions(execution) == []
    assert execution.concretisations == {}


def test_nothing_is_recorded_while_recording_is_off() -> None:
    app = RewrittenModules(lambda name: False).run(
        "import math\ndef f(x): return {5: 1}[x], math.sqrt(x), x < 9", "a.py"
    )
    execution = Execution({"x": 5})
    with execution.active(), execution.unrecorded():
        app.f(number())
    assert execution.branches == []
    assert execution.concretisations == {}


def test_symbolic_keys_of_one_run_do_not_affect_the_next() -> None:
    app = RewrittenModules(lambda name: False).run("def f(x, d):\n d[x] = 1\n return d.get(7), 8 in d", "a.py")
    paths = []
    for _ in range(2):
        execution = Execution({"x": 5})
        with execution.active():
            app.f(number(), {1: 2})
        paths.append(conditions(execution))
    assert paths[0] == paths[1] == ["not x == 1", "not x == 7", "not x == 8"]


def test_paths_do_not_depend_on_the_hash_seed() -> None:
    program = textwrap.dedent(
        """
        from sdnloom.symbolic.execution import Execution
        from sdnloom.symbolic.rewrite.imports import RewrittenModules
        from sdnloom.symbolic.terms.constructors import term_text, var
        from sdnloom.symbolic.values.make import MAC, symbolic_text
        source = "def f(a): return a in {'00:00:00:00:00:0%d' % n for n in range(9)} | {a + 'x'}"
        app = RewrittenModules(lambda name: False).run(source, "a.py")
        execution = Execution({"m": 0xAA})
        with execution.active():
            app.f(symbolic_text("00:00:00:00:00:aa", var("m", 48, "mac"), MAC))
        for branch in execution.branches:
            print(term_text(branch.condition), branch.taken)
        """
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 9


def test_a_division_by_a_wide_symbolic_number_loses_no_term() -> None:
    divisor = var("d", 48)
    execution = Execution({"d": 3})
    with execution.active():
        assert 7 // symbolic_int(3, divisor) == 2
        assert 7 % symbolic_int(3, divisor) == 1
    assert execution.concretisations == {}
