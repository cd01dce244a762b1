"""Time of advice on a trace of a million calls, from a store to the report.

Two traces, each the same in every run, in a process of its own; seconds are CPU time (user and
system), beside which the number of replays is printed:

- mixed: the trace of :mod:`benchmarks.replay`, on the NWT;
- small: 8 processes read and write files of 4 MB in calls of 4 kB, half of them at random offsets,
  on the workstation.

    python -m benchmarks.advise [--calls N] [--format table|json]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import replay
from benchmarks.table import print_figures

MACHINES = {"mixed": "nwt", "small": "workstation"}
VISIT = 1_002
"""Calls between an open and its close, both included."""
SIZE = 4_096


def write_small(path: Path, count: int) -> None:
    """Write a store of small calls, reproducible for a given count."""
    replay.write_store(path, count, _visits)


def _visits(rng: np.random.Generator, now: int) -> dict[str, Any]:
    """Return the columns of visits: 8 processes alternate call by call."""
    processes = 8
    shape = (replay.BATCH // processes, processes)
    place = np.broadcast_to(np.arange(shape[0])[:, None] % VISIT, shape)
    visit = np.broadcast_to(np.arange(shape[0])[:, None] // VISIT, shape)
    file = (visit * processes + np.arange(processes)) % replay.FILES
    call = np.where(file % 2 == 0, replay.READ, replay.WRITE)
    call = np.where(place == 0, replay.OPEN, np.where(place == VISIT - 1, replay.CLOSE, call))
    anywhere = rng.integers(0, 1000, shape)
    number = np.where((file % 4 == 0) & (call == replay.READ), anywhere, place - 1)
    step = 50_000
    return {
        "call": call,
        "process": np.broadcast_to(np.arange(processes), shape),
        "file": file,
        "offset": np.maximum(number, 0) * SIZE,
        "size": np.full(shape, SIZE),
        "time": now + step * (1 + np.arange(shape[0]))[:, None] + np.arange(processes),
        "took": np.full(shape, 5_000),
    }


WRITERS = {"mixed": replay.write_store, "small": write_small}


def measure(calls: int) -> dict[str, Any]:
    """Measure CPU seconds and peak memory of the command on both traces."""
    figures: dict[str, Any] = {"calls": calls}
    with tempfile.TemporaryDirectory() as folder:
        for name, write in WRITERS.items():
            store = Path(folder, f"{name}.parquet")
            write(store, calls)
            spent, record = _advise(store, MACHINES[name])
            figures[f"{name}_cpu_s"] = spent
            figures[f"{name}_runs"] = record["runs"]
            figures[f"{name}_advice"] = ", ".join(one["pattern"] for one in record["advice"])
    return figures


def _advise(store: Path, machine: str) -> tuple[float, dict[str, Any]]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [sys.executable, "-m", "simulator", "advise", store, "--on", machine, "--format", "json"],
        check=True,
        capture_output=True,
        cwd=Path(__file__).resolve().parent.parent,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads(ran.stdout)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000, help="default 1000000")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    print_figures(measure(options.calls), options.format)


if __name__ == "__main__":
    main()
