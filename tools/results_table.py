"""Write down what a checkout answers, as one table, and compare two such tables.

    python tools/results_table.py CHECKOUT -o table.json [--benchmarks]
    python tools/results_table.py --compare before.json after.json

A change that must not change results is shown to be one by a table from before and a table from after it. Everything is
asked from outside, through the `sdnloom` command in CHECKOUT/.venv (`make setup packages ryu`), so that modules and the
wording of reports may change. A table has verdicts and counts, no times: the same checkout gives the same table.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Rows = dict[str, Row]

PATIENCE = 900  # seconds for one command: more than any needs, so that one which hangs is an error
MOST = 20_000  # states, where a search might be much larger or endless

# Scenarios too large to be searched to their end: how many states to look at, without a reduction and with one.
LIMITS = {"examples/ryu/stp_converging.toml": (1_000, 300)}
SLOW = ("examples/ryu/stp_budget.toml", "examples/ryu/monitor13.toml", "examples/ryu/stp_ring.toml")  # these first

# Searches of other kinds, for some scenarios. docs/bugs.md names those whose defect is found with discovered inputs.
DISCOVERED = (
    *(f"examples/mac_learning/bug{number}.toml" for number in (1, 2, 3)),
    *(f"examples/mac_learning_osken/bug{number}.toml" for number in (1, 2, 3)),
    "examples/mac_learning_osken/bug3_fixed.toml",
    *(f"examples/traffic_engineering/bug{number}.toml" for number in (10, 11, 12, 13)),
    *(f"examples/traffic_engineering/bug{number}_fixed.toml" for number in (10, 11, 12, 13)),
    *(f"examples/ryu/switch{version}_bug{number}.toml" for version in (10, 13) for number in (1, 2, 3)),
)
SEARCHED_IN_OTHER_WAYS = (
    "examples/mac_learning/bug1.toml",
    "examples/load_balancer/bug9_fixed.toml",
    "examples/traffic_engineering/bug13.toml",
)
OTHER_WAYS = (
    "--order dfs",
    "--engine kernel",
    "--engine kernel --reduce",
    "--strategy no-delay",
    "--strategy unusual",
    "--strategy flow-ir --same-flow same_connection",
)

COUNTED = re.compile(r"(?<![\w.,])(\d[\d,]*) (?:state|transition|step)s?\b")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPTS = {"console": r"(?:\$ )?", "sh": "", "": r"\$ "}  # what stands before a command, by the language of its block
COMMAND = r"((?:sdnloom|python examples/|printf .*\| *sdnloom)\b.*)"
OTHER_TOOLS = ("CrossHair",)  # first cells of rows of a benchmark that depend on the time another tool is given


# -- running ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def failed(self) -> Row:
        """The row of a command that did not answer."""
        return {"exit": self.code, "error": (self.err.strip().splitlines() or [""])[-1]}


@dataclass(frozen=True)
class Checkout:
    """A checkout with its own environment."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / ".venv" / "bin"

    def run(self, command: str, where: Path | None = None) -> Ran:
        """Run a line of shell, in the checkout's folder if no other is given."""
        run = subprocess.run(
            ["timeout", str(PATIENCE), "bash", "-c", command],  # ends what the shell has started, too
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=where or self.folder,
            env={"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": str(Path.home()), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
        )
        return Ran(run.returncode, run.stdout, run.stderr.replace(f"{self.folder}/", ""))

    def ask(self, command: str, pick: Callable[[Any], Row]) -> Row:
        """The exit code of a command that answers in JSON, and what is picked from its answer."""
        run = self.run(command)
        try:
            return {"exit": run.code, **pick(json.loads(run.out.replace(f"{self.folder}/", "")))}
        except (ValueError, KeyError):
            return run.failed()

    def files(self, pattern: str) -> list[str]:
        """The names of the checkout's files that match, relative to it."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob(pattern))


# -- scenarios ----------------------------------------------------------------------------------------------------


def scenario_rows(checkout: Checkout, name: str) -> Iterator[tuple[str, Row]]:
    """One scenario, searched in every way that is asked of it; or the mark that it is only a part of others."""
    most, reduced = LIMITS.get(name, (None, MOST))
    plain = _check(checkout, name, "", most)
    if plain["exit"] == 2:
        yield name, {"exit": 2, "fragment": True}
        return
    yield name, plain
    yield f"{name} --reduce", _check(checkout, name, "--reduce", reduced)
    ways = ["--all"] if plain.get("verdict") == "violated" else []
    ways += ["--discover-only"] if name in DISCOVERED else []
    ways += OTHER_WAYS if name in SEARCHED_IN_OTHER_WAYS else []
    for way in ways:
        yield f"{name} {way}", _check(checkout, name, way, 5 * MOST if way == "--discover-only" else MOST)


def _check(checkout: Checkout, name: str, options: str, limit: int | None) -> Row:
    bound = "" if limit is None else f"--max-states {limit}"
    return checkout.ask(f"sdnloom check --format json --no-trace {shlex.quote(name)} {options} {bound}", _searched)


def _searched(report: Any) -> Row:
    row = {key: report[key] for key in ("verdict", "states", "transitions", "depth", "handler_runs")}
    row["violations"] = [[one["property"], one["message"], one["steps"]] for one in report["violations"]]
    if report["verdict"] == "incomplete":
        row["reason"] = report["bounds"][-1]
    if report["discovery"] is not None:
        found = report["discovery"]
        row["rounds"] = found["rounds"]
        row["discovered"] = {place: len(packets) for place, packets in found["packets"].items()}
        row["complete"] = found["complete"]
    return row


# -- documented commands ------------------------------------------------------------------------------------------


def documented(checkout: Checkout) -> list[str]:
    """The commands that README and the pages show, each once, in their order."""
    commands: dict[str, None] = {}
    for page in ("README.md", *checkout.files("docs/*.md")):
        for language, block in BLOCK.findall((checkout.folder / page).read_text(encoding="utf-8")):
            if language not in PROMPTS:
                continue
            for line in re.sub(r"\s*\\\n\s*", " ", block).splitlines():
                if shown := re.fullmatch(PROMPTS[language] + COMMAND, line.partition("  #")[0].strip()):
                    commands[shown[1]] = None
    return list(commands)


def documented_rows(checkout: Checkout) -> Iterator[tuple[str, Row]]:
    """Each documented command, in a copy of what it needs: a later one may read the trace of an earlier one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(checkout.folder / "examples", folder / "examples")
        (folder / ".cache").symlink_to(checkout.folder / ".cache")
        for command in documented(checkout):
            run = checkout.run(command, folder)
            counts = sorted(int(number.replace(",", "")) for number in COUNTED.findall(run.out))
            row: Row = {"exit": run.code, "counts": counts}
            if "Traceback" in run.err:
                row |= run.failed()
            yield f"documented: {command}", row
            if command.startswith("sdnloom inputs "):
                yield f"documented: {command} --format json", checkout.ask(f"{command} --format json", _classes)


def _classes(report: Any) -> Row:
    return {
        "classes": [[one["stack"], len(one["outputs"]), len(one["raised"])] for one in report["classes"]],
        **{key: report[key] for key in ("repeated", "complete", "paths")},
        "divergences": len(report["divergences"]),
    }


# -- races and policies -------------------------------------------------------------------------------------------


def race_rows(checkout: Checkout) -> Iterator[tuple[str, Row]]:
    """Each model of races in both modes, with the properties that lie beside it."""
    models = checkout.files("examples/races/*.races")
    for model in checkout.files("examples/races/*.json"):
        stem = model.removesuffix(".json")
        if not stem.endswith(".properties"):
            models += (f"{model} {properties}" for properties in checkout.files(f"{stem}.properties*"))
    for model in models:
        for mode in ("complete", "raceloom"):
            command = f"races {model} --mode {mode} --races all"
            yield command, checkout.ask(f"sdnloom {command} --format json", _races)


def _races(report: Any) -> Row:
    kept = ("outcome", "proved", "counts", "harmless", "states", "stored", "levels", "evaluations", "unlisted")
    listed = sorted([one["type"], one["property"] or "", len(one["trace"])] for one in report["races"])
    return {**{key: report[key] for key in kept}, "races": listed}


def policy_rows(checkout: Checkout) -> Iterator[tuple[str, Row]]:
    """Each file of NetKAT policies: which of its claims hold."""
    for file in checkout.files("examples/netkat/*.nk"):
        yield f"netkat check {file}", checkout.ask(f"sdnloom netkat check {file} --format json", _claims)


def _claims(report: Any) -> Row:
    claims = {one["claim"]: one["holds"] for one in report["claims"]}
    return {"claims": claims, "policies": len(report["policies"]), "remarks": len(report["remarks"])}


# -- benchmarks ---------------------------------------------------------------------------------------------------


def benchmark_rows(checkout: Checkout) -> Iterator[tuple[str, Row]]:
    """Each benchmark, one after the other because they measure time: its floors, and the counts in its tables."""
    usage = checkout.run("python -m benchmarks --help").out
    names = re.search(r"{([\w,\s-]+)}", usage)
    for name in re.split(r",\s*", names[1]) if names else ():
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            command = f"python -m benchmarks {name} --quick --json {file.name} >&2"
            yield f"benchmark {name}", checkout.ask(f"{command}; code=$?; cat {file.name}; exit $code", _measured)


def _measured(report: Any) -> Row:
    return {
        "passed": report["passed"],
        "missed": [floor["claim"] for floor in report["floors"] if not floor["met"]],
        "floors": len(report["floors"]),
        "tables": [list(_counts(table["rows"])) for table in report["tables"]],
    }


def _counts(rows: Iterable[list[Any]]) -> Iterator[list[Any]]:
    """The whole numbers of each row, after its first cell."""
    for first, *rest in rows:
        if first not in OTHER_TOOLS:
            yield [first, *(cell for cell in rest if isinstance(cell, int))]


# -- the table ----------------------------------------------------------------------------------------------------


def gather(checkout: Checkout, jobs: int, benchmarks: bool) -> Rows:
    """All rows of a checkout; `jobs` commands run at a time."""
    scenarios = sorted(checkout.files("examples/**/*.toml"), key=lambda name: (name not in SLOW, name))
    work = [
        *(partial(kind, checkout) for kind in (documented_rows, race_rows, policy_rows)),
        *(partial(scenario_rows, checkout, name) for name in scenarios),
    ]
    with ThreadPoolExecutor(jobs) as pool:
        rows = dict(chain.from_iterable(pool.map(lambda job: list(job()), work)))
    if benchmarks:
        rows |= benchmark_rows(checkout)
    return dict(sorted(rows.items()))


def compare(before: Rows, after: Rows) -> tuple[list[str], list[str]]:
    """What differs, and what is only worth a note: parts of scenarios that are on one side only."""
    differences: list[str] = []
    notes: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            side = "after" if one is None else "before"
            fragment = bool((one or other or {}).get("fragment"))
            (notes if fragment else differences).append(f"{name}\n  only {side}")
        elif one != other:
            keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
            lines = (f"  {key}: {_short(one.get(key))}  ->  {_short(other.get(key))}" for key in keys)
            differences.append("\n".join((name, *lines)))
    return differences, notes


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:297]}..."


def read(file: Path) -> Rows:
    """The rows of a table that was written before."""
    rows: Rows = json.loads(file.read_text(encoding="utf-8"))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, nargs="?", help="a checkout with its environment in .venv")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where the table is written")
    parser.add_argument("--benchmarks", action="store_true", help="also run the quick benchmarks, on a quiet machine")
    parser.add_argument("--jobs", type=int, default=2, help="how many commands to run at a time (2)")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="compare two tables")
    arguments = parser.parse_args()
    if arguments.compare:
        before, after = map(read, arguments.compare)
        differences, notes = compare(before, after)
        for note in notes:
            say(f"note: {note}")
        for difference in differences:
            say(difference)
        say(f"{len(before)} rows, {f'{len(differences)} differ' if differences else 'no difference'}")
        return 1 if differences else 0
    if arguments.checkout is None or arguments.output is None:
        parser.error("expected CHECKOUT and -o FILE, or --compare BEFORE AFTER")
    checkout = Checkout(arguments.checkout.resolve())
    if not (checkout.programs / "sdnloom").exists():
        parser.error(f"{checkout.programs}/sdnloom is missing; expected `make setup packages ryu` in {checkout.folder}")
    rows = gather(checkout, arguments.jobs, arguments.benchmarks)
    arguments.output.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    fragments = sum(row.get("fragment", False) for row in rows.values())
    errors = [name for name, row in rows.items() if "error" in row]
    say(f"{len(rows)} rows, {fragments} of them fragments, {len(errors)} errors")
    for name in errors:
        say(f"error: {name}: {rows[name]['error']}")
    return 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
