"""Random results, with every kind of text that an app could come up with."""

from random import Random
from typing import get_args

from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneKind,
    LaneState,
    LaneView,
    OrderingView,
    ResultKind,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferKind,
    TransferView,
    ViewVerdict,
    WireView,
)

# Words that are syntax in one of the languages that results are exported to, and characters that break files.
NASTY = (
    *("end", "style a:#b;", "classDef", "%%{init: 1}%%", "%getenv(HOME)", "!include x", "@enduml", "$$x$$", "wrap: a"),
    *(
        "</script><b>",
        "]]>",
        "&amp;",
        '"quoted"',
        "back\\slash\\N",
        "a;b#c\nend",
        "\x00\x1b[31m",
        "\u2028",
        "=== x ===",
    ),
    *("loop", "-- strike --", "__x__", "**b**", "//i//", "~~w~~", "[[http://x]]", "<img:x>", "'", "é€𝄞", "{", "}", ""),
    *("s1: receives h1 > h2 at port 1", "\ud800", "<br/>", "word " * 40, "#59;", "\r\n", "a\tb", "\\n", "participant"),
)


class RandomViews:
    """Makes results of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def text(self) -> str:
        if self._random.random() < 0.7:
            return self._random.choice(NASTY)
        return "".join(chr(self._random.choice((35, 59, 60, 97, 0x7F, 0x3C0, 0x1D11E))) for _ in range(4))

    def _texts(self) -> tuple[str, ...]:
        return tuple(self.text() for _ in range(self._random.randrange(3)))

    def _facts(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.text(), self.text()) for _ in range(self._random.randrange(3)))

    def _flag(self) -> bool:
        return self._random.random() < 0.5

    def _states(self, lanes: list[str]) -> dict[str, LaneState]:
        chosen = self._random.sample(lanes, self._random.randrange(len(lanes)))
        return {lane: tuple(StateLine(self.text(), self.text()) for _ in range(2)) for lane in chosen}

    def _wires(self, lanes: list[str]) -> tuple[WireView, ...]:
        return tuple(
            WireView(
                self._random.choice(lanes),
                self.text(),
                self._random.choice(lanes),
                self.text(),
                self._flag(),
                self._flag(),
            )
            for _ in range(self._random.randrange(2))
        )

    def _transfer(self, number: int, count: int, lanes: list[str]) -> TransferView:
        return TransferView(
            self._random.choice(lanes),
            self.text(),
            self._random.choice(get_args(TransferKind)),
            self._random.randint(number, count) if self._flag() else None,
            self.text(),
            self.text(),
            self.text(),
            self.text(),
            self._random.randbytes(self._random.randrange(30)),
        )

    def _step(self, number: int, count: int, lanes: list[str]) -> StepView:
        random = self._random
        return StepView(
            number,
            random.choice(lanes),
            self.text(),
            self.text(),
            self.text(),
            self.text(),
            self._texts(),
            tuple(self._transfer(number, count, lanes) for _ in range(random.randrange(3))),
            tuple(sorted(random.sample(range(1, number), min(2, number - 1)))),
            {lane: random.randrange(9) for lane in random.sample(lanes, random.randint(0, len(lanes)))},
            tuple(
                CodeView(self.text(), self.text(), random.randrange(9), self._texts(), (2, 5))
                for _ in range(random.randrange(2))
            ),
            self._states(lanes),
            self._wires(lanes) if self._flag() else None,
            self._flag(),
        )

    def trace(self) -> TraceView:
        random = self._random
        lanes = list(dict.fromkeys([self.text(), self.text(), "s1"]))
        count = random.randrange(6)
        marked = random.sample(range(1, count + 1), min(2, count))
        return TraceView(
            tuple(LaneView(lane, random.choice(get_args(LaneKind))) for lane in lanes),
            tuple(self._step(number, count, lanes) for number in range(1, count + 1)),
            self._wires(lanes),
            self._states(lanes),
            tuple(
                OrderingView(1, count, self.text(), self._flag(), random.choice([None, True, False])) for _ in marked
            ),
            tuple(sorted(marked)),
            self.text(),
        )

    def finding(self) -> FindingView:
        return FindingView(
            self.text(),
            self.text(),
            self.trace() if self._random.random() < 0.8 else None,
            self._facts(),
            self.text(),
            self._random.randrange(99),
            self.text(),
            self._flag(),
        )

    def result(self) -> ResultView:
        return ResultView(
            self._random.choice(get_args(ResultKind)),
            self.text(),
            self._random.choice(get_args(ViewVerdict)),
            self.text(),
            self._texts(),
            tuple(self.finding() for _ in range(self._random.randrange(3))),
            self._facts(),
            self._random.random() * 100,
            self.text(),
        )


def random_results(seed: int) -> list[ResultView]:
    """A few results."""
    views = RandomViews(seed)
    return [views.result() for _ in range(1 + seed % 2)]
