"""Topologies from Mininet `Topo` files, by the convention of Mininet's `--custom`: `topos = {name: Topo class}`.

The file is Python code of the user. It runs in this process, without Mininet.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdnloom.network.topology.builder import TopologyBuilder
from sdnloom.network.topology.mininet_stubs import Topo, mininet_stubs
from sdnloom.network.topology.spec import MAX_DPID, Topology, TopologyError
from sdnloom.network.usercode import run_file, user_code_errors
from sdnloom.network.value import AddressError, ip, mac


def load_mininet(
    file: str | Path, name: str | None = None, args: Sequence[Any] = (), options: Mapping[str, Any] | None = None
) -> Topology:
    """The topology of that name in the file's `topos`; the name may be omitted if there is only one.

    `name` may have arguments, as in Mininet's `--topo`: "fat,4,hosts=2".
    """
    file = Path(file)
    name, text_args, text_options = _parse_choice(name)
    with mininet_stubs():
        topos = getattr(run_file(file), "topos", None)
        if not isinstance(topos, dict) or not topos:
            shown = "missing" if topos is None else repr(topos)[:80]
            raise TopologyError(f"{file}: topos is {shown}; expected a dict from names to Topo classes")
        known = sorted(map(str, topos))
        if name is None and len(topos) == 1:
            name = known[0]
        if name is None or name not in topos:
            what = "no topology is chosen" if name is None else f"{name!r} is not in topos"
            raise TopologyError(f"{file}: {what}; expected one of {', '.join(known)}")
        with user_code_errors(file, f"topos[{name!r}]"):
            built = topos[name](*args, *text_args, **{**text_options, **(options or {})})
        if not isinstance(built, Topo):
            raise TopologyError(f"{file}: topos[{name!r}] gives a {type(built).__name__}; expected a mininet.topo.Topo")
        if not hasattr(built, "recorded_links"):
            raise TopologyError(f"{file}: topos[{name!r}]: its class does not call Topo.__init__")
    return _convert(file, name, built)


def _parse_choice(choice: str | None) -> tuple[str | None, list[Any], dict[str, Any]]:
    name, *rest = (choice or "").split(",")
    args: list[Any] = []
    options: dict[str, Any] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if equals:
            options[key.strip()] = _number_or_text(value)
        else:
            args.append(_number_or_text(part))
    return name or None, args, options


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _convert(file: Path, name: str, topo: Topo) -> Topology:
    builder = TopologyBuilder(name)
    try:
        for switch, options in topo.recorded_switches.items():
            builder.switch(switch, _dpid(switch, options.get("dpid")))
        for host, options in topo.recorded_hosts.items():
            builder.host(host, _mac(options.get("mac")), _ip(options.get("ip")))
        for a, b, a_port, b_port in topo.recorded_links:
            builder.link(a, b, _port(a, a_port), _port(b, b_port))
        return builder.build()
    except (TopologyError, AddressError) as error:
        raise TopologyError(f"{file}: topology {name!r}: {error}") from error


def _dpid(switch: str, given: Any) -> int | None:
    """The datapath id of a switch, which Mininet writes as hexadecimal text."""
    if given is None or (type(given) is int and 0 <= given <= MAX_DPID):
        return given
    try:
        return int(str(given).replace(":", ""), 16)
    except ValueError:
        raise TopologyError(f"dpid of switch {switch!r} is {given!r}; expected hexadecimal digits") from None


def _mac(given: Any) -> int | None:
    return None if given is None else mac(str(given))


def _ip(given: Any) -> int | None:
    return None if given is None else ip(str(given).partition("/")[0])


def _port(node: str, given: Any) -> int | None:
    if given is None or type(given) is int:
        return given
    raise TopologyError(f"port of {node!r} is {given!r}; expected a whole number")
