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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MODULES = ("POSIX", "MPI-IO", "STDIO")
DXT = {"DXT_POSIX": ("read", "write"), "DXT_MPIIO": ("MPI_File_read", "MPI_File_write")}
"""What the segments are called in a store."""
USED = frozenset(
    {
        *("OPENS", "READS", "WRITES", "SEEKS", "STATS", "MMAPS", "FSYNCS", "FDSYNCS"),
        *("RENAME_SOURCES", "FDOPENS", "FLUSHES", "SYNCS", "INDEP_OPENS", "COLL_OPENS"),
        *("INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS"),
        *("INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES"),
        *("BYTES_READ", "BYTES_WRITTEN", "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"),
    }
)
"""Counters that are kept and added up, besides those of ``SIZE_``."""
LARGEST = frozenset({"MAX_BYTE_READ", "MAX_BYTE_WRITTEN", "F_MAX_READ_TIME", "F_MAX_WRITE_TIME"})
"""Counters of which the largest is kept."""
TIMES = frozenset({"F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"})
BATCH = 1 << 17
ALIVE_S = 1.0
_ENDS = ("start", "end")


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
    files: dict[tuple[str, int], dict[str, Any]] = {}
    for module in modules:
        if module in MODULES:
            for record in _records(library, log, module):
                _add(files, module, record)
                alive.say()
    start_ns, end_ns = (job[f"{at}_time_sec"] * 10**9 + job[f"{at}_time_nsec"] for at in _ENDS)
    rows = _Rows(Path(folder) / "rows.parquet", start_ns, names)
    single = next((module for module in DXT if module in modules), None)
    for module in modules:
        if module in MODULES:
            continue
        for record in _records(library, log, module):  # Read, if only to see that it can be.
            alive.say()
            if module == single:
                rows.add(record, DXT[module])
    rows.close()
    found = {
        "job": {key: job[key] for key in ("jobid", "uid", "nprocs", "run_time", "log_ver")},
        "start_ns": start_ns,
        "end_ns": end_ns,
        "modules": list(modules),
        "partial": [name for name, about in modules.items() if about["partial_flag"]],
        "segments": rows.count,
        "segments_of": single,
        "processes": len(rows.ranks),
        "files": [
            {"module": module, "file": names.get(number, f"(record {number})"), **counters}
            for (module, number), counters in files.items()
        ],
    }
    (Path(folder) / "counters.json").write_text(json.dumps(found), encoding="utf-8")


def _records(library: Any, log: Any, module: str) -> Iterator[dict[str, Any]]:
    known = ("LUSTRE", "HEATMAP", *DXT, *library._structdefs)
    if module not in known:
        return
    while (record := library.log_get_record(log, module, "dict")) is not None:
        yield record


def _add(files: dict[tuple[str, int], dict[str, Any]], module: str, record: dict[str, Any]) -> None:
    """Add the counters of one file and rank to those of the file."""
    prefix = "MPIIO_" if module == "MPI-IO" else f"{module}_"
    sums = files.setdefault((module, record["id"]), {"ranks": 0, "counters": {}, "negative": []})
    sums["ranks"] += 1
    kept = sums["counters"]
    for name, raw in (record["counters"] | record["fcounters"]).items():
        value = raw.item()
        short = name.removeprefix(prefix)
        if value < 0 and short in TIMES:  # Some versions of Darshan forget when a call began.
            sums["negative"] = sorted({*sums["negative"], short})
        if value <= 0:  # -1 stands for a counter that this version of Darshan did not have.
            continue
        if short in LARGEST:
            kept[short] = max(kept.get(short, 0), value)
        elif short.startswith("SIZE_") or short in USED:
            kept[short] = kept.get(short, 0) + value


class _Rows:
    """Segments as rows, in a Parquet file."""

    def __init__(self, path: Path, start_ns: int, names: dict[int, str]) -> None:
        from pyarrow import parquet

        from simulator.traces.columns import schema

        self.schema = schema()
        self.count = 0
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
