"""Flow entries, and what a FlowMod and the passing of time do to them."""

from sdnloom.crosscheck.agents.compact.actions import ActionKinds, CompactAction
from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.masked_match import MaskedMatch
from sdnloom.crosscheck.agents.compact.wire import PortNumbers

_HARD, _DELETED = 1, 2  # reasons of a Flow Removed


class CompactEntry:
    """A flow entry. `level` is its priority; without wildcards it is above all others, whatever it is (1.0, 3.4)."""

    def __init__(self, match: MaskedMatch, priority: int) -> None:
        self.match = match
        self.priority = priority | match.no_wildcards * 0xFFFF  # as reported
        self.level = self.priority + match.no_wildcards
        self.flags = 0
        self.cookie = 0
        self.actions: list[CompactAction] = []
        self.last_actions: list[CompactAction] = []  # 1.3: of the action set
        self.wire_actions = b""
        self.reports_removal = 0
        self.idle_timeout = 0
        self.hard_timeout = 0
        self.installed = 0  # milliseconds
        self.used = 0
        self.packets = 0
        self.octets = 0

    def count(self, octets: int, now: int) -> None:
        """Count a packet that matched."""
        self.packets += 1
        self.octets += octets
        self.used = now

    def other_level(self, level: int) -> int:
        """Return 1 if the level is not that of the entry, else 0."""
        return nonzero_bit(self.level ^ level, 17)

    def is_table_miss(self) -> bool:
        """Return whether this is the entry of 1.3 for packets that match no other."""
        return self.match.is_empty and self.priority == 0

    def end(self, now: int) -> str | None:
        """Return which time of the entry is up, "hard" or "idle", or None; "hard" if both end together."""
        hard = self.hard_timeout != 0 and self.hard_timeout <= (now - self.installed) // 1000
        idle = self.idle_timeout != 0 and self.idle_timeout <= (now - self.used) // 1000
        if hard and idle:
            hard = self.hard_timeout * 1000 + self.installed <= self.idle_timeout * 1000 + self.used
        return "hard" if hard else "idle" if idle else None

    def deadline(self, end: str) -> int:
        """Return the time at which the hard or the idle time is up."""
        return self.hard_timeout * 1000 + self.installed if end == "hard" else self.idle_timeout * 1000 + self.used


Removal = tuple[CompactEntry, int, tuple[int, int]]  # an entry, the reason and its age in seconds and nanoseconds


class CompactTable:
    """The flow entries of a switch, in the order of their installation."""

    def __init__(self, ports: PortNumbers) -> None:
        self._ports = ports
        self.entries: list[CompactEntry] = []

    def look_up(self, key: tuple[int, int]) -> CompactEntry | None:
        """Return the entry of the highest level that matches; of several, the oldest."""
        best: CompactEntry | None = None
        for entry in self.entries:
            if entry.match.misses(key) == 0 and (best is None or entry.level > best.level):
                best = entry
        return best

    def overlaps(self, wanted: CompactEntry, checks: int) -> bool:
        """Return whether an entry of the same level may match the same frame; never if the bit `checks` is 0."""
        for entry in self.entries:
            separate = entry.match.relation_bit(entry.match.separates(wanted.match))
            if checks & (1 - entry.other_level(wanted.level)) & (1 - separate):
                return True
        return False

    def add(self, wanted: CompactEntry) -> None:
        """Add an entry; one with the same level and match is replaced."""
        before = self.twin(wanted)
        if before is None:
            self.entries.append(wanted)
        else:
            self.entries = [wanted if entry is before else entry for entry in self.entries]

    def twin(self, wanted: CompactEntry) -> CompactEntry | None:
        """Return the entry with the same level and match, or None."""
        for entry in self.entries:
            different = entry.match.relation_bit(entry.match.differs(wanted.match))
            if (entry.other_level(wanted.level) | different) == 0:
                return entry
        return None

    def selected(self, match: MaskedMatch, level: int, strict: int, out_port: int) -> list[CompactEntry]:
        """Return the entries that a modify, a delete or a request selects.

        With the bit `strict`, those with the same match and level, otherwise those that are at least as specific.
        """
        found = []
        for entry in self.entries:
            outside = match.relation_bit(match.excludes(entry.match))
            other = entry.other_level(level) | entry.match.relation_bit(entry.match.differs(match))
            elsewhere = 1 - equal_bit(out_port, self._ports.none, self._ports.bits)
            for action in (*entry.actions, *entry.last_actions):
                if action.kind == ActionKinds.OUTPUT:
                    elsewhere = elsewhere & (1 - equal_bit(action.argument, out_port, self._ports.bits))
            if (outside | strict & other | elsewhere) == 0:
                found.append(entry)
        return found

    def remove(self, gone: list[CompactEntry]) -> None:
        """Remove entries."""
        self.entries = [entry for entry in self.entries if not any(entry is each for each in gone)]

    def deletions(self, gone: list[CompactEntry], now: int) -> list[Removal]:
        """Remove entries that the controller deletes; return what is to be reported."""
        self.remove(gone)
        ages = [(entry, now - entry.installed) for entry in gone if entry.reports_removal]
        return [(entry, _DELETED, (age // 1000, age % 1000 * 1_000_000)) for entry, age in ages]

    def expirations(self, now: int, idle_reason: int) -> list[Removal]:
        """Remove entries whose time is up; return what is to be reported, in the order of their deadlines."""
        due = []
        for entry in self.entries:
            end = entry.end(now)
            if end is not None:
                due.append((entry, end))
        if len(due) > 1:
            due.sort(key=lambda each: each[0].deadline(each[1]))
        self.remove([entry for entry, _ in due])
        return [
            (entry, _HARD if end == "hard" else idle_reason, _age(entry, end))
            for entry, end in due
            if entry.reports_removal
        ]


def _age(entry: CompactEntry, end: str) -> tuple[int, int]:
    """Return how long an entry whose time is up was there, without a division of a symbolic number."""
    if end == "hard":
        return entry.hard_timeout, 0
    used_for = entry.used - entry.installed
    return entry.idle_timeout + used_for // 1000, used_for % 1000 * 1_000_000
