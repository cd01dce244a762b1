"""Ranks that do more than others, or take longer for as much."""

from __future__ import annotations

import math
from collections.abc import Iterator

from simulator.answers.patterns.of_counters.job import (
    SEVERAL,
    WAYS,
    Counted,
    CountedFile,
    CountedJob,
    Rank,
    finding,
)
from simulator.answers.patterns.of_counters.snippets import snippet, striping
from simulator.units import format_time
from simulator.wording import brief_size, counted, percent

NEARLY_ALL = 0.95
"""Share of the bytes that makes one rank the only one."""
LEAST_BYTES = 10_000_000
"""Bytes of a rank below which its share is not worth a word."""
UNEVEN = 0.3
"""Share of the most, by which the average is below it."""
LEAST_FILES = 3
"""On a target of Lustre, from which on it may be called slow;"""
SLOWER = 3.0
"""and how many times as long its files take as others."""
ALIKE = 0.1
"""Share of the bytes by which ranks may differ that move as much."""


def one_rank(job: CountedJob) -> Iterator[Counted]:
    """One rank moves nearly all bytes of the job; or the one aggregator of collective calls.

    Of a file that many ranks opened its record says that the slowest rank moved all bytes.
    """
    if job.nprocs < SEVERAL:
        return
    whole = sum(one.bytes(way) for one in job.plain for way in WAYS)
    for file in job.files["POSIX"]:
        moved = sum(map(file.bytes, WAYS))
        if not file.alone or file.slowest is None or moved < LEAST_BYTES:
            continue
        if not job.matters(file.longest):
            continue
        if any(job.collective(file.name, way) for way in WAYS):
            yield _aggregator(job, file, file.slowest)
        elif moved >= NEARLY_ALL * whole:
            yield _alone(job, [file], file.slowest, whole)
    if not job.ranks:
        return
    number, of = max(job.ranks.items(), key=lambda one: (sum(one[1][:2]), -one[0]))
    rank = Rank(number, of[2], int(sum(of[:2])))
    mine = [one for one in job.plain if one.heaviest is not None and one.heaviest[0] == number]
    if rank.bytes >= max(NEARLY_ALL * whole, LEAST_BYTES) and job.matters(rank.seconds) and mine:
        yield _alone(job, mine, rank, whole)


def _aggregator(job: CountedJob, file: CountedFile, rank: Rank) -> Counted:
    told = f"Collective calls of {counted(job.nprocs, 'rank')} are carried out by rank"
    told += f" {rank.number} alone: {brief_size(rank.bytes)} in {format_time(rank.seconds * 1e9)}."
    stripes = job.stripes.get(file.name)
    way = max(WAYS, key=file.bytes)
    how = "Let more ranks gather and write (hint cb_nodes, one for each node to begin with)."
    if stripes is not None and stripes[0] == 1:
        how = "Give the file more stripes: ROMIO takes as many ranks to gather as there are"
        how += f" stripes, and this file has 1.\n{_striped(job, file)}"
    how += f"\n{snippet(job, 'hints', file.name, way=way, nodes=max(2, job.nprocs // 32))}"
    return Counted(rank.seconds, finding("one-aggregator", told, how, [file.concerned()]))


def _alone(job: CountedJob, files: list[CountedFile], rank: Rank, whole: int) -> Counted:
    told = f"Rank {rank.number} of {job.nprocs:,} moves {percent(rank.bytes, whole)} of the bytes"
    told += f" ({brief_size(rank.bytes)}), {format_time(rank.seconds * 1e9)} in calls on files"
    told += f" of {format_time(job.seconds * 1e9)}."
    way = max(WAYS, key=files[0].bytes)
    how = "Let all ranks read or write a part each, by collective calls."
    how += f"\n{snippet(job, 'collective', files[0].name, way=way)}"
    presumes = "the other ranks wait for it, and the data can be divided among them."
    made = finding("one-rank", told, how, [one.concerned() for one in files], presumes=presumes)
    return Counted(rank.seconds, made)


def rank_bytes(job: CountedJob) -> Iterator[Counted]:
    """Ranks move very different numbers of bytes, and the one with most takes longest.

    Not of collective calls, whose few aggregators move what others have.
    """
    if job.nprocs < SEVERAL:
        return
    for file in job.files["POSIX"]:
        if file.shared and not _gathered(job, file) and not file.alone:
            found = _of_shared(job, file)
            if found is not None:
                yield found
    own = [one for one in job.plain if not one.shared]
    if job.ranks and not any(_gathered(job, one) for one in own):
        found = _of_ranks(job, own)
        if found is not None:
            yield found


def _gathered(job: CountedJob, file: CountedFile) -> bool:
    return any(job.collective(file.name, way) > job.independent(file.name, way) for way in WAYS)


def _of_shared(job: CountedJob, file: CountedFile) -> Counted | None:
    """Find a shared file of which the slowest rank moves far more than the others on average."""
    slow, mean = file.slowest, sum(map(file.bytes, WAYS)) / job.nprocs
    if slow is None or file.variance is None or slow.bytes < LEAST_BYTES:
        return None
    if (slow.bytes - mean) < UNEVEN * slow.bytes or not job.matters(slow.seconds):
        return None
    told = f"Rank {slow.number} moves {brief_size(slow.bytes)} in"
    told += f" {format_time(slow.seconds * 1e9)} and is the slowest; the ranks move"
    told += f" {brief_size(int(mean))} on average"
    if file.fastest is not None:
        told += f", the fastest (rank {file.fastest.number}) {brief_size(file.fastest.bytes)} in"
        told += f" {format_time(file.fastest.seconds * 1e9)}"
    if file.variance[1] > 0:
        told += f"; standard deviation {brief_size(int(math.sqrt(file.variance[1])))}"
    return _uneven(job, f"{told}.", [file], slow.seconds)


def _of_ranks(job: CountedJob, files: list[CountedFile]) -> Counted | None:
    """Find ranks that move far more than the others in files of which each rank has a record."""
    moved = {rank: sum(of[:2]) for rank, of in job.ranks.items()}
    most = max(moved, key=lambda rank: (moved[rank], -rank))
    mean, seconds = sum(moved.values()) / job.nprocs, job.ranks[most][2]
    if moved[most] < LEAST_BYTES or moved[most] - mean < UNEVEN * moved[most]:
        return None
    if moved[most] >= NEARLY_ALL * sum(moved.values()) or not job.matters(seconds):
        return None
    least = min(range(job.nprocs), key=lambda rank: (moved.get(rank, 0), rank))
    told = f"Rank {most} moves {brief_size(int(moved[most]))} in"
    told += f" {format_time(seconds * 1e9)}, the ranks {brief_size(int(mean))} on average; rank"
    told += f" {least} moves least, {brief_size(int(moved.get(least, 0)))}."
    return _uneven(job, told, files, seconds)


def _uneven(job: CountedJob, told: str, files: list[CountedFile], seconds: float) -> Counted:
    how = "Divide what is read and written evenly among the ranks; or let collective calls do it."
    how += f"\n{snippet(job, 'collective', files[0].name, way=max(WAYS, key=files[0].bytes))}"
    every = [one.concerned() for one in files]
    return Counted(seconds, finding("rank-bytes", told, how, every))


def rank_time(job: CountedJob) -> Iterator[Counted]:
    """A rank takes much longer than the others for as many bytes."""
    if job.nprocs < SEVERAL:
        return
    for file in job.files["POSIX"]:
        slow, fast = file.slowest, file.fastest
        if not file.shared or slow is None or fast is None or file.variance is None:
            continue
        whole = file.metadata + sum(map(file.time, WAYS))
        found = _slower(job, slow, fast, whole / job.nprocs)
        if found:
            if file.variance[0] > 0:
                found += f"; standard deviation {format_time(math.sqrt(file.variance[0]) * 1e9)}"
            yield _late(job, f"{found}.", [file], slow.seconds)
    if len(job.ranks) < SEVERAL:
        return
    every = [Rank(rank, of[2], int(sum(of[:2]))) for rank, of in job.ranks.items()]
    slow, fast = (which(every, key=lambda one: one.seconds) for which in (max, min))
    found = _slower(job, slow, fast, sum(one.seconds for one in every) / job.nprocs)
    if found:
        mine = [one for one in job.plain if one.slowest and one.slowest.number == slow.number]
        mine.sort(key=lambda one: (-one.longest, one.name))
        yield _late(job, f"{found}.", mine, slow.seconds)


def _slower(job: CountedJob, slow: Rank, fast: Rank, mean: float) -> str:
    """Compare ranks that move as many bytes; empty if they do not, or if it is not much."""
    alike = abs(slow.bytes - fast.bytes) <= ALIKE * max(slow.bytes, fast.bytes)
    if not alike or slow.bytes == 0 or slow.seconds - mean < UNEVEN * slow.seconds:
        return ""
    if not job.matters(slow.seconds - mean):
        return ""
    return (
        f"Rank {slow.number} takes {format_time(slow.seconds * 1e9)}, the ranks"
        f" {format_time(mean * 1e9)} on average, rank {fast.number}"
        f" {format_time(fast.seconds * 1e9)}, for {brief_size(slow.bytes)} each"
    )


def _late(job: CountedJob, told: str, files: list[CountedFile], seconds: float) -> Counted:
    how = "Not how much it moves, but where: look for a slow or busy server under its part."
    stripes, slow = job.stripes.get(files[0].name) if files else None, _on_target(job, files)
    if slow:
        told += slow
        how = "Report the target to the administrators, and leave it out (lfs setstripe -o LIST, or"
        how += " a pool) until it is mended."
    elif stripes is not None and stripes[0] < job.nprocs:
        how += f" Its file has {counted(stripes[0], 'stripe')}: more spread the load."
        how += f"\n{_striped(job, files[0])}"
    return Counted(seconds, finding("rank-time", told, how, [one.concerned() for one in files]))


def _on_target(job: CountedJob, mine: list[CountedFile]) -> str:
    """Compare the files of one stripe on the target of the slowest one with all others."""
    target = job.stripes.get(mine[0].name, (0, 0, -1))[2] if mine else -1
    times: tuple[list[float], list[float]] = ([], [])
    for file in job.files["POSIX"]:
        many, _, where = job.stripes.get(file.name, (0, 0, -1))
        if many == 1 and where >= 0 and not file.shared:
            times[where == target].append(file.longest)
    there, elsewhere = (sum(one) / max(len(one), 1) for one in reversed(times))
    if target < 0 or len(times[1]) < LEAST_FILES or there < SLOWER * elsewhere:
        return ""
    return (
        f" Lustre's target (OST) {target} is slow: {counted(len(times[1]), 'file')} there take"
        f" {format_time(there * 1e9)} each on average, those on others"
        f" {format_time(elsewhere * 1e9)}."
    )


def _striped(job: CountedJob, file: CountedFile) -> str:
    from simulator.answers.patterns.of_counters.sharing import stripes_for

    moved = min(max(map(file.reach, WAYS)), sum(map(file.bytes, WAYS)))
    return striping(file.name.rpartition("/")[0], stripes_for(moved, job.nprocs), 1 << 20)
