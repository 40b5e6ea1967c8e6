"""The text format of models and properties.

    policy N1 = port = 1 . port <- 2      a named policy, for everything below it
    network Net                           a big switch, described by the indented lines after it
      links port = 2 . port <- 3          optional; `one` if left out
      switch S1 = zero                    an inner switch with its first table; `zero` if left out
        update upS1 ? N1                  a table that it accepts at any time
        request Ask ! N2 then Up ? N3     a question, and the answer that becomes its table
    channel upC1, upC2                    channels that no switch uses
    C1 = upS1 ! N1 ; C1                   a recursive variable; X(N, M) = ... has parameters
      o+ upC1 ? N3 ; bot
    system Net || C1 || C2                the elements, in the order of their vector clocks
    property name = ... is empty          see `property_text`; `property name for CT->SW, ... = ...` limits the types

A statement continues on lines that are indented deeper than its first line. `#` and `//` start comments. In `system`,
an element that is no network is a switch if it can forward packets, else a controller; `switch X` and `controller X`
say so explicitly.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Policy
from sdnloom.netkat.tokens import Token
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.expressions import TermReader, TermUses, check_name
from sdnloom.races.language.model import (
    BigSwitch,
    ChannelMessage,
    Element,
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
from sdnloom.races.language.properties import ForwardingProperty, RaceType
from sdnloom.races.language.property_text import parse_formula, parse_race_type
from sdnloom.races.language.templates import hole
from sdnloom.races.language.terms import (
    Definition,
    Forward,
    Prefix,
    ProcessTerm,
    VariableCall,
    process_text,
    reachable_terms,
)

KEYWORDS: Final = ("policy", "network", "links", "switch", "update", "request", "channel", "system", "property")
_LINE = re.compile(r"[^\n]*\n?")
_START = re.compile(rf"(?P<keyword>{'|'.join(KEYWORDS)})\b(?!\s*(?:=|!=|≠|<-|:=|←|\())")
_COMMENT = re.compile(r"\s*(?:#|//|\n|$)")


@dataclass(frozen=True)
class _Statement:
    keyword: str  # "" for the definition of a variable
    start: int  # where its first word starts
    body: int  # start of the text after the keyword
    end: int


@dataclass
class _Network:
    name: str
    start: int
    links: Policy | None = None
    switches: list["_Switch"] = field(default_factory=list)


@dataclass
class _Switch:
    name: str
    start: int
    initial: Policy
    updates: list[ChannelMessage] = field(default_factory=list)
    requests: list[RequestMessage] = field(default_factory=list)

    def frozen(self) -> InnerSwitch:
        return InnerSwitch(self.name, self.initial, tuple(self.updates), tuple(self.requests))


def read_text_model(text: str, name: str) -> RaceModel:
    """Return the model that the text describes; errors name line, column and what was expected."""
    reader = _Reader(ModelText(text, name), {})
    reader.read()
    return reader.model()


def read_text_properties(text: str, name: str, policies: dict[str, Policy]) -> tuple[ForwardingProperty, ...]:
    """Return the properties that the text lists; it may define policies and use those given."""
    source = ModelText(text, name)
    reader = _Reader(source, policies)
    reader.read()
    for statement in reader.statements:
        if statement.keyword not in ("policy", "property"):
            raise source.error(statement.start, "expected only `policy` and `property` in a file of properties")
    if not reader.properties:
        raise source.error(len(text), "found no property, expected `property name = ...`")
    return tuple(reader.properties)


def _statements(source: ModelText) -> list[_Statement]:
    found: list[_Statement] = []
    indent = position = 0
    while position < len(source.text):
        line = _LINE.match(source.text, position)
        assert line is not None
        if not _COMMENT.match(line.group()):
            first = line.start() + len(line.group()) - len(line.group().lstrip())
            column = first - line.start()
            keyword = _START.match(source.text, first, line.end())
            if keyword or not found or column <= indent:
                if found:
                    found[-1] = _Statement(found[-1].keyword, found[-1].start, found[-1].body, line.start())
                word = keyword["keyword"] if keyword else ""
                found.append(_Statement(word, first, first + len(word), len(source.text)))
                indent = column
        position = line.end()
    return found


class _Reader:
    def __init__(self, source: ModelText, policies: dict[str, Policy]) -> None:
        self._source = source
        self._policies = dict(policies)
        self._networks: list[_Network] = []
        self._channels: set[str] = set()
        self._definitions: dict[str, Definition] = {}
        self._uses: dict[str, TermUses] = {}
        self._system: list[tuple[ElementRole | None, Token, ProcessTerm | None]] | None = None
        self.properties: list[ForwardingProperty] = []
        self.statements = _statements(source)

    def read(self) -> None:
        handlers: dict[str, Callable[[_Statement, list[Token]], None]] = {
            "policy": self._policy,
            "network": self._network,
            "links": self._links,
            "switch": self._switch,
            "update": self._update,
            "request": self._request,
            "channel": self._channel,
            "system": self._read_system,
            "property": self._property,
            "": self._definition,
        }
        for statement in self.statements:
            tokens = self._source.tokens(statement.body, statement.end)
            if tokens[0].kind == "end":
                raise self._expected(tokens[0], f"what follows {statement.keyword!r}")
            handlers[statement.keyword](statement, tokens)

    def model(self) -> RaceModel:
        """Return the model, after the checks that need all statements."""
        if self._system is None:
            raise self._source.error(len(self._source.text), "found no system, expected `system A || B || ...`")
        networks: dict[str, BigSwitch] = {}
        for network in self._networks:
            if not network.switches:
                raise self._source.error(network.start, f"network {network.name!r} has no switch, expected one or more")
            switches = tuple(switch.frozen() for switch in network.switches)
            networks[network.name] = BigSwitch(network.name, switches, network.links or PASS_ALL)
        places = [switch for network in self._networks for switch in network.switches]
        check_channel_owners((switch.frozen(), str(self._source.position(switch.start))) for switch in places)
        channels = channels_of(switch.frozen() for switch in places) | self._channels
        system = self._system
        for role, token, term in system:
            if term is None and token.text not in networks:
                raise self._source.error(token.start, f"unknown network {token.text!r}")
            if role is ElementRole.CONTROLLER and term is None:
                raise self._source.error(token.start, "a network is a switch, expected no `controller` before it")
        check_uses(self._definitions, self._uses, frozenset(channels))
        elements = [self._element(role, token, term, networks) for role, token, term in system]
        return RaceModel(
            tuple(_distinct(elements)), self._definitions, self._source.name, self._policies, tuple(self.properties)
        )

    def _element(
        self, role: ElementRole | None, token: Token, term: ProcessTerm | None, networks: dict[str, BigSwitch]
    ) -> Element:
        if term is None:
            return networks[token.text]
        name = term.name if isinstance(term, VariableCall) else process_text(term)
        role = role or (ElementRole.SWITCH if can_forward(term, self._definitions) else ElementRole.CONTROLLER)
        return TermComponent(name, role, term)

    def _name(self, tokens: list[Token], what: str, after: str) -> str:
        """Return the name that starts the statement; `after` is the text that must follow it, if any."""
        token = tokens[0]
        check_name(self._source, token.start, token.text, what)
        follows = tokens[1]
        if after and follows.text != after:
            raise self._expected(follows, repr(after))
        return token.text

    def _expected(self, token: Token, what: str) -> DyNetkatError:
        found = "the end of the statement" if token.kind == "end" else repr(token.text[:40])
        return self._source.error(token.start, f"found {found}, expected {what}")

    def _policy_of(self, tokens: list[Token]) -> Policy:
        if len(tokens) < 2:
            raise self._expected(tokens[0], "a policy")
        return self._source.policy(tokens[:-1], self._policies)

    def _policy(self, statement: _Statement, tokens: list[Token]) -> None:
        name = self._name(tokens, "a policy", "=")
        if name in self._policies:
            raise self._source.error(tokens[0].start, f"policy {name!r} is defined twice")
        self._policies[name] = self._policy_of(tokens[2:])

    def _network(self, statement: _Statement, tokens: list[Token]) -> None:
        name = self._name(tokens, "a network", "")
        if tokens[1].kind != "end":
            raise self._expected(tokens[1], "the end of the statement, then indented `links` and `switch` lines")
        if name in self._definitions or any(network.name == name for network in self._networks):
            raise self._source.error(tokens[0].start, f"{name!r} is defined twice")
        self._networks.append(_Network(name, tokens[0].start))

    def _current(self, statement: _Statement) -> _Network:
        if not self._networks:
            raise self._source.error(statement.start, f"found {statement.keyword!r}, expected `network` before it")
        return self._networks[-1]

    def _links(self, statement: _Statement, tokens: list[Token]) -> None:
        network = self._current(statement)
        if network.links is not None:
            raise self._source.error(statement.start, f"network {network.name!r} has links already")
        network.links = self._policy_of(tokens)

    def _switch(self, statement: _Statement, tokens: list[Token]) -> None:
        network = self._current(statement)
        name = self._name(tokens, "a switch", "" if tokens[1].kind == "end" else "=")
        if any(switch.name == name for switch in network.switches):
            raise self._source.error(tokens[0].start, f"switch {name!r} is defined twice")
        initial = DROP_ALL if tokens[1].kind == "end" else self._policy_of(tokens[2:])
        network.switches.append(_Switch(name, tokens[0].start, initial))

    def _current_switch(self, statement: _Statement) -> _Switch:
        network = self._current(statement)
        if not network.switches:
            raise self._source.error(statement.start, f"found {statement.keyword!r}, expected `switch` before it")
        return network.switches[-1]

    def _message(self, tokens: list[Token], sign: str) -> ChannelMessage:
        channel = self._name(tokens, "a channel", sign)
        return ChannelMessage(channel, self._policy_of(tokens[2:]))

    def _update(self, statement: _Statement, tokens: list[Token]) -> None:
        self._current_switch(statement).updates.append(self._message(tokens, "?"))

    def _request(self, statement: _Statement, tokens: list[Token]) -> None:
        thens = [index for index, token in enumerate(tokens) if token.text == "then" and token.kind == "word"]
        if len(thens) != 1:
            raise self._expected(tokens[thens[1] if thens else -1], "`request ASK ! POLICY then ANSWER ? POLICY`")
        cut = thens[0]
        end = Token("end", "", tokens[cut].start)
        question = self._message([*tokens[:cut], end], "!")
        answer = self._message(tokens[cut + 1 :], "?")
        self._current_switch(statement).requests.append(RequestMessage(question, answer))

    def _channel(self, statement: _Statement, tokens: list[Token]) -> None:
        for index, token in enumerate(tokens[:-1]):
            if index % 2 == 0:
                check_name(self._source, token.start, token.text, "a channel")
                self._channels.add(token.text)
            elif token.kind != ",":
                raise self._expected(token, "',' between channels")
        if len(tokens) % 2:
            raise self._expected(tokens[-1], "a channel")

    def _definition(self, statement: _Statement, tokens: list[Token]) -> None:
        name = self._name(tokens, "a recursive variable", "" if tokens[1].kind == "(" else "=")
        equals, parameters = 1, list[str]()
        if tokens[1].kind == "(":
            equals = 2
            while tokens[equals].kind not in (")", "end"):
                check_name(self._source, tokens[equals].start, tokens[equals].text, "a parameter")
                parameters.append(tokens[equals].text)
                equals += 1
                if tokens[equals].kind == ",":
                    equals += 1
                elif tokens[equals].kind != ")":
                    raise self._expected(tokens[equals], "',' or ')' after a parameter")
            equals += tokens[equals].kind == ")"
        if tokens[equals].text != "=":
            raise self._expected(tokens[equals], "'=' and a term (statements start with a keyword or `NAME =`)")
        if len(set(parameters)) < len(parameters):
            raise self._source.error(tokens[2].start, "a parameter is named twice")
        if name in self._definitions or any(network.name == name for network in self._networks):
            raise self._source.error(tokens[0].start, f"{name!r} is defined twice")
        uses = self._uses[name] = TermUses()
        names = {**self._policies, **{parameter: hole(parameter) for parameter in parameters}}
        term = TermReader(self._source, tokens[equals].end, statement.end, names, uses).term()
        self._definitions[name] = Definition(name, tuple(parameters), term)

    def _read_system(self, statement: _Statement, tokens: list[Token]) -> None:
        if self._system is not None:
            raise self._source.error(statement.start, "found a second system, expected one")
        self._system = []
        networks = {network.name for network in self._networks}
        uses = self._uses["system"] = TermUses()
        first = depth = 0
        for index, token in enumerate(tokens):
            depth += (token.kind == "(") - (token.kind == ")")
            if token.kind != "end" and (token.kind != "parallel" or depth):
                continue
            role = None
            if tokens[first].text in ("switch", "controller") and first + 1 < index:
                role = ElementRole.SWITCH if tokens[first].text == "switch" else ElementRole.CONTROLLER
                first += 1
            start = tokens[first]
            if first + 1 == index and start.text in networks:
                self._system.append((role, start, None))
            else:
                term = TermReader(self._source, start.start, token.start, self._policies, uses).term()
                self._system.append((role, start, term))
            first = index + 1

    def _property(self, statement: _Statement, tokens: list[Token]) -> None:
        name = self._name(tokens, "a property", "")
        if any(known.name == name for known in self.properties):
            raise self._source.error(tokens[0].start, f"property {name!r} is defined twice")
        equals = next((index for index, token in enumerate(tokens) if token.text == "="), None)
        if equals is None or (tokens[1].text != "for" and equals != 1):
            raise self._expected(tokens[1], "'=' or `for` and types of races")
        types = tuple(RaceType)
        if tokens[1].text == "for":
            begin = tokens[2].start
            named = self._source.text[begin : tokens[equals].start]
            types = tuple(parse_race_type(self._source, begin, part.strip()) for part in named.split(","))
        formula = parse_formula(self._source, tokens[equals].end, statement.end, self._policies)
        self.properties.append(ForwardingProperty(name, dict.fromkeys(types, formula)))


def can_forward(term: ProcessTerm, definitions: dict[str, Definition]) -> bool:
    """Return whether the term has a forwarding action anywhere, the variables it uses included."""
    found = reachable_terms([term], definitions)
    return any(isinstance(part, Prefix) and isinstance(part.action, Forward) for part in found)


def _distinct(elements: list[Element]) -> list[Element]:
    """Return the elements with a number after each name that occurs again."""
    counts: dict[str, int] = {}
    found: list[Element] = []
    for element in elements:
        counts[element.name] = count = counts.get(element.name, 0) + 1
        name = element.name if count == 1 else f"{element.name}#{count}"
        if isinstance(element, BigSwitch):
            found.append(BigSwitch(name, element.switches, element.links))
        else:
            found.append(TermComponent(name, element.role, element.term))
    return found
