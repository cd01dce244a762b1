"""Points run in chunks: as many at a time as take a tenth of a second.

Light points go to the processes by the hundred, so that handing them out costs next to nothing;
heavy ones go one by one. A chunk that takes longer than expected is handed back in part. What an
interrupt costs is what is under way: two chunks for each process.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config import ConfigError
from simulator.errors import InputError
from simulator.inputfile import Text
from simulator.native import native_build
from simulator.prepared import Plans
from simulator.result.errors import SimulationError
from simulator.study.figures import Row
from simulator.study.grid import Grid, Sweep
from simulator.study.kept import line_of
from simulator.study.point import Point, run_point
from simulator.study.processes import can_copy, map_in_processes, prepare

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan

CHUNK_S = 0.1
"""How long a chunk should take."""
LARGEST = 1_000
"""Points of the largest chunk."""
ALONE_S = 0.3
"""How long this process works alone before it starts others."""
WORTH_S = 1.0
"""What must be left to do for others to be worth while: starting them costs half of it."""
COPIED = 0.1
"""How much of both is enough where the others are copies of this process."""
_GROWTH = 8
"""A chunk is at most so many times the one before: the first points may be the lightest."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a chunk."""

    lines: list[tuple[int, str]]
    """The number of each point that was run, and its line for the log."""
    seconds: float
    rest: list[int]
    """Points that are handed back, since those before took so long."""
    error: Exception | None
    """Of the first point that could not be run; those after it were left out."""
    unused: dict[str, str] | None = None
    """The settings that no point run in the same process has used, and why."""


class Runner:
    """Runs points by their numbers; sent to another process, it makes its own grid there."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid

    def __reduce__(self) -> tuple[object, ...]:
        return _runner, (self.grid.sweep, self.grid.files)

    def __call__(self, numbers: Sequence[int], stopped: Callable[[], bool] | None = None) -> Done:
        """Run some points, and hand back the rest after twice ``CHUNK_S``."""
        began = time.perf_counter()
        lines: list[tuple[int, str]] = []
        rest: list[int] = []
        error: Exception | None = None
        try:
            for place, number in enumerate(numbers):
                if lines and time.perf_counter() - began > 2 * CHUNK_S:
                    rest = list(numbers[place:])
                    break
                point = self.grid.point(number)
                row = run_point(point, stopped)
                if self.grid.sweep.limits:
                    row |= limits_row(self.grid, point, stopped)
                lines.append((number, line_of(number, point.digest, row)))
        except (ConfigError, InputError, SimulationError) as failed:
            error = failed
        unused = self.grid.unused.left if lines else None
        return Done(lines, time.perf_counter() - began, rest, error, unused)


def _runner(sweep: Sweep, files: tuple[Text, Text]) -> Runner:
    return Runner(Grid(sweep, files))


class Pace(Iterator[list[int]]):
    """Cuts points into chunks, each as large as is known to be right when it is taken.

    Towards the end they get smaller, so that all processes end together. It may have more chunks
    after it had none, if points are handed back.
    """

    def __init__(self, numbers: Iterator[int], left: int, processes: int) -> None:
        self.left = left
        """Points that are not handed out."""
        self._numbers = numbers
        self._returned: deque[int] = deque()
        self._processes = processes
        self._size = 1
        self._points = 0
        self._seconds = 0.0

    @property
    def left_s(self) -> float:
        """What the points that are not handed out will take, by the mean of those that are done."""
        return self.left * self._seconds / max(1, self._points)

    def learn(self, done: Done) -> None:
        """Take note of what a chunk took, and of what was handed back."""
        points = len(done.lines)
        if points:
            wanted = int(CHUNK_S * points / done.seconds) if done.seconds > 0 else LARGEST
            self._size = max(1, min(wanted, LARGEST, _GROWTH * self._size))
            self._points += points
            self._seconds += done.seconds
        self.take_back(done.rest)

    def one(self) -> int | None:
        """Take one point; None if there is none."""
        number = self._returned.popleft() if self._returned else next(self._numbers, None)
        self.left -= number is not None
        return number

    def take_back(self, numbers: Sequence[int]) -> None:
        """Hand these points out again, before others."""
        self._returned.extend(numbers)
        self.left += len(numbers)

    def __next__(self) -> list[int]:
        size = max(1, min(self._size, -(-self.left // (4 * self._processes))))
        chunk = [self._returned.popleft() for _ in range(min(size, len(self._returned)))]
        chunk = chunk or list(itertools.islice(self._numbers, size))
        if not chunk:
            raise StopIteration
        self.left -= len(chunk)
        return chunk


def run_all(runner: Runner, numbers: Iterator[int], left: int, jobs: int) -> Generator[Done]:
    """Run ``left`` points, in ``jobs`` processes if that is worth while, as they get done."""
    jobs = min(jobs, left)
    if jobs <= 1:
        for number in numbers:
            yield runner([number])
        return
    pace = Pace(numbers, left, jobs)
    if runner.grid.sweep.engine != "reference" and native_build() == "compiled":
        yield from _alone(runner, pace)
    if not pace.left:
        return
    others = map_in_processes(runner, pace, min(jobs, pace.left))
    with closing(others):
        for _, done in others:
            pace.learn(done)
            yield done


def _alone(runner: Runner, pace: Pace) -> Iterator[Done]:
    """Run points here for ``ALONE_S``, or until all are done if that is not long.

    A point that takes longer is given up, and handed out again.
    """
    share = COPIED if can_copy() else 1.0
    end = time.perf_counter() + share * ALONE_S
    over: list[bool] = []

    def stopped() -> bool:
        if time.perf_counter() > end:
            over.append(True)
        return bool(over)

    while (number := pace.one()) is not None:
        try:
            done = runner([number], stopped)
        except KeyboardInterrupt:
            if not over:  # It was the user's.
                raise
            pace.take_back([number])
            return
        pace.learn(done)
        yield done
        if pace.left_s > share * WORTH_S:
            prepare(runner)
            if stopped():
                return
        elif time.perf_counter() > end:
            end += share * ALONE_S


def limits_row(grid: Grid, point: Point, stopped: Callable[[], bool] | None) -> Row:
    """Return what limits a point, as columns, by more runs; ``stopped`` may end it."""
    from simulator.answers.again import LoweredAgain
    from simulator.answers.limits import limits_of

    plans = Plans()

    def make(machine: Machine) -> Plan:
        return plans.fitted(machine, point.workload, point.seed)

    settings = [one for one in grid.sweep.varied(point.number) if one[0].startswith("machine.")]
    again = LoweredAgain(grid.machines, settings, make, point.engine, stopped)
    plan = make(point.machine)
    result = plans.run(plan, engine=point.engine, stopped=stopped)
    return limits_of(again, plan, result, each=False).to_row()
