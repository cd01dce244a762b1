"""The simulator as a function: values of a machine -> the figures of measurements.

No run is made twice. Between two whole values (disks, blocks of a quota) times are interpolated.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

from simulator.config.errors import ConfigError
from simulator.prepared import Plans
from simulator.result.errors import SimulationError
from simulator.study.fitted import settings_of

if TYPE_CHECKING:
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.study.fitted import Parameter
    from simulator.study.measurements import Measure

Task = TypeVar("Task")
Answer = TypeVar("Answer")
_AHEAD = 4
"""Tasks handed out for each thread, so that none waits for the next."""
Numbers = tuple[float, ...]
"""One for each parameter, in ns, bytes, bytes per second, ..."""
Key = tuple[tuple["Setting", ...], int]
"""The settings of a run, and the number of its measurement."""


class Model:
    """Runs the measurements of a fit with values of its parameters."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        measures: Sequence[Measure],
        *,
        jobs: int = 1,
        heard: Callable[[int], None] = lambda _runs: None,
    ) -> None:
        """``jobs``: threads that run at one time; ``heard`` is told how many runs were made."""
        self.parameters = parameters
        self.measures = measures
        self.runs = 0
        self._jobs = jobs
        self.heard = heard
        self._known: dict[Key, float | None] = {}
        self._local = threading.local()
        self._errors: dict[Key, Exception] = {}

    def figures(
        self, points: Sequence[Numbers], indices: Sequence[int]
    ) -> list[list[float] | None]:
        """Return the figures of some measurements at each point; None where a run fails.

        In ns, bytes per second, or as fractions.
        """
        corners = [list(_corners(self.parameters, point)) for point in points]
        texts = [
            [tuple(settings_of(self.parameters, corner)) for corner, _ in each] for each in corners
        ]
        self._run({(text, i): None for each in texts for i in indices for text in each})
        found: list[list[float] | None] = []
        for each, weighted in zip(texts, corners, strict=True):
            figures: list[float] | None = []
            for i in indices:
                known = [self._known[text, i] for text in each]
                good = [one for one in known if one is not None]
                if figures is None or len(good) < len(known):
                    figures = None
                    break
                way = -1 if self.measures[i].is_rate else 1  # Times add up; rates do not.
                shares = zip(weighted, good, strict=True)
                figures.append(sum(weight * one**way for (_, weight), one in shares) ** way)
            found.append(figures)
        return found

    def why(self, point: Numbers) -> Exception | None:
        """Return why a point has no figures."""
        for corner, _ in _corners(self.parameters, point):
            text = tuple(settings_of(self.parameters, corner))
            for i in range(len(self.measures)):
                if (text, i) in self._errors:
                    return self._errors[text, i]
        return None

    def _run(self, keys: dict[Key, None]) -> None:
        """Make the runs that have not been made."""
        missing = [key for key in keys if key not in self._known]
        tasks = self._tasks(missing)
        if self._jobs <= 1:
            for task in tasks:
                self._keep(task[0], self._one(task))
            return
        threads = min(self._jobs, len(missing) or 1)
        for (key, _), figure in map_in_threads(self._one, tasks, threads):
            self._keep(key, figure)

    def _keep(self, key: Key, figure: float | Exception) -> None:
        if isinstance(figure, Exception):
            self._errors[key] = figure
            self._known[key] = None
        else:
            self._known[key] = figure
        self.runs += 1
        self.heard(self.runs)

    def _tasks(self, keys: Sequence[Key]) -> Iterator[tuple[Key, Plan]]:
        """Make the plan of each run, in this thread; a plan that cannot be made is remembered."""
        for key in keys:
            settings, i = key
            measure = self.measures[i]
            try:
                machine = measure.machines.load(settings)
                plan = measure.plans.fitted(machine, measure.workload)
            except ConfigError as error:
                self._keep(key, error)
            else:
                yield key, plan

    def _one(
        self, task: tuple[Key, Plan], stopped: Callable[[], bool] | None = None
    ) -> float | Exception:
        (_, i), plan = task
        if not hasattr(self._local, "plans"):
            self._local.plans = {}
        plans: dict[int, Plans] = self._local.plans
        try:
            result = plans.setdefault(i, Plans()).run(plan, stopped=stopped)
        except SimulationError as error:
            return error
        return self.measures[i].simulated(result)


def _corners(parameters: Sequence[Parameter], point: Numbers) -> Iterator[tuple[Numbers, float]]:
    """Yield the points with whole steps around a point, and their weights, which add up to 1.

    The corners of the simplex that it is in: one more than there are values between two steps.
    """
    low, parts = list(point), []
    for index, (one, number) in enumerate(zip(parameters, point, strict=True)):
        if one.stepped:
            low[index] = max(1, math.floor(number / one.step + 1e-12)) * one.step
            part = (number - low[index]) / one.step
            if part > 1e-12:
                parts.append((part, index))
    parts.sort(reverse=True)
    weights = [1.0, *(part for part, _ in parts), 0.0]
    corner = list(low)
    for number, (here, after) in enumerate(itertools.pairwise(weights)):
        if number:
            index = parts[number - 1][1]
            corner[index] = low[index] + parameters[index].step
        yield tuple(corner), here - after


# -- threads: the time of a fit goes to the native engine's loop, which holds no lock --------------


def map_in_threads(
    work: Callable[[Task, Callable[[], bool]], Answer], tasks: Iterable[Task], threads: int
) -> Iterator[tuple[Task, Answer]]:
    """Yield each task and its answer, as they get done.

    ``work`` gets a task, and a function that says whether to give up: after an error of another
    task, or an interrupt.
    """
    stop = threading.Event()
    pool = ThreadPoolExecutor(threads)
    try:
        yield from _answers(
            pool, lambda task: work(task, stop.is_set), iter(tasks), _AHEAD * threads
        )
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _answers(
    pool: ThreadPoolExecutor,
    work: Callable[[Task], Answer],
    tasks: Iterator[Task],
    ahead: int,
) -> Iterator[tuple[Task, Answer]]:
    """Yield each task and its answer, with so many tasks handed out at a time."""
    under_way: dict[Future[Answer], Task] = {}
    while True:
        while len(under_way) < ahead and (task := next(tasks, None)) is not None:
            under_way[pool.submit(work, task)] = task
        if not under_way:
            return
        done = wait(under_way, return_when=FIRST_COMPLETED).done
        for future in sorted(done, key=lambda one: one.exception() is not None):
            yield under_way.pop(future), future.result()  # what went well comes first
