"""Read one Darshan log with PyDarshan, in a process of its own.

Darshan's library may crash or never end on a damaged log; whoever started this process sees that
and goes on. A line on standard output says that it is still at work. What it finds goes to FOLDER:
``counters.json``, and ``rows.parquet`` with the segments of DXT as rows of a store.

The counters of all ranks of a file are added up; maxima are the largest.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.traces.darshan_modules import CALLS, LARGEST, READ, TIMES, UNUSED, WITHOUT_IO, WRITE

DXT = {"DXT_POSIX": ("read", "write"), "DXT_MPIIO": ("MPI_File_read", "MPI_File_write")}
"""What the segments are called in a store."""
DXT_OF = {"DXT_POSIX": "POSIX", "DXT_MPIIO": "MPI-IO"}
"""The module whose counters are of the same calls."""
USED = (
    frozenset(
        {name for calls in CALLS.values() for numbers, moved in calls.values() for name in numbers}
        | {*READ, *WRITE, *TIMES}
    )
    - LARGEST
)
"""Counters that are kept and added up, besides those of ``SIZE_``."""
BATCH = 1 << 17
ALIVE_S = 1.0
_ENDS = ("start", "end")

Files = dict[tuple[str, int], dict[str, Any]]
"""Counters of all ranks by module and number of the file."""


def main(log_path: str, folder: str) -> None:
    """Read the log."""
    _limit_memory()
    from darshan.backend import cffi_backend as library

    log = library.log_open(log_path)
    if log["handle"] == library.ffi.NULL:
        sys.exit(1)  # The library has said why.
    job = library.log_get_job(log)
    names = library.log_get_name_records(log)
    modules = library.log_get_modules(log)
    alive = _Alive()
    files: Files = {}
    numbers = {name: number for number, name in names.items()}
    readable = [name for name in CALLS if name in modules and name in library._structdefs]
    for module in readable:
        for record in _records(library, log, module):
            add(files, module, record, file_of(record, names, numbers))
            alive.say()
    start_ns, end_ns = (job[f"{at}_time_sec"] * 10**9 + job[f"{at}_time_nsec"] for at in _ENDS)
    rows = Rows(Path(folder) / "rows.parquet", start_ns, names)
    single = next((module for module in DXT if module in modules), None)
    if single is not None:
        for record in _records(library, log, single):
            rows.add(record, DXT[single])
            alive.say()
    rows.close()
    partial = [name for name, about in modules.items() if about["partial_flag"]]
    leave(
        folder,
        job,
        (start_ns, end_ns),
        (list(modules), readable, partial),
        files,
        names,
        rows,
        single,
    )
    unused = [name for name in ("LUSTRE", "HEATMAP", *DXT) if name in modules and name != single]
    for module in unused:
        print(UNUSED + module, file=sys.stderr, flush=True)
        for _ in _records(library, log, module):
            alive.say()


def leave(
    folder: str,
    job: Mapping[str, Any],
    lasted: tuple[int, int],
    modules: tuple[list[str], list[str], list[str]],
    files: Files,
    names: Mapping[int, str],
    rows: Rows,
    single: str | None,
) -> None:
    """Write what was found into a folder.

    ``lasted``: begin and end of the job, ns; ``modules``: all, those that are read, and those of
    which records are missing; ``single``: the module of DXT whose segments are rows.
    """
    every, readable, partial = modules
    found = {
        "job": {key: job[key] for key in ("jobid", "uid", "nprocs", "run_time", "log_ver")},
        "start_ns": lasted[0],
        "end_ns": lasted[1],
        "modules": every,
        "unread": [name for name in every if not (name in readable or name.startswith(WITHOUT_IO))],
        "partial": partial,
        "segments": rows.count,
        "traced": rows.calls,
        "segments_of": single,
        "counted": counted(files, DXT_OF.get(single or "")),
        "processes": len(rows.ranks),
        "files": [
            {"module": module, "file": names.get(number, f"(record {number})"), **counters}
            for (module, number), counters in files.items()
        ],
    }
    (Path(folder) / "counters.json").write_text(json.dumps(found), encoding="utf-8")


def _records(library: Any, log: Any, module: str) -> Iterator[dict[str, Any]]:
    while (record := library.log_get_record(log, module, "dict")) is not None:
        yield record


def counted(files: Files, module: str | None) -> dict[str, int]:
    """Return how many reads and writes of a module there are by its counters."""
    return {
        way: sum(
            one["counters"].get(number, 0)
            for (counted, _), one in files.items()
            if counted == module
            for call, (numbers, _) in CALLS[counted].items()
            if call.endswith(way)
            for number in numbers
        )
        for way in ("read", "write")
    }


def file_of(record: dict[str, Any], names: dict[int, str], numbers: dict[str, int]) -> int:
    """Return the number of a record's file; a data set, or a variable, is ``FILE:NAME``."""
    number: int = record["id"]
    if "file_rec_id" not in record:
        return number
    if record["file_rec_id"] in names:
        return int(record["file_rec_id"])
    words = names.get(number, "").split(":")  # Logs of Darshan before 3.3 have names only.
    files = (numbers.get(":".join(words[:end])) for end in range(1, len(words)))
    return next((one for one in files if one is not None), number)


def add(files: Files, module: str, record: dict[str, Any], number: int) -> None:
    """Add the counters of one file and rank to those of the file."""
    prefix = "MPIIO_" if module == "MPI-IO" else f"{module}_"
    fresh: dict[str, Any] = {"ranks": 0, "counters": {}, "negative": [], "seconds": {}}
    sums = files.setdefault((module, number), fresh)
    sums["ranks"] += 1
    kept, seconds, rank = sums["counters"], sums["seconds"], str(record["rank"])
    for name, raw in (record["counters"] | record["fcounters"]).items():
        value = raw if isinstance(raw, int | float) else raw.item()
        short = name.removeprefix(prefix)
        if value < 0 and short in TIMES:  # Some versions of Darshan forget when a call began.
            sums["negative"] = sorted({*sums["negative"], short})
        if value <= 0:  # -1 stands for a counter that this version of Darshan did not have.
            continue
        if short in TIMES:
            seconds[rank] = seconds.get(rank, 0.0) + value
        if short in LARGEST:
            kept[short] = max(kept.get(short, 0), value)
        elif short.startswith("SIZE_") or short in USED:
            kept[short] = kept.get(short, 0) + value


class Rows:
    """Segments as rows, in a Parquet file."""

    def __init__(self, path: Path, start_ns: int, names: dict[int, str]) -> None:
        from pyarrow import parquet

        from simulator.traces.columns import schema

        self.schema = schema()
        self.count = 0
        self.calls = {"read": 0, "write": 0}
        self.ranks: dict[int, int] = {}
        self._start_ns = start_ns
        self._names = names
        self._writer = parquet.ParquetWriter(path, self.schema)
        self._batch: list[dict[str, Any]] = []

    def add(self, record: dict[str, Any], calls: tuple[str, str]) -> None:
        """Add the segments of one file and rank."""
        rank = record["rank"]
        common = {
            "pid": rank,
            "process": self.ranks.setdefault(rank, len(self.ranks)),
            "kind": "file",
            "file": self._names.get(record["id"], f"(record {record['id']})"),
        }
        for call, key in zip(calls, ("read_segments", "write_segments"), strict=True):
            self.calls[key.partition("_")[0]] += len(record[key])
            for segment in record[key]:
                start = round(segment["start_time"] * 1e9)
                self._batch.append(
                    {
                        **common,
                        "call": call,
                        "time_ns": self._start_ns + start,
                        "duration_ns": max(0, round(segment["end_time"] * 1e9) - start),
                        "offset": segment["offset"],
                        "requested": segment["length"],
                        "returned": segment["length"],
                    }
                )
                if len(self._batch) == BATCH:
                    self._flush()

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        self.count += len(self._batch)
        if self._batch:
            self._writer.write_batch(pa.RecordBatch.from_pylist(self._batch, schema=self.schema))
        self._batch = []


class _Alive:
    """Says now and then that work goes on."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def say(self) -> None:
        """Say it, if it is time."""
        if time.monotonic() - self._said > ALIVE_S:
            self._said = time.monotonic()
            print(".", flush=True)


def _limit_memory() -> None:
    """Take no more than the machine has: a damaged length would take all of it, and more."""
    try:
        import resource
    except ImportError:  # Not on Windows.
        return
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (whole, whole))
