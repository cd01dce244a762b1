"""A model of the NWT's tables without a machine, as the measure of what the simulator adds.

Six numbers: a time per byte for reading, for reading in a parallel job and for writing with the
length predicted; a time for each buffer in these cells; and a constant rate for writing with the
length rewritten: one for a file of 512 MB written in buffers of 8 MB, one for all others. It is
fitted as the simulator is: the same residuals, the same least squares, the same leave-one-out.

Not modelled: anything. The numbers have no cause, so a cell of another group, another buffer that
is written or another length of record has no prediction that can be believed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from simulator.run import load_plan
from simulator.study.leastsquares import Box, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.study.study import Cell

    Vector = NDArray[np.float64]

UNIT = 8_000_000
"""Bytes of the buffer that writes whole units of the SSU."""
LARGE = 200_000_000
"""A file of more bytes has the slow rate with that buffer. (The paper has 120 MB and 512 MB.)"""
BUFFER = "time for each buffer, ns"
_TIMES = ("read", "read in parallel", "write, predicted")
_RATES = ("write", "write, 512 MB and 8 MB")
NAMES = (
    *(f"{one}, ns for each byte" for one in _TIMES),
    BUFFER,
    *(f"{one}, MB/s" for one in _RATES),
)
_STARTS = (5.0, 10.0, 15.0, 2e6, 15.0, 10.0)
_RANGE = 100.0
"""A number is at most so many times its start, or a part of it."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the model knows of a cell."""

    name: str
    """One of the times or rates."""
    size: int
    """Bytes of the file's data."""
    buffer: int
    """Bytes."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that its rate depends on, by their place in ``NAMES``."""
        if self.name in _TIMES:
            return _TIMES.index(self.name), len(_TIMES)
        return (len(_TIMES) + 1 + _RATES.index(self.name),)

    def rate(self, values: Sequence[float]) -> float:
        """Return its rate in MB/s.

        >>> Group("read", 8_000_000, 8_000_000).rate([1.0, 0, 0, 8e6, 0, 0])  # 8 ms and 8 ms
        500.0
        """
        if self.name in _RATES:
            return values[self.numbers[0]]
        buffers = math.ceil(self.size / self.buffer)
        time, each = (values[i] for i in self.numbers)
        return self.size * 1000 / (self.size * time + buffers * each)


def group_of(machine: str, cell: Cell) -> Group:
    """Return the group of a cell, from its workload and settings."""
    return _group(machine, cell.workload, cell.settings)


@cache
def _group(machine: str, workload: str, settings: tuple[tuple[str, str], ...]) -> Group:
    (process,) = load_plan(machine, workload, settings=settings).processes
    (phase,) = process.phases
    assert phase.lengths is not None
    lengths = phase.lengths
    size = sum(map(lengths.length, range(lengths.count)))
    if not phase.write:
        name = "read" if process.nodes == 1 else "read in parallel"
    elif phase.policy == "nwt-predicted":
        name = "write, predicted"
    else:
        name = _RATES[phase.buffer == UNIT and size > LARGE]
    return Group(name, size, phase.buffer)


@dataclass(frozen=True, slots=True)
class NullFit:
    """The model fitted to cells."""

    values: Mapping[str, float]
    """By name; without those that no cell determines."""
    fitted: Mapping[str, float]
    """MB/s of each cell that took part."""
    predicted: Mapping[str, float | None]
    """MB/s of each cell by a fit to the others that took part; None if these do not determine it.
    A cell that did not take part is predicted by the fit."""


def fit_null(machine: str, cells: Sequence[Cell], held_out: Sequence[Cell] = ()) -> NullFit:
    """Fit the six numbers to the means of cells, and predict each cell by the others."""
    groups = {one.id: group_of(machine, one) for one in (*cells, *held_out)}
    values = _fitted(cells, groups)
    predicted: dict[str, float | None] = {}
    for one in cells:
        others = [cell for cell in cells if cell is not one]
        predicted[one.id] = _rate(groups[one.id], _fitted(others, groups))
    for one in held_out:
        predicted[one.id] = _rate(groups[one.id], values)
    return NullFit(
        values={NAMES[i]: value for i, value in values.items()},
        fitted={one.id: groups[one.id].rate(_all(values)) for one in cells},
        predicted=predicted,
    )


def _rate(group: Group, values: Mapping[int, float]) -> float | None:
    return group.rate(_all(values)) if set(group.numbers) <= set(values) else None


def _all(values: Mapping[int, float]) -> list[float]:
    return [values.get(i, math.nan) for i in range(len(NAMES))]


def _fitted(cells: Sequence[Cell], groups: Mapping[str, Group]) -> dict[int, float]:
    """Return the numbers, by their places, that these cells determine."""
    free = sorted(_determined([groups[one.id] for one in cells]))
    taking = [one for one in cells if set(groups[one.id].numbers) <= set(free)]
    starts = np.log([_STARTS[i] for i in free])

    def residuals(points: Sequence[Vector]) -> list[Vector | None]:
        found: list[Vector | None] = []
        for x in points:
            values = _all(dict(zip(free, np.exp(x), strict=True)))
            found.append(
                np.array(
                    [
                        (groups[one.id].rate(values) - one.mean) / (one.high - one.low)
                        for one in taking
                    ]
                )
            )
        return found

    box = Box(starts - math.log(_RANGE), starts + math.log(_RANGE))
    solution = solve(residuals, starts, box, step=1e-5)
    return dict(zip(free, map(float, np.exp(solution.x)), strict=True))


def _determined(groups: Sequence[Group]) -> set[int]:
    """Return which numbers are determined by cells: times by two buffers of at least one group."""
    times = [one for one in groups if one.name in _TIMES]
    buffered = {name: {g.buffer for g in times if g.name == name} for name in _TIMES}
    if not any(len(one) > 1 for one in buffered.values()):
        times = []
    constant = [one for one in groups if one.name in _RATES]
    return {i for one in (*times, *constant) for i in one.numbers}
