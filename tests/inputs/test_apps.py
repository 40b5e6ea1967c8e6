"""Classes of packets of real apps: complete, pure, and confirmed on the apps as they were written."""

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from sdnloom.inputs.skeletons import SenderView, make_skeletons
from sdnloom.network.program import Call, ClockTick
from sdnloom.network.usercode import run_file
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.python.program import PythonProgram
from tests.apps.conftest import FOLDER, ROOT
from tests.inputs.program_pair import Pair

EXAMPLES = ROOT / "examples"
ROUTER = "0000000000000001"
RANDOM = 25  # packets for each stack; the benchmark takes 1,500
needs_ryu = pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the apps of ryu==4.34: `make ryu` fetches them")


@cache
def learned_pair(app):
    """The pair of one of Ryu's switches, made once."""
    return Pair.of(ryu(app), learned)


def ryu(app, **options):
    return OskenProgram([f"ryu.app.{app}"], path=[FOLDER], **options)


def learned(state):
    """The switch has heard from address 1 at port 1 and from address 2 at port 2."""
    frame = make_skeletons(["ethernet"], SenderView(), {})[0]
    for port, src, dst in ((1, 1, 2), (2, 2, 1)):
        state = state.after_packet(frame, port, {"eth.src": src, "eth.dst": dst})
    return state


def routing(state):
    """The router has two addresses and a route."""
    for body in (
        '{"address": "172.16.20.1/24"}',
        '{"address": "172.16.30.30/24"}',
        '{"destination": "192.168.30.0/24", "gateway": "172.16.30.1"}',
    ):
        state = state.after_inputs(Call(f"POST /router/{ROUTER}", (body,)))
    return state


def bridging(state):
    """The bridge has heard of another one, and time has passed."""
    bpdu = make_skeletons(["bpdu"], SenderView(), {})[0]
    state = state.after_packet(bpdu, 1, {"bpdu.root_mac_address": 5, "bpdu.bridge_mac_address": 7})
    for _ in range(12):
        state = state.after_inputs(ClockTick())
    return state


@pytest.fixture(scope="module")
def switch13():
    return learned_pair("simple_switch_13")


@pytest.fixture(scope="module")
def eleven(switch13):
    question = switch13.question("ethernet", 3, {"eth.type": "any"})
    return question, switch13.explore(question)


@needs_ryu
def test_simple_switch_13_tells_exactly_eleven_classes_apart(eleven):
    _, answer = eleven
    one, two = "00:00:00:00:00:01", "00:00:00:00:00:02"
    known = [f"eth.{end} == {address}" for address in (one, two) for end in ("src", "dst")]
    new = {end: f"eth.{end} != {one} and eth.{end} != {two}" for end in ("src", "dst")}
    sources, targets = [*known[::2], new["src"]], [*known[1::2], new["dst"]]
    expected = {f"eth.type != 0x88cc and {source} and {target}" for source, target in product(sources, targets)}
    both = f"eth.type != 0x88cc and {new['src']} and {new['dst']}"
    expected = (expected - {both}) | {f"{both} and eth.src != eth.dst", f"{both} and eth.src == eth.dst"}
    assert {found.path.readable for found in answer.classes} == expected | {"eth.type == 0x88cc"}
    assert (len(answer.classes), answer.gaps, answer.exploration.statistics.paths) == (11, (), 11)


@needs_ryu
def test_each_of_the_eleven_witnesses_takes_the_predicted_lines_unrewritten(switch13, eleven):
    switch13.confirm(eleven[1])


@needs_ryu
def test_the_eleven_classes_are_pure(switch13, eleven):
    assert switch13.check_pure(*eleven, 20) >= 200


@needs_ryu
def test_brute_force_over_a_small_domain_gives_the_same_classes(switch13):
    overrides = {"eth.src": "1,2,3", "eth.dst": "1,2,3,broadcast", "eth.type": "0x88cc,0x800,0x806"}
    question = switch13.question("ethernet", 3, overrides)
    answer = switch13.explore(question)
    fields = [(field.name, domain.listed) for field, domain in question.skeleton.symbolic]
    met = set()
    for values in product(*(values for _, values in fields)):
        packet = dict(zip((name for name, _ in fields), values, strict=True))
        [found] = [one for one in answer.classes if one.contains(packet)]
        assert switch13.original_lines(question, packet)[1] == found.lines
        met.add(found)
    assert met == set(answer.classes)
    # LLDP; sources 1 and 2 with each of the four targets but 3 and everybody alike; source 3 with 1, 2, 3, everybody.
    assert len(answer.classes) == 1 + 2 * 3 + 4


@pytest.mark.slow
@needs_ryu
@pytest.mark.parametrize("app", ["simple_switch", "simple_switch_13", "example_switch_13", "simple_monitor_13"])
@pytest.mark.parametrize("stack", ["ethernet", "arp", "ipv4/tcp"])
def test_learning_switches_of_ryu(app, stack):
    pair = learned_pair(app)
    question = pair.question(stack, 3)
    answer = pair.explore(question)
    pair.confirm(answer)
    pair.check_pure(question, answer)
    assert (len(answer.classes), answer.gaps) == (10, ())
    assert pair.random_lines_are_explored(question, answer, 30)[1] >= 2


@pytest.fixture(scope="module")
def router():
    return Pair.of(ryu("rest_router"), routing)


@pytest.mark.slow
@needs_ryu
@pytest.mark.parametrize(
    ("stack", "classes", "traces"),
    [("arp", 31, 22), ("ipv4", 6, 5), ("ipv4/icmp", 8, 6), ("ipv4/tcp", 6, 5), ("ipv4/udp", 6, 5)],
)
def test_lines_of_random_packets_in_rest_router_are_among_the_explored_ones(router, stack, classes, traces):
    question = router.question(stack, 1)
    answer = router.explore(question)
    assert (len(answer.classes), answer.gaps) == (classes, ())
    assert router.random_lines_are_explored(question, answer, RANDOM)[1] == traces
    router.confirm(answer)
    router.check_pure(question, answer)


@pytest.mark.slow
@needs_ryu
def test_lines_of_random_bpdus_in_simple_switch_stp_13_are_among_the_explored_ones():
    pair = Pair.of(ryu("simple_switch_stp_13", hub="eventlet"), bridging)
    question = pair.question("bpdu", 1)
    answer = pair.explore(question)
    assert answer.gaps == ()
    pair.random_lines_are_explored(question, answer, 20)
    pair.confirm(answer)
    pair.check_pure(question, answer)
    assert len(answer.classes) > 1


OSKEN_EXAMPLES = [
    ("mac_learning_osken/pyswitch.py", "ethernet"),
    ("load_balancer/balancer.py", "arp"),
    ("load_balancer/balancer.py", "ipv4/tcp"),
    ("traffic_engineering/engineering.py", "ipv4/tcp"),
    ("traffic_engineering/engineering.py", "ethernet"),
]


@cache
def example_pair(file):
    return Pair.of(OskenProgram([EXAMPLES / file]))


@pytest.mark.slow
@pytest.mark.parametrize(("file", "stack"), OSKEN_EXAMPLES)
def test_example_apps(file, stack):
    pair = example_pair(file)
    question = pair.question(stack, 1)
    answer = pair.explore(question)
    assert answer.gaps == ()
    pair.random_lines_are_explored(question, answer, RANDOM)
    pair.confirm(answer)
    pair.check_pure(question, answer)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PySwitch", "Following", "ReverseFirst"])
def test_example_programs_in_plain_python(name):
    module = run_file(EXAMPLES / "mac_learning" / "learning.py")
    pair = Pair.of(PythonProgram(getattr(module, name)), learned)
    question = pair.question("ethernet", 3)
    answer = pair.explore(question)
    assert answer.gaps == ()
    pair.random_lines_are_explored(question, answer, 3 * RANDOM)
    pair.confirm(answer)
    pair.check_pure(question, answer)


@pytest.mark.slow
def test_paths_of_files(tmp_path: Path):
    """Apps named by file are explored as apps named by module are."""
    source = (EXAMPLES / "mac_learning_osken" / "pyswitch.py").read_text()
    (tmp_path / "mine.py").write_text(source)
    pair = Pair.of(OskenProgram([tmp_path / "mine.py"]), learned)
    answer = pair.explore(pair.question("ethernet", 3))
    assert answer.gaps == ()
    pair.confirm(answer)
