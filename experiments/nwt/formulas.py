"""Formulas for the cells of the NWT's tables.

Six numbers: a time per byte for reading, for reading in a parallel job and for writing with the
length predicted; a time for each buffer in these cells; and a constant rate for writing with the
length rewritten: one for a file of 512 MB written in buffers of 8 MB, one for all others.

Not modelled: any mechanism. The formulas do not extrapolate to other groups of cells, write buffers
or record lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias

from simulator.run import load_plan
from simulator.study.study_file import load_study

from ..validation.null_model import Constant, Datum, NullFit, NullModel, fit
from .claims import OF_RATES, READS, REWRITTEN, Rates

if TYPE_CHECKING:
    from simulator.study.study_file import Cell

Values: TypeAlias = Sequence[float]
Figures: TypeAlias = Mapping[str, float]

UNIT = 8_000_000
"""Buffer size that writes whole units of the SSU."""
LARGE = 200_000_000
"""Size of a file above which that buffer has the slow rate. (The paper has 120 MB and 512 MB.)"""
BUFFER = "time for each buffer, ns"
_TIMES = ("read", "read in parallel", "write, predicted")
_RATES = ("write", "write, 512 MB and 8 MB")
NAMES = (
    *(f"{one}, ns for each byte" for one in _TIMES),
    BUFFER,
    *(f"{one}, MB/s" for one in _RATES),
)
_STARTS = (5.0, 10.0, 15.0, 2e6, 15.0, 10.0)
CONSTANTS = tuple(Constant(*one) for one in zip(NAMES, _STARTS, strict=True))
ARRAY, DISK, PATHS = 36.0, 4.5, 20
"""MB/s of the array and of a plain disk, and the paths to such disks (paper, 2.1)."""
LAN = 1.25
"""MB/s of 10 Mbit/s; assumed, as for the simulator."""


@dataclass(frozen=True, slots=True)
class Group:
    """Properties of a cell used by the formulas."""

    name: str
    """Name of its time or rate."""
    size: int
    """Bytes of the file's data."""
    buffer: int
    """Bytes."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """Positions in ``NAMES`` of the numbers that determine its rate."""
        if self.name in _TIMES:
            return _TIMES.index(self.name), len(_TIMES)
        return (len(_TIMES) + 1 + _RATES.index(self.name),)

    def rate(self, values: Sequence[float]) -> float:
        """Return its rate in MB/s.

        >>> Group("read", 8_000_000, 8_000_000).rate([1.0, 0, 0, 8e6, 0, 0])  # 8 ms and 8 ms
        500.0
        """
        if self.name in _RATES:
            return values[self.numbers[0]]
        buffers = math.ceil(self.size / self.buffer)
        time, each = (values[i] for i in self.numbers)
        return self.size * 1000 / (self.size * time + buffers * each)


def group_of(machine: str, cell: Cell) -> Group:
    """Return the group of a cell, from its workload and settings."""
    return _group(machine, cell.workload, cell.settings)


@cache
def _group(machine: str, workload: str, settings: tuple[tuple[str, str], ...]) -> Group:
    (process,) = load_plan(machine, workload, settings=settings).processes
    (phase,) = process.phases
    assert phase.lengths is not None
    lengths = phase.lengths
    size = sum(map(lengths.length, range(lengths.count)))
    if not phase.write:
        name = "read" if process.nodes == 1 else "read in parallel"
    elif phase.policy == "nwt-predicted":
        name = "write, predicted"
    else:
        name = _RATES[phase.buffer == UNIT and size > LARGE]
    return Group(name, size, phase.buffer)


def datum_of(machine: str, cell: Cell) -> Datum:
    """Return a cell with its formula; the rate is in MB/s."""
    return Datum(cell.id, cell.mean, cell.low, cell.high, group_of(machine, cell).rate)


def fit_null(machine: str, cells: Sequence[Cell], held_out: Sequence[Cell] = ()) -> NullFit:
    """Fit the six numbers to the means of cells, and predict each cell by the others."""
    data, others = ([datum_of(machine, one) for one in some] for some in (cells, held_out))
    return fit(CONSTANTS, data, others)


# -- claims -------------------------------------------------------------------------------------


def _rates(values: Values) -> dict[str, float]:
    """Return MB/s of each cell by its id."""
    study = load_study("nwt")
    return {one.id: group_of(study.machine, one).rate(values) for one in study.cells}


@dataclass(frozen=True, slots=True)
class CellRates:
    """Rates of cells by the formulas, in the form of runs' rates."""

    values: Values

    def rates(self, name: str, *_settings: tuple[str, str]) -> list[float]:
        """Return the MB/s of a cell, as one run."""
        return [_rates(self.values)[name]]


def _of_rates(claim: Callable[[Rates], Figures], values: Values) -> Figures:
    return claim(CellRates(values))


def _c1(values: Values) -> Figures:
    rates = _rates(values)
    return {"slowest_run_MBps": min(rates[one] for one in READS), "array_MBps": ARRAY}


def _c6(values: Values) -> Figures:
    rates = _rates(values)
    rewritten = [rates[one] for one in REWRITTEN]
    return {
        "fastest_run_rewritten_MBps": max(rewritten),
        "slowest_run_rewritten_MBps": min(rewritten),
        "array_MBps": ARRAY,
        "disk_MBps": DISK,
    }


def _c11(values: Values) -> Figures:
    """SVIO writes at the rate of the tables' job with the predicted length; NFS shares the LAN."""
    svio = _rates(values)["write-120MB-600kB-predicted"]
    return {f"nfs_over_svio_{n}_others": svio / (LAN / (1 + n)) for n in (0, 1, 2, 4)}


def _c12(_values: Values) -> Figures:
    """The LAN is shared equally with other users; SVIO does not use it while the job runs."""
    nfs = {f"nfs_{others}_others_over_quiet": 1.0 + others for others in (1, 4)}
    return nfs | {f"svio_{others}_others_over_quiet": 1.0 for others in (1, 2, 4)}


def _c14(_values: Values) -> Figures:
    return {"array_over_ufs_64MB": ARRAY / DISK, "striped_over_ufs_64MB": float(PATHS)}


def model() -> NullModel[Values]:
    """Return the formulas of the NWT."""
    study = load_study("nwt")

    def rate(cell: Cell, values: Values) -> float:
        return group_of(study.machine, cell).rate(values)

    return NullModel(
        study="nwt",
        about="three times for each byte, one time for each buffer, and two constant rates of "
        "output",
        given="the array's 36 MB/s, the disks' 4.5 MB/s and the 20 paths to them, and, as in the "
        "simulator, a LAN of 10 Mbit/s",
        constants=CONSTANTS,
        kind=lambda *values: values,
        figures={one.id: partial(rate, one) for one in study.cells},
        claims={
            **{claim: partial(_of_rates, of) for claim, of in OF_RATES.items()},
            "nwt-c1": _c1,
            "nwt-c6": _c6,
            "nwt-c11": _c11,
            "nwt-c12": _c12,
            "nwt-c14": _c14,
        },
    )
