"""The hub that apps run on if none is named."""

import pytest

from sdnloom.platforms.osken.default_hub import default_hub
from sdnloom.platforms.sandbox.threads import Flavour


@pytest.mark.parametrize(
    ("source", "hub"),
    [
        ("from ryu.base import app_manager\n", Flavour.EVENTLET),
        ("import os\nif True:\n    import ryu.lib.hub\n", Flavour.EVENTLET),
        ("import ryu\nprint 'Python 2'\n", Flavour.EVENTLET),
        ("from os_ken.base import app_manager\n", Flavour.NATIVE),
        ("from os_ken.base import app_manager\n# from ryu.base import app_manager\nx = 'import ryu'\n", Flavour.NATIVE),
        ("import ryu_tools\n", Flavour.NATIVE),
        ("", Flavour.NATIVE),
    ],
)
def test_an_app_that_imports_ryu_runs_on_the_hub_of_ryu(tmp_path, source, hub):
    file = tmp_path / "switch.py"
    file.write_text(source)
    assert default_hub([str(file)]) is hub
    assert default_hub(["os_ken.app.ofctl_rest", str(file)]) is hub


def test_modules_are_found_in_the_folders_of_the_path(tmp_path):
    package = tmp_path / "lab" / "switches"
    package.mkdir(parents=True)
    (package / "one.py").write_text("from ryu.base import app_manager\n")
    (package / "__init__.py").write_text("")
    assert default_hub(["lab.switches.one"], [tmp_path]) is Flavour.EVENTLET
    assert default_hub(["lab.switches"], [tmp_path]) is Flavour.NATIVE
    assert default_hub(["lab.switches.two"], [tmp_path]) is Flavour.NATIVE
    assert default_hub(["ryu.app.simple_switch_13"]) is Flavour.EVENTLET


def test_a_name_that_no_file_can_have_is_left_to_the_loader():
    assert default_hub(["\0", "x" * 5000]) is Flavour.NATIVE
