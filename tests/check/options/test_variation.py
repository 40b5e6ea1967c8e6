"""Options over scenario files: what each replaces or adds, and that a printed scenario means the same."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from sdnloom.check.load import load_scenario, read_scenario, scenario_document, scenario_of_apps, varied_scenario
from sdnloom.check.options.app_options import AppOptions, app_document
from sdnloom.check.options.keywords import NETWORK_FLAGS, NetworkKeywords, given_options
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.scenario import Scenario
from sdnloom.cli.options import apps
from sdnloom.scenario_file.document import ScenarioError
from sdnloom.scenario_file.toml_text import toml_text

EXAMPLES = Path(__file__).parents[3] / "examples"
BUG1 = EXAMPLES / "mac_learning" / "bug1.toml"
FILES = sorted(
    file
    for folder in ("mac_learning", "discovery")
    for file in (EXAMPLES / folder).rglob("*.toml")
    if not file.name.endswith(".part.toml")
)


def described(scenario: Scenario) -> tuple[Any, ...]:
    """All that decides the result of a check, but for the code: files are run anew each time."""
    properties = [
        one if type(one).__module__.startswith("sdnloom.properties") else (one.name, type(one).__name__)
        for one in scenario.properties
    ]
    hosts = [one if type(one).__module__.startswith("sdnloom.") else repr(one) for one in scenario.network.hosts]
    flows = [(getattr(one, "same_flow", None) and one.name) or one for one in scenario.strategies]
    network = replace(scenario.network, hosts=())
    return network, hosts, properties, scenario.options, scenario.seed, scenario.name, flows, scenario.discovery


def printed(file: Path, given: dict[str, Any], options: CheckOptions) -> str:
    return toml_text(options.in_document(scenario_document(file, given)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(EXAMPLES)))
def test_a_file_and_its_includes_can_be_written_as_one_file_elsewhere(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = printed(file, {}, CheckOptions())
    assert described(read_scenario(text, "here.toml", build=False)) == described(load_scenario(file, build=False))


NETWORK: dict[str, list[Any]] = {
    "pings": [("A,B",), ("A,B,2", "B,A"), ("B,A,3",)],
    "moves": [("A,s1:4",), ("B,s1:3", "B,s1:5")],
    "properties": [("NoForwardingLoops",), ("NoBlackHolesMobile", "Reachable,source=A,target=B")],
    "host_keys": [("A,burst=2",), ("B,kind=arp",)],
    "no_arp": [True],
    "ticks": [2],
    "settle_ticks": [0],
    "profile": ["openvswitch"],
    "version": ["1.0"],
    "link_failures": [("A",)],
    "drops": [("A,2", "B")],
    "restarts": [("s1",)],
    "externals": [("GET /a", 'PUT /b {"c": 1}')],
    "setup": [("ticks 1",)],
    "joining": [True],
}
SEARCH: dict[str, list[Any]] = {
    "find_all": [True, False],
    "engine": ["auto", "loop"],
    "order": ["bfs", "dfs"],
    "reduce": [True, False],
    "strategy": ["no-delay", "unusual,no-delay", "flow-ir", ""],
    "same_flow": ["same_connection"],
    "pkt_seq": ["2", "3,1"],
    "seed": [0, 7],
    "max_states": [10],
    "max_depth": [5],
    "time_limit": [2.5],
    "memory_limit": [4000],
    "discover": [True, "only"],
    "stacks": [("ethernet",), ("ethernet", "ipv4")],
    "fields": [("eth.type=any",), ("eth.type=0x88b5", "ipv4.dst=10.0.0.1")],
}


def some(chance: random.Random, options: dict[str, list[Any]]) -> dict[str, Any]:
    names = chance.sample(sorted(options), chance.randint(0, 5))
    return {name: chance.choice(options[name]) for name in names}


@pytest.mark.parametrize("seed", range(25))
def test_a_printed_scenario_is_the_scenario(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    given, search = some(chance, NETWORK), some(chance, SEARCH)
    if "no_arp" in given:
        given.setdefault("pings", ("A,B",))
    if "strategy" in search and "flow-ir" in search["strategy"]:
        search["same_flow"] = "same_connection"
    if {"stacks", "fields"} & search.keys():
        search.setdefault("discover", True)
    options = CheckOptions(**search)
    whole = options.over(varied_scenario(BUG1, given, build=False))
    again = read_scenario(printed(BUG1, given, options), "here.toml", build=False)
    assert described(again) == described(whole)


def test_the_names_of_options_are_those_of_the_command_line_and_of_python() -> None:
    assert {name: flag for name, (flag, _) in apps._OPTIONS.items()} == dict(NETWORK_FLAGS)
    assert {"apps", *get_type_hints(NetworkKeywords)} == set(NETWORK_FLAGS) == set(AppOptions.__dataclass_fields__)


def test_lists_of_python_may_be_one_text_and_what_says_nothing_is_left_out() -> None:
    given = given_options({"pings": "h1,h2", "properties": ["A", "B"], "no_arp": False, "hosts": 0, "drops": ()})
    assert given == {"pings": ("h1,h2",), "properties": ("A", "B"), "hosts": 0}


def write(folder: Path, **tables: str) -> Path:
    parts = {
        "properties": 'properties = ["NoForwardingLoops", "NoBlackHoles"]',
        "program": '[program]\nfile = "hub.py"',
        "topology": '[topology]\nshape = "linear"\nswitches = 2',
        "hosts": '[[hosts]]\nname = "h1"\nkind = "client"\nto = ["h2"]\nsends = 2\nburst = 1\n'
        '[[hosts]]\nname = "h2"\nkind = "replier"',
        **tables,
    }
    folder.mkdir(exist_ok=True)
    (folder / "hub.py").write_text("class Hub:\n    def packet_in(self, net, s, m):\n        net.flood(s, m)\n")
    (folder / "net.toml").write_text("\n\n".join(parts.values()))
    return folder / "net.toml"


def varied(file: Path, **options: Any) -> dict[str, Any]:
    return scenario_document(file, given_options(options))


@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        ({"pings": "h1,h2,5"}, [{"kind": "client", "burst": 1, "to": ["h2"], "sends": 5}, {"kind": "replier"}]),
        (
            {"pings": ["h2,h1"]},
            [
                {"kind": "client", "to": ["h2"], "sends": 2, "burst": 1},
                {"kind": "client", "to": ["h1"], "sends": 1},
            ],
        ),
        (
            {"pings": ["h1,h2", "h1,h3,2"], "topology": "single,3"},
            [
                {"kind": "client", "burst": 1, "to": ["h2", "h3"], "sends": 3},
                {"kind": "replier"},
                {"kind": "replier"},
            ],
        ),
        (
            {"moves": ["h2,s1:3", "h2,s2:4"]},
            [
                {"kind": "client", "to": ["h2"], "sends": 2, "burst": 1},
                {"kind": "replier", "move": {"moves": 1, "announces": True, "to": ["s1:3", "s2:4"]}},
            ],
        ),
        (
            {"host_keys": ["h1,sends=7"]},
            [{"kind": "client", "to": ["h2"], "sends": 7, "burst": 1}, {"kind": "replier"}],
        ),
    ],
)
def test_options_about_a_host_replace_what_the_file_says_of_it(
    tmp_path: Path, options: dict[str, Any], hosts: list[dict[str, Any]]
) -> None:
    found = varied(write(tmp_path), **options)["hosts"]
    assert found == [{"name": f"h{number}", **host} for number, host in enumerate(hosts, 1)]


def test_hosts_without_arp_are_clients_and_repliers(tmp_path: Path) -> None:
    arp = '[[hosts]]\nname = "h1"\nkind = "arp"\nto = ["h2"]\nasks = 2\n[[hosts]]\nname = "h2"\nkind = "arp"'
    file = write(tmp_path, hosts=arp)
    assert varied(file, no_arp=True)["hosts"] == [
        {"name": "h1", "kind": "client", "to": ["h2"]},
        {"name": "h2", "kind": "replier"},
    ]
    assert varied(file, pings="h2,h1")["hosts"][1] == {"name": "h2", "kind": "arp", "to": ["h1"], "sends": 1}


def test_an_option_that_would_do_nothing_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path)
    with pytest.raises(ScenarioError, match=r"--no-arp is given, but no host asks by ARP; expected --ping as well"):
        varied(file, no_arp=True)
    assert varied(file, no_arp=True, pings="h1,h2")["hosts"][0]["kind"] == "client"


OWN = {"name": "Own", "file": "own.py", "as": "mine"}


@pytest.mark.parametrize(
    ("options", "properties"),
    [
        ({"properties": "NoBlackHoles"}, [{"name": "NoBlackHoles"}]),
        (
            {"properties": ["mine", "NoHandlerException"]},
            [OWN, "NoHandlerException"],
        ),
        (
            {"moves": "h2,s1:3"},
            ["NoForwardingLoops", {"name": "NoBlackHolesMobile"}, OWN],
        ),
        ({"properties": "NoBlackHoles", "moves": "h2,s1:3"}, [{"name": "NoBlackHoles"}]),
    ],
)
def test_properties_are_replaced_and_the_file_s_own_can_be_chosen_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], properties: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write(
        tmp_path,
        properties='properties = ["NoForwardingLoops", { name = "NoBlackHoles" }, '
        '{ name = "Own", file = "own.py", as = "mine" }]',
    )
    assert varied(file, **options)["properties"] == properties


def test_budgets_of_one_link_are_replaced_and_others_added(tmp_path: Path) -> None:
    file = write(tmp_path, faults='[[link_faults]]\nlink = "s1-s2"\nfail = 1\ndrop = 2')
    found = varied(file, drops="s2-s1,5", duplicates=["h1", "h1,2"], disconnects="s1")
    assert found["link_faults"] == [{"link": "s1-s2", "fail": 1, "drop": 5}, {"link": "h1", "duplicate": 3}]
    assert found["switch_faults"] == [{"switch": "s1", "disconnect": 1}]


def test_calls_and_set_up_are_added(tmp_path: Path) -> None:
    file = write(tmp_path, setup="[[setup]]\nticks = 1", externals='[[externals]]\nname = "GET /a"')
    found = varied(file, setup="ticks 2", externals="GET /b")
    assert found["setup"] == [{"ticks": 1}, {"ticks": 2}]
    assert found["externals"] == [{"name": "GET /a"}, {"name": "GET /b"}]


APP = '[program]\napp = "switch.py"\nhub = "native"\nconfig = { a = "1", b = "2" }\n[program.environment]\nX = "1"'


def test_options_of_an_app_are_over_those_of_the_file_s_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "sub", program=APP)
    found = varied(file, config=["b=3", "c=4"], environment="Y=2", app_threads="explore", path="modules")["program"]
    assert found == {
        "app": "sub/switch.py",
        "hub": "native",
        "config": {"a": "1", "b": "3", "c": "4"},
        "environment": {"X": "1", "Y": "2"},
        "threads": "explore",
        "path": ["modules", "sub"],
    }
    other = scenario_document(file, {"apps": ("other.py",)})
    assert other["program"] == {
        "hub": "native",
        "config": {"a": "1", "b": "2"},
        "environment": {"X": "1"},
        "app": "other.py",
    }
    assert scenario_document(write(tmp_path), {"apps": ("a.py", "b.py")})["program"] == {"apps": ["a.py", "b.py"]}
    linked = varied(file, observe_links=True)
    assert (linked["warmup"], linked["program"]["config"]["observe_links"]) == ("links", True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"topology": "single,1"}, ["net.toml with --topology: hosts[1].name is 'h2'", "(h1)"]),
        ({"topology": "single,2", "hosts": 3}, ["--topology is 'single,2'", "--hosts 3"]),
        ({"pings": "h9,h1"}, ["'h9'", "h1, h2"]),
        ({"pings": "h1,h9"}, ["'h9'", "h1, h2"]),
        ({"pings": "h1,h1"}, ["two different hosts"]),
        ({"pings": "h1,10.0.0.1"}, ["--ping", "another address than that of h1 itself"]),
        ({"pings": "h2,h1", "profile": "reference"}, ["net.toml with --ping, --switch-profile says that h2 is a tcp"]),
        ({"host_keys": "h1,kind=sink", "pings": "h1,h2"}, ["--host says that h1 is a sink"]),
        ({"hub": "native"}, ["net.toml with --hub: --hub is for os-ken and Ryu apps", "a class in plain Python"]),
        ({"properties": "NoLoops"}, ["net.toml with --property: --property is 'NoLoops'", "NoForwardingLoops"]),
        ({"properties": "NoBlackHole"}, ["--property is 'NoBlackHole'", "(did you mean NoBlackHoles?)"]),
        ({"drops": "s1-s9"}, ["command line: link_faults[0].link is 's1-s9'"]),
        ({"moves": "h1,s9:2"}, ["s9"]),
        ({"version": "9.9"}, ["command line: switches.version is '9.9'"]),
    ],
)
def test_what_does_not_go_together_is_one_message_with_both(
    tmp_path: Path, options: dict[str, Any], words: list[str]
) -> None:
    file = write(tmp_path, hosts='[[hosts]]\nname = "h1"\n[[hosts]]\nname = "h2"\nkind = "tcp_server"')
    with pytest.raises(ScenarioError) as error:
        load_scenario(file, **options)
    for word in words:
        assert word in str(error.value)


def test_a_fragment_can_be_used_with_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "net.part.toml").write_text('[topology]\nshape = "single"\n')
    with pytest.raises(ScenarioError, match="is a fragment: it has no properties"):
        varied_scenario(tmp_path / "net.part.toml", {"apps": ("switch.py",)}, build=False)
    found = scenario_document(tmp_path / "net.part.toml", {"apps": ("x.py",), "properties": ("NoBlackHoles",)})
    assert found["properties"] == ["NoBlackHoles"]


def test_hosts_with_ports_of_their_own_do_not_go_with_a_number_of_hosts() -> None:
    with pytest.raises(ScenarioError, match=r"bug1.toml with --hosts: --hosts is 2, but .* ports of their own"):
        load_scenario(BUG1, hosts=2)


def test_a_kind_of_host_is_found_beside_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text("from sdnloom import Host\n\n\nclass Own(Host):\n    pass\n")
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "sub")
    assert varied(file, host_keys="h2,kind=own.py:Own")["hosts"][1]["kind"] == "own.py:Own"
    assert type(load_scenario(file, host_keys="h2,kind=own.py:Own").network.hosts[1]).__name__ == "Own"


def test_a_varied_scenario_differs_from_its_file_in_what_the_options_say(tmp_path: Path) -> None:
    file = write(tmp_path)
    plain, more = load_scenario(file), load_scenario(file, pings="h1,h2,3")
    assert replace(more.network, hosts=plain.network.hosts) == plain.network
    assert (plain.document, plain.text) == (None, None)
    assert more.text is not None
    assert [plain.check().result.statistics.states, more.check().result.statistics.states] == [33, 49]


def test_an_app_is_the_same_by_options_and_by_its_document() -> None:
    app = str(EXAMPLES / "apps" / "learning_switch.py")
    pytest.importorskip("os_ken")
    options = CheckOptions(find_all=True, reduce=True)
    given = {"topology": "single,2", "pings": ("h1,h2",)}
    text = toml_text(options.in_document(app_document(AppOptions((app,), **given))[0]))
    whole = options.over(scenario_of_apps((app,), given, build=False))
    assert described(read_scenario(text, "here.toml", build=False)) == described(whole)
