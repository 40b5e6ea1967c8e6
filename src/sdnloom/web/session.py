"""The state of an explorer: a path, what can happen after each of its steps, and a search that looks for a violation.

Every command returns a document for the page; all texts in it are plain text. `serial` counts the changes of the path:
a page whose serial is old has been overtaken by another window.
"""

import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sdnloom import __version__
from sdnloom.engine.limits import LimitWatch, resident_bytes
from sdnloom.engine.model import Mode
from sdnloom.engine.path import ReplayDivergence, same_step
from sdnloom.engine.result import Limits, Progress, SearchEvent
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError
from sdnloom.report.describe import counted
from sdnloom.report.page.page_data import page_data
from sdnloom.report.view.result_view import FindingView, ResultView
from sdnloom.web.explored_subject import Explored
from sdnloom.web.path_address import StepToken, follow_tokens, read_tokens, token_of

MOST_PATH = 5_000  # steps of a path
REST_STEPS = 500  # that one command takes
MOST_SEARCH_SECONDS = 60.0
MOST_SEARCH_BYTES = 1 << 30  # beyond what the explorer has before
SUFFIX = ".sdnloom-trace.json"

PageDocument: TypeAlias = dict[str, Any]
SaveTrace: TypeAlias = Callable[[Sequence[Transition], Finding | None, Path], None]


class CommandError(SdnloomError):
    """A command that cannot be carried out, and why."""


class Session:
    """One exploration. Commands come from one thread, except for `progress` and `cancel`."""

    def __init__(
        self, explored: Explored, save: SaveTrace, folder: Path, path: Sequence[Transition] = (), seed: int = 0
    ) -> None:
        self.explored, self._save, self._folder = explored, save, folder
        self._semantics: Semantics = explored.semantics
        self._path: list[Transition] = list(path)
        self._enabled: dict[int, list[Transition]] = {}  # by position in the path
        self._tokens: list[StepToken] = []
        self._chance = random.Random(seed)
        self.serial = 0
        self._watch: LimitWatch | None = None  # of the search that runs
        self._progress: Progress | None = None
        self._answer: PageDocument | None = None  # of the last search
        self._lock = threading.Lock()  # requests may ask for two searches at once
        self._sometimes = {each.name for each in explored.properties(self._semantics.initial()) if each.sometimes}

    # Commands.

    def show(self, position: int | None = None, note: str = "") -> PageDocument:
        """The path, and what can happen after one of its steps; without a position, after the last one."""
        position = self._checked(len(self._path) if position is None else position)
        return {**self._path_document(), **self._position_document(position), "note": note}

    def look(self, position: int) -> PageDocument:
        """What can happen after a step of the path."""
        return self._position_document(self._checked(position))

    def take(self, position: int, number: int) -> PageDocument:
        """Take an enabled step after a step of the path; the steps behind that are dropped."""
        enabled = self._enabled_at(self._checked(position))
        if not 0 <= number < len(enabled):
            expected = f"a number from 1 to {len(enabled)}" if enabled else "none: nothing can happen any more"
            raise CommandError(f"there is no step {number + 1} here; expected {expected}")
        self._extend(position, [enabled[number]])
        return self.show()

    def back(self, position: int) -> PageDocument:
        """Drop the step at a position, and those behind it."""
        self._extend(max(0, self._checked(position) - 1), [])
        return self.show()

    def random(self, position: int) -> PageDocument:
        """Take a random enabled step."""
        enabled = self._enabled_at(self._checked(position))
        if not enabled:
            return self.show(position, "nothing can happen any more")
        others = [each for each in enabled if each.action.mode is not Mode.LATE]
        self._extend(position, [self._chance.choice(others or enabled)])
        return self.show()

    def rest(self, position: int) -> PageDocument:
        """Take steps that must happen, the first each time, until none must."""
        state, taken = self._state(self._checked(position)), list[Transition]()
        while len(taken) < REST_STEPS:
            first = next((each for each in self._semantics.transitions(state) if each.action.mode is Mode.MUST), None)
            if first is None:
                break
            taken.append(first)
            state = first.state
        note = "" if taken else "it rests"
        if len(taken) == REST_STEPS:
            note = f"{counted(REST_STEPS, 'step')} were taken, and it does not rest yet"
        if taken:
            self._extend(position, taken)
        return self.show(note=note) if taken else self.show(position, note)

    def open(self, address: str) -> PageDocument:
        """Take the steps of an address, from the start; those that cannot be taken are left out, and that is said."""
        followed = follow_tokens(self._semantics, read_tokens(address))
        taken, wanted = len(followed.transitions), followed.wanted
        self._extend(0, followed.transitions)
        note = ""
        if taken < wanted:
            note = (
                f"step {taken + 1} of the {wanted} steps in the address cannot be taken here: the address is of "
                f"another scenario, or the program has changed; shown are the {taken} before it"
            )
        return self.show(note=note)

    def save(self, name: str) -> PageDocument:
        """Write the path as a trace into the folder."""
        if not name.endswith(SUFFIX):
            name += SUFFIX
        if Path(name).name != name or name.startswith(".") or not name.isprintable() or len(name) > 200:
            raise CommandError(f"{name[:80]!r} is no name for a trace; expected the name of a file, without a folder")
        file = self._folder / name
        if file.exists():
            raise CommandError(f"{name} is there already; expected the name of a new file")
        found = next(iter(self._violations(self._state(len(self._path)))), None)
        self._save(self._path, found, file)
        return {"note": f"saved {counted(len(self._path), 'step')}; replay: sdnloom replay {name}"}

    # The search.

    def run_search(self, position: int | None) -> None:
        """Look for a violation from a step of the path on, or from the start; `progress` has the answer."""
        try:
            self._answer = self.search(position)
        except SdnloomError as error:
            self._answer = {"error": str(error)}
        except LimitReached as reached:
            self._answer = {"error": f"the search ended early: {reached.reason}"}
        finally:
            self._watch = self._progress = None

    def search(self, position: int | None) -> PageDocument:
        """Look for a violation from a step of the path on, or from the start, and go there if there is one."""
        start = 0 if position is None else self._checked(position)
        state = None if position is None else self._state(start)
        watch = self._watch or _search_watch()
        found = self.explored.search(state, watch, self._note_progress)
        searched = f"{counted(found.states, 'state')} searched"
        if found.steps is None:
            rest = f"; it ended early: {found.incomplete}" if found.incomplete else ", all that there are"
            return self.show(position, f"no violation found ({searched}{rest})")
        if not found.steps and position is not None:
            return self.show(position, "a property is violated here already")
        self._extend(start, self._followed(self._state(start), found.steps))
        return self.show(note=f"a violation after {counted(len(found.steps), 'more step')} ({searched})")

    def prepare_search(self) -> None:
        """Make the watch of the search that comes next, so that it can be cancelled before it begins."""
        with self._lock:
            if self._watch is not None:
                raise CommandError("a search is running; cancel it first")
            self._answer = None
            self._watch = _search_watch()

    @property
    def searches(self) -> bool:
        """Whether a search runs, or is about to."""
        return self._watch is not None

    def progress(self) -> PageDocument:
        """How far the search is."""
        now, watch = self._progress, self._watch
        if watch is None:
            return {"searching": False, "answer": self._answer}
        size = (0, 0) if now is None else (now.states, now.depth)
        return {"searching": True, "states": size[0], "depth": size[1], "seconds": round(watch.seconds, 1)}

    def cancel(self) -> PageDocument:
        """End the search after its present step."""
        if (watch := self._watch) is not None:
            watch.interrupted = True
        return {"searching": self.searches}

    def _note_progress(self, event: SearchEvent) -> None:
        if isinstance(event, Progress):
            self._progress = event

    def _followed(self, state: State, steps: Sequence[Any]) -> list[Transition]:
        """The transitions of steps from a state on."""
        taken: list[Transition] = []
        for place, step in enumerate(steps):
            chosen = next((t for t in self._semantics.named(state, step) if same_step(t.step, step)), None)
            if chosen is None:
                raise ReplayDivergence(place, step, [t.step for t in self._semantics.transitions(state)])
            taken.append(chosen)
            state = chosen.state
        return taken

    # The path.

    def _checked(self, position: int) -> int:
        if not 0 <= position <= len(self._path):
            raise CommandError(f"there is no position {position}; expected one from 0 to {len(self._path)}")
        return position

    def _state(self, position: int) -> State:
        return self._path[position - 1].state if position else self._semantics.initial()

    def _enabled_at(self, position: int) -> list[Transition]:
        if position not in self._enabled:
            self._enabled[position] = self._semantics.transitions(self._state(position))
        return self._enabled[position]

    def _extend(self, position: int, steps: Sequence[Transition]) -> None:
        """Replace the steps behind a position."""
        if position + len(steps) > MOST_PATH:
            raise CommandError(f"the path has {position} steps; expected at most {MOST_PATH:,}")
        if position < len(self._path) or steps:
            self.serial += 1
        self._path[position:] = steps
        self._enabled = {place: each for place, each in self._enabled.items() if place <= position}
        del self._tokens[position:]

    def _violations(self, state: State) -> list[Finding]:
        return [each for each in self._semantics.findings(state) if each.property not in self._sometimes]

    # Documents.

    def _path_document(self) -> PageDocument:
        for place in range(len(self._tokens), len(self._path)):
            self._tokens.append(token_of(self._path[place], self._enabled_at(place)))
        found = next(iter(self._violations(self._state(len(self._path)))), None)
        trace = self.explored.trace(self._path)
        finding = FindingView("" if found is None else found.property, "" if found is None else found.message, trace)
        names = tuple(each.name for each in self.explored.properties(self._semantics.initial()))
        view = ResultView(
            "trace",
            self.explored.name,
            "incomplete" if found is None else "violated",
            "",
            names,
            (finding,),
            version=__version__,
        )
        return {
            "serial": self.serial,
            "kind": self.explored.kind,
            "address": "".join(map(str, self._tokens)),
            "data": page_data([view]),
            "violated": found is not None,
        }

    def _position_document(self, position: int) -> PageDocument:
        state = self._state(position)
        return {
            "position": position,
            "serial": self.serial,
            "enabled": [
                {
                    "text": self.explored.step_text(each),
                    "lane": each.step.component,
                    "environment": each.action.mode is Mode.MAY,
                    "taken": position < len(self._path) and each.step == self._path[position].step,
                }
                for each in self._enabled_at(position)
            ],
            "properties": self._property_documents(state),
        }

    def _property_documents(self, state: State) -> list[PageDocument]:
        found = {each.property: each.message for each in self._semantics.findings(state)}
        documents = []
        for each in self.explored.properties(state):
            word = "holds" if each.here else "not yet"
            if each.sometimes:
                word = "seen" if each.name in found else "not seen"
            elif each.name in found:
                word = "violated"
            documents.append(
                {
                    "name": each.name,
                    "word": word,
                    "message": found.get(each.name, ""),
                    "when": each.when,
                    "memory": each.memory,
                }
            )
        return documents


def _search_watch() -> LimitWatch:
    return LimitWatch(Limits(seconds=MOST_SEARCH_SECONDS, memory=resident_bytes() + MOST_SEARCH_BYTES))
