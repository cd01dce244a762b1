"""Bytes that a rank moved in bins of time, as Darshan's HEATMAP counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import Numbers

Seconds = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Bins:
    """Bytes read and written by a rank in bins of equal width from the begin of the job."""

    width_s: float
    read: Sequence[int]
    write: Sequence[int]


class Heat:
    """Bytes in bins of time of all ranks that have them, a row each."""

    def __init__(self, heat: Mapping[int, Bins], processes: int) -> None:
        self.row = np.full(max(processes, *(one + 1 for one in heat), 1), -1)
        """The row of each rank; -1: it has none."""
        self.row[[*heat]] = np.arange(len(heat))
        self.width: Seconds = np.array([one.width_s for one in heat.values()])
        self.moved = {
            way: _matrix([getattr(one, way.lower()) for one in heat.values()])
            for way in ("READ", "WRITE")
        }

    def span(self, ranks: Numbers, way: str) -> tuple[Seconds, Seconds]:
        """Return when the first and the last bin with bytes begins and ends; NaN: none has."""
        rows = self.row[ranks]
        used = self.moved[way][rows] > 0
        found = used.any(axis=1) & (rows >= 0)
        width = np.where(found, self.width[rows], np.nan)
        last = used.shape[1] - np.argmax(used[:, ::-1], axis=1)
        return width * np.argmax(used, axis=1), width * last

    def begins(
        self, ranks: Numbers, way: str, before: Seconds, owner: Numbers, low: Seconds, high: Seconds
    ) -> Seconds:
        """Return when calls begin, so that each rank moves its bytes in time as its bins say.

        ``before``: the part of all bytes of its rank that is moved before each call, from 0 to 1;
        ``owner``: the number of its rank; ``low`` and ``high``: when the first call of each rank
        begins and the last one ends. NaN for calls of ranks without bytes in between.

        >>> heat = Heat({0: Bins(1.0, [], [30, 0, 10])}, 1)
        >>> heat.begins(
        ...     np.array([0]), "WRITE", np.array([0, 0.5, 0.75, 0.9]), np.zeros(4, int),
        ...     np.array([0.0]), np.array([3.0]),
        ... ).round(2)
        array([0.  , 0.67, 2.  , 2.6 ])
        """
        rows = self.row[ranks]
        moved, width = self.moved[way][rows].astype(np.float64), self.width[rows][:, None]
        edges = np.arange(moved.shape[1] + 1) * width
        low, high = low[:, None], high[:, None]
        inside = np.minimum(edges[:, 1:], high) - np.maximum(edges[:, :-1], low)
        moved *= np.clip(inside / width, 0.0, 1.0)
        sums = moved.sum(axis=1)
        none = (sums <= 0) | (rows < 0)
        last = moved.shape[1] - 1 - np.argmax(moved[:, ::-1] > 0, axis=1)
        share = np.zeros(edges.shape)
        np.cumsum(moved / np.where(none, 1.0, sums)[:, None], axis=1, out=share[:, 1:])
        places = np.clip(edges, low, high)
        # Each rank has numbers of its own, from twice its number to one more.
        flat = (share.clip(0.0, 1.0) + 2 * np.arange(len(rows))[:, None]).ravel()
        one = np.searchsorted(flat, before + 2 * owner, side="right") - 1 - owner * edges.shape[1]
        one = np.clip(one, 0, last[owner])
        wide = np.maximum(share[owner, one + 1] - share[owner, one], np.finfo(float).tiny)
        begin = places[owner, one]
        found = begin + (before - share[owner, one]) / wide * (places[owner, one + 1] - begin)
        return np.where(none[owner], np.nan, found)


def _matrix(rows: Sequence[Sequence[int]]) -> Numbers:
    """Return rows of unlike lengths as a matrix, with zeros behind."""
    found = np.zeros((len(rows), max(1, *map(len, rows), 1)), np.int64)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found
