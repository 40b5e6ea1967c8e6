"""Flow entries in one form, of the model and of a real switch: equal if the switches treat packets alike.

Matches and instructions need no change: both sides have them in the canonical form of the codec. Cookies stay, because
apps see them; who compares may map them.
"""

from collections.abc import Iterable
from dataclasses import replace

from sdnloom.network.openflow import FlowStats


def normal_entries(entries: Iterable[FlowStats]) -> tuple[FlowStats, ...]:
    """Return entries by table, priority and match, without counters and durations, which depend on the clock."""
    plain = (replace(each, duration_sec=0, duration_nsec=0, packet_count=0, byte_count=0) for each in entries)
    return tuple(sorted(plain, key=lambda each: (each.table_id, each.priority, str(each.match))))
