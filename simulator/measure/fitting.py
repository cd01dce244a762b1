"""Small closed forms fitted to samples: a latency with a rate, and saturation with processes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simulator.measure.notes import told
from simulator.measure.probe import KIB, TINY, Kind, Measured, State

SMALL = 4 * KIB
"""The least that probes of a device move, and a page."""
_ROUNDS = 30
_HUBER = 1.345
_MAD = 1.4826
_LEAST_SPREAD = 0.005
"""Residuals below this share are noise of the clock."""
_GROWS = 1.15
"""From this factor on, more with one more process is a gain and not noise."""


@dataclass(frozen=True, slots=True)
class Line:
    """``seconds = latency + size * per_byte + page * min(1, size / 4 KiB)``."""

    latency: float
    """Seconds of each call."""
    per_byte: float
    """Seconds of each byte; 0 if bytes cost nothing that was seen."""
    page: float = 0.0
    """Seconds of a page that a call begins: of several pages in a call only the first."""

    def at(self, size: float) -> float:
        """Return the seconds of a call of some bytes, of many that follow each other.

        >>> Line(1.0, 0.5, page=8.0).at(2048), Line(1.0, 0.5, page=8.0).at(8192)
        (1029.0, 4105.0)
        """
        return self.latency + size * self.per_byte + self.page * min(1.0, size / SMALL)


class Point(NamedTuple):
    """The time of a call of some bytes."""

    size: float
    seconds: float
    known: float = 0.0
    """Seconds of it that something else takes."""


def line(points: Sequence[Point], *, flat: bool = False) -> Line:
    """Fit a line to what is not known of some points, neither part negative; ``flat``: a latency.

    Errors relative to the whole time count. Iteratively reweighted least squares with Huber's
    weights, so that a disturbed point counts little. ValueError without points.

    >>> points = [Point(4096, 104.096e-6), Point(65536, 165.536e-6), Point(1 << 20, 1148.576e-6)]
    >>> fit = line(points)
    >>> round(fit.latency * 1e6, 3), round(1e-6 / fit.per_byte)
    (100.0, 1000)
    """
    if not points:
        raise ValueError("no points to fit")
    weights = [1.0] * len(points)
    fitted = Line(0.0, 0.0)
    for _ in range(_ROUNDS):
        before, fitted = fitted, _weighted(points, weights, flat)
        residuals = [abs((one.known + fitted.at(one.size)) / one.seconds - 1) for one in points]
        cut = max(_HUBER * _MAD * statistics.median(residuals), _LEAST_SPREAD)
        weights = [min(1.0, cut / one) if one else 1.0 for one in residuals]
        if before == fitted:
            break
    return fitted


def _weighted(points: Sequence[Point], weights: Sequence[float], flat: bool) -> Line:
    """Solve the normal equations of ``(known + latency + size * per_byte) / seconds = 1``."""
    aa = ab = bb = a = b = 0.0
    for one, weight in zip(points, weights, strict=True):
        x, y, left = 1 / one.seconds, one.size / one.seconds, 1 - one.known / one.seconds
        aa, ab, bb = aa + weight * x * x, ab + weight * x * y, bb + weight * y * y
        a, b = a + weight * x * left, b + weight * y * left
    determinant = aa * bb - ab * ab
    if not flat and determinant > 1e-9 * aa * bb:
        latency, per_byte = (a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant
        if latency >= 0 and per_byte >= 0:
            return Line(latency, per_byte)
        if latency < 0:
            return Line(0.0, max(b / bb, 0.0))
    return Line(max(a / aa, 0.0), 0.0)


@dataclass(frozen=True, slots=True)
class Saturation:
    """Calls per second by the number of processes."""

    peak: float
    """Most calls per second."""
    gain: float
    """The peak over what one process makes."""
    processes: int
    """Most processes that were tried."""

    @property
    def reached(self) -> bool:
        """Whether the last processes brought less than their share."""
        return self.processes > 1 and self.gain < 0.75 * self.processes

    @property
    def servers(self) -> int:
        """How many seem to serve at one time."""
        return max(1, math.floor(self.gain + 0.5))


def saturation(rates: Mapping[int, float]) -> Saturation:
    """Return the peak of calls per second among some numbers of processes, one of them 1.

    >>> saturation({1: 100.0, 2: 195.0, 4: 210.0}).reached
    True
    """
    alone = rates[1]
    peak = max(rates.values())
    gain = peak / alone
    return Saturation(peak, gain if gain >= _GROWS else 1.0, max(rates))


# -- what probes found -----------------------------------------------------------------------------

FREE = 1e12
"""Bytes per second that stand for none."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number that was found: in seconds, bytes per second, or a count."""

    value: float
    note: str
    """How it was measured, with its spread; or why it could not be."""
    known: bool = True
    """Measured; else assumed."""


def joined(*notes: str) -> str:
    """Return notes as one, without those that are empty."""
    return "; ".join(filter(None, notes))


class Samples:
    """The samples by kind."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._all = measured
        self._measured = [one for one in measured if not one.probe.state]

    def has(self, kind: Kind) -> bool:
        """Return whether there are probes of a kind."""
        return any(one.probe.kind == kind for one in self._measured)

    def one(self, kind: Kind, size: int = 0) -> Measured:
        """Return a probe of one process that was used in the fit."""
        return next(one for one in self._of(kind, size) if one.probe.processes == 1)

    def line(
        self, kind: Kind, known: Callable[[int], float] = lambda _: 0.0, *, flat: bool = False
    ) -> Line:
        """Fit the medians of one process, beside what is ``known`` of a call of some bytes."""
        points = [
            Point(one.probe.size, one.median, known(one.probe.size))
            for one in self._measured
            if one.probe.kind == kind and one.probe.processes == 1 and not one.probe.held_out
        ]
        return line(points, flat=flat)

    def rates(self, kind: Kind, size: int) -> dict[int, float]:
        """Return calls per second of all processes, by their number."""
        return {one.probe.processes: 1 / one.median for one in self._of(kind, size)}

    def saturated(self, kind: Kind, size: int) -> Saturation:
        """Return the most calls per second among some numbers of processes."""
        return saturation(self.rates(kind, size))

    def spread(self, kind: Kind, size: int = 0) -> str:
        """Return in words what was found of a probe, with its other states."""
        one = self.one(kind, size).probe
        states = [
            other
            for other in self._all
            if other.probe.state and (other.probe.kind, other.probe.size) == (one.kind, one.size)
        ]
        return "; ".join(told(other) for other in (self.one(kind, size), *states))

    def together(self, kind: Kind, size: int = 0) -> str:
        """Return in words what several processes took; empty if there was one at a time."""
        return "; ".join(told(one) for one in self._of(kind, size) if one.probe.processes > 1)

    def noted(self, kind: Kind, size: int = 0) -> str:
        """Return in words what one process took, and what several took."""
        return joined(self.spread(kind, size), self.together(kind, size))

    def other(self, kind: Kind, state: State) -> Measured | None:
        """Return a probe of one process in another state; None if there is none."""
        wanted = (one for one in self._all if (one.probe.kind, one.probe.state) == (kind, state))
        return next(wanted, None)

    def _of(self, kind: Kind, size: int) -> list[Measured]:
        """Return the probes of a kind and size, by numbers of processes."""
        found = [one for one in self._measured if (one.probe.kind, one.probe.size) == (kind, size)]
        return sorted(found, key=lambda one: one.probe.processes)


_QUIET, _LEAST_QUIET = 0.1, 3
"""The part of a sample that its processes may have waited for a processor; and so many samples."""
_TURNS = 0.9
"""Two processes that make a call in less of the time that one takes do not take turns."""


def locking(found: Samples) -> Number | None:
    """Return what a write to a file takes longer whose bytes follow those of another process.

    None where two processes write one file at the same time, or had hardly a processor each.
    """
    shared = found.other("cached-write", "shared")
    if shared is None:
        return None
    times = [
        one.per_call for one in shared.samples if one.around is None or one.around.waiting <= _QUIET
    ]
    alone = found.one("cached-write", TINY).median
    if len(times) < min(_LEAST_QUIET, len(shared.samples)):
        return None
    together = statistics.median(times)
    if together < _TURNS * alone:
        return None
    return Number(max(together - alone, 1e-9), f"in {len(times)} samples; {told(shared)}")
