"""Columns of a store of calls as arrays of numbers, batch by batch."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.columns import COLUMNS

if TYPE_CHECKING:
    import pyarrow

Numbers = np.ndarray[Any, Any]
CODES = {"b": np.int8, "i": np.int32, "q": np.int64}
"""Types of numbers by the codes of Python's arrays."""
TEXTS = tuple(name for name, kind in COLUMNS.items() if kind == "text")


class Codes:
    """Texts by number, over batches that each have a dictionary of their own."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self._last: tuple[Any, Numbers] | None = None

    def of(self, column: pyarrow.DictionaryArray) -> Numbers:
        """Return the numbers of a column's values; -1 for null."""
        dictionary = column.dictionary
        if self._last is None or not self._last[0].equals(dictionary):
            known = self.number
            map_ = [known.setdefault(text, len(known)) for text in dictionary.to_pylist()]
            self._last = dictionary, np.array([*map_, -1], np.int32)
        return np.asarray(self._last[1][filled(column.indices, -1)])

    def where(
        self, numbers: Numbers, holds: Callable[[str], bool], *, null: bool = False
    ) -> Numbers:
        """Return which numbers are of texts for which ``holds``; ``null``: or of no text."""
        return np.asarray(np.array([*map(holds, self.number), null])[numbers])

    def among(self, numbers: Numbers, *some: Container[str], null: bool = False) -> Numbers:
        """Return which numbers are of texts that one of ``some`` has; ``null``: of no text."""
        return self.where(numbers, lambda text: any(text in one for one in some), null=null)

    @property
    def texts(self) -> list[str]:
        """The texts, by number."""
        return list(self.number)


class Batch:
    """A batch of calls; each column is converted once, when it is first used."""

    def __init__(self, batch: pyarrow.RecordBatch, codes: dict[str, Codes], before: int) -> None:
        """``codes``: of each column of texts; ``before``: the number of calls before the batch."""
        self._batch, self._codes = batch, codes
        self._numbers: dict[str, Numbers] = {}
        self.order: Numbers = 2 * (before + np.arange(batch.num_rows, dtype=np.int64))
        """Even numbers, so that a second row of a call has a place behind the first."""
        self.process = self.numbers("process", 0)
        self.begin = self.numbers("time_ns", 0)
        self.duration = self.numbers("duration_ns", -1)
        self.took: Numbers = np.maximum(self.duration, 0)
        self.end: Numbers = self.begin + self.took
        self.returned = self.numbers("returned", -1)

    def numbers(self, name: str, null: int) -> Numbers:
        """Return a column of numbers, with a number in place of null."""
        return filled(self._batch.column(name), null).astype(np.int64, copy=False)

    def codes(self, name: str) -> Numbers:
        """Return the numbers of a column's texts; -1 for null."""
        if name not in self._numbers:
            self._numbers[name] = self._codes[name].of(self._batch.column(name))
        return self._numbers[name]

    def is_null(self, name: str) -> bool:
        """Return whether a column has nothing in it."""
        return bool(self._batch.column(name).null_count == len(self.order))

    def called(self, *some: Container[str]) -> Numbers:
        """Return which calls have one of some names."""
        return self._codes["call"].among(self.codes("call"), *some)

    def of_kind(self, *kinds: str, null: bool = False) -> Numbers:
        """Return which calls are on files of some kinds; ``null``: also on those of no kind."""
        return self._codes["kind"].among(self.codes("kind"), kinds, null=null)

    def failed_with(self, errors: Container[str]) -> Numbers:
        """Return which calls failed with one of some errors."""
        return self._codes["error"].among(self.codes("error"), errors)

    def flagged(self, *words: str) -> Numbers:
        """Return which calls have one of some flags."""
        return self._codes["flags"].where(
            self.codes("flags"), lambda text: not {*words}.isdisjoint(text.split("|"))
        )

    @cached_property
    def offset(self) -> Numbers:
        """Offsets of calls; -1 for none."""
        return self.numbers("offset", -1)


def filled(column: pyarrow.Array, null: int) -> Numbers:
    """Return the numbers of a column, with a number in place of null."""
    return np.asarray(column.fill_null(null).to_numpy(zero_copy_only=False))


def in_order(process: Numbers) -> Numbers:
    """Return the places of calls in the order of their processes."""
    if (process[1:] >= process[:-1]).all():
        return np.arange(len(process))
    small = process.max() < 2**16  # Then numpy sorts digit by digit.
    return np.argsort(process.astype(np.uint16) if small else process, kind="stable")


def starts_of(ordered: Numbers) -> Numbers:
    """Return where each run of equal numbers (from 0 on) begins."""
    return np.flatnonzero(np.diff(ordered, prepend=-1))


def grown(known: Numbers, many: int, fill: float) -> Numbers:
    """Return an array of at least so many numbers; those that it lacks are ``fill``."""
    more = np.full(max(many - len(known), 0), fill, known.dtype)
    return np.concatenate([known, more]) if len(more) else known


def view_of(cells: array[int]) -> Numbers:
    """Return an array of Python's as one of NumPy's, without a copy."""
    kind = CODES[cells.typecode]
    return np.frombuffer(cells, kind) if len(cells) else np.zeros(0, kind)


def cells_of(code: str, numbers: Numbers) -> array[int]:
    """Return numbers as an array of Python's with a type code."""
    cells = array(code)
    cells.frombytes(np.ascontiguousarray(numbers, CODES[code]).view(np.uint8).data)
    return cells
