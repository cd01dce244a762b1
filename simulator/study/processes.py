"""Work shared among processes that leave nothing behind: not after an interrupt, nor a kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from typing import TypeVar

from simulator.engine.result import SimulationError

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_PRELOADED = ("simulator.config.plan", "simulator.engine.reference")
_AHEAD = 2
"""Tasks handed out for each process, so that none waits for the next."""


def map_in_processes(
    work: Callable[[Task], Answer], tasks: Iterable[Task], processes: int
) -> Iterator[tuple[Task, Answer]]:
    """Give each task and its answer, as they get done.

    An error of a task, or an interrupt, ends all processes at once.
    """
    # Not a plain fork: it would copy threads of numerical libraries in the middle of something.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload([work.__module__, *_PRELOADED])  # Imported once for all.
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)
    try:
        yield from answers(pool, work, iter(tasks), _AHEAD * processes)
        pool.shutdown()
    except BaseException as error:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        if isinstance(error, BrokenProcessPool):
            raise SimulationError("a process was killed; perhaps for want of memory") from error
        raise


def answers(
    pool: Executor,
    work: Callable[[Task], Answer],
    tasks: Iterator[Task],
    ahead: int,
) -> Iterator[tuple[Task, Answer]]:
    """Give each task and its answer, with so many tasks handed out at a time."""
    under_way: dict[Future[Answer], Task] = {}
    while True:
        while len(under_way) < ahead and (task := next(tasks, None)) is not None:
            under_way[pool.submit(work, task)] = task
        if not under_way:
            return
        done = wait(under_way, return_when=FIRST_COMPLETED).done
        for future in sorted(done, key=lambda one: one.exception() is not None):
            yield under_way.pop(future), future.result()  # what went well comes first


def _begin() -> None:
    """Leave an interrupt to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
