"""Hand-written logs, read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.traces.reader import Trace, read

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "strace"
"""Real logs, where they are."""


def trace_of(tmp_path: Path, *logs: str | bytes, name: str = "log", **options: Any) -> Trace:
    """Write each log to a file, and begin to read them."""
    paths = []
    for k, log in enumerate(logs):
        path = tmp_path / f"{name}{k or ''}"
        path.write_bytes(log if isinstance(log, bytes) else log.encode())
        paths.append(path)
    return read(paths, **options)


def rows_of(tmp_path: Path, *logs: str | bytes, **options: Any) -> list[dict[str, Any]]:
    """Give the rows of logs."""
    return rows_in(trace_of(tmp_path, *logs, **options))


def rows_in(trace: Trace) -> list[dict[str, Any]]:
    """Give the rows of a trace."""
    return [row for batch in trace.batches() for row in batch.to_pylist()]


def columns_of(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """Give some columns."""
    return [tuple(row[name] for name in names) for row in rows]


def files_of(tmp_path: Path, log: str, **options: Any) -> list[str | None]:
    """Give the files of a log's calls."""
    return [row["file"] for row in rows_of(tmp_path, log, **options)]
