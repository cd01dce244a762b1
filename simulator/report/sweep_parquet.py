"""The rows of a sweep as a Parquet file: the columns of points.csv, with their types."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.output import placing
from simulator.result.totals import COUNTERS
from simulator.study.folder import PARQUET
from simulator.study.point import columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.study.grid import Sweep
    from simulator.study.sweep import Swept

AT_ONCE = 10_000
"""Rows in memory."""
_WORDS = {"bottleneck", "limit", "limit_kind", "digest"}
_WHOLE = {"elapsed_ns", "end_ns", *COUNTERS}


def write_parquet(swept: Swept, folder: Path) -> None:
    """Write the rows in groups; what a point has none of is null."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = columns_of(swept.sweep)
    schema = pa.schema([(name, _type(pa, swept.sweep, name)) for name in columns])
    rows = iter(swept.rows)
    with placing(folder / PARQUET) as part, parquet.ParquetWriter(part, schema) as writer:
        while some := list(itertools.islice(rows, AT_ONCE)):
            arrays = [pa.array(_column(some, name), schema.field(name).type) for name in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _column(rows: Sequence[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


def _type(pa: Any, sweep: Sweep, name: str) -> Any:
    """Return the type of a column: text, a whole number, or any number."""
    if name in _WORDS:
        return pa.string()
    for axis in sweep.axes:
        numbers = axis.numbers
        if name == axis.name and (axis.column or numbers is None):
            return pa.string()
        if name in (axis.name, axis.column) and numbers is not None:
            whole = all(isinstance(one, int) for one in numbers)
            return pa.int64() if whole else pa.float64()
    return pa.int64() if name in _WHOLE else pa.float64()
