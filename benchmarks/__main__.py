"""Run one benchmark by name; the exit code is 1 when one of its floors is missed."""

import argparse
import importlib
import json
import sys
from pathlib import Path

# Name -> module with `run(quick: bool, arguments: list[str]) -> Report`.
BENCHMARKS: dict[str, str] = {
    "actors-table1": "benchmarks.actors_table1",
    "concolic": "benchmarks.concolic",
    "confirm": "benchmarks.confirm",
    "discovery-limits": "benchmarks.discovery_limits",
    "evaluations": "benchmarks.evaluations",
    "minimise": "benchmarks.minimise",
    "nice-table1": "benchmarks.nice_table1",
    "nice-table4": "benchmarks.nice_table4",
    "nice-table5": "benchmarks.nice_table5",
    "nice-figure7": "benchmarks.nice_figure7",
    "orders": "benchmarks.orders",
    "platforms": "benchmarks.platforms",
    "random-packets": "benchmarks.random_packets",
    "reduce-auto": "benchmarks.reduce_auto",
    "scale-disk": "benchmarks.scale_disk",
    "snapshots": "benchmarks.snapshots",
    "soft-modified": "benchmarks.soft_modified",
    "soft-table2": "benchmarks.soft_table2",
    "soft-table3": "benchmarks.soft_table3",
    "soft-table4": "benchmarks.soft_table4",
    "soft-table5": "benchmarks.soft_table5",
    "spin": "benchmarks.spin",
    "raceloom-examples": "benchmarks.raceloom_examples",
    "raceloom-zoo": "benchmarks.raceloom_zoo",
    "swarm": "benchmarks.swarm",
    "view-page": "benchmarks.view_page",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=sorted(BENCHMARKS))
    parser.add_argument(
        "--quick", action="store_true", help="smaller sizes; floors that need full sizes are not judged"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows and floors as JSON")
    arguments, rest = parser.parse_known_args()
    report = importlib.import_module(BENCHMARKS[arguments.name]).run(arguments.quick, rest)
    report.show()
    if arguments.json:
        arguments.json.write_text(json.dumps(report.as_json(), indent=2) + "\n")
    sys.exit(0 if report.passed else 1)


if __name__ == "__main__":
    main()
