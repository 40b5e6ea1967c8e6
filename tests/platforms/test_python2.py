"""Code for Python 2 is recognised by what Python 3 refuses, and the commands of the message port it."""

import re
import subprocess
import sys

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.events import HandlerRaised
from sdnloom.platforms.nox import NoxProgram
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.python2 import python2_sign
from tests.platforms.osken.helpers import joined, packet, run

APP = """\
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
{head}
class App(app_manager.RyuApp):
    def __init__(self, *args, **kwargs):
        super(App, self).__init__(*args, **kwargs)
        self.seen = {{}}
        {init}
    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        {handler}
"""
SYNTAX = {
    'print "x"': "a print statement",
    "print x, y": "a print statement",
    'if x: print"x"': "a print statement",
    "exec code in {}": "an exec statement",
    "try: pass\nexcept (A, B), e: pass": "`except Kind, name`",
    'raise ValueError, "x"': "`raise Kind, value`",
    "x = `y`": "backticks",
    "if a <> b: pass": "`<>`",
    "chmod(f, 0777)": "an octal number without 0o",
    "x = 0xFFL": "a long number",
    'x = ur"abc"': 'a text with the prefix ur""',
    "def f(a, (b, c)): pass": "a tuple among the parameters",
    "if x:\n        a = 1\n\tb = 2": "tabs and spaces mixed",
}
WRONG_IN_BOTH = (
    *("print(", "class App(:", "if x\n  pass", 'x = "print a', "if x:\n  a\n b", "if x:\n\ta = 1\n  b = 2"),
    *("print('a', b c)", "f(a, b c) # print x <> y", "return foo bar", "x = {'<>': 1 2}"),
)


def syntax_error(tmp_path, text):
    file = tmp_path / "mine.py"
    file.write_text(text + "\n")
    with pytest.raises(SyntaxError) as caught:
        compile(file.read_bytes(), str(file), "exec")
    return caught.value


@pytest.mark.parametrize(("text", "sign"), SYNTAX.items(), ids=SYNTAX)
def test_syntax_of_python_2_is_recognised(tmp_path, text, sign):
    assert python2_sign(syntax_error(tmp_path, text)) == sign


@pytest.mark.parametrize("text", WRONG_IN_BOTH)
def test_what_no_python_takes_is_not_called_python_2(tmp_path, text):
    assert python2_sign(syntax_error(tmp_path, text)) is None


RUNNING = {
    "import ConfigParser": "the module ConfigParser",
    "import urllib2": "the module urllib2",
    "from itertools import izip": r"itertools\.izip",
    "import sys; sys.maxint": r"sys\.maxint",
    "xrange(3)": "the name xrange",
    "isinstance('x', unicode)": "the name unicode",
    "{}.has_key(1)": r"dict\.has_key",
    "{}.iteritems()": r"dict\.iteritems",
    "iter([1]).next()": "the method next",
    "'x'.decode('hex')": r"str\.decode",
    "import sys; print >>sys.stderr, 'x'": "a print statement",
}


@pytest.mark.parametrize(("line", "sign"), RUNNING.items(), ids=RUNNING)
@pytest.mark.parametrize("place", ["head", "init"])
def test_names_of_python_2_are_recognised_while_an_app_is_loaded(tmp_path, line, sign, place):
    text = APP.format(**{"head": "", "init": "pass", "handler": "pass", place: line})
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(
        SdnloomError, match=rf"^mine\.py:\d: written for Python 2 \({sign}\); port it: pip install fissix"
    ):
        OskenProgram([tmp_path / "mine.py"])


def test_names_of_python_2_are_recognised_in_a_handler(tmp_path):
    (tmp_path / "mine.py").write_text(APP.format(head="", init="pass", handler="self.seen.has_key(1)"))
    _, reaction = run(OskenProgram([tmp_path / "mine.py"]), joined(), packet(b"x" * 60))
    [raised] = reaction.events
    assert isinstance(raised, HandlerRaised)
    assert raised.text.endswith("no attribute 'has_key' (dict.has_key is of Python 2, see docs/python2.md)")


OLD = APP.format(
    head="import Queue",
    init="print 'made'",
    handler="for key, value in self.seen.iteritems():\n\t    print key, value",
)


def test_the_commands_of_the_message_port_an_app(tmp_path, monkeypatch):
    folder = tmp_path / "my apps"
    folder.mkdir()
    (folder / "old.py").write_text(OLD)
    monkeypatch.chdir(folder)
    with pytest.raises(SdnloomError) as caught:
        OskenProgram(["old.py"])
    found = re.search(r"pip install fissix, then (.*) \(docs/python2\.md\)$", str(caught.value))
    assert found
    assert found[1] == "expand -i old.py > old_py3.py && python -m fissix -w -n old_py3.py"
    pytest.importorskip("fissix")
    command = found[1].replace("python ", f"{sys.executable} ")
    subprocess.run(command, shell=True, check=True, capture_output=True)  # as a user would
    assert (folder / "old.py").read_text() == OLD
    _, reaction = run(OskenProgram(["old_py3.py"]), joined(), packet(b"x" * 60))
    assert reaction.events == ()


@pytest.mark.parametrize("text", ["print 'x'\n", "import urllib2\n", "x = xrange(3)\n"])
def test_apps_for_nox_are_recognised_too(tmp_path, text):
    (tmp_path / "app.py").write_text(text)
    with pytest.raises(
        SdnloomError, match=r"app\.py, line 1: written for Python 2 \(.*\); port it: pip install fissix"
    ):
        NoxProgram(tmp_path / "app.py")
