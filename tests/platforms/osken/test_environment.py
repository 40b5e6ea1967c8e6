"""What surrounds an app besides the network: environment variables, and metrics that nobody reads."""

import os

import pytest

from sdnloom.check.load import app_scenario, load_scenario
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.scenario_file.document import ScenarioError
from tests.platforms.osken.helpers import app, joined, packet, run

READS = """
import os
from os_ken.base import app_manager

AT_IMPORT = os.environ.get("FLAVOUR")

class Reads(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.found = [AT_IMPORT, os.getenv("FLAVOUR"), os.environ["CONFIG"]]
        with open(os.environ["CONFIG"]) as file:
            self.text = file.read()
"""
SCENARIO = """
properties = ["NoHandlerException"]
[program]
app = "reads.py"
environment = {FLAVOUR = 7, CONFIG = "data.txt"}
[topology]
shape = "single"
"""
COUNTS = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_3
from prometheus_client import REGISTRY, Counter, Enum, Gauge, Histogram, Info, Summary, generate_latest

class Counts(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.packets = Counter("packets", "packets that came", ["switch"])
        self.others = [Gauge("g", "g"), Histogram("h", "h"), Summary("s", "s"), Info("i", "i"),
                       Enum("e", "e", states=["on", "off"])]
        self.seen = self.text = None

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def came(self, event):
        gauge, histogram, summary, info, state = self.others
        self.packets.labels(switch=event.msg.datapath.id).inc()
        gauge.set(len(event.msg.data))
        with histogram.time():
            summary.observe(1)
        info.info({"last": str(len(event.msg.data))})
        state.state("off")
        Counter("late", "made while it runs").inc()
        self.seen = REGISTRY.get_sample_value("packets_total", {"switch": "1"})
        self.text = generate_latest().decode()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "reads.py").write_text(READS)
    (tmp_path / "data.txt").write_text("some data")
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    return tmp_path


def test_an_app_sees_its_variables_and_files_beside_the_scenario_and_nobody_else_does(folder):
    before = dict(os.environ)
    scenario = load_scenario(folder / "scenario.toml")
    reads = app(scenario.program(), "Reads")
    assert (reads.found, reads.text) == (["7", "7", str(folder / "data.txt")], "some data")
    assert dict(os.environ) == before


def test_variables_hide_those_of_the_process_only_while_the_app_runs(folder, monkeypatch):
    monkeypatch.setenv("FLAVOUR", "of the process")
    found = app(load_scenario(folder / "scenario.toml").program(), "Reads").found
    assert (found[0], os.environ["FLAVOUR"]) == ("7", "of the process")


def test_the_command_line_sets_them_too(folder, monkeypatch):
    monkeypatch.chdir(folder)
    scenario = app_scenario("reads.py", environment=("FLAVOUR=a=b", "CONFIG=data.txt"))
    assert app(scenario.program(), "Reads").found == ["a=b", "a=b", str(folder / "data.txt")]


def test_a_file_that_a_variable_names_is_part_of_the_program(folder):
    def fingerprint():
        return load_scenario(folder / "scenario.toml").code_fingerprint()

    before = fingerprint()
    (folder / "data.txt").write_text("other data")
    assert before != fingerprint()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("3", "program.environment is 3; expected a table"),
        ("{A = [1]}", "program.environment.A is [1]; expected a string or a whole number"),
        ('{"A=B" = "x"}', "program.environment is 'A=B'; expected names of environment variables"),
    ],
)
def test_other_values_are_refused(folder, written, message):
    file = folder / "scenario.toml"
    file.write_text(SCENARIO.replace('{FLAVOUR = 7, CONFIG = "data.txt"}', written))
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    assert message in str(caught.value)


def test_a_variable_without_a_value_is_refused_on_the_command_line(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(ScenarioError, match="--env is 'CONFIG'; expected NAME=VALUE"):
        app_scenario("reads.py", environment=("CONFIG",))


def test_metrics_are_written_and_never_part_of_a_state(tmp_path):
    pytest.importorskip("prometheus_client")
    (tmp_path / "counts.py").write_text(COUNTS)
    under_test = OskenProgram([tmp_path / "counts.py"])
    _, once, twice = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 60))
    counts = app(under_test, "Counts")
    assert (once.events, once.core == twice.core, counts.seen, counts.text) == ((), True, None, "")
    assert under_test.notes == ("metrics of prometheus_client keep no values: reading one gives 0",)
    OskenProgram([tmp_path / "counts.py"])  # with a registry of its own: no metric is registered twice
