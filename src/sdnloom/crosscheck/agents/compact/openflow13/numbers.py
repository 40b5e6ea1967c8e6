"""The numbers of OpenFlow 1.3 that the compact switch reads and writes, where they are not those of 1.0."""

from sdnloom.crosscheck.agents.compact.wire import PortNumbers

VERSION13 = 4
PORTS13 = PortNumbers(32)
OXM_BASIC = 0x8000


class Kinds13:
    """Types of messages; Hello, Error, Echo, Packet In, Flow Removed, Packet Out and FlowMod are those of 1.0."""

    BARRIER_REQUEST, BARRIER_REPLY = 20, 21


class Errors13:
    """Errors as pairs of type and code, where 1.0 has another one or none."""

    BAD_GROUP = (2, 9)
    ACTION_MISFIT = (2, 10)
    SET_TYPE = (2, 13)
    SET_LENGTH = (2, 14)
    SET_ARGUMENT = (2, 15)
    UNKNOWN_INSTRUCTION = (3, 0)
    REPEATED_INSTRUCTION = (3, 1)
    INSTRUCTION_TABLE = (3, 2)
    INSTRUCTION_VENDOR = (3, 5)
    INSTRUCTION_LENGTH = (3, 7)
    MATCH_TYPE = (4, 0)
    MATCH_LENGTH = (4, 1)
    MATCH_WILDCARDS = (4, 5)
    MATCH_FIELD = (4, 6)
    MATCH_VALUE = (4, 7)
    MATCH_MASK = (4, 8)
    MATCH_NEED = (4, 9)
    MATCH_TWICE = (4, 10)
    TABLE_NUMBER = (5, 2)
    OVERLAP = (5, 3)
    LONG_TIME = (5, 5)
    BAD_COMMAND = (5, 6)
    BAD_FLAGS = (5, 7)
    NO_METER = (12, 2)
