"""Longer arrays for tables that are full."""

from __future__ import annotations

from array import array
from typing import Any


def grown(old: Any, fill: int) -> array[int]:
    """Return a copy of an array of whole numbers that is twice as long, the rest filled."""
    view = memoryview(old)
    new = array("q" if view.itemsize == 8 else "i", [fill]) * (2 * len(view))
    memoryview(new)[: len(view)] = view
    return new
