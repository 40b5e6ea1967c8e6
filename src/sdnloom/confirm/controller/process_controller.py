"""A controller in a process, as a part of a confirmation: one input at a time, and everything that it does about it.

The end of a reaction is found with fences, never with sleeps alone. The input is followed by an echo request, whose
reply proves that it was read; then the process comes to rest (`process_rest`); then an echo request on every connection
proves that all that it has sent has arrived. What arrives meanwhile starts this again. A controller that does not read,
because it waits for something else, is noticed by its rest: then the reaction ends without that reply.
"""

import json
import os
import select
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from sdnloom.confirm.controller.controller_process import ControllerProcess, run_command
from sdnloom.confirm.controller.process_rest import Look, ProcessRest
from sdnloom.confirm.controller.quiet_time import NoProcess, QuietTime
from sdnloom.confirm.controller.switch_end import SwitchEnd
from sdnloom.confirm.controller.web_request import WebRequest
from sdnloom.confirm.real_parts import (
    ControllerReaction,
    HandshakeAnswer,
    NotEnforceable,
    ObservedAnswer,
    ObservedException,
    RealController,
    RealPartError,
)
from sdnloom.network.network import plain_arguments
from sdnloom.network.openflow.codec import HELLO
from sdnloom.network.program import ControllerCommand
from sdnloom.switches.reset_messages import FEATURES_REQUEST

_LIMIT: Final = 30.0  # seconds that a reaction may take
_PATIENCE: Final = 0.05  # seconds of rest after which an answer that is due does not come
_LONG_PATIENCE: Final = 2.0  # for a controller that may wait for something that is not of its process
_GLANCE: Final = 0.01  # seconds without an answer before the process is looked at


def start_controller(command: ControllerCommand) -> "ProcessController":
    """Start a program in a process of its own and wait until it listens."""
    return listening_controller(run_command(command))


def listening_controller(process: ControllerProcess) -> "ProcessController":
    """Wait until a process that was started listens; it is closed if it does not."""
    try:
        report = process.ports_report()
        port, web = report.get("listening"), report.get("web")
        if not all(each is None or (type(each) is int and 0 < each < 1 << 16) for each in (port, web)):
            raise RealPartError(f"the controller reports {report!r} first; expected the ports that it listens on")
        return ProcessController(process, port, web, takes_calls=report.get("calls") is not False)
    except BaseException:
        process.close()
        raise


class ProcessController(RealController):
    """A controller that listens on a port of loopback; `web` is its port for REST requests, None if it takes none.

    `port` is None if it takes no switches: joining one then does nothing. With `takes_calls` it takes calls and timers
    on its standard input, and reports when each is done. `limit` is how many seconds a reaction may take.
    """

    def __init__(
        self,
        process: ControllerProcess | NoProcess,
        port: int | None,
        web: int | None = None,
        *,
        takes_calls: bool = False,
        foreign: bool = False,
        limit: float = _LIMIT,
    ) -> None:
        self.foreign = foreign
        # Our own server, which takes calls, answers when its handler is done, even if that sleeps.
        self._patience = _LONG_PATIENCE if foreign or takes_calls else _PATIENCE
        self._process, self._port, self._web = process, port, web
        self._takes_calls, self._limit = takes_calls, limit
        self._rest = QuietTime(process.quiet) if isinstance(process, NoProcess) else ProcessRest(process.process_id)
        self._ends: dict[str, SwitchEnd] = {}
        self._joining: HandshakeAnswer | None = None  # for the last of them
        self._has_answered = False  # a request of the handshake: the controller has something to do again
        self._requests: list[WebRequest] = []
        self._not_done = 0  # calls and timers of standard input
        self._held = ControllerReaction()  # what happened since the last reaction
        self._has_ended = False

    @property
    def process_id(self) -> int:
        """The id of the process; 0 if it is not known."""
        return self._process.process_id

    @property
    def log(self) -> str:
        """What the process has printed and logged so far."""
        return self._process.log

    # -- inputs -------------------------------------------------------------------------------------------------

    def join(self, switch: str, answer: HandshakeAnswer) -> ControllerReaction:
        """Connect as a switch. The first message that is to be answered is the controller's Hello, with the switch's.

        A controller that never asks for the features of the switch has not accepted it; the reaction shows why.
        """
        if self._port is None or self._has_ended:
            return self._settled()
        if (old := self._ends.pop(switch, None)) is not None:
            old.close()
            if not old.ended:
                raise RealPartError(f"switch {switch} joins twice; expected it to leave before")
        end = self._ends[switch] = SwitchEnd(switch, self._port)
        self._joining = answer
        try:
            self._until(lambda: end.accepted or end.ended, lambda: end.delivered)
            return self._settled()
        finally:
            self._joining = None

    def leave(self, switch: str) -> ControllerReaction:
        """Close the connection of a switch; what the controller still sends on it is lost."""
        end = self._ends.get(switch)
        if end is not None:
            end.finish()
            self._until(lambda: end.ended, lambda: end.finished)
            del self._ends[switch]
            end.close()
        reaction = self._settled()
        messages = tuple(each for each in reaction.messages if each[0] != switch)
        return replace(reaction, messages=messages, closed=tuple(each for each in reaction.closed if each != switch))

    def receive(self, switch: str, message: bytes) -> ControllerReaction:
        """Deliver a message of a switch; a connection that the controller has closed drops it."""
        end = self._ends.get(switch)
        if end is not None and end.accepted:
            end.send_fence(message)
            self._until(lambda: end.fenced, lambda: end.delivered)
        return self._settled()

    def call(self, name: str, arguments: tuple[Any, ...]) -> ControllerReaction:
        """Make a REST request, or a call over the program's standard input.

        A request whose answer has to wait for something else, such as a message of a switch, is answered in a later
        reaction.
        """
        if self._takes_calls:
            return self._ask({"call": name, "arguments": plain_arguments(arguments)}, f"call {name!r}")
        if self._web is None:
            raise NotEnforceable(f"call {name!r}: the controller takes no requests")
        if " /" not in name or len(arguments) > 1:
            raise NotEnforceable(f"call {name!r} with {len(arguments)} arguments is no request to a web interface")
        if not self._has_ended:
            request = WebRequest(self._web, name, "".join(map(str, arguments)))
            self._requests.append(request)
            self._until(lambda: request.answer is not None, lambda: request.delivered)
        return self._settled()

    def fire(self, timer: str) -> ControllerReaction:
        """Fire a timer that the scenario declares, over the program's standard input."""
        if not self._takes_calls:
            raise NotEnforceable(f"timer {timer!r}: the controller has timers of its own only")
        return self._ask({"timer": timer}, f"timer {timer!r}")

    def _ask(self, request: Mapping[str, Any], what: str) -> ControllerReaction:
        if not self._has_ended:
            try:
                line = json.dumps(request)
            except (TypeError, ValueError):
                raise NotEnforceable(f"{what}: its arguments cannot be written as JSON") from None
            self._not_done += 1
            self._process.write_line(line)
            self._until(lambda: not self._not_done, lambda: True)
        return self._settled()

    def wait(self, enough: Callable[[ControllerReaction], bool], seconds: float) -> ControllerReaction:
        """Let real time pass until the controller has done enough by itself, but no longer than that."""
        deadline = time.monotonic() + seconds
        reaction = self._settled()
        with _ProcessEnd(self.process_id) as end:
            while not enough(reaction) and not self._has_ended and (left := deadline - time.monotonic()) > 0:
                if select.select([*self._sources(), *end.files], [], [], min(left, end.seconds))[0]:
                    reaction += self._settled()
        return reaction

    def close(self) -> None:
        """Close all connections, end the process and remove its files."""
        for end in self._ends.values():
            end.close()
        for request in self._requests:
            request.close()
        self._rest.close()
        self._process.close()

    # -- the end of a reaction ----------------------------------------------------------------------------------

    def _settled(self) -> ControllerReaction:
        """Wait until everything that the controller does has arrived, and return it."""
        deadline = time.monotonic() + self._limit
        while True:
            self._has_answered = False
            self._rest.wait(self._limit)
            self._pump()
            before = self._held
            self._fence_all()
            if self._held is before and not self._has_answered:
                break
            if time.monotonic() > deadline:
                raise RealPartError(f"the controller sends without an end for {self._limit:g} s; expected it to wait")
        reaction, self._held = self._held, ControllerReaction()
        # The end of a process closes its connections too.
        return replace(reaction, closed=()) if reaction.ended else reaction

    def _fence_all(self) -> None:
        ends = [end for end in self._ends.values() if end.accepted and not end.ended]
        for end in ends:
            end.send_fence()
        self._until(lambda: all(end.fenced for end in ends), lambda: all(end.delivered for end in ends))

    def _until(self, done: Callable[[], bool], delivered: Callable[[], bool]) -> None:
        """Take what arrives until a condition holds, or the process has ended, or rests though it got everything."""
        deadline = time.monotonic() + self._limit
        rested: tuple[Look, float] | None = None
        while True:
            self._pump()
            if self._has_ended or done():
                return
            if select.select(self._sources(), [], [], _GLANCE)[0]:
                continue
            look = self._rest.at_rest() if delivered() else None
            if look is None or rested is None or rested[0] != look:
                rested = None if look is None else (look, time.monotonic())
            elif time.monotonic() - rested[1] > self._patience:
                self._pump()
                return
            if time.monotonic() > deadline:
                busy = f" ({self._rest.awake} still runs)" if self._rest.at_rest() is None and self._rest.awake else ""
                raise RealPartError(
                    f"the controller answers nothing within {self._limit:g} s{busy}; expected an answer"
                )

    def _sources(self) -> list[Any]:
        """Return what becomes readable when the controller does something."""
        report = [self._process.report_file] if self._process.report_file >= 0 else []
        return [*report, *(end for end in self._ends.values() if not end.ended), *self._requests]

    def _pump(self) -> None:
        """Take everything that has arrived, without waiting."""
        ended = "" if self._has_ended else self._process.ended  # before the rest is read: then that is all
        for end in list(self._ends.values()):
            for message in end.take():
                self._took(end, message)
            if end.tell_end() and not ended and not self._has_ended:
                self._hold(closed=(end.switch,))
        for report in self._process.reports():
            self._reported(report)
        for request in list(self._requests):
            request.read()
            if request.answer is not None:
                self._requests.remove(request)
                if request.answer.status:
                    self._hold(answers=(request.answer,))
        if ended:
            self._has_ended = True
            self._hold(ended=ended)

    def _took(self, end: SwitchEnd, message: bytes) -> None:
        replies = None
        if self._joining is not None and end is list(self._ends.values())[-1]:
            replies = self._joining(message)
        if replies is None:
            self._hold(messages=((end.switch, message),))
            return
        if message[1] == HELLO and replies:
            end.version = replies[0][0]
        end.send(b"".join(replies))
        self._has_answered = True
        end.accepted |= message[1] == FEATURES_REQUEST

    def _reported(self, report: Mapping[str, Any]) -> None:
        if "done" in report:
            self._not_done -= 1
        try:
            if (raised := report.get("raised")) is not None:
                lines = tuple((str(file), int(line)) for file, line in raised.get("lines", ()))
                found = ObservedException(str(raised["text"]), str(raised["file"]), int(raised["line"]), lines)
                self._hold(raised=(found,))
            if (answered := report.get("answered")) is not None:
                body = str(answered.get("body") or "")
                self._hold(answers=(ObservedAnswer(str(answered["name"]), int(answered["status"]), body),))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise RealPartError(f"the controller reports {str(report)[:200]}; expected what it did") from None

    def _hold(self, **happened: Any) -> None:
        self._held += ControllerReaction(**happened)


class _ProcessEnd:
    """The end of a process as something that can be waited for, beside other files."""

    def __init__(self, process_id: int) -> None:
        self.files: list[int] = []
        self.seconds = 0.2  # how often somebody has to look
        if not process_id:
            return
        try:
            self.files = [os.pidfd_open(process_id)]
            self.seconds = float("inf")
        except OSError:  # it has ended, or the kernel is old
            pass

    def __enter__(self) -> "_ProcessEnd":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.files:
            os.close(each)
