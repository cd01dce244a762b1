"""Tests in a copy: whether any of them fails, which one was the first, and how long that took."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

PROGRAM = """\
import resource, sys, pytest
cpu, size = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
resource.setrlimit(resource.RLIMIT_AS, (size, size))
sys.exit(pytest.main(sys.argv[3:]))
"""
MOST_MEMORY = 8 << 30
"""Bytes of address space of one process of tests: a mutant may build up anything."""
PATIENCE = 5
"""Seconds of waiting that a second of CPU time may take, beside other programs."""
OPTIONS = ("-v", "--tb=line", "-p", "no:cacheprovider", "-rN")
_LINE = re.compile(r"^(\S+::.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", re.MULTILINE)
_BEGUN = re.compile(r"^(\S+::\S.*?)\s*$", re.MULTILINE)

PASSED, FAILED, HUNG, BROKEN = "passed", "failed", "hung", "broken"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How tests ended."""

    outcome: str
    """``passed``, ``failed`` (a test did), ``hung`` (out of time), ``broken`` (none could run)."""
    test: str = ""
    """The first test that failed, or that ran when the time was over."""
    output: str = ""
    failed: tuple[str, ...] = ()
    """All tests that failed."""


class Runner:
    """Runs pytest in copies, several at a time, until it is stopped."""

    def __init__(self) -> None:
        self.stopped = Event()
        self.running: set[subprocess.Popen[str]] = set()
        """Tests under way."""
        self._lock = Lock()

    def run(
        self, folder: Path, arguments: Sequence[str], limit_s: int, *, all_of_them: bool = False
    ) -> Verdict:
        """Run tests in a copy, up to the first that fails or all; ``limit_s`` is of CPU time."""
        words = [sys.executable, "-X", "utf8", "-c", PROGRAM, str(limit_s), str(MOST_MEMORY)]
        with self._lock:
            if self.stopped.is_set():
                raise KeyboardInterrupt
            process = subprocess.Popen(
                [*words, *OPTIONS, *(() if all_of_them else ("-x",)), *arguments],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            self.running.add(process)
        hung = False
        try:
            output, _ = process.communicate(timeout=limit_s * PATIENCE)
        except subprocess.TimeoutExpired:
            hung = True
            end(process)
            output, _ = process.communicate()
        finally:
            with self._lock:
                self.running.discard(process)
        if self.stopped.is_set():
            raise KeyboardInterrupt
        return verdict(process.returncode, output, hung=hung)

    def stop(self) -> None:
        """End all tests that run, and let none begin."""
        with self._lock:
            self.stopped.set()
            for process in self.running:
                end(process)


def end(process: subprocess.Popen[str]) -> None:
    """End a process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def verdict(code: int, output: str, *, hung: bool) -> Verdict:
    """Return how tests ended, from the exit code of pytest and what it printed."""
    ended = [(match[1], match[2]) for match in _LINE.finditer(output)]
    failed = [name for name, how in ended if how in {"FAILED", "ERROR", "XPASS"}]
    if hung or code in {-signal.SIGXCPU, -signal.SIGKILL}:
        begun = [match[1] for match in _BEGUN.finditer(output)]
        names = {name for name, _ in ended}
        left = [name for name in begun if name not in names and " " not in name]
        return Verdict(HUNG, left[-1] if left else "", output)
    if code == 0:
        return Verdict(PASSED, output=output)
    if code < 0 or (code == 1 and failed):
        first = failed[0] if failed else signal.Signals(-code).name
        return Verdict(FAILED, first, output, tuple(failed))
    return Verdict(BROKEN, output=output)


def seconds_since(began: float) -> float:
    """Return seconds since a time of ``time.monotonic``."""
    return time.monotonic() - began
