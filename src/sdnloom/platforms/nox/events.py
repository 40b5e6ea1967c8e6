"""`nox.coreapps.pyrt.pycomponent`: the events that handlers get, and the values that they return."""

from typing import Any

__all__ = [
    "CONTINUE",
    "STOP",
    "UINT32_MAX",
    "Aggregate_stats_in_event",
    "Barrier_reply_event",
    "Bootstrap_complete_event",
    "Datapath_join_event",
    "Datapath_leave_event",
    "Desc_stats_in_event",
    "Echo_request_event",
    "Error_event",
    "Event",
    "Flow_expired_event",
    "Flow_mod_event",
    "Flow_removed_event",
    "Flow_stats_in_event",
    "Packet_in_event",
    "Port_stats_in_event",
    "Port_status_event",
    "Shutdown_event",
    "Switch_mgr_join_event",
    "Switch_mgr_leave_event",
    "Table_stats_in_event",
    "pyevent",
]

CONTINUE = 0  # the next handler gets the event too
STOP = 1
UINT32_MAX = 0xFFFFFFFF


class Event:
    """An event; its data is in attributes."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    @classmethod
    def static_get_name(cls) -> str:
        """Return the name under which handlers are registered."""
        return cls.__name__

    def get_name(self) -> str:
        """Return the name of this event."""
        return type(self).static_get_name()

    get_class_name = get_name


class pyevent(Event):
    """An event that an app defines: a name, and any object, which handlers find in `pyevent`."""

    def __init__(self, name: str = "", pyarg: Any = None) -> None:
        super().__init__(pyevent=pyarg)
        self._name = name

    def get_name(self) -> str:
        """Return the name that the app gave."""
        return self._name

    get_class_name = get_name


class Datapath_join_event(Event):
    """A switch connected: datapath_id, n_buffers, n_tables, capabilities, actions, ports."""


class Datapath_leave_event(Event):
    """A switch disconnected: datapath_id."""


class Packet_in_event(Event):
    """A packet arrived: datapath_id, in_port, total_len, reason, buffer_id, buf."""


class Port_status_event(Event):
    """A port changed: datapath_id, reason, port."""


class Flow_removed_event(Event):
    """An entry was removed: datapath_id, flow, priority, reason, cookie, the durations and the counters."""


class Flow_expired_event(Event):
    """The same under its name before OpenFlow 1.0; it never happens here."""


class Flow_mod_event(Event):
    """The program sent a change of a flow table: datapath_id, flow_mod."""


class Barrier_reply_event(Event):
    """A switch has processed the messages before a barrier: datapath_id, xid."""


class Error_event(Event):
    """A switch refused a message: datapath_id, type, code, data, xid."""


class Table_stats_in_event(Event):
    """Statistics of tables: datapath_id, tables."""


class Port_stats_in_event(Event):
    """Statistics of ports: datapath_id, ports."""


class Flow_stats_in_event(Event):
    """Statistics of entries: datapath_id, flows, more, xid."""


class Aggregate_stats_in_event(Event):
    """Sums over entries: datapath_id, packet_count, byte_count, flow_count."""


class Desc_stats_in_event(Event):
    """The description of a switch: datapath_id and five texts."""


class Echo_request_event(Event):
    """A switch sent an echo request; it never happens here."""


class Bootstrap_complete_event(Event):
    """All components are installed."""


class Switch_mgr_join_event(Event):
    """A management connection was made; it never happens here."""


class Switch_mgr_leave_event(Event):
    """A management connection ended; it never happens here."""


class Shutdown_event(Event):
    """The controller ends; it never happens here."""
