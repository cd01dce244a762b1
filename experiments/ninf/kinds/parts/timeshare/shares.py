"""A processor of several PEs that an operating system time-shares among its tasks.

A task has one or more threads. With no more runnable threads than PEs, each has a PE of its own;
with more, all get equal shares of the PEs (processor sharing: the quantum is short compared with
the tasks). Urgent tasks precede the others, as UNIX favours those that have used little CPU time. A
task of several threads is a gang that waits for its last thread at every barrier: where threads
share PEs this costs a part of its speed.

One *virtual time* a kind of task, the work that each thread of that kind has received so far,
determines the ends of tasks (as in ``parts/shared.py``). It is counted in whole 2**-32 ns, so that
no rounding accumulates.

Not modelled: quanta and context switches, ageing of priorities, tasks bound to a PE, memory.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import exp

from .spec import SCALE, CpuSpec

SAMPLE_NS = 5_000_000_000
"""Interval at which UNIX samples the run queue."""
WINDOW_NS = 60_000_000_000
"""Time constant of its first load average: one minute."""
LOAD_ONE = 1 << 20
_KEPT = round(exp(-SAMPLE_NS / WINDOW_NS) * LOAD_ONE)


class _Kind:
    """Tasks of the same speed: all of one urgency and one number of threads."""

    def __init__(self, threads: int, urgent: bool) -> None:
        self.threads = threads
        self.urgent = urgent
        self.virtual = 0
        self.speed = 0
        self.ends: list[tuple[int, int]] = []
        """(virtual time of its end, number) of each task, as a heap."""


class TimeShare:
    """The sharing rule, without a clock of its own; each task has a number.

    >>> cpu = TimeShare(CpuSpec(1))
    >>> cpu.add(0, 0, 100); cpu.add(50, 1, 100)   # at 50 ns half of the first is done
    >>> cpu.next_end()
    150
    >>> cpu.finish(150), cpu.finish(150), cpu.next_end(), cpu.finish(200)
    (0, -1, 200, 1)
    """

    def __init__(self, spec: CpuSpec) -> None:
        self.spec = spec
        self.urgent = 0
        """Urgent runnable threads."""
        self.others = 0
        self._since = 0
        self._used = 0
        self._waited = 0
        self._using = 0
        self._kinds: dict[tuple[bool, int], _Kind] = {}
        self._cached_speeds: dict[tuple[int, int], tuple[int, list[int]]] = {}
        """(urgent, other) threads -> PE time given in a ns, and the speed of each kind."""

    @property
    def runnable(self) -> int:
        """Runnable threads: the length of UNIX's run queue."""
        return self.urgent + self.others

    @property
    def used_ns(self) -> int:
        """PE time given to threads so far, as of the last change."""
        return self._used >> SCALE

    @property
    def thread_ns(self) -> int:
        """Integral of :attr:`runnable` over time, as of the last change."""
        return self._waited

    def add(
        self, now_ns: int, number: int, work_ns: int, threads: int = 1, urgent: bool = False
    ) -> None:
        """Begin task ``number``, each of whose threads needs ``work_ns`` on a PE of its own."""
        self.advance(now_ns)
        kind = self._kinds.get((urgent, threads))
        if kind is None:
            kind = self._kinds[urgent, threads] = _Kind(threads, urgent)
            self._cached_speeds.clear()
        heappush(kind.ends, (kind.virtual + (work_ns << SCALE), number))
        self._count(kind, threads)

    def next_end(self) -> int:
        """Return the time of the next end if no task is added before; -1 for none."""
        first = -1
        for kind in self._kinds.values():
            if not kind.ends:
                continue
            left = kind.ends[0][0] - kind.virtual
            if left <= 0:  # done in this nanosecond, though others have the PEs from now on
                return self._since
            if kind.speed:
                left = -(-left // kind.speed)
                if left < first or first < 0:
                    first = left
        return first if first < 0 else self._since + first

    def finish(self, now_ns: int) -> int:
        """End one task that is done by now; return its number, or -1 for none."""
        self.advance(now_ns)
        for kind in self._kinds.values():
            if kind.ends and kind.ends[0][0] <= kind.virtual:
                _, number = heappop(kind.ends)
                self._count(kind, -kind.threads)
                if not kind.ends:
                    kind.virtual = 0
                return number
        return -1

    def advance(self, now_ns: int) -> None:
        """Advance the time."""
        passed = now_ns - self._since
        if passed:
            for kind in self._kinds.values():
                if kind.ends:
                    kind.virtual += kind.speed * passed
            self._used += self._using * passed
            self._waited += (self.urgent + self.others) * passed
            self._since = now_ns

    def _count(self, kind: _Kind, threads: int) -> None:
        """Add threads (or remove them), and update the speeds."""
        if kind.urgent:
            self.urgent += threads
        else:
            self.others += threads
        known = self._cached_speeds.get((self.urgent, self.others))
        if known is None:
            known = self._cached_speeds[self.urgent, self.others] = self._speeds()
        self._using, speeds = known
        for one, speed in zip(self._kinds.values(), speeds):  # noqa: B905 - it is made for them
            one.speed = speed

    def _speeds(self) -> tuple[int, list[int]]:
        """Compute the use of PEs by the current threads, and the speed of each kind."""
        first, second = self.spec.shares(self.urgent, self.others)
        using = first * self.urgent + second * self.others
        return using, [
            self.spec.speed(first if one.urgent else second, one.threads)
            for one in self._kinds.values()
        ]


class LoadAverage:
    """UNIX's load average: the run queue, sampled every 5 s, smoothed exponentially.

    After each sample it is kept * load + (1 - kept) * queue, kept = exp(-5 s / 60 s), in integers,
    as in the kernels.

    >>> load = LoadAverage()
    >>> load.advance(60_000_000_000, 10)    # 10 threads for a minute: 10 * (1 - 1/e)
    >>> round(load.value, 2)
    6.32
    """

    def __init__(self) -> None:
        self._load = 0
        self.due_ns = SAMPLE_NS
        """Time of the next sample."""
        self.samples: list[float] = []
        """Load average after each sample: at 5 s, 10 s, ..."""

    @property
    def value(self) -> float:
        """Load average as of the last sample."""
        return self._load / LOAD_ONE

    def advance(self, now_ns: int, runnable: int) -> None:
        """Take the samples due by ``now_ns``, with ``runnable`` runnable threads until then."""
        while self.due_ns <= now_ns:
            new = runnable * (LOAD_ONE - _KEPT)
            self._load = (self._load * _KEPT + LOAD_ONE // 2 >> 20) + new
            self.samples.append(self._load / LOAD_ONE)
            self.due_ns += SAMPLE_NS
