"""Calls that are small, scattered, repeated or synced one by one."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.answers.advise import Finding
from simulator.answers.patterns.of_counters.job import (
    SMALL,
    WAYS,
    Counted,
    CountedFile,
    CountedJob,
    Way,
    finding,
)
from simulator.answers.patterns.of_counters.snippets import snippet
from simulator.units import format_time
from simulator.wording import brief_size, counted, percent

LEAST_CALLS = 1_000
SHORT = 262_144
"""Bytes of a call, on average, below which places all over a file matter."""
SCATTERED = 0.5
"""Share of calls that are not behind the one before, or not right behind it."""
LEAST_AGAIN = 10_000_000
"""Bytes beyond those of the file from which on reading it again is worth a word."""
SEVERAL_TIMES = 2.0
LEAST_SYNCS = 8
"""Of a rank."""
WRITES_PER_SYNC = 10
BUFFER = 1 << 20
SPARSE = 0.1
"""Share of the bytes up to the last one that are written at all in a file with gaps."""


def small_io(job: CountedJob) -> Iterator[Counted]:
    """Many small calls, each mostly behind the one before: a buffer gathers them.

    Collective calls have gathered already what they could, so that these are left out.
    """
    for file in job.plain:
        for way in WAYS:
            seconds = file.part(file.time(way))
            few = file.calls(way) < LEAST_CALLS or file.mean(way) >= SMALL
            if few or not job.matters(seconds) or job.collective(file.name, way):
                continue
            if file.module == "POSIX" and file.followed(way) < SCATTERED:
                continue
            small = sum(file.get(f"SIZE_{way.upper()}_{one}") for one in _SMALL_BINS)
            told = f"{file.calls(way):,} {way}s of {brief_size(int(file.mean(way)))} on average"
            if file.module == "POSIX":
                told += f" ({percent(small, file.calls(way))} of at most 10 KiB,"
                told += f" {percent(file.followed(way), 1)} right behind the one before)"
            told += f": {format_time(seconds * 1e9)} of the slowest rank."
            syncs = file.get("FSYNCS") + file.get("FDSYNCS")
            if way == "write" and syncs * WRITES_PER_SYNC >= file.calls(way):
                told += f" With {counted(syncs, 'sync')}, the fewer the larger writes are."
            how = f"Gather them: {way} 1 MiB at a time.\n"
            how += snippet(job, "buffer", file.name, size=BUFFER)
            yield Counted(seconds, finding("small-io", told, how, [file.concerned(way)]))


_SMALL_BINS = ("0_100", "100_1K", "1K_10K")


def scattered(job: CountedJob) -> Iterator[Counted]:
    """Reads or writes of a rank all over a file: backwards, or forwards over gaps."""
    for file in job.files["POSIX"]:
        for way in WAYS:
            seconds = file.part(file.time(way))
            few = file.calls(way) < LEAST_CALLS or file.mean(way) >= SHORT
            if few or not job.matters(seconds) or file.followed(way) > 1 - SCATTERED:
                continue
            name = "seek-storm" if way == "read" else "scattered-write"
            told = f"{file.calls(way):,} {way}s of {brief_size(int(file.mean(way)))} on average:"
            back, gap = 1 - file.forward(way), file.forward(way) - file.followed(way)
            told += f" {percent(max(back, 0.0), 1)} go back, {percent(max(gap, 0.0), 1)} jump"
            told += f" ahead; {format_time(seconds * 1e9)} of the slowest rank."
            part = file.bytes(way) / max(file.reach(way), 1)
            if way == "write" and part < SPARSE:
                told += f" {percent(part, 1)} of the {brief_size(file.reach(way))} up to the last"
                told += " byte are written."
            yield Counted(
                seconds, finding(name, told, _gather(job, file, way), [file.concerned(way)])
            )


def _gather(job: CountedJob, file: CountedFile, way: Way) -> str:
    chunks = snippet(job, "chunks", file.name) if way == "write" else ""
    if chunks:
        how = "Lay out the data as they are written: a chunk is the block of one rank, so that"
        return f"{how} each is written as a whole.\n{chunks}"
    if job.collective(file.name, way):
        how = "They come from collective calls, which have not joined them: set the hints, and give"
        how += " each call all of a rank's data by one file view."
        return f"{how}\n{snippet(job, 'hints', file.name, way=way, nodes=max(1, job.nprocs // 32))}"
    if job.independent(file.name, way):
        how = "Let collective calls put them in the order of the file."
        return f"{how}\n{snippet(job, 'collective', file.name, way=way)}"
    if way == "read":
        return "Read in the order of the file, or read what is needed as a whole and pick from it."
    return "Gather it in memory, and write it in the order of the file."


def again(job: CountedJob) -> Iterator[Counted]:
    """More bytes are read or written than the file has, up to the last byte that was.

    Of several ranks that each read as much as there is: they read the same.
    """
    for file in job.plain:
        for way in WAYS:
            moved, reach, ranks = file.bytes(way), file.reach(way), max(file.users(way), 1)
            seconds = file.part(file.time(way) * max(moved - reach, 0) / max(moved, 1))
            if reach <= 0 or moved < SEVERAL_TIMES * reach or moved - reach < LEAST_AGAIN:
                continue
            if not job.matters(seconds):
                continue
            times = f"{moved / reach:,.1f} times the {brief_size(reach)} up to the last byte"
            told = f"{brief_size(moved)} {'read' if way == 'read' else 'written'}, {times},"
            told += f" by {counted(ranks, 'rank')}: {format_time(seconds * 1e9)} of the slowest."
            yield Counted(seconds, _again(job, file, way, told, moved / reach / ranks))


def _again(job: CountedJob, file: CountedFile, way: Way, told: str, times: float) -> Finding:
    """Return the finding; ``times``: how often each rank reads or writes each byte."""
    about = [file.concerned(way)]
    data = job.data_sets.get(file.name)
    wanted = 0 if data is None else data.bytes(way)
    if way == "read" and wanted and file.bytes(way) >= SEVERAL_TIMES * wanted:
        chunk = data.get("CHUNK") if data is not None else 0
        told += f" The program asked HDF5 for {brief_size(wanted)}."
        if chunk:
            told += f" A chunk has {brief_size(chunk)}; HDF5 keeps 1 MiB of each data set."
            size = max(16 * chunk, 64 << 20)
            how = "Give the data set a cache that holds the chunks that are read again; or read"
            how += f" whole chunks.\n{snippet(job, 'chunk cache', file.name, size=size)}"
            return finding("chunk-cache", told, how, about)
    fill = snippet(job, "no fill", file.name)
    if way == "write" and fill and times * max(file.users(way), 1) < 2 * SEVERAL_TIMES:
        how = "A file that is written twice has fill values first: leave them out."
        return finding("rewritten", told, f"{how}\n{fill}", about)
    if way == "write":
        how = "Keep it in memory while it changes, and write it once."
        return finding("rewritten", told, how, about)
    if times < SEVERAL_TIMES:
        how = "Read it by one rank, or a part by each, and send it to the others."
        code = snippet(job, "share", file.name)
        return finding("read-by-all", told, f"{how}\n{code}", about)
    how = "Keep in memory what was read, and what was made of it."
    return finding("re-read", told, how, about)


def sync_write(job: CountedJob) -> Iterator[Counted]:
    """A sync for every few writes; Darshan counts its time as that of writes."""
    for file in job.files["POSIX"]:
        syncs, writes = file.get("FSYNCS") + file.get("FDSYNCS"), file.calls("write")
        seconds = file.part(file.time("write"))
        few = syncs < LEAST_SYNCS * max(file.ranks, 1) or syncs * WRITES_PER_SYNC < writes
        if few or not job.matters(seconds):
            continue
        told = f"{counted(syncs, 'sync')} for {counted(writes, 'write')},"
        told += f" {brief_size(file.bytes('write') // syncs)} for each:"
        told += f" {format_time(seconds * 1e9)} of the slowest rank in both."
        how = "Gather writes in blocks and sync each of them, or sync once, after the last write."
        how += f"\n{snippet(job, 'sync', file.name)}"
        risk = "after a crash what was written since the last sync may be lost."
        yield Counted(
            seconds, finding("sync-write", told, how, [file.concerned("write")], risk=risk)
        )
