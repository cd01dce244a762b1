"""The simulator as a function: values of a machine -> the figures of measurements.

No run is made twice, nor one that a store has. Between two whole values (disks, blocks of a quota)
times are interpolated.
"""

from __future__ import annotations

import itertools
import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

from simulator.config.errors import ConfigError
from simulator.plan.errors import SimulationError
from simulator.prepared import digest_of_both
from simulator.study.parameters import settings_of
from simulator.study.results import key_of

if TYPE_CHECKING:
    from simulator.config.fit_file import Fit
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.study.executors import Executor
    from simulator.study.measurements import Measure
    from simulator.study.parameters import Parameter
    from simulator.study.results import Results, Saving

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
        elsewhere: tuple[Executor, Runs] | None = None,
        results: Results | None = None,
        saving: Saving | None = None,
    ) -> None:
        """``jobs``: threads that run at one time; ``heard`` is told how many runs were made.

        ``elsewhere``: what runs instead of these threads. ``results``: a store that is asked first,
        and to which figures are on their way by ``saving``.
        """
        self.parameters = parameters
        self.measures = measures
        self.runs = 0
        self._jobs = jobs
        self.heard = heard
        self._elsewhere = elsewhere
        self._results = results
        self._saving = saving
        self._names: dict[Key, str] = {}
        """Names of the runs under way in the store."""
        self._known: dict[Key, float | None] = {}
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
        if self._elsewhere is not None:
            self._run_elsewhere([key for key, _ in tasks], *self._elsewhere)
            return
        if self._jobs <= 1:
            for task in tasks:
                self._keep(task[0], self._one(task))
            return
        threads = min(self._jobs, len(missing) or 1)
        for (key, _), figure in map_in_threads(self._one, tasks, threads):
            self._keep(key, figure)

    def _run_elsewhere(self, keys: Sequence[Key], executor: Executor, runs: Runs) -> None:
        """Run in batches: some for each process, so that all end together."""
        size = max(1, -(-len(keys) // (_AHEAD * executor.processes)))
        chunks = [keys[start : start + size] for start in range(0, len(keys), size)]
        for chunk, figures in executor.map(runs, chunks, len(chunks)):
            for key, figure in zip(chunk, figures, strict=True):
                self._keep(key, figure)

    def _keep(self, key: Key, figure: float | Exception) -> None:
        name = self._names.pop(key, "")
        if isinstance(figure, Exception):
            self._errors[key] = figure
            self._known[key] = None
        else:
            self._known[key] = figure
            if name and self._saving is not None:
                self._saving.add([(name, json.dumps({"figure": figure}))])
        self.runs += 1
        self.heard(self.runs)

    def _tasks(self, keys: Sequence[Key]) -> Iterator[tuple[Key, Plan]]:
        """Make the plan of each run, in this thread; a plan that cannot be made is remembered."""
        for key in keys:
            settings, i = key
            measure = self.measures[i]
            try:
                both = measure.prepared.load(settings)
                plan = measure.prepared.plans.fitted(*both)
            except ConfigError as error:
                self._keep(key, error)
            else:
                if not self._is_stored(key, *both):
                    yield key, plan

    def _is_stored(self, key: Key, machine: Machine, workload: Workload) -> bool:
        """Take the figure of a run from the store, if it is there."""
        if self._results is None:
            return False
        kind = self.measures[key[1]].kind
        name = key_of(digest_of_both(machine, workload), None, kind=kind)
        for row in self._results.get([name]).values():
            self._keep(key, row["figure"])
            return True
        self._names[key] = name
        return False

    def answers(self, keys: Sequence[Key]) -> list[float | Exception]:
        """Make some runs; return the figure of each, or why it has none."""
        self._run(dict.fromkeys(keys))
        found: list[float | Exception] = []
        for key in keys:
            figure = self._known[key]
            found.append(self._errors[key] if figure is None else figure)
        return found

    def _one(
        self, task: tuple[Key, Plan], stopped: Callable[[], bool] | None = None
    ) -> float | Exception:
        (_, i), plan = task
        measure = self.measures[i]
        try:
            result = measure.prepared.plans.run(plan, stopped=stopped)
        except SimulationError as error:
            return error
        return measure.simulated(result)


class Runs:
    """The runs of a fit, by their keys; sent to another process, it makes its own model there."""

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        self._model: Model | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return Runs, (self.fit,)

    def __call__(self, keys: Sequence[Key]) -> list[float | Exception]:
        """Make some runs."""
        from simulator.study.fits import prepare

        if self._model is None:
            made = prepare(self.fit)
            self._model = Model(made.parameters, made.measures)
        return self._model.answers(keys)


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
