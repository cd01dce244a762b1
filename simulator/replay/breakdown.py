"""Time of a trace that no read and no write takes: sleeps, waits, polling, starts of programs.

A process is awake unless it sleeps, waits for others, or waits for a time that passes without what
it waits for. While no process is awake, the program gets on only when a sleep is over, or when
others do something. A *look* is a call that fails as the last one of its process did, on the same
file: whoever makes many of them waits for something by looking again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.explained import AWAKE, SLEPT, WAITED, Looks, Spent
from simulator.replay.arrays import Batch, Codes, Numbers, in_order
from simulator.replay.operations import CODE
from simulator.replay.tracer import TracerCosts
from simulator.traces.columns import EXECS, MAPS, SLEEPS, TIMED
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.replay.rows import CallRows


TIMED_OUT = frozenset(("ETIMEDOUT", "EAGAIN", "ETIME"))
LONG_NS = 100_000
"""A call that ends sooner has asked only, and has not waited."""
SYNC_NS = 20_000
"""An ``msync`` that returns sooner has not waited for a device."""
PAGE = 4096
YIELDS = frozenset(("sched_yield",))


class Mappings:
    """The file with data that each process has mapped last."""

    def __init__(self) -> None:
        self._file: dict[int, int] = {}
        self._code: list[bool] = []

    def synced(self, batch: Batch, files: Codes) -> Numbers:
        """Return the file that each ``msync`` of a batch has written; -1 of other calls.

        Logs do not keep the place of a mapping, so that it is the last one. A call that returns at
        once has had nothing to write.
        """
        file, texts = batch.codes("file"), files.texts
        maps, syncs = batch.called(MAPS), batch.called(("msync",))
        found = np.full_like(file, -1)
        if not (maps.any() or syncs.any()):
            return found
        self._code += [bool(CODE.search(text)) for text in texts[len(self._code) :]]
        waited = syncs & (batch.took >= SYNC_NS)
        for row in np.flatnonzero((maps & (file >= 0)) | waited).tolist():
            process = int(batch.process[row])
            if syncs[row]:
                found[row] = self._file.get(process, -1)
            elif not self._code[file[row]]:
                self._file[process] = int(file[row])
        return found


class Breakdown:
    """Takes in the calls of a trace, batch by batch."""

    def __init__(self) -> None:
        self._by_call: dict[tuple[int, int], tuple[int, int]] = {}
        self._longest: tuple[int, ...] = (0, 0, 0, 0)
        """The longest wait for others: ns, name, pid, descriptor."""
        self._idle: list[Numbers] = []
        """Begins, ends and states of calls in which a process is not awake."""
        self._maps: Counter[int] = Counter()
        """Times that each file was mapped."""
        self.dropped = 0
        self._programs: list[int] = []
        """Processes that started a program, in order."""
        self._busy: dict[int, tuple[int, int]] = {}
        self._after = 0
        """Looks after a sleep."""
        self._looked: Counter[tuple[int, int]] = Counter()
        """(name of the call, file) -> looks."""

    def take(self, batch: Batch, waits: Numbers) -> Numbers:
        """Add the calls of a batch; ``waits``: those that sleep or wait for others.

        Return which processes slept.
        """
        names, took, returned = batch.codes("call"), batch.took, batch.returned
        out = batch.failed_with(TIMED_OUT)
        out |= batch.called(TIMED) & (returned == 0)
        out &= waits & (took >= LONG_NS)
        slept = batch.called(SLEEPS) | out
        state = np.where(slept, SLEPT, np.where(waits, WAITED, AWAKE))
        self._count(names, state, (returned >= 0) | out, took)
        waited = np.where(state == WAITED, took, 0)
        at = int(waited.argmax())
        pid, descriptor = batch.numbers("pid", 0), batch.numbers("fd", -1)
        found = (waited[at], names[at], pid[at], descriptor[at])
        self._longest = max(self._longest, tuple(map(int, found)), key=lambda wait: wait[0])
        idle = (state != AWAKE) & (took > 0)
        self._idle.append(np.stack([batch.begin[idle], batch.end[idle], state[idle]]))
        self._maps.update(batch.codes("file")[batch.called(MAPS)].tolist())
        started = batch.called(EXECS) & (returned == 0)
        self._programs += batch.process[started].tolist()
        self.dropped += int((batch.flagged("POSIX_FADV_DONTNEED") & (returned >= 0)).sum())
        self._look(batch, state)
        return np.unique(batch.process[slept])

    def _count(self, names: Numbers, state: Numbers, good: Numbers, took: Numbers) -> None:
        """Count the calls of each name that succeeded, and add up what all of them took."""
        for now in (AWAKE, WAITED, SLEPT):
            mine = names[state == now]
            many = np.bincount(mine, good[state == now]).astype(np.int64)
            times = np.bincount(mine, took[state == now]).astype(np.int64)
            for name in np.unique(mine).tolist():
                count, ns = self._by_call.get((name, now), (0, 0))
                self._by_call[name, now] = (count + int(many[name]), ns + int(times[name]))

    def _look(self, batch: Batch, state: Numbers) -> None:
        """Count the calls that failed as the one before did; those of two batches are left out."""
        call, file, error = (batch.codes(name) for name in ("call", "file", "error"))
        place = in_order(batch.process)
        idle = np.cumsum(state[place] != AWAKE)
        some = (state[place] == AWAKE) & ~batch.called(YIELDS)[place]
        place, idle = place[some], idle[some]
        alike = error[place] >= 0
        for column in (batch.process, call, file, error):
            alike[1:] &= np.diff(column[place]) == 0
        alike[:1] = False
        look = np.flatnonzero(alike)
        if not len(look):
            return
        self._after += int((idle[look] != idle[look - 1]).sum())
        pairs = zip(call[place[look]].tolist(), file[place[look]].tolist(), strict=True)
        self._looked.update(sorted(pairs))
        # What is looked for a second time may be a name in a list of folders.
        busy = look[alike[look - 1] & (idle[look] == idle[look - 1])]
        since = batch.end[place[busy]] - batch.end[place[busy - 1]]
        names = call[place[busy]]
        for name in np.unique(names).tolist():
            count, ns = self._busy.get(name, (0, 0))
            mine = names == name
            self._busy[name] = (count + int(mine.sum()), ns + int(since[mine].sum()))

    def spent(self, log: CallRows, alive: Numbers, births: Mapping[int, int]) -> Spent:
        """Return what all of it says; ``births``: when processes began that another one made."""
        texts, tracer, lives = log.calls.texts, log.tracer, log.lifetimes
        files = log.files.texts
        inside, outside = (
            (tracer.inside(texts).tolist(), tracer.outside(texts).tolist())
            if isinstance(tracer, TracerCosts)
            else ([0.0] * len(texts),) * 2
        )
        lived = lives.last - lives.first
        first = np.array([births.get(one, int(lives.first[one])) for one in alive.tolist()])
        asleep, waiting = self._none_awake(first.astype(np.int64), lives.last[alive])
        data = [one for one in self._maps if one >= 0 and not CODE.search(files[one])]
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
