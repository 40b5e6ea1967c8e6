"""Loss of the control connection, and reconnection."""

from sdnloom.network.openflow import ANY_PACKET
from sdnloom.network.switch.config import Switch
from sdnloom.network.switch.core import EMERGENCY, Settings, SwitchCore
from sdnloom.network.switch.step import SwitchOutcome, SwitchStep


def disconnect(config: Switch, core: SwitchCore) -> SwitchOutcome:
    """Return the outcome of losing the connection.

    1.0 (4.3) deletes all entries but the emergency ones, which then apply, and reports nothing. 1.3 (6.3.2), and 1.0
    without emergency entries, keeps its entries (secure) or becomes a bridge (standalone); Open vSwitch deletes all
    entries then. Buffered packets stay until they expire.
    """
    step = SwitchStep(config, core)
    step.writes |= {"connection", "config"}
    step.update(connected=False)
    if not config.keeps_entries or (config.fail_mode == "standalone" and config.traits.bridge_is_empty):
        step.reads.add(("region", 0, ANY_PACKET))
        gone = [entry for entry in core.flows if entry.table != EMERGENCY]
        step.writes.update(("flow", entry.table, entry.priority, entry.match) for entry in gone)
        step.update(flows=tuple(entry for entry in core.flows if entry.table == EMERGENCY))
    return step.outcome()


def connect(config: Switch, core: SwitchCore) -> SwitchOutcome:
    """Return the outcome of a new connection: role and asynchronous configuration are reset, entries stay."""
    step = SwitchStep(config, core)
    step.writes |= {"connection", "config"}
    kept = core.settings
    step.update(connected=True, settings=Settings(kept.flags, kept.miss_send_len, generation_id=kept.generation_id))
    return step.outcome()
