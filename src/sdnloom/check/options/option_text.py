"""Texts of options that describe a network, as the tables and values that a scenario file would hold."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sdnloom.check.options.fault_options import wrong_option
from sdnloom.errors import did_you_mean
from sdnloom.network.topology.spec import is_node_name
from sdnloom.network.value import AddressError, ip
from sdnloom.properties import LIBRARY

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")


def topology_table(text: str) -> dict[str, Any]:
    """A topology in Mininet's notation, `linear,3` or `tree,2,3`, or a file, `fat.py:fat,4` or `net.graphml`."""
    file, _, choice = text.partition(":")
    if file.endswith(".py"):
        return {"shape": "mininet", "file": file, **({"topo": choice} if choice else {})}
    if text.endswith(".graphml"):
        return {"shape": "graphml", "file": text}
    if file == "topohub" and choice:
        return {"shape": "topohub", "name": choice}
    shape, *sizes = (part.strip() for part in text.split(","))
    if shape == "minimal" and not sizes:
        return {"shape": "single", "hosts": 2}
    keys = SHAPE_SIZES.get(shape)
    if keys is None or len(sizes) > len(keys) or (shape != "single" and not sizes):
        meant = did_you_mean(shape, SHAPE_SIZES) if keys is None else ""
        wrong_option("--topology", text, f"{_SHAPES}, FILE.py:TOPO, FILE.graphml or topohub:NAME{meant}")
    return {
        "shape": shape,
        **{key: whole_number("--topology", text, size) for key, size in zip(keys, sizes, strict=False)},
    }


SHAPE_SIZES = {
    "single": ("hosts",),
    "linear": ("switches", "hosts"),
    "ring": ("switches", "hosts"),
    "mesh": ("switches", "hosts"),
    "tree": ("depth", "fanout"),
    "torus": ("rows", "columns"),
}
_SHAPES = ", ".join(f"{shape},{','.join(key.upper() for key in keys)}" for shape, keys in SHAPE_SIZES.items())


class Ping(NamedTuple):
    """A host that sends pings, the host or address that they go to, and how many they are."""

    source: str
    target: str
    number: int


def read_pings(texts: Iterable[str], no_arp: bool) -> list[Ping]:
    """The pings of `--ping` options."""
    pings = []
    for text in texts:
        source, target, count = option_parts("--ping", text, "SOURCE,TARGET or SOURCE,TARGET,COUNT", 2, 3, default="1")
        if source == target:
            wrong_option("--ping", text, "two different hosts")
        if not is_node_name(target):
            _check_address(text, target, no_arp)
        pings.append(Ping(source, target, whole_number("--ping", text, count)))
        if pings[-1].number == 0:
            wrong_option("--ping", text, "at least one ping")
    return pings


def _check_address(text: str, target: str, no_arp: bool) -> None:
    if no_arp:
        wrong_option("--ping", text, "a host as target, as nobody knows where an address is without ARP")
    try:
        number = ip(target)
    except AddressError:
        number = 0
    if not number or ":" in target:
        wrong_option("--ping", text, "a host or an IPv4 address as target")


ONE_MOVE: Mapping[str, Any] = {"moves": 1, "announces": True}  # keys of a host that `--move` lets move


def read_moves(texts: Iterable[str]) -> tuple[dict[str, list[str]], int]:
    """The ports that hosts may move to, by host, and the highest of their numbers."""
    moves: dict[str, list[str]] = {}
    highest = 0
    for text in texts:
        name, place = option_parts("--move", text, "HOST,SWITCH:PORT", 2, 2)
        _, colon, port = place.partition(":")
        if not colon:
            wrong_option("--move", text, "HOST,SWITCH:PORT")
        highest = max(highest, whole_number("--move", text, port))
        moves.setdefault(name, []).append(place)
    return moves, highest


def host_tables(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The keys that `--host` options set, by host."""
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, keys = _host(text)
        if twice := given.get(name, {}).keys() & keys.keys():
            wrong_option("--host", text, f"the key {min(twice)} of {name} once")
        given.setdefault(name, {}).update(keys)
    return given


def _host(text: str) -> tuple[str, dict[str, Any]]:
    """Keys of a host's table: `h1,ip=10.1.0.10/24,gateway=10.1.0.1`. A list has its items between plus signs."""
    expected = "HOST,KEY=VALUE,... such as h1,ip=10.1.0.10/24,gateway=10.1.0.1"
    name, *pairs = (part.strip() for part in text.split(","))
    table: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or not value or key == "name" or key in table:
            wrong_option("--host", text, expected)
        table[key] = _value(value)
    if not name or not table:
        wrong_option("--host", text, expected)
    if isinstance(table.get("to"), str) and table.get("kind") != "tcp_client":
        table["to"] = [table["to"]]
    return name, table


def _value(text: str) -> Any:
    """A value of a host's table: a whole number, true or false, a list with plus signs, or a text."""
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return text.split("+") if "+" in text else text


def check_host_name(name: str, names: Sequence[str]) -> None:
    """Raise ScenarioError for a name that is not among the hosts."""
    if name not in names:
        wrong_option(
            "--ping, --move or --host", name, f"a host of the topology: {', '.join(names[:12]) or 'it has none'}"
        )


def property_entry(text: str) -> Any:
    """A name, or a name with arguments: `Reachable,source=h1,target=h2`."""
    name, *pairs = text.split(",")
    if name not in LIBRARY:
        wrong_option(
            "--property",
            text,
            f"NAME or NAME,KEY=VALUE,... with one of {', '.join(LIBRARY)}{did_you_mean(name, LIBRARY)}",
        )
    table: dict[str, Any] = {"name": name}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or key == "name":
            wrong_option("--property", text, "NAME or NAME,KEY=VALUE,...")
        # A list has its items between plus signs: replicas=R1+R2.
        table[key] = value.split("+") if "+" in value or key == "replicas" else value
    return table if pairs else name


def external_table(text: str) -> dict[str, Any]:
    """A request that may be made once."""
    name, body = _request("--external", text)
    return {"name": name, "arguments": [body]} if body else {"name": name}


def setup_table(text: str) -> dict[str, Any]:
    """A request that is made before the search, or `ticks 2`."""
    word, _, count = text.strip().partition(" ")
    if word == "ticks":
        return {"ticks": whole_number("--setup", text, count.strip())}
    name, body = _request("--setup", text)
    return {"call": name, "body": body} if body else {"call": name}


def _request(option: str, text: str) -> tuple[str, str]:
    """Name and body of a request: `POST /router/0000000000000001 {"address": "10.0.0.1/24"}`."""
    expected = f"a request such as 'PUT /switch/1 {{\"key\": 1}}'; the methods are {', '.join(_METHODS)}"
    method, _, rest = text.strip().partition(" ")
    place, _, body = rest.strip().partition(" ")
    if method not in _METHODS or not place.startswith("/"):
        wrong_option(option, text, expected)
    if body.strip():
        _json(option, text, body)
    return f"{method} {place}", body.strip()


def _json(option: str, text: str, body: str) -> None:
    try:
        json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        wrong_option(option, text, f"a body that is JSON ({reason})")


def option_parts(option: str, text: str, expected: str, least: int, most: int, default: str = "") -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not least <= len(parts) <= most or not all(parts):
        wrong_option(option, text, expected)
    return parts + [default] * (most - len(parts))


def whole_number(option: str, text: str, number: str) -> int:
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        wrong_option(option, text, f"a whole number instead of {number[:40]!r}")
    return int(number)


def config_setting(text: str) -> tuple[str, str]:
    """An option of os-ken's configuration, `KEY=VALUE`; os-ken gives the value its type."""
    name, equals, value = text.partition("=")
    if not name.strip("-") or not equals:
        wrong_option("--config", text, "KEY=VALUE")
    return name.strip("-").replace("-", "_"), value


def environment_variable(text: str) -> tuple[str, str]:
    """An environment variable, `NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        wrong_option("--env", text, "NAME=VALUE")
    return name, value
