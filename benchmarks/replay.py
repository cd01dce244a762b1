"""Times of the replay of a trace, phase by phase, from a store to its report.

The trace is synthetic and always the same: 32 processes visit 2,000 files of up to 32 MB. A visit
is 32 calls: open, fstat, 29 reads or writes of one length (4 kB to 1 MB, one after the other; in
every eighth visit half of them are seeks to random offsets), and close. Calls of a process are 0.1
to 2 ms apart. The trace is replayed on the NWT by the native engine, every call recorded:

- observe: the rows are read from the store and converted to the calls of the processes;
- plan: the files are placed on the machine's disks;
- run: the native engine runs the plan;
- report: observed and predicted times by call and file, as text.

Seconds are per million calls of the trace, in a process of its own; the peak memory is that of
all phases. For comparison, the reference engine replays the first part of the same trace: native
and reference alternate on that part and produce the same times, which is checked; the ratio is the
median over pairs.

    python -m benchmarks.replay [--calls N] [--part N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.table import print_figures
from simulator.config.formats import load_machine
from simulator.config.lowering.replayed import Placing
from simulator.plan.codes import READ as LISTED_READ
from simulator.plan.codes import SEEK as LISTED_SEEK
from simulator.plan.codes import WRITE as LISTED_WRITE
from simulator.replay.compared import compare
from simulator.replay.replay import Placed, Replay, ReplayOptions, read_log
from simulator.replay.states import costs_in
from simulator.report.forms import written
from simulator.report.outcome import Outcome
from simulator.report.replay import replay_page
from simulator.run import EngineName, run_plan
from simulator.traces.columns import COLUMNS, METADATA_KEY, schema
from simulator.traces.store import DELTAS, DICTIONARIES

Numbers = np.ndarray[Any, Any]
Visits = Callable[[np.random.Generator, int], dict[str, Numbers]]

PROCESSES = 32
FILES = 2_000
LONGEST = 32_000_000
VISIT = 32
"""Calls between an open and its close, both included."""
SIZES = (4_096, 8_192, 65_536, 1_000_000)
CALLS = ("openat", "newfstatat", "read", "write", "lseek", "close")
OPEN, STAT, READ, WRITE, SEEK, CLOSE = range(len(CALLS))
BATCH = PROCESSES * VISIT * 128
START_NS = 1_700_000_000 * 10**9
STEP_NS = (100_000, 2_000_000)
"""Time from a call of a process to its next."""
PHASES = ("observe", "plan", "run", "report")
SEED = 1997


def write_store(path: Path, count: int, visits: Visits | None = None) -> None:
    """Write a store of synthetic calls, reproducible for a given count.

    ``visits`` makes the columns of ``BATCH`` calls after a time; default: those of this module.
    """
    rng = np.random.default_rng(SEED)
    about = {"sources": [], "format": "strace", "times": "epoch", "durations": True}
    record = {"store": 1, "nwtsim": "benchmark", "about": about, "unknown": {}}
    texts = {
        "call": pa.array(CALLS),
        "kind": pa.array(["file"]),
        "file": pa.array([f"/scratch/run{n % 7}/field-{n:04d}.dat" for n in range(FILES)]),
    }
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
            columns = (visits or _visits)(rng, now)
            now = int(columns["time"].max())
            batch = _batch(columns, texts).slice(0, min(BATCH, count - first))
            writer.write_batch(batch, row_group_size=BATCH)
        writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(record)})


def _visits(rng: np.random.Generator, now: int) -> dict[str, Numbers]:
    """Return the columns of consecutive visits of each process; the processes alternate."""
    visit = (BATCH // (PROCESSES * VISIT), 1, PROCESSES)
    shape = (visit[0], VISIT, PROCESSES)
    place = np.broadcast_to(np.arange(VISIT)[None, :, None], shape)
    jumps = np.broadcast_to(rng.random(visit) < 1 / 8, shape)
    size = np.broadcast_to(rng.choice(SIZES, visit), shape)
    call = np.broadcast_to(np.where(rng.random(visit) < 0.6, READ, WRITE), shape).copy()
    call[jumps & (place % 2 == 0)] = SEEK
    call[:, 0], call[:, 1], call[:, -1] = OPEN, STAT, CLOSE
    anywhere = rng.integers(0, LONGEST, shape) // size * size
    anywhere[:, 3::2] = anywhere[:, 2::2][:, : VISIT // 2 - 1]  # The target of the preceding seek.
    steps = np.cumsum(rng.integers(*STEP_NS, shape[:2])).reshape(*shape[:2], 1)
    return {
        "call": call,
        "process": np.broadcast_to(np.arange(PROCESSES), shape),
        "file": np.broadcast_to(rng.integers(0, FILES, visit), shape),
        "offset": np.where(jumps, anywhere, (place - 2) * size),
        "size": size,
        "time": now + steps + 1_000 * np.arange(PROCESSES),
        "took": rng.integers(2_000, STEP_NS[0] - 1_000 * PROCESSES, shape),
    }


def _batch(columns: dict[str, Numbers], texts: dict[str, pa.Array]) -> pa.RecordBatch:
    """Return rows of a store."""
    row = {name: np.ascontiguousarray(column).reshape(-1) for name, column in columns.items()}
    call = row["call"]
    moves = (call == READ) | (call == WRITE)
    count = len(call)

    def words(codes: Numbers, name: str) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), texts[name])

    made = {
        "time_ns": pa.array(row["time"]),
        "duration_ns": pa.array(row["took"]),
        "pid": pa.array(1000 + row["process"]),
        "process": pa.array(row["process"]),
        "call": words(call, "call"),
        "fd": pa.array(np.full(count, 3)),
        "kind": words(np.zeros(count), "kind"),
        "file": words(row["file"], "file"),
        "offset": pa.array(row["offset"], mask=~(moves | (call == SEEK))),
        "requested": pa.array(row["size"], mask=~moves),
        "returned": pa.array(np.where(moves, row["size"], 3 * (call == OPEN))),
    }
    wanted = schema()
    arrays = [
        made[name].cast(wanted.field(name).type)
        if name in made
        else pa.nulls(count, wanted.field(name).type)
        for name in COLUMNS
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)


# -- what is measured -------------------------------------------------------------------------


def phases(store: Path) -> dict[str, float]:
    """Replay a store; return the seconds of each phase."""
    machine = load_machine("nwt")
    marks = [time.perf_counter()]
    log = read_log([store], machine, progress=False)
    marks.append(time.perf_counter())
    placed = Placed(log.observed.traced, ReplayOptions(Placing()), {})
    plan = placed.plan(machine)
    marks.append(time.perf_counter())
    result = run_plan(plan, engine="native", record=True)
    marks.append(time.perf_counter())
    timed = (LISTED_READ, LISTED_WRITE, LISTED_SEEK, *costs_in(machine, None, log.about))
    assert result.calls is not None
    found = compare(log, result.calls, np.arange(len(placed.traced.table)), timed)
    done = Replay(log.about, log.unknown, log.observed, None, placed, plan, result, *found)
    written(replay_page(done, Outcome(plan, result), None), "table")
    marks.append(time.perf_counter())
    spent = [after - before for before, after in itertools.pairwise(marks)]
    return dict(zip(PHASES, spent, strict=True))


def in_own_process(store: Path) -> dict[str, float]:
    """Return the same in a process of its own, with its peak memory in bytes."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.replay", "--replay", store],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parent.parent,
    )
    spent: dict[str, float] = json.loads(ran.stdout)
    return spent


def engines_on(store: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Return the seconds that the native and the reference engine take for a plan, alternated."""
    machine = load_machine("nwt")
    traced = read_log([store], machine, progress=False).observed.traced
    plan = Placed(traced, ReplayOptions(Placing()), {}).plan(machine)
    times: dict[EngineName, list[float]] = {"native": [], "reference": []}
    ends = set()
    for _ in range(rounds):
        for engine, spent in times.items():
            began = time.perf_counter()
            result = run_plan(plan, engine=engine, record=True)
            spent.append(time.perf_counter() - began)
            ends.add((result.elapsed_ns, result.end_ns))
    if len(ends) != 1:
        raise AssertionError(f"the engines differ: {ends}")
    return times["native"], times["reference"]


def measure(calls: int, part: int, rounds: int) -> dict[str, Any]:
    """Return seconds per million calls, and the ratio of the native and the reference engine."""
    with tempfile.TemporaryDirectory() as folder:
        whole, some = Path(folder, "whole.parquet"), Path(folder, "part.parquet")
        write_store(whole, calls)
        write_store(some, part)
        runs = [in_own_process(whole) for _ in range(min(3, rounds))]
        native, reference = engines_on(some, rounds)
    figures: dict[str, Any] = {"calls": calls, "rounds": len(runs)}
    for phase in PHASES:
        spent = statistics.median(run[phase] for run in runs)
        figures[f"{phase}_s_per_million_calls"] = spent / calls * 1e6
    figures["all_phases_s"] = statistics.median(sum(run[one] for one in PHASES) for run in runs)
    figures["peak_MB"] = max(run["peak_bytes"] for run in runs) / 1e6
    figures["part_calls"] = part
    figures["part_native_calls_per_s"] = round(part / statistics.median(native))
    figures["part_reference_calls_per_s"] = round(part / statistics.median(reference))
    pairs = zip(native, reference, strict=True)
    figures["native_over_reference"] = statistics.median(slow / fast for fast, slow in pairs)
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000_000, help="default 10000000")
    parser.add_argument("--part", type=int, default=100_000, help="for the reference engine")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.add_argument("--replay", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replay is not None:
        spent = phases(options.replay)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps(spent | {"peak_bytes": peak}))
        return
    print_figures(measure(options.calls, options.part, options.rounds), options.format)


if __name__ == "__main__":
    main()
