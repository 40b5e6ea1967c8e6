"""Modules beside an app, packages, names that clash, and libraries that need more than an app may have."""

import sys

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.platforms.osken.program import OskenProgram

APP = """
from ryu.base import app_manager
class App(app_manager.RyuApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = {}
"""


def write(folder, **files):
    """Files by name; `__` in a name is a slash, and `INIT` the file of a package."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/').replace('INIT', '__init__')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def app(value="None"):
    return APP.format(value)


def seen(program):
    return program._sandbox.bricks["App"].seen


def test_a_package_without_init_is_found_on_the_path(tmp_path):
    write(tmp_path, parts__inner__names="NAME = 7\n", mine="from parts.inner import names\n" + app("names.NAME"))
    for _ in range(2):  # nothing of the first stays behind
        assert seen(OskenProgram([tmp_path / "mine.py"])) == 7
        assert not any(name.startswith("parts") for name in sys.modules)
    write(tmp_path, parts__inner__names="NAME = 8\n")
    assert seen(OskenProgram(["mine"], path=[tmp_path])) == 8
    (tmp_path / "other").mkdir()
    (tmp_path / "mine.py").rename(tmp_path / "other" / "mine.py")
    assert seen(OskenProgram([tmp_path / "other" / "mine.py"], path=[tmp_path])) == 8


def test_an_app_in_a_package_without_init_is_named_as_a_module(tmp_path):
    write(tmp_path, parts__mine="from parts import names\n" + app("names.NAME"), parts__names="NAME = 7\n")
    assert seen(OskenProgram(["parts.mine"], path=[tmp_path])) == 7


def test_a_folder_of_data_hides_no_installed_module(tmp_path):
    (tmp_path / "numpy").mkdir()
    write(tmp_path, mine="import numpy\n" + app("numpy.int64(7) + 1"))
    before = sys.modules.get("numpy", None)
    assert seen(OskenProgram([tmp_path / "mine.py"])) == 8
    assert before in (None, sys.modules["numpy"])


@pytest.mark.parametrize("name", ["ryu", "os_ken", "json", "webob", "sdnloom", "v1.0", "2_1", "my-app"])
def test_an_app_file_may_have_any_name(tmp_path, name):
    (tmp_path / f"{name}.py").write_text(
        "import json, webob, os_ken.base.app_manager\n" + app("json.dumps([webob.Request.__name__])")
    )
    before = dict(sys.modules)
    assert seen(OskenProgram([tmp_path / f"{name}.py"])) == '["Request"]'
    assert all(sys.modules.get(each) is before[each] for each in ("os_ken", "json", "sdnloom"))
    assert before.get("webob") in (None, sys.modules["webob"])


@pytest.mark.parametrize("init", [True, False])
def test_relative_imports_are_of_the_package_that_the_folder_is(tmp_path, init):
    files = {
        "pack__names": "NAME = 7\n",
        "pack__sub__mine": "from ..names import NAME\nfrom . import more\n" + app("NAME"),
    }
    write(tmp_path, **files, pack__sub__more="from pack import names\n")
    if init:
        write(tmp_path, pack__INIT="", pack__sub__INIT="")
    program = OskenProgram([tmp_path / "pack" / "sub" / "mine.py"])
    assert seen(program) == 7
    assert program.capture == "snapshot"
    assert {"mine.py", "more.py", "names.py"} <= {file.name for file in program.files}


def test_a_file_in_a_package_finds_its_package_by_name_too(tmp_path):
    write(tmp_path, pack__INIT="", pack__names="NAME = 7\n", pack__mine="from pack import names\n" + app("names.NAME"))
    assert seen(OskenProgram([tmp_path / "pack" / "mine.py"])) == 7


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("ryu.base.app_manager", "RyuApp"),
        ("ryu.base.app_manager", "require_app"),
        ("ryu.exception", "RyuException"),
        ("ryu.exception", "OFPUnknownVersion"),
        ("ryu.controller.handler", "set_ev_cls"),
        ("ryu.lib.packet", "arp"),
        ("ryu.app.wsgi", "route"),
    ],
)
def test_a_star_imports_what_the_module_of_ryu_has(tmp_path, module, name):
    write(tmp_path, mine=f"from {module} import *\nfound = {name}.__name__\n" + app("found.split('.')[-1]"))
    assert seen(OskenProgram([tmp_path / "mine.py"])) in (name, "OSKenApp", "OSKenException")


LIBRARY = """
import socket, subprocess, sys, threading
socket.socket().close()
subprocess.run([sys.executable, "-c", ""], check=True)
thread = threading.Thread(target=int)
thread.start()
thread.join()
READY = 7
"""


def test_a_library_may_do_what_it_needs_while_it_is_imported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(write(tmp_path / "installed", busy_library=LIBRARY))
    write(tmp_path, mine="import busy_library\n" + app("busy_library.READY"))
    try:
        assert seen(OskenProgram([tmp_path / "mine.py"])) == 7
        assert sys.modules["busy_library"].READY == 7  # shared by the process
        write(tmp_path, mine="import busy_library, subprocess\nsubprocess.run(['true'])\n" + app())
        with pytest.raises(SdnloomError, match=r"mine\.py:2: runs the command 'true'; expected no other"):
            OskenProgram([tmp_path / "mine.py"])
    finally:
        sys.modules.pop("busy_library", None)


def test_imports_of_a_package_that_fail_are_named(tmp_path):
    write(tmp_path, pack__mine="from .nothing import x\n" + app(), pack__far=f"from {'.' * 40} import x\n" + app())
    with pytest.raises(
        SdnloomError, match=r"mine\.py:1: needs the module 'pack\.nothing', which its package does not have"
    ):
        OskenProgram([tmp_path / "pack" / "mine.py"])
    with pytest.raises(
        SdnloomError, match=r"far\.py:1: loading the apps raised ImportError: attempted relative import"
    ):
        OskenProgram([tmp_path / "pack" / "far.py"])


def test_a_folder_is_no_app(tmp_path):
    write(tmp_path, apps__one=app(), apps__two="NAME = 7\n", apps__three=app())
    with pytest.raises(
        SdnloomError, match=r"apps: a folder; expected a Python file, such as .*apps/one\.py, .*apps/three\.py$"
    ):
        OskenProgram([tmp_path / "apps"])


def test_what_an_app_adds_to_the_search_path_is_its_own(tmp_path):
    write(tmp_path, lib__far_names="NAMES = []\n")
    head = f"import sys\nsys.path.append({str(tmp_path / 'lib')!r})\nimport far_names\n"
    write(tmp_path, mine=head + app("far_names.NAMES") + "        self.seen.append(1)\n")
    before = sys.path, list(sys.path)
    for _ in range(2):  # each program has a list of its own
        program = OskenProgram([tmp_path / "mine.py"])
        assert seen(program) == [1]
        assert [file.name for file in program.files] == ["far_names.py", "mine.py"]
    assert (sys.path, list(sys.path)) == before
    assert sys.path is before[0]
    assert "far_names" not in sys.modules


def test_apps_of_one_file_name_in_two_folders_run_together(tmp_path):
    write(
        tmp_path, a__mine=app("1"), b__mine=app("2").replace("class App(", "class Other("), c__mine="x = 3\n" + app("x")
    )
    program = OskenProgram([tmp_path / folder / "mine.py" for folder in "ab"])
    bricks = program._sandbox.bricks
    assert [(name, bricks[name].seen) for name in ("App", "Other")] == [("App", 1), ("Other", 2)]
    assert len(program.files) == 2
    with pytest.raises(SdnloomError, match="its app is named App, like that of mine"):
        OskenProgram([tmp_path / folder / "mine.py" for folder in "abc"])


def test_an_app_that_another_imports_is_one_module(tmp_path):
    write(
        tmp_path,
        one="import two\n" + app("two.NAME"),
        two="NAME = 7\n" + app("0").replace("class App(", "class Other("),
    )
    program = OskenProgram([tmp_path / "one.py", tmp_path / "two.py"])
    assert sorted(program._sandbox.own.modules)[-2:] == ["one", "two"]
