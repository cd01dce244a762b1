"""Work shared among threads: for fits, whose time goes to the native engine's loop without a lock.

What is done in Python - making a plan, reading the result - still is done by one thread at a
time; there is nothing to start, to copy or to pickle.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_AHEAD = 4
"""Tasks handed out for each thread, so that none waits for the next."""


def map_in_threads(
    work: Callable[[Task, Callable[[], bool]], Answer], tasks: Iterable[Task], threads: int
) -> Iterator[tuple[Task, Answer]]:
    """Give each task and its answer, as they get done.

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
