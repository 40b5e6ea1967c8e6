"""How quick the page of a long trace is in Chromium: size, time to the first picture, time of a move to another step.

A floor is missed on a machine that does much other work.
"""

import shutil
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.report import Report
from sdnloom.report.page.page import results_html
from tests.browser.chromium import Chromium
from tests.report.page.sample_views import long_view

FIRST_PICTURE, MOVE = 1000.0, 50.0  # milliseconds, at 2,000 steps

# Milliseconds of 100 moves back and forth, each with the layout that it needs.
_MOVES = """(async () => {
  const times = [];
  for (let move = 0; move < 100; move++) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: move % 3 ? "k" : "j", bubbles: true }));
    document.body.offsetHeight;
    times.push(performance.now() - start);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return times.sort((one, other) => one - other);
})()"""


def run(quick: bool, _: list[str]) -> Report:
    """Measure pages of several lengths."""
    report = Report("view-page")
    table = report.table(
        "page of a trace", "steps", "kB", "made in s", "first picture ms", "move ms, median", "slowest"
    )
    program = shutil.which("chromium")
    if program is None:
        report.notes.append("needs the program chromium: `make packages` installs it")
        return report
    with tempfile.TemporaryDirectory() as folder, Chromium(program, Path(folder) / "profile") as browser:
        for steps in (200, 2000) if quick else (200, 2000, 10000):
            started = perf_counter()
            file = Path(folder) / f"{steps}.html"
            file.write_text(results_html([long_view(steps, entries=100)]))
            made = perf_counter() - started
            page = browser.open_page()
            page.open(file)
            page.painted()
            painted = page.value(
                "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
            )
            times = page.value(_MOVES)
            browser.close_page(page)
            table.add(steps, file.stat().st_size // 1000, made, painted, times[50], times[-1])
            if steps == 2000:
                report.floor("first picture of 2,000 steps in ms", painted, "<", FIRST_PICTURE)
                report.floor("a move in ms, median", times[50], "<", MOVE)
    return report
