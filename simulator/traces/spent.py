"""What a trace says of the time that no read and no write takes: sleeps, waits, looks, programs.

A process is awake unless it sleeps, waits for others, or waits for a time that passes without what
it waits for. While no process is awake, the program gets on only when a sleep is over, or when
others do something. A *look* is a call that fails as the last one of its process did, on the same
file: whoever makes many of them waits for something by looking again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces import named
from simulator.traces.columns import SLEEPS, TIMED
from simulator.traces.tracer import Tolls, in_order
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.traces.gather import Gathered

    Numbers = np.ndarray[Any, Any]

AWAKE, WAITED, SLEPT = range(3)
"""What a process does in a call. A wait whose time passes is a sleep."""
TIMED_OUT = frozenset(("ETIMEDOUT", "EAGAIN", "ETIME"))
LONG_NS = 100_000
"""A call that ends sooner has asked only, and has not waited."""
SYNC_NS = 20_000
"""An ``msync`` that returns sooner has not waited for a device."""
PAGE = 4096
YIELDS = frozenset(("sched_yield",))
MAPS = ("mmap", "mmap2")
_STARTS = ("execve", "execveat")


@dataclass(frozen=True, slots=True)
class Looks:
    """Calls that failed as the one before of their process did, on the same file."""

    count: int = 0
    """Those after a sleep, or a wait."""
    busy: int = 0
    """Those that are the third in a row, or a later one, without a sleep since;"""
    busy_ns: int = 0
    """and the time of these from one to the next, without what the tracer is known to add."""
    call: str = ""
    file: str = ""
    """A file that they ask for, and how many there are."""
    files: int = 0

    @property
    def told(self) -> str:
        """Name one of the calls, and say on how many files they are."""
        more = f" and {counted(self.files - 1, 'more file')}" if self.files > 1 else ""
        return f"{self.call} of {self.file}{more}" if self.file else self.call


@dataclass(frozen=True, slots=True)
class Spent:
    """The time of a trace by what was done in it."""

    lived_ns: int = 0
    """The times from first to last call of all processes."""
    by_call: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    """(name, :data:`AWAKE` and so on) -> how many succeeded, and the time of all of them without
    what the tracer is known to add."""
    asleep_ns: int = 0
    """How long no process was awake, and at least one slept;"""
    waiting_ns: int = 0
    """and how long none did either, but waited for others."""
    longest: str = ""
    """The longest wait for others: its call, process and descriptor."""
    sleeps: int = 0
    starts: int = 0
    """Programs that were started, without the first."""
    started_ns: int = 0
    """The times from first to last call of the processes that became these."""
    mapped: int = 0
    """Files with data, no code, that were mapped;"""
    maps: int = 0
    """and how often."""
    dropped: int = 0
    """Calls of posix_fadvise that take files out of memory."""
    looks: Looks = field(default_factory=Looks)


class Mappings:
    """Which file with data each process has mapped last."""

    def __init__(self) -> None:
        self._file: dict[int, int] = {}
        self._code: list[bool] = []

    def synced(self, one: dict[str, Numbers], file: Numbers, gathered: Gathered) -> Numbers:
        """Return the file that each ``msync`` of a batch has written; -1 of other calls.

        Logs do not keep the place of a mapping, so that it is the last one. A call that returns at
        once has had nothing to write.
        """
        calls, names, texts = gathered.calls, one["name"], gathered.files.texts
        maps, syncs = calls.among(names, MAPS), calls.among(names, ("msync",))
        found = np.full_like(file, -1)
        if not (maps.any() or syncs.any()):
            return found
        self._code += [bool(named.CODE.search(text)) for text in texts[len(self._code) :]]
        took = one["end"] - one["begin"]
        for row in np.flatnonzero((maps & (file >= 0)) | (syncs & (took >= SYNC_NS))).tolist():
            process = int(one["process"][row])
            if syncs[row]:
                found[row] = self._file.get(process, -1)
            elif not self._code[file[row]]:
                self._file[process] = int(file[row])
        return found


class Spending:
    """Takes in the calls of a trace, batch by batch."""

    def __init__(self) -> None:
        self._by_call: dict[tuple[int, int], tuple[int, int]] = {}
        self._longest: tuple[int, ...] = (0, 0, 0, 0)
        """The longest wait for others: ns, name, pid, descriptor."""
        self._idle: list[Numbers] = []
        """Begins, ends and states of calls in which a process is not awake."""
        self._maps: dict[int, int] = {}
        self.dropped = 0
        self._programs: list[int] = []
        """Processes that started a program, in order."""
        self._busy: dict[int, tuple[int, int]] = {}
        self._after = 0
        """Looks after a sleep."""
        self._looked: dict[tuple[int, int], int] = {}
        """(name of the call, file) -> looks."""

    def take(
        self,
        one: dict[str, Numbers],
        waits: Numbers,
        returned: Numbers,
        error: Numbers,
        file: Numbers,
        gathered: Gathered,
    ) -> None:
        """Take in the rows of a batch; ``waits``: those that sleep or wait for others."""
        names, calls = one["name"], gathered.calls
        took = one["end"] - one["begin"]
        out = gathered.errors.among(error, TIMED_OUT)
        out |= calls.among(names, TIMED) & (returned == 0)
        out &= waits & (took >= LONG_NS)
        slept = calls.among(names, SLEEPS) | out
        state = np.where(slept, SLEPT, np.where(waits, WAITED, AWAKE))
        self._count(names, state, (returned >= 0) | out, took)
        waited = np.where(state == WAITED, took, 0)
        at = int(waited.argmax())
        found = (waited[at], names[at], one["pid"][at], one["fd"][at])
        self._longest = max(self._longest, tuple(map(int, found)), key=lambda wait: wait[0])
        idle = (state != AWAKE) & (took > 0)
        self._idle.append(np.stack([one["begin"][idle], one["end"][idle], state[idle]]))
        maps = calls.among(names, MAPS)
        for number, count in zip(*np.unique(file[maps], return_counts=True), strict=True):
            self._maps[int(number)] = self._maps.get(int(number), 0) + int(count)
        started = calls.among(names, _STARTS) & (returned == 0)
        self._programs += one["process"][started].tolist()
        self._look(one, state, error, file, calls.among(names, YIELDS))

    def _count(self, names: Numbers, state: Numbers, good: Numbers, took: Numbers) -> None:
        """Count the calls of each name that succeeded, and add up what all of them took."""
        for now in (AWAKE, WAITED, SLEPT):
            mine = names[state == now]
            many = np.bincount(mine, good[state == now]).astype(np.int64)
            times = np.bincount(mine, took[state == now]).astype(np.int64)
            for name in np.unique(mine).tolist():
                count, ns = self._by_call.get((name, now), (0, 0))
                self._by_call[name, now] = (count + int(many[name]), ns + int(times[name]))

    def _look(
        self,
        one: dict[str, Numbers],
        state: Numbers,
        error: Numbers,
        file: Numbers,
        yields: Numbers,
    ) -> None:
        """Count the calls that failed as the one before did; those of two batches are left out."""
        place = in_order(one["process"])
        idle = np.cumsum(state[place] != AWAKE)
        some = (state[place] == AWAKE) & ~yields[place]
        place, idle = place[some], idle[some]
        alike = error[place] >= 0
        for column in (one["process"], one["name"], file, error):
            alike[1:] &= np.diff(column[place]) == 0
        alike[:1] = False
        look = np.flatnonzero(alike)
        if not len(look):
            return
        self._after += int((idle[look] != idle[look - 1]).sum())
        names, files = one["name"][place[look]], file[place[look]]
        both, many = np.unique(np.stack([names, files]), axis=1, return_counts=True)
        for key, count in zip(zip(*both.tolist(), strict=True), many.tolist(), strict=True):
            self._looked[key] = self._looked.get(key, 0) + count
        # What is looked for a second time may be a name in a list of folders.
        busy = look[alike[look - 1] & (idle[look] == idle[look - 1])]
        since = one["end"][place[busy]] - one["end"][place[busy - 1]]
        names = one["name"][place[busy]]
        for name in np.unique(names).tolist():
            count, ns = self._busy.get(name, (0, 0))
            mine = names == name
            self._busy[name] = (count + int(mine.sum()), ns + int(since[mine].sum()))

    def spent(self, gathered: Gathered, alive: Numbers, births: Mapping[int, int]) -> Spent:
        """Return what all of it says; ``births``: when processes began that another one made."""
        texts, tracer, lives = gathered.calls.texts, gathered.tracer, gathered.lives
        files = gathered.files.texts
        inside, outside = (
            (tracer.inside(texts).tolist(), tracer.outside(texts).tolist())
            if isinstance(tracer, Tolls)
            else ([0.0] * len(texts),) * 2
        )
        lived = lives.last - lives.first
        first = np.array([births.get(one, int(lives.first[one])) for one in alive.tolist()])
        asleep, waiting = self._none_awake(first.astype(np.int64), lives.last[alive])
        data = [one for one in self._maps if one >= 0 and not named.CODE.search(files[one])]
        started = np.unique(self._programs[1:]).astype(np.int64)
        started = np.setdiff1d(started, self._programs[:1])
        return Spent(
            lived_ns=int(lived[alive].sum()),
            by_call={
                (texts[name], state): (count, max(ns - round(count * inside[name]), 0))
                for (name, state), (count, ns) in self._by_call.items()
            },
            asleep_ns=asleep,
            waiting_ns=waiting,
            longest=self._longest_of(texts),
            sleeps=sum(count for (_, state), (count, _) in self._by_call.items() if state == SLEPT),
            starts=max(len(self._programs) - 1, 0),
            started_ns=int(lived[started].sum()),
            mapped=len(data),
            maps=sum(self._maps[one] for one in data),
            dropped=self.dropped,
            looks=self._looks_of(texts, files, [*map(sum, zip(inside, outside, strict=True))]),
        )

    def _none_awake(self, first: Numbers, last: Numbers) -> tuple[int, int]:
        """Return how long no process was awake: while at least one slept, and while none did."""
        begin, end, state = np.concatenate([np.zeros((3, 0), np.int64), *self._idle], axis=1)
        when = np.concatenate([first, last, begin, end])
        one, idle, slept = np.ones_like(first), np.ones_like(begin), (state == SLEPT).astype(int)
        awake = np.concatenate([one, -one, -idle, idle])
        sleeping = np.concatenate([0 * one, 0 * one, slept, -slept])
        living = np.concatenate([one, -one, 0 * idle, 0 * idle])
        order = np.argsort(when, kind="stable")
        for_ns = np.diff(when[order], append=when.max(initial=0))
        awake, sleeping, living = (np.cumsum(x[order]) for x in (awake, sleeping, living))
        still = (awake == 0) & (living > 0)
        asleep = int(for_ns[still & (sleeping > 0)].sum())
        return asleep, int(for_ns[still].sum()) - asleep

    def _longest_of(self, texts: list[str]) -> str:
        took, name, pid, fd = self._longest
        on = f" of descriptor {fd}" if fd >= 0 else ""
        return f"{format_time(took)} in {texts[name]}{on} by process {pid}" if took else ""

    def _looks_of(self, texts: list[str], files: list[str], own: list[float]) -> Looks:
        if not self._looked:
            return Looks()
        (name, file), _ = max(self._looked.items(), key=lambda item: item[1])
        return Looks(
            count=self._after,
            busy=sum(count for count, _ in self._busy.values()),
            busy_ns=sum(
                max(ns - round(count * own[one]), 0) for one, (count, ns) in self._busy.items()
            ),
            call=texts[name],
            file=files[file] if file >= 0 else "",
            files=len({file for _, file in self._looked if file >= 0}),
        )
