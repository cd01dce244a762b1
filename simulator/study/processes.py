"""Work shared among processes that leave nothing behind: not after an interrupt, nor a kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import connection
from types import ModuleType
from typing import Any, Generic, TypeVar

from simulator.engine.result import SimulationError

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_PRELOADED = ("simulator.config.plan", "simulator.engine.native.run", "simulator.study.grid")
"""Imported once for all processes; neither plots nor numerical libraries beyond numpy."""
_AHEAD = 2
"""Tasks handed out for each process, so that none waits for the next."""


def map_in_processes(
    work: Callable[[Task], Answer], tasks: Iterable[Task], processes: int
) -> Generator[tuple[Task, Answer]]:
    """Give each task and its answer, as they get done.

    ``work`` is sent to each process once. A task is taken when a process is free for it. An error
    of a task, or an interrupt, ends all processes at once; SimulationError if one was killed.
    """
    context = _context(work)
    workers: list[_Worker[Task, Answer]] = []
    try:
        with _main_hidden():
            while len(workers) < processes:
                workers.append(_Worker(context, work))
        yield from _answers(workers, iter(tasks))
    finally:
        for worker in workers:
            worker.end()


def prepare(work: Callable[[Any], Any]) -> None:
    """Begin to import what processes need for ``work``, beside what is done here."""
    if _context(work).get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        with _main_hidden():
            ensure_running()


def _context(work: Callable[[Any], Any]) -> Any:
    # Not a plain fork: it would copy threads of numerical libraries in the middle of something.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload([type(work).__module__, work.__module__, *_PRELOADED])
    return context


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep new processes from importing the program's main module, which they do not need.

    It would take time, and a script that is not written for that would run again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class _Worker(Generic[Task, Answer]):
    """One process, and the tasks that it has been given."""

    def __init__(self, context: Any, work: Callable[[Task], Answer]) -> None:
        self.pipe, theirs = context.Pipe()
        self.tasks: deque[Task] = deque()
        self._process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        self._process.start()
        theirs.close()  # So that its end is seen here.

    def give(self, task: Task) -> None:
        """Hand out a task."""
        self.tasks.append(task)
        self.pipe.send(task)

    def take(self) -> tuple[Task, Answer]:
        """Take the next answer, or raise the error of its task."""
        good, answer = self.pipe.recv()
        task = self.tasks.popleft()
        if not good:
            raise answer
        return task, answer

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.terminate()
        self._process.join()


def _answers(
    workers: list[_Worker[Task, Answer]], tasks: Iterator[Task]
) -> Iterator[tuple[Task, Answer]]:
    for worker in [*workers] * _AHEAD:
        _give_next(worker, tasks)
    while busy := {worker.pipe: worker for worker in workers if worker.tasks}:
        error: BaseException | None = None
        for pipe in connection.wait(list(busy)):
            worker = busy[pipe]
            try:
                done = worker.take()
            except (EOFError, ConnectionError) as broken:
                error = SimulationError("a process was killed; perhaps for want of memory")
                error.__cause__ = broken
            except Exception as failed:  # noqa: BLE001 - what went well comes first
                error = failed
            else:
                yield done
                _give_next(worker, tasks)
        if error is not None:
            raise error


def _give_next(worker: _Worker[Task, Answer], tasks: Iterator[Task]) -> None:
    for task in tasks:
        worker.give(task)
        return


def _serve(work: Callable[[Any], Any], pipe: Any) -> None:
    """Answer tasks until the parent has no more; leave interrupts to it, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            answer = True, work(task)
        except Exception as error:  # noqa: BLE001 - it is raised in the parent
            answer = False, error
        pipe.send(answer)


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
