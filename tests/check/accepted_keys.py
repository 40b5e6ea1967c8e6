"""The keys that the reader of scenarios accepts in each table, as its own message about an unknown key lists them."""

import re
from pathlib import Path

import pytest

from sdnloom import ScenarioError, load_scenario
from sdnloom.check.load import HOSTS

ROOT = Path(__file__).parents[2]
HUB = "class Hub:\n    def packet_in(self, net, switch, message):\n        net.flood(switch, message)\n"
BASE = {
    "properties": '["NoForwardingLoops"]',
    "program": '{ file = "hub.py" }',
    "topology": '{ shape = "linear", switches = 2 }',
}
UNKNOWN = "no_such_key = 1"
APP = ROOT / "examples" / "apps" / "learning_switch.py"
NOX = ROOT / "examples" / "mac_learning_nox" / "learning.py"
HOST = {"name", "at", "mac", "ip", "gateway", "kind", "move"}  # keys of every host
# Section of the reference -> the key of the top level, a value that has an unknown key, and keys of other sections.
TABLES: dict[str, tuple[str, str, set[str]]] = {
    "A class in plain Python": ("program", f'{{ file = "hub.py", {UNKNOWN} }}', set()),
    "An os-ken or Ryu app": ("program", f'{{ app = "{APP}", {UNKNOWN} }}', set()),
    "A NOX app": ("program", f'{{ nox = "{NOX}", {UNKNOWN} }}', set()),
    'shape = "single"': ("topology", f'{{ shape = "single", {UNKNOWN} }}', set()),
    'shape = "tree"': ("topology", f'{{ shape = "tree", depth = 1, {UNKNOWN} }}', set()),
    'shape = "torus"': ("topology", f'{{ shape = "torus", rows = 3, columns = 3, {UNKNOWN} }}', set()),
    'shape = "custom"': ("topology", f'{{ shape = "custom", switches = ["s1"], {UNKNOWN} }}', set()),
    'shape = "mininet"': ("topology", f'{{ shape = "mininet", file = "topo.py", {UNKNOWN} }}', set()),
    'shape = "graphml"': ("topology", f'{{ shape = "graphml", file = "net.graphml", {UNKNOWN} }}', set()),
    'shape = "topohub"': ("topology", f'{{ shape = "topohub", name = "topozoo/Abilene", {UNKNOWN} }}', set()),
    "`move`": ("hosts", f'[{{ name = "h1", move = {{ {UNKNOWN} }} }}]', set()),
    "`[switches]`": ("switches", f"{{ {UNKNOWN} }}", set()),
    "`[[link_faults]]`": ("link_faults", f'[{{ link = "s1-s2", drop = 1, {UNKNOWN} }}]', set()),
    "`[[switch_faults]]`": ("switch_faults", f'[{{ switch = "s1", fail = 1, {UNKNOWN} }}]', set()),
    "`[timeouts]`": ("timeouts", f"{{ {UNKNOWN} }}", set()),
    "`[[externals]]`": ("externals", f'[{{ name = "x", {UNKNOWN} }}]', set()),
    "`[[timers]]`": ("timers", f'[{{ name = "x", {UNKNOWN} }}]', set()),
    "`[[statistics]]`": ("statistics", f'[{{ port = "s1:1", values = [1], {UNKNOWN} }}]', set()),
    "`[discover]`": ("discover", f"{{ {UNKNOWN} }}", set()),
    "`[search]`": ("search", f'{{ same_flow = "same_connection", {UNKNOWN} }}', set()),
}
LINES = 'shape = "linear", "ring" or "mesh"'
KEYS = [
    *((section, *table) for section, table in TABLES.items()),
    *(
        (LINES, "topology", f'{{ shape = "{shape}", switches = 3, {UNKNOWN} }}', set())
        for shape in ("linear", "ring", "mesh")
    ),
    *(
        (f'kind = "{kind}"', "hosts", f'[{{ name = "h1", kind = "{kind}", {UNKNOWN} }}]', HOST - {"move"})
        for kind in HOSTS
        if kind != "sink"
    ),
    ("Every host", "hosts", f'[{{ name = "h1", kind = "sink", move = {{}}, {UNKNOWN} }}]', set()),
    ("Top level", "no_such_key", "1", set()),
]


def accepted_keys(tmp_path: Path, key: str, value: str) -> set[str]:
    """The keys that the reader knows, as its message about an unknown one lists them."""
    (tmp_path / "hub.py").write_text(HUB)
    (tmp_path / "topo.py").write_text(
        "from mininet.topo import Topo\n\n\nclass One(Topo):\n    def build(self):\n"
        "        self.addLink(self.addHost('h1'), self.addSwitch('s1'))\n\n\ntopos = {'one': One}\n"
    )
    (tmp_path / "net.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
        '<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
    )
    text = "\n".join(f"{name} = {entry}" for name, entry in (BASE | {key: value}).items())
    (tmp_path / "page.toml").write_text(text)
    with pytest.raises(ScenarioError) as error:
        load_scenario(tmp_path / "page.toml")
    match = re.search(r"no_such_key = 1 is unknown; expected one of (.*?)( \(did you mean|$)", str(error.value))
    assert match is not None, str(error.value)
    return {*match[1].split(", ")}
