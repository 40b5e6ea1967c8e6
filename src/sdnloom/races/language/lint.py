"""What looks like a mistake in a model though it means something."""

from sdnloom.netkat.printer import to_text
from sdnloom.races.language.model import BigSwitch, ChannelMessage, RaceModel
from sdnloom.races.language.templates import holes
from sdnloom.races.language.terms import Forward, Prefix, Receive, Send, reachable


def lint_model(model: RaceModel) -> list[str]:
    """Return a remark for each message that some element sends and no other can ever receive.

    Whoever sends it waits for ever. Messages with parameters are left out: they are known only while running.
    """
    sent: dict[ChannelMessage, dict[int, None]] = {}
    received: dict[ChannelMessage, set[int]] = {}
    open_channels: set[str] = set()
    for place, element in enumerate(model.elements):
        if isinstance(element, BigSwitch):
            for switch in element.switches:
                for request in switch.requests:
                    sent.setdefault(request.question, {})[place] = None
                for message in [*switch.updates, *(request.answer for request in switch.requests)]:
                    received.setdefault(message, set()).add(place)
            continue
        for term in reachable([element.term], model.definitions):
            if not isinstance(term, Prefix) or isinstance(term.action, Forward):
                continue
            message = ChannelMessage(term.action.channel, term.action.policy)
            if isinstance(term.action, Receive):
                received.setdefault(message, set()).add(place)
                if holes(message.policy):
                    open_channels.add(message.channel)
            elif isinstance(term.action, Send) and not holes(message.policy):
                sent.setdefault(message, {})[place] = None
    return [
        f"{model.elements[place].name} sends {to_text(message.policy, limit=200)} on {message.channel!r}, "
        "which nobody receives: it waits there for ever"
        for message, places in sent.items()
        for place in places
        if not received.get(message, set()) - {place} and message.channel not in open_channels
    ]
