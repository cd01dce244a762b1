"""Curves of a run in a file for programs: CSV with a row for each bin, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.csvtext import CsvWriter

if TYPE_CHECKING:
    from simulator.result.result import Result

COLUMNS = ("time_ns", "store", "used_bytes", "dirty_bytes")


def write_curves(result: Result, path: Path, *, as_json: bool) -> None:
    """Write the curves of a run, which it must have sampled."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if as_json:
            json.dump(curves_record(result), file, indent=1)
            file.write("\n")
        else:
            CsvWriter(file).writerows(curve_rows(result))


def curve_rows(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each bin of each store instance, with the begin of the bin; then means."""
    yield COLUMNS
    for name, one in result.curves.items():
        pairs = zip(one.used_bytes(), one.dirty_bytes(), strict=True)
        for number, (used, dirty) in enumerate(pairs):
            yield number * one.width_ns, name, used, dirty


def curves_record(result: Result) -> dict[str, Any]:
    """Return the curves as lists of a number for each bin; keys.yaml explains the keys."""
    calls = result.call_curve
    assert calls is not None
    return {
        "machine": result.machine,
        "workload": result.workload,
        "digest": result.digest,
        "end_ns": result.end_ns,
        "width_ns": calls.width_ns,
        "stores": {
            name: {
                "store": one.store,
                "capacity_bytes": one.capacity,
                "most_used_bytes": one.used.most,
                "most_used_ns": one.used.most_ns,
                "most_dirty_bytes": one.dirty.most,
                "most_dirty_ns": one.dirty.most_ns,
                "used_bytes": one.used_bytes(),
                "dirty_bytes": one.dirty_bytes(),
            }
            for name, one in result.curves.items()
        },
        "calls": {"read_bytes": calls.read, "written_bytes": calls.written},
    }
