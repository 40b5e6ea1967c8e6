"""RaceLoom's JSON files: the model of figure 4.3 of the thesis, and the forwarding properties.

The big switch comes first, then the controllers, all in the order of the file. Properties name, for each type of race,
an expression with `@Network` in it; `AllowsPackets` (or the older `MustBe`) negates the property, which does not
change the races.
"""

import json
from typing import Any, Final

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, WORD, Policy
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.expressions import TermReader, TermUses
from sdnloom.races.language.model import (
    BigSwitch,
    ChannelMessage,
    ElementRole,
    InnerSwitch,
    RaceModel,
    RequestMessage,
    TermComponent,
    channels_of,
    check_channel_owners,
    check_uses,
)
from sdnloom.races.language.model_text import ModelText
from sdnloom.races.language.properties import Formula, ForwardingProperty, Inclusion, RaceType
from sdnloom.races.language.property_text import NETWORK_NAME, TEMPORAL, with_network
from sdnloom.races.language.terms import Definition, VariableCall

BIG_SWITCH: Final = "SDN"


def read_raceloom_model(text: str, name: str) -> RaceModel:
    """Return the model of a RaceLoom file."""
    whole = _Value(_load(text, name), name)
    whole.only("Switches", "Links", "RecursiveVariables", "OtherChannels", "Controllers")
    switches: list[InnerSwitch] = []
    positions: list[tuple[InnerSwitch, str]] = []
    for key, value in whole.get("Switches").items("one switch or more"):
        switches.append(_switch(key, value))
        positions.append((switches[-1], value.position))
    check_channel_owners(positions)
    links = whole.get("Links", optional=True)
    channels = set(channels_of(switches))
    for channel in whole.get("OtherChannels", optional=True).entries_or_none():
        channels.add(channel.word())
    definitions: dict[str, Definition] = {}
    uses: dict[str, TermUses] = {}
    for key, value in whole.get("RecursiveVariables").items(""):
        source, uses[key] = value.source(), TermUses()
        term = TermReader(source, 0, len(source.text), {}, uses[key]).term()
        definitions[key] = Definition(key, (), term)
    check_uses(definitions, uses, frozenset(channels))
    controllers: list[TermComponent] = []
    for value in whole.get("Controllers").entries("one controller or more"):
        variable = value.word()
        if variable not in definitions:
            raise DyNetkatError(value.position, f"found {variable!r}, expected one of RecursiveVariables")
        same = sum(controller.name.split("#")[0] == variable for controller in controllers)
        shown = f"{variable}#{same + 1}" if same else variable
        controllers.append(TermComponent(shown, ElementRole.CONTROLLER, VariableCall(variable)))
    big = BigSwitch(BIG_SWITCH, tuple(switches), links.policy() if links else PASS_ALL)
    return RaceModel((big, *controllers), definitions, name)


def read_raceloom_properties(text: str, name: str) -> tuple[ForwardingProperty, ...]:
    """Return the property of a RaceLoom file: one, with a formula for each type of race that the file names."""
    whole = _Value(_load(text, name), name)
    whole.only("Properties")
    formulas: dict[RaceType, Formula] = {}
    known = {race_type.value: race_type for race_type in RaceType}
    for key, value in whole.get("Properties").items("a property for one type of race or more"):
        if key not in known:
            refused = "temporal properties are not supported: " if key.lower() in TEMPORAL else ""
            expected = ", ".join(map(repr, known))
            raise DyNetkatError(value.position, f"{refused}found the key {key!r}, expected one of {expected}")
        value.only("Expression", "AllowsPackets", "MustBe")
        expression = value.get("Expression")
        allows = value.get("AllowsPackets", optional=True) or value.get("MustBe", optional=True)
        source = expression.source()
        if NETWORK_NAME not in source.text:
            raise DyNetkatError(
                expression.position, f"found no {NETWORK_NAME}, expected it where the network's policy belongs"
            )
        policy = source.whole_policy(with_network({}))
        formulas[known[key]] = Formula((Inclusion(policy),), bool(allows) and allows.boolean(), text=source.text)
    return (ForwardingProperty("forwarding", formulas),)


def _switch(name: str, value: "_Value") -> InnerSwitch:
    value.only("InitialFlowTable", "DirectUpdates", "RequestedUpdates")
    initial = value.get("InitialFlowTable", optional=True)
    updates: list[ChannelMessage] = []
    requests: list[RequestMessage] = []
    for update in value.get("DirectUpdates", optional=True).entries_or_none():
        update.only("Channel", "Policy")
        updates.append(_message(update, "Channel", "Policy"))
    for request in value.get("RequestedUpdates", optional=True).entries_or_none():
        request.only("RequestChannel", "RequestPolicy", "ResponseChannel", "ResponsePolicy")
        question = _message(request, "RequestChannel", "RequestPolicy")
        requests.append(RequestMessage(question, _message(request, "ResponseChannel", "ResponsePolicy")))
    return InnerSwitch(name, initial.policy() if initial else DROP_ALL, tuple(updates), tuple(requests))


def _message(value: "_Value", channel: str, policy: str) -> ChannelMessage:
    return ChannelMessage(value.get(channel).word(), value.get(policy).policy())


def _load(text: str, name: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise DyNetkatError(name, f"the key {key!r} occurs twice in one object")
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise DyNetkatError(f"{name}:{error.lineno}:{error.colno}", f"no JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise DyNetkatError(name, f"no JSON that can be read: {type(error).__name__}") from None


class _Value:
    """A JSON value with the keys that lead to it: `position` reads `file: Switches.SW1.Links`. False if absent."""

    def __init__(self, value: Any, position: str, missing: bool = False) -> None:
        self._value = value
        self.position = position
        self._missing = missing

    def __bool__(self) -> bool:
        return not self._missing

    def only(self, *keys: str) -> None:
        """Raise an error unless this is an object with no other keys."""
        self._need(dict, "an object")
        for key in self._value:
            if key not in keys:
                raise DyNetkatError(self.position, f"found the key {key!r}, expected only {', '.join(map(repr, keys))}")

    def get(self, key: str, optional: bool = False) -> "_Value":
        position = f"{self.position}: {key}" if ": " not in self.position else f"{self.position}.{key}"
        if key in self._value and not (optional and self._value[key] is None):
            return _Value(self._value[key], position)
        if not optional:
            raise DyNetkatError(self.position, f"found no key {key!r}, expected it")
        return _Value(None, position, missing=True)

    def items(self, least: str) -> list[tuple[str, "_Value"]]:
        self._need(dict, "an object")
        if least and not self._value:
            raise DyNetkatError(self.position, f"found an empty object, expected {least}")
        for key in self._value:
            if not WORD.fullmatch(key) and "->" not in key:
                raise DyNetkatError(self.position, f"found the key {key[:40]!r}, expected a name")
        return [(key, self.get(key)) for key in self._value]

    def entries(self, least: str) -> list["_Value"]:
        self._need(list, "a list")
        if least and not self._value:
            raise DyNetkatError(self.position, f"found an empty list, expected {least}")
        return [_Value(value, f"{self.position}[{index}]") for index, value in enumerate(self._value)]

    def entries_or_none(self) -> list["_Value"]:
        return self.entries("") if self else []

    def word(self) -> str:
        self._need(str, "a name")
        if not WORD.fullmatch(self._value):
            raise DyNetkatError(self.position, f"found {self._value[:40]!r}, expected a name")
        return str(self._value)

    def boolean(self) -> bool:
        self._need(bool, "true or false")
        return bool(self._value)

    def source(self) -> ModelText:
        self._need(str, "a string")
        return ModelText(self._value, self.position)

    def policy(self) -> Policy:
        return self.source().whole_policy({})

    def _need(self, kind: type, expected: str) -> None:
        if not isinstance(self._value, kind):
            found = "nothing" if self._missing else type(self._value).__name__
            raise DyNetkatError(self.position, f"found {found}, expected {expected}")
