"""The server of the page, and what an attacker would try."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.play import child, server
from simulator.play.server import POLICY, PageServer

QUESTION = json.dumps({"ask": "point", "machine": "nwt", "workload": "test-write"})
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def page() -> Iterator[PageServer]:
    """A server on a free port."""
    made = PageServer(0)
    threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
    yield made
    made.shutdown()
    made.end()


def send(
    page: PageServer,
    method: str,
    path: str,
    body: str | bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[HTTPResponse, bytes]:
    """Send a request as a browser does; ``{}`` in the path is the token."""
    connection = HTTPConnection("127.0.0.1", page.port, timeout=30)
    connection.request(method, path.replace("{}", page.token), body, headers or {})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def raw(page: PageServer, request: bytes) -> bytes:
    """Send bytes; return all that comes back."""
    with socket.create_connection(("127.0.0.1", page.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while more := connection.recv(65536):
            found += more
    return found


def test_it_answers_and_its_files_load_nothing_from_elsewhere(page: PageServer) -> None:
    answer, content = send(page, "POST", "/{}/ask", QUESTION, JSON)
    assert (answer.status, json.loads(content)["write_MBps"]) == (200, 14.466676)
    answer, content = send(page, "GET", "/{}/")
    assert answer.status == 200
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    for word in (b" style=", b"<style", b" onclick", b"http://", b"https://", b"//cdn"):
        assert word not in content
    for name in page.files:
        answer, content = send(page, "GET", f"/{{}}/{name}")
        assert (answer.status, content) == (200, page.files[name])
        assert answer.headers["Cache-Control"] == "no-store"
    answer, content = send(page, "HEAD", "/{}/")
    assert (answer.status, content) == (200, b"")


def test_only_this_computer_reaches_it(page: PageServer) -> None:
    assert page.socket.getsockname()[0] == "127.0.0.1"
    assert len(page.token) >= 32
    other = PageServer(0)
    other.end()
    assert other.token != page.token


OWN = "OWN"
ATTACKS: list[tuple[str, str, str, Any, dict[str, str], int]] = [
    ("another name by DNS rebinding", "GET", "/{}/", None, {"Host": "evil.example"}, 403),
    ("another port", "GET", "/{}/", None, {"Host": "127.0.0.1:1"}, 403),
    ("a Host that begins like ours", "GET", "/{}/", None, {"Host": f"{OWN}.evil.example"}, 403),
    ("a page of another site", "POST", "/{}/ask", QUESTION, {"Origin": "http://evil.example"}, 403),
    ("a page of no origin", "POST", "/{}/ask", QUESTION, {"Origin": "null"}, 403),
    ("a form of another site", "POST", "/{}/ask", QUESTION, {"Sec-Fetch-Site": "cross-site"}, 403),
    ("no token", "GET", "/", None, {}, 403),
    ("a question without a token", "POST", "/ask", QUESTION, {}, 403),
    ("a wrong token", "POST", "/0123456789abcdef0123456789abcdef/ask", QUESTION, {}, 403),
    ("no ASCII for a token", "GET", "/%C3%A9\xe9/", None, {}, 403),
    ("a way out of the folder", "GET", "/{}/../../../etc/passwd", None, {}, 404),
    ("the same, encoded", "GET", "/{}/%2e%2e/%2e%2e/etc/passwd", None, {}, 404),
    ("an absolute path", "GET", "/{}//etc/passwd", None, {}, 404),
    ("a file of the program", "GET", "/{}/questions.py", None, {}, 404),
    ("a question to a file", "POST", "/{}/play.js", QUESTION, {}, 404),
    ("another method", "PUT", "/{}/play.js", "x", {}, 405),
    ("a method of our own", "EVAL", "/{}/", None, {}, 405),
    ("OPTIONS, before a request across", "OPTIONS", "/{}/ask", None, {"Origin": "null"}, 405),
    ("a method in a header", "GET", "/{}/ask", None, {"X-HTTP-Method-Override": "POST"}, 404),
    ("what a form can send", "POST", "/{}/ask", QUESTION, {"Content-Type": "text/plain"}, 415),
    ("a huge body", "POST", "/{}/ask", b"x" * 70_000, {}, 413),
    ("a length that is none", "POST", "/{}/ask", None, {"Content-Length": "1e9"}, 400),
    ("a length below nothing", "POST", "/{}/ask", None, {"Content-Length": "-1"}, 400),
    ("pieces without a length", "POST", "/{}/ask", None, {"Transfer-Encoding": "chunked"}, 411),
    ("no JSON", "POST", "/{}/ask", "{", {}, 400),
    ("no UTF-8", "POST", "/{}/ask", b"\xff\xfe", {}, 400),
    ("deep JSON", "POST", "/{}/ask", "[" * 60_000, {}, 400),
    ("an unknown key", "POST", "/{}/ask", '{"ask": "shipped", "file": "/etc/passwd"}', {}, 400),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [one[1:] for one in ATTACKS],
    ids=[one[0] for one in ATTACKS],
)
def test_an_attack_has_one_error(
    page: PageServer,
    method: str,
    path: str,
    body: Any,
    headers: dict[str, str],
    status: int,
) -> None:
    own = f"127.0.0.1:{page.port}"
    sent = {name: value.replace(OWN, own) for name, value in headers.items()}
    usual = JSON if method == "POST" else {}
    request = f"{method} {path.replace('{}', page.token)} HTTP/1.1\r\n"
    given = {"Host": own, **usual, **sent}
    content = body.encode() if isinstance(body, str) else body or b""
    if content:
        given.setdefault("Content-Length", str(len(content)))
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    found = raw(page, f"{request}{lines}\r\n".encode("latin-1") + content)
    head, _, told = found.partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode(), found
    assert json.loads(told).keys() == {"error"}
    assert b"Traceback" not in found
    assert b"root:" not in found
    assert b"Access-Control" not in head
    assert page.token.encode() not in found


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9.9\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ],
    ids=["TLS", "no path", "a version", "a long path", "many headers", "two hosts"],
)
def test_what_is_no_request_is_refused(page: PageServer, request_: bytes) -> None:
    found = raw(page, request_)
    told = found.rpartition(b"\r\n\r\n")[2] or found
    assert json.loads(told).keys() == {"error"}


def test_nothing_that_is_sent_becomes_a_header(page: PageServer) -> None:
    own = f"127.0.0.1:{page.port}"
    path = f"/{page.token}/%0d%0aSet-Cookie:%20a=b"
    lines = f"Host: {own}\r\nX: \rSet-Cookie: c=d\r\n\r\n"
    found = raw(page, f"GET {path} HTTP/1.1\r\n{lines}".encode())
    assert b"Set-Cookie" not in found


def test_a_slow_body_is_cut_off(page: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_REQUEST_S", 0.5)
    monkeypatch.setattr(server.Handler, "timeout", 0.5)
    lines = f"POST /{page.token}/ask HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
    lines += "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    begun = time.monotonic()
    for slow in (lines.encode(), b"GET / HTT"):
        with socket.create_connection(("127.0.0.1", page.port), timeout=30) as connection:
            connection.sendall(slow)
            while connection.recv(65536):
                pass
    assert time.monotonic() - begun < 20
    assert send(page, "GET", "/{}/")[0].status == 200


def test_many_connections_leave_room(page: PageServer) -> None:
    opened = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(60)]
    for one in opened:
        one.close()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            assert send(page, "GET", "/{}/")[0].status == 200
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("it does not recover")


def test_a_run_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_S", 0.2)
    made = child.Child()
    os.kill(made._process.pid, signal.SIGSTOP)  # It does not answer, whatever it is asked.
    assert made.ask(QUESTION) is None
    monkeypatch.setattr(child, "MOST_S", 60.0)
    answer = made.ask(QUESTION)
    assert answer is not None
    assert json.loads(answer)["write_MBps"] == 14.466676
    made.close()
    assert made.ask(QUESTION) is None


def test_only_some_questions_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_WAITING", 1)
    made = child.Child()
    with made._waiting, pytest.raises(child.BusyError):
        made.ask(QUESTION)
    made.close()


def test_a_port_in_use_is_an_error_that_says_so(
    page: PageServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="in use"):
        PageServer(page.port)
    assert main(["serve", "--port", str(page.port)]) == 2
    told = capsys.readouterr().err
    assert f"port {page.port} of 127.0.0.1" in told
    assert "--port with another number" in told
    assert main(["serve", "/etc/passwd"]) == 2
    assert "no machine and no workload" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_and_its_process(name: str, tmp_path: Path, root: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "simulator", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    address = process.stdout.readline()
    assert address.startswith("http://127.0.0.1:")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 1
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("ended\n")
    assert not Path(f"/proc/{children[0]}").exists()
