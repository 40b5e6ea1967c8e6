"""Scenario files that `sdnloom init` writes: they load, and so they do with every commented setting switched on."""

import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from sdnloom import ScenarioError, load_scenario
from sdnloom.check.load import read_scenario
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.check.scenario_schema import scenario_schema
from sdnloom.check.starter.example_app import EXAMPLE_APP
from sdnloom.check.starter.program_kind import program_kind
from sdnloom.check.starter.starter_scenario import SCHEMA_FILE, StarterScenario, starter_scenario

EXAMPLES = Path(__file__).parents[3] / "examples"
SCHEMA = Draft7Validator(scenario_schema())


def starter(file: Path, topology: str, folder: Path) -> StarterScenario:
    return starter_scenario(str(file), program_kind(file), topology, folder / "new.toml")


def switched_on(text: str) -> str:
    """The text with every setting that is commented out."""
    return re.sub(r"^( *)#(?=[^ :\n])", r"\1", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "topology"),
    [
        ("apps/learning_switch.py", "linear,2"),
        ("apps/learning_switch.py", "tree,2,2"),
        ("apps/rest_forwarder.py", "single,3"),
        ("mac_learning_nox/learning.py", "ring,3"),
        ("mac_learning/learning.py", "minimal"),
        ("mac_learning/learning.py", "single,1"),
        ("mac_learning/learning.py", "torus,3,3"),
        ("mac_learning/learning.py", str(EXAMPLES / "mac_learning" / "triangle.py:triangle")),
    ],
)
def test_the_file_loads_with_and_without_its_commented_settings(file: str, topology: str, tmp_path: Path) -> None:
    made = starter(EXAMPLES / file, topology, tmp_path)
    document = tomllib.loads(made.text)
    SCHEMA.validate(document)
    expected, _ = app_document(AppOptions((file,), topology=topology))
    assert {**document, "program": {}} == {**{k: v for k, v in expected.items() if k != "name"}, "program": {}}
    everything = tomllib.loads(switched_on(made.text))
    SCHEMA.validate(everything)
    assert {"link_faults", "switch_faults", "timeouts", "search", "discover", "joining"} <= {*everything} - {*document}
    read_scenario(switched_on(made.text), tmp_path / "new.toml", build=False)
    assert max(map(len, made.text.splitlines())) <= 140


def test_the_example_has_a_defect_that_some_order_shows(tmp_path: Path) -> None:
    (tmp_path / "my_switch.py").write_text(EXAMPLE_APP)
    made = starter(tmp_path / "my_switch.py", "single,2", tmp_path)
    assert str(made.facts) == "os-ken program MySwitch, OpenFlow 1.3"
    (tmp_path / "new.toml").write_text(made.text)
    report = load_scenario(tmp_path / "new.toml").check()
    assert [(each.property, len(each.path.steps)) for each in report.violations] == [
        ("NoBlackHoles", 21),
        ("PingsAnswered", 21),
    ]


def test_routes_and_timers_are_mentioned(tmp_path: Path) -> None:
    made = starter(EXAMPLES / "apps" / "rest_forwarder.py", "single,2", tmp_path)
    assert str(made.facts) == "os-ken program RestForwarder, OpenFlow 1.3, 1 REST route"
    assert "# Requests to the app's REST routes: PUT /forward/{dpid}.\n" in made.text
    timed = starter(EXAMPLES / "apps" / "delayed_switch.py", "single,2", tmp_path)
    assert "# A timer of the program: delayed_switch.py:17: hub.sleep(1)\n#ticks = 1" in timed.text


def test_an_app_that_asks_for_links_gets_them(tmp_path: Path) -> None:
    app = EXAMPLE_APP.replace("from os_ken.ofproto", "from os_ken.topology import event\nfrom os_ken.ofproto")
    (tmp_path / "my_switch.py").write_text(app)
    made = starter(tmp_path / "my_switch.py", "linear,2", tmp_path)
    document = tomllib.loads(made.text)
    assert (document["warmup"], document["program"]["config"]) == ("links", {"observe_links": True})


def test_an_app_that_handles_flow_removed_gets_timeouts(tmp_path: Path) -> None:
    handler = (
        "    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)\n"
        "    def flow_removed(self, event):\n"
        "        pass\n\n"
        "    def add_rule("
    )
    (tmp_path / "my_switch.py").write_text(EXAMPLE_APP)
    assert "timeouts" not in tomllib.loads(starter(tmp_path / "my_switch.py", "single,2", tmp_path).text)
    (tmp_path / "my_switch.py").write_text(EXAMPLE_APP.replace("    def add_rule(", handler, 1))
    document = tomllib.loads(starter(tmp_path / "my_switch.py", "single,2", tmp_path).text)
    SCHEMA.validate(document)
    assert document["timeouts"] == {"expiries": 1}


def test_other_classes_and_the_schema_beside_it_are_named(tmp_path: Path) -> None:
    (tmp_path / SCHEMA_FILE).write_text("{}")
    made = starter(EXAMPLES / "mac_learning" / "learning.py", "linear,2", tmp_path)
    assert made.text.startswith(f"#:schema ./{SCHEMA_FILE}\n# A scenario for the plain Python program PySwitch.")
    assert "# Other classes with handlers: HardTimeout, Following, ReverseSecond," in made.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "app.py: no app in it; expected a subclass of OSKenApp (or RyuApp) that the module defines"),
        ("def f(:\n", "app.py:1: not Python: invalid syntax"),
        ("import nox\nraise ValueError(1)\n", "app.py, line 2: the file raised ValueError: 1"),
        ("class Hub:\n    def packet_in(self): ...\n    def __init__(self, x): ...\n", "Hub({}) cannot be made"),
    ],
)
def test_what_is_no_app_is_refused_with_the_message_of_the_loader(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(text)
    with pytest.raises(ScenarioError) as caught:
        starter(tmp_path / "app.py", "linear,2", tmp_path)
    assert message in str(caught.value)
    assert "new.toml" not in str(caught.value)


def test_texts_of_the_app_stay_in_their_comments(tmp_path: Path) -> None:
    app = EXAMPLES / "apps" / "rest_forwarder.py"
    (tmp_path / "app.py").write_text(
        app.read_text().replace("/forward/{dpid}", "/x\\n[search]\\nall = true\\n\\x07{dpid}")
    )
    made = starter(tmp_path / "app.py", "single,2", tmp_path)
    assert "# Requests to the app's REST routes: PUT /x [search] all = true {dpid}.\n" in made.text
    assert "search" not in tomllib.loads(made.text)
    assert tomllib.loads(switched_on(made.text))["externals"][0]["name"] == "PUT /x\n[search]\nall = true\n\x07{dpid}"


def test_files_are_named_from_the_folder_of_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    (tmp_path / "inner").mkdir()
    made = starter(Path("mac_learning/learning.py"), "mac_learning/triangle.py:triangle", tmp_path / "inner")
    document = tomllib.loads(made.text)
    for name in (document["program"]["file"], document["topology"]["file"]):
        assert (tmp_path / "inner" / name).resolve().parent == EXAMPLES / "mac_learning"
