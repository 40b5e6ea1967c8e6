"""Options of discovery: the protocol stacks to explore, domains of their fields, and the budget of a question."""

from dataclasses import dataclass

from sdnloom.inputs.skeletons import DEFAULT_STACKS
from sdnloom.network.reply_counters import is_counter


@dataclass(frozen=True)
class DiscoverOptions:
    """Protocol stacks of the packets to discover, and domains that replace the default ones, by field.

    A field is one of a packet, such as `eth.type`, or a counter of statistics, such as `port3.tx_bytes`. `paths` is the
    largest number of paths through a handler that one question may explore. Two switches are for tests: without
    `constants` no other than the preferred values of default domains are used, without `tables` flow entries tell no
    packets apart.
    """

    stacks: tuple[str, ...] = DEFAULT_STACKS
    fields: tuple[tuple[str, str], ...] = ()
    paths: int = 2_000
    constants: bool = True
    tables: bool = True

    @property
    def packet_domains(self) -> dict[str, str]:
        """The domains of packet fields, without those of counters."""
        return {name: text for name, text in self.fields if not is_counter(name)}
