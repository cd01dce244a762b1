"""Scores of predicted numbers: how far off are simulator, formulas, neighbours and repetitions.

An error is the natural logarithm of a predicted number over the printed one, so that twice and half
are as far off; 0.1 is about 10 %. The *noise ceiling* is what a repetition of the measurement comes
to, predicted by the mean of the others: no model of what was measured can be expected to do better.
Only studies whose repetitions are printed, or kept by their authors, have one.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.study.study_file import StudyFile

    from .nulls import NullFigure, NullStudy

SIMULATOR, FORMULAS, NEIGHBOUR = "simulator", "formulas", "neighbour"
"""What predicts a number; the last is persistence, its neighbour in the paper."""
BAND = 0.1
"""Relative distance up to which a repetition counts as within 10 %."""
ALIKE = 0.001
"""Difference of two errors up to which neither is nearer."""


@dataclass(frozen=True, slots=True)
class Score:
    """A printed number, and how far off each of its predictions is."""

    id: str
    errors: Mapping[str, float]
    """Log error of each that predicts it, by its name; without those that have no answer."""
    inside: frozenset[str] = frozenset()
    """Names of those that are in its band."""
    repetitions: tuple[float, ...] = ()
    """Log error of each measured repetition, predicted by the mean of the others."""
    blind: bool = False
    """True if the number was read after machine and workload had been frozen."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Quantiles of errors without their signs."""

    count: int
    median: float
    upper: float
    """Nine of ten errors are at most as large."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Numbers on which one of two is nearer to what is printed, or neither."""

    nearer: int
    farther: int
    alike: int

    @property
    def of(self) -> int:
        """Numbers that both predict."""
        return self.nearer + self.farther + self.alike

    @property
    def p(self) -> float:
        """Probability of a difference as large between equals, by the two-sided sign test."""
        return sign_test(self.nearer, self.farther)


def log_error(made: float, printed: float) -> float:
    """Return ln(made / printed); infinite if one of them is not positive.

    >>> round(log_error(2.0, 1.0), 3), round(log_error(1.0, 2.0), 3), log_error(0.0, 1.0)
    (0.693, -0.693, -inf)
    """
    return math.log(made / printed) if made > 0 and printed > 0 else -math.inf


def repetition_errors(runs: Sequence[float]) -> tuple[float, ...]:
    """Return the log error of each repetition, as predicted by the mean of the others.

    >>> [round(error, 3) for error in repetition_errors([1.0, 2.0, 3.0])]
    [0.916, 0.0, -0.693]
    """
    if len(runs) < 2:
        return ()
    whole, rest = sum(runs), len(runs) - 1
    return tuple(log_error((whole - one) / rest, one) for one in runs)


def within(error: float, band: float = BAND) -> bool:
    """Return whether what a log error says is off by no more than a relative band.

    >>> within(math.log(1.1) - 1e-9), within(math.log(1.11)), within(math.log(0.91))
    (True, False, True)
    """
    return abs(math.expm1(error)) <= band


def quantile(values: Iterable[float], share: float) -> float:
    """Return a quantile, with straight lines between values; nan without any.

    >>> quantile([3.0, 1.0, 2.0], 0.5), quantile([1.0, 2.0], 0.9), quantile([4.0], 0.9)
    (2.0, 1.9, 4.0)
    """
    ordered = sorted(values)
    if not ordered:
        return math.nan
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low if low == high or at == below else low + (at - below) * (high - low)


def sign_test(nearer: int, farther: int) -> float:
    """Return the two-sided p of the exact sign test; 1 without any difference.

    >>> sign_test(5, 0), sign_test(3, 3), sign_test(0, 0)
    (0.0625, 1.0, 1.0)
    """
    of = nearer + farther
    tail = sum(math.comb(of, count) for count in range(min(nearer, farther) + 1))
    return min(1.0, math.ldexp(tail, 1 - of))


def spread(errors: Iterable[float]) -> Spread:
    """Return the quantiles of errors without their signs."""
    sizes = [abs(one) for one in errors]
    return Spread(len(sizes), quantile(sizes, 0.5), quantile(sizes, 0.9))


def errors_of(scores: Iterable[Score], name: str) -> list[float]:
    """Return the log errors of one that predicts, of the numbers for which it has an answer."""
    return [one.errors[name] for one in scores if name in one.errors]


def duel(scores: Iterable[Score], one: str = SIMULATOR, other: str = FORMULAS) -> Duel:
    """Count on how many numbers one is nearer than the other."""
    apart = [
        abs(score.errors[one]) - abs(score.errors[other])
        for score in scores
        if one in score.errors and other in score.errors
    ]
    nearer, farther = (sum(sign * each > ALIKE for each in apart) for sign in (-1, 1))
    return Duel(nearer, farther, len(apart) - nearer - farther)


def is_nearer(score: Score, one: str = SIMULATOR, other: str = FORMULAS) -> bool:
    """Return whether one is nearer than the other on a number that both predict."""
    return duel([score], one, other).nearer == 1


# -- of a study -----------------------------------------------------------------------------------


def repetitions_in(study: StudyFile) -> Mapping[str, Sequence[float]]:
    """Return the measured repetitions of each number that has some, in its unit.

    The paper's own runs; or ``repetitions()`` in experiments/<study>/repetitions.py.
    """
    if (shipped_root("experiments") / study.name / "repetitions.py").is_file():
        module = importlib.import_module(f"simulator.experiments.{study.name}.repetitions")
        made: Mapping[str, Sequence[float]] = module.repetitions()
        return made
    return {one.id: one.runs for one in study.figures if one.runs}


def study_scores(made: NullStudy, study: StudyFile) -> list[Score]:
    """Return the scores of a study's predicted numbers."""
    repeated = repetitions_in(study)
    return [_score(one, repeated.get(one.result.figure.id, ()), study) for one in made.predicted]


def _score(one: NullFigure, repeated: Sequence[float], study: StudyFile) -> Score:
    """Return the score of a number; one that is printed as a range has no errors."""
    figure, neighbour = one.result.figure, one.neighbour
    made = {
        SIMULATOR: one.result.simulated,
        FORMULAS: one.rate,
        NEIGHBOUR: None if neighbour is None else neighbour.value,
    }
    known = {name: rate for name, rate in made.items() if rate is not None}
    printed = figure.value
    off = {} if printed is None else {n: log_error(rate, printed) for n, rate in known.items()}
    return Score(
        id=figure.id,
        errors=off,
        inside=frozenset(name for name, rate in known.items() if one.inside(rate)),
        repetitions=repetition_errors(repeated),
        blind=figure.id in study.held_out,
    )
