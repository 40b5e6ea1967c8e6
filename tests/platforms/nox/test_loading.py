"""Apps for NOX are loaded from their files alone; one that cannot be is one message and exit code 2."""

import sys

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.program import Call
from sdnloom.platforms.nox import NoxError, NoxProgram
from tests.cli.running import CommandLine
from tests.platforms.nox.helpers import FACTORY, component, give, program, write

PLAIN = "class App(Component):\n    pass\n"


def test_nothing_of_nox_is_visible_outside_of_the_program(tmp_path):
    before = set(sys.modules)
    started = program(tmp_path, "import nox.lib.openflow, twisted.python.log as log\n" + PLAIN)
    assert not {name for name in set(sys.modules) - before if name.split(".")[0] in ("nox", "twisted", "app")}
    with pytest.raises(ModuleNotFoundError):
        __import__("nox.lib.core")
    assert [file.name for file in started.files] == ["app.py"]


def test_every_form_of_import_finds_the_same_things(tmp_path):
    source = """
    import nox.lib.openflow
    import nox.lib.openflow as of
    import nox.lib.packet.ethernet
    import nox.lib.packet.packet_utils as utils
    from nox.lib import core as the_core, util
    from nox.lib.packet import *
    from nox.lib.packet import ethernet as short
    from nox.lib.packet.ethernet import ethernet as long, LLDP_MULTICAST
    from nox.lib.netinet.netinet import *
    from nox.coreapps.pyrt.pycomponent import CONTINUE, STOP, Packet_in_event
    from twisted.python import log
    from twisted.internet import reactor
    from array import array as new
    import array as arrays
    import os.path

    same = [
        nox.lib.openflow is of is openflow,
        short is ethernet is nox.lib.packet.ethernet is core.ethernet,
        short.ethernet is long,
        the_core is core is util.core,
        core.IN_PORT == IN_PORT == "in_port",
        util.extract_flow is extract_flow,
        utils.mac_to_str(LLDP_MULTICAST) == "01:80:c2:00:00:0e",
        new is arrays.array is array.array,
        Packet_in_event.static_get_name() == "Packet_in_event",
        (CONTINUE, STOP) == (0, 1),
        callable(reactor.callLater) and callable(log.msg),
        ipaddr("10.0.0.1").addr == create_ipaddr("10.0.0.1").addr,
        os.path.basename("a/b") == "b",
        isinstance(ipv4.ipv4(), packet_base.packet_base),
    ]

    class App(Component):
        pass
    """
    started = program(tmp_path, source)
    assert all(started._apps.loader.modules["app"].same)
    assert len(started._apps.loader.modules["app"].same) == 14


def test_an_app_imports_the_files_beside_it(tmp_path):
    (tmp_path / "helper.py").write_text("from nox.lib.core import Component\nimport time\ncount = [0]\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("from . import one\nfrom .one import first\n")
    (tmp_path / "parts" / "one.py").write_text("from helper import count\nfrom .two import *\nfirst = second - 1\n")
    (tmp_path / "parts" / "two.py").write_text("second = 2\n")
    source = """
    import helper
    import parts.two
    from parts import one, first

    class App(Component):
        def bump(self):
            helper.count[0] += 1
            self.sum = first + one.second + parts.two.second + helper.count[0]
    """
    started = program(tmp_path, source)
    core = give(started, Call("bump")).core
    give(started, Call("bump"), core=core)
    assert component(started).sum == 1 + 2 + 2 + 2
    give(started, Call("bump"))  # the neighbour's variables are state as well
    assert component(started).sum == 1 + 2 + 2 + 1
    assert [file.name for file in started.files] == ["app.py", "helper.py", "__init__.py", "one.py", "two.py"]


def test_two_programs_of_one_file_share_nothing(tmp_path):
    source = """
    known = []

    class App(Component):
        def learn(self):
            known.append(1)
    """
    one, other = program(tmp_path, source), program(tmp_path, source)
    give(one, Call("learn"))
    assert one._apps.loader.modules["app"].known == [1]
    assert other._apps.loader.modules["app"].known == []


SCENARIO = """
properties = ["NoHandlerException"]

[program]
nox = {nox}
{more}

[topology]
shape = "single"
hosts = 2
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """A function that returns the exit code and the one line of a check of an app that cannot be loaded."""

    def run(nox='"app.py"', more=""):
        scenario = tmp_path / "scenario.toml"
        scenario.write_text(SCENARIO.format(nox=nox, more=more))
        code, out, err = CommandLine(monkeypatch, capsys)("check", scenario)
        assert out == ""
        assert err.count("\n") == 1
        return code, err.replace(str(tmp_path), "F").strip()

    return run


BROKEN = {
    "print 'hello'": "app.py, line 2: written for Python 2 (a print statement); port it: pip install fissix, then "
    "expand -i F/app.py > F/app_py3.py && python -m fissix -w -n F/app_py3.py (docs/python2.md)",
    "import missing": "app.py, line 2: the file raised ModuleNotFoundError: No module named 'missing'",
    "from nox.lib.core import Nothing": "app.py, line 2: the file raised ImportError: cannot import name 'Nothing' "
    "from 'nox.lib.core' (unknown location)",
    "1 / 0": "app.py, line 2: the file raised ZeroDivisionError: division by zero",
    "raise SystemExit(3)": "app.py, line 2: the file raised SystemExit: 3",
    "class App(Component):\n    def install(self):\n        self.register_for_packet_in(7)\n        raise OSError(5)": (
        "app.py, line 5: install() raised OSError: 5"
    ),
    "class App(Component):\n    def configure(self):\n        pass": "app.py: configure() raised TypeError: "
    "App.configure() takes 1 positional argument but 2 were given",
    "class App:\n    def __init__(self, ctxt): pass": "app.py: configure() raised AttributeError: 'App' object has no "
    "attribute 'configure'",
    "getFactory = 7": "app.py: has no getFactory(); expected a NOX app, whose factory makes its component",
    "import socket\nsocket.socket()": "the program calls socket.socket; expected one that reaches the network through "
    "NOX only",
}


@pytest.mark.parametrize("source", BROKEN)
def test_an_app_that_cannot_be_loaded_is_one_message(tmp_path, check, source):
    factory = "" if "getFactory" in source else FACTORY
    (tmp_path / "app.py").write_text(f"from nox.lib.core import *\n{source}\n{factory}")
    expected = BROKEN[source]
    place = "" if expected.startswith("the program") else "F/"
    assert check() == (2, f"error: F/scenario.toml: program.nox: {place}{expected}")


def test_what_nox_has_and_sdnloom_does_not_is_named_with_what_there_is(tmp_path, check):
    write(tmp_path, "from nox.netapps.discovery.pylinkevent import Link_event\n" + PLAIN)
    code, message = check()
    assert code == 2
    start = "app.py, line 2: the file raised ModuleNotFoundError: sdnloom has no 'nox.netapps.discovery.pylinkevent'; "
    assert start + "it has nox.coreapps, " in message
    assert "nox.lib.core, nox.lib.netinet" in message


def test_an_app_can_do_without_what_is_not_there(tmp_path):
    source = """
    try:
        from nox.netapps.discovery.pylinkevent import Link_event
    except ImportError:
        Link_event = None

    class App(Component):
        pass
    """
    assert program(tmp_path, source)._apps.loader.modules["app"].Link_event is None


@pytest.mark.parametrize(
    ("nox", "more", "expected"),
    [
        ('"none.py"', "", "program.nox: F/none.py: cannot read the Python file: No such file"),
        ("7", "", "program.nox is 7; expected the file of an app for NOX, or a list of files, those that others"),
        ("[]", "", "program.nox is []; expected the file of an app for NOX"),
        ('["app.py", "app.py"]', "", "the apps of a NOX program are app, app; expected some, each once"),
        ('"app.py"', 'class = "App"', "program.class = 'App' is unknown; expected one of nox, arguments, seed,"),
        ('"app.py"', "arguments = { other = [] }", "program.nox: arguments for 'other'; expected one of app"),
        (
            '"app.py"',
            "arguments = { app = [1] }",
            "program.arguments is a table; expected for each app a list of texts",
        ),
        ('"app.py"', '[switches]\nversion = "1.3"', "expected switches that speak OpenFlow 1.0, for NOX does, not 1.3"),
    ],
)
def test_a_mistake_in_the_scenario_is_one_message(tmp_path, check, nox, more, expected):
    write(tmp_path, PLAIN)
    code, message = check(nox, more)
    assert code == 2
    assert expected in message


def test_files_that_are_no_text_are_refused(tmp_path, check):
    for content in (b"\0", b"x = '\xff'", b"(" * 10_000):
        (tmp_path / "app.py").write_bytes(content)
        code, message = check()
        assert code == 2
        assert "not Python 3" in message


def test_a_program_that_does_what_cannot_be_repeated_ends_the_run(tmp_path):
    source = """
    import socket

    class App(Component):
        def dial(self):
            socket.create_connection(("127.0.0.1", 1))

        def leave(self):
            self.ctxt.close_openflow_connection(1)

        def late(self):
            import neighbour
    """
    (tmp_path / "neighbour.py").write_text("")
    started = program(tmp_path, source)
    for name, expected in (
        ("dial", "the program calls socket.create_connection"),
        ("leave", "expected a program that keeps its connections"),
        ("late", "app imports neighbour while it runs; expected its own modules at the top of its files"),
    ):
        with pytest.raises(NoxError, match=expected):
            give(started, Call(name))


def test_a_program_without_apps_is_refused():
    with pytest.raises(SdnloomError, match="the apps of a NOX program are none"):
        NoxProgram([])
