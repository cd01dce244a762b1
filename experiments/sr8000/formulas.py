"""Formulas for the SR8000: rates of processes, capacities, and a lock.

``n`` processes write ``min(n r, C)``: each at ``r`` up to the disks' capacity ``C``. Writes through
a view hold the file's lock: one process writes at a time. Reads through views stream from all
disks. Processes that read by a call for each piece (UT) are in step, so that only the disks of
their current pieces are busy. Units: the write rate of one process, and the read rate of one disk,
by UT.

Not modelled: buffer cache, read-ahead, overhead of calls, seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from ..validation.null_model import Constant, NullModel
from .runs import MOST, OPERATIONS, PROCESSES

Figures: TypeAlias = Mapping[str, float]

BLOCK, PIECE, DISKS = 64, 16, 8
"""KiB of a stripe's block and of a process's piece, and RAID units (paper, 3.1)."""


def disks(processes: int, stripe: int = BLOCK) -> int:
    """Return the number of disks with pieces requested at once by processes in step.

    >>> disks(2), disks(8), disks(8, 16), disks(8, 128)
    (1, 2, 8, 1)
    """
    return min(DISKS, max(1, processes * PIECE // stripe))


class Rates(NamedTuple):
    """Fitted constants, relative to UT: one process when writing, one disk when reading."""

    view: float
    """Rate of one process that writes through a view."""
    reading: float
    """Capacity of all disks for reading."""
    writing: float
    """Capacity of all disks for writing."""

    def of(self, operation: str, interface: str, processes: int, *, lock: bool = True) -> float:
        """Return the rate of some processes together.

        >>> Rates(40, 70, 100).of("read", "fv", 2), Rates(40, 70, 100).of("write", "fv", 8)
        (70, 40)
        """
        if operation == "read":
            return disks(processes) if interface == "ut" else self.reading
        each = 1.0 if interface == "ut" else self.view
        return min((1 if lock and interface == "fv" else processes) * each, self.writing)

    def ratio(self, operation: str, above: str, below: str, processes: int = MOST) -> float:
        """Return the speedup of one interface over another."""
        return self.of(operation, above, processes) / self.of(operation, below, processes)

    def growth(self, operation: str, few: int) -> float:
        """Return the speedup of 8 processes over ``few`` with a view."""
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
    """Pieces are assigned cyclically: of the blocks with 4 pieces 8 processes use every second."""
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
        "write_fv_growth_2_8": rates.growth("write", 2),
    }


def _together(rates: Rates) -> dict[str, float]:
    return {f"read_col_fv_{count}": rates.ratio("read", "col", "fv", count) for count in PROCESSES}


def _c7(rates: Rates) -> Figures:
    return _together(rates) | {"read_lock_s": 0.0}


def _c8(rates: Rates) -> Figures:
    figures = {f"{one}_col_fv": rates.ratio(one, "col", "fv") for one in OPERATIONS}
    return figures | {"read_streaming_fv": rates.reading / rates.of("read", "fv", MOST)}


def _c9(rates: Rates) -> Figures:
    """Sieving also moves the gaps, at the rate of a view; stride I/O does not."""
    useful = {gap: PIECE / (PIECE + gap) for gap in (16, 4096)}
    alone = rates.reading / disks(1)
    figures = {f"sieving_unix_gap_{gap}KiB": alone * share for gap, share in useful.items()}
    return figures | {"sieving_stride_gap_4096KiB": useful[4096]}


def _c11(_rates: Rates) -> Figures:
    """The capacity is that of the file's disks; half a file takes half the time."""
    own, usual, one = (1 / disks(MOST, stripe) for stripe in (16, 64, 128))
    return {
        "read_ut_own_disks": usual / own,
        "read_ut_one_disk_at_a_time": usual / one,
        "read_ut_two_regions": (own / 2 + usual / 2) / ((own + usual) / 2),
        **{f"read_fv_subfiles_{count}": count / DISKS for count in (1, 4)},
    }


def _c13(_rates: Rates) -> Figures:
    return {f"{operation}_calls_offset_seek": 0.5 for operation in OPERATIONS}


def _c14(_rates: Rates) -> Figures:
    """Each file has half of the disks, which are idle while the other is read."""
    return {"files_in_turn_at_once": 2.0}


def model() -> NullModel[Rates]:
    """Return the formulas of the SR8000."""
    return NullModel(
        study="sr8000",
        about="the rate at which one process writes through a view, and the disks' capacity for "
        "reading and for writing, against a call for each piece; n processes write min(n r, C), "
        "under the lock one at a time, and read from the disks on which their pieces lie",
        given="pieces of 16 KiB, blocks of 64 KiB and 8 RAID units",
        constants=(
            Constant("view over UT", 40.0),
            Constant("reading, all disks over UT", 20.0),
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
