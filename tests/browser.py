"""A page in headless Chromium, driven with real clicks and keys through a pipe; the standard library is enough.

``Page`` keeps what went wrong on the page (``errors``) and every address that it asked for (``requests``).
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--window-size=1280,800",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip

SILENCE = 60
"""Seconds after which a browser that says nothing is given up."""

KEYS = {
    "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Enter": 13, "Tab": 9,
    "Escape": 27,
}  # fmt: skip


class Browser:
    """One Chromium; ``page`` opens an address in it."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        ours, theirs = os.pipe(), os.pipe()
        given = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (ours[0], theirs[1])]
        for fd in (ours[0], theirs[1]):
            os.close(fd)
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{given[0]} 4>&{given[1]}', *command],
            pass_fds=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in given:
            os.close(fd)
        self._to, self._from = os.fdopen(ours[1], "wb", 0), theirs[0]
        self._number, self._read = 0, b""
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._to.close()
        self._process.terminate()
        self._process.wait(20)
        os.close(self._from)
        self._folder.cleanup()

    def page(self, address: str, dark: bool = False) -> Page:
        """The address in a tab of its own, loaded."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.ask(f"{domain}.enable")
        page.ask("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        if dark:
            page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.go(address)
        return page

    def follow(self, session: str, page: Page) -> None:
        """What a worker or a frame asks for is told to its page too. Nobody waits for answers: it may be gone."""
        self._pages[session] = page
        for method in ("Network.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"):
            self._send(method, session)

    def _send(self, method: str, session: str | None, **parameters: Any) -> int:
        self._number += 1
        said = {"id": self._number, "method": method, "params": parameters}
        self._to.write(json.dumps(said | ({"sessionId": session} if session else {})).encode() + b"\0")
        return self._number

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """One command of the DevTools protocol, and its answer; what is told in between goes to the pages."""
        number = self._send(method, session, **parameters)
        while (told := self._next()).get("id") != number:
            page = self._pages.get(told.get("sessionId", ""))
            if page is not None and "method" in told:
                page.hear(told["method"], told["params"])
        if "error" in told:
            raise RuntimeError(f"{method}: {told['error']}")
        found: dict[str, Any] = told["result"]
        return found

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            if not select.select([self._from], [], [], SILENCE)[0]:
                raise TimeoutError(f"the browser said nothing for {SILENCE} s")
            more = os.read(self._from, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self._read += more
        line, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        return found


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.frames: list[str] = []

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.ask(method, self.session, **parameters)

    def hear(self, method: str, told: dict[str, Any]) -> None:
        match method:
            case "Runtime.exceptionThrown":
                details = told["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.errors.append(" ".join(str(each.get("value", each.get("description"))) for each in told["args"]))
            case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                entry = told["entry"]
                if not entry.get("url", "").endswith("/favicon.ico"):
                    self.errors.append(f"{entry['text']} {entry.get('url', '')}")
            case "Target.attachedToTarget":
                if told["targetInfo"]["type"] == "iframe":
                    self.frames.append(told["sessionId"])
                self.browser.follow(told["sessionId"], self)
            case "Target.detachedFromTarget" if told["sessionId"] in self.frames:
                self.frames.remove(told["sessionId"])
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])

    def go(self, address: str) -> None:
        """Load another address."""
        self.ask("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'", 30)

    def value(self, script: str, frame: bool = False) -> Any:
        """What an expression is (awaited) on the page, or in the latest frame on it."""
        session = self.frames[-1] if frame else self.session
        told = self.browser.ask("Runtime.evaluate", session, expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in told:
            raise RuntimeError(told["exceptionDetails"].get("exception", {}).get("description", script))
        return told["result"].get("value")

    def until(self, script: str, seconds: float = 20) -> float:
        """Wait for an expression to be true; how long it took."""
        begun = time.monotonic()
        while not self.value(script):
            if time.monotonic() - begun > seconds:
                raise TimeoutError(f"not true after {seconds} s: {script}")
            time.sleep(0.02)
        return time.monotonic() - begun

    def click(self, selector: str, nth: int = 0) -> None:
        """A mouse click in the middle of an element."""
        x, y = self.value(
            f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{nth}];"
            "e.scrollIntoView({block: 'nearest'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str, times: int = 1, control: bool = False) -> None:
        """A key: a letter, or one of ``KEYS``."""
        code = KEYS.get(key, ord(key[0].upper()))
        named = {"key": key, "code": key if key in KEYS else f"Key{key.upper()}", "windowsVirtualKeyCode": code}
        for _ in range(times):
            for kind in ("rawKeyDown", "keyUp"):
                self.ask("Input.dispatchKeyEvent", type=kind, modifiers=2 if control else 0, **named)

    def write(self, text: str) -> None:
        """Text where the focus is."""
        self.ask("Input.insertText", text=text)

    def size(self, width: int, height: int) -> None:
        """The window, in pixels of CSS."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def shot(self, path: Path) -> None:
        """A picture of what is seen."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


class Quiet(SimpleHTTPRequestHandler):
    """Files, without a log; scripts and WebAssembly by their types."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on a port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
