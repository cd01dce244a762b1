"""Probes: each some calls of one kind and size, the samples of one, and limits of all."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from simulator.measure.groups import Groups, groups_of
from simulator.processors import processors

OfNames = Literal[
    "create",
    "open-close",
    "close",
    "stat",
    "lookup",
    "readdir",
    "setattr",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
]
Kind = (
    Literal["seek", "cached-read", "cached-write", "random-read", "read"]
    | Literal["direct-write", "sync-write", "write-sync"]
    | OfNames
)
OF_DEVICE = ("random-read", "read")
"""Reads that have to reach the device, past the page cache."""
METADATA: tuple[OfNames, ...] = get_args(OfNames)
"""Calls with names, in the order in which they are made."""
UNLINKED = 500
State = Literal["", "after unlinks", "again", "length", "many", "new", "over", "shared", "stored"]
"""In which a probe finds what it works on; empty: as most programs do."""
STATES: dict[State, str] = {
    "after unlinks": f"a second after {UNLINKED} files of the same folder were deleted",
    "again": "of names that were asked for just before",
    "length": "of the length of a file, which stays as it is",
    "many": "one after the other of so many files that no processor's own cache has kept any",
    "new": "to blocks that the file does not have",
    "over": "over data that the file has",
    "shared": "of one file, each behind the other's",
    "stored": "of a file whose data the device has, which frees their blocks",
}
KIB, MIB = 1 << 10, 1 << 20
_TURNS, _QUICK_TURNS = 30, 10
_SHARES, _QUICK_SHARES = 5, 3
_RUNS, _QUICK_RUNS = 5, 3
_MOST_CALLS = 512
_OF_TINY = 16 * _MOST_CALLS
"""Of so cheap calls the first thousand still take longer, until caches know the way."""
_OF_SHARED = 4 * _MOST_CALLS
"""So few that on a busy host both processes often have a processor all the while."""
_SYNCS = 16
NAMES = 200
"""Files of a folder whose names are called with."""
MANY = 6000
"""Files whose inodes and names no processor's own cache has; they take a kilobyte or more each."""
_OF_METADATA, _OF_SEVERAL = NAMES, 10 * NAMES
_OF_NEW = 50
"""Calls that make or delete a name: less, since inodes are not given out again for some time."""
_NEW = ("create", "mkdir", "unlink", "rmdir", "rename")
TINY = 256
"""Bytes of the least reads and writes of the page cache."""
_UNLINKED_TURNS = 3
"""More would find ever more deleted files."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Some calls of one kind and size, made by one or more processes at the same time."""

    kind: Kind
    size: int = 0
    """Bytes of one call; 0 for metadata."""
    calls: int = _OF_METADATA
    """Calls of each process, at most."""
    processes: int = 1
    held_out: bool = False
    """Predicted, but not used in the fit."""
    state: State = ""
    """With one it is measured to be told, and not used in the fit."""

    @property
    def deletes(self) -> bool:
        """Whether it deletes files, which may make others slow for some minutes."""
        return self.kind in ("unlink", "rmdir") or self.state in ("after unlinks", "stored")

    @property
    def turns(self) -> int:
        """How often it is made at most."""
        return _UNLINKED_TURNS if self.state == "after unlinks" else _TURNS

    @property
    def name(self) -> str:
        """The probe in words, like ``random-read 4 KiB x 2``."""
        size = ""
        if self.size:
            size = f" {self.size} B"
        if self.size >= KIB:
            size = f" {self.size // MIB} MiB" if self.size >= MIB else f" {self.size // KIB} KiB"
        many = f" x {self.processes}" if self.processes > 1 else ""
        return f"{self.kind}{size}{many}{f' {self.state}' if self.state else ''}"


@dataclass(frozen=True, slots=True)
class SystemState:
    """The state of the system when a sample was taken."""

    waiting: float
    """Seconds that its processes waited for a processor, for each second that it took."""
    dirty: int
    """Bytes that waited to be written back."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One repetition of a probe: how many calls all processes made, and how long it took."""

    calls: int
    seconds: float
    around: SystemState | None = None
    """None where the system does not tell."""

    @property
    def per_call(self) -> float:
        """Seconds for each call: of several processes the inverse of their common rate."""
        return self.seconds / self.calls


@dataclass(slots=True)
class Measured:
    """A probe and its samples."""

    probe: Probe
    samples: list[Sample] = field(default_factory=list)

    @property
    def per_call(self) -> list[float]:
        """Seconds for each call, of each sample."""
        return [one.per_call for one in self.samples]

    @property
    def groups(self) -> Groups | None:
        """The two groups of its samples, if there are two."""
        return groups_of(self.per_call)

    @property
    def usual(self) -> list[float]:
        """Seconds for each call, of the samples of the usual group."""
        groups, times = self.groups, self.per_call
        return times if groups is None else [times[place] for place in groups.usual]

    @property
    def other(self) -> list[float]:
        """Seconds for each call, of the samples of the other group; empty without one."""
        groups, times = self.groups, self.per_call
        return [] if groups is None else [times[place] for place in groups.other]

    @property
    def median(self) -> float:
        """Median of the seconds for each call, of the usual group."""
        return statistics.median(self.usual)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Lower and upper quartile of the seconds for each call, of the usual group."""
        return quartiles(self.usual)


def quartiles(times: Sequence[float]) -> tuple[float, float]:
    """Return the lower and the upper quartile.

    >>> quartiles([1.0, 2.0, 3.0, 4.0, 5.0]), quartiles([7.0])
    ((2.0, 4.0), (7.0, 7.0))
    """
    if len(times) < 2:
        return times[0], times[0]
    low, _, high = statistics.quantiles(times, n=4, method="inclusive")
    return low, high


LEAST_MIB = 16
"""The least that the files of the probes hold."""
MOST_PROCESSES = 64
_QUICK_MIB, _USUAL_MIB = 128, 512
_QUICK_S, _USUAL_S = 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a measurement."""

    size: int
    """Bytes that the files may hold together."""
    seconds: float
    """About how long all probes may take."""
    processes: int
    """Most processes at one time."""
    quick: bool = False
    """Fewer repetitions and sizes."""
    seed: int = 1
    """Of the random offsets."""

    @property
    def turns(self) -> int:
        """Repetitions of each probe, if there is time."""
        return _QUICK_TURNS if self.quick else _TURNS

    @property
    def runs(self) -> int:
        """Repetitions of a program that runs as it is."""
        return _QUICK_RUNS if self.quick else _RUNS

    @property
    def shares(self) -> int:
        """Into how many repetitions the time of a probe is divided that takes all of it."""
        return _QUICK_SHARES if self.quick else _SHARES

    @property
    def many(self) -> list[int]:
        """Numbers of processes beside one: powers of two, and the most."""
        several = [n for n in (2, 4, 8, 16, 32, 64) if n < self.processes]
        return [*several, self.processes] if self.processes > 1 else []

    @property
    def file(self) -> int:
        """Bytes of the file that is read: half of all, in whole MiB."""
        return max(self.size // 2 // MIB, 1) * MIB

    @property
    def written(self) -> int:
        """Bytes of the files that are written, together: a quarter of all, in whole MiB."""
        return max(self.size // 4 // MIB, 1) * MIB


def limits_of(
    *, size: int | None, seconds: float | None, processes: int | None, quick: bool, seed: int
) -> Limits:
    """Return the limits, with what is usual for those that are None."""
    return Limits(
        size=size or (_QUICK_MIB if quick else _USUAL_MIB) * MIB,
        seconds=seconds or (_QUICK_S if quick else _USUAL_S),
        processes=processes or min(processors() or 1, MOST_PROCESSES),
        quick=quick,
        seed=seed,
    )


def probes_of(limits: Limits) -> Iterator[Probe]:
    """Yield the probes, in the order in which they are made."""
    small = min(16 * MIB, limits.written)
    yield Probe("seek", calls=2 * _MOST_CALLS)
    held = () if limits.quick else ((16 * KIB, True),)
    sizes = ((4 * KIB, False), *held, (64 * KIB, False), (MIB, False))
    yield from _cached(sizes, small, limits.many)
    for size, out in sizes:
        yield Probe("random-read", size, _calls(limits.file // 2, size), held_out=out)
    for n in limits.many:
        for size in (4 * KIB, MIB):
            yield Probe("random-read", size, _calls(limits.file // 2 // n, size), n)
    for size, out in ((MIB, False), (64 * KIB, True)):
        yield Probe("read", size, limits.file // size, held_out=out)
    yield from (Probe("read", MIB, limits.file // MIB // n, n) for n in limits.many)
    writes: tuple[tuple[Kind, int], ...] = (("direct-write", _MOST_CALLS), ("sync-write", _SYNCS))
    for kind, most in writes:
        yield from _writes(kind, sizes, small, most)
        calls = [_calls(small // n, 4 * KIB, most) for n in limits.many]
        yield from (Probe(kind, 4 * KIB, c, n) for c, n in zip(calls, limits.many, strict=True))
    yield Probe("sync-write", 4 * KIB, _calls(small, 4 * KIB, _SYNCS), state="over")
    yield Probe("direct-write", 64 * KIB, _calls(small, 64 * KIB), state="new")
    for size, out in ((MIB, False), (64 * KIB, True)):
        yield Probe("write-sync", size, limits.written // size, held_out=out)
    yield from (Probe("write-sync", MIB, _calls(limits.written // n, MIB), n) for n in limits.many)
    yield from _named(limits.many)


def _cached(sizes: Sequence[tuple[int, bool]], small: int, many: Sequence[int]) -> Iterator[Probe]:
    """Yield probes of the page cache alone."""
    kinds: tuple[Kind, ...] = ("cached-read", "cached-write")
    for kind in kinds:
        for size, out in ((TINY, False), *sizes):
            most = 2 * _MOST_CALLS if size > TINY else _OF_TINY
            yield Probe(kind, size, _calls(small, size, most), held_out=out)
        yield from (Probe(kind, MIB, _calls(small // n, MIB), n) for n in many)
    yield Probe("cached-write", 4 * KIB, _calls(small, 4 * KIB, 2 * _MOST_CALLS), state="over")
    if many:
        yield Probe("cached-write", TINY, _OF_SHARED, 2, state="shared")


def _named(many: Sequence[int]) -> Iterator[Probe]:
    """Yield probes of calls with names."""
    for kind in METADATA:
        yield Probe(kind, calls=_OF_NEW if kind in _NEW else _OF_METADATA)
    yield Probe("lookup", state="again")
    yield Probe("setattr", state="length")
    of_many: tuple[OfNames, ...] = ("stat", "open-close")
    yield from (Probe(kind, calls=MANY, state="many") for kind in of_many)
    yield from (Probe("open-close", calls=_OF_SEVERAL, processes=n) for n in many)
    yield from (Probe("create", calls=_OF_NEW, processes=n) for n in many)
    freeing: tuple[OfNames, ...] = ("setattr", "rename", "unlink")
    yield from (Probe(kind, calls=_SYNCS, state="stored") for kind in freeing)
    yield Probe("create", calls=_OF_NEW, state="after unlinks")


def _writes(
    kind: Kind, sizes: Sequence[tuple[int, bool]], total: int, most: int
) -> Iterator[Probe]:
    """Yield probes of one process."""
    for size, out in sizes:
        yield Probe(kind, size, _calls(total, size, most), held_out=out)


def _calls(total: int, size: int, most: int = _MOST_CALLS) -> int:
    return max(1, min(total // size, most))
