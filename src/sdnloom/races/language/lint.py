"""Lint warnings for a model: legal, and rarely intended."""

from sdnloom.netkat.printer import to_text
from sdnloom.races.language.model import BigSwitch, ChannelMessage, RaceModel
from sdnloom.races.language.templates import holes
from sdnloom.races.language.terms import Forward, Prefix, Receive, Send, reachable_terms


def lint_model(model: RaceModel) -> list[str]:
    """Return a warning for each message that an element sends and no other element receives: the sender blocks.

    Messages with parameters are left out: their policies are known only during a search.
    """
    sent: dict[ChannelMessage, dict[int, None]] = {}
    received: dict[ChannelMessage, set[int]] = {}
    open_channels: set[str] = set()
    for index, element in enumerate(model.elements):
        if isinstance(element, BigSwitch):
            for switch in element.switches:
                for request in switch.requests:
                    sent.setdefault(request.question, {})[index] = None
                for message in [*switch.updates, *(request.answer for request in switch.requests)]:
                    received.setdefault(message, set()).add(index)
            continue
        for term in reachable_terms([element.term], model.definitions):
            if not isinstance(term, Prefix) or isinstance(term.action, Forward):
                continue
            message = ChannelMessage(term.action.channel, term.action.policy)
            if isinstance(term.action, Receive):
                received.setdefault(message, set()).add(index)
                if holes(message.policy):
                    open_channels.add(message.channel)
            elif isinstance(term.action, Send) and not holes(message.policy):
                sent.setdefault(message, {})[index] = None
    return [
        f"{model.elements[index].name} sends {to_text(message.policy, limit=200)} on {message.channel!r}, "
        "which no element receives: it blocks there for ever"
        for message, senders in sent.items()
        for index in senders
        if not received.get(message, set()) - {index} and message.channel not in open_channels
    ]
