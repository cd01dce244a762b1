"""How far a long command is: a bar on standard error, by tqdm where it is installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_EVERY_S = 0.2
_LEAST_S = 2.0
"""Before that the time left is a guess."""

Advance = Callable[[int], object]
"""To be called with how many more are done."""


@contextmanager
def progress_bar(
    total: int, *, done: int = 0, unit: str = "it", wanted: bool | None = None
) -> Iterator[Advance]:
    """Show how many of ``total`` are done; ``wanted`` None: if standard error is a terminal.

    Without tqdm it is a line that says how many, and how much time is left. Of bytes (``unit``
    byte) a bar shows the rate in MB, and goes when they are done.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _more: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        with _line(total, done, unit) as advance:
            yield advance
        return
    # Without tqdm's thread, beside which no process can be copied.
    bar_type: Any = type("Bar", (tqdm,), {"monitor_interval": 0})
    how = {"unit": "B", "unit_scale": True, "leave": False} if unit == "byte" else {"unit": unit}
    with bar_type(total=total, initial=done, file=sys.stderr, miniters=1, **how) as bar:
        yield bar.update


@contextmanager
def _line(total: int, done: int, unit: str) -> Iterator[Advance]:
    began, before = time.monotonic(), done
    shown = -_EVERY_S

    def show() -> None:
        seconds = time.monotonic() - began
        text = f"{done:,} of {total:,} {unit}s"
        if seconds > _LEAST_S and before < done < total:
            text += f", {seconds * (total - done) / (done - before):.0f} s left"
        print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)

    def advance(more: int) -> None:
        nonlocal done, shown
        done += more
        if time.monotonic() - shown >= _EVERY_S:
            shown = time.monotonic()
            show()

    show()
    try:
        yield advance
    finally:
        show()
        print(file=sys.stderr)
