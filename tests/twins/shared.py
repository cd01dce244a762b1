"""Many runs of a small system whose works are shared by time: an array of jobs, step by step.

They have nothing in common with the simulator, or with the laws of means. Asked is how far what is
added up in a run scatters from run to run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOWHERE = -1
Draw = Callable[[np.random.Generator, Ints, Ints], tuple[Floats, Ints]]
"""Works and classes of new jobs; given are their runs and slots."""


@dataclass
class NaiveShared:
    """Runs of one system side by side; a job goes through the stations in turn.

    In an open system jobs come at random, and leave after the last station; those that find no
    free slot are lost. In a closed one (``rate`` 0) each slot has a job, which starts again.
    """

    servers: Sequence[float]
    """Of each station; a job never gets more than one."""
    draw: Sequence[Draw]
    """What the jobs need at each station."""
    slots: int
    rate: float = 0.0
    runs: int = 1500
    seed: int = 1
    look: float = 0.0
    """Time between two looks at how many jobs are there; 0: none."""
    classes: int = 1

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        shape = (self.runs, self.slots)
        self.station = np.full(shape, NOWHERE)
        self.left = np.zeros(shape)
        self.kind = np.zeros(shape, dtype=np.int64)
        self.now = np.zeros(self.runs)
        self.comes = np.full(self.runs, np.inf)
        self.looks = np.full(self.runs, self.look or np.inf)
        self.clear()
        if self.rate:
            self.comes = self.rng.exponential(1 / self.rate, self.runs)
        else:
            for slot in range(self.slots):
                self._put(np.arange(self.runs), np.full(self.runs, slot), 0)

    def clear(self) -> None:
        """Forget what was counted until now."""
        self.asked = np.zeros(self.runs)
        """Work of all jobs that came."""
        self.came = np.zeros((self.runs, self.classes))
        self.present = np.zeros((self.runs, self.classes))
        """Integral of the number of jobs of each class."""
        self.busy = np.zeros(self.runs)
        """Integral of the number of jobs behind the first station."""
        self.full = np.zeros(self.runs)
        """Time without a free slot."""
        self.done = np.zeros(self.runs)
        """Jobs that left the last station."""
        self.seen = np.zeros(self.runs)
        self.seen_jobs = np.zeros(self.runs)
        """Looks, and jobs that were there."""

    def run(self, until: float) -> NaiveShared:
        """Go on until a time in all runs."""
        while (self.now < until).any():
            self._step(until)
        return self

    def _step(self, until: float) -> None:
        speed = self._speeds()
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(speed > 0, self.left / speed, np.inf)
        slot = ends.argmin(axis=1)
        rows = np.arange(self.runs)
        choices = np.stack(
            [ends[rows, slot], self.comes - self.now, self.looks - self.now, until - self.now]
        )
        event = choices.argmin(axis=0)
        time = choices.min(axis=0)
        self._count(time)
        self.left -= speed * time[:, None]
        self.now += time
        ended = np.flatnonzero(event == 0)
        self._end(ended, slot[ended])
        self._come(np.flatnonzero(event == 1))
        seen = np.flatnonzero(event == 2)
        self.seen[seen] += 1
        self.seen_jobs[seen] += (self.station[seen] != NOWHERE).sum(axis=1)
        self.looks[seen] += self.look
        self.now[event == 3] = until

    def _speeds(self) -> Floats:
        speed = np.zeros(self.left.shape)
        for number, servers in enumerate(self.servers):
            here = self.station == number
            share = np.minimum(1.0, servers / np.maximum(1, here.sum(axis=1)))
            speed += here * share[:, None]
        return speed

    def _count(self, time: Floats) -> None:
        there = self.station != NOWHERE
        for one in range(self.classes):
            self.present[:, one] += time * (there & (self.kind == one)).sum(axis=1)
        self.full += time * there.all(axis=1)
        self.busy += time * (self.station > 0).sum(axis=1)

    def _end(self, rows: Ints, slots: Ints) -> None:
        after = self.station[rows, slots] + 1
        last = after == len(self.servers)
        self.done[rows[last]] += 1
        for number in range(1, len(self.servers)):
            some = after == number
            self._put(rows[some], slots[some], number)
        if self.rate:
            self.station[rows[last], slots[last]] = NOWHERE
        else:
            self._put(rows[last], slots[last], 0)

    def _come(self, rows: Ints) -> None:
        self.comes[rows] += self.rng.exponential(1 / self.rate, len(rows)) if self.rate else 0
        free = self.station[rows] == NOWHERE
        rows, slots = rows[free.any(axis=1)], free.argmax(axis=1)[free.any(axis=1)]
        self._put(rows, slots, 0)
        self.came[rows, self.kind[rows, slots]] += 1
        self.asked[rows] += self.left[rows, slots]

    def _put(self, rows: Ints, slots: Ints, number: int) -> None:
        work, kind = self.draw[number](self.rng, rows, slots)
        self.station[rows, slots] = number
        self.left[rows, slots] = work
        if not number:
            self.kind[rows, slots] = kind


def fixed(*works: float, chances: Sequence[float] = (1.0,)) -> Draw:
    """Return works that take one of some lengths; the class is the length's place."""
    lengths = np.array(works)

    def draw(rng: np.random.Generator, rows: Ints, _: Ints) -> tuple[Floats, Ints]:
        kind = rng.choice(len(works), len(rows), p=chances)
        return lengths[kind], kind

    return draw


def of_one_class(draw: Draw) -> Draw:
    """Return the same works without their classes."""

    def plain(rng: np.random.Generator, rows: Ints, slots: Ints) -> tuple[Floats, Ints]:
        return draw(rng, rows, slots)[0], np.zeros(len(rows), dtype=np.int64)

    return plain


def exponential(mean: float) -> Draw:
    """Return exponential works."""

    def draw(rng: np.random.Generator, rows: Ints, _: Ints) -> tuple[Floats, Ints]:
        return rng.exponential(mean, len(rows)), np.zeros(len(rows), dtype=np.int64)

    return draw


def in_rounds(runs: int, slots: int, means: tuple[float, float], seed: int) -> list[Draw]:
    """Return works of two stations, each 0.4 or 1.6 times a mean.

    In a round of 100 a job has each of the four pairs 25 times, in an order that stays.
    """
    rng = np.random.default_rng(seed)
    pairs = rng.permuted(np.tile(np.repeat(np.arange(4), 25), (runs, slots, 1)), axis=2)
    place = rng.integers(0, 100, (runs, slots))

    def draw(station: int) -> Draw:
        def of(_: np.random.Generator, rows: Ints, columns: Ints) -> tuple[Floats, Ints]:
            if not station:
                place[rows, columns] = (place[rows, columns] + 1) % 100
            bits = pairs[rows, columns, place[rows, columns]] >> station & 1
            return means[station] * np.where(bits, 1.6, 0.4), np.zeros(len(rows), dtype=np.int64)

        return of

    return [draw(0), draw(1)]
