"""The process that answers: a question a line on standard input, an answer a line on its output.

It is apart from the server, so that a run that takes too long, or too much memory, ends with it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence

from simulator.children import command, environment

MOST_S = 30.0
"""Time of an answer; the process that takes longer is ended."""
MOST_BYTES = 4 << 30
"""Address space of the process."""
MOST_WAITING = 8


class BusyError(Exception):
    """Too many questions wait already."""


class Child:
    """The process, started again where it was ended."""

    def __init__(self, files: Sequence[str] = ()) -> None:
        self._command = command("from simulator.play.child import main; main()", *files)
        self._lock = threading.Lock()
        self._waiting = threading.Semaphore(MOST_WAITING)
        self._process = self._started()
        self._closed = False

    def _started(self) -> subprocess.Popen[str]:
        """Start it in a session of its own: Ctrl-C is for the server, which then ends it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self._command,
            stdin=pipe,
            stdout=pipe,
            text=True,
            encoding="utf-8",
            env=environment(),
            start_new_session=True,
        )

    def ask(self, question: str) -> str | None:
        """Return the answer to a question of one line; None if the process had to be ended.

        BusyError if too many wait.
        """
        if not self._waiting.acquire(blocking=False):
            raise BusyError
        try:
            with self._lock:
                return self._asked(question)
        finally:
            self._waiting.release()

    def _asked(self, question: str) -> str | None:
        if self._closed:
            return None
        process = self._process
        watch = threading.Timer(MOST_S, process.kill)
        watch.start()
        answer = ""
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (OSError, ValueError):
            pass  # It has ended: there is no answer.
        finally:
            watch.cancel()
        if answer.endswith("\n"):
            return answer
        self._end()
        if not self._closed:
            self._process = self._started()
        return None

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def main() -> None:
    """Answer until standard input ends."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limit.
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    from simulator.play.questions import Desk

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # What prints by mistake is no answer.
    desk = Desk(sys.argv[1:])
    for line in sys.stdin:
        answers.write(f"{desk.answered(line)}\n")
        answers.flush()
