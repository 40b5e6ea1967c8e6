"""Flow entries, and what a Flow Mod and the passing of time do to them."""

from sdnloom.crosscheck.agents.compact.actions import ActionKinds10, CompactAction
from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.flow_match import CompactMatch, relation_bit
from sdnloom.crosscheck.agents.compact.wire import Kinds10, Ports10, octets_of, wire_message

_HARD, _DELETED = 1, 2  # reasons of a Flow Removed


class CompactEntry:
    """A flow entry. `level` is its priority; without wildcards it is above all others, whatever it is (1.0, 3.4)."""

    def __init__(self, match: CompactMatch, priority: int) -> None:
        self.match = match
        self.priority = priority | match.no_wildcards * 0xFFFF  # as reported
        self.level = self.priority + match.no_wildcards
        self.cookie = 0
        self.actions: list[CompactAction] = []
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

    def removal(self, reason: int, age: tuple[int, int]) -> bytes:
        """Return the Flow Removed; the age is in seconds and nanoseconds."""
        body = self.match.wire + octets_of(self.cookie, 8) + octets_of(self.priority, 2) + bytes((reason, 0))
        body += octets_of(age[0], 4) + octets_of(age[1], 4) + octets_of(self.idle_timeout, 2) + bytes(2)
        return wire_message(Kinds10.FLOW_REMOVED, 0, body + octets_of(self.packets, 8) + octets_of(self.octets, 8))

    def statistics(self, now: int) -> bytes:
        """Return the entry in a reply with flow statistics."""
        size = 88 + len(self.wire_actions)
        body = octets_of(size, 2) + bytes(2) + self.match.wire + _duration(now - self.installed)
        body += octets_of(self.priority, 2) + octets_of(self.idle_timeout, 2) + octets_of(self.hard_timeout, 2)
        body += bytes(6) + octets_of(self.cookie, 8) + octets_of(self.packets, 8) + octets_of(self.octets, 8)
        return body + self.wire_actions


def _duration(milliseconds: int) -> bytes:
    return octets_of(milliseconds // 1000, 4) + octets_of(milliseconds % 1000 * 1_000_000, 4)


class CompactTable:
    """The flow entries of a switch, in the order of their installation."""

    def __init__(self) -> None:
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
            separate = nonzero_bit(entry.level ^ wanted.level, 17) | relation_bit(entry.match.separates(wanted.match))
            if checks & (1 - separate):
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
            if (nonzero_bit(entry.level ^ wanted.level, 17) | relation_bit(entry.match.differs(wanted.match))) == 0:
                return entry
        return None

    def selected(self, match: CompactMatch, level: int, strict: int, out_port: int) -> list[CompactEntry]:
        """Return the entries that a modify, a delete or a request selects.

        With the bit `strict`, those with the same match and level, otherwise those that are at least as specific.
        """
        found = []
        for entry in self.entries:
            outside = relation_bit(match.excludes(entry.match))
            other = nonzero_bit(entry.level ^ level, 17) | relation_bit(entry.match.differs(match))
            elsewhere = 1 - equal_bit(out_port, Ports10.NONE, 16)
            for action in entry.actions:
                if action.kind == ActionKinds10.OUTPUT:
                    elsewhere = elsewhere & (1 - equal_bit(action.argument, out_port, 16))
            if (outside | strict & other | elsewhere) == 0:
                found.append(entry)
        return found

    def remove(self, gone: list[CompactEntry]) -> None:
        """Remove entries."""
        self.entries = [entry for entry in self.entries if not any(entry is each for each in gone)]

    def removals(self, gone: list[CompactEntry], now: int) -> list[bytes]:
        """Remove entries that the controller deletes; return the messages about them."""
        self.remove(gone)
        return [
            entry.removal(_DELETED, ((now - entry.installed) // 1000, (now - entry.installed) % 1000 * 1_000_000))
            for entry in gone
            if entry.reports_removal
        ]

    def expirations(self, now: int, idle_reason: int) -> list[bytes]:
        """Remove entries whose time is up; return the messages about them, in the order of their deadlines."""
        due = []
        for entry in self.entries:
            end = entry.end(now)
            if end is not None:
                due.append((entry, end))
        if len(due) > 1:
            due.sort(key=lambda each: each[0].deadline(each[1]))
        self.remove([entry for entry, _ in due])
        return [
            entry.removal(_HARD if end == "hard" else idle_reason, _age(entry, end))
            for entry, end in due
            if entry.reports_removal
        ]


def _age(entry: CompactEntry, end: str) -> tuple[int, int]:
    """Return how long an entry whose time is up was there, without a division of a symbolic number."""
    if end == "hard":
        return entry.hard_timeout, 0
    used_for = entry.used - entry.installed
    return entry.idle_timeout + used_for // 1000, used_for % 1000 * 1_000_000
