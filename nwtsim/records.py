"""Rows of tables, from the record of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simulator.extras import need

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
_OWN_TABLES = ("where", "phases", "latencies")
"""Keys of a job's record that have tables of their own."""


def rows_of(record: dict[str, Any], table: str) -> list[Row]:
    """Return the rows of a table of :data:`nwtsim.result.TABLES`."""
    if table == "processes":
        return [_flat({key: one[key] for key in one if key != "where"}) for one in record[table]]
    if table == "where":
        return list(_where(record))
    if table == "jobs":
        jobs = record[table].items()
        return [
            {"job": name, **_flat({k: v for k, v in one.items() if k not in _OWN_TABLES})}
            for name, one in jobs
        ]
    if table == "phases":
        jobs = record["jobs"].items()
        return [{"job": name, **one} for name, job in jobs for one in job.get("phases", ())]
    if table == "job_latencies":
        jobs = record["jobs"].items()
        return [
            {"job": name, "operation": operation, **one}
            for name, job in jobs
            for operation, one in job.get("latencies", {}).items()
        ]
    key = {"parts": "instance", "stores": "instance", "latencies": "operation"}[table]
    return [{key: name, **one} for name, one in record[table].items()]


def dataframe_of(rows: Sequence[Any], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return rows as a pandas DataFrame; MissingExtraError without pandas."""
    need("pandas")
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)


def in_seconds(row: Row) -> Row:
    """Return a row with its times in seconds.

    >>> in_seconds({"phase": "1", "mean_ns": 1_500_000_000})
    {'phase': '1', 'mean_s': 1.5}
    """
    made: Row = {}
    for key, value in row.items():
        if key.endswith("_ns"):
            made[f"{key.removesuffix('_ns')}_s"] = value / 1e9
        else:
            made[key] = value
    return made


def _flat(record: Row, before: str = "") -> Row:
    """Flatten nested values: ``read_bytes`` for ``read.bytes``.

    >>> _flat({"name": "a", "read": {"bytes": 1}})
    {'name': 'a', 'read_bytes': 1}
    """
    row: Row = {}
    for key, value in record.items():
        if isinstance(value, dict):
            row |= _flat(value, f"{before}{key}_")
        else:
            row[f"{before}{key}"] = value
    return row


def _where(record: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for each process and account category; they add up to its elapsed time."""
    for one in record["processes"]:
        where = one["where"]
        columns = {
            "computing": {"wait_ns": 0, "service_ns": where["compute_ns"]},
            "idle": {"wait_ns": where["idle_ns"], "service_ns": 0},
            **where["columns"],
        }
        for column, times in columns.items():
            if any(times.values()):
                yield {"process": one["name"], "job": one["job"], "column": column, **times}
