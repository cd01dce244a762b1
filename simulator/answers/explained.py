"""What the time of a traced program is: calls, the processor, sleeping, waiting, and a rest.

That nothing is worth changing may be said only of time that the log shows: in calls on files, or
the processor's as ``nwtsim trace record`` measured it. What is neither is told first, with what to
record next. Nothing here is simulated: a replay lets all of it pass as time between calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simulator.units import format_time
from simulator.wording import counted, percent

ENOUGH = 0.8
"""Part of the time that has to be explained before it is said that nothing is worth changing."""
HALF = 0.5
LITTLE = 0.05
"""Part of the time from which on sleeping, or syncing a mapping, is worth a word."""
LEAST_STARTS, STARTS_PER_S = 16, 10
"""Programs that are started from which on they are a storm, in all and for each second."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Where the time of a traced program went, as far as its log and its record say; ns."""

    whole: int
    """Elapsed time without the tracer, and without waiting for a processor, if that was measured;
    or of all processes of the log, without waits for each other."""
    calls: int
    """In calls on files and folders."""
    user: int | None
    """Of the processor, outside of the system; None if that was not measured."""
    sleeping: int
    sleeps: int
    waiting: int
    """For others: children, pipes, sockets, locks."""
    syncing: int
    """In syncs of mappings."""
    syncs: int
    starts: int
    """Programs that were started."""
    mapped: int
    """Files with data that were mapped into memory, whose bytes no call moves."""

    @property
    def rest(self) -> int:
        """What neither calls nor the processor's time explain."""
        return max(self.whole - self.calls - (self.user or 0), 0)

    @property
    def storm(self) -> bool:
        """Whether so many programs are started that starting them matters."""
        return self.starts >= max(LEAST_STARTS, STARTS_PER_S * self.whole / 1e9)

    @property
    def slept(self) -> bool:
        """Whether sleeping is much of the time."""
        return self.sleeping >= LITTLE * self.whole > 0

    @property
    def synced(self) -> bool:
        """Whether syncing mappings is much of the time."""
        return self.syncing >= LITTLE * self.whole > 0

    @property
    def known(self) -> bool:
        """Whether the log shows what enough of the time is."""
        hidden = self.storm or self.slept or self.synced or bool(self.mapped)
        return not hidden and self.rest <= (1 - ENOUGH) * self.whole

    @property
    def computing(self) -> bool:
        """Whether most of the time is the processor's, as was measured."""
        return self.user is not None and self.user >= HALF * self.whole > 0

    @property
    def hidden(self) -> bool:
        """Whether at least half of the time is not in calls on files."""
        return self.computing or self.rest >= HALF * self.whole > 0

    def told(self) -> str:
        """Say what the time is, the rest first if it is most of it; empty if calls explain it."""
        if self.known and not self.computing:
            return ""
        rest, parts = self.whole - (self.user or 0), []
        for time, what in (
            (self.calls, "in calls on files"),
            (self.syncing, "in syncs of mappings"),
            (self.sleeping, "sleeping"),
        ):  # Of several processes together they may be more than the time.
            parts.append((min(time, rest), what))
            rest -= min(time, rest)
        parts.append((rest, "neither of these"))
        if self.user is not None:
            parts.append((self.user, "computing (the processor's time, measured)"))
        parts.sort(key=lambda one: -one[0])
        told = [f"{percent(time, self.whole)} {what}" for time, what in parts if time]
        return f"Of {format_time(self.whole)} {', '.join(told)}"

    def seen(self, *, alone: bool = True) -> Iterator[str]:
        """Yield what the log shows beside reads and writes, with what may help; not simulated.

        ``alone``: nothing else helps, so that what the rest may be is told as well.
        """
        if self.synced:
            yield (
                f"{counted(self.syncs, 'msync')} took {format_time(self.syncing)}: sync the mapping"
                " once at the end, or in large pieces, not after each page"
            )
        if self.slept:
            yield (
                f"{counted(self.sleeps, 'sleep')} took {format_time(self.sleeping)} of its"
                " processes: where they look again and again whether something is there, wait for"
                " it instead (inotify, wait, a pipe, a condition variable)"
            )
        if self.storm:
            yield (
                f"{counted(self.starts, 'program')} started: what each of them loads and sets up is"
                " not divided; start one for many files ('find ... -exec COMMAND {} +', xargs), or"
                " do it within one program"
            )
        if self.mapped:
            yield (
                f"{counted(self.mapped, 'file')} with data mapped into memory: what reading and"
                " writing pages takes is in no call ('perf trace -F all -- COMMAND' shows each)"
            )
        if not (alone or self.hidden):
            return
        if self.computing:
            yield (
                f"{format_time(self.user or 0)} of the processor's time in the program and its"
                " libraries (computing, decompressing, parsing): 'perf record -g -- COMMAND' says"
                " in which functions"
            )
        elif self.rest > (1 - ENOUGH) * self.whole:
            yield self._next()

    def _next(self) -> str:
        """Say what to record next."""
        if self.user is None:
            return (
                f"{format_time(self.rest)} are computing, paging or waiting for a processor, the"
                " log does not say which: 'nwtsim trace record -- COMMAND' measures the"
                " processor's time"
            )
        return (
            f"{format_time(self.rest)} in neither calls nor computing may be starting and ending"
            " processes, paging, sleeping or waiting: 'perf sched record -- COMMAND' and"
            " 'perf trace -s -- COMMAND' say of each process when it runs and for what it waits"
        )

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "whole_s": self.whole / 1e9,
            "calls_s": self.calls / 1e9,
            "processor_s": None if self.user is None else self.user / 1e9,
            "rest_s": self.rest / 1e9,
            "sleeping_s": self.sleeping / 1e9,
            "waiting_s": self.waiting / 1e9,
            "msync_s": self.syncing / 1e9,
            "programs_started": self.starts,
            "files_mapped": self.mapped,
            "known": self.known,
            "seen": list(self.seen()),
        }
