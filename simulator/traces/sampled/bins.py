"""Bytes that a rank moved in bins of time, as Darshan's HEATMAP counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Seconds = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Bins:
    """Bytes read and written by a rank in bins of equal width from the begin of the job."""

    width_s: float
    read: Sequence[int]
    write: Sequence[int]

    def begins(self, way: str, before: Any, low: float, high: float) -> Seconds | None:
        """Return when calls begin, so that bytes are moved in time as the bins say.

        ``before``: the part of all bytes that is moved before each call, from 0 to 1; ``low`` and
        ``high``: when the first call begins and the last one ends. None: no bytes in between.

        >>> Bins(1.0, [], [30, 0, 10]).begins("WRITE", [0, 0.5, 0.75, 0.9], 0.0, 3.0).round(2)
        array([0.  , 0.67, 2.  , 2.6 ])
        """
        moved = np.asarray(self.read if way == "READ" else self.write, np.float64)
        edges = np.arange(len(moved) + 1) * self.width_s
        inside = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
        moved = moved * np.clip(inside / self.width_s, 0.0, 1.0)
        if not moved.sum() > 0:
            return None
        share = np.concatenate([np.zeros(1), np.cumsum(moved) / moved.sum()])
        places = np.clip(edges, low, high)
        last = int(np.flatnonzero(moved)[-1])
        part = np.asarray(before, np.float64)
        one = np.clip(np.searchsorted(share, part, side="right") - 1, 0, last)
        width = np.maximum(share[one + 1] - share[one], np.finfo(float).tiny)
        found = places[one] + (part - share[one]) / width * (places[one + 1] - places[one])
        return np.asarray(found, np.float64)

    def span(self, way: str) -> tuple[float, float] | None:
        """Return when the first and the last bin with bytes begins and ends; None: none has."""
        used = np.flatnonzero(self.read if way == "READ" else self.write)
        if not len(used):
            return None
        return float(used[0] * self.width_s), float((used[-1] + 1) * self.width_s)
