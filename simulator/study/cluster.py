"""Tasks on a Dask cluster: one that stands already, or one of this computer's own processes.

A task of about a second costs some milliseconds to hand out. Of a worker that dies the batch is run
again by another one; if the scheduler dies, what is under way is lost, and that is told. Workers
have to have the same program (:func:`simulator.study.program.program`), and run one task at a time
each, whatever threads they have, since a machine's file is not read by several at once.
"""

from __future__ import annotations

import functools
import logging
import pickle
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from simulator.errors import InputError
from simulator.extras import need
from simulator.plan.errors import LostError, SimulationError
from simulator.study.chunks import Runner
from simulator.study.processes import shielded
from simulator.study.program import program
from simulator.units import shown

Task = TypeVar("Task")
Answer = TypeVar("Answer")

CHUNK_S = 1.0
"""Intended duration of a task."""
ANSWER_S = 10.0
"""Time that a scheduler has to answer."""
PATIENCE_S = 2.0
"""Time without a worker after which it is said that one is waited for."""
_AHEAD = 2
"""Tasks handed out for each worker, so that none waits for the next."""
_LOGGERS = ("distributed", "tornado")
_MOST_KNOWN = 4
"""Pieces of work that a worker keeps ready."""


class ClusterError(InputError):
    """A cluster that cannot be used."""


class OtherProgramError(InputError):
    """A worker with another program."""


class Cluster:
    """The workers of a scheduler, as an executor (:class:`simulator.study.executors.Executor`)."""

    remote: ClassVar[bool] = True
    chunk_s: ClassVar[float] = CHUNK_S

    def __init__(
        self, client: Any, name: str, said: Callable[[str], None], *, stands: bool = False
    ) -> None:
        """``stands``: it is not of this command, which cannot start it again."""
        self._client = client
        self._name = name
        self._said = said
        self._stands = stands

    @property
    def processes(self) -> int:
        """The number of workers there are now; 1 while none has come yet."""
        with suppress(OSError, RuntimeError):  # It is told when tasks are lost.
            return max(1, self._workers())
        return 1

    def cpu_s(self) -> float:
        """Return what the workers have used so far: CPU seconds."""
        return float(sum(self._client.run(time.process_time).values()))

    def map(
        self, work: Callable[[Task], Answer], tasks: Iterable[Task], most: int
    ) -> Generator[tuple[Task, Answer]]:
        """Yield each task and its answer, as they get done.

        LostError if the scheduler is gone, SimulationError if a task has ended several workers.
        """
        sent = pickle.dumps(work)
        what = program(), sent
        waiting, done = iter(tasks), queue.SimpleQueue[Any]()
        under_way: dict[Any, Task] = {}
        try:
            while True:
                room = _AHEAD * min(self.processes, most) - len(under_way)
                for _, task in zip(range(room), waiting, strict=False):
                    future = self._client.submit(_carried_out, *what, task, pure=False)
                    under_way[future] = task
                    future.add_done_callback(done.put)
                if not under_way:
                    return
                future = self._next(done)
                task = under_way.pop(future)
                yield task, self._answer(future)
        finally:
            with suppress(Exception):  # The scheduler may be gone.
                self._client.cancel(list(under_way))

    def _next(self, done: queue.SimpleQueue[Any]) -> Any:
        """Return the next task that is done; say so once if there is no worker to do one."""
        told = False
        while True:
            try:
                return done.get(timeout=PATIENCE_S)
            except queue.Empty:
                if not told and not self._workers():
                    self._said(f"no worker of {self._name} is there; waiting for one")
                    told = True

    def _workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _answer(self, future: Any) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            answer = future.result(timeout=ANSWER_S)
        except KilledWorker as error:
            times = error.allowed_failures + 1
            raise SimulationError(
                f"a batch of points has ended every worker of {self._name} that took it, {times} in"
                " all; perhaps for want of memory, or of nwtsim itself there"
            ) from error
        except (CancelledError, CommClosedError, TimeoutError, OSError) as error:
            raise self._gone() from error
        future.release()
        return answer

    def _gone(self) -> LostError:
        again = "start it and its workers again, and repeat" if self._stands else "repeat"
        return LostError(
            f"{self._name} is not there any more, and what its workers had under way is lost;"
            f" {again} the command"
        )


@contextmanager
def cluster(
    address: str | None, jobs: int, said: Callable[[str], None] = lambda _line: None
) -> Iterator[Cluster]:
    """Use a cluster: that of the scheduler at ``address``, or ``jobs`` processes of this computer.

    ``address``: like ``tcp://host:8786``, or the scheduler's file. MissingExtraError without Dask;
    ClusterError if no scheduler answers. ``said`` hears if there is no worker to wait for.
    """
    need("distributed")
    import distributed

    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in _LOGGERS:  # What matters is told by us.
            logging.getLogger(name).setLevel(logging.CRITICAL)
    if address is None:
        how = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
        with shielded():
            own = distributed.LocalCluster(n_workers=jobs, silence_logs=logging.CRITICAL, **how)
        with own, distributed.Client(own) as client:
            yield Cluster(client, "the Dask cluster of this computer", said)
        return
    client = _client(address)
    try:
        yield Cluster(client, f"the Dask scheduler at {address}", said, stands=True)
    finally:
        with suppress(Exception):  # The scheduler may be gone.
            client.close(timeout=1)


def _client(address: str) -> Any:
    import distributed

    try:
        if Path(address).is_file():
            return distributed.Client(scheduler_file=address, timeout=ANSWER_S)
        return distributed.Client(address, timeout=ANSWER_S)
    except (OSError, TypeError, ValueError) as error:
        raise ClusterError(
            f"--scheduler: no Dask scheduler answers at {shown(address)}; start one with"
            " 'dask scheduler', and write the address that it prints, like tcp://10.0.0.1:8786"
        ) from error


# -- on a worker -----------------------------------------------------------------------------------

_one_at_a_time = threading.Lock()


def _carried_out(wanted: str, work: bytes, task: Any) -> Any:
    """Carry out a task on a worker, with the same program as where it comes from."""
    with _one_at_a_time:
        if program() != wanted:
            raise OtherProgramError(
                "a worker has another version of nwtsim, of Python or of its libraries, or other"
                " plugins (NWTSIM_PLUGINS); make them the same as here, and start the workers again"
            )
        made = _made(work)
        if not isinstance(made, Runner):
            return made(task)
        try:
            return made(task, _given_up())
        except KeyboardInterrupt:
            raise SimulationError("given up") from None  # Nobody waits for it.


def _given_up() -> Callable[[], bool]:
    """Return a function that says whether the client has given up the task of this thread."""
    from distributed import get_worker

    worker = get_worker()
    tasks, key = worker.state.tasks, worker.get_current_task()

    def given_up() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return given_up


@functools.lru_cache(_MOST_KNOWN)
def _made(work: bytes) -> Callable[[Any], Any]:
    """Make what carries out tasks, once for all tasks that are sent with the same text."""
    made: Callable[[Any], Any] = pickle.loads(work)
    return made
