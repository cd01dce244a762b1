"""Rows as batches of pyarrow's: columns as they are, with a bit for each value that is present."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from simulator.traces.columns import COLUMNS, schema

if TYPE_CHECKING:
    from simulator.traces.scanner import Follower

WORDS = ("call", "kind", "error", "flags")
"""Columns with few texts, whose dictionary only grows."""


class Batches:
    """The batches of one follower."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._words = dict.fromkeys(WORDS, _texts((0, bytes(4), b"")))

    def next(self) -> pa.RecordBatch | None:
        """Return the oldest rows as a batch, or None: they are kept back, since they may change."""
        ready = self._follower.batch()
        if ready is None:
            return None
        count, columns, names = ready
        for name, known in self._words.items():
            if (more := self._follower.words(name, len(known))) is not None:
                self._words[name] = _texts(more)
        texts = self._words | {name: _texts(some) for name, some in names.items()}
        made = []
        for name, kind in COLUMNS.items():
            values, present = columns[name]
            bits = None if present is None else pa.py_buffer(present)
            form = pa.int64() if kind == "int64" else pa.int32()
            numbers = pa.Array.from_buffers(form, count, [bits, pa.py_buffer(values)])
            if kind == "text":
                numbers = pa.DictionaryArray.from_arrays(numbers, texts[name], safe=False)
            made.append(numbers)
        return pa.RecordBatch.from_arrays(made, schema=schema())


def _texts(some: tuple[int, Any, Any]) -> pa.StringArray:
    """Return texts that stand one after the other; pa.array would import pandas to look at them."""
    count, ends, data = some
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
