"""Progress of a long command: a bar on standard error, by tqdm where it is installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_EVERY_S = 0.2
_LEAST_S = 2.0
"""Time before which an estimate of the remaining time is unreliable."""

SELDOM_S = 10.0
"""Time between lines about progress where standard error is a file or a pipe."""

Advance = Callable[[int], object]
"""Called with the number of items completed since the last call."""


@contextmanager
def progress_bar(
    total: int, *, done: int = 0, unit: str = "it", wanted: bool | None = None
) -> Iterator[Advance]:
    """Show the number completed of ``total`` on standard error, if ``wanted`` is not false.

    Without tqdm it is a line with the number and the remaining time. For bytes (``unit`` byte) the
    bar shows the rate in MB, and disappears at the end. ``wanted`` None: where standard error is no
    terminal, a line is printed every ``SELDOM_S`` instead.
    """
    if wanted is None and not sys.stderr.isatty():
        yield _seldom(total, done, unit)
        return
    if wanted is False:
        yield lambda _more: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        with _line(total, done, unit) as advance:
            yield advance
        return
    # Without tqdm's thread, which would make fork unsafe.
    bar_type: Any = type("Bar", (tqdm,), {"monitor_interval": 0})
    how = {"unit": "B", "unit_scale": True, "leave": False} if unit == "byte" else {"unit": unit}
    with bar_type(total=total, initial=done, file=sys.stderr, miniters=1, **how) as bar:
        yield bar.update


@contextmanager
def _line(total: int, done: int, unit: str) -> Iterator[Advance]:
    began, before = time.monotonic(), done
    shown = -_EVERY_S

    def show() -> None:
        text = _how_far(total, done, before, unit, time.monotonic() - began)
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


def _seldom(total: int, done: int, unit: str) -> Advance:
    began, before = time.monotonic(), done
    shown = began

    def advance(more: int) -> None:
        nonlocal done, shown
        done += more
        now = time.monotonic()
        if now - shown >= SELDOM_S and done < total:
            shown = now
            print(_how_far(total, done, before, unit, now - began), file=sys.stderr, flush=True)

    return advance


def _how_far(total: int, done: int, before: int, unit: str, seconds: float) -> str:
    """Return how much is completed after ``seconds``, of which ``before`` was at their begin.

    >>> _how_far(20, 5, 0, "run", 10.0)
    '5 of 20 runs, 30 s left'
    """
    text = f"{done:,} of {total:,} {unit}s"
    if seconds > _LEAST_S and before < done < total:
        text += f", {seconds * (total - done) / (done - before):.0f} s left"
    return text
