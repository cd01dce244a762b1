"""Several studies at a time, each in a process; the one with the most work begins first.

The results are those of one study after the other. An error, or an interrupt, ends all
processes at once.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeAlias, TypeVar

from simulator.children import command, environment, unheard
from simulator.native import has_kernel
from simulator.plan.errors import SimulationError
from simulator.study.studies import DEFAULT_SEED, STUDIES

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.ledger import Ledger

Made = TypeVar("Made")
Heard: TypeAlias = Callable[[str, float], None]
"""Is told the share of a study's work that is done, from 0 to 1."""

MOST = 2
"""Studies at a time, where nobody says otherwise: more would only wait for the heaviest."""


@dataclass(frozen=True, slots=True)
class Task(Generic[Made]):
    """What is done with each study."""

    function: str
    """As ``module:name``: it takes a study's name and options, and makes what is wanted."""


REPRODUCE: Task[Ledger] = Task("simulator.study.studies:reproduce_study")
ABLATE: Task[Any] = Task("simulator.experiments.validation.ablations:ablate")
_EVERY_S = 0.05
"""How often a process tells how far it is."""


def workers() -> int:
    """Return how many studies run at a time, where nobody says otherwise."""
    return min(MOST, os.cpu_count() or 1)


def seconds(names: Sequence[str], runs: int | None = None) -> dict[str, float]:
    """Return the CPU time that each study takes, as measured once; the heaviest first."""
    takes = {name: STUDIES[name].takes_s(runs, has_kernel()) for name in names}
    return dict(sorted(takes.items(), key=lambda one: -one[1]))


def side_by_side(
    task: Task[Made],
    names: Sequence[str],
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    jobs: int = 1,
    heard: Heard = lambda _name, _share: None,
    made: dict[str, Made] | None = None,
) -> list[Made]:
    """Carry out a task for studies, ``jobs`` at a time; returns what it makes of each, in order.

    ``made`` gets what is made as soon as it is, for when the rest is interrupted.
    """
    made = {} if made is None else made
    options = {"runs": runs, "seed": seed, "engine": engine}
    order = list(seconds(names, runs))
    if min(jobs, len(order)) > 1:
        _in_processes(task.function, order, options, min(jobs, len(order)), heard, made)
    else:
        function = named(task.function)
        for name in order:
            heard(name, 0.0)
            made[name] = function(name, tell=lambda share, of=name: heard(of, share), **options)
            heard(name, 1.0)
    return [made[name] for name in names]


def named(task: str) -> Callable[..., Any]:
    """Import what ``module:function`` stands for."""
    module, _, name = task.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _in_processes(
    task: str,
    order: Sequence[str],
    options: dict[str, Any],
    count: int,
    heard: Heard,
    made: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Hand out the studies to so many processes; ``made`` gets what they make."""
    waiting = list(order)
    made = {} if made is None else made
    news: SimpleQueue[tuple[_Worker, str, Any]] = SimpleQueue()
    started: list[_Worker] = []
    try:
        for _ in range(count):
            started.append(_Worker(task, options, news))
            started[-1].begin(waiting.pop(0))
        for name in order[:count]:
            heard(name, 0.0)
        while len(made) < len(order):
            worker, name, what = news.get()
            if isinstance(what, BaseException):
                raise what
            if isinstance(what, float):
                heard(name, what)
                continue
            made[name] = what
            heard(name, 1.0)
            if waiting:
                heard(waiting[0], 0.0)
                worker.begin(waiting.pop(0))
        return made
    finally:
        for worker in started:
            worker.end()


class _Worker:
    """A process that repeats one study after the other, and a thread that listens to it.

    It is a program of its own, so that it does not matter how the calling one was started.
    """

    def __init__(
        self, task: str, options: dict[str, Any], news: SimpleQueue[tuple[_Worker, str, Any]]
    ) -> None:
        self._task = task
        self._options = options
        self._news = news
        self._name = ""
        with unheard():  # An interrupt is the parent's.
            self._process = subprocess.Popen(
                command(f"from {__name__} import work; work()"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment(),
            )
        Thread(target=self._listen, daemon=True).start()

    def begin(self, name: str) -> None:
        """Have a study repeated."""
        self._name = name
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the thread hears that the process has ended
            pickle.dump((self._task, name, self._options), self._process.stdin)
            self._process.stdin.flush()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            while True:
                try:
                    what = pickle.load(said)
                except (EOFError, pickle.UnpicklingError, OSError, ValueError):
                    break
                self._news.put((self, self._name, what))
        killed = SimulationError("a process was killed; perhaps for want of memory")
        self._news.put((self, self._name, killed))


# -- in the process -----------------------------------------------------------------------------


def work() -> None:
    """Repeat the studies that are asked for on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not come between
    while True:
        try:
            task, name, options = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _say(out, _made(out, task, name, options))


def _made(out: BinaryIO, task: str, name: str, options: dict[str, Any]) -> Any:
    told = -_EVERY_S

    def tell(share: float) -> None:
        nonlocal told
        now = monotonic()
        if share < 1 and now - told >= _EVERY_S:
            told = now
            _say(out, share)

    try:
        return named(task)(name, tell=tell, **options)
    except Exception as error:  # noqa: BLE001 - it is raised again in the parent
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # noqa: BLE001 - some errors need more than their text
            return SimulationError(f"{type(error).__name__}: {error}")
        return error


def _say(out: BinaryIO, what: Any) -> None:
    try:
        pickle.dump(what, out)
        out.flush()
    except BrokenPipeError:
        os._exit(1)  # the parent is gone
