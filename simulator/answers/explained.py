"""Explanation of a traced program's time: calls, the processor, sleeping, waiting, and a rest.

That nothing is worth changing may be said only of time that the log shows: in calls on files, or
the processor's as ``nwtsim trace record`` measured it. What is neither is told first, with what to
record next. Nothing here is simulated: a replay lets all of it pass as time between calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from simulator.units import format_time
from simulator.wording import counted, percent

ENOUGH = 0.8
"""Part of the time that has to be explained before it is said that nothing is worth changing."""
HALF = 0.5
LITTLE = 0.05
"""Part of the time from which on sleeping, or syncing a mapping, is worth a word."""
LEAST_LOOKS = 16
"""Calls that are repeated from which on that is worth a word."""
LEAST_STARTS, STARTS_PER_S = 16, 10
"""Programs that are started from which on they are a storm, in all and for each second."""


AWAKE, WAITED, SLEPT = range(3)
"""States of a process in a call. A wait whose time passes is a sleep."""


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
    def named(self) -> str:
        """One of the calls, and on how many files they are, in words."""
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
    """The time in which no process was awake, and at least one slept;"""
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


@dataclass(frozen=True, slots=True)
class Explained:
    """The time of a traced program by its kinds, as far as its log and its record say; ns."""

    whole: int
    """Elapsed time without the tracer, and without waiting for a processor, if that was measured;
    or of all processes of the log, without waits for each other."""
    calls: int
    """In calls on files and folders."""
    user: int | None
    """Of the processor, outside of the system; None if that was not measured."""
    system: int
    """Of the processor in the system, beyond calls on files: pages, programs; 0 if not measured."""
    syncing: int
    """In syncs of mappings."""
    syncs: int
    starting: int
    """For programs that do nothing, as many as were started; 0 if that was not measured."""
    spent: Spent
    """The time that no read and no write takes, by the log."""

    @property
    def inside(self) -> int:
        """The time in calls on files, not more than in which some process was awake.

        Of several processes together their calls may be more than the time.
        """
        idle = self.spent.asleep_ns + self.spent.waiting_ns
        return min(self.calls, max(self.whole - (self.user or 0) - idle, 0))

    @property
    def rest(self) -> int:
        """The time that neither calls nor the processor explain."""
        return max(self.whole - self.inside - (self.user or 0), 0)

    @property
    def storm(self) -> bool:
        """True if so many programs are started that starting them matters."""
        return self.spent.starts >= max(LEAST_STARTS, STARTS_PER_S * self.whole / 1e9)

    @property
    def slept(self) -> bool:
        """True if sleeping is much of the time."""
        return self.spent.asleep_ns >= LITTLE * self.whole > 0

    @property
    def synced(self) -> bool:
        """True if syncing mappings is much of the time."""
        return self.syncing >= LITTLE * self.whole > 0

    @property
    def spun(self) -> bool:
        """True if looking again and again, without a sleep, is much of the time."""
        looks = self.spent.looks
        return looks.busy >= LEAST_LOOKS and looks.busy_ns >= LITTLE * self.whole > 0

    @property
    def known(self) -> bool:
        """True if the log shows what enough of the time is."""
        hidden = self.storm or self.slept or self.synced or self.spun or bool(self.spent.mapped)
        hidden |= self.spent.dropped >= LEAST_LOOKS
        return not hidden and self.rest <= (1 - ENOUGH) * self.whole

    @property
    def computing(self) -> bool:
        """True if most of the time is the processor's, as was measured."""
        return self.user is not None and self.user >= HALF * self.whole > 0

    @property
    def idle(self) -> bool:
        """True if most of the time is sleeping, or waiting for others."""
        return self.spent.asleep_ns + self.spent.waiting_ns >= HALF * self.whole > 0

    @property
    def hidden(self) -> bool:
        """True if at least half of the time is not in calls on files."""
        return self.computing or self.storm or self.rest >= HALF * self.whole > 0

    @property
    def divided(self) -> dict[str, int]:
        """The parts of the time, which add up, and what is left of it at last.

        Programs that are started compute at first: so much of the processor's time is theirs.
        """
        begun = min(self.starting, self.whole)
        user = min(self.user or 0, self.whole - begun)
        rest, found = self.whole - user, {}
        for what, time in (
            ("starting and ending programs", begun),
            ("in calls on files", self.inside),
            ("in syncs of mappings", self.syncing),
            ("sleeping", self.spent.asleep_ns),
            (_WAITING, self.spent.waiting_ns),
            (_SYSTEM, self.system),
        ):
            found[what] = min(time, rest)
            rest -= found[what]
        found[_LEFT if self.user is None else _NEITHER] = rest
        if self.user is not None:
            found[_COMPUTING] = user
        return found

    def told(self) -> str:
        """State what the time is, the most first; empty if calls explain it."""
        if self.known and not self.computing:
            return ""
        parts = sorted(self.divided.items(), key=lambda one: -one[1])
        shown = [f"{percent(time, self.whole)} {what}" for what, time in parts if self._much(time)]
        told = f"Of {format_time(self.whole)} {', '.join(shown)}"
        if self.storm:
            told += f"; {counted(self.spent.starts, 'program')} load and set up within it"
        return told

    def _much(self, time: int, least: float = 0.001) -> bool:
        return time >= least * self.whole and time > 0

    def seen(self, *, alone: bool = True, starts: bool = True) -> Iterator[str]:
        """Yield what the log shows beside reads and writes, with what may help; not simulated.

        ``alone``: nothing else helps, so that what the rest may be is told as well. ``starts``: of
        programs, too; they are not if that was simulated.
        """
        looks, dropped = self.spent.looks, self.spent.dropped
        if self.synced and alone:
            yield (
                f"{counted(self.syncs, 'msync')} took {format_time(self.syncing)}: sync the mapping"
                " once at the end, or in large pieces, not after each page"
            )
        if self.slept:
            yield self._slept(alone=alone)
        if self.spun:
            yield (
                f"{looks.busy:,} calls that failed as the one before had ({looks.named}), without a"
                f" sleep, {format_time(looks.busy_ns)}: {_WAIT}"
            )
        if self.storm and starts:
            yield self._started()
        if self.spent.mapped:
            yield self._paged()
        if dropped >= LEAST_LOOKS:
            yield (
                f"{dropped:,} calls of posix_fadvise: what they take out of the page cache"
                " (POSIX_FADV_DONTNEED) is read from the device when it is read again, which the"
                " replay does not know; leave them out where that happens"
            )
        if not (alone or self.hidden):
            return
        yield from self._next()

    def _slept(self, *, alone: bool) -> str:
        again, looks = "", self.spent.looks
        if looks.count:
            calls = counted(looks.count, "call")
            again = f"; {calls} failed as the one before the sleep had ({looks.named})"
        slept, sleeps = min(self.spent.asleep_ns, self.whole), max(self.spent.sleeps, 1)
        asleep = format_time(slept)
        # A sleep after which a look fails again has waited for what took as long.
        most = format_time(slept * max(sleeps - looks.count, 1) // sleeps)
        return (
            f"{asleep} in which none of its processes was awake and one slept"
            f" ({counted(self.spent.sleeps, 'sleep')}, waits whose time passed included){again}."
            f" Where they look again and again whether something is there: {_WAIT}"
            f"{f'. It saves at most about {most}' if alone else ''}"
        )

    def _started(self) -> str:
        least, starts = "", self.spent.starts
        if self.starting:
            each = format_time(self.starting // starts)
            least = (
                f"; one that does nothing takes {each} here (measured), so many of them"
                f" {format_time(self.starting)}"
            )
        lived = format_time(self.spent.started_ns)
        return (
            f"{counted(starts, 'program')} started, which lived {lived} in the log{least}."
            " What each of them loads and sets up is not divided: start one for many files"
            " ('find ... -exec COMMAND {} +', xargs), or do it within one program"
        )

    def _paged(self) -> str:
        maps, mapped = self.spent.maps, self.spent.mapped
        told = f"{counted(mapped, 'file')} with data mapped into memory"
        if maps >= LEAST_LOOKS * mapped:
            told += (
                f", {maps:,} times: map each once and as a whole, or read it; each mapping is"
                " made, paged in and taken away again"
            )
            return f"{told} ('perf trace -F all -- COMMAND' shows each page)"
        return (
            f"{told}: what reading and writing pages takes is in no call ('perf trace -F all --"
            " COMMAND' shows each)"
        )

    def _next(self) -> Iterator[str]:
        """Yield what to record next of what is much of the time."""
        for what, time in self.divided.items():
            if what in _NEXT and self._much(time, 1 - ENOUGH):
                longest = what == _WAITING and self.spent.longest
                more = f". The longest wait: {longest}" if longest else ""
                yield f"{format_time(time)} {_NEXT[what]}{more}"

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "whole_s": self.whole / 1e9,
            "calls_s": self.calls / 1e9,
            "processor_s": None if self.user is None else self.user / 1e9,
            "rest_s": self.rest / 1e9,
            "sleeping_s": self.spent.asleep_ns / 1e9,
            "waiting_s": self.spent.waiting_ns / 1e9,
            "msync_s": self.syncing / 1e9,
            "programs_started": self.spent.starts,
            "starting_s": self.starting / 1e9,
            "looks": self.spent.looks.count,
            "busy_looking_s": self.spent.looks.busy_ns / 1e9,
            "files_mapped": self.spent.mapped,
            "known": self.known,
            "seen": list(self.seen()),
        }


_WAITING = "waiting for others"
_SYSTEM = "in the system (paging, making and ending processes)"
_LEFT, _NEITHER = "not shown by the log", "none of these"
_COMPUTING = "computing (the processor's time, measured)"
_NEXT = {
    _WAITING: "in which all processes waited for others, that the log does not have: 'strace -f -y"
    " -yy -p PID' of those, or 'perf trace -s -- COMMAND', say for what",
    _SYSTEM: "of the processor's time in the system, but not in calls on files: page faults, new"
    " mappings, processes that begin and end: 'perf trace -F all --no-syscalls -- COMMAND' shows"
    " page faults, 'perf record -g -- COMMAND' where the system's time is",
    _LEFT: "are computing, paging or waiting for a processor, the log does not say which: 'nwtsim"
    " trace record -- COMMAND' measures the processor's time",
    _NEITHER: "in neither calls nor computing may be paging from a device, or waiting for a"
    " processor or for others: 'perf sched record -- COMMAND' and 'perf trace -s -- COMMAND' say of"
    " each process when it runs and for what it waits",
    _COMPUTING: "of the processor's time in the program and its libraries (computing,"
    " decompressing, parsing): 'perf record -g -- COMMAND' says in which functions",
}
"""Sentences about parts of the time that are much of it, with what to record next."""
_WAIT = (
    "wait for it instead, with a call that ends when it is there (inotify, waitpid, flock, a pipe,"
    " a condition variable)"
)
