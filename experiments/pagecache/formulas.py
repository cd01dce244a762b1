"""Formulas for the page-cache study: bytes over the rates measured by the paper.

The first read takes its size over the disk's rate of reading; all other phases their size over the
memory's rate of writing, since they use fresh pages in memory. With several instances, first reads
share the disk; writes beyond 40 % of the memory go to it. With NFS, link and disk times add up, and
instances share both; written data are in the server's memory.

Not modelled: memory of programs, throttling of writers, and times of write-back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

from simulator.study.study_file import load_study_file

from ..validation.null_model import NullModel
from .claims import MEMORY_RATE
from .compared import EXPERIMENTS, WAYS, counts, percent
from .runs import PHASES, SIZES, STEPS

Figures: TypeAlias = Mapping[str, float]
DISK_RATE = 0.51
"""Measured rate of reading the disk; GB/s."""
DISK_WRITES = 0.42
"""Measured rate of writing the disk; GB/s."""
REMOTE_RATE, REMOTE_WRITES, LINK = 0.515, 0.375, 3.0
"""Measured rates of the remote disk and of the network; GB/s."""
ROOM = 0.4 * 268.4
"""GB of dirty data: the paper's ratio of its memory."""
FILE = 3.0
"""GB of a file of an instance, which reads three and writes three."""
SIZES_OF_STEPS = dict(
    zip(STEPS, (0.2949, 0.3932, 0.1966, 1.3763, 1.9661, 0.8847, 0.3932, 0.7864), strict=True)
)
"""GB of each phase of experiment 4 (table nighres_stats)."""


class Rates(NamedTuple):
    """Measured rates in GB/s: nothing is fitted."""

    disk: float = DISK_RATE
    memory: float = MEMORY_RATE


def _seconds(rates: Rates, *, size: float, phase: str) -> float:
    """Return the time of a phase.

    >>> round(_seconds(Rates(), size=20, phase="read1"), 1)
    39.2
    """
    return size / (rates.disk if phase == "read1" else rates.memory)


def local(rates: Rates, *, count: int, way: str) -> float:
    """Return the time of an instance among a number of them, with files on the local disk; s.

    >>> [round(local(Rates(), count=16, way=way), 1) for way in ("read", "write")]
    [96.3, 87.2]
    """
    if way == "read":
        return count * FILE / rates.disk + 2 * FILE / rates.memory
    written = 3 * FILE
    return max(written / rates.memory, (count * written - ROOM) / DISK_WRITES)


def remote(_rates: Rates, *, count: int, way: str) -> float:
    """Return the time of an instance with files on the server, over the link and from its disk; s.

    >>> [round(remote(Rates(), count=16, way=way), 1) for way in ("read", "write")]
    [141.2, 432.0]
    """
    over = 3 * FILE / LINK
    disk = FILE / REMOTE_RATE if way == "read" else 3 * FILE / REMOTE_WRITES
    return count * (over + disk)


def mean_errors() -> list[float]:
    """Return the mean errors of the formulas, of :data:`EXPERIMENTS`; in %."""
    formulas = model().figures
    errors: dict[str, list[float]] = {name: [] for name in EXPERIMENTS}
    for one in load_study_file("pagecache").figures:
        number = one.ref.removeprefix("exp. ")
        way = "reads" if "-read-" in one.id else "writes"
        assert one.value is not None
        error = formulas[one.id](Rates()) / one.value - 1
        errors[number if number in errors else f"{number}: {way}"].append(error)
    return [percent(some) for some in errors.values()]


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
    for experiment, place, formula in ((2, "local", local), (3, "nfs", remote)):
        for way in WAYS:
            for count in counts(experiment):
                figures[f"{place}-{way}-{count}"] = partial(formula, count=count, way=way)
    for step, size in SIZES_OF_STEPS.items():
        figures[f"nighres-{step}"] = partial(_seconds, size=size, phase=step)
    return NullModel(
        study="pagecache",
        about="the first read at the rate of the disk, all else at that of writing to memory; of "
        "instances first reads share the disk, and what all write beyond 40 % of the memory goes "
        "to it; with NFS the times of link and disk add up",
        given="the rates, as the paper measured them, and the 40 %. That link and disk add up was "
        "chosen having seen the measured times of experiment 3, which the simulator was not built "
        "with; by the slower of both alone 5 of 14 are inside, and not 10",
        constants=(),
        kind=Rates,
        figures=figures,
        claims={"pagecache-c4": _again, "pagecache-c5": _slowed},
        chosen_after=True,
    )
