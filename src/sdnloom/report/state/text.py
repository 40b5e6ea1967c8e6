"""One state of a network as text: flow tables, hosts and messages under way."""

from sdnloom.engine.semantics import Semantics, State
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.switch_component import SwitchState
from sdnloom.report.describe import Names, words
from sdnloom.report.state.facts import PHASES, switch_facts, waiting_texts


def tables_text(semantics: Semantics, state: State, names: Names, only: str | None = None) -> list[str]:
    """Flow tables, groups, meters, buffers and ports that are down."""
    lines = []
    for component, core in zip(semantics.system.components, state.cores, strict=True):
        if isinstance(core, SwitchState) and only in (None, component.name):
            phase = PHASES[core.phase]
            lines.append(f"{component.name} ({phase})" if phase else component.name)
            facts = [fact.text for fact in switch_facts(core, names) if fact.part != "connection"]
            lines += [f"  {fact}" for fact in facts] or ["  no entries"]
    return lines


def hosts_text(semantics: Semantics, state: State, only: str | None = None) -> list[str]:
    """The ports and states of the hosts."""
    return [
        f"{component.name} at {core.port}" + ("" if core.state is None else f": {words(core.state)}")
        for component, core in zip(semantics.system.components, state.cores, strict=True)
        if isinstance(core, HostCore) and only in (None, component.name)
    ]


def messages_text(semantics: Semantics, state: State, names: Names) -> list[str]:
    """The messages in each channel, the next one first."""
    lines = []
    for channel, content in zip(semantics.system.channels, state.contents, strict=True):
        lines += [f"{channel.name}: {line}" for line in waiting_texts(channel.discipline, content, names)]
    return lines or ["nothing is under way"]
