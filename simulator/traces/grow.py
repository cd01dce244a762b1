"""Longer arrays for tables that are full."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np


def grown(old: Any, fill: int) -> array[int]:
    """Give a copy of an array of 64-bit numbers that is twice as long, the rest filled."""
    new = array("q", [fill]) * (2 * len(old))
    np.frombuffer(new, np.int64)[: len(old)] = np.asarray(old)
    return new
