"""Mininet Topo files run without Mininet, and errors in them are reported with their line."""

import sys
from pathlib import Path

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.topology import LinkSpec, linear, load_mininet, tree
from sdnloom.network.value import ip, mac

TRIANGLE = """
from mininet.topo import Topo
from mininet.net import Mininet
from mininet.node import OVSKernelSwitch, RemoteController
from mininet.link import TCLink
from mininet.log import setLogLevel, info
from mininet.cli import CLI
import mininet.util

setLogLevel("info")

class Triangle(Topo):
    def build(self, hosts=1, bw=10):
        names = [self.addSwitch("s%d" % n, cls=OVSKernelSwitch, dpid="00000000000000a%d" % n) for n in (1, 2, 3)]
        for n, name in enumerate(names, 1):
            for one in range(hosts):
                mac, ip = "00:00:00:00:%02x:%02x" % (n, one), "10.1.%d.%d/8" % (n, one)
                host = self.addHost("h%d_%d" % (n, one), mac=mac, ip=ip)
                self.addLink(host, name, cls=TCLink, bw=bw)
        self.addLink("s1", "s2", port1=7, port2=8)
        self.addLink("s2", "s3")
        self.addLink("s3", "s1")

topos = {"triangle": (lambda *args, **options: Triangle(*args, **options))}

if __name__ == "__main__":
    CLI(Mininet(topo=Triangle(), controller=RemoteController))
    raise SystemExit(1)
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "topo.py"
    file.write_text(text)
    return file


def test_topo_file_runs_without_mininet(tmp_path: Path) -> None:
    topology = load_mininet(write(tmp_path, TRIANGLE))
    assert topology.name == "triangle"
    assert [(s.name, s.dpid, s.ports) for s in topology.switches] == [
        ("s1", 0xA1, (1, 3, 7)),
        ("s2", 0xA2, (1, 3, 8)),
        ("s3", 0xA3, (1, 2, 3)),
    ]
    assert topology.hosts[1].mac == mac("00:00:00:00:02:00")
    assert topology.hosts[1].ip == ip("10.1.2.0")
    assert topology.links[0] == LinkSpec("s1", 7, "s2", 8)


def test_arguments_are_given_as_after_mininets_topo_option(tmp_path: Path) -> None:
    file = write(tmp_path, TRIANGLE)
    assert len(load_mininet(file, "triangle,2").hosts) == 6
    assert load_mininet(file, "triangle,hosts=2,bw=1.5") == load_mininet(file, "triangle", [2], {"bw": 1.5})


def test_mininets_own_shapes_equal_ours(tmp_path: Path) -> None:
    text = (
        "from mininet.topo import LinearTopo\nfrom mininet.topolib import TreeTopo\n"
        "topos = {'linear': LinearTopo, 'tree': TreeTopo}\n"
    )
    file = write(tmp_path, text)
    theirs = load_mininet(file, "linear,3")
    assert (theirs.switches, theirs.hosts) == (linear(3).switches, linear(3).hosts)
    assert {frozenset(link.ends) for link in theirs.links} == {frozenset(link.ends) for link in linear(3).links}
    assert load_mininet(file, "tree,2,3").links == tree(2, 3).links


def test_nothing_of_the_stand_ins_stays_behind(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("from mininet.topo import Topo\nclass Base(Topo):\n    pass\n")
    file = write(
        tmp_path,
        "from neighbour import Base\n"
        "class One(Base):\n    def build(self):\n        self.addSwitch('s1')\n"
        "topos = {'one': One}\n",
    )
    path = list(sys.path)
    sys.modules["mininet"] = installed = type(sys)("mininet")
    try:
        assert len(load_mininet(file).switches) == 1
        assert sys.modules["mininet"] is installed
    finally:
        del sys.modules["mininet"]
    assert not [name for name in sys.modules if name.startswith("mininet") or name == "neighbour"]
    assert sys.path == path


HEAD = "from mininet.topo import Topo\n"


@pytest.mark.parametrize(
    ("text", "choice", "words"),
    [
        ("x = (", None, ["line 1", "not Python"]),
        ("\0", None, ["not Python"]),
        ("x = 1\nraise OSError('no')", None, ["line 2", "OSError: no"]),
        ("import sys\nsys.exit(3)", None, ["line 2", "SystemExit: 3"]),
        ("import nowhere_at_all", None, ["line 1", "ModuleNotFoundError"]),
        ("x = 1", None, ["topos is missing", "expected a dict"]),
        ("topos = []", None, ["topos is []"]),
        (HEAD + "topos = {'a': Topo, 'b': Topo}", None, ["no topology is chosen", "a, b"]),
        (HEAD + "topos = {'a': Topo, 'b': Topo}", "c", ["'c' is not in topos", "a, b"]),
        ("topos = {'a': int}", None, ["topos['a'] gives a int", "Topo"]),
        ("topos = {'a': 3}", None, ["topos['a'] raised TypeError"]),
        (HEAD + "topos = {'a': lambda: Topo()}", "a,1", ["topos['a'] raised TypeError"]),
        (
            HEAD + "class T(Topo):\n  def build(self):\n    1 / 0\ntopos = {'a': T}",
            None,
            ["line 4", "ZeroDivisionError"],
        ),
        (
            HEAD + "class T(Topo):\n  def __init__(self):\n    pass\ntopos = {'a': T}",
            None,
            ["does not call Topo.__init__"],
        ),
        (
            HEAD + "class T(Topo):\n  def build(self):\n    self.addLink('s1', 's2')\ntopos = {'a': T}",
            None,
            ["'s1' is neither a switch nor a host"],
        ),
        (
            HEAD + "class T(Topo):\n  def build(self):\n    self.addSwitch('s1', dpid='xyz')\ntopos = {'a': T}",
            None,
            ["dpid of switch 's1' is 'xyz'", "hexadecimal"],
        ),
        (
            HEAD + "class T(Topo):\n  def build(self):\n    self.addHost('h1', ip='no')\ntopos = {'a': T}",
            None,
            ["'no' is no IP address"],
        ),
        (
            HEAD + "class T(Topo):\n  def build(self):\n"
            "    self.addLink(self.addSwitch('s1'), self.addHost('h1'), port1='x')\ntopos = {'a': T}",
            None,
            ["port of 's1' is 'x'"],
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, choice: str | None, words: list[str]) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SdnloomError) as caught:
        load_mininet(file, choice)
    for word in [str(file), *words]:
        assert word in str(caught.value)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SdnloomError, match=r"gone\.py: cannot read"):
        load_mininet(tmp_path / "gone.py")
