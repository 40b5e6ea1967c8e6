"""The options of a confirmation."""

from dataclasses import dataclass

WAIT_SECONDS = 30.0  # for a timer of the app, unless the user says otherwise


@dataclass(frozen=True)
class ConfirmOptions:
    """How a trace is confirmed.

    `switch` is the real switch; `wait` the longest time in seconds to wait for a timer of the app.
    `controller_command` starts another controller than the scenario's program, `controller` is the address of one that
    already runs.
    """

    switch: str = "openvswitch"
    wait: float = WAIT_SECONDS
    controller_command: str | None = None
    controller: str | None = None
