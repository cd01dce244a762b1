"""Work shared among threads: for the native engine's loop, which holds no lock.

What is done in Python - making a plan, reading the result - still is done by one thread at a
time; there is nothing to start, to copy or to pickle.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from simulator.study.processes import answers

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
        yield from answers(
            pool, lambda task: work(task, stop.is_set), iter(tasks), _AHEAD * threads
        )
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
