"""The uncertainty of a run's figures: from run to run, from values, from the model, kept apart.

1. The run as written, without noise; and replications with noise if anything of it is drawn.
2. Each value that is not known well at its low and its high end, the others as written. A value
   that moves no figure at either end is not varied further.
3. Machines drawn from all that moves something, without noise; their figures are the spread from
   the values, and Sobol indices say which value it is due to.
4. What validation measured of the model is beside these, and in none of them.

Not modelled: values that move a figure between their ends only, or only together with others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError, did_you_mean
from simulator.run import run_plan
from simulator.study.figures import INTERVALS, Row
from simulator.study.modelerror import model_error
from simulator.study.point import row_of
from simulator.study.ranges import Group, NotVaried, uncertain_of
from simulator.study.repeated import Repeated
from simulator.study.repetition import repeat_of
from simulator.study.replications import Replications, Sense, sign_of
from simulator.study.sample import Index, ends_of, indices, saltelli, sample_of
from simulator.study.sweep import run_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.run import Run
    from simulator.study.grid import Files, Sweep

POINTS = 64
"""Points of each half of the sample, if the user says nothing."""
LEAST_POINTS, MOST_POINTS = 8, 65_536


class PointsError(InputError):
    """A number of points that is none."""


def read_points(text: str) -> int:
    """Read a number of points: a power of two, as Sobol sequences are balanced there.

    >>> read_points("128")
    128
    """
    digits = text.strip()
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 9 else 0
    if not LEAST_POINTS <= number <= MOST_POINTS or number & (number - 1):
        raise PointsError(
            f"--points {text!r} is no power of two from {LEAST_POINTS} to {MOST_POINTS:,}; write"
            f" one, like {POINTS}"
        )
    return number


class FigureError(InputError):
    """A figure that runs do not have."""


def read_figure(text: str) -> str:
    """Read the name of a figure; FigureError lists those that there are."""
    if text not in INTERVALS:
        raise FigureError(f"--figure {text!r}: no such figure; {did_you_mean(text, INTERVALS)}")
    return text


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure on machines that were drawn from what is not known of one.

    >>> spread = Spread(tuple(map(float, range(100))))
    >>> spread.interval, spread.share(89.0, "at most")
    ((2.0, 97.0), 0.9)
    """

    values: tuple[float, ...]
    confidence: float = 0.95

    @property
    def interval(self) -> tuple[float, float]:
        """The ends between which so large a share of the machines lies, as many beyond each."""
        ordered = sorted(self.values)
        out = int((1 - self.confidence) / 2 * len(ordered))
        return ordered[out], ordered[-1 - out]

    def share(self, target: float, sense: Sense) -> float:
        """Return the share of the machines that meet a target; ReplicationsError for no sense."""
        sign = sign_of(sense)
        return sum(sign * one <= sign * target for one in self.values) / len(self.values)

    def meets(self, target: float, sense: Sense) -> bool:
        """True if so large a share of the machines meets a target as the confidence is."""
        return self.share(target, sense) >= self.confidence


@dataclass(frozen=True, slots=True)
class Moved:
    """The effect of a value, or a group of values, on the figures."""

    group: Group
    pairs: tuple[tuple[Row, Row], ...]
    """The figures with each of its values at its 5 % and at its 95 % quantile."""

    def ends(self, figure: str) -> tuple[float | None, float | None]:
        """Return a figure at both quantiles; of a group, of the value that moves it most."""
        pairs = [(low[figure], high[figure]) for low, high in self.pairs]
        known = [(low, high) for low, high in pairs if None not in (low, high)]
        return max(known, key=lambda one: abs(one[1] - one[0]), default=(None, None))


_NAMED = "machine", "workload", "digest", "engine", "seed", "value_seed", "points", "confidence"
"""Fields of an uncertainty that its record has as they are."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """The uncertainty of the figures of one run."""

    machine: str
    workload: str
    digest: str
    engine: str
    seed: int
    """Of the replications."""
    value_seed: int
    """Of the machines that were drawn."""
    points: int
    confidence: float
    written: Row
    """The figures of the run as the files have it, without noise."""
    repeated: Repeated
    moved: tuple[Moved, ...]
    """Values that move a figure, in the order of the files."""
    still: tuple[Group, ...]
    """Values that move none at either end."""
    held: NotVaried
    sample: tuple[Row, ...]
    """Figures at the points of ``saltelli``; none if nothing moves."""

    @property
    def figures(self) -> list[str]:
        """The figures that the run has."""
        return [column for column in INTERVALS if self.written[column]]

    def check(self, figure: str) -> None:
        """Raise FigureError if the run does not have a figure."""
        if not self.written[figure]:
            have = ", ".join(self.figures)
            raise FigureError(f"--figure {figure}: this run has none; write one of {have}")

    def spread(self, figure: str) -> Spread | None:
        """Return a figure on the machines that were drawn; None if a machine does not have it."""
        values = [row[figure] for row in self.sample[: 2 * self.points]]
        if not values or None in values:
            return None
        return Spread(tuple(values), self.confidence)

    def indices(self, figure: str) -> list[Index]:
        """Return the indices of all that moves, in its order; empty if the figure does not vary."""
        values = [row[figure] for row in self.sample]
        if not values or None in values:
            return []
        confidence, seed = self.confidence, self.value_seed
        return indices(values, self.points, confidence=confidence, seed=seed)

    def ranked(self, figure: str) -> list[tuple[Moved, Index]]:
        """Return what moves with its indices, what to measure first at the head."""
        pairs = zip(self.moved, self.indices(figure), strict=False)
        return sorted(pairs, key=lambda one: (-one[1].first, -one[1].total))

    def to_record(self) -> dict[str, Any]:
        """Return all of it for programs."""
        return {
            "format": "uncertainty/1",
            **{name: getattr(self, name) for name in _NAMED},
            "runs": 1
            + len(self.repeated.rows)
            + 2 * sum(len(group.values) for group, _ in self._values())
            + len(self.sample),
            "run_to_run": self.repeated.to_record(self.seed),
            "figures": {one: self._figure(one) for one in self.figures},
            "values": [_value(one, group) for group, one in self._values()],
            "held": {"other": self.held.other, "unsourced": self.held.unsourced},
        }

    def _values(self) -> list[tuple[Group, bool]]:
        return [*((one.group, True) for one in self.moved), *((one, False) for one in self.still)]

    def is_apart(self, figure: str) -> bool:
        """Return whether a figure as written is not within the interval from run to run."""
        repeated = self.repeated.figure(figure)
        if repeated is None or not repeated.deviation or repeated.interval is None:
            return False
        low, high = repeated.interval
        return not low <= self.written[figure] <= high

    def _figure(self, figure: str) -> dict[str, Any]:
        spread, found = self.spread(figure), self.indices(figure)
        pairs = list(zip(self.moved, found, strict=False))
        return {
            "written": self.written[figure],
            "written_apart_from_runs": self.is_apart(figure),
            "from_values": None if spread is None else list(spread.interval),
            "model": [one.to_record() for one in model_error(figure)],
            "indices": [
                {
                    "value": moved.group.name,
                    "low": moved.ends(figure)[0],
                    "high": moved.ends(figure)[1],
                    "first": index.first,
                    "first_interval": list(index.first_interval),
                    "total": index.total,
                    "total_interval": list(index.total_interval),
                }
                for moved, index in pairs
            ],
        }


def _value(moves: bool, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "moves": moves,
        "values": [
            {
                "path": one.path,
                "written": one.text,
                "kind": one.kind,
                "range": one.words(),
                "default": one.default,
            }
            for one in group.values
        ],
    }


def uncertainty_of(  # noqa: PLR0913 - one for each option
    asked: Run,
    base: Sweep,
    folder: Path,
    *,
    points: int,
    value_seed: int,
    replications: Replications,
    versions: dict[str, str],
    force: bool = False,
    files: Files = (None, None),
    jobs: int | None = None,
    progress: bool | None = False,
    said: Callable[[str], None] | None = None,
) -> Uncertainty:
    """Make all runs; those of values are kept in ``folder``, where the same command goes on.

    ``asked`` has the seed of the replications, ``base`` is the run as a sweep without axes.
    """
    inputs, still = asked.inputs, replace(base, seed=None)
    groups, held = uncertain_of(inputs.machine, inputs.workload)
    written = row_of(run_plan(inputs.plan(seed=None), engine=base.engine))
    repeated = repeat_of(asked, replications, jobs=jobs, progress=progress)
    if repeated.interrupted:  # Machines that were drawn are kept; replications are not.
        raise KeyboardInterrupt

    def rows(name: str, listed: Sequence[Any]) -> list[Row]:
        swept = run_sweep(
            sample_of(still, listed),
            folder / name,
            versions=versions,
            force=force,
            files=files,
            jobs=jobs,
            progress=progress,
            said=said,
        )
        return list(swept.rows)

    ends = iter(rows("ends", ends_of(groups)) if groups else [])
    each = [Moved(group, tuple((next(ends), next(ends)) for _ in group.values)) for group in groups]
    moved = tuple(one for one in each if _moves(one, written))
    active = [one.group for one in moved]
    sample = rows("points", saltelli(active, points, value_seed)) if active else []
    return Uncertainty(
        machine=inputs.machine.name,
        workload=inputs.workload.name,
        digest=asked.plan.digest,
        engine=asked.engine,
        seed=0 if asked.seed is None else asked.seed,
        value_seed=value_seed,
        points=points,
        confidence=replications.confidence,
        written=written,
        repeated=repeated,
        moved=moved,
        still=tuple(one.group for one in each if one not in moved),
        held=held,
        sample=tuple(sample),
    )


def _moves(one: Moved, written: Row) -> bool:
    """True if a value moves any figure, counters aside."""
    rows = itertools.chain.from_iterable(one.pairs)
    return any(row[column] != written[column] for row in rows for column in INTERVALS)
