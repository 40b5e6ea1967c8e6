"""MeterMod: the meter table of 1.3. Meters are configuration: no rate is modelled, so they drop nothing."""

from sdnloom.network.openflow import ANY_PACKET, BandType, MeterCommand, MeterFlag, MeterId
from sdnloom.network.openflow.messages import MeterMod
from sdnloom.network.switch.core import MeterEntry
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.flow_table import entry_cell, uses_meter, without_entries

MAX_METERS = 1 << 18
MAX_BANDS = 8
BAND_TYPES = (BandType.DROP,)
_BAND_SIZE = 4  # bytes after the burst size of a band that drops
_UNITS = (MeterFlag.KBPS, MeterFlag.PKTPS)
_FLAGS = int(MeterFlag.KBPS | MeterFlag.PKTPS | MeterFlag.BURST | MeterFlag.STATS)


def apply_meter_mod(step: SwitchStep, message: MeterMod) -> None:
    """Add, replace or delete a meter."""
    if message.command not in tuple(MeterCommand):
        raise RefusedMessage("meter_mod_failed", "bad_command")
    if message.command == MeterCommand.DELETE:
        _delete(step, message.meter_id)
        return
    _check_shape(message)
    step.reads.add(("meter", message.meter_id))
    exists = any(meter.meter_id == message.meter_id for meter in step.core.meters)
    if message.command == MeterCommand.ADD:
        if exists:
            raise RefusedMessage("meter_mod_failed", "meter_exists")
        if len(step.core.meters) >= MAX_METERS:
            raise RefusedMessage("meter_mod_failed", "out_of_meters")
    elif not exists:
        raise RefusedMessage("meter_mod_failed", "unknown_meter")
    _check_values(message)
    others = [meter for meter in step.core.meters if meter.meter_id != message.meter_id]
    entry = MeterEntry(message.meter_id, message.flags, message.bands)
    step.writes.add(("meter", message.meter_id))
    if step.config.counters:
        step.reads.add("time")
    step.update(meters=tuple(sorted([*others, entry], key=lambda meter: meter.meter_id)))


def _check_shape(message: MeterMod) -> None:
    """Refuse a meter for what does not depend on other meters; the rest is checked after them, as Open vSwitch does."""
    if any(band.type == BandType.DROP and len(band.data) != _BAND_SIZE for band in message.bands):
        raise RefusedMessage("bad_request", "bad_len")
    if not 0 < message.meter_id <= MeterId.MAX and message.meter_id not in (MeterId.SLOWPATH, MeterId.CONTROLLER):
        raise RefusedMessage("meter_mod_failed", "invalid_meter")
    if any(band.type not in BAND_TYPES for band in message.bands):
        raise RefusedMessage("meter_mod_failed", "bad_band")
    if len(message.bands) > MAX_BANDS:
        raise RefusedMessage("meter_mod_failed", "out_of_bands")


def _check_values(message: MeterMod) -> None:
    if message.flags & ~_FLAGS or sum(bool(message.flags & unit) for unit in _UNITS) != 1:
        raise RefusedMessage("meter_mod_failed", "bad_flags")
    if not message.bands:
        raise RefusedMessage("meter_mod_failed", "out_of_bands")
    if any(not band.rate for band in message.bands):
        raise RefusedMessage("meter_mod_failed", "bad_rate")


def _delete(step: SwitchStep, meter_id: int) -> None:
    """Delete a meter and the entries that use it. A missing meter is no error.

    The removal of the entries is not reported: 1.3 has no reason for it.
    """
    numbers = {meter.meter_id for meter in step.core.meters if meter_id in (MeterId.ALL, meter.meter_id)}
    step.reads |= {"meters", ("region", None, ANY_PACKET)}
    step.writes.update(("meter", number) for number in numbers)
    step.update(meters=tuple(meter for meter in step.core.meters if meter.meter_id not in numbers))
    users = [entry for entry in step.core.flows if any(uses_meter(entry, number) for number in numbers)]
    step.writes.update(entry_cell(entry) for entry in users)
    if step.config.max_entries is not None:
        step.writes.update(("room", entry.table) for entry in users)
    step.update(flows=without_entries(step.core.flows, users))
