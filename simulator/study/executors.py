"""Where points run: in processes of this computer, or on a Dask cluster; and any points at all.

:func:`run_points` runs whatever points a study wants, each once: those that a store has are taken
from it, the others go to the executor in batches, and to the store as they get done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from simulator.config.errors import ConfigError
from simulator.prepared import Prepared, digest_of_both
from simulator.processors import processors
from simulator.study.chunks import CHUNK_S, Runner, run_all
from simulator.study.figures import Row
from simulator.study.grid import GridError
from simulator.study.point import Figures, Point
from simulator.study.processes import map_in_processes
from simulator.study.results import Saving
from simulator.unused import Unused

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.variants import Variants
    from simulator.inputfile import Source
    from simulator.run import EngineName
    from simulator.study.results import Results

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Executor(Protocol):
    """Runs tasks somewhere else, several at a time."""

    remote: ClassVar[bool]
    """Whether it may be on other computers, which do not see this one's store."""
    chunk_s: ClassVar[float]
    """How long a task should take for handing it out to cost little."""

    @property
    def processes(self) -> int:
        """How many tasks run at a time."""

    def map(
        self, work: Callable[[Task], Answer], tasks: Iterable[Task], most: int
    ) -> Generator[tuple[Task, Answer]]:
        """Yield each task and its answer, as they get done; at most ``most`` run at a time.

        ``tasks`` are taken when there is room, and asked for again after each answer, also if
        there were none before. The error of a task ends all. Close it to end what is under way.
        """


class Processes:
    """Processes of this computer."""

    remote: ClassVar[bool] = False
    chunk_s: ClassVar[float] = CHUNK_S

    def __init__(self, jobs: int | None = None) -> None:
        """``jobs``: how many; None: one for each processor."""
        self.processes = jobs or processors()

    def map(
        self, work: Callable[[Task], Answer], tasks: Iterable[Task], most: int
    ) -> Generator[tuple[Task, Answer]]:
        """Yield each task and its answer; see :class:`Executor`."""
        return map_in_processes(work, tasks, min(self.processes, most))


@contextmanager
def executor(
    kind: Literal["processes", "dask"] | None = None,
    scheduler: str | None = None,
    *,
    jobs: int | None = None,
    said: Callable[[str], None] = lambda _line: None,
) -> Iterator[Executor]:
    """Make an executor; ``scheduler`` is the address of a Dask cluster that stands already.

    MissingExtraError without Dask, ClusterError if no scheduler answers. ``said`` hears what is
    waited for.
    """
    if kind != "dask" and scheduler is None:
        yield Processes(jobs)
        return
    from simulator.study.cluster import cluster

    with cluster(scheduler, jobs or processors(), said) as made:
        yield made


# -- points that are no grid -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """One point: what is different in it."""

    settings: tuple[Setting, ...] = ()
    """Full paths, like ``("machine.parts.disk.count", "8")``, and values."""
    seed: int | None = None
    """None: service times do not vary."""
    run: int = 0
    """Which of several runs with this seed."""


class Points:
    """A machine and a workload of which points are wanted; mistakes are told with the point.

    ``figures`` takes what is kept from a run, a function of a module (None: a sweep's columns).
    """

    def __init__(
        self,
        machine: Source,
        workload: Source,
        settings: Iterable[Setting] = (),
        *,
        engine: EngineName = "auto",
        limits: bool = False,
        figures: Figures | None = None,
    ) -> None:
        self.engine: EngineName = engine
        self.limits = limits
        self.figures = figures
        self.unused = Unused({})
        self._settings = tuple(settings)
        self._prepared = Prepared(machine, workload, self._settings)

    def __reduce__(self) -> tuple[object, ...]:
        how = {"engine": self.engine, "limits": self.limits, "figures": self.figures}
        texts = self._prepared.machines.text, self._prepared.workloads.text
        return _points, (*texts, self._settings, how)

    @property
    def machines(self) -> Variants[Machine]:
        """The machine with the settings of all points."""
        return self._prepared.machines

    def point(self, task: Wanted) -> Point:
        """Make a point; GridError lists what is wrong with it."""
        name = ", ".join(f"{path}={value}" for path, value in task.settings) or "as it is"
        try:
            machine, workload = self._prepared.load(task.settings)
            if self._prepared.plans.misfits(machine, workload):
                raise ConfigError(self._prepared.misfits(task.settings))
        except ConfigError as error:
            raise GridError(f"at the point {name}: {error}") from error
        return Point(
            0,
            name,
            machine,
            workload,
            digest_of_both(machine, workload),
            task.seed,
            self.engine,
            varied=task.settings,
            run=task.run,
            figures=self.figures,
        )


def _points(machine: Source, workload: Source, settings: Any, how: dict[str, Any]) -> Points:
    return Points(machine, workload, settings, **how)


def run_points(
    points: Points,
    wanted: Iterable[Wanted],
    *,
    executor: Executor | None = None,
    results: Results | None = None,
    said: Callable[[str], None] = lambda _line: None,
) -> Generator[tuple[Wanted, Row]]:
    """Yield each point that is wanted and its row, as they get done; equal ones run once.

    ``executor``: None for all processors of this computer. ``results``: what it has is not run
    again. The first point that cannot be made (GridError) or run (SimulationError) ends it; those
    that were done before have been yielded, and kept. ``said`` hears if a store that nobody asked
    for cannot be written to.
    """
    tasks = list(dict.fromkeys(wanted))
    done = run_all(Runner(points, results), iter(tasks), len(tasks), executor or Processes())
    with closing(done), Saving(results, said) as saving:
        for chunk in done:
            saving.add((one.key, one.row) for one in chunk.ran if not one.stored)
            for one in chunk.ran:
                yield one.task, json.loads(one.row)
            if chunk.error is not None:
                raise chunk.error
