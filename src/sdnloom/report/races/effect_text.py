"""What a race changes, in words: the tables before and after it, and a packet that is forwarded differently."""

from sdnloom.netkat.printer import packet_text
from sdnloom.races.effect import RaceEffect
from sdnloom.report.races.policy_names import PolicyNames


def effect_facts(effect: RaceEffect, names: PolicyNames) -> tuple[tuple[str, str], ...]:
    """The property, the tables that differ, and the packet, each as a title and a text."""
    facts = [("property", effect.formula.text)] if effect.formula.text else []
    for place in effect.replaced:
        table = names.switch_table(effect.switch, place)
        before, after = (names.text(tables[place]) for tables in effect.tables)
        facts.append(("before", f"{table} forwards with {before}"))
        facts.append(("after", f"{table} forwards with {after}"))
    if effect.witness is not None:
        given = packet_text(effect.witness.before) or "any packet"
        made = packet_text(effect.witness.after) or "the same packet"
        one, other = ("before", "after") if effect.witness_before else ("after", "before")
        facts += [
            ("packet", given),
            (f"packet {one}", f"comes out as {made}"),
            (f"packet {other}", f"does not come out as {made}"),
        ]
    return tuple(facts)
