"""Options of the command line for faults: they become the tables `[[link_faults]]` and `[[switch_faults]]`."""

from dataclasses import dataclass
from typing import Any, NoReturn

from sdnloom.scenario_file.document import ScenarioError, shown

_LINK = "LINK or LINK,TIMES with a link such as s1-s2, or a host for its cable"
_SWITCH = "SWITCH or SWITCH,TIMES with a switch such as s1"


@dataclass(frozen=True, kw_only=True)
class FaultOptions:
    """What may fail: each text is the name of a link or switch, and after a comma how often (once, if not given)."""

    link_failures: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    reorders: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()
    disconnects: tuple[str, ...] = ()


# Field -> its option, and the key of the budget.
FAULTS_OF_LINKS = {
    "link_failures": ("--fail-link", "fail"),
    "drops": ("--drop", "drop"),
    "duplicates": ("--duplicate", "duplicate"),
    "reorders": ("--reorder", "reorder"),
}
FAULTS_OF_SWITCHES = {
    "restarts": ("--restart-switch", "fail"),
    "disconnects": ("--disconnect-switch", "disconnect"),
}


def fault_tables(options: FaultOptions) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The tables of links and of switches, one for each that an option names."""
    return _tables(options, "link", FAULTS_OF_LINKS, _LINK), _tables(options, "switch", FAULTS_OF_SWITCHES, _SWITCH)


def _tables(options: FaultOptions, what: str, kinds: dict[str, tuple[str, str]], expected: str) -> list[dict[str, Any]]:
    tables: dict[str, dict[str, Any]] = {}
    for field, (option, key) in kinds.items():
        for text in getattr(options, field):
            name, comma, count = (part.strip() for part in text.partition(","))
            if not name or (comma and not (count.isascii() and count.isdigit() and 0 < int(count[:7]) < 1_000_000)):
                wrong_option(option, text, expected)
            # A link has two names, after either end.
            known = next((each for each in (name, turned(name)) if each in tables), name)
            table = tables.setdefault(known, {what: name})
            table[key] = table.get(key, 0) + (int(count) if count else 1)
    return list(tables.values())


def turned(link: str) -> str:
    """The other name of a link, after its other end first."""
    one, _, other = link.partition("-")
    return f"{other}-{one}"


def wrong_option(option: str, value: str, expected: str) -> NoReturn:
    """Raise the error about the value of an option."""
    raise ScenarioError(f"{option} is {shown(value)}; expected {expected}")
