"""The rows of SDN-Actors' table 1: our programs and their sizes, the published figures and the verdicts to expect."""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType

from sdnloom.actors import Program
from sdnloom.network.usercode import run_file

EXAMPLES = Path(__file__).parents[1] / "examples" / "actors"


@dataclass(frozen=True)
class Published:
    """What the paper reports: branches and nodes of its search tree, and seconds."""

    executions: int
    states: int
    seconds: float


@dataclass(frozen=True)
class Instance:
    """One program of one size. `size` is the paper's: switches x hosts x packets."""

    row: str
    size: str
    file: str  # in examples/actors
    function: str
    violated: bool
    published: Published | None
    sizes: dict[str, int] = field(hash=False)

    @property
    def label(self) -> str:
        """Its name in tables."""
        return f"{self.row} {self.size}"

    def program(self) -> Program:
        """The program, made anew."""
        made = getattr(example(self.file), self.function)(**self.sizes)
        assert isinstance(made, Program)
        return made


@cache
def example(file: str) -> ModuleType:
    """A file of examples/actors as a module."""
    return run_file(EXAMPLES / file)


def _row(
    row: str, where: str, violated: bool, *cells: tuple[str, dict[str, int], tuple[int, int, int]]
) -> list[Instance]:
    """Instances of one program: size, parameters, and the paper's executions, states and milliseconds."""
    file, function = where.split(":")
    return [
        Instance(row, size, file, function, violated, Published(runs, states, ms / 1000), sizes)
        for size, sizes, (runs, states, ms) in cells
    ]


def balanced(clients: int, published: Published | None = None) -> Instance:
    """LBB with so many clients; each sends one packet."""
    size = f"3x{clients + 2}x{clients}"
    return Instance("LBB", size, "load_balancer.py", "with_barriers", False, published, {"clients": clients})


INSTANCES: tuple[Instance, ...] = (
    *_row(
        "LB",
        "load_balancer.py:program",
        True,
        ("3x3x1", {"clients": 1}, (8, 64, 15)),
        ("3x4x2", {"clients": 2}, (92, 761, 263)),
    ),
    balanced(2, Published(3, 48, 0.013)),
    balanced(5, Published(21, 482, 0.212)),
    balanced(8, Published(171, 3_996, 3.542)),
    balanced(10, Published(683, 16_028, 22.941)),
    *_row(
        "SSHE",
        "ssh.py:program",
        True,
        ("2x2x1ssh", {"ssh": 1, "other": 0}, (9, 56, 14)),
        ("2x2x1oth", {"ssh": 0, "other": 1}, (21, 135, 37)),
        ("2x2x2each", {"ssh": 1, "other": 1}, (2_648, 24_116, 12_308)),
    ),
    *_row("SSHE", "ssh.py:corrected", False, ("2x2x2cor", {"ssh": 1, "other": 1}, (1_201, 9_406, 3_276))),
    *_row(
        "SSHB",
        "ssh.py:with_barriers",
        False,
        ("2x2x2", {"ssh": 1, "other": 1}, (27, 318, 119)),
        ("2x2x3", {"ssh": 1, "other": 2}, (2_013, 23_643, 13_261)),
    ),
    *_row(
        "MI",
        "firewall.py:program",
        False,
        ("1x5x8", {"packets": 8}, (122, 2_710, 1_003)),
        ("1x5x10", {"packets": 10}, (753, 17_613, 11_800)),
        ("1x5x11", {"packets": 11}, (1_506, 35_870, 34_894)),
    ),
    *_row(
        "MIB",
        "firewall.py:unchecked",
        True,
        ("1x5x8", {"packets": 8}, (138, 3_215, 1_668)),
        ("1x5x10", {"packets": 10}, (831, 20_640, 18_591)),
        ("1x5x11", {"packets": 11}, (1_653, 41_512, 53_349)),
    ),
    *_row(
        "LE",
        "learning.py:program",
        False,
        ("3x3x2", {"switches": 3, "hosts": 3, "packets": 2}, (10, 178, 59)),
        ("3x3x5", {"switches": 3, "hosts": 3, "packets": 5}, (46, 1_269, 467)),
        ("6x3x2", {"switches": 6, "hosts": 3, "packets": 2}, (40, 1_239, 649)),
        ("6x3x5", {"switches": 6, "hosts": 3, "packets": 5}, (132, 5_765, 3_798)),
        ("9x2x2", {"switches": 9, "hosts": 2, "packets": 2}, (944, 12_339, 12_230)),
    ),
)


def instance(row: str, size: str) -> Instance:
    """The instance of that name; every size of LBB has one."""
    for each in INSTANCES:
        if (each.row, each.size) == (row, size):
            return each
    if row == "LBB":
        return balanced(int(size.split("x")[2]))
    raise KeyError(f"{row} {size} is not in table 1")


def resized(row: str, of: str, size: str, /, **sizes: int) -> Instance:
    """An instance of table 1 with another size, which the paper does not have."""
    return replace(instance(row, of), size=size, published=None, sizes=sizes)
