"""Files that many ranks share: one stripe, independent calls, calls that are out of step."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.answers.patterns.of_counters.job import (
    SEVERAL,
    WAYS,
    Counted,
    CountedFile,
    CountedJob,
    Way,
    finding,
)
from simulator.answers.patterns.of_counters.snippets import (
    MPI,
    PLAIN,
    library_of,
    snippet,
    striping,
)
from simulator.units import format_size, format_time
from simulator.wording import brief_size, counted, percent

LEAST_BYTES = 100_000_000
"""Bytes of a file below which its stripes are not worth a word."""
LEAST_CALLS = 1_000
"""Calls below which calls of their own, or out of step, are not worth a word."""
LARGE = 1 << 20
"""Bytes of a call from which on gathering calls saves nothing."""
CONSECUTIVE = 0.8
"""Share of calls right behind the one before from which on a buffer gathers them, not others."""
MOSTLY = 0.5
_STRIPES = ((1_000_000_000, 4), (10_000_000_000, 8), (100_000_000_000, 24))
"""Stripes of a shared file up to so many bytes, and 72 beyond: NERSC's commands stripe_small (8, 1
to 10 GB), stripe_medium (24, to 100 GB), stripe_large (72); docs.nersc.gov, Lustre striping. Below
1 GB ours."""


def stripes_for(size: int, ranks: int) -> int:
    """Return the stripes that a file of so many bytes, shared by many ranks, may have.

    >>> stripes_for(268_435_456, 256), stripes_for(50_000_000_000, 16)
    (4, 16)
    """
    many = next((count for most, count in _STRIPES if size <= most), 72)
    return max(2, min(many, ranks))


def one_stripe(job: CountedJob) -> Iterator[Counted]:
    """A large file that several ranks use lies on one target of Lustre."""
    for file in job.files["POSIX"]:
        many, size, _ = job.stripes.get(file.name, (0, 0, -1))
        moved = sum(map(file.bytes, WAYS))
        shared = file.ranks >= SEVERAL and not file.alone
        if many != 1 or not shared or moved < LEAST_BYTES or not job.matters(file.longest):
            continue
        told = f"{counted(file.ranks, 'rank')} share a file with 1 stripe (of {format_size(size)}):"
        told += f" {brief_size(moved)} through one target, {format_time(file.longest * 1e9)} of the"
        told += " slowest rank."
        stripes = stripes_for(min(moved, max(map(file.reach, WAYS))), file.ranks)
        folder = file.name.rpartition("/")[0]
        how = "Give the folder of the file more stripes before the file is made.\n"
        how += striping(folder, stripes, max(size, 1 << 20))
        presumes = "the file is made anew: the stripes of one that exists stay."
        seconds = sum(file.part(file.time(way)) for way in WAYS)
        made = finding("one-stripe", told, how, [file.concerned()], presumes=presumes)
        yield Counted(seconds, made)


def independent(job: CountedJob) -> Iterator[Counted]:
    """Several ranks make small calls of their own on a shared file, in between each other's.

    Not where each goes straight on: a buffer gathers that; nor where calls are large already.
    """
    for file in job.files["POSIX"]:
        for way in WAYS:
            if _fits(job, file, way) and job.matters(file.part(file.time(way))):
                yield _independent(job, file, way)


def _fits(job: CountedJob, file: CountedFile, way: Way) -> bool:
    """Return whether collective calls would gather what the ranks read or write."""
    if file.users(way) < SEVERAL or file.calls(way) < LEAST_CALLS or file.mean(way) >= LARGE:
        return False
    if file.followed(way) >= CONSECUTIVE:
        return False
    return job.collective(file.name, way) <= (1 - MOSTLY) * max(
        job.independent(file.name, way) + job.collective(file.name, way), 1
    ) and not job.collective(file.name, way)


def _independent(job: CountedJob, file: CountedFile, way: Way) -> Counted:
    seconds = file.part(file.time(way))
    calls = job.independent(file.name, way)
    by = f"{calls:,} independent {way}s by MPI-IO" if calls else f"{file.calls(way):,} {way}s"
    told = f"{counted(file.users(way), 'rank')} share a file by {by}, of"
    told += f" {brief_size(int(file.mean(way)))} on average, {percent(file.followed(way), 1)} right"
    told += (
        f" behind the one before; no collective one; {format_time(seconds * 1e9)} of the slowest"
    )
    told += " rank."
    how = f"Make {way}s collective: aggregators join them into large ones."
    code = snippet(job, "collective", file.name, way=way)
    if library_of(job, file.name) in (MPI, PLAIN):
        code += "\n" + snippet(job, "hints", file.name, way=way, nodes=max(1, job.nprocs // 32))
    presumes = f"all ranks {way} at the same time."
    concerned = [file.concerned(way)]
    made = finding("no-collectives", told, f"{how}\n{code}", concerned, presumes=presumes)
    return Counted(seconds, made)


def unaligned(job: CountedJob) -> Iterator[Counted]:
    """Large calls of several ranks on a shared file that do not begin at a whole unit.

    Small ones are out of step anyway: they are another pattern. Of a call the first and the last
    unit are what it shares with others.
    """
    for file in job.files["POSIX"]:
        unit, calls = file.get("FILE_ALIGNMENT"), sum(map(file.calls, WAYS))
        moved = sum(map(file.bytes, WAYS))
        if unit < 4096 or file.ranks < SEVERAL or file.alone or calls < LEAST_CALLS:
            continue
        if moved < calls * unit // 4 or file.get("FILE_NOT_ALIGNED") < MOSTLY * calls:
            continue
        cut = min(1.0, 2 * unit * calls / moved) * file.get("FILE_NOT_ALIGNED") / calls
        seconds = file.part(sum(map(file.time, WAYS)) * cut)
        if not job.matters(seconds):
            continue
        told = f"{percent(file.get('FILE_NOT_ALIGNED'), calls)} of {calls:,} calls, of"
        told += f" {brief_size(moved // calls)} on average, do not begin at a multiple of"
        told += f" {format_size(unit)}: {counted(file.ranks, 'rank')} meet in the same blocks or"
        told += " stripes."
        how = "Begin what each rank writes at a whole stripe.\n"
        how += snippet(job, "align", file.name, size=unit)
        yield Counted(seconds, finding("unaligned", told, how, [file.concerned()]))
