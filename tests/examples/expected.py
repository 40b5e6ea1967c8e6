"""Expected results of the scenarios of the three applications: verdict, property, steps, states, transitions.

The thirteen published defects (NICE, section 9), the scenario that shows each, and those that show its correction.
"""

from pathlib import Path
from typing import NamedTuple

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("mac_learning_osken", "load_balancer", "traffic_engineering")


class Expected(NamedTuple):
    """The answer of a breadth-first search without reduction; `steps` is the length of the shortest counterexample."""

    verdict: str
    property: str | None
    steps: int | None
    states: int
    transitions: int


EXPECTED: dict[str, Expected] = {
    "mac_learning_osken/bug1": Expected("violated", "NoBlackHolesMobile", 25, 5674, 12988),
    "mac_learning_osken/bug1_fixed": Expected("holds", None, None, 15109, 39075),
    "mac_learning_osken/bug1_fixed_dropped": Expected("violated", "Reachable(A, B)", 15, 1755, 3368),
    "mac_learning_osken/bug1_fixed_persistent": Expected("holds", None, None, 6250, 16407),
    "mac_learning_osken/bug1_hard_timeout": Expected("holds", None, None, 6117, 15809),
    "mac_learning_osken/bug1_hard_timeout_transient": Expected("violated", "NoBlackHolesMobile", 25, 6103, 13636),
    "mac_learning_osken/bug1_persistent": Expected("violated", "Reachable(A, B)", 21, 1865, 4107),
    "mac_learning_osken/bug2": Expected("violated", "StrictDirectPaths", 18, 150, 233),
    "mac_learning_osken/bug2_fixed": Expected("holds", None, None, 361, 627),
    "mac_learning_osken/bug2_reverse_second": Expected("violated", "StrictDirectPaths", 18, 192, 313),
    "mac_learning_osken/bug3": Expected("violated", "NoForwardingLoops", 14, 192, 346),
    "mac_learning_osken/bug3_fixed": Expected("holds", None, None, 69, 116),
    "load_balancer/bug4": Expected("violated", "NoForgottenPackets", 5, 19, 26),
    "load_balancer/bug4_discover": Expected("violated", "NoForgottenPackets", 5, 47, 71),
    "load_balancer/bug4_fixed": Expected("holds", None, None, 107, 167),
    "load_balancer/bug4_server": Expected("violated", "NoForgottenPackets", 9, 36, 53),
    "load_balancer/bug4_server_fixed": Expected("holds", None, None, 42, 64),
    "load_balancer/bug5": Expected("violated", "NoForgottenPackets", 3, 10, 11),
    "load_balancer/bug5_discover": Expected("violated", "NoForgottenPackets", 3, 22, 32),
    "load_balancer/bug5_fixed": Expected("holds", None, None, 59, 85),
    "load_balancer/bug6": Expected("violated", "NoForgottenPackets", 7, 23, 32),
    "load_balancer/bug6_discover": Expected("violated", "NoForgottenPackets", 7, 57, 92),
    "load_balancer/bug6_fixed": Expected("holds", None, None, 59, 85),
    "load_balancer/bug7": Expected("violated", "NoForgottenPackets", 6, 24, 30),
    "load_balancer/bug7_discover": Expected("violated", "NoForgottenPackets", 6, 56, 83),
    "load_balancer/bug7_fixed": Expected("holds", None, None, 479, 981),
    "load_balancer/bug7_hidden": Expected("holds", None, None, 560, 1151),
    "load_balancer/bug8": Expected("violated", "NoForgottenPackets", 6, 22, 28),
    "load_balancer/bug8_discover": Expected("violated", "NoForgottenPackets", 6, 52, 78),
    "load_balancer/bug8_fixed": Expected("holds", None, None, 59, 85),
    "load_balancer/bug9": Expected("violated", "FlowAffinity", 12, 887, 1827),
    "load_balancer/bug9_discover": Expected("violated", "FlowAffinity", 12, 755, 1637),
    "load_balancer/bug9_duplicated": Expected("violated", "FlowAffinity", 11, 1180, 2546),
    "load_balancer/bug9_duplicated_fixed": Expected("holds", None, None, 19502, 54397),
    "load_balancer/bug9_fixed": Expected("holds", None, None, 8150, 20724),
    "load_balancer/bug9_no_repeat": Expected("holds", None, None, 508, 1024),
    "load_balancer/bug9_restarted": Expected("violated", "FlowAffinity", 24, 7969, 19622),
    "load_balancer/bug9_restarted_fixed": Expected("holds", None, None, 9096, 23381),
    "load_balancer/bug9_silent": Expected("violated", "FlowAffinity", 12, 1431, 3192),
    "traffic_engineering/bug10": Expected("violated", "NoBlackHoles", 5, 28, 35),
    "traffic_engineering/bug10_fixed": Expected("holds", None, None, 527, 1060),
    "traffic_engineering/bug11": Expected("violated", "NoForgottenPackets", 8, 108, 179),
    "traffic_engineering/bug11_barriers": Expected("holds", None, None, 263, 456),
    "traffic_engineering/bug11_fixed": Expected("holds", None, None, 467, 968),
    "traffic_engineering/bug11_reversed": Expected("violated", "NoForgottenPackets", 8, 108, 179),
    "traffic_engineering/bug12": Expected("violated", "UseCorrectRoutingTable", 9, 208, 401),
    "traffic_engineering/bug12_fixed": Expected("holds", None, None, 1762, 4560),
    "traffic_engineering/bug13": Expected("violated", "NoForgottenPackets", 15, 693, 1600),
    "traffic_engineering/bug13_fixed": Expected("holds", None, None, 708, 1673),
    "traffic_engineering/failover": Expected("holds", None, None, 30477, 116261),
    "traffic_engineering/reachable": Expected("holds", None, None, 87, 168),
    "traffic_engineering/reachable_link_failed": Expected("violated", "Reachable(h1, h2)", 11, 1259, 3526),
    "traffic_engineering/two_flows": Expected("holds", None, None, 32358, 98648),
}

DISCOVERED: dict[str, Expected] = {  # with --discover-only; states of the last round, transitions of all
    "mac_learning_osken/bug1": Expected("violated", "NoBlackHolesMobile", 25, 23428, 55544),
    "mac_learning_osken/bug2": Expected("violated", "StrictDirectPaths", 18, 679, 1164),
    "mac_learning_osken/bug3": Expected("violated", "NoForwardingLoops", 14, 576, 1039),
    "traffic_engineering/bug10": Expected("violated", "NoBlackHoles", 5, 83, 115),
    "traffic_engineering/bug11": Expected("violated", "NoForgottenPackets", 8, 263, 447),
    "traffic_engineering/bug12": Expected("violated", "UseCorrectRoutingTable", 9, 1422, 2895),
    "traffic_engineering/bug13": Expected("violated", "NoForgottenPackets", 15, 1139, 2687),
}

BUGS: dict[str, tuple[str, tuple[str, ...]]] = {  # defect -> scenario that has it, scenarios that have its correction
    "I": ("mac_learning_osken/bug1", ("mac_learning_osken/bug1_fixed", "mac_learning_osken/bug1_fixed_persistent")),
    "II": ("mac_learning_osken/bug2", ("mac_learning_osken/bug2_fixed",)),
    "III": ("mac_learning_osken/bug3", ("mac_learning_osken/bug3_fixed",)),
    "IV": ("load_balancer/bug4", ("load_balancer/bug4_fixed", "load_balancer/bug4_server_fixed")),
    "V": ("load_balancer/bug5", ("load_balancer/bug5_fixed",)),
    "VI": ("load_balancer/bug6", ("load_balancer/bug6_fixed",)),
    "VII": ("load_balancer/bug7", ("load_balancer/bug7_fixed", "load_balancer/bug7_hidden")),
    "VIII": ("load_balancer/bug8", ("load_balancer/bug8_fixed",)),
    "IX": ("load_balancer/bug9", ("load_balancer/bug9_fixed", "load_balancer/bug9_duplicated_fixed")),
    "X": ("traffic_engineering/bug10", ("traffic_engineering/bug10_fixed",)),
    "XI": ("traffic_engineering/bug11", ("traffic_engineering/bug11_fixed", "traffic_engineering/bug11_barriers")),
    "XII": ("traffic_engineering/bug12", ("traffic_engineering/bug12_fixed",)),
    "XIII": ("traffic_engineering/bug13", ("traffic_engineering/bug13_fixed", "traffic_engineering/two_flows")),
}

FAULTS: dict[str, tuple[str, str]] = {  # fault -> scenario without it, which holds, and with it, which does not
    "a duplicated SYN": ("load_balancer/bug9_no_repeat", "load_balancer/bug9_duplicated"),
    "a dropped packet": ("mac_learning_osken/bug1_fixed_persistent", "mac_learning_osken/bug1_fixed_dropped"),
    "a failed link": ("traffic_engineering/reachable", "traffic_engineering/reachable_link_failed"),
    "a restarted switch": ("load_balancer/bug9_no_repeat", "load_balancer/bug9_restarted"),
}
