"""What is measured: probes, each some calls of one kind and size, and the samples of one."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

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
    Literal["cached-read", "cached-write", "random-read", "read"]
    | Literal["direct-write", "sync-write", "write-sync"]
    | OfNames
)
OF_DEVICE = ("random-read", "read")
"""Reads that have to reach the device, past the page cache."""
METADATA: tuple[OfNames, ...] = get_args(OfNames)
"""Calls with names, in the order in which they are made."""
KIB, MIB = 1 << 10, 1 << 20
_REPEATED = 5
_MOST_CALLS = 512
_OF_METADATA = 200


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

    @property
    def name(self) -> str:
        """The probe in words, like ``random-read 4 KiB x 2``."""
        size = ""
        if self.size:
            size = f" {self.size} B"
        if self.size >= KIB:
            size = f" {self.size // MIB} MiB" if self.size >= MIB else f" {self.size // KIB} KiB"
        return f"{self.kind}{size}{f' x {self.processes}' if self.processes > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Sample:
    """One repetition of a probe: how many calls all processes made, and how long it took."""

    calls: int
    seconds: float

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
    def median(self) -> float:
        """Median of the seconds for each call."""
        return statistics.median(self.per_call)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Lower and upper quartile of the seconds for each call."""
        times = self.per_call
        if len(times) < 2:
            return times[0], times[0]
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return low, high


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a measurement may use."""

    size: int
    """Bytes that the files may hold together."""
    seconds: float
    """About how long all probes may take."""
    processes: int
    """Most processes at one time."""
    quick: bool = False
    """Three repetitions, and fewer sizes."""
    seed: int = 1
    """Of the random offsets."""

    @property
    def repeated(self) -> int:
        """Repetitions of each probe, if there is time."""
        return 3 if self.quick else _REPEATED

    @property
    def file(self) -> int:
        """Bytes of the file that is read: half of all, in whole MiB."""
        return max(self.size // 2 // MIB, 1) * MIB

    @property
    def written(self) -> int:
        """Bytes of the files that are written, together: a quarter of all, in whole MiB."""
        return max(self.size // 4 // MIB, 1) * MIB


def probes_of(limits: Limits) -> Iterator[Probe]:
    """Yield the probes, in the order in which they are made."""
    small = min(16 * MIB, limits.written)
    held = () if limits.quick else ((16 * KIB, True),)
    sizes = ((4 * KIB, False), *held, (64 * KIB, False), (MIB, False))
    many = [n for n in (2, 4, 8, 16, 32, 64) if n < limits.processes]
    many += [limits.processes] if limits.processes > 1 else []
    tiny = 256
    cached: tuple[Kind, ...] = ("cached-read", "cached-write")
    for kind in cached:
        for size, out in ((tiny, False), *sizes):
            yield Probe(kind, size, _calls(small, size, 2 * _MOST_CALLS), held_out=out)
    for size, out in sizes:
        yield Probe("random-read", size, _calls(limits.file // 2, size), held_out=out)
    for n in many:
        for size in (4 * KIB, MIB):
            yield Probe("random-read", size, _calls(limits.file // 2 // n, size), n)
    for size, out in ((MIB, False), (64 * KIB, True)):
        yield Probe("read", size, limits.file // size, held_out=out)
    writes: tuple[tuple[Kind, int], ...] = (("direct-write", _MOST_CALLS), ("sync-write", 64))
    for kind, most in writes:
        yield from _writes(kind, sizes, small, most)
        yield from (Probe(kind, 4 * KIB, _calls(small // n, 4 * KIB, most), n) for n in many)
    for size, out in ((MIB, False), (64 * KIB, True)):
        yield Probe("write-sync", size, limits.written // size, held_out=out)
    for kind in METADATA:
        yield Probe(kind)
    for n in many:
        yield Probe("open-close", processes=n)


def _writes(
    kind: Kind, sizes: Sequence[tuple[int, bool]], total: int, most: int
) -> Iterator[Probe]:
    """Yield probes of one process."""
    for size, out in sizes:
        yield Probe(kind, size, _calls(total, size, most), held_out=out)


def _calls(total: int, size: int, most: int = _MOST_CALLS) -> int:
    return max(1, min(total // size, most))
