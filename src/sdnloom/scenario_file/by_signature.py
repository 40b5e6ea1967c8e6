"""Calls with arguments from tables: keys are the parameters of a class or function, values have their types.

Hosts, faults, switch options and properties are declared once, in Python; a scenario file can set every argument of
their constructors, and a new class needs no parser.
"""

import contextlib
import inspect
import types
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from sdnloom.errors import SdnloomError
from sdnloom.network.topology import SwitchPort
from sdnloom.network.topology.shapes import parse_end
from sdnloom.scenario_file.document import ScenarioError
from sdnloom.scenario_file.table import Table


class ValueType(NamedTuple):
    """How a type is written in a file.

    `expected` has the words for it in messages, `convert` a conversion (ValueError if it fails), and `schema` the JSON
    schema of what can be converted.
    """

    expected: str
    convert: Callable[[Any], Any]
    schema: Mapping[str, Any]


def read_call(table: Table, call: Callable[..., Any], fixed: Mapping[str, Any], own: Mapping[Any, ValueType]) -> Any:
    """The result of the call with the table's keys as arguments. `fixed` arguments are not read; `own` adds types."""
    arguments = dict(fixed)
    for name, parameter, hint in _parameters(table, call):
        kind = None if name in fixed else value_type_of(hint, own)
        if kind is None:
            if name not in fixed and parameter.default is parameter.empty:
                hint_text = hint.__name__ if inspect.isclass(hint) else str(hint)
                raise ScenarioError(
                    f"{table.file}: {table.where}: no scenario can give {name!r}, because its type is {hint_text}; "
                    "expected str, int, float, bool, SwitchPort, a Literal of them, or a list or tuple[..., ...] of one"
                )
            continue
        key = name.rstrip("_")  # Python's `from_` is a scenario's `from`
        if parameter.default is not parameter.empty and key not in table:
            table.get(key, kind.expected, lambda value: True, None)  # a known key that is not set
            continue
        arguments[name] = _converted(table, key, kind)
    table.close()
    return table.calling("", lambda: call(**arguments))


def call_schema(
    call: Callable[..., Any], fixed: Collection[str], own: Mapping[Any, ValueType]
) -> tuple[dict[str, Any], list[str]]:
    """The JSON schemas of the keys that `read_call` takes, and which of them are required."""
    keys: dict[str, Any] = {}
    required = []
    for name, parameter, hint in _named_parameters(call):
        kind = None if name in fixed else value_type_of(hint, own)
        if kind is None:
            continue
        key, default = name.rstrip("_"), parameter.default
        keys[key] = dict(kind.schema)
        if default is parameter.empty:
            required.append(key)
        elif default not in (None, ""):
            keys[key]["default"] = list(default) if isinstance(default, tuple) else default
    return keys, required


def _parameters(table: Table, call: Callable[..., Any]) -> list[tuple[str, inspect.Parameter, Any]]:
    try:
        return _named_parameters(call)
    except (NameError, TypeError, ValueError) as error:
        raise ScenarioError(f"{table.file}: {table.where}: cannot tell what {call!r} takes: {error}") from error


def _named_parameters(call: Callable[..., Any]) -> list[tuple[str, inspect.Parameter, Any]]:
    """Parameters that can be given by name, with their types."""
    hints = get_type_hints(call.__init__ if inspect.isclass(call) else call, include_extras=True)
    parameters = inspect.signature(call).parameters
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [(name, each, hints.get(name, Any)) for name, each in parameters.items() if each.kind in named]


def _converted(table: Table, key: str, kind: ValueType) -> Any:
    value = table.plain(key, expected=kind.expected)
    try:
        return kind.convert(value)
    except ValueError:
        table.fail(key, value, kind.expected)
    except SdnloomError as error:
        table.fail(key, value, f"{kind.expected} ({error})")


def value_type_of(hint: Any, own: Mapping[Any, ValueType]) -> ValueType | None:
    """How a type is written in a scenario file; None for types that only Python can give."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in own:
        return own[hint]
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Annotated:
        return value_type_of(arguments[0], own)
    if origin is Literal:
        expected = f"one of {', '.join(map(str, arguments))}" if len(arguments) > 1 else f'"{arguments[0]}"'
        return ValueType(expected, lambda value: _member(value, arguments), {"enum": list(arguments)})
    if origin in (Union, types.UnionType):
        kinds = [kind for one in arguments if one is not type(None) and (kind := value_type_of(one, own))]
        return _any_of(kinds) if kinds else None
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _list_of(arguments[0], own, tuple)
    if origin is list:
        return _list_of(arguments[0], own, list)
    return None


def _list_of(item: Any, own: Mapping[Any, ValueType], collect: type) -> ValueType | None:
    inner = value_type_of(item, own)
    if inner is None:
        return None
    schema = {"type": "array", "items": inner.schema}
    return ValueType(f"a list, each item {inner.expected}", lambda value: collect(_items(value, inner)), schema)


def _any_of(kinds: list[ValueType]) -> ValueType:
    schema = kinds[0].schema if len(kinds) == 1 else {"anyOf": [kind.schema for kind in kinds]}
    return ValueType(", or ".join(kind.expected for kind in kinds), lambda value: _first(value, kinds), schema)


def _first(value: Any, kinds: list[ValueType]) -> Any:
    for kind in kinds[:-1]:
        with contextlib.suppress(ValueError):
            return kind.convert(value)
    return kinds[-1].convert(value)


def _typed(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError
    return value


def _whole(value: Any) -> int:
    number = _typed(int, value)
    if not 0 <= number <= MOST_WHOLE:
        raise ValueError
    return number  # type: ignore[no-any-return]


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MOST_WHOLE:
        raise ValueError
    return float(value)


def _member(value: Any, known: tuple[Any, ...]) -> Any:
    if not any(value == one and type(value) is type(one) for one in known):
        raise ValueError
    return value


def _items(value: Any, inner: ValueType) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(inner.convert(item) for item in value)


def _switch_port(value: Any) -> SwitchPort:
    switch, port = parse_end(_text(value))
    if port is None:
        raise ValueError
    return SwitchPort(switch, port)


MOST_WHOLE = 1_000_000_000
TEXT_SCHEMA: Mapping[str, Any] = {"type": "string", "minLength": 1}
_PLAIN: dict[Any, ValueType] = {
    Any: ValueType("a value", lambda value: value, {}),
    bool: ValueType("true or false", lambda value: _typed(bool, value), {"type": "boolean"}),
    int: ValueType("a whole number of at least 0", _whole, {"type": "integer", "minimum": 0, "maximum": MOST_WHOLE}),
    float: ValueType("a number of at least 0", _seconds, {"type": "number", "minimum": 0, "maximum": MOST_WHOLE}),
    str: ValueType("a string", _text, TEXT_SCHEMA),
    list: ValueType("a list", lambda value: _typed(list, value), {"type": "array"}),
    SwitchPort: ValueType(
        "a port of a switch such as s1:2", _switch_port, {"type": "string", "pattern": "^[^:]*:[0-9]{1,9}$"}
    ),
}
