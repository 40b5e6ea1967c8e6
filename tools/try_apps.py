"""Check a list of apps as a new user would, and tabulate the verdicts.

    python tools/try_apps.py LIST.tsv FOLDER -o results.json [--topology linear,2] [--seeds 10] [--command sdnloom]

LIST.tsv has a header and tab-separated columns; `number` and `file` are needed: `file` is the app below FOLDER, and the
app is checked in its own folder with no options but `--topology` and a time limit. A column `options` adds options of
the command line, for an app that needs data of a network it was written for. Each app is checked once for each topology
and each hash seed from 0 up; the verdict should not depend on the seed. With `--only 3,17` these numbers alone. Other
options: `--limit` seconds for each check, and `--jobs` checks at once.
"""

import argparse
import csv
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TOPOLOGIES = ("linear,2", "ring,3")
GRACE = 120  # seconds that a run may take beyond its time limit


def check(row: dict[str, str], folder: Path, topology: str, seed: int, command: list[str], limit: float) -> Any:
    """Run one check; return what it printed as JSON, or the error."""
    app = (folder / row["file"]).resolve()
    arguments = ["check", "--app", app.name, "--topology", topology, "--time-limit", str(limit)]
    arguments += ["--format", "json", "--no-trace", *shlex.split(row.get("options") or "")]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=app.parent,
            env=environment,
            capture_output=True,
            text=True,
            timeout=limit + GRACE,
        )
    except subprocess.TimeoutExpired:
        return {"verdict": "hangs", "exit": None, "wall": round(time.monotonic() - begin, 1)}
    found: dict[str, Any] = {"exit": done.returncode, "wall": round(time.monotonic() - begin, 1)}
    try:
        report = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines() or ["no output"]
        return {**found, "verdict": "error", "message": "\n".join(lines[-8:])}
    violations = report.get("violations") or []
    return {
        **found,
        "verdict": report["verdict"],
        "property": report.get("property"),
        "message": violations[0]["message"] if violations else "; ".join(_reasons(report)),
        "states": report["states"],
        "handler_runs": report["handler_runs"],
    }


def _reasons(report: dict[str, Any]) -> list[str]:
    """Why a result without a violation is empty or incomplete."""
    return [*report["vacuous"], *(each for each in report["bounds"] if each.startswith("searched in part"))]


def answer(found: dict[str, Any]) -> tuple[Any, ...]:
    """The part of a result that must not depend on the hash seed."""
    return found["verdict"], found.get("property"), found.get("message") if found["verdict"] == "error" else ""


def main() -> int:
    """Run all checks; the exit code is 1 if an app's verdict depends on the hash seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--topology", action="append", default=[])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--command", default=f"{sys.executable} -m sdnloom")
    given = parser.parse_args()
    with given.list.open(newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    only = set(filter(None, given.only.split(",")))
    rows = [row for row in rows if not only or row["number"] in only]
    work = [(row, each, seed) for row in rows for each in given.topology or TOPOLOGIES for seed in range(given.seeds)]
    command = shlex.split(given.command)
    with ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(lambda one: check(one[0], given.folder, one[1], one[2], command, given.limit), work))
    table: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (row, topology, seed), result in zip(work, found, strict=True):
        table.setdefault((row["number"], topology), []).append({"seed": seed, **result})
    dump = [{"number": number, "topology": topology, "runs": runs} for (number, topology), runs in table.items()]
    given.output.write_text(json.dumps(dump, indent=1) + "\n")
    differing = 0
    for (number, topology), runs in table.items():
        answers = {answer(run) for run in runs}
        differing += len(answers) > 1
        first = runs[0]
        shown = "DIFFERS " if len(answers) > 1 else ""
        line = f"{number} {topology:9} {shown}{first['verdict']} {first.get('property') or ''}"
        more = f"{first.get('states', '')} states, {first['wall']} s {str(first.get('message', ''))[:160]}"
        sys.stdout.write(f"{line} {more}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
