"""The result of a benchmark: tables, and floors that it must reach. Floors are counts or ratios taken in one run."""

import operator
import platform
import sys
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

_COMPARE = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt}


@dataclass(frozen=True)
class Floor:
    """A claim `value relation bound` that the benchmark must show."""

    claim: str
    value: float
    relation: str
    bound: float

    @property
    def met(self) -> bool:
        return bool(_COMPARE[self.relation](self.value, self.bound))


@dataclass
class Rows:
    """One table: a title, column heads and rows of plain values."""

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def add(self, *values: Any) -> None:
        self.rows.append(values)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass
class Report:
    """The whole of one benchmark's result."""

    name: str
    tables: list[Rows] = field(default_factory=list)
    floors: list[Floor] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return all(floor.met for floor in self.floors)

    def table(self, title: str, *heads: str) -> Rows:
        rows = Rows(title, heads)
        self.tables.append(rows)
        return rows

    def floor(self, claim: str, value: float, relation: str, bound: float) -> None:
        self.floors.append(Floor(claim, value, relation, bound))

    def show(self) -> None:
        console = Console(width=None if sys.stdout.isatty() else 150)
        for rows in self.tables:
            table = Table(title=rows.title, title_justify="left")
            for head in rows.heads:
                table.add_column(head, justify="right", overflow="fold")
            for row in rows.rows:
                table.add_row(*map(_text, row))
            console.print(table)
        for note in self.notes:
            console.print(note, style="dim")
        for floor in self.floors:
            mark = "met   " if floor.met else "MISSED"
            console.print(
                f"{mark} {floor.claim}: {_text(floor.value)} {floor.relation} {_text(floor.bound)}", markup=False
            )

    def as_json(self) -> dict[str, Any]:
        return {
            "benchmark": self.name,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "tables": [{"title": t.title, "heads": t.heads, "rows": t.rows} for t in self.tables],
            "floors": [{**vars(f), "met": f.met} for f in self.floors],
            "passed": self.passed,
        }
