"""The samples of a measurement by kind of probe, and what a number from them is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.measure.fitting import Line, Point, Saturation, line, saturation
from simulator.measure.probe import KIB, Kind, Measured

SMALL = 4 * KIB
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


class Found:
    """The samples by kind."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._measured = measured

    def has(self, kind: Kind) -> bool:
        """Return whether there are probes of a kind."""
        return any(one.probe.kind == kind for one in self._measured)

    def one(self, kind: Kind, size: int = 0) -> Measured:
        """Return a probe of one process that was used in the fit."""
        return next(
            one
            for one in self._measured
            if (one.probe.kind, one.probe.size, one.probe.processes) == (kind, size, 1)
        )

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
        return {
            one.probe.processes: 1 / one.median
            for one in self._measured
            if (one.probe.kind, one.probe.size) == (kind, size)
        }

    def saturated(self, kind: Kind, size: int) -> Saturation:
        """Return the most calls per second among some numbers of processes."""
        return saturation(self.rates(kind, size))

    def spread(self, kind: Kind, size: int) -> str:
        """Return the median and quartiles of a probe in words."""
        one = self.one(kind, size)
        low, high = (f"{seconds * 1e6:.4g}" for seconds in one.quartiles)
        about = f"{one.probe.name} took {one.median * 1e6:.4g} us (quartiles {low} to {high} us"
        return f"{about}; {len(one.samples)} x {one.samples[0].calls} calls)"
