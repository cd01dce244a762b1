"""A browser that reaches one folder and nothing else, driven by the DevTools protocol."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 120
"""How long anything may take: a busy machine is slow to start a browser."""


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


class Browser:
    """A page of a browser: what it asked for, what it complained about, and its scripts."""

    def __init__(self, socket: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._socket = socket
        self._last = 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser for something; what it answers."""
        self._last += 1
        asked = {"id": self._last, "method": method, "params": parameters}
        self._socket.send(json.dumps(asked))
        while True:
            said = json.loads(self._socket.recv())
            if said.get("id") == self._last:
                assert "error" not in said, (method, said)
                return dict(said["result"])
            self._note(said.get("method", ""), said.get("params", {}))

    def _note(self, method: str, about: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert"):
            said = [str(one.get("value", one.get("description"))) for one in about["args"]]
            self.complaints.append(" ".join(said))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.complaints.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")

    def evaluate(self, script: str) -> Any:
        """Evaluate a script in the page, and wait for what it promises."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, script: str, *, seconds: float = SECONDS) -> Any:
        """Wait until a script evaluates to something true; what that is."""
        end = time.monotonic() + seconds
        while not (found := self.evaluate(script)):
            assert time.monotonic() < end, f"not in {seconds} s: {script}"
            time.sleep(0.2)
        return found

    def open(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.until(
            f"location.href.startsWith({json.dumps(address)}) && document.readyState === 'complete'"
        )

    def resize(self, width: int, height: int) -> None:
        """Give the page another size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def picture(self) -> bytes:
        """Return what the page looks like, as PNG."""
        import base64

        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser for which every host but loopback is unknown."""
    import websocket

    program = shutil.which("chromium")
    assert program
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            *(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *(f"--user-data-dir={profile}", "--disable-background-networking"),
            *("--remote-debugging-port=0", "--remote-allow-origins=*"),
            *("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "about:blank"),
        ]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        try:
            socket = websocket.create_connection(_page(Path(profile)), timeout=SECONDS)
            browser = Browser(socket)
            for domain in ("Page", "Runtime", "Network", "Log"):
                browser.call(f"{domain}.enable")
            yield browser
            socket.close()
        finally:
            process.terminate()
            process.wait()


def _page(profile: Path) -> str:
    """Return the address of the page's socket, once the browser has started."""
    import urllib.request

    said, end = profile / "DevToolsActivePort", time.monotonic() + SECONDS
    while not (said.exists() and said.read_text().strip()):
        assert time.monotonic() < end, "the browser did not start"
        time.sleep(0.1)
    port = said.read_text().splitlines()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
        pages = json.load(answer)
    return str(next(one["webSocketDebuggerUrl"] for one in pages if one["type"] == "page"))
