"""Rows as a batch of pyarrow's: arrays as they are, with a bit for each value that is present."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from simulator.traces.codes import ABSENT, NULL
from simulator.traces.columns import COLUMNS, schema

if TYPE_CHECKING:
    from simulator.traces.names import Names
    from simulator.traces.rows import Rows
    from simulator.traces.used import Used

ALWAYS = {"pid", "process", "call"}
"""Columns without absent values."""


class Words:
    """A dictionary of a column with few texts, which only grows."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._array = _strings([0], b"", 0)

    def array(self) -> pa.StringArray:
        """Give all texts."""
        if len(self._array) < self.names.count:
            self._array = _strings(self.names.starts, self.names.store, self.names.count)
        return self._array


def record_batch(rows: Rows, words: dict[str, Words]) -> pa.RecordBatch:
    """Give the rows as a batch, and begin a new one."""
    count = rows.count
    texts = {"file": _used(rows.files), "to_file": _used(rows.to_files)}
    columns = []
    for name, column in rows.columns().items():
        kind = COLUMNS[name]
        numbers = np.frombuffer(column, np.int64 if kind == "int64" else np.int32)[:count]
        if kind != "text":
            columns.append(_numbers(numbers, name))
        else:
            dictionary = texts[name] if name in texts else words[name].array()
            columns.append(_coded(_numbers(numbers, name), dictionary))
    rows.begin()
    return pa.RecordBatch.from_arrays(columns, schema=schema())


def _numbers(numbers: np.ndarray[Any, Any], name: str) -> pa.Array:
    wide = numbers.dtype == np.int64
    present = None
    if name not in ALWAYS:
        there = numbers != (NULL if wide else ABSENT)
        if not there.all():
            present = pa.py_buffer(np.packbits(there, bitorder="little"))
    kind = pa.int64() if wide else pa.int32()
    return pa.Array.from_buffers(kind, len(numbers), [present, pa.py_buffer(numbers)])


def _coded(codes: pa.Array, texts: pa.StringArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, texts, safe=False)


def _strings(starts: Any, data: Any, count: int) -> pa.StringArray:
    """Give texts that stand one after the other; pa.array would import pandas to look at them."""
    ends = np.array(starts[: count + 1], np.int32)
    text = bytes(data[: ends[-1]])
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(text))


def _used(names: Used) -> pa.StringArray:
    count = names.count
    data = np.empty(names.size() + 1, np.uint8)
    ends = np.zeros(count + 1, np.int32)
    names.end_batch(data, ends[1:] if count else ends)
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
