"""Notes of a machine file: what was found of a probe in words, and read from these again."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simulator.measure.groups import Groups, apart
from simulator.measure.probe import STATES, Measured, quartiles
from simulator.units import format_size

_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_NAME = (
    rf"([a-z][a-z-]*(?: \d+ (?:B|KiB|MiB))?(?: x \d+)?(?: (?:{'|'.join(filter(None, STATES))}))?)"
)
_SEEN = re.compile(
    rf"{_NAME}(, other group,)? took {_NUMBER} us"
    rf" \(quartiles {_NUMBER} to {_NUMBER} us; (\d+) x (\d+) calls\)"
)
_QUARTILES = 1.349
"""Between the quartiles of a normal distribution, in standard deviations."""
_OF_MEDIAN = 1.253
"""The deviation of a median over that of a mean."""
_DEVIATIONS, _FEW, _IN_A_ROW = 3.0, 4.0, 4
LEAST_FACTOR = 1.25
"""A smaller change of a time is none."""


@dataclass(frozen=True, slots=True)
class ProbeTimes:
    """The median and the quartiles of some repetitions of a probe, in seconds for each call."""

    probe: str
    """The probe's name."""
    median: float
    low: float
    high: float
    count: int
    """Repetitions."""
    calls: int
    """Of the first repetition."""
    other: bool = False
    """Of the group that is not the usual one."""

    @property
    def spread(self) -> float | None:
        """The relative deviation that medians of this spread may have; None if it is not known.

        From the quartiles, as of a logarithm that is normal, and of a median of a quarter of the
        repetitions, since what disturbs one disturbs the next ones, too. More for few repetitions,
        whose quartiles are often near by chance.
        """
        if self.count < 3 or self.low <= 0:
            return None
        deviation = math.log(self.high / self.low) / _QUARTILES
        of_median = _OF_MEDIAN * deviation * math.sqrt(_IN_A_ROW / max(self.count, _IN_A_ROW))
        return _DEVIATIONS * of_median * (1 + _FEW / self.count)


def noticed(one: ProbeTimes, other: ProbeTimes) -> float | None:
    """Return the factor from which on two medians are different; None if a spread is unknown.

    >>> quick = ProbeTimes("stat", 1e-6, 0.99e-6, 1.01e-6, 30, 200)
    >>> noticed(quick, quick)
    1.25
    """
    if one.spread is None or other.spread is None:
        return None
    return max(LEAST_FACTOR, math.exp(math.hypot(one.spread, other.spread)))


def differ(one: ProbeTimes, other: ProbeTimes) -> bool:
    """Return whether two medians differ by more than their spreads explain."""
    factor = noticed(one, other)
    return factor is not None and abs(math.log(one.median / other.median)) > math.log(factor)


def seen_of(measured: Measured) -> Iterator[ProbeTimes]:
    """Yield the usual group of a probe's samples, then the other one, if there is one."""
    for times, other in ((measured.usual, False), (measured.other, True)):
        if times:
            middle, (low, high) = statistics.median(times), quartiles(times)
            calls = measured.samples[0].calls
            yield ProbeTimes(measured.probe.name, middle, low, high, len(times), calls, other)


def told(measured: Measured) -> str:
    """Return what was found of a probe in words; of two groups both, and what tells them apart."""
    words = [_words(one) for one in seen_of(measured)]
    if state := STATES.get(measured.probe.state):
        words[0] += f", {state}"
    if groups := measured.groups:
        words[1] += f", {told_apart(measured, groups)}"
    return "; ".join(words)


def _words(one: ProbeTimes) -> str:
    low, middle, high = (f"{time * 1e6:.4g}" for time in (one.low, one.median, one.high))
    return (
        f"{one.probe}{', other group,' * one.other} took {middle} us (quartiles {low} to {high} us;"
        f" {one.count} x {one.calls} calls)"
    )


def seen_in(note: str) -> Iterator[ProbeTimes]:
    """Yield what a note says of probes.

    >>> note = "slope; read 1 MiB x 2 took 412.5 us (quartiles 400 to 420 us; 9 x 128 calls)"
    >>> [(one.probe, round(one.median * 1e6, 1), one.count) for one in seen_in(note)]
    [('read 1 MiB x 2', 412.5, 9)]
    """
    for match in _SEEN.finditer(note):
        name, other, *numbers = match.groups()
        median, low, high = (float(number) / 1e6 for number in numbers[:3])
        count, calls = map(int, numbers[3:])
        if low > 0 < median:  # What took no time is compared with nothing.
            yield ProbeTimes(name, median, low, high, count, calls, other is not None)


# -- two groups ------------------------------------------------------------------------------------


def told_apart(measured: Measured, groups: Groups) -> str:
    """Return in words what was otherwise when the samples of the other group were taken."""
    turns = range(1, len(measured.samples) + 1)
    if apart(groups, turns):
        first, last = groups.other[0] + 1, groups.other[-1] + 1
        return f"in repetitions {first} to {last} of {len(turns)}"
    around = [one.around for one in measured.samples]
    known = [one for one in around if one is not None]
    if len(known) == len(around):
        waiting = [one.waiting for one in known]
        if apart(groups, waiting):
            usual, other = _medians(groups, waiting)
            return f"while it waited {other:.0%} of the time for a processor, not {usual:.0%}"
        dirty = [float(one.dirty) for one in known]
        if apart(groups, dirty):
            before, after = (format_size(round(size)) for size in _medians(groups, dirty))
            return f"while {after} of data waited to be written, not {before}"
    return "and nothing that was looked at tells them apart"


def _medians(groups: Groups, values: Sequence[float]) -> tuple[float, float]:
    usual, other = (
        statistics.median(values[place] for place in part) for part in (groups.usual, groups.other)
    )
    return usual, other
