"""A browser without a window, driven through DevTools over a pipe; a server of files for it."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from docs.site import lab

MOST_S = 120.0
"""How long anything may take: a busy machine is slow to start a browser."""
AXE = (
    "4.14.1",
    "1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b73"
    "4f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5",
)
"""The version of axe-core, which looks for what keeps people from reading, and its SHA-512."""
_BEGIN = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Gives a browser the two pipes by the numbers that it expects."""


class Browser:
    """One page of a browser, and what it has complained of and asked for."""

    def __init__(self, to: int, of: int) -> None:
        self._to, self._of, self._rest = to, of, b""
        self._last = 0
        self.complaints: list[str] = []
        self.remarks: list[str] = []
        """What it says that is no error."""
        self.requests: list[str] = []
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        found = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = {"sessionId": found["sessionId"]}
        for name in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{name}.enable")

    def call(self, method: str, **words: Any) -> dict[str, Any]:
        """Call a method of the page."""
        return self._call(method, words, **self._session)

    def _call(self, method: str, words: dict[str, Any], **session: str) -> dict[str, Any]:
        self._last += 1
        number = self._last
        asked = {"id": number, "method": method, "params": words, **session}
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while True:
            said = self._message()
            if said.get("id") == number:
                assert "error" not in said, said
                result: dict[str, Any] = said["result"]
                return result
            self._note(said)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._of, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        first, _, self._rest = self._rest.partition(b"\0")
        said: dict[str, Any] = json.loads(first)
        return said

    def _note(self, said: dict[str, Any]) -> None:
        words = said.get("params", {})
        match said.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(words["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if words["type"] in ("error", "assert"):
                self.complaints.append(str(words["args"]))
            case "Log.entryAdded" if words["entry"]["level"] == "error":
                self.complaints.append(str(words["entry"]))
            case "Runtime.consoleAPICalled" | "Log.entryAdded":
                self.remarks.append(str(words))
            case "Network.requestWillBeSent":
                self.requests.append(words["request"]["url"])

    def run(self, code: str) -> Any:
        """Return what an expression of JavaScript is, or what it promises."""
        how = {"expression": code, "awaitPromise": True, "returnByValue": True}
        found = self.call("Runtime.evaluate", **how)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, code: str) -> Any:
        """Wait until an expression is true; AssertionError if it does not become so."""
        end = time.monotonic() + MOST_S
        while time.monotonic() < end:
            if found := self.run(code):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {code}; {self.complaints}")

    def open(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        here = f"location.href.startsWith({json.dumps(address)})"
        self.wait(f"{here} && document.readyState === 'complete'")

    def size(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        how = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **how)

    def key(self, name: str) -> None:
        """Press a key, such as ``ArrowRight`` or ``Tab``."""
        code = {"ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36, "Tab": 9, "Enter": 13}
        for kind in ("rawKeyDown", "keyUp"):
            more = {"key": name, "code": name, "windowsVirtualKeyCode": code[name]}
            self.call("Input.dispatchKeyEvent", type=kind, **more)

    def picture(self, file: Path) -> None:
        """Write a picture of the whole page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def opened(profile: Path) -> Iterator[Browser]:
    """Start a browser for which no other host than this one can be found."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    words = [
        *(shutil.which("chromium") or "chromium", "--headless", "--no-sandbox", "--disable-gpu"),
        *(f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking"),
        *("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe"),
    ]
    begin = [sys.executable, "-c", _BEGIN, str(to_read), str(from_write), *words]
    process = subprocess.Popen(
        begin, pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    os.close(to_read)
    os.close(from_write)
    try:
        yield Browser(to_write, from_read)
    finally:
        process.terminate()
        process.wait()
        os.close(to_write)
        os.close(from_read)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback, as ``python -m http.server`` does; the address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def axe() -> str:
    """The program of axe-core."""
    try:
        found = lab.packed("axe-core", *AXE)
    except (OSError, ValueError) as error:
        pytest.skip(str(error))
    with tarfile.open(found) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script
        return script.read().decode()
