"""Rows as a batch of pyarrow's: arrays as they are, with a bit for each value that is present."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from simulator.traces.codes import ABSENT, NULL
from simulator.traces.columns import COLUMNS, schema
from simulator.traces.machine import present32, present64

if TYPE_CHECKING:
    from simulator.traces.machine import Names, Rows, Used

ALWAYS = {"pid", "process", "call"}
"""Columns without absent values."""


class Words:
    """A dictionary of a column with few texts, which only grows."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._array = _strings([0], b"", 0)

    def array(self) -> pa.StringArray:
        """Return all texts."""
        if len(self._array) < self.names.count:
            self._array = _strings(self.names.starts, self.names.store, self.names.count)
        return self._array


def record_batch(rows: Rows, words: dict[str, Words]) -> pa.RecordBatch:
    """Return the rows as a batch, and begin a new one."""
    count = rows.count
    texts = {"file": _used(rows.files), "to_file": _used(rows.to_files)}
    columns = []
    for name, column in rows.columns().items():
        kind = COLUMNS[name]
        numbers = _numbers(column, count, name, wide=kind == "int64")
        if kind == "text":
            numbers = _coded(numbers, texts[name] if name in texts else words[name].array())
        columns.append(numbers)
    rows.begin()
    return pa.RecordBatch.from_arrays(columns, schema=schema())


def _numbers(column: Any, count: int, name: str, *, wide: bool) -> pa.Array:
    present = None
    if name not in ALWAYS:
        bits = bytearray((count + 7) // 8)
        whole = (
            present64(column, count, NULL, bits) if wide else present32(column, count, ABSENT, bits)
        )
        present = None if whole else pa.py_buffer(bits)
    return pa.Array.from_buffers(
        pa.int64() if wide else pa.int32(), count, [present, pa.py_buffer(column)]
    )


def _coded(codes: pa.Array, texts: pa.StringArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, texts, safe=False)


def _strings(starts: Any, data: Any, count: int) -> pa.StringArray:
    """Return texts that stand one after the other; pa.array would import pandas to look at them."""
    ends = array("i", starts[: count + 1])
    return pa.StringArray.from_buffers(
        count, pa.py_buffer(ends), pa.py_buffer(bytes(data[: ends[-1]]))
    )


def _used(names: Used) -> pa.StringArray:
    count = names.count
    data = bytearray(names.size() + 1)
    ends = array("i", bytes(4 * (count + 1)))
    names.end_batch(data, memoryview(ends)[1:] if count else ends)
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
