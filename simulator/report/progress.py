"""One line on a terminal: what is running, how much is done, and the time left.

The line goes to standard error, and only to a terminal; nothing of it stays when the work ends.
Elsewhere, as in a log, there is a line for each piece of several that begins or ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self, TextIO

from simulator.report.terminal import PacedLine
from simulator.study.side_by_side import seconds
from simulator.study.work import span_s

WORTH_SAYING_S = 3.0
"""What takes less says nothing before."""
_ENOUGH = 0.02
"""Share of the work from which on the time left is that of this machine, not the one measured."""


class Progress(PacedLine):
    """What several pieces of work, done some at a time, have come to.

    ``weights`` are their CPU times in seconds as measured once: their shares of the whole, and
    what is said of the time before any work is done.
    """

    def __init__(
        self,
        stream: TextIO,
        weights: dict[str, float],
        jobs: int,
        *,
        wanted: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(stream, wanted=wanted, clock=clock)
        self.weights = weights
        self.jobs = min(jobs, len(weights))
        self.shares: dict[str, float] = {}
        self._began = clock()

    @classmethod
    def of_studies(
        cls, stream: TextIO, names: Sequence[str], jobs: int, runs: int | None = None
    ) -> Progress:
        """Return that of studies that run ``jobs`` at a time."""
        return cls(stream, seconds(names, runs), jobs)

    def __enter__(self) -> Self:
        """Say how long it will take."""
        whole = span_s([], list(self.weights.values()), self.jobs)
        if self.wanted and whole >= WORTH_SAYING_S:
            self.stream.write(f"{self._what()}: about {rounded(whole)}\n")
            self.stream.flush()
        return self

    def heard(self, name: str, share: float) -> None:
        """Note the share of a piece of work that is done, from 0 to 1, and show it."""
        began, ended = name not in self.shares, share >= 1 > self.shares.get(name, 0.0)
        self.shares[name] = share
        if not self.wanted and len(self.weights) > 1 and (began or ended):  # As in a log.
            done = sum(one >= 1 for one in self.shares.values())
            told = f"{name} {'is done' if ended else 'begins'}: {done} of {len(self.weights)} done"
            left = f"; about {rounded(self.left_s())} left" if done < len(self.weights) else ""
            self.stream.write(f"{told}{left}\n")
            self.stream.flush()
        self.offer(self.line)

    def left_s(self) -> float:
        """Return the time left, at the pace that was measured here so far."""
        running = [
            (1 - share) * self.weights[name] for name, share in self.shares.items() if share < 1
        ]
        waiting = [weight for name, weight in self.weights.items() if name not in self.shares]
        left = span_s(running, waiting, self.jobs)
        whole = span_s([], list(self.weights.values()), self.jobs)
        done = sum(share * self.weights[name] for name, share in self.shares.items())
        if done < _ENOUGH * sum(self.weights.values()) or left >= whole:
            return left
        return left * (self.clock() - self._began) / (whole - left)

    def line(self) -> str:
        """Return what the line says."""
        running = [(name, share) for name, share in self.shares.items() if share < 1]
        ended = sum(share >= 1 for share in self.shares.values())
        words = [f"{name} {100 * share:.0f} %" for name, share in running]
        if ended:
            words.insert(0, f"{ended} of {len(self.weights)} done")
        return f"{', '.join(words)}; about {rounded(self.left_s())} left"

    def _what(self) -> str:
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return f"{len(self.weights)} studies, {self.jobs} at a time"


def rounded(time_s: float) -> str:
    """A time as people say it.

    >>> rounded(0.3), rounded(7.4), rounded(42), rounded(200), rounded(9300)
    ('1 s', '7 s', '40 s', '3.5 min', '2.5 h')
    """
    if time_s < 10:
        return f"{max(1, round(time_s))} s"
    if time_s >= 7200:
        return f"{round(time_s / 1800) / 2:g} h"
    return f"{5 * round(time_s / 5)} s" if time_s < 100 else f"{round(time_s / 30) / 2:g} min"
