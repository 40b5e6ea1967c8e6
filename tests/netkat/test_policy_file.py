"""Files of named policies, declarations and claims, and lint warnings about them."""

from pathlib import Path

import pytest

from sdnloom.netkat.errors import PolicyError, PolicySyntaxError
from sdnloom.netkat.lint import lint_policy_file
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.policy_file import parse_policy_file, read_policy_file
from sdnloom.netkat.syntax import PASS_ALL, Assign, Product, Star, Test


def test_definitions_may_come_in_any_order():
    program = parse_policy_file("let net = (table . links)*\nlet table = pt=1\nlet links = pt<-2")
    assert list(program.policies) == ["net", "table", "links"]
    assert program.policies["net"] is Star(Product((Test("pt", 1), Assign("pt", 2))))
    assert program.positions["links"].line == 3
    assert program.fields is None


def test_statements_need_no_line_ends():
    program = parse_policy_file("fields a, b let x = a = 1 let y = x . b <- 2 check x == y check y <= x check x !== y")
    assert list(program.fields or ()) == ["a", "b"]
    assert [claim.relation for claim in program.claims] == ["==", "<=", "!=="]
    assert [claim.text for claim in program.claims] == ["x == y", "y <= x", "x !== y"]


def test_claims_are_quoted_without_comments():
    program = parse_policy_file("let x = one\ncheck (x . ~x)  # never\n   == zero")
    assert program.claims[0].text == "(x . ~x) == zero"


def test_keywords_are_fields_inside_policies():
    program = parse_policy_file("fields let, check, fields\nlet a = let = 1 . check <- fields . fields != let")
    assert program.policies["a"] is parse_policy("let = 1 . check <- fields . fields != let")


def test_a_name_is_negated_only_if_its_policy_is_a_predicate():
    assert parse_policy_file("let a = ~b let b = x = 1").policies["a"] is parse_policy("x != 1")
    with pytest.raises(PolicySyntaxError, match="<program>:1:9: only a predicate can be negated"):
        parse_policy_file("let a = ~b let b = x <- 1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("let a = a", "1:9: policies defined in a cycle: a -> a"),
        ("let a = b\nlet b = x=1 . c\nlet c = a*", "3:9: policies defined in a cycle: a -> b -> c -> a"),
        ("let a = one\nlet b = c + x=1", "2:9: unknown policy name 'c' (a test reads `field = value`); known: a, b"),
        ("let a = one\nlet a = zero", "2:5: 'a' is already defined at <program>:1:5"),
        ("let one = zero", "1:5: 'one' is a word of the language and cannot name a policy"),
        ("let a one", "1:7: found 'one', expected '=' after the name 'a'"),
        ("let = one", "1:5: found '=', expected a name for the policy"),
        ("fields a, a", "1:11: field 'a' is already declared at <program>:1:8"),
        ("fields a,", "1:10: found the end of the text, expected a field name"),
        ("fields port\nlet a = prot = 1", "2:9: undeclared field 'prot'; did you mean 'port'?"),
        ("fields port\ncheck prot = 1 == zero", "2:7: undeclared field 'prot'; did you mean 'port'?"),
        ("let a = x=1 ;\nlet b = one", "2:1: found 'let', expected a policy after the operator before it"),
        ("let a = one two", "1:13: found 'two', expected an operator or 'let', 'fields' or 'check'"),
        ("a = one", "1:1: found 'a', expected 'let', 'fields' or 'check'"),
        ("check one", "1:10: found the end of the text, expected an operator, '==', '!==' or '<='"),
        ("check one == missing", "1:14: unknown policy name 'missing' (a test reads `field = value`); no names"),
        ("let a = dup", "1:9: dup is not supported"),
    ],
)
def test_errors_say_where_and_what_was_expected(text, message):
    with pytest.raises(PolicySyntaxError) as caught:
        parse_policy_file(text)
    assert str(caught.value).startswith(f"<program>:{message}")


def test_long_chains_of_definitions_need_no_stack():
    count = 3_000
    chain = "".join(f"let a{n} = x=1 . a{n + 1}* + y<-2\n" for n in range(count))
    assert parse_policy_file(chain + f"let a{count} = one").policies[f"a{count}"] is PASS_ALL
    with pytest.raises(PolicySyntaxError, match=r"cycle: a0 -> a1 -> a2 -> a3 -> \.\.\. -> "):
        parse_policy_file(chain + f"let a{count} = a0")


def test_names_that_double_are_refused_with_their_position():
    text = "let a0 = x=1 . x<-2\n" + "".join(f"let a{n} = a{n - 1} . a{n - 1}\n" for n in range(1, 60))
    with pytest.raises(PolicySyntaxError, match="<program>:20:17: a product of 1048576 parts"):
        parse_policy_file(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"let a =\n \xff", ":2: byte 0xff is not UTF-8 text"),
        (b"let a = x\x00", ":1:10: found '\\x00', which is not part of the language"),
        (b"\xef\xbb\xbflet a = b", ":1:9: unknown policy name 'b'"),
    ],
)
def test_unreadable_files_are_named(tmp_path: Path, data, message):
    path = tmp_path / "bad.nk"
    path.write_bytes(data)
    with pytest.raises(PolicyError) as caught:
        read_policy_file(path)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize("name", ["missing.nk", ""])
def test_missing_files_and_folders_are_named(tmp_path: Path, name):
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy_file(tmp_path / name)


def test_lint_warnings_name_dead_policies_dead_parts_unused_fields_and_mixed_values():
    program = parse_policy_file(
        """fields pt, unused, type
        let dead = pt <- 1 . pt = 2
        let half = pt = 1 . pt <- 2 + pt = 1 . pt = 2
        let mixed = type = 1 + type = "1"
        let fine = pt = 1 . pt <- 2 + zero"""
    )
    assert [(warning.position.line, warning.message) for warning in lint_policy_file(program)] == [
        (1, "field 'unused' is declared and never used"),
        (2, "policy 'dead' drops every packet"),
        (3, "policy 'half': a part drops every packet: pt = 1 . pt = 2"),
        (4, "field 'type' has numbers and words as values: 1 and \"1\" are never equal"),
    ]


def test_a_good_file_gets_no_lint_warning():
    assert lint_policy_file(parse_policy_file("fields a\nlet x = a = 1\nlet y = zero\ncheck x !== y")) == ()
