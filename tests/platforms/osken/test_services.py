"""Services that apps need are loaded as os-ken loads them, in one order in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from os_ken.base import app_manager

from sdnloom.errors import SdnloomError
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import APPS, app, joined, packet, program, run

ROOT = Path(__file__).parents[3]
HEAD = "from {0}.base import app_manager\nfrom {0}.{1}\n"
BARE = "class App(app_manager.{0}):\n    pass\n"


def bricks(under_test):
    return list(under_test._sandbox.bricks)


def made(tmp_path, text, name="mine.py", **options):
    (tmp_path / name).write_text(text)
    return OskenProgram([tmp_path / name], **options)


def test_services_come_in_the_order_in_which_they_are_asked_for():
    under_test = program("mapper")
    assert bricks(under_test) == ["dpset", "Mapper", "ofp_event", "switches", "ofctl_service"]
    for _ in range(2):
        run(under_test, joined(1), joined(2), packet(b"x" * 60))
    mapper = app(under_test, "Mapper")
    assert (mapper.entered, mapper.known, mapper.found) == ([1, 2], [1, 2], 2)


@pytest.mark.parametrize(
    ("line", "service"),
    [
        ("topology.api import get_switch", "switches"),
        ("topology import api", "switches"),
        ("app.ofctl.api import get_datapath", "ofctl_service"),
    ],
)
@pytest.mark.parametrize(("package", "base"), [("os_ken", "OSKenApp"), ("ryu", "RyuApp")])
def test_an_api_brings_its_service(tmp_path, package, base, line, service):
    under_test = made(tmp_path, HEAD.format(package, line) + BARE.format(base))
    assert bricks(under_test) == ["App", service, "ofp_event"]


def test_only_the_module_that_imports_the_api_requires_the_service_as_in_osken(tmp_path):
    (tmp_path / "helper.py").write_text("from os_ken.topology.api import get_switch\n")
    under_test = made(
        tmp_path, "import helper\n" + HEAD.format("os_ken", "topology.api import *") + BARE.format("OSKenApp")
    )
    assert bricks(under_test) == ["App"]


@pytest.mark.parametrize("package", ["ryu", "os_ken"])
def test_a_service_is_required_by_name(tmp_path, package):
    text = f"from ryu.base import app_manager\napp_manager.require_app('{package}.topology.switches')\n"
    under_test = made(tmp_path, text + "from ryu.topology.api import get_switch\n" + BARE.format("RyuApp"))
    assert bricks(under_test) == ["App", "switches", "ofp_event"]


def test_a_service_that_is_an_app_of_the_user_is_required_by_the_name_of_its_module(tmp_path):
    (tmp_path / "service.py").write_text(HEAD.format("os_ken", "base import app_manager") + BARE.format("OSKenApp"))
    text = "from os_ken.base import app_manager\napp_manager.require_app('service')\n" + BARE.format("OSKenApp")
    assert bricks(made(tmp_path, text.replace("App(", "Client("), path=[tmp_path])) == ["Client", "App"]


def test_an_app_gets_the_manager_that_runs_it_and_nobody_else_does(tmp_path):
    text = "from os_ken.base import app_manager\nclass {}(app_manager.OSKenApp):\n"
    text += "    def start(self):\n        super().start()\n"
    text += "        self.all = list(app_manager.AppManager.get_instance().applications)\n"
    programs = [made(tmp_path, text.format(name), f"{name.lower()}.py") for name in ("First", "Second")]
    for each in programs:
        each.initial()
    assert [app(each, name).all for each, name in zip(programs, ("First", "Second"), strict=True)] == [
        ["First"],
        ["Second"],
    ]
    assert app_manager.AppManager._instance is None


def test_nothing_is_required_of_modules_of_sdnloom():
    program("mapper")
    assert [name for name, each in sys.modules.items() if "_REQUIRED_APP" in getattr(each, "__dict__", ())] == []


def test_two_classes_for_one_context_are_named(tmp_path):
    text = "from os_ken.base import app_manager\nclass Shared: pass\n" + BARE.replace(
        "pass", "_CONTEXTS = {{'x': Shared}}"
    )
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(text.format("OSKenApp").replace("App(", f"{name.title()}("))
    with pytest.raises(
        SdnloomError, match=r"two\.py: its context 'x' is two\.Shared, that of another app is one\.Shared"
    ):
        OskenProgram([tmp_path / "one.py", tmp_path / "two.py"])


@pytest.mark.slow
def test_results_are_the_same_on_every_hash_seed(tmp_path):
    command = [sys.executable, "-m", "sdnloom", "check", "--app", str(APPS / "mapper.py"), "--topology", "linear,2"]
    found = set()
    for seed in (1, 2, 3):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        options = ("--format", "json", "--no-trace", "--property", "NoHandlerException")
        run = subprocess.run([*command, *options], capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert run.returncode == 0, run.stderr
        found.add("\n".join(line for line in run.stdout.splitlines() if "seconds" not in line))
    assert len(found) == 1
