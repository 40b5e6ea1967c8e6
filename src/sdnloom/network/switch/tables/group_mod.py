"""GroupMod: the group table of 1.3."""

from sdnloom.network.openflow import ANY_PACKET, FlowRemovedReason, Group, GroupCommand, GroupId, GroupType
from sdnloom.network.openflow.messages import Bucket, GroupMod
from sdnloom.network.switch.checks import check_groups, check_shape
from sdnloom.network.switch.core import GroupEntry
from sdnloom.network.switch.pipeline import MAX_CHAIN
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.flow_mod import remove_entries
from sdnloom.network.switch.tables.flow_table import uses_group


def apply_group_mod(step: SwitchStep, message: GroupMod) -> None:
    """Add, replace or delete a group."""
    if message.command not in tuple(GroupCommand):
        raise RefusedMessage("group_mod_failed", "bad_command")
    if message.command == GroupCommand.DELETE:
        _delete(step, message.group_id)
        return
    _check_message(step, message)
    step.reads.add(("group", message.group_id))
    exists = any(group.group_id == message.group_id for group in step.core.groups)
    if message.command == GroupCommand.ADD:
        if exists:
            raise RefusedMessage("group_mod_failed", "group_exists")
        if step.config.max_groups is not None:
            step.writes.add("groups")
            if len(step.core.groups) >= step.config.max_groups:
                raise RefusedMessage("group_mod_failed", "out_of_groups")
    elif not exists:
        raise RefusedMessage("group_mod_failed", "unknown_group")
    _check_chain(step, message)
    others = [group for group in step.core.groups if group.group_id != message.group_id]
    entry = GroupEntry(message.group_id, message.type, message.buckets)
    step.writes.add(("group", message.group_id))
    if step.config.counters:
        step.reads.add("time")
    step.update(groups=tuple(sorted([*others, entry], key=lambda group: group.group_id)))


def _check_message(step: SwitchStep, message: GroupMod) -> None:
    if message.group_id > GroupId.MAX:
        raise RefusedMessage("group_mod_failed", "invalid_group")
    if message.type not in tuple(GroupType):
        raise RefusedMessage("group_mod_failed", "bad_type")
    for bucket in message.buckets:
        check_shape(step, bucket.actions)
    if message.type == GroupType.INDIRECT and len(message.buckets) != 1:
        raise RefusedMessage("group_mod_failed", "invalid_group")
    if message.type != GroupType.SELECT and any(bucket.weight for bucket in message.buckets):
        raise RefusedMessage("group_mod_failed", "invalid_group")


def _check_chain(step: SwitchStep, message: GroupMod) -> None:
    for bucket in message.buckets:
        check_groups(step, bucket.actions)
    chained = {number for bucket in message.buckets for number in _chained(bucket)}
    if chained:
        step.reads.add("groups")
        table = {
            group.group_id: {n for bucket in group.buckets for n in _chained(bucket)} for group in step.core.groups
        }
        _refuse_loop(table | {message.group_id: chained})


def _chained(bucket: Bucket) -> list[int]:
    return [action.group_id for action in bucket.actions if isinstance(action, Group)]


def _refuse_loop(table: dict[int, set[int]]) -> None:
    """Remove groups that lead to no other, layer by layer; groups that remain form a loop."""
    rest = dict(table)
    layers = 0
    while rest:
        leaves = [number for number, chained in rest.items() if not chained & rest.keys()]
        if not leaves:
            raise RefusedMessage("group_mod_failed", "loop")
        for number in leaves:
            del rest[number]
        layers += 1
    if layers > MAX_CHAIN:
        raise RefusedMessage("group_mod_failed", "chaining_unsupported")


def _delete(step: SwitchStep, group_id: int) -> None:
    """Delete a group and the entries that use it. A missing group is no error; a chained group is refused."""
    gone = [group for group in step.core.groups if group_id in (GroupId.ALL, group.group_id)]
    step.reads |= {"groups", ("region", None, ANY_PACKET)}
    numbers = {group.group_id for group in gone}
    staying = [group for group in step.core.groups if group.group_id not in numbers]
    for group in staying:
        if any(numbers.intersection(_chained(bucket)) for bucket in group.buckets):
            raise RefusedMessage("group_mod_failed", "chained_group")
    step.writes.update(("group", number) for number in numbers)
    step.update(groups=tuple(staying))
    users = [entry for entry in step.core.flows if any(uses_group(entry, number) for number in numbers)]
    remove_entries(step, users, FlowRemovedReason.GROUP_DELETE)
