"""Values of the network as short text for people, with host names instead of addresses."""

from sdnloom.network.text.count_text import counted
from sdnloom.network.text.openflow_text import (
    actions_words,
    bands_words,
    brief_match_words,
    buckets_words,
    data_words,
    field_words,
    fields_words,
    flow_rows,
    instructions_words,
    match_words,
    message_words,
    port_words,
    prefix_bits,
)
from sdnloom.network.text.packet_text import NO_NAMES, Names, brief_packet_words, bytes_words, plain_packet_words

__all__ = [
    "NO_NAMES",
    "Names",
    "actions_words",
    "bands_words",
    "brief_match_words",
    "brief_packet_words",
    "buckets_words",
    "bytes_words",
    "counted",
    "data_words",
    "field_words",
    "fields_words",
    "flow_rows",
    "instructions_words",
    "match_words",
    "message_words",
    "plain_packet_words",
    "port_words",
    "prefix_bits",
]
