"""The probability that a machine that is bought meets all of its targets, and how well it is known.

Three things make a machine other than one run: what is drawn from run to run, the values of the
machine that have a range in its file, and the model's error (:mod:`simulator.study.nearest`). One
draw is a run of each load in each state, with one seed and one machine of these values. Given the
draw, the model's error alone decides: the slack of the furthest target, of those whose error is
known, has a chance; or none if a target without one (a latency) is missed. The probability is the
mean of these chances, known after far fewer draws than if the error were drawn too.

Draws have the same seeds for all configurations, so that their differences vary less.

Not modelled: values that are assumed and have no range in the file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING, Any

from simulator.study.chances import student_quantile

if TYPE_CHECKING:
    from simulator.study.nearest import ModelError

PRECISION = 0.02
"""The probability of an answer is to be known so well, either way."""
MOST_DRAWS = 500
"""The most draws of a configuration, if the user says nothing."""
FEW_DRAWS = 32
"""The most draws of one whose runs are long and cannot be made short, likewise."""
FIRST_LOOK = 8
"""Draws from which on their own variance is trusted."""
_UNSEEN = 3.0
"""What none of n draws shows has a chance of 3 / n at most, at 95 %."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What one draw says of all targets in all states."""

    slack: float
    """Of the furthest of those targets whose model's error is known; infinite without any."""
    others: float
    """Of the furthest of the others."""
    chances: tuple[float, ...]
    """The quantiles at which values were drawn, in the order of their names."""

    def chance(self, error: ModelError | None) -> float:
        """Return the chance that all targets are met, whatever the model's error is."""
        if self.others < 1 or error is None or math.isinf(self.slack):
            return float(min(self.others, self.slack) >= 1)
        return error.chance(self.slack)


@dataclass(frozen=True)
class Probability:
    """A probability that is the mean of the chances of draws."""

    draws: tuple[Draw, ...]
    error: ModelError | None
    """The model's error; None if no target has a figure whose error is known."""
    names: tuple[str, ...]
    """Names of values that were drawn."""
    varies: bool
    """True if draws can differ; else there is one."""
    confidence: float

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """The chance of each draw."""
        return tuple(one.chance(self.error) for one in self.draws)

    @cached_property
    def estimate(self) -> float:
        """The probability, as far as it is known."""
        return fmean(self.chances)

    @property
    def by_runs(self) -> float:
        """The part of the draws in which all targets are met by the model, without its error."""
        return fmean(min(one.slack, one.others) >= 1 for one in self.draws)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the probability from draws: of the model's error it has nothing."""
        low, high = self.bounds((1 - self.confidence) / 2)
        if not self.varies:
            return low, high
        unseen = min(1.0, _UNSEEN / len(self.draws))
        return min(low, self.estimate * (1 - unseen)), max(
            high, self.estimate + (self._most - self.estimate) * unseen
        )

    @property
    def half_width(self) -> float:
        """How far the interval goes from the probability, on its longer side."""
        low, high = self.interval
        return max(high - self.estimate, self.estimate - low)

    def bounds(self, tail: float) -> tuple[float, float]:
        """Return what the probability is below, or above, with so small a chance each.

        Wilson's interval, for as many draws as would vary so if each were a hit or a miss; of few
        draws, or of hits and misses, for as many as there are.
        """
        if not self.varies:
            return self.estimate, self.estimate
        count, mean = float(len(self.draws)), self.estimate
        most, z = mean * (1 - mean), NormalDist().inv_cdf(1 - tail)
        if count >= FIRST_LOOK and 0 < mean < 1:
            z = student_quantile(1 - tail, len(self.draws) - 1)
            spread = variance(self.chances)
            if spread <= 0:
                return mean, mean
            count = max(count, count * most / spread)
        middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
        half = z * math.sqrt(most / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def _most(self) -> float:
        """The chance of a draw in which every target has any slack."""
        known = self.error is not None and any(not math.isinf(one.slack) for one in self.draws)
        return self.error.most if known and self.error is not None else 1.0

    def is_known(self, precision: float = PRECISION) -> bool:
        """Return whether the interval ends within the precision."""
        return self.half_width <= precision

    def decides(self, wanted: float | None) -> bool:
        """Return whether the interval is on one side of what is wanted."""
        low, high = self.interval
        return wanted is None or low >= wanted or high < wanted

    def explained(self) -> dict[str, float]:
        """Return the part of the variance of the slack's logarithm that each thing explains.

        ``model``: its error; the names of values, each by the square of its correlation, which of
        a slack that is linear in them is the first-order Sobol index; ``runs``: the rest.
        """
        logs = [math.log(one.slack) for one in self.draws if 0 < one.slack < math.inf]
        if len(logs) < len(self.draws) or self.error is None:
            return {}
        model, drawn = self.error.variance, variance(logs) if len(logs) > 1 else 0.0
        total = model + drawn
        found = {"model": model / total} if total else {}
        left = drawn
        for place, name in enumerate(self.names):
            square = correlation([one.chances[place] for one in self.draws], logs) ** 2
            if square * len(logs) > _UNSEEN:  # More than chance gives one value of twenty.
                found[name] = square * drawn / total
                left -= square * drawn
        if drawn:
            found["runs"] = max(0.0, left) / total
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_record(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "estimate": self.estimate,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "known": self.is_known(),
            "draws": len(self.draws),
            "by_runs_alone": self.by_runs,
            "values_drawn": list(self.names),
            "model": None if self.error is None else self.error.to_record(),
            "explained": self.explained(),
        }


def together(found: Sequence[Probability]) -> float:
    """Return the probability that all hold.

    Draws of the same values go together; where no values are drawn, draws of different seeds. The
    model's error is one for all machines that are nearest to the same study, and independent of
    that of others.
    """
    count = min((len(one.draws) for one in found if one.varies), default=1)
    apart = 0 if any(one.names for one in found) else count // len(found)
    chances = []
    for number in range(count):
        of_study: dict[ModelError | None, list[Draw]] = {}
        for place, one in enumerate(found):
            draw = one.draws[(number + place * apart) % count if one.varies else 0]
            of_study.setdefault(one.error, []).append(draw)
        worst = [
            Draw(min(one.slack for one in each), min(one.others for one in each), ()).chance(error)
            for error, each in of_study.items()
        ]
        chances.append(math.prod(worst))
    return fmean(chances)


def correlation(ones: Sequence[float], others: Sequence[float]) -> float:
    """Return Pearson's correlation; 0 where one of both does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6]), correlation([1, 1], [1, 2])
    (1.0, 0.0)
    """
    one, other = fmean(ones), fmean(others)
    pairs = [(a - one, b - other) for a, b in zip(ones, others, strict=True)]
    below = math.sqrt(math.fsum(a * a for a, _ in pairs) * math.fsum(b * b for _, b in pairs))
    return math.fsum(a * b for a, b in pairs) / below if below else 0.0
