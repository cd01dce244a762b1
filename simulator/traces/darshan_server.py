"""A process that reads many Darshan logs, one after the other: it imports Darshan's library once.

It reads each log in a copy of itself, which may crash or hang at a damaged one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from simulator.children import command, environment

SERVER = (
    "from simulator.traces.darshan_log import main as read;"
    " from simulator.traces.darshan_server import main; main(read)"
)
"""What the process does."""
CAN_COPY = hasattr(os, "fork")
"""False: each log is read by a process that is started anew."""
_KEPT: list[bool] = []
"""Whether this process reads many logs, by a server; that is in ``_STARTED`` once it is needed."""
_STARTED: list[Server] = []


class Server:
    """The process, as the one that asks it sees it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            command(SERVER),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )

    def read(
        self, path: str, folder: Path, without: str, wait: Callable[[int, bytes], bytes | None]
    ) -> tuple[bool, int]:
        """Read a log; return if it ended in time, and its code.

        ``wait`` waits at a pipe for a last line, ``=CODE``, and returns it, or None: all is ended.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        code = ""
        try:
            asked = json.dumps([path, str(folder), without])
            self.process.stdin.write(asked.encode("ascii") + b"\n")
            self.process.stdin.flush()
            said = wait(self.process.stdout.fileno(), b"\n")
            code = "" if said is None else said.decode("ascii").rpartition("=")[2].strip()
        finally:
            if not code:
                self.end()
        return bool(code), int(code or -1)

    def end(self) -> None:
        """End it, with what it reads."""
        if self in _STARTED:
            _STARTED.remove(self)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def keep() -> None:
    """Read the logs of this process from now on by one server; it ends with this process."""
    if CAN_COPY and not _KEPT:
        _KEPT.append(True)


def server() -> Server | None:
    """Return the server of a process that reads many logs, or None."""
    if not _KEPT:
        return None
    if not _STARTED or _STARTED[0].process.poll() is not None:
        _STARTED[:] = [Server()]
    return _STARTED[0]


# -- the other process -----------------------------------------------------------------------------


def main(read: Callable[[str, str, str], None]) -> None:
    """``read`` the logs that standard input names, each in a copy, until that ends."""
    from darshan.backend import cffi_backend  # noqa: F401 - copies have it

    for line in sys.stdin.buffer:
        path, folder, without = json.loads(line)
        child = os.fork()
        if child == 0:
            _end_with(partial(read, path, folder, without), folder)
        _, status = os.waitpid(child, 0)
        print(f"={os.waitstatus_to_exitcode(status)}", flush=True)


def _end_with(task: Callable[[], None], folder: str) -> None:
    """Carry out a task as the last one of this process, with its complaints in a folder."""
    code = 1
    try:
        os.chdir(folder)
        errors = os.open("errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(errors, 2)
        task()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - as Python ends a process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
