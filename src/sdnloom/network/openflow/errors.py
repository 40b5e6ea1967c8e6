"""The errors of the specification by name, their numbers in each version, and the exception of `decode`."""

from sdnloom.errors import SdnloomError
from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.messages import Error

ERROR_DATA = 64  # bytes of the offending message that an error carries


def _codes(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Version -> type number -> (type, codes in the order of their numbers). Errors of 1.0 have the names of 1.3.
ERRORS: dict[int, dict[int, tuple[str, tuple[str, ...]]]] = {
    V10: {
        0: ("hello_failed", _codes("incompatible eperm")),
        1: (
            "bad_request",
            _codes(
                "bad_version bad_type bad_multipart bad_experimenter bad_exp_type eperm bad_len buffer_empty"
                " buffer_unknown"
            ),
        ),
        2: (
            "bad_action",
            _codes("bad_type bad_len bad_experimenter bad_exp_type bad_out_port bad_argument eperm too_many bad_queue"),
        ),
        3: ("flow_mod_failed", _codes("table_full overlap eperm bad_emerg_timeout bad_command unsupported")),
        4: ("port_mod_failed", _codes("bad_port bad_hw_addr")),
        5: ("queue_op_failed", _codes("bad_port bad_queue eperm")),
    },
    V13: {
        0: ("hello_failed", _codes("incompatible eperm")),
        1: (
            "bad_request",
            _codes(
                "bad_version bad_type bad_multipart bad_experimenter bad_exp_type eperm bad_len buffer_empty"
                " buffer_unknown bad_table_id is_slave bad_port bad_packet multipart_buffer_overflow"
            ),
        ),
        2: (
            "bad_action",
            _codes(
                "bad_type bad_len bad_experimenter bad_exp_type bad_out_port bad_argument eperm too_many bad_queue"
                " bad_out_group match_inconsistent unsupported_order bad_tag bad_set_type bad_set_len bad_set_argument"
            ),
        ),
        3: (
            "bad_instruction",
            _codes(
                "unknown_inst unsup_inst bad_table_id unsup_metadata unsup_metadata_mask bad_experimenter bad_exp_type"
                " bad_len eperm"
            ),
        ),
        4: (
            "bad_match",
            _codes(
                "bad_type bad_len bad_tag bad_dl_addr_mask bad_nw_addr_mask bad_wildcards bad_field bad_value bad_mask"
                " bad_prereq dup_field eperm"
            ),
        ),
        5: (
            "flow_mod_failed",
            _codes("unknown table_full bad_table_id overlap eperm bad_timeout bad_command bad_flags"),
        ),
        6: (
            "group_mod_failed",
            _codes(
                "group_exists invalid_group weight_unsupported out_of_groups out_of_buckets chaining_unsupported"
                " watch_unsupported loop unknown_group chained_group bad_type bad_command bad_bucket bad_watch eperm"
            ),
        ),
        7: ("port_mod_failed", _codes("bad_port bad_hw_addr bad_config bad_advertise eperm")),
        8: ("table_mod_failed", _codes("bad_table bad_config eperm")),
        9: ("queue_op_failed", _codes("bad_port bad_queue eperm")),
        10: ("switch_config_failed", _codes("bad_flags bad_len eperm")),
        11: ("role_request_failed", _codes("stale unsup bad_role")),
        12: (
            "meter_mod_failed",
            _codes(
                "unknown meter_exists invalid_meter unknown_meter bad_command bad_flags bad_rate bad_burst bad_band"
                " bad_band_value out_of_meters out_of_bands"
            ),
        ),
        13: ("table_features_failed", _codes("bad_table bad_metadata bad_type bad_len bad_argument eperm")),
        0xFFFF: ("experimenter", ()),
    },
}
_NUMBERS = {
    version: {name: (number, codes) for number, (name, codes) in types.items()} for version, types in ERRORS.items()
}


class DecodeError(SdnloomError):
    """Bytes are no message. `type` and `code` name the error that a switch answers."""

    def __init__(self, type: str, code: str, detail: str) -> None:  # noqa: A002 - the specification's word
        super().__init__(f"{type}/{code}: {detail}")
        self.type, self.code, self.detail = type, code, detail

    def reply(self, request: bytes) -> Error:
        """Return the error message for a request: its xid and at most its first 64 bytes."""
        return Error(self.type, self.code, request[:ERROR_DATA], xid=int.from_bytes(request[4:8], "big"))


def error_names(version: int, type_number: int, code_number: int) -> tuple[str | int, str | int]:
    """Return the names of a type and a code, or their numbers if the version has no names for them."""
    name, codes = ERRORS[version].get(type_number, (type_number, ()))
    return name, codes[code_number] if code_number < len(codes) else code_number


def error_numbers(version: int, type_name: str | int, code_name: str | int) -> tuple[int, int]:
    """Return the numbers of a type and a code; a name that the version lacks raises EncodeError."""
    if isinstance(type_name, int):
        number, codes = type_name, ERRORS[version].get(type_name, ("", ()))[1]
    elif type_name in _NUMBERS[version]:
        number, codes = _NUMBERS[version][type_name]
    else:
        raise EncodeError(f"error type {type_name!r}: expected one of {', '.join(_NUMBERS[version])}, or a number")
    if isinstance(code_name, int):
        return number, code_name
    if code_name not in codes:
        raise EncodeError(f"code {code_name!r} of error {type_name!r}: expected one of {', '.join(codes)}, or a number")
    return number, codes.index(code_name)
