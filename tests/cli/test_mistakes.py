"""What a misspelt name may mean."""

import pytest

from sdnloom.errors import closest_name, did_you_mean
from tests.check.scenarios import SCENARIO, write
from tests.cli.running import CommandLine

KNOWN = ("NoBlackHoles", "NoBlackHolesMobile", "Reachable", "topology")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("NoBlackHole", "NoBlackHoles"),
        ("noblackholesmobile", "NoBlackHolesMobile"),
        ("REACHABLE", "Reachable"),
        ("tpology", "topology"),
        ("", None),
        ("quite different", None),
    ],
)
def test_the_closest_name_is_found_whatever_its_case(value: str, name: str | None) -> None:
    assert closest_name(value, KNOWN) == name
    assert did_you_mean(value, KNOWN) == (f" (did you mean {name}?)" if name else "")


def test_nothing_is_close_to_nothing() -> None:
    assert closest_name("x", ()) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "there is no command 'chekc'; expected one of check, "),
        (["chekc"], "(did you mean check?)"),
        (["crosscheck", "rn"], "(did you mean run?)"),
        (["netkat", "reech"], "(did you mean reach?)"),
        (["check", "hub.toml", "--tpology", "x"], "Did you mean"),
        (["check", "--app", "x.py", "--topology", "liner,2"], "(did you mean linear?)"),
        (["check", "--app", "x.py", "--property", "NoBlackHole"], "(did you mean NoBlackHoles?)"),
        (["check", "hub.toml", "--strategy", "no-dely"], "(did you mean no-delay?)"),
        (["schema", "scenari"], "(did you mean scenario?)"),
    ],
)
def test_misspelt_words_on_the_command_line(sdnloom: CommandLine, tmp_path, arguments: list[str], message: str) -> None:
    write(tmp_path)
    run = sdnloom(*arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threads", "100000"], "Invalid value for '--threads': 100000 is not in the range 1<=x<=1024."),
        (
            ["--threads", "explore"],
            "Invalid value for '--threads': 'explore' is no number; expected a whole number; "
            "threads of the app: --app-threads explore",
        ),
        (["--threads", "x"], "Invalid value for '--threads': 'x' is not a valid integer range."),
        (["--disk", ""], "disk is ''; expected a folder to write in"),
        (["--cluster", ""], "cluster is ''; expected local or the address of a Ray cluster"),
    ],
)
def test_values_that_no_search_can_use(sdnloom: CommandLine, tmp_path, arguments: list[str], message: str) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[program]", "[programm]", "hub.toml: programm is unknown; did you mean program? expected a table with file"),
        ("\nfile =", "\nfil =", "hub.toml: program.fil is unknown; did you mean file? expected the Python file"),
        ("[topology]", "[topologie]", "hub.toml: topologie is unknown; did you mean topology?"),
        ("properties =", "propertys =", "hub.toml: propertys is unknown; did you mean properties?"),
        ("[[hosts]]", "[[hots]]", "expected one of"),
    ],
)
def test_misspelt_keys_of_a_scenario(sdnloom: CommandLine, tmp_path, right: str, wrong: str, message: str) -> None:
    assert right in SCENARIO
    write(tmp_path, SCENARIO.replace(right, wrong))
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out) == (2, "")
    assert message in run.err


PROPERTY = """
from sdnloom import Needs, Property, events, flow_of


def closed():
    def fold(reached, event):
        received = isinstance(event, events.Received)
        return reached or (received and flow_of(event.packet).tcp_dst == 80)

    return Property("closed", Needs.EVENT, lambda reached, columns: None, fold=fold, initial=False)


def odd():
    return Property("odd", Needs.STATE, lambda memory, columns: columns["s1"].phaze, columns=("s1",))
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "closed",
            "error: mine.py:8: property 'closed' raised AttributeError: 'Flow' object has no attribute 'tcp_dst'; "
            "it has eth_src, eth_dst, ip_src, ip_dst, proto, port_src, port_dst (on the event Received(host='h2', ",
        ),
        (
            "odd",
            "error: mine.py:14: property 'odd' raised AttributeError: 'SwitchState' object has no attribute 'phaze'",
        ),
    ],
)
def test_a_mistake_in_a_property_has_its_line(sdnloom: CommandLine, tmp_path, name: str, message: str) -> None:
    start, _, rest = SCENARIO.partition("properties = ")
    write(tmp_path, f'{start}properties = [{{ file = "mine.py", name = "{name}" }}]\n{rest.partition(chr(10))[2]}')
    (tmp_path / "mine.py").write_text(PROPERTY)
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out) == (2, "")
    assert message in run.err
