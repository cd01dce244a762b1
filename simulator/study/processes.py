"""A pool of processes that leave nothing behind: not after an interrupt, nor a kill.

Not that of :mod:`concurrent.futures`, which cannot (before Python 3.14) end a process that works on
a task, hangs if one is ended while it sends an answer, and leaves its processes behind if this one
is killed; nor can a task of it tell how far it is.

A process of one thread is copied (``fork``) with all that it knows, which takes milliseconds. One
with other threads is not, since a copy would have their locks but not them: new processes are
started, which import the program again.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from simulator.children import blocked, from_safe_paths
from simulator.plan.errors import SimulationError
from simulator.processors import processors
from simulator.stopping import TERMINATION, end_on_termination

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_PRELOADED = (*("simulator.config.lowering.plan", "simulator.native.run", "simulator.study.grid"),)
"""Imported once for all processes; neither plots nor numerical libraries beyond numpy."""
AHEAD = 2
"""Tasks handed out for each process, so that none waits for the next."""


def map_in_processes(
    work: Callable[[Task], Answer],
    tasks: Iterable[Task],
    processes: int,
    *,
    ahead: int = AHEAD,
    heard: Callable[[Task, float], None] = lambda _task, _share: None,
    lost: Callable[[Task], Answer] | None = None,
    spent: Callable[[], bool] | None = None,
) -> Generator[tuple[Task, Answer]]:
    """Yield each task and its answer, as they get done.

    ``work`` is sent to each process once. Tasks are taken when processes are free for them,
    ``ahead`` for each; after each answer ``tasks`` is asked for more, also if it had none before.
    ``heard`` is told what the work on a task says of itself (:func:`tell`). An error of a task, or
    an interrupt, ends all processes at once; SimulationError if one was killed. With ``lost`` that
    ends nothing: it makes the answer of the task under way, and another process goes on. So it
    does for a process that says after a task that it is ``spent``.
    """
    context = _context(work)
    workers: list[_Worker[Task, Answer]] = []

    def start() -> None:
        with shielded(), blocked(*TERMINATION):  # Until they have taken over.
            while len(workers) < processes:
                workers.append(_Worker(context, work, spent))

    def renew(worker: _Worker[Task, Answer]) -> None:
        worker.end()
        workers.remove(worker)
        start()
        workers[-1].give_all(worker.tasks)

    try:
        start()
        yield from _answers(workers, iter(tasks), ahead, heard, renew, lost)
    finally:
        for worker in workers:
            worker.end()


def prepare(work: Callable[[Any], Any]) -> None:
    """Begin to import what processes need for ``work``, beside what is done here.

    Nothing happens where they are copies of this one.
    """
    if _context(work).get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        with shielded():
            ensure_running()


FORKS = frozenset(("jemalloc_bg_thd",))
"""Names of threads whose library makes a copy of a process good (pthread_atfork), as pyarrow's."""


def can_copy() -> bool:
    """Return whether processes are copies of this one: it has no other thread, not of a library."""
    threads = Path("/proc/self/task")  # Linux
    if not threads.is_dir():
        return False
    names = ((one / "comm").read_text(encoding="ascii").strip() for one in threads.iterdir())
    return sum(name not in FORKS for name in names) == 1


def side_by_side(
    work: Callable[[Task], Answer], tasks: Sequence[Task]
) -> Iterator[tuple[Task, Answer]]:
    """Yield each task and its answer, on all processors if processes are copies of this one."""
    if can_copy() and len(tasks) > 1:
        yield from map_in_processes(work, tasks, min(processors(), len(tasks)), ahead=1)
    else:
        yield from ((task, work(task)) for task in tasks)


def _context(work: Callable[[Any], Any]) -> Any:
    if can_copy():
        return multiprocessing.get_context("fork")
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload([type(work).__module__, work.__module__, *_PRELOADED])
    return context


@contextmanager
def shielded() -> Iterator[None]:
    """Start processes that do not hear interrupts, nor import the program's main module.

    Nor look for code in the working folder. All from their first moment: an interrupt while they
    import would print a traceback, and a main script that is not written to be imported would run
    again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        with from_safe_paths():
            resource_tracker.ensure_running()  # Else it is started with them, and unmasks.
    try:
        with blocked("SIGINT"), from_safe_paths():
            yield
    finally:
        sys.modules["__main__"] = main


class _Worker(Generic[Task, Answer]):
    """One process, and the tasks that it has been given."""

    def __init__(
        self, context: Any, work: Callable[[Task], Answer], spent: Callable[[], bool] | None
    ) -> None:
        self.ends = False
        """Whether it has said that this was its last answer."""
        self.pipe, theirs = context.Pipe()
        self.tasks: deque[Task] = deque()
        self._process = context.Process(target=_serve, args=(work, theirs, spent), daemon=True)
        self._process.start()
        theirs.close()  # So that its end is seen here.

    def give(self, task: Task) -> None:
        """Hand out a task."""
        self.tasks.append(task)
        self.pipe.send(task)

    def give_all(self, tasks: Iterable[Task]) -> None:
        """Hand out the tasks of another process, which is no more."""
        for task in tasks:
            self.give(task)

    def take(self, heard: Callable[[Task, float], None]) -> tuple[Task, Answer] | None:
        """Take the next answer, or raise the error of its task; None: only a share was told."""
        kind, answer = self.pipe.recv()
        if kind == _SHARE:
            heard(self.tasks[0], answer)
            return None
        self.ends = kind == _LAST
        task = self.tasks.popleft()
        if kind == _ERROR:
            raise answer
        return task, answer

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.terminate()
        self._process.join()


def _answers(
    workers: list[_Worker[Task, Answer]],
    tasks: Iterator[Task],
    ahead: int,
    heard: Callable[[Task, float], None],
    renew: Callable[[_Worker[Task, Answer]], None],
    lost: Callable[[Task], Answer] | None,
) -> Iterator[tuple[Task, Answer]]:
    _hand_out(workers, tasks, ahead)
    while busy := {worker.pipe: worker for worker in workers if worker.tasks}:
        error: BaseException | None = None
        for pipe in connection.wait(list(busy)):
            worker = busy[pipe]
            try:
                done = worker.take(heard)
            except (EOFError, ConnectionError) as broken:
                if lost is not None:
                    task = worker.tasks.popleft()
                    renew(worker)
                    yield task, lost(task)
                    _hand_out(workers, tasks, ahead)
                    continue
                error = SimulationError("a process was killed; perhaps for want of memory")
                error.__cause__ = broken
            except Exception as failed:  # noqa: BLE001 - what went well comes first
                error = failed
            else:
                if done is not None:
                    if worker.ends:
                        renew(worker)
                    yield done
                    _hand_out(workers, tasks, ahead)
        if error is not None:
            raise error


def _hand_out(workers: list[_Worker[Task, Answer]], tasks: Iterator[Task], ahead: int) -> None:
    """Hand tasks to all workers that have room for one, to those without any first."""
    for depth in range(ahead):
        for worker in workers:
            if len(worker.tasks) <= depth:
                for task in tasks:
                    worker.give(task)
                    break


# -- in a process -----------------------------------------------------------------------------

_ANSWER, _LAST, _ERROR, _SHARE = "answer", "last", "error", "share"
"""Kinds of messages to the parent."""
_EVERY_S = 0.05
"""Time between two shares that a task tells."""


class _Teller:
    """Tells the parent of a process now and then which share of the task under way is done."""

    pipe: Any = None
    _last = -_EVERY_S

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if self.pipe is not None and share < 1 and now - self._last >= _EVERY_S:
            self._last = now
            self.pipe.send((_SHARE, share))


tell = _Teller()


def _serve(work: Callable[[Any], Any], pipe: Any, spent: Callable[[], bool] | None) -> None:
    """Answer tasks until the parent has no more; leave interrupts to it, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_on_termination()
    gc.freeze()  # What was there before the first task stays; it need not be looked at again.
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    tell.pipe = pipe
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            made = work(task)
            answer = _LAST if spent is not None and spent() else _ANSWER, made
        except Exception as error:  # noqa: BLE001 - it is raised in the parent
            error.add_note(traceback.format_exc())
            answer = _ERROR, _sendable(error)
        try:
            pipe.send(answer)
        except (AttributeError, TypeError, pickle.PicklingError):
            pipe.send((_ERROR, RuntimeError(f"an answer cannot be sent: {answer[1]!r}")))


def _sendable(error: Exception) -> Exception:
    """Return an error that can be made again in the parent: some need more than their text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever it is
        return SimulationError(f"{type(error).__name__}: {error}")
    return error


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
