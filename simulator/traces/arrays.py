"""Arrays as the compiled modules declare them, and longer ones for tables that are full."""

from __future__ import annotations

from array import array
from collections.abc import MutableSequence, Sequence
from typing import Any, TypeAlias

Bytes: TypeAlias = Sequence[int]
"""Bytes that are only read."""
Buffer: TypeAlias = Any
"""Bytes that are written."""
Ints: TypeAlias = Any
"""Numbers of 32 bits."""
Longs: TypeAlias = MutableSequence[int]
"""Numbers of 64 bits."""


def grown(old: Any, fill: int) -> array[int]:
    """Return a copy of an array of whole numbers that is twice as long, the rest filled."""
    view = memoryview(old)
    new = array("q" if view.itemsize == 8 else "i", [fill]) * (2 * len(view))
    memoryview(new)[: len(view)] = view
    return new
