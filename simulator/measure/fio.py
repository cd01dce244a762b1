"""A second opinion: the probes that fio can make, made by fio on the same files.

fio measures what a call takes from within, in C; what its loop takes between two calls is not in
it. Its probes are made in turns, as ours are, and the median counts.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.measure.calls import Files
from simulator.measure.probe import Kind, Limits, Probe
from simulator.measure.probing import Progress, in_turns

_COMMON = ("--name=probe", "--output-format=json", "--ioengine=psync", "--group_reporting")
_OWN = ("--filename_format=fio.$jobnum", "--unlink=1")
_NEW = (*_OWN, "--fallocate=none", "--create_on_open=1")
_WAYS: dict[Kind, tuple[str, ...]] = {
    "cached-read": ("--filename=data", "--rw=read", "--invalidate=0", "--pre_read=1"),
    "cached-write": ("--rw=write", *_NEW),
    "random-read": ("--filename=data", "--rw=randread", "--direct=1", "--norandommap"),
    "read": ("--filename=data", "--rw=read", "--invalidate=1"),
    "direct-write": ("--rw=randwrite", "--direct=1", "--overwrite=1", *_OWN),
    "sync-write": ("--rw=write", "--fsync=1", *_NEW),
    "write-sync": ("--rw=write", "--end_fsync=1", *_NEW),
}
"""What fio is told beside sizes, for each kind of probe that it can make."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A probe as made here, and as made by fio."""

    probe: Probe
    fio: tuple[float, ...]
    """Seconds of a call, of several processes over all their calls, in each turn."""

    @property
    def median(self) -> float:
        """The median of the turns."""
        return statistics.median(self.fio)


def program() -> str:
    """Return where fio is; InputError if it is not installed."""
    found = shutil.which("fio")
    if found is None:
        raise InputError(
            "--fio: there is no fio here; install it (apt-get install fio), or measure without"
        )
    return found


def opinions(
    fio: str,
    files: Files,
    wanted: Sequence[Probe],
    limits: Limits,
    progress: Progress | None = None,
) -> list[Opinion]:
    """Run fio for the probes that it can make, in the folder of their files."""
    probes = [one for one in wanted if is_made(one, files)]
    times: list[list[float]] = [[] for _ in probes]
    seconds = max(limits.seconds / len(wanted), 0.2) if wanted else 0.0
    for _, number in in_turns([f"fio: {one.name}" for one in probes], limits, progress):
        probe = probes[number]
        times[number].append(seconds_of(_said(fio, probe, files, seconds), probe))
    return [Opinion(probe, tuple(some)) for probe, some in zip(probes, times, strict=True)]


def is_made(probe: Probe, files: Files) -> bool:
    """Return whether fio can make a probe: calls that move data, of states that it has."""
    needs_direct = probe.kind in ("random-read", "direct-write")
    return probe.kind in _WAYS and not probe.state and (files.direct or not needs_direct)


def words_of(fio: str, probe: Probe, files: Files, seconds: float) -> list[str]:
    """Return the command that makes a probe."""
    total = probe.size * probe.calls
    sizes = [f"--bs={probe.size}", f"--size={total}", f"--numjobs={probe.processes}"]
    if probe.kind == "random-read":
        sizes = [*sizes[:1], f"--size={files.size}", f"--io_size={total}", sizes[2]]
    elif probe.kind == "read":
        sizes.append(f"--offset_increment={total}")
    if probe.kind != "write-sync":
        sizes.append(f"--runtime={round(seconds * 1e3)}ms")
    return [fio, *_COMMON, *_WAYS[probe.kind], *sizes, f"--randseed={files.seed}"]


def _said(fio: str, probe: Probe, files: Files, seconds: float) -> dict[str, Any]:
    """Run fio on a probe; InputError if it fails."""
    words = words_of(fio, probe, files, seconds)
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=files.folder)
    try:
        # fio may say something before its record.
        record: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
        (job,) = record["jobs"]
    except (ValueError, KeyError):
        job = {"error": done.returncode or 1}
    if done.returncode or job["error"]:
        about = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise InputError(f"--fio: fio could not make {probe.name}: {about[-1]}")
    found: dict[str, Any] = job
    return found


def seconds_of(job: dict[str, Any], probe: Probe) -> float:
    """Return the seconds of a call in what fio says of a job.

    >>> way = {"lat_ns": {"mean": 90_000.0}, "total_ios": 10}
    >>> job = {"read": way, "write": way, "sync": {"lat_ns": {"mean": 2e6}}, "job_runtime": 320}
    >>> round(seconds_of(job, Probe("random-read", 4096, 10, 2)) * 1e6, 3)
    45.0
    >>> round(seconds_of(job, Probe("sync-write", 4096, 10)) * 1e3, 3)
    2.09
    >>> round(seconds_of(job, Probe("write-sync", 1 << 20, 10, 2)) * 1e3, 3)
    8.0
    """
    way = job["read" if "read" in probe.kind else "write"]
    if probe.kind == "write-sync":  # ``job_runtime`` is that of all jobs together, in ms.
        return float(job["job_runtime"]) / 1e3 / probe.processes / (probe.calls * probe.processes)
    nanoseconds = float(way["lat_ns"]["mean"])
    if probe.kind == "sync-write":
        nanoseconds += float(job["sync"]["lat_ns"]["mean"])
    return nanoseconds / 1e9 / probe.processes
