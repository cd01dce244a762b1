"""Records of a Darshan log as those that calls are drawn from, and what stands beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simulator.traces.darshan_ranks import HEAT
from simulator.traces.darshan_records import SINGLE, STREAMS
from simulator.traces.sampled.bins import Bins
from simulator.traces.sampled.streams import Counted

MOVES = ("READS", "WRITES")


@dataclass(frozen=True, slots=True)
class Job:
    """What a log says of a job without single calls."""

    processes: int
    records: tuple[Counted, ...]
    """Of POSIX and STDIO, in an order that does not depend on the log's."""
    heat: Mapping[int, Bins]
    """Bytes in bins of time of each rank by POSIX; empty if the log has none (HEATMAP)."""

    def longest(self) -> Counted | None:
        """Return the record whose calls took longest in all; None if no call took time."""
        times = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
        sums = [sum(one.seconds.get(name, 0.0) for name in times) for one in self.records]
        most = max(sums, default=0.0)
        return self.records[sums.index(most)] if most > 0 else None

    def moving(self, file: str | None = None) -> Job:
        """Return reads and writes of POSIX alone, of one file or all: what DXT would have."""
        found = [
            replace(one, counts={name: one.counts[name] for name in one.counts if moves(name)})
            for one in self.records
            if one.module == "POSIX" and file in {None, one.file}
        ]
        found = [one for one in found if any(one.counts.get(name) for name in MOVES)]
        return replace(self, records=tuple(found))


def moves(counter: str) -> bool:
    """Return whether a counter is of reads and writes, not of opens, stats and syncs.

    >>> moves("SIZE_READ_0_100"), moves("OPENS"), moves("FSYNCS")
    (True, False, False)
    """
    return counter not in {"OPENS", "STATS", "FSYNCS", "FDSYNCS"}


def job_in(folder: Path, processes: int) -> Job:
    """Return what a reader of a log has left of it in a folder."""
    single, heat = folder / SINGLE, folder / HEAT
    records = records_in(json.loads(single.read_text(encoding="utf-8")))
    bins = json.loads(heat.read_text(encoding="utf-8")) if heat.exists() else {}
    return Job(processes, tuple(records), {int(rank): Bins(*one) for rank, one in bins.items()})


def records_in(found: Iterable[dict[str, Any]]) -> Sequence[Counted]:
    """Return the records of files, in an order that does not depend on the log's.

    STDIO counts no order and no sizes: its calls are taken for consecutive ones of equal size.
    Those of MPI-IO stand beside those of POSIX of their file.
    """
    records, above = [], {}
    for one in found:
        counts = {name: int(value) for name, value in one["counts"].items() if name[:2] != "F_"}
        seconds = {name: float(value) for name, value in one["counts"].items() if name[:2] == "F_"}
        if one["file"] in STREAMS or not counts:
            continue
        if one["module"] == "MPI-IO":
            above[one["file"], one["rank"]] = {**counts, **seconds}
            continue
        if one["module"] == "STDIO":
            counts = _of_streams(counts)
        records.append(Counted(one["rank"], one["file"], counts, seconds, one["module"]))
    records = [replace(one, above=above.get((one.file, one.rank), {})) for one in records]
    return sorted(records, key=lambda one: (one.file, one.rank, one.module))


def _of_streams(counts: dict[str, int]) -> dict[str, int]:
    """Return the counters of a file of STDIO with the order that streams mostly have."""
    more: dict[str, int] = {}
    for way, past in (("READ", "READ"), ("WRITE", "WRITTEN")):
        many = counts.get(f"{way}S", 0)
        if many:
            more |= {f"CONSEC_{way}S": many - 1, f"SEQ_{way}S": many - 1}
            more[f"MAX_BYTE_{past}"] = max(0, counts.get(f"BYTES_{past}", 0) - 1)
    return counts | more
