"""Columns of a store of calls as numbers."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow

    Numbers = np.ndarray[Any, Any]


class Codes:
    """Texts by number, over batches that each have a dictionary of their own."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self._last: tuple[Any, Numbers] | None = None

    def of(self, column: pyarrow.DictionaryArray) -> Numbers:
        """The numbers of a column's values; -1 for null."""
        dictionary = column.dictionary
        if self._last is None or not self._last[0].equals(dictionary):
            known = self.number
            map_ = [known.setdefault(text, len(known)) for text in dictionary.to_pylist()]
            self._last = dictionary, np.array([*map_, -1], np.int32)
        indices = filled(column.indices, -1)
        found: Numbers = self._last[1][indices]
        return found

    def among(self, numbers: Numbers, *some: Container[str], null: bool = False) -> Numbers:
        """Return which numbers are of texts that one of ``some`` has; ``null``: of no text."""
        there = [any(text in one for one in some) for text in self.number]
        found: Numbers = np.array([*there, null])[numbers]
        return found

    def having(self, numbers: Numbers, *words: str) -> Numbers:
        """Return which numbers are of texts that have one of some words, divided by ``|``."""
        there = [not {*words}.isdisjoint(text.split("|")) for text in self.number]
        found: Numbers = np.array([*there, False])[numbers]
        return found

    def matching(self, numbers: Numbers, pattern: str) -> Numbers:
        """Return which numbers are of texts in which a regular expression is found."""
        there = [re.search(pattern, text) is not None for text in self.number]
        found: Numbers = np.array([*there, False])[numbers]
        return found

    @property
    def texts(self) -> list[str]:
        """The texts, by number."""
        return list(self.number)


def filled(column: pyarrow.Array, null: int) -> Numbers:
    """The numbers of a column, with a number in place of null."""
    numbers: Numbers = column.fill_null(null).to_numpy(zero_copy_only=False)
    return numbers
