"""Times of the reports on traces, each in a process of its own, on a store of synthetic calls.

The calls are those of eight processes on 20,000 files, some used far more than others: reads,
writes and seeks of a few common lengths and some of any, opens, stats, 2 % of errors, and a few
very slow ones. Each report is a whole command, from the start of its process to its end; the median
of its runs counts.

    python -m benchmarks.reports [--calls N] [--plots] [--format table|json]
    python -m benchmarks.reports --store job.parquet
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from tabulate import tabulate

from simulator.traces.columns import COLUMNS, METADATA_KEY, schema
from simulator.traces.store import DELTAS, DICTIONARIES

CALLS = {
    "read": 0.35,
    "write": 0.15,
    "lseek": 0.2,
    "openat": 0.05,
    "close": 0.05,
    "fstat": 0.05,
    "pread64": 0.05,
    "pwrite64": 0.03,
    "newfstatat": 0.05,
    "futex": 0.02,
}
"""Name -> share."""
LENGTHS = (8192, 4096, 65536, 100, 1 << 20, 8191)
FILES = 20_000
ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 8
BATCH = 1 << 17
START_NS = 1_700_000_000 * 10**9
BUSIEST = "/scratch/project/run0/step-000000/field.dat"

REPORTS = {
    "summary": ["summary"],
    "summary --by file": ["summary", "--by", "file"],
    "summary --call write --by file": ["summary", "--call", "write", "--by", "file"],
    "summary --errors": ["summary", "--errors"],
    "sizes": ["sizes"],
    "calls": ["calls"],
    "rate": ["rate"],
    "offsets, a quarter of the calls": ["offsets", "--file", BUSIEST],
    "check": ["check"],
}


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="How long the reports on traces take.")
    parser.add_argument("--calls", type=int, default=10_000_000, help="calls in the store")
    parser.add_argument("--store", type=Path, help="a store to use instead of a made-up one")
    parser.add_argument("--plots", action="store_true", help="draw each report as well")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the median counts")
    parser.add_argument("--format", choices=["table", "json"], default="table")
    arguments = parser.parse_args()
    found, size = measure(
        arguments.calls, arguments.repeat, store=arguments.store, plots=arguments.plots
    )
    if arguments.format == "json":
        print(
            json.dumps({"calls": arguments.calls, "store_bytes": size, "reports": found}, indent=1)
        )
    else:
        print(tabulate(found, headers="keys", floatfmt=".2f"))


def measure(
    calls: int, repeat: int, *, store: Path | None = None, plots: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """Time each report, on a store or on one of synthetic calls; return the store's size too."""
    with tempfile.TemporaryDirectory() as folder:
        used = store or Path(folder) / "calls.parquet"
        if store is None:
            write_store(used, calls)
        found = [
            timed(name, words, used, Path(folder), repeat=repeat, plots=plots)
            for name, words in REPORTS.items()
        ]
        return found, used.stat().st_size


def timed(
    name: str, words: list[str], store: Path, folder: Path, *, repeat: int, plots: bool
) -> dict[str, Any]:
    """Time one report, from the start of the process to its end."""
    command = [
        sys.executable,
        "-m",
        "simulator",
        "trace",
        words[0],
        str(store.absolute()),
        *words[1:],
    ]
    if plots:
        command += ["--plot", str(folder / "plot.png")]
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        seconds.append(time.perf_counter() - start)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"report": name, "seconds": sorted(seconds)[repeat // 2], "largest_so_far_MiB": most}


def write_store(path: Path, count: int) -> None:
    """Write a store of synthetic calls, reproducible for a given count."""
    rng = np.random.default_rng(1)
    names = pa.array([f"/scratch/project/run{n % 97}/step-{n:06d}/field.dat" for n in range(FILES)])
    about = {"sources": [], "format": "strace", "times": "epoch", "durations": True}
    unknown = {"inherited": {"calls": 12, "bytes": 34567}, "unfinished": {"calls": 1}}
    record = {"store": 1, "nwtsim": "benchmark", "about": about, "unknown": unknown}
    with parquet.ParquetWriter(
        path,
        schema(),
        compression="snappy",
        use_dictionary=DICTIONARIES,
        column_encoding=dict.fromkeys(DELTAS, "DELTA_BINARY_PACKED"),
        write_statistics=False,
    ) as writer:
        now = START_NS
        for first in range(0, count, BATCH):
            batch, now = _batch(rng, min(BATCH, count - first), now, names)
            writer.write_batch(batch, row_group_size=BATCH)
        writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(record)})


def _batch(
    rng: np.random.Generator, count: int, now: int, names: pa.Array
) -> tuple[pa.RecordBatch, int]:
    times = now + np.cumsum(rng.integers(1000, 60_000, count))
    took = rng.lognormal(9.5, 1.2, count).astype(np.int64)
    took[rng.random(count) < 1e-6] = 2 * 10**9
    calls = rng.choice(len(CALLS), count, p=list(CALLS.values()))
    moves = np.isin(calls, [0, 1, 6, 7])
    odd = rng.random(count) < 0.1
    size = np.where(odd, rng.integers(1, 100_000, count), rng.choice(LENGTHS, count))
    failed = rng.random(count) < 0.02
    file = (rng.zipf(1.3, count) - 1) % FILES
    nameless = calls == 9
    who = np.arange(count) % PROCESSES
    nothing = np.ones(count, bool)
    columns = {
        "time_ns": pa.array(times),
        "duration_ns": pa.array(took),
        "pid": pa.array((1000 + who).astype(np.int32)),
        "process": pa.array(who.astype(np.int32)),
        "call": _texts(calls, pa.array(list(CALLS))),
        "fd": pa.array((file % 1000).astype(np.int32)),
        "kind": _texts(np.zeros(count), pa.array(["file"]), nameless),
        "file": _texts(file, names, nameless),
        "to_file": _texts(np.zeros(count), pa.array(["-"]), nothing),
        "offset": pa.array(rng.integers(0, 1 << 30, count), mask=~(moves | (calls == 2))),
        "to_offset": pa.array(size, mask=nothing),
        "requested": pa.array(size, mask=~moves),
        "returned": pa.array(np.where(moves, size, 0), mask=failed),
        "error": _texts(np.zeros(count), pa.array(["ENOENT"]), ~failed),
        "flags": _texts(np.zeros(count), pa.array(["O_RDONLY"]), calls != 3),
    }
    arrays = [columns[name] for name in COLUMNS]
    return pa.record_batch(arrays, schema=schema()), int(times[-1])


def _texts(codes: np.ndarray, texts: pa.Array, absent: np.ndarray | None = None) -> pa.Array:
    indices = pa.array(codes.astype(np.int32), mask=absent)
    return pa.DictionaryArray.from_arrays(indices, texts)


if __name__ == "__main__":
    main()
