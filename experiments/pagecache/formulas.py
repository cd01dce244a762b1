"""The page-cache study without a machine: bytes over the rates that the paper measured.

The first read takes its size over the disk's rate of reading; everything else its size over the
memory's rate of writing, for it goes to or comes from memory, into fresh pages.

Not modelled: how much is dirty, what is held, and that writers are slowed down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

from ..validation.null_model import NullModel
from .claims import MEMORY_RATE
from .runs import PHASES, SIZES

Figures: TypeAlias = Mapping[str, float]
DISK_RATE = 0.51
"""GB/s: the measured rate of reading the disk."""


class Rates(NamedTuple):
    """GB/s, as measured: nothing is fitted."""

    disk: float = DISK_RATE
    memory: float = MEMORY_RATE


def _seconds(rates: Rates, *, size: int, phase: str) -> float:
    """Return the time of a phase.

    >>> round(_seconds(Rates(), size=20, phase="read1"), 1)
    39.2
    """
    return size / (rates.disk if phase == "read1" else rates.memory)


def _again(rates: Rates) -> Figures:
    return {f"of_the_first_at_{size}": rates.disk / rates.memory for size in SIZES}


def _slowed(_rates: Rates) -> Figures:
    return {f"rate_at_{size}": 1.0 for size in SIZES}


def model() -> NullModel[Rates]:
    """Return the formulas of the page cache."""
    figures: dict[str, Callable[[Rates], float]] = {
        f"{phase}-{size}": partial(_seconds, size=size, phase=phase)
        for size in SIZES
        for phase in PHASES
    }
    return NullModel(
        study="pagecache",
        about="the first read at the rate of the disk, all else at that of writing to memory",
        given="the two rates, as the paper measured them",
        constants=(),
        kind=Rates,
        figures=figures,
        claims={"pagecache-c4": _again, "pagecache-c5": _slowed},
    )
