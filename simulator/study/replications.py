"""Replications of a run, and intervals of its figures: how far they vary from run to run.

Replication 0 has the recorded seed, replication ``r`` a seed made from it and ``r``. Draws depend
on the seed and on what they are for, not on their order, so that replication ``r`` of two machines
has the same draws (common random numbers).

Intervals of means are Student's: exact where the figures of runs are normally distributed, and good
where each figure is itself a mean over many requests. Those of medians and quantiles are two of the
figures in order, and assume nothing of their distribution.

Not modelled: what values of the machine are not known (:mod:`simulator.study.ranges`), and in what
the model differs from a machine (:mod:`simulator.study.modelerror`).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from simulator.errors import InputError, nearest
from simulator.study.chances import lower_rank, student_quantile, upper_rank

MOST = 10_000
"""Replications of one run."""
FIRST_LOOK = 8
"""Replications after which ``auto`` looks for the first time; then after twice as many, ..."""
MOST_AUTO = 256
"""Replications after which ``auto`` stops, however wide the intervals are."""
DEFAULT_SEED = 1
"""The recorded seed of replications, if none was given."""
CONFIDENCE = 0.95
PRECISION = 0.02
"""The half-width that ``auto`` asks for, as a part of the mean."""

Sense = Literal["at most", "at least"]


class ReplicationsError(InputError):
    """Replications that cannot be read, or that cannot be had."""


def seed_of(seed: int, replication: int) -> int:
    """Return the seed of a replication, from 0: the recorded one, then others of 63 bits.

    >>> seed_of(7, 0), seed_of(7, 1) == seed_of(7, 1), seed_of(7, 1) == seed_of(8, 1)
    (7, True, False)
    """
    if replication == 0:
        return seed
    digest = hashlib.blake2b(f"{seed}/replication/{replication}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


# -- how many runs ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Replications:
    """The number of runs that are made of one, and the meaning of their intervals.

    ``auto`` looks at the intervals after 8, 16, 32, ... runs and stops when they are as narrow as
    asked. Who looks K times, and stops when he likes what he sees, is wrong more often than he
    says; so each of the K intervals has the confidence 1 - (1 - confidence) / K: the chance that
    any of them misses is at most what was asked for, whatever made the runs stop (Bonferroni).
    """

    count: int | None = None
    """None: until the intervals are narrow, at most ``most``."""
    confidence: float = CONFIDENCE
    precision: float = PRECISION
    """For ``auto``: the half-width of an interval, as a part of the mean."""
    most: int = MOST_AUTO

    def looks(self) -> tuple[int, ...]:
        """Return after how many runs the intervals are looked at.

        >>> Replications().looks(), Replications(most=20).looks(), Replications(5).looks()
        ((8, 16, 32, 64, 128, 256), (8, 16, 20), (5,))
        """
        if self.count is not None:
            return (self.count,)
        doubled = (FIRST_LOOK << power for power in range(MOST.bit_length()))
        return (*(one for one in doubled if one < self.most), self.most)

    def replicated(self, values: Sequence[float], *, varies: bool = True) -> Replicated:
        """Return the figures of some runs with the intervals that these replications give."""
        return Replicated(tuple(values), self.confidence, len(self.looks()), varies)

    def narrow(self, figure: Replicated) -> bool:
        """True if the interval of the mean of a figure is as narrow as asked."""
        half = figure.half_width
        return half is not None and half <= self.precision * abs(figure.mean)

    def options(self) -> list[str]:
        """Return the options of a command that make them.

        >>> Replications(8, 0.9).options()
        ['--replications', '8', '--confidence', '90 %']
        """
        words = ["--replications", self.words()]
        if self.confidence != CONFIDENCE:
            words += ["--confidence", f"{100 * self.confidence:g} %"]
        if self.count is None and self.precision != PRECISION:
            words += ["--precision", f"{100 * self.precision:g} %"]
        return words

    def to_record(self) -> dict[str, Any]:
        """Return what makes them these."""
        return asdict(self)

    def words(self) -> str:
        """Return them as ``--replications`` takes them.

        >>> Replications(5).words(), Replications(most=64).words()
        ('5', 'auto:64')
        """
        if self.count is not None:
            return str(self.count)
        return "auto" if self.most == MOST_AUTO else f"auto:{self.most}"


_AUTO = re.compile(r"auto(?:\s*:\s*([0-9]{1,9}))?")


def read_replications(
    text: str, confidence: float = CONFIDENCE, precision: float = PRECISION
) -> Replications:
    """Read ``N``, ``auto`` or ``auto:MOST``; ReplicationsError says what to write.

    >>> read_replications("auto:64").most
    64
    """
    like = f"write a whole number from 1 to {MOST:,}, auto, or auto:100 for at most 100"
    said = text.strip()
    if match := _AUTO.fullmatch(said):
        most = int(match[1]) if match[1] else MOST_AUTO
        if not FIRST_LOOK <= most <= MOST:
            raise ReplicationsError(
                f"--replications {text!r}: auto makes {FIRST_LOOK} runs at least, and {MOST:,} at"
                f" most; {like}"
            )
        return Replications(None, confidence, precision, most)
    if not re.fullmatch(r"[0-9]{1,9}", said) or not 1 <= int(said) <= MOST:
        near = "; did you mean 'auto'?" if nearest(said, ("auto",)) else f"; {like}"
        raise ReplicationsError(f"--replications {text!r} is no number of them{near}")
    return Replications(int(said), confidence, precision)


def wanted(text: str, confidence: str | None, precision: str | None) -> Replications:
    """Read ``--replications``, ``--confidence`` and ``--precision``; ReplicationsError if wrong."""
    found = read_replications(
        text,
        CONFIDENCE if confidence is None else read_confidence(confidence),
        PRECISION if precision is None else read_precision(precision),
    )
    if found.count is not None and precision is not None:
        raise ReplicationsError(
            f"--precision says when auto stops, and {text} runs are asked for; write"
            " --replications auto, or omit --precision"
        )
    return found


def read_confidence(text: str) -> float:
    """Read ``95 %`` as 0.95; ReplicationsError if it is no confidence."""
    return _share(text, 0.5, 0.9999, "confidence", "95 %")


def read_precision(text: str) -> float:
    """Read ``2 %`` as 0.02; ReplicationsError if it is no precision."""
    return _share(text, 1e-4, 0.5, "precision", "2 %")


def _share(text: str, least: float, most: float, noun: str, like: str) -> float:
    from simulator.units import parse_percent

    try:
        share = parse_percent(text.strip())
    except ValueError:
        share = -1.0
    if not least <= share <= most:
        ends = f"{100 * least:g} % to {100 * most:g} %"
        raise ReplicationsError(
            f"--{noun} {text!r} is no {noun}; write one from {ends}, like '{like}'"
        )
    return share


# -- what the runs say ---------------------------------------------------------------------------


def sign_of(sense: str) -> int:
    """Return 1 for "at most" and -1 for "at least"; ReplicationsError for anything else."""
    if sense not in get_args(Sense):
        raise ReplicationsError(f"a target is 'at most' or 'at least' a value, not {sense!r}")
    return 1 if sense == "at most" else -1


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a figure meets a target, as far as it is known from run to run.

    True in a condition only if it ``holds``: what is open is not met.
    """

    target: float
    sense: Sense
    bound: float | None
    """The one-sided bound of the figure at the confidence; None: too few runs for one."""
    confidence: float
    holds: bool
    """The bound is on the good side of the target."""
    fails: bool
    """The opposite bound is on the bad side; neither: more runs would tell."""
    runs: int
    varies: bool

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        what = f"{self.sense} {self.target:g}"
        if not self.varies:
            return f"{what}: {'holds' if self.holds else 'fails'}; runs do not vary"
        said = "holds" if self.holds else "fails" if self.fails else "is open"
        most = f"{100 * self.confidence:g} % from run to run ({self.runs} runs)"
        return f"{what}: {said} with {most}" if said != "is open" else f"{what}: is open at {most}"


@dataclass(frozen=True, slots=True)
class Replicated:
    """One figure of several runs that differ in their draws only.

    >>> times = Replicated((9.0, 10.0, 11.0, 10.0))
    >>> times.mean, round(times.half_width, 3)
    (10.0, 1.299)
    >>> str(times.meets(11.0, "at most")), times.meets(9.5, "at most").holds
    ('at most 11: holds with 95 % from run to run (4 runs)', False)
    """

    values: tuple[float, ...]
    """In the order of the replications."""
    confidence: float = CONFIDENCE
    looks: int = 1
    """Number of times it was asked whether these runs are enough; see :class:`Replications`."""
    varies: bool = True
    """True if anything of the run is drawn; if not, one run says all."""

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The mean over the runs."""
        first = self.values[0]  # Exactly the figure where all are equal.
        return first + math.fsum(one - first for one in self.values) / len(self.values)

    @property
    def deviation(self) -> float:
        """The standard deviation from run to run; 0 for one run."""
        if len(self.values) < 2:
            return 0.0
        mean = self.mean
        return math.sqrt(math.fsum((one - mean) ** 2 for one in self.values) / (self.runs - 1))

    @property
    def half_width(self) -> float | None:
        """Half of the interval of the mean; None if one run of those that vary tells nothing."""
        return self._half(1 - (1 - self.confidence) / (2 * self.looks))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the mean: mean - t s / sqrt(n) to mean + t s / sqrt(n)."""
        half = self.half_width
        return None if half is None else (self.mean - half, self.mean + half)

    def _half(self, chance: float) -> float | None:
        if not self.varies:
            return 0.0
        if self.runs < 2:
            return None
        return student_quantile(chance, self.runs - 1) * self.deviation / math.sqrt(self.runs)

    def quantile(self, share: float) -> float:
        """Return the value that so large a share of the runs does not exceed.

        >>> Replicated((3.0, 1.0, 2.0)).quantile(0.5), Replicated((3.0, 1.0)).quantile(0.5)
        (2.0, 1.0)
        """
        return sorted(self.values)[max(0, math.ceil(share * self.runs) - 1)]

    @property
    def median(self) -> float:
        """The middle value; of an even number of runs the mean of the two in the middle."""
        ordered = sorted(self.values)
        return (ordered[(self.runs - 1) // 2] + ordered[self.runs // 2]) / 2

    def quantile_interval(self, share: float) -> tuple[float, float] | None:
        """Return the interval of a quantile, 0.5 for the median, by two of the values in order.

        None if there are too few runs for one at this confidence: 6 for the median at 95 %.
        """
        low, high = self._quantile_bounds(share, (1 - self.confidence) / (2 * self.looks))
        return None if low is None or high is None else (low, high)

    def meets(self, target: float, sense: Sense, share: float | None = None) -> Verdict:
        """Return whether the figure meets a target with the confidence, from run to run.

        The mean of runs, or with a ``share`` the figure of that share of the runs (0.95: 95 of 100
        runs meet it): by a one-sided bound. ReplicationsError if ``sense`` is no sense.
        """
        sign = sign_of(sense)
        tail = (1 - self.confidence) / self.looks
        low, high = self._bounds(tail) if share is None else self._quantile_bounds(share, tail)
        good, bad = (high, low) if sign > 0 else (low, high)
        return Verdict(
            target,
            sense,
            good,
            self.confidence,
            holds=good is not None and sign * good <= sign * target,
            fails=bad is not None and sign * bad > sign * target,
            runs=self.runs,
            varies=self.varies,
        )

    def _bounds(self, tail: float) -> tuple[float | None, float | None]:
        half = self._half(1 - tail)
        return (None, None) if half is None else (self.mean - half, self.mean + half)

    def _quantile_bounds(self, share: float, tail: float) -> tuple[float | None, float | None]:
        if not self.varies:
            return self.values[0], self.values[0]
        low, high = lower_rank(self.runs, share, tail), upper_rank(self.runs, share, tail)
        ordered = sorted(self.values)
        return (
            ordered[low - 1] if low >= 1 else None,
            ordered[high - 1] if high <= self.runs else None,
        )
