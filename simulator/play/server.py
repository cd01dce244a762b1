"""The server of the page: on the loopback interface only, for whoever has its address.

The address has a random token in its path. Requests need the right ``Host`` (no other name leads
here by DNS rebinding) and, if a page sends them, the ``Origin`` of this one. There are the page's
own files, held in memory, and ``POST ask``; nothing that a request says becomes a name of a file or
a header. What is refused has a JSON object with ``error`` as its answer.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import socket
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from simulator.errors import InputError
from simulator.play.child import MOST_S, BusyError, Child
from simulator.play.files import TYPES, page_files
from simulator.play.questions import QuestionError, read_question

HOST = "127.0.0.1"
MOST_BODY = 65_536
"""Bytes of a question."""
MOST_REQUEST_S = 10.0
"""Time in which a request must have arrived."""
REST_S, MOST_RESTS = 0.5, 16
"""Time for which, and how often, the rest of a refused request is waited for."""
MOST_CONNECTIONS = 32
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
    " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class RefusedRequestError(Exception):
    """A request that is not carried out."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class PageServer(ThreadingHTTPServer):
    """Serves the page until it is stopped."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # There it would share a port that is in use.
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, port: int, child: Child | None = None) -> None:
        """``port`` 0: any free one. InputError if it is in use, or cannot be had."""
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            why = error.strerror or str(error)
            raise InputError(
                f"port {port} of {HOST}: {why}; write --port with another number, or 0 for a free"
                " one"
            ) from error
        self.port = self.server_port
        self.token = secrets.token_urlsafe(24)
        self.files = page_files()
        self.hosts = {f"{name}:{self.port}" for name in (HOST, "localhost")}
        self.child = child or Child()
        self._places = threading.Semaphore(MOST_CONNECTIONS)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own; close it if there are too many."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that break off."""

    def server_bind(self) -> None:
        """Take the port; no name of this computer is looked up."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def end(self) -> None:
        """Free the port, and end the process that answers."""
        self.server_close()
        self.child.close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request, and closes its connection."""

    server: PageServer
    timeout = MOST_REQUEST_S
    server_version = "nwtsim"
    _refused = False
    sys_version = ""

    def setup(self) -> None:
        """Begin; a request that arrives byte by byte is cut off in the end."""
        super().setup()
        self._watch = threading.Timer(MOST_REQUEST_S, self._cut)
        self._watch.daemon = True
        self._watch.start()

    def finish(self) -> None:
        """End."""
        self._watch.cancel()
        with contextlib.suppress(OSError):
            super().finish()
            if self._refused:
                self._read_the_rest()

    def _read_the_rest(self) -> None:
        """Read some of what was not read: a sender that is still sending would miss the answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(REST_S)
        for _ in range(MOST_RESTS):
            if not self.connection.recv(MOST_BODY):
                break

    def _cut(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def do_GET(self) -> None:
        """Send a file of the page."""
        self._carry_out(self._file)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Answer a question."""
        self._carry_out(self._answer)

    def _carry_out(self, how: Any) -> None:
        """Carry out a request whose sender may ask; else say why not."""
        try:
            self._check_sender()
            how()
        except RefusedRequestError as error:
            self._refuse(error.status, str(error))

    def _check_sender(self) -> None:
        """Refuse what another name, another page, or somebody without the token has sent."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise RefusedRequestError(HTTPStatus.FORBIDDEN, "the Host is not that of this page")
        origins = self.headers.get_all("Origin", [])
        own = f"http://{hosts[0]}"
        if any(origin != own for origin in origins):
            raise RefusedRequestError(HTTPStatus.FORBIDDEN, "the Origin is not that of this page")
        sites = self.headers.get_all("Sec-Fetch-Site", []) if self.command == "POST" else []
        if any(site not in ("same-origin", "none") for site in sites):
            raise RefusedRequestError(HTTPStatus.FORBIDDEN, "another site has sent this")
        token = self.path.split("/")[1] if self.path.startswith("/") else ""
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise RefusedRequestError(
                HTTPStatus.FORBIDDEN, "the token is missing or wrong; open the address as printed"
            )

    @property
    def _name(self) -> str:
        """What is asked for: the path behind the token."""
        return self.path.removeprefix(f"/{self.server.token}/")

    def _file(self) -> None:
        name = self._name.partition("?")[0] or "index.html"
        content = self.server.files.get(name)
        if content is None:
            raise RefusedRequestError(HTTPStatus.NOT_FOUND, "there is no such file")
        self._send(HTTPStatus.OK, TYPES[f".{name.rpartition('.')[2]}"], content)

    def _answer(self) -> None:
        if self._name != "ask":
            raise RefusedRequestError(HTTPStatus.NOT_FOUND, "questions go to 'ask'")
        kinds = self.headers.get_all("Content-Type", [])
        if kinds != ["application/json"]:
            raise RefusedRequestError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the Content-Type is not application/json"
            )
        try:
            question = json.dumps(read_question(self._body().decode("utf-8")))
        except UnicodeDecodeError:
            raise RefusedRequestError(HTTPStatus.BAD_REQUEST, "the question is not UTF-8") from None
        except QuestionError as error:
            raise RefusedRequestError(HTTPStatus.BAD_REQUEST, str(error)) from None
        self._watch.cancel()
        try:
            answer = self.server.child.ask(question)
        except BusyError:
            raise RefusedRequestError(
                HTTPStatus.SERVICE_UNAVAILABLE, "too many questions wait; ask again"
            ) from None
        if answer is None:
            told = f"the run was ended: it took more than {MOST_S:.0f} s, or too much memory"
            answer = json.dumps({"error": told, "kind": "cost"})
        self._send(HTTPStatus.OK, "application/json", answer.encode())

    def _body(self) -> bytes:
        """Read the question; refuse one that is too large, of no length, or too slow."""
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) != 1:
            raise RefusedRequestError(HTTPStatus.LENGTH_REQUIRED, "one Content-Length is needed")
        text = lengths[0].strip()
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise RefusedRequestError(HTTPStatus.BAD_REQUEST, "the Content-Length is no number")
        if int(text) > MOST_BODY:
            raise RefusedRequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question has at most {MOST_BODY} bytes"
            )
        end, body = time.monotonic() + MOST_REQUEST_S, b""
        try:
            while len(body) < int(text) and time.monotonic() < end:
                more = self.rfile.read1(int(text) - len(body))
                if not more:
                    break
                body += more
        except OSError:
            pass
        if len(body) < int(text):
            raise RefusedRequestError(HTTPStatus.REQUEST_TIMEOUT, "the question did not arrive")
        return body

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, or has another method, in the form of all refusals."""
        status = HTTPStatus(code)
        if code == HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self._refuse(status, status.phrase.lower())

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._refused = True
        self._send(status, "application/json", json.dumps({"error": message}).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD, POST")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - as the base has it
        """Log nothing: the address has the token in it."""
