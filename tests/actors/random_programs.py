"""Random small programs of actors, as Python source: each seed is one program, and each profile has its own mixture.

Fields hold small values, and a task sends only tasks with a larger number, so most programs end; those of the profile
`cycle` do not have to. `NEEDED` says what each profile is for; a test measures it.
"""

import random
from dataclasses import dataclass
from typing import Any

from sdnloom.actors.program import Program

BASE = {
    name: weight
    for weight, names in ((4, "write record"), (3, "copy entry send"), (2, "until"), (1, "add remove stop list await"))
    for name in names.split()
}
FIRST = {  # how the first two tasks begin, so that there is something to order
    "futures": ("two", "pass", "send"),
    "barriers": ("control", "control", "request"),
    "rivals": ("rivals", "rivals", "send"),
    "failures": ("control", "send"),
    "unfair": ("unfair", "unfair", "send"),
    "monitors": ("emit", "send"),
}
PROFILES: dict[str, dict[str, int]] = {
    "mixed": {"hold": 1, "held": 1, "helper": 1, "choose": 1, "every": 1, "select": 1, "pass": 1, "awaits": 1},
    "conditions": {"until": 6, "helper": 3, "every": 1},
    "futures": {"send": 4, "await": 4, "hold": 3, "held": 3, "pass": 3, "awaits": 3, "two": 2},
    "barriers": {"control": 6, "barrier": 4, "request": 3, "until": 1},
    "rivals": {"rivals": 6, "write": 2, "every": 1},
    "cycle": {"spin": 3, "again": 3, "until": 3},
    "symmetric": {"mine": 5, "has": 2, "every": 1, "back": 2, "hold": 1, "held": 1},
    "unfair": {"mine": 4, "has": 1, "unfair": 2, "back": 2, "hold": 1},
    "peers": {"mine": 3, "pair": 3, "emit": 2, "control": 2, "barrier": 1, "request": 2, "pick": 2, "back": 2},
    "monitors": {"emit": 6, "choose": 1},
    "returns": {"send": 4, "await": 2, "chain": 5, "result": 5, "hold": 2, "held": 2},
    "failures": {"fail": 6, "mutable": 1, "await": 2, "barrier": 1, "control": 2},
    "queries": {"every": 3, "select": 4, "entry": 5, "remove": 3, "loop": 2},
}
LARGE = ("futures", "rivals", "barriers", "failures", "returns", "peers")  # with two tasks at the start already
HEADER = """
from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.values import tag
from tests.actors.random_programs import Below


class Watch(Monitor):
    last: int = 0
    seen: set = set()

    def on_event(self, event):
        kind, value = event
        if kind == "set":
            self.last = value
        elif kind == "add":
            self.seen.add(value)
        elif self.last == 0 and value not in self.seen:
            self.report("{} is not seen", value)


def right(view):
    if view["a"].x == 2 and len(view["a"].d) != 1:
        return f"x is 2 with {len(view['a'].d)} entries"
"""


@dataclass(frozen=True)
class Below:
    """A query for the keys that are numbers below a limit; keys that are no numbers are covered too."""

    limit: int

    def covers(self, key: Any) -> bool:
        """Whether the key is below."""
        return not isinstance(key, int) or key < self.limit

    def substituted(self, replacement: Any) -> "Below":
        """Itself: it has neither symbols nor futures."""
        return self


class _Writer:
    """Writes one program."""

    def __init__(self, seed: int, profile: str) -> None:
        self.rng = random.Random(f"{profile} {seed}")
        self.profile = profile
        self.weights = dict(BASE)
        for name, weight in PROFILES[profile].items():
            self.weights[name] = self.weights.get(name, 0) + weight
        self.symmetric = profile in ("symmetric", "unfair", "peers")
        self.shared = ["a"] if self.symmetric else ["a", "b"][: self.rng.randint(1, 2)]
        self.tasks = 3 if profile in LARGE else self.rng.randint(3, 4)
        self.sends = 0  # of the task that is written
        self.lines: list[str] = []

    def source(self) -> str:
        self.lines = HEADER.splitlines()
        self.lines += ["", "", "class Shared(Actor):"]
        self.put("x: int = 0\ny: int = 0\nd: dict = {}\ns: set = set()\nl: list = []\nheld: dict = {}")
        self.put(f"control = frozenset({{{', '.join(repr(f'c{n}') for n in range(1, self.tasks))}}})")
        self.put("async def barrier(self):\n    pass")
        self.put("async def pause(self):\n    pass")
        self.put("async def helper(self, key, value):\n    await self.until(lambda: self.d.get(key, 0) == value)")
        for number in range(self.tasks):
            self.task(f"t{number}", number)
        for number in range(1, self.tasks):
            self.task(f"c{number}", number)
        self.start()
        return "\n".join(self.lines) + "\n"

    def put(self, text: str, indent: int = 1) -> None:
        self.lines += ["    " * indent + line for line in text.splitlines()]

    def start(self) -> None:
        rng = self.rng
        peers = [f"p{n}" for n in range(rng.choice((2, 2, 3)))] if self.symmetric else []
        if peers:
            self.lines += ["", "", "class Peer(Actor):"]
            self.put("got: int = 0\ndone: int = 0")
            self.put("async def go(self):")
            self.put(f"f = a.t{rng.randint(0, 1)}(self.name, {rng.choice(['None', 'self.later'])})", 2)
            if self.profile == "peers" and rng.random() < 0.5:
                self.put(rng.choice(["await a.barrier()", "a.barrier()", "f = a.c1(self.name)"]), 2)
            if rng.random() < 0.5:
                self.put("self.got = await f\nself.done = 1", 2)
            if rng.random() < 0.3:
                self.put("await self.until(lambda: self.got == 1)\nself.done = 2", 2)
            self.put("async def back(self, value):\n    self.got = value")
        self.lines += [""] + [f'{name} = Shared("{name}")' for name in self.shared]
        self.lines += [f'{name} = Peer("{name}")' for name in peers]
        start = [f"{name}.go()" for name in peers]
        if self.symmetric and rng.random() < 0.3:
            start = [f'a.t0(tag({7 + n}, "{name}", "packet"), {name})' for n, name in enumerate(peers)]
        count = rng.randint(0, 1) if self.symmetric else 2 if self.profile in LARGE else rng.choice((2, 3))
        start += [f"{rng.choice(self.shared)}.{self.called(0, 1)}({n or 'k'!r})" for n in range(count)]
        self.lines.append(
            f"program = Program([{', '.join(self.shared + peers)}], [{', '.join(start)}], final=[right], "
            'monitors=[Watch("watch")])'
        )

    def called(self, low: int, high: int | None = None) -> str:
        number = self.rng.randint(low, self.tasks - 1 if high is None else high)
        wants = self.profile in ("barriers", "failures", "peers") and number > 0
        return f"{'c' if wants and self.rng.random() < 0.4 else 't'}{number}"

    def task(self, name: str, number: int) -> None:
        self.sends = 0
        self.put(f"async def {name}(self, me, given=None):\n    f = None")
        names, weights = zip(*self.weights.items(), strict=True)
        if number < (1 if self.profile == "futures" else 2) and name[0] == "t":
            first = self.rng.choice(FIRST.get(self.profile, ("send", "send", "write")))
            self.put(getattr(self, f"do_{first}")(number), 2)
        for _ in range(self.rng.randint(1, 2) if self.profile in LARGE and number else self.rng.randint(2, 3)):
            text = getattr(self, f"do_{self.rng.choices(names, weights)[0]}")(number)
            self.put(text, 2)
        self.put("return self.x", 2)

    # Values.

    def key(self) -> str:
        return self.rng.choice(["0", "me", "me"] if self.symmetric else ["0", "1", "2", "'k'", "me", "me"])

    def number(self) -> str:
        return str(self.rng.randint(0, 2))

    def bit(self) -> str:
        return str(self.rng.randint(0, 1))

    def scalar(self) -> str:
        return self.rng.choice("xxy")

    def condition(self) -> str:
        return self.rng.choice(
            [
                f"self.{self.scalar()} == {self.bit()}",
                f"self.{self.scalar()} != {self.number()}",
                f"self.d.get({self.key()}) == {self.bit()}",
                f"{self.key()} in self.s",
                f"self.x == {self.number()} or {self.key()} in self.d",
                f"self.y == {self.bit()} and {self.key()} not in self.d",
                f"len(self.d) {self.rng.choice(['<', '>='])} {self.rng.randint(1, 2)}",
            ]
        )

    # Statements.

    def message(self, number: int, name: str | None = None, given: str = "") -> str:
        self.sends += 1
        to = self.rng.choice([*self.shared, "self.later"])
        return f"{to}.{name or self.called(number + 1)}({self.key()}{given})"

    def can_send(self, number: int) -> bool:
        return number + 1 < self.tasks and self.sends < 3

    def do_write(self, number: int) -> str:
        return f"self.{self.scalar()} = {self.number()}"

    def do_copy(self, number: int) -> str:
        return self.rng.choice(["self.x = self.y", "self.y = self.x", "self.x = (self.x + 1) % 3"])

    def do_record(self, number: int) -> str:
        return self.rng.choice(["self.d[me] = self.x", "self.held[me] = self.y", "self.d[self.x] = self.y"])

    def do_add(self, number: int) -> str:
        return f"self.s.{self.rng.choice(['add', 'add', 'discard'])}({self.key()})"

    def do_entry(self, number: int) -> str:
        return f"self.d[{self.key()}] = {self.bit()}"

    def do_mine(self, number: int) -> str:
        return self.rng.choice(["self.d[me] = 1", "self.s.add(me)", "self.held[me] = 0", "self.l = [me]"])

    def do_has(self, number: int) -> str:
        return self.rng.choice(["if me in self.s:", "if self.l == [me]:"]) + f"\n    {self.do_write(number)}"

    def do_unfair(self, number: int) -> str:
        """What treats one peer unlike the others."""
        test = self.rng.choice(
            [
                f"me == 'p{self.rng.randint(0, 2)}'",
                "str(me) < 'p1'",
                "me in ('p2', 9)",
                "self.l and str(self.l[0]) < str(me)",
                "len(self.s) > 1 and min(map(str, self.s)) == str(me)",
                "str(next(iter(self.s), '')) == str(me)",
            ]
        )
        both = f"if {self.condition()} and {test}" if self.rng.random() < 0.5 else f"if {test}"
        return f"{both}:\n    {self.do_write(number)}"

    def do_pair(self, number: int) -> str:
        return self.rng.choice(
            [
                "self.s.add((me, *self.l))",
                "self.d[frozenset([me, *self.l])] = 1",
                "if me not in self.l and len(self.l) < 2:\n    self.l.append(me)",
                "self.held[me] = tuple(self.l)",
                "if (me, me) in self.s or self.l == [me]:\n    self.x = 1",
            ]
        )

    def do_pick(self, number: int) -> str:
        return self.rng.choice(["self.held[0] = self.choose(me, 0)", "if self.choose(True, False):\n    self.l = [me]"])

    def do_chain(self, number: int) -> str:
        """A task whose result may be a future itself."""
        if not self.can_send(number):
            return self.do_record(number)
        return f"f = await {self.message(number)}\nif not isinstance(f, int):\n    self.y = 1\n    f = await f"

    def do_result(self, number: int) -> str:
        if not self.can_send(number):
            return self.do_copy(number)
        return f"if {self.condition()}:\n    return {self.message(number)}"

    def do_back(self, number: int) -> str:
        return "if given is not None:\n    given.back(self.x)"

    def do_remove(self, number: int) -> str:
        key = self.key()
        return self.rng.choice([f"self.d.discard({key})", f"self.d.pop({key}, None)"])

    def do_list(self, number: int) -> str:
        return f"if len(self.l) < 2:\n    self.l.append({self.key()})"

    def do_stop(self, number: int) -> str:
        return f"if {self.condition()}:\n    return {self.number()}"

    def do_send(self, number: int) -> str:
        return f"f = {self.message(number)}" if self.can_send(number) else self.do_write(number)

    def do_pass(self, number: int) -> str:
        if not self.can_send(number) or self.symmetric:
            return self.do_entry(number)
        return f"f = {self.message(number)}\n{self.message(number, given=', f')}"

    def do_awaits(self, number: int) -> str:
        return "if given is not None:\n    self.y = await given"

    def do_await(self, number: int) -> str:
        if self.profile == "returns":
            return f"if f is not None:\n    self.held[{self.key()}] = (await f,)"
        return f"if f is not None:\n    self.d[{self.key()}] = await f"

    def do_two(self, number: int) -> str:
        if not self.can_send(number):
            return self.do_entry(number)
        return (
            f"both = [{self.message(number)}, {self.message(number)}]\n"
            f"self.l = sorted([await each for each in {self.rng.choice(['both', 'reversed(both)'])}])"
        )

    def do_hold(self, number: int) -> str:
        return f"if f is not None:\n    self.held[{self.key()}] = (f,)"

    def do_held(self, number: int) -> str:
        key = self.key()
        return (
            f"if isinstance(self.held.get({key}), tuple):\n    self.x = await self.held[{key}][0]\n"
            f"    self.held.discard({key})"
        )

    def do_until(self, number: int) -> str:
        return f"await self.until(lambda: {self.condition()})"

    def do_helper(self, number: int) -> str:
        return f"await self.helper({self.key()}, {self.bit()})"

    def do_choose(self, number: int) -> str:
        return f"self.{self.scalar()} = self.choose({self.number()}, {self.number()})"

    def do_every(self, number: int) -> str:
        return self.rng.choice(["self.x = sum(1 for _ in self.d) % 3", "self.y = len(self.s) % 2"])

    def do_select(self, number: int) -> str:
        return f"self.x = len(self.d.select(Below({self.rng.randint(1, 2)}))) % 3"

    def do_loop(self, number: int) -> str:
        waits = f"await self.until(lambda: {self.condition()})"
        return f"for value in self.d.values():\n    {waits}\n    self.y = (self.y + value) % 2"

    def do_control(self, number: int) -> str:
        if not self.can_send(number):
            return self.do_entry(number)
        return f"f = {self.message(number, f'c{self.rng.randint(number + 1, self.tasks - 1)}')}"

    def do_barrier(self, number: int) -> str:
        return f"await {self.rng.choice([*self.shared, 'self.later'])}.barrier()"

    def do_request(self, number: int) -> str:
        return f"f = {self.rng.choice([*self.shared, 'self.later'])}.barrier()"

    def do_rivals(self, number: int) -> str:
        if not self.can_send(number):
            return self.do_write(number)
        sends = "\n".join(self.message(number) for _ in range(self.rng.randint(1, 2)))
        return f"{sends}\nawait self.until(lambda: {self.condition()})\n{self.do_copy(number)}"

    def do_spin(self, number: int) -> str:
        field = self.scalar()
        return (
            f"while {self.condition()}:\n    await self.until(lambda: self.{field} == 0)\n    self.{field} = 1\n"
            f"    await self.later.pause()\n    self.{field} = 0"
        )

    def do_again(self, number: int) -> str:
        return f"if {self.condition()}:\n    self.x = (self.x + 1) % 2\n    self.later.t{number}(me)\n    return 0"

    def do_emit(self, number: int) -> str:
        kind = self.rng.choice(["set", "add", "use"])
        value = {"set": self.bit(), "add": self.key(), "use": self.key()}[kind]
        return f'self.emit(("{kind}", {value}))'

    def do_fail(self, number: int) -> str:
        return f"if {self.condition()}:\n    raise ValueError(self.{self.scalar()})"

    def do_mutable(self, number: int) -> str:
        return f"if {self.condition()}:\n    a.t{number + 1}([])" if self.can_send(number) else self.do_write(number)


def program_source(seed: int, profile: str) -> str:
    """The source of one program."""
    return _Writer(seed, profile).source()


def random_program(seed: int, profile: str) -> Program:
    """One program."""
    name = f"random {profile} {seed}"
    names: dict[str, Any] = {"__name__": name}
    exec(compile(program_source(seed, profile), f"<{name}>", "exec"), names)
    return names["program"]  # type: ignore[no-any-return]
