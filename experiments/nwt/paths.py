"""Claims of the NWT paper about the paths of data: SVIO, NFS, SCFS, and files in stripes.

Each function takes the runs of the study and returns the figures of the conditions in the study's
file. The paper prints no number for any of them, so service times do not vary here. The workloads
state their assumptions: sizes, lines of 133 bytes, other users of the LAN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from simulator.runtime.operations import READ as READS
from simulator.runtime.operations import WRITE as WRITES

from .tables import tables

if TYPE_CHECKING:
    from simulator.result.result import Result
    from simulator.study.change import Settings

    from .study import NwtRuns

PRINT, PRINT_LAN, READ, JOB = "nwt-print", "nwt-print-lan", "test-read", "nwt-job"
OTHERS = (1, 2, 4)
"""Number of other users of the LAN beside the printing job."""

BY_NFS: Settings = (("workload.jobs.0.path", "nfs"),)
"""Printed output by NFS; the workloads use SVIO."""

ON_DISKS: Settings = (
    ("machine.filesystems.vfl.paths.scfs.tiers.2.over", "disk"),
    ("machine.filesystems.vfl.paths.scfs.tiers.4", "disk"),
)
"""Settings that put the pieces of a vfl file on the plain disks of 4.5 MB/s instead of the
array."""

SIZES = ("8 kB", "100 kB", "1 MB", "8 MB", "64 MB")
"""Sizes of the files read from disks."""

READERS = (1, 4, 20, 40)
"""Number of concurrent jobs that read from disks."""


def _job(result: Result, name: str) -> float:
    """Return the elapsed time of a job's first process, in seconds."""
    return next(one for one in result.processes if one.job == name).elapsed_ns / 1e9


def _print_s(runs: NwtRuns, others: int, settings: Settings = ()) -> float:
    """Return the time of the printing job, with a number of other users of the LAN."""
    if not others:
        return _job(runs.exact(PRINT, settings), "print")
    beside = ("workload.jobs.1.processes", str(others))
    return _job(runs.exact(PRINT_LAN, (*settings, beside)), "print")


def svio_against_nfs(runs: NwtRuns) -> Mapping[str, float]:
    """Compare the times of a printing job by SVIO and by NFS, on a quiet and a busy LAN."""
    figures: dict[str, float] = {}
    for others in (0, *OTHERS):
        svio, nfs = _print_s(runs, others), _print_s(runs, others, BY_NFS)
        figures |= {f"svio_s_{others}_others": svio, f"nfs_s_{others}_others": nfs}
        figures[f"nfs_over_svio_{others}_others"] = nfs / svio
    return figures


def load_of_the_lan(runs: NwtRuns) -> Mapping[str, float]:
    """Compare the times of printing on a busy LAN with those on a quiet one, by either path."""
    figures = {}
    for path, settings in (("nfs", BY_NFS), ("svio", ())):
        quiet = _print_s(runs, 0, settings)
        for others in OTHERS:
            figures[f"{path}_{others}_others_over_quiet"] = _print_s(runs, others, settings) / quiet
    return figures


def copy_after_the_job(runs: NwtRuns) -> Mapping[str, float]:
    """Follow printed output into the SSU, and from there over the LAN to the disk."""
    result = runs.exact(PRINT, timeline=True)
    begins = [span.start_ns for span in result.spans if span.part.startswith("disk")]
    return {
        "job_s": _job(result, "print"),
        "job_by_nfs_s": _print_s(runs, 0, BY_NFS),
        "first_byte_at_the_disk_s": min(begins) / 1e9,
        "end_of_the_copy_s": result.end_ns / 1e9,
        "bytes_into_the_ssu": _moved(result, ["ssu.crossbar.in"]),
        "bytes_over_the_lan": _moved(result, ["lan"]),
        "bytes_to_the_disks": _moved(result, (name for name in result.parts if "disk" in name)),
    }


def _moved(result: Result, names: Iterable[str]) -> int:
    """Return the bytes that some instances of resources moved."""
    return sum(result.parts[name].bytes for name in names if name in result.parts)


def stripes(runs: NwtRuns) -> Mapping[str, float]:
    """Compare cold reads of files in 32 pieces with those of files on one disk.

    As shipped the pieces are on the array. The paper's sentence is about volumes that transfer
    at the same time, so they are put on the plain disks too; there only the stripes count.
    """
    figures = {"array_over_ufs_64MB": _cold(runs, "vfl", "64 MB") / _cold(runs, "ufs", "64 MB")}
    for size in SIZES:
        ratio = _cold(runs, "vfl", size, ON_DISKS) / _cold(runs, "ufs", size)
        figures[f"striped_over_ufs_{size.replace(' ', '')}"] = ratio
    for readers in READERS:
        several: Settings = (("workload.jobs.0.processes", str(readers)),)
        striped = _cold(runs, "vfl", "8 MB", (*ON_DISKS, *several))
        figures[f"striped_over_ufs_{readers}_jobs"] = striped / _cold(runs, "ufs", "8 MB", several)
    return figures


def _cold(runs: NwtRuns, filesystem: str, size: str, settings: Settings = ()) -> float:
    """Return the rate of reading files that are not in the SSU, in bytes per second."""
    where: Settings = (
        ("workload.files.input.filesystem", filesystem),
        ("workload.files.input.size", size),
        ("workload.files.input.prestage", "false"),
    )
    return runs.exact(READ, (*where, *settings)).rate("read")


def nine_kinds(runs: NwtRuns) -> Mapping[str, float]:
    """Compare bytes and times of the kinds of data of table 3.1, in one job that has them all."""
    result = runs.exact(JOB, record=True)
    sizes, times = _calls(result, [one.name.rpartition("/")[2] for one in runs.plan(JOB).files])
    method = {file: kind.method for kind in tables().kinds for file in kind.files}
    asked, spent = Counter[str](), Counter[str]()
    for file, size in sizes.items():
        asked[method[file]] += size
    for kind in tables().kinds:
        if kind.phase == "execute":
            spent[kind.method] += sum(times[file] for file in kind.files)
    nfs = _moved(result, ["cp0.crossbar.in", "cp0.crossbar.out"])
    copied = _moved(result, ["lan"]) - nfs
    ssu = _moved(result, ["ssu.crossbar.in", "ssu.crossbar.out"])
    figures = {f"share_of_time_{name}": time / spent.total() for name, time in spent.items()}
    return {
        "kinds_with_bytes": sum(all(sizes[one] for one in kind.files) for kind in tables().kinds),
        "asked_by_nfs": asked["nfs"],
        "moved_by_nfs": nfs,
        "asked_by_scfs_and_svio": asked["scfs"] + asked["svio"],
        "moved_by_the_ssu": ssu,
        "asked_by_svio": asked["svio"],
        "copied_after_the_job": copied,
        **figures,
    }


def _calls(result: Result, names: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Return bytes requested, and nanoseconds spent, in the calls on each file."""
    log = result.calls
    assert log is not None
    took = np.frombuffer(log.end, np.int64) - np.frombuffer(log.begin, np.int64)
    sizes, times = Counter[str](), Counter[str]()
    for index, file in enumerate(log.file):
        if file >= 0:
            sizes[names[file]] += log.size[index] if log.kind[index] in (READS, WRITES) else 0
            times[names[file]] += int(took[index])
    return sizes, times


PATHS: Mapping[str, Callable[[NwtRuns], Mapping[str, float]]] = {
    "nwt-c11": svio_against_nfs,
    "nwt-c12": load_of_the_lan,
    "nwt-c13": copy_after_the_job,
    "nwt-c14": stripes,
    "nwt-c15": nine_kinds,
}
"""Claim -> the function that gives its figures."""
