"""Points run in chunks: as many at a time as take a tenth of a second, or what an executor asks.

Light points go to the processes by the hundred, so that handing them out costs next to nothing;
heavy ones go one by one. A chunk that takes longer than expected is handed back in part. What an
interrupt costs is what is under way: two chunks for each process. What a store has is not run.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.config import ConfigError
from simulator.errors import InputError
from simulator.native import has_kernel
from simulator.plan.errors import SimulationError
from simulator.study.figures import Row
from simulator.study.point import Point, run_point
from simulator.study.processes import can_copy, prepare
from simulator.study.results import Key, Results, key_of

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.study.executors import Executor
    from simulator.study.grid import Grid

CHUNK_S = 0.1
"""Intended duration of a chunk in a process of this computer."""
LARGEST = 1_000
"""Points of the largest chunk of this length."""
ALONE_S = 0.3
"""Time for which this process works alone before it starts others."""
WORTH_S = 1.0
"""Least work left for which others are started: starting them costs half of it."""
COPIED = 0.1
"""The part of both that is enough where the others are copies of this process."""
_GROWTH = 8
"""A chunk is at most so many times the one before: the first points may be the lightest."""
_SMALLEST = 0.25
"""The last chunks that go to other computers, as a part of those before."""
_ASKED = 500
"""Points that are looked for in a store at a time, before they go to another computer."""


class Ran(NamedTuple):
    """A point that is done."""

    task: Any
    digest: str
    key: Key
    row: str
    """As JSON."""
    stored: bool
    """True if it was in the store."""


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a chunk."""

    ran: list[Ran]
    seconds: float
    rest: list[Any]
    """Tasks that are handed back, since those before took so long."""
    error: Exception | None
    """Of the first point that could not be run; those after it were left out."""
    unused: dict[str, str] | None = None
    """The settings that no point run in the same process has used, and why."""


class Runner:
    """Runs points of a grid by their numbers; sent to another process, it makes its own grid there.

    ``results`` is asked for each point first.
    """

    def __init__(
        self, grid: Grid, results: Results | None = None, chunk_s: float | None = None
    ) -> None:
        self.grid = grid
        self.results = results
        self.chunk_s = chunk_s or CHUNK_S

    def __call__(self, tasks: Sequence[Any], stopped: Callable[[], bool] | None = None) -> Done:
        """Run some points, and hand back the rest after twice ``chunk_s``."""
        began = time.perf_counter()
        ran: list[Ran] = []
        rest: list[Any] = []
        error: Exception | None = None
        try:
            for place, task in enumerate(tasks):
                if ran and time.perf_counter() - began > 2 * self.chunk_s:
                    rest = list(tasks[place:])
                    break
                ran.append(self._ran(task, stopped))
        except (ConfigError, InputError, SimulationError) as failed:
            error = failed
        unused = self.grid.unused.left if ran else None
        return Done(ran, time.perf_counter() - began, rest, error, unused)

    def _ran(self, task: Any, stopped: Callable[[], bool] | None) -> Ran:
        point = self.grid.point(task)
        key = self.key(point)
        if self.results is not None and (known := self.results.texts([key])):
            return Ran(task, point.digest, key, known[key], stored=True)
        row = run_point(point, stopped)
        if self.grid.sweep.limits:
            row |= limits_row(self.grid, point, stopped)
        return Ran(task, point.digest, key, json.dumps(row), stored=False)

    def key(self, point: Point) -> Key:
        """Name the row of a point in a store."""
        kind = "row"
        if (often := point.replications) is not None:
            kind += f"+replications={often.words()},{often.confidence},{often.precision}"
        kind += f"+phases={','.join(point.phases)}" if point.phases else ""
        kind += "+limits" if self.grid.sweep.limits else ""
        return key_of(point.digest, point.seed, engine=point.engine, kind=kind)


class Pace(Iterator[list[Any]]):
    """Cuts points into chunks, each as large as is known to be right when it is taken.

    Towards the end they get smaller, so that all processes end together, but for ``smallest``, a
    part of the chunks before. It may have more chunks
    after it had none, if points are handed back.
    """

    def __init__(
        self,
        tasks: Iterator[Any],
        left: int,
        processes: int,
        chunk_s: float | None = None,
        smallest: float = 0.0,
    ) -> None:
        self.left = left
        """Points that are not handed out."""
        self._tasks = tasks
        self._returned: deque[Any] = deque()
        self._processes = processes
        self._chunk_s = chunk_s or CHUNK_S
        self._smallest = smallest
        self._largest = int(LARGEST * self._chunk_s / CHUNK_S)
        self._size = 1
        self._points = 0
        self._seconds = 0.0

    @property
    def left_s(self) -> float:
        """Time of the points that are not handed out, by the mean of those that are done."""
        return self.left * self._seconds / max(1, self._points)

    def learn(self, done: Done) -> None:
        """Take note of what a chunk took, and of what was handed back."""
        points = len(done.ran)
        if points:
            wanted = (
                int(self._chunk_s * points / done.seconds) if done.seconds > 0 else self._largest
            )
            self._size = max(1, min(wanted, self._largest, _GROWTH * self._size))
            self._points += points
            self._seconds += done.seconds
        self.take_back(done.rest)

    def one(self) -> Any | None:
        """Take one point; None if there is none."""
        task = self._returned.popleft() if self._returned else next(self._tasks, None)
        self.left -= task is not None
        return task

    def take_back(self, tasks: Sequence[Any]) -> None:
        """Hand these points out again, before others."""
        self._returned.extend(tasks)
        self.left += len(tasks)

    def __next__(self) -> list[Any]:
        size = max(1, min(self._size, -(-self.left // (4 * self._processes))))
        size = max(size, int(self._smallest * self._size))
        chunk = [self._returned.popleft() for _ in range(min(size, len(self._returned)))]
        chunk = chunk or list(itertools.islice(self._tasks, size))
        if not chunk:
            raise StopIteration
        self.left -= len(chunk)
        return chunk


def run_all(runner: Runner, tasks: Iterator[Any], left: int, executor: Executor) -> Generator[Done]:
    """Run ``left`` points, in other processes if that is worth while, as they get done."""
    if executor.remote:
        yield from _elsewhere(runner, tasks, left, executor)
        return
    processes = min(executor.processes, left)
    if processes <= 1:
        for task in tasks:
            yield runner([task])
        return
    pace = Pace(tasks, left, processes)
    if runner.grid.sweep.engine != "reference" and has_kernel():
        yield from _alone(runner, pace)
    if not pace.left:
        return
    if runner.results is not None:
        runner.results.close()  # A connection must not be copied.
    others = executor.map(runner, pace, min(processes, pace.left))
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

    while (task := pace.one()) is not None:
        try:
            done = runner([task], stopped)
        except KeyboardInterrupt:
            if not over:  # It was the user's.
                raise
            pace.take_back([task])
            return
        pace.learn(done)
        yield done
        if pace.left_s > share * WORTH_S:
            prepare(runner)
            if stopped():
                return
        elif time.perf_counter() > end:
            end += share * ALONE_S


def _elsewhere(
    runner: Runner, tasks: Iterator[Any], left: int, executor: Executor
) -> Generator[Done]:
    """Run points on other computers, which have no store: what it has is found here."""
    found: list[Ran] = []
    pace = Pace(
        _missing(runner, tasks, found), left, executor.processes, executor.chunk_s, _SMALLEST
    )
    others = executor.map(Runner(runner.grid, chunk_s=executor.chunk_s), pace, left)
    with closing(others):
        for _, done in others:
            pace.learn(done)
            yield done
            if found:
                yield Done([*found], 0.0, [], None)
                found.clear()
    if found:
        yield Done(found, 0.0, [], None)


def _missing(runner: Runner, tasks: Iterator[Any], found: list[Ran]) -> Iterator[Any]:
    """Yield the tasks whose points a store does not have; those that it has go to ``found``."""
    if runner.results is None:
        yield from tasks
        return
    while some := list(itertools.islice(tasks, _ASKED)):
        names: dict[Any, tuple[str, Key]] = {}
        for task in some:
            with suppress(InputError):  # It is told when it is its turn.
                point = runner.grid.point(task)
                names[task] = point.digest, runner.key(point)
        known = runner.results.texts(key for _, key in names.values())
        for task in some:
            digest, key = names.get(task, ("", ""))
            if key in known:
                found.append(Ran(task, digest, key, known[key], stored=True))
            else:
                yield task


def limits_row(grid: Grid, point: Point, stopped: Callable[[], bool] | None) -> Row:
    """Return what limits a point, as columns, by more runs; ``stopped`` may end it."""
    from simulator.answers.again import LoweredAgain
    from simulator.answers.limits import limits_of

    def make(machine: Machine) -> Plan:
        return point.plans.fitted(machine, point.workload, point.seed)

    settings = [one for one in point.varied if one[0].startswith("machine.")]
    again = LoweredAgain(grid.machines, settings, make, point.engine, stopped)
    plan = make(point.machine)
    result = point.plans.run(plan, engine=point.engine, stopped=stopped)
    return limits_of(again, plan, result, each=False).to_row()
