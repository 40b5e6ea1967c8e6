"""Random small models of every kind: several switches, requests, controllers that reconfigure controllers."""

import random

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Not, Policy, Test, product_of, sum_of
from sdnloom.races.language.model import (
    BigSwitch,
    ChannelMessage,
    Element,
    ElementRole,
    InnerSwitch,
    RaceModel,
    RequestMessage,
    TermComponent,
)
from sdnloom.races.language.properties import Formula, ForwardingProperty, Inclusion, RaceType
from sdnloom.races.language.templates import NETWORK, hole
from sdnloom.races.language.terms import (
    BOT,
    Definition,
    Forward,
    ProcessTerm,
    Receive,
    Send,
    TermAction,
    VariableCall,
    choice_of,
    sequence,
)

PORTS = (1, 2, 3)


def hop(source: int, target: int) -> Policy:
    return product_of([Test("port", source), Assign("port", target)])


def random_policy(rng: random.Random) -> Policy:
    kind = rng.random()
    if kind < 0.2:
        return DROP_ALL
    if kind < 0.3:
        return sum_of([hop(rng.choice(PORTS), rng.choice(PORTS)), hop(rng.choice(PORTS), rng.choice(PORTS))])
    policy = hop(rng.choice(PORTS), rng.choice(PORTS))
    return product_of([Not(Test("type", 1)), policy]) if kind < 0.4 else policy


def random_model(rng: random.Random) -> RaceModel:
    """Return a model whose tree of traces is small enough to walk."""
    pool = [hop(1, 2), *(random_policy(rng) for _ in range(2)), DROP_ALL]
    switches: list[Element] = []
    updates: list[ChannelMessage] = []
    requests: list[RequestMessage] = []
    for big in range(rng.choice((1, 1, 1, 2))):
        inner: list[InnerSwitch] = []
        for place in range(rng.choice((1, 2, 2))):
            channel = f"up{big}{place}"
            mine = tuple(ChannelMessage(channel, policy) for policy in rng.sample(pool, rng.choice((1, 2, 2))))
            asked: tuple[RequestMessage, ...] = ()
            if rng.random() < 0.35:
                answer = ChannelMessage(rng.choice((channel, f"answer{big}{place}")), rng.choice(pool))
                asked = (RequestMessage(ChannelMessage(f"ask{big}{place}", PASS_ALL), answer),)
            inner.append(InnerSwitch(f"S{place}", rng.choice((DROP_ALL, DROP_ALL, *pool)), mine, asked))
            updates += mine
            requests += asked
        links = rng.choice((PASS_ALL, PASS_ALL, hop(2, 3), sum_of([hop(2, 2), hop(2, 3)])))
        switches.append(BigSwitch(f"Net{big}", tuple(inner), links))
    if rng.random() < 0.2:
        channel = "upT"
        message = ChannelMessage(channel, rng.choice(pool))
        body = choice_of(
            [sequence([Forward(hole("N"))], VariableCall("T", (hole("N"),))),
             sequence([Receive(channel, message.policy)], VariableCall("T", (message.policy,)))]
        )  # fmt: skip
        definition = Definition("T", ("N",), body)
        switches.append(TermComponent("T", ElementRole.SWITCH, VariableCall("T", (rng.choice(pool),))))
        updates.append(message)
        return _with_controllers(rng, switches, updates, requests, pool, {"T": definition})
    return _with_controllers(rng, switches, updates, requests, pool, {})


def _with_controllers(
    rng: random.Random,
    switches: list[Element],
    updates: list[ChannelMessage],
    requests: list[RequestMessage],
    pool: list[Policy],
    definitions: dict[str, Definition],
) -> RaceModel:
    count = rng.choice((1, 2, 2, 3))
    between = [ChannelMessage(f"ctl{place}", rng.choice(pool)) for place in range(count)]
    elements = list(switches)
    for place in range(count):
        parts = [_part(rng, place, updates, requests, between) for _ in range(rng.choice((1, 2, 2)))]
        definitions[f"C{place}"] = Definition(f"C{place}", (), choice_of(parts))
        elements.append(TermComponent(f"C{place}", ElementRole.CONTROLLER, VariableCall(f"C{place}")))
    rng.shuffle(elements)
    return RaceModel(tuple(elements), definitions, "random")


def _part(
    rng: random.Random,
    place: int,
    updates: list[ChannelMessage],
    requests: list[RequestMessage],
    between: list[ChannelMessage],
) -> ProcessTerm:
    actions: list[TermAction] = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        kind = rng.random()
        if kind < 0.5 or (kind < 0.62 and not requests):
            message = rng.choice(updates)
            actions.append(Send(message.channel, message.policy))
        elif kind < 0.62:
            request = rng.choice(requests)
            actions.append(Receive(request.question.channel, request.question.policy))
            actions.append(Send(request.answer.channel, request.answer.policy))
        elif kind < 0.65:
            actions.append(Forward(PASS_ALL))
        elif kind < 0.82 or len(between) == 1:
            actions.append(Receive(between[place].channel, between[place].policy))
        else:
            message = rng.choice([one for other, one in enumerate(between) if other != place])
            actions.append(Send(message.channel, message.policy))
    return sequence(actions, BOT if rng.random() < 0.2 else VariableCall(f"C{place}"))


def random_property(rng: random.Random, model: RaceModel) -> ForwardingProperty:
    """Return a property of any kind; now and then a different one for each type of race, or none for some type."""
    formulas = {kind: _formula(rng, model) for kind in RaceType}
    if rng.random() < 0.7:
        formulas = dict.fromkeys(RaceType, formulas[RaceType.CT_SW])
    elif rng.random() < 0.3:
        del formulas[rng.choice(tuple(RaceType))]
    return ForwardingProperty("random", formulas)


def _formula(rng: random.Random, model: RaceModel) -> Formula:
    network = hole(NETWORK)
    source, target = Test("port", 1), Test("port", rng.choice((2, 3)))
    kind = rng.random()
    if kind < 0.6:
        return Formula((Inclusion(product_of([source, network, target])),), negated=rng.random() < 0.5)
    if kind < 0.7:
        ways = [product_of([source, network, target]), product_of([target, network, source])]
        return Formula((Inclusion(sum_of(ways)),))
    if kind < 0.8:
        reference = hop(rng.choice(PORTS), rng.choice(PORTS))
        return Formula((Inclusion(network, reference), Inclusion(reference, network)))
    if kind < 0.9 and all(
        element.role is not ElementRole.SWITCH or isinstance(element, BigSwitch) for element in model.elements
    ):
        return Formula((Inclusion(product_of([source, network, target])),), avoid=Not(Test("port", rng.choice(PORTS))))
    return Formula((Inclusion(product_of([source, network, network, target])),))
