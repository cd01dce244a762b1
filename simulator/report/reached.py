"""One line on a terminal while a run takes long: the simulated time that it has reached."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from simulator.units import format_time

if TYPE_CHECKING:
    from types import TracebackType

AFTER_S = 3.0
"""A run that takes less says nothing."""
_EVERY_S = 0.5


class Reached:
    """Shows, from some seconds on, how far runs are; nothing of it stays when they end.

    Its thread only reads the time of a run, so that no result depends on it.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        wanted: bool | None = None,
        after_s: float = AFTER_S,
        every_s: float = _EVERY_S,
    ) -> None:
        """``wanted``: whether to show it (None: if the stream is a terminal)."""
        self.stream = stream
        self._wanted = stream.isatty() if wanted is None else wanted
        self._after_s, self._every_s = after_s, every_s
        self._now: Callable[[], int] | None = None
        self._ended = threading.Event()
        self._width = 0
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Reached:
        """Begin to wait."""
        if self._wanted:
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            if self._width:
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
        text = text[: shutil.get_terminal_size().columns - 1]
        before, self._width = self._width, len(text)
        with suppress(OSError, ValueError):  # Nobody reads it any more.
            self.stream.write(f"\r{text}{' ' * (before - len(text))}" + ("" if text else "\r"))
            self.stream.flush()
