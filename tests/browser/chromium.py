"""A headless Chromium, driven by the DevTools protocol over a pair of pipes.

Each page has a browser context of its own, so pages share nothing. A page records what a test must not overlook:
messages of the console, exceptions, and every request that it made.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Pipes have other numbers in our process: the browser reads commands from 3 and writes answers to 4.
_LAUNCH = (
    "import fcntl, os, sys\n"
    "r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3])\n"
    "os.dup2(r, 3); os.dup2(w, 4); os.execvp(sys.argv[3], sys.argv[3:])\n"
)
_OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # tests may run as root
    "--no-first-run",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
)
# Key -> (code, number of the key, text that it types)
_KEYS = {
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "End": ("End", 35, ""),
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Home": ("Home", 36, ""),
    "Tab": ("Tab", 9, ""),
    " ": ("Space", 32, " "),
}


class BrowserError(Exception):
    """The browser has answered with an error, or has ended."""


class Chromium:
    """The process. Use it as a context manager."""

    def __init__(self, program: str, profile: Path) -> None:
        commands, self._send_to = os.pipe()
        self._receive_from, answers = os.pipe()
        launch = (sys.executable, "-S", "-c", _LAUNCH, str(commands), str(answers))
        self._process = subprocess.Popen(
            [*launch, program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._number, self._unread = 0, b""
        self._pages: dict[str, BrowserPage] = {}

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("Browser.close")
        except (BrowserError, OSError):
            self._process.kill()
        self._process.wait()
        os.close(self._send_to)
        os.close(self._receive_from)

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """The result of a command; what the browser reports meanwhile goes to its pages."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._send_to, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") != self._number:
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            result: dict[str, Any] = answer["result"]
            return result

    def receive(self) -> dict[str, Any]:
        """The next message of the browser. An event has been passed to its page."""
        while b"\0" not in self._unread:
            data = os.read(self._receive_from, 1 << 20)
            if not data:
                raise BrowserError("the browser has ended")
            self._unread += data
        first, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        page = self._pages.get(message.get("sessionId", ""))
        if page is not None and "method" in message:
            page.hear(message["method"], message["params"])
        return message

    def open_page(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> "BrowserPage":
        """An empty page of this size."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = BrowserPage(self, session, context)
        self._pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.resize(width, height)
        page.show_dark(dark)
        return page

    def close_page(self, page: "BrowserPage") -> None:
        self.call("Target.disposeBrowserContext", browserContextId=page.context)
        del self._pages[page.session]


class BrowserPage:
    """One page. `problems` are errors and warnings of the console and exceptions, `requests` the addresses it asked."""

    def __init__(self, browser: Chromium, session: str, context: str) -> None:
        self._browser, self.session, self.context = browser, session, context
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._loaded = False

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self.session, **parameters)

    def hear(self, method: str, event: dict[str, Any]) -> None:
        match method:
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent":
                self.requests.append(event["request"]["url"])
            case "Runtime.exceptionThrown":
                details = event["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description", details["text"]))
            case "Runtime.consoleAPICalled" if event["type"] in ("error", "warning", "assert"):
                self.problems.append(" ".join(str(each.get("value", "")) for each in event["args"]))
            case "Log.entryAdded" if event["entry"]["level"] in ("error", "warning"):
                self.problems.append(event["entry"]["text"])
            case "Page.javascriptDialogOpening":
                self.problems.append(f"a dialogue opened: {event['message']}")
                # An answer would have to wait for the command that is under way; nothing of ours opens a dialogue.

    def open(self, address: str | Path) -> None:
        """Go to an address or a file, and wait until it is loaded."""
        self._loaded = False
        url = address.as_uri() if isinstance(address, Path) else address
        error = self.call("Page.navigate", url=url).get("errorText")
        if error:
            raise BrowserError(f"{address}: {error}")
        while not self._loaded:
            self._browser.receive()

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript, as JSON has it. A promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Return when the condition, an expression of JavaScript, is true; looked at after each frame, at most 600."""
        self.value(
            "new Promise((done, fail) => { let frames = 0; const look = () => {"
            f" if ({condition}) done(true); else if (++frames > 600) fail(new Error('never true')); "
            "else requestAnimationFrame(look); }; look(); })"
        )

    def painted(self) -> None:
        """Return when the page has drawn what it had to draw."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def press(self, *keys: str) -> None:
        """Press and release keys, one after the other: letters, or names such as `ArrowDown`."""
        for key in keys:
            code, number, text = _KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()[0]), key))
            common = {"key": key, "code": code, "windowsVirtualKeyCode": number}
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.painted()

    def type(self, text: str) -> None:
        """Put text into the field that has the focus."""
        self.call("Input.insertText", text=text)
        self.painted()

    def click(self, selector: str) -> None:
        """Click in the middle of the first element that the selector finds, as a mouse does."""
        place = self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            " if (!one) throw new Error('nothing to click'); one.scrollIntoView({block: 'nearest'});"
            " const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        common = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, **common)
        self.painted()

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def show_dark(self, dark: bool) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Write what is seen, or the whole page, as PNG."""
        self.painted()
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))


OpenPage = Callable[..., BrowserPage]
