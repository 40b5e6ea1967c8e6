"""An app that cannot be loaded gives one message that names it, the place and the reason."""

import gc
import sys

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import BarrierReply
from sdnloom.network.program import MessageIn
from sdnloom.platforms.capture import type_rules as kinds
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import joined, packet, program, run

APP = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import set_ev_cls
class App(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        {init}
    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        {handler}
"""


def written(tmp_path, text, name="mine.py"):
    file = tmp_path / name
    file.write_text(text)
    return file


# Python's module `socket` is the sandbox's; the one in C beneath it is not.
REAL = """
        import _socket
        _socket.socket()"""
HIDDEN = """
        import _socket
        try: _socket.socket()
        except Exception: pass"""
OLD = APP.replace("    def __init__", "    OFP_VERSIONS = [5]\n    def __init__", 1)


def app(init="pass", handler="pass", text=APP):
    return text.format(init=init, handler=handler)


WRONG = {
    "dependency": ("import nowhere_to_be_found\n", "mine.py:1: needs the module 'nowhere_to_be_found', which is not"),
    "package": ("import yaml.nowhere_to_be_found\n", "not installed; expected it on --path, or: pip install PyYAML"),
    "module of ryu": (
        "import ryu.nowhere\n",
        r"mine\.py:1: needs the module 'ryu\.nowhere', which os-ken does not have",
    ),
    "app of ryu": (
        "from ryu.app import simple_switch_99, simple_switch_98\n",
        r"mine\.py:1: needs 'simple_switch_99' of ryu\.app, which is one of Ryu's own apps; expected a source",
    ),
    "name of ryu": (
        "from ryu.lib.packet.ethernet import nothing\n",
        r"mine\.py:1: needs 'nothing' of os_ken\.lib\.packet\.ethernet, which os-ken does not have",
    ),
    "file": (
        app("open('rules.txt')"),
        r"mine\.py:8: needs the file 'rules\.txt', which is not in the current folder /",
    ),
    "absolute file": (
        app("open('/no/rules.txt')"),
        r"mine\.py:8: needs the file '/no/rules\.txt', which does not exist",
    ),
    "environment": (
        "import os\nos.environ['NOT_SET_AT_ALL']\n",
        "mine.py:2: needs the environment variable NOT_SET_AT_ALL; expected it to be set: --env NOT_SET_AT_ALL=VALUE",
    ),
    "context": (
        app("kwargs['wsgi']"),
        r"mine\.py:8: needs the context 'wsgi', and the apps have none; expected it in _CONTEXTS of this app",
    ),
    "key": (app("(lambda: {}['x'])()"), r"mine\.py:8: making the apps raised KeyError: 'x'"),
    "base class": (
        "from os_ken.base import app_manager\nclass App(app_manager.RyuApp): pass\n",
        r"mine\.py:2: .*; os-ken calls it OSKenApp, and ryu\.base\.app_manager has RyuApp too",
    ),
    "syntax": ("x = 1\nclass App(\n", r"mine.py:2: not Python: '\(' was never closed"),
    "null byte": ("x = '\0'\n", r"mine\.py:1: not Python: source code string cannot contain null bytes"),
    "no class": ("class App: pass\n", "mine.py: no app in it; expected a subclass of OSKenApp"),
    "constructor": (app("1 / 0"), "mine.py:8: making the apps raised ZeroDivisionError: division by zero"),
    "module": ("1 / 0\n", "mine.py:1: loading the apps raised ZeroDivisionError: division by zero"),
    "killed": (
        app("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"),
        r"mine.py:8: making the apps ends their process \(os.kill\(os.getpid\(\), signal.SIGKILL\)\); expected",
    ),
    "past the sandbox": (
        app(REAL),
        r"mine\.py:10: socket \(mine\.py:10\) is not available to a program under test; expected one that",
    ),
    "hidden": (
        app(HIDDEN),
        r"making the apps needs socket \(mine\.py:\d+\), which is not available; expected apps that do without it",
    ),
    "forever": (app("from os_ken.lib import hub; hub.Event().wait()"), "making the apps does not end"),
    "versions": (app(text=OLD), "speaks none of OpenFlow 1.0, 1.3"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_one_message_for_each_thing_that_can_be_wrong(tmp_path, text, message):
    with pytest.raises(SdnloomError, match=message) as caught:
        OskenProgram([written(tmp_path, text)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("apps", "options", "message"),
    [
        (["nowhere.py"], {}, "nowhere.py: no such file"),
        (["nowhere_to_be_found.app"], {}, "nowhere_to_be_found.app: no such module"),
        (["ryu.app.nowhere"], {}, "ryu.app.nowhere: no such module"),
        ([], {}, "no app; expected at least one file or module"),
        (["x.py"], {"hub": "gevent"}, "hub is 'gevent'; expected one of auto, native, eventlet"),
        (["x.py"], {"threads": "all"}, "threads is 'all'; expected one of settle, explore"),
        (["x.py"], {"version": "1.5"}, "version is '1.5'; expected one of 1.0, 1.3"),
    ],
)
def test_arguments_are_checked(apps, options, message):
    with pytest.raises(SdnloomError, match=message):
        OskenProgram(apps, **options)


def test_a_version_that_the_app_does_not_speak_is_refused():
    with pytest.raises(SdnloomError, match=r"learning10.py: speaks OpenFlow 1.0; expected 1.3"):
        program("learning10", version="1.3")


def test_apps_without_a_version_in_common_are_refused(tmp_path):
    newer = "from os_ken.base import app_manager\nclass New(app_manager.OSKenApp):\n    OFP_VERSIONS = [4]\n"
    older = tmp_path / "older.py"
    older.write_text(newer.replace("New", "Old").replace("[4]", "[1]"))
    with pytest.raises(SdnloomError, match="speaks no OpenFlow version that all the other apps speak"):
        OskenProgram([written(tmp_path, newer), str(older)])


@pytest.mark.parametrize("handler", [REAL, HIDDEN], ids=["open", "hidden"])
def test_a_real_socket_of_a_handler_ends_the_run_even_if_the_app_hides_that_it_was_refused(tmp_path, handler):
    under_test = OskenProgram([written(tmp_path, app(handler=handler))])
    with pytest.raises(SdnloomError, match=r"socket \(mine\.py:\d+\) is not available"):
        run(under_test, joined(), packet(b"x" * 60))


def test_a_constructor_may_sleep(tmp_path):
    file = written(tmp_path, app("import time; time.sleep(5); self.at = time.time()"))
    assert OskenProgram([file])._sandbox.hub.clock.seconds() == 5


def test_an_app_in_a_package_is_found_on_the_path_with_its_neighbours(tmp_path):
    package = tmp_path / "mypackage"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("NAME = []\n")
    written(
        package,
        "from mypackage import names\n" + APP.format(init="names.NAME.append(1)", handler="names.NAME.append(2)"),
    )
    under_test = OskenProgram(["mypackage.mine"], path=[tmp_path])
    assert [file.name for file in under_test.files] == ["__init__.py", "mine.py", "names.py"]
    first, second = run(under_test, joined(), packet(b"x" * 60))
    assert first.core != second.core  # a variable of a module is state
    assert under_test.capture == "snapshot"


def test_nothing_of_a_program_stays_behind():
    from os_ken.base import app_manager
    from os_ken.lib import hub

    places = (vars(hub), vars(app_manager), vars(app_manager.OSKenApp))
    before, finders = [dict(each) for each in places], list(sys.meta_path)
    under_test = program("web", version="1.3")
    run(under_test, joined(), MessageIn("s1", BarrierReply(xid=9)))
    assert "ryu" not in sys.modules
    assert "web" not in sys.modules
    assert sys.meta_path == finders
    assert [dict(each) for each in places] == before


def test_nothing_is_written_beside_an_app(tmp_path):
    file = written(tmp_path, app())
    OskenProgram([file])
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]


def test_configuration_is_seen_by_the_app_and_by_no_other():
    from os_ken import cfg

    program("learning", config={"echo_request_interval": 3.0})
    program("learning")
    assert cfg.CONF.echo_request_interval == 15.0


def test_a_configured_value_that_does_not_fit_its_option_is_refused():
    with pytest.raises(SdnloomError, match=r"config has echo_request_interval = 'soon'; expected a value"):
        program("learning", config={"echo_request_interval": "soon"})


def test_two_apps_of_one_name_are_told_apart_from_other_failures(tmp_path):
    files = [written(tmp_path, app(), name) for name in ("mine.py", "yours.py")]
    with pytest.raises(SdnloomError, match=r"yours\.py: its app is named App, like that of mine; expected different"):
        OskenProgram(files)
    with pytest.raises(SdnloomError, match=r"mine\.py:8: making the apps raised AssertionError"):
        OskenProgram([written(tmp_path, app("assert False"))])


@pytest.mark.slow
def test_programs_that_are_gone_leave_no_classes_behind():
    def loaded(count):
        for _ in range(count):
            run(program("web"), joined(1))
        gc.collect()
        return len(kinds._FOUND)

    assert loaded(1) == loaded(3)


def test_a_file_beside_the_app_is_found_where_the_app_is(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "rules.txt").write_text("")
    file = written(tmp_path, app("open('rules.txt').close()"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(SdnloomError, match=rf"rules\.txt', which is .*; run sdnloom where it is: cd {tmp_path}$"):
        OskenProgram([file])
    monkeypatch.chdir(tmp_path)
    assert OskenProgram([file]).name == "App"


CLOSES = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_3

class Closes(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def unknown(self, event):
        event.msg.datapath.close()
"""


def test_an_app_that_closes_the_connection_of_a_switch_that_joins_is_named(tmp_path):
    (tmp_path / "closes.py").write_text(CLOSES)
    under_test = OskenProgram([tmp_path / "closes.py"])
    with pytest.raises(SdnloomError) as caught:
        under_test.handle(under_test.initial(), joined())
    assert str(caught.value) == (
        "switch 's1' (datapath id 1): Closes closes its connection while it joins; expected an app that accepts it "
        "(an app with a configuration may not know it)"
    )
