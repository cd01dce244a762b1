"""Formulas for the study of merges: bytes over rates, and the seeks counted by the paper.

A merge takes the bytes of the image over the rates of reading and writing, one after the other, and
a positioning for each seek of the paper's equations. With other values it is the authors' own model
(scripts/model.py of their repository), which they did not compare with what they measured.

Not modelled: write-back from memory, and dirty data at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil
from typing import NamedTuple

from ..validation.null_model import NullModel
from .compared import BY_TIMES, Figures, Seconds
from .merges import (
    BLOCK_SLICES,
    BUFFERED,
    CHUNK,
    CHUNKS,
    CLUSTERED,
    IMAGE,
    MEMORY,
    MULTIPLE,
    NAIVE,
    SIDE,
    SLICE,
)
from .runs import ALL, HDD, Cell, name_of


class Rates(NamedTuple):
    """Rates of both disks in MB/s and ms, from benchmarks and data sheets: nothing is fitted."""

    hdd_read: float = 134.0
    hdd_write: float = 134.0
    hdd_seek: float = 12 + 8.33 / 2
    ssd_read: float = 540.0
    ssd_write: float = 230.0
    ssd_seek: float = 0.0


AUTHORS = Rates(145.0, 145.0, 20.0)
"""Rates of the hard disk in the authors' script; it has none of the SSD."""


def seeks(way: str, memory: int) -> int:
    """Return the number of seeks of a merge by the paper's equations; ``memory`` in GB.

    >>> [seeks(*cell) for cell in ((NAIVE, 0), (BUFFERED, 16), (CLUSTERED, 6), (MULTIPLE, 16))]
    [250, 130, 17625, 130]
    """
    size = MEMORY.get(memory, 0)
    if way == NAIVE:
        return 2 * CHUNKS
    if way == BUFFERED:
        return CHUNKS + ceil(IMAGE / size)
    slabs = size // (CHUNK * SIDE**2)
    if way == CLUSTERED:
        rows = size // (CHUNK * SIDE)
        return CHUNKS + (ceil(SIDE / slabs) if slabs else ceil(SIDE / rows) * SIDE * BLOCK_SLICES)
    assert way == MULTIPLE
    if slabs:
        blocks, loads = slabs * SIDE**2, ceil(SIDE / slabs)
        return loads * (blocks + 1) - blocks + SIDE**2 * (SIDE % slabs or slabs)
    return ceil(IMAGE / (size // SLICE * SLICE)) * (SIDE**2 + 1)


def seconds(rates: Rates, *, cell: Cell) -> float:
    """Return the time of a merge or split.

    >>> round(seconds(Rates(), cell=("merge", "hdd", "naive", 0)))
    1221
    """
    _, disk, way, memory = cell
    read, write, seek = rates[:3] if disk == HDD else rates[3:]
    return IMAGE / 1e6 * (1 / read + 1 / write) + seeks(way, memory) * seek / 1e3


def by(rates: Rates) -> Seconds:
    """Return the formulas with changed rates."""

    def time(cell: Cell) -> float:
        return seconds(rates, cell=cell)

    return time


def _claim(rates: Rates, *, of: Callable[[Seconds], Figures]) -> Figures:
    return of(by(rates))


def model() -> NullModel[Rates]:
    """Return the formulas of merges."""
    figures: dict[str, Callable[[Rates], float]] = {
        name_of(cell): partial(seconds, cell=cell) for cell in ALL
    }
    return NullModel(
        study="merge",
        about="bytes over the rates of reading and writing, and a positioning for each seek",
        given="rates of the disk's benchmark and of SSDs' data sheets, seeks of the paper",
        constants=(),
        kind=Rates,
        figures=figures,
        claims={name: partial(_claim, of=of) for name, of in BY_TIMES.items()},
    )
