"""Stores of calls made from rows, and what a command prints about them."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.traces.columns import COLUMNS, METADATA_KEY

START = 1_700_000_000 * 10**9
UNKNOWN = {
    "inherited": {"calls": 7, "bytes": 2222},
    "mmap": {"calls": 3, "bytes": 4096},
    "io_uring": {"calls": 0, "submitted": 0},
    "unfinished": {"calls": 1},
    "skipped": {"lines": 5},
}


def call(
    name: str, at_s: float = 0.0, took_s: float | None = 1e-6, **columns: Any
) -> dict[str, Any]:
    """Make a row: a call on ``/data/a`` unless told otherwise."""
    row = dict.fromkeys(COLUMNS) | {"pid": 1, "process": 0, "call": name, "fd": 3}
    row |= {"kind": "file", "file": "/data/a", "time_ns": START + round(at_s * 1e9)}
    row["duration_ns"] = None if took_s is None else round(took_s * 1e9)
    return row | columns


def make_store(
    path: Path,
    rows: list[dict[str, Any]],
    *,
    times: str | None = "epoch",
    unknown: dict[str, dict[str, int]] = UNKNOWN,
) -> Path:
    """Write rows into a store."""
    pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from simulator.traces.columns import schema

    about = {"sources": [], "format": "strace", "times": times, "durations": True, "processes": 1}
    record = {"store": 1, "nwtsim": "0", "about": about, "unknown": unknown}
    with parquet.ParquetWriter(path, schema()) as writer:
        for start in range(0, max(len(rows), 1), 1000):
            writer.write_table(pa.Table.from_pylist(rows[start : start + 1000], schema=schema()))
        writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(record)})
    return path


def random_rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Make calls of all kinds in the order of their time."""
    rng = random.Random(seed)
    files = [f"/data/run{n % 3}/file{n}.{'dat' if n % 2 else 'so'}" for n in range(7)]
    rows = []
    at = 0.0
    for _ in range(count):
        at += rng.expovariate(20.0)
        name = rng.choice(["read", "write", "lseek", "openat", "close", "pread64", "sendfile"])
        row = call(name, at, rng.choice([None, 1e-6, 3.5e-5, 0.25]), file=rng.choice(files))
        row["process"] = rng.randrange(3)
        if rng.random() < 0.1:
            row["error"] = rng.choice(["ENOENT", "EAGAIN"])
        elif name in {"read", "write", "pread64", "sendfile"}:
            row["returned"] = rng.choice([0, 1, 2, 3, 4, 5, 4096, 4097, 100_000])
            row["offset"] = rng.randrange(10**6)
        else:
            row["returned"] = rng.randrange(9)
        if name == "sendfile":
            row["to_file"], row["to_offset"] = rng.choice(files), 0
        rows.append(row)
    return rows


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Carry out ``nwtsim trace ...`` and give what it prints."""
    assert main(["trace", *map(str, words)]) == 0
    return capsys.readouterr().out


def reported(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """Carry out ``nwtsim trace ... --format json`` and give what it says."""
    found: dict[str, Any] = json.loads(printed(capsys, *words, "--format", "json"))
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Carry out ``nwtsim trace ...``, which must find fault with its input; give the message."""
    assert main(["trace", *map(str, words)]) == 2
    return capsys.readouterr().err
