"""Executors: where points run, in processes of this computer or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Literal, Protocol, TypeVar

from simulator.processors import processors
from simulator.study.chunks import CHUNK_S
from simulator.study.processes import map_in_processes

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Executor(Protocol):
    """Runs tasks somewhere else, several at a time."""

    remote: ClassVar[bool]
    """True if it may be on other computers, which do not see this one's store."""
    chunk_s: ClassVar[float]
    """Duration of a task from which on handing it out costs little."""

    @property
    def processes(self) -> int:
        """The number of tasks that run at a time."""

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
