"""The SR8000 without a machine: rates of processes, capacities, and a lock.

Rates are in units of one process that calls for each piece (UT). ``n`` processes together get
``min(n r, C)``: each moves ``r`` as long as the disks' capacity ``C`` allows, which differs for
reading and writing. Writes through a view hold the file's lock: one process writes at a time.

Not modelled: buffer cache, read-ahead, where data lie, what a call costs beside its data, seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from simulator.study.null_model import Constant, NullModel
from simulator.study.sr8000_runs import MOST, OPERATIONS, PROCESSES

Figures: TypeAlias = Mapping[str, float]

BLOCK, PIECE = 64, 16
"""KiB of a stripe's block and of a process's piece (paper, 3.1)."""


class Rates(NamedTuple):
    """What is fitted, in units of one process that calls for each piece."""

    view: float
    """Of one process that uses a view."""
    reading: float
    """Capacity of all disks for reading."""
    writing: float
    """Capacity of all disks for writing."""

    def of(self, operation: str, interface: str, processes: int, *, lock: bool = True) -> float:
        """Return the rate of some processes together.

        >>> Rates(40, 70, 100).of("read", "fv", 2), Rates(40, 70, 100).of("write", "fv", 8)
        (70, 40)
        """
        capacity = self.reading if operation == "read" else self.writing
        each = 1.0 if interface == "ut" else self.view
        if lock and (operation, interface) == ("write", "fv"):
            processes = 1
        return min(processes * each, capacity)

    def ratio(self, operation: str, above: str, below: str, processes: int = MOST) -> float:
        """Return how many times as fast one interface is as another."""
        return self.of(operation, above, processes) / self.of(operation, below, processes)

    def growth(self, operation: str, few: int) -> float:
        """Return how many times as fast 8 processes are with a view as ``few``."""
        return self.of(operation, "fv", MOST) / self.of(operation, "fv", few)


def _c1(rates: Rates) -> Figures:
    return {
        f"{operation}_fv_ut_{count}": rates.ratio(operation, "fv", "ut", count)
        for operation in OPERATIONS
        for count in PROCESSES
    }


def _c3(rates: Rates) -> Figures:
    return {
        "read_fv_growth_2_8": rates.growth("read", 2),
        "read_fv_growth_4_8": rates.growth("read", 4),
        "write_fv_growth_2_8": rates.growth("write", 2),
    }


def _c3_write(rates: Rates) -> Figures:
    ratio = rates.ratio("write", "fv", "ut", 2)
    return {"write_fv_growth_2_8": rates.growth("write", 2), "write_fv_ut_2": ratio}


def _c4(_rates: Rates) -> Figures:
    """Pieces go round the processes: of the blocks with 4 pieces 8 touch every second."""
    shares = {count: min(1.0, BLOCK / PIECE / count) for count in PROCESSES}
    ends = ("least", "most")
    return {f"share_touched_{n}_{end}": share for n, share in shares.items() for end in ends}


def _c6(rates: Rates) -> Figures:
    """Of 8 processes under the lock 7 wait, until the last has written alone."""
    free = rates.of("write", "fv", MOST, lock=False)
    return {
        "write_fv_lock_share": sum(range(MOST)) / sum(range(1, MOST + 1)),
        "write_ut_lock_share": 0.0,
        "write_col_lock_share": 0.0,
        "write_fv_without_lock_fv": free / rates.of("write", "fv", MOST),
        "write_col_fv_without_lock": rates.of("write", "col", MOST) / free,
        "write_col_fv": rates.ratio("write", "col", "fv"),
    }


def _together(rates: Rates) -> dict[str, float]:
    return {f"read_col_fv_{count}": rates.ratio("read", "col", "fv", count) for count in PROCESSES}


def _c7(rates: Rates) -> Figures:
    return _together(rates) | {"read_lock_s": 0.0}


def _c8(rates: Rates) -> Figures:
    figures = {f"{one}_col_fv": rates.ratio(one, "col", "fv") for one in OPERATIONS}
    return figures | {"read_streaming_fv": rates.reading / rates.of("read", "fv", MOST)}


def _c9(rates: Rates) -> Figures:
    """Sieving moves the gaps too, at the rate of a view; so does stride I/O without the gaps."""
    useful = {gap: PIECE / (PIECE + gap) for gap in (16, 4096)}
    alone = rates.of("read", "fv", 1)
    figures = {f"sieving_unix_gap_{gap}KiB": alone * share for gap, share in useful.items()}
    return figures | {"sieving_stride_gap_4096KiB": useful[4096]}


def _c11(rates: Rates) -> Figures:
    """The capacity is that of the disks that a file is on."""
    whole = rates.of("read", "fv", MOST)
    return {
        f"read_fv_subfiles_{count}": min(MOST * rates.view, rates.reading * count / MOST) / whole
        for count in (1, 4)
    }


def _c13(_rates: Rates) -> Figures:
    return {f"{operation}_calls_offset_seek": 0.5 for operation in OPERATIONS}


def _c14(_rates: Rates) -> Figures:
    """Each file has half of the disks, which rest while the other is read."""
    return {"files_in_turn_at_once": 2.0}


def model() -> NullModel[Rates]:
    """Return the formulas of the SR8000."""
    return NullModel(
        study="sr8000",
        about="the rate of one process with a view, against one that calls for each piece, and the "
        "disks' capacity for reading and for writing; n processes get min(n r, C), and under the "
        "lock one writes at a time",
        given="pieces of 16 KiB and blocks of 64 KiB",
        constants=(
            Constant("view over UT", 40.0),
            Constant("reading, all disks over UT", 100.0),
            Constant("writing, all disks over UT", 100.0),
        ),
        kind=Rates,
        figures={
            "write-fv-ut": lambda rates: rates.ratio("write", "fv", "ut"),
            "write-col-fv": lambda rates: rates.ratio("write", "col", "fv"),
            "write-col-ut": lambda rates: rates.ratio("write", "col", "ut"),
            "read-fv-ut": lambda rates: rates.ratio("read", "fv", "ut"),
        },
        claims={
            "sr-c1": _c1,
            "sr-c3": _c3,
            "sr-c3-write": _c3_write,
            "sr-c4": _c4,
            "sr-c6": _c6,
            "sr-c7": _c7,
            "sr-c7-trend": _together,
            "sr-c8": _c8,
            "sr-c9": _c9,
            "sr-c11": _c11,
            "sr-c13": _c13,
            "sr-c14": _c14,
        },
    )
