"""A line on a terminal while work takes long, such as the simulated time that a run has reached."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self, TextIO

from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.run import Listener, Observer

EVERY_S = 0.2
"""Seconds between two lines that are offered."""


class Line:
    """A line that is written over by the next one; nothing of it stays at the end."""

    def __init__(
        self,
        stream: TextIO,
        *,
        wanted: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``wanted``: whether to show it (None: if the stream is a terminal)."""
        self.stream = stream
        self.wanted = stream.isatty() if wanted is None else wanted
        self.clock = clock
        self._drawn = clock() - EVERY_S
        self._width = 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self.draw("")

    def offer(self, text: Callable[[], str]) -> None:
        """Show a line, unless there was one just now."""
        now = self.clock()
        if now - self._drawn >= EVERY_S:
            self._drawn = now
            self.draw(text())

    def draw(self, text: str) -> None:
        """Show another line; an empty one takes the last away."""
        if not self.wanted or not (text or self._width):
            return
        text = text[: shutil.get_terminal_size().columns - 1]
        before, self._width = self._width, max(self._width, len(text))  # An interrupt may come.
        self.stream.write(f"\r{text}{' ' * (before - len(text))}" + ("" if text else "\r"))
        self.stream.flush()
        self._width = len(text)


AFTER_S = 3.0
"""A run that takes less says nothing."""
_REACHED_EVERY_S = 0.5


class Reached(Line):
    """Shows, from some seconds on, how far runs are; nothing of it stays when they end.

    Its thread only reads the time of a run, so that no result depends on it.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        wanted: bool | None = None,
        after_s: float = AFTER_S,
        every_s: float = _REACHED_EVERY_S,
    ) -> None:
        """``wanted``: whether to show it (None: if the stream is a terminal)."""
        super().__init__(stream, wanted=wanted)
        self._after_s, self._every_s = after_s, every_s
        self._now: Callable[[], int] | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Begin to wait."""
        if self.wanted:
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._draw("")

    def watch(self, now: Callable[[], int]) -> None:
        """Begin to show a run, whose time in ns ``now`` tells."""
        self._now = now

    def _show(self) -> None:
        began = time.monotonic()
        wait_s = self._after_s
        while not self._ended.wait(wait_s):
            wait_s = self._every_s
            if self._now is not None:
                self._draw(
                    f"simulated {format_time(self._now())} in {time.monotonic() - began:.0f} s"
                )

    def _draw(self, text: str) -> None:
        with suppress(OSError, ValueError):  # Nobody reads it any more.
            self.draw(text)


# -- what is told of runs --------------------------------------------------------------------------


def say(line: str) -> None:
    """Print a line on standard error, now."""
    print(line, file=sys.stderr, flush=True)


class Messages:
    """Receives messages and warnings of runs, on standard error; a warning of several runs once."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    @property
    def listener(self) -> Listener:
        """The receiver that a run tells its messages."""
        from simulator.run import Listener

        return Listener(say, self._warn)

    def _warn(self, doubt: Problem) -> None:
        if str(doubt) not in self.warnings:
            self.warnings.append(str(doubt))
            say(str(doubt))


@contextmanager
def watching() -> Iterator[Observer]:
    """Show on a terminal how far a run is, if it takes long."""
    from simulator.run import Observer

    with Reached(sys.stderr) as reached:
        yield Observer(begun=reached.watch)
