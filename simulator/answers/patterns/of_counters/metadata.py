"""Metadata: files opened and asked for again and again, and time in opens, stats and seeks."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.answers.patterns.of_counters.job import (
    SMALL,
    WAYS,
    Counted,
    CountedFile,
    CountedJob,
    finding,
)
from simulator.answers.patterns.of_counters.snippets import HDF5, NETCDF, library_of, snippet
from simulator.units import format_time
from simulator.wording import brief_size, counted, percent

LEAST_TIMES = 8
"""Calls of a rank on a file from which on they are repeated."""
LEAST_CALLS = 1_000
MUCH = 0.5
"""Share of the time in calls on files that metadata calls take."""
LEAST_FILES = 1_000


def repeated(job: CountedJob) -> Iterator[Counted]:
    """Each rank opens a file, or asks for it, again and again."""
    for counter, name, noun, cure in (
        ("OPENS", "open-storm", "open", "Open the file once, before the loop."),
        ("STATS", "stat-storm", "stat", "Ask once, and keep the answer."),
    ):
        often = [one for one in job.plain if one.get(counter) >= LEAST_TIMES * max(one.ranks, 1)]
        calls = sum(one.get(counter) for one in often)
        seconds = sum(one.part(one.metadata) for one in often)
        if calls < LEAST_CALLS or not job.matters(seconds):
            continue
        first = max(often, key=lambda one: one.get(counter))
        told = f"{counted(calls, noun)} of {counted(len(often), 'file')}, up to"
        told += f" {first.get(counter) // max(first.ranks, 1):,} by a rank of one:"
        told += f" {format_time(seconds * 1e9)} in metadata calls."
        code = snippet(job, "open once", first.name) if counter == "OPENS" else ""
        made = finding(name, told, f"{cure}\n{code}".strip(), [one.concerned() for one in often])
        yield Counted(seconds, made)


def many_files(job: CountedJob) -> Iterator[Counted]:
    """Many small files, on which metadata calls take as long as what is moved."""
    small = [
        one
        for one in job.plain
        if not one.shared and 0 < sum(map(one.bytes, WAYS)) < SMALL and one.ranks == 1
    ]
    seconds = max((of[3] for of in job.ranks.values()), default=0.0)
    if len(small) < LEAST_FILES or not job.matters(seconds):
        return
    moved = sum(sum(map(one.bytes, WAYS)) for one in small)
    times = sum(one.metadata for one in small), sum(sum(map(one.time, WAYS)) for one in small)
    if times[0] < MUCH * sum(times):
        return
    told = f"{len(small):,} files of {brief_size(moved // len(small))} on average:"
    told += f" {percent(times[0], sum(times))} of the time in calls on them is in metadata calls,"
    told += f" {format_time(seconds * 1e9)} of the slowest rank."
    how = "Put them into one file with an index of what is where (HDF5, zip, SQLite)."
    every = [one.concerned() for one in small]
    yield Counted(seconds, finding("many-files", told, how, every))


def metadata_time(job: CountedJob) -> Iterator[Counted]:
    """Metadata calls take most of the time in calls on files, of a shared file or of a rank."""
    for file in job.files["POSIX"]:
        whole = file.metadata + sum(map(file.time, WAYS))
        seconds = file.part(file.metadata)
        if file.shared and file.metadata >= MUCH * whole and job.matters(seconds):
            yield _metadata(job, [file], seconds, f"{percent(file.metadata, whole)} of the time")
    if not job.ranks:
        return
    rank, of = max(job.ranks.items(), key=lambda one: (one[1][3], -one[0]))
    if of[3] >= MUCH * of[2] and job.matters(of[3]):
        own = [one for one in job.plain if not one.shared and one.metadata > 0]
        told = f"Of rank {rank} {percent(of[3], of[2])} of the time"
        yield _metadata(job, own, of[3], told)


def _metadata(job: CountedJob, files: list[CountedFile], seconds: float, told: str) -> Counted:
    calls = [
        f"{sum(one.get(counter) for one in files):,} {noun}"
        for counter, noun in (("OPENS", "opens"), ("STATS", "stats"), ("SEEKS", "seeks"))
        if any(one.get(counter) for one in files)
    ]
    told += f" in calls on {counted(len(files), 'file')} is in metadata calls"
    told += f" ({', '.join(calls)}): {format_time(seconds * 1e9)}."
    first = max(files, key=lambda one: (one.metadata, one.name))
    how = "Open once what is used again; let one rank look, and send the answer to the others."
    if library_of(job, first.name) in (HDF5, NETCDF):
        how += f"\n{snippet(job, 'metadata', first.name)}"
    return Counted(seconds, finding("metadata-time", told, how, [one.concerned() for one in files]))
