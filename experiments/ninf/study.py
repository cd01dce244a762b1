"""The Ninf study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.study.experiment import Experiment
from simulator.study.ledger import Ledger
from simulator.study.study_file import load_study_file
from simulator.study.work import Work

from .claims import CLAIMS, load, load_peak
from .runs import FEW, MANY, NinfRuns
from .tables import TABLES

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change

NAME = "ninf"
CALLS_ONCE, CALLS_A_RUN = 11_300, 48_000
"""Number of simulated calls of the study: once, and in each run of its cells."""
RUNS = 1
"""Default number of runs per cell: with 24 seeds no verdict depended on the draws."""
ENGINE = "Engine: reference. Numerical servers run on no other."

FIGURES: dict[str, Callable[[NinfRuns], float]] = {
    "cross-sparc": lambda runs: runs.crossover("supersparc", "murata"),
    "cross-alpha-murata": lambda runs: runs.crossover("alpha", "murata"),
    "cross-alpha-original": lambda runs: runs.crossover("alpha", "original"),
    "bandwidth-least": lambda runs: min(one.throughput for one in runs.pairs().values()) / 1e6,
    "bandwidth-most": lambda runs: max(one.throughput for one in runs.pairs().values()) / 1e6,
    "few-most": lambda runs: 100 * max(runs.ratios(FEW).values()),
    "few-least": lambda runs: 100 * min(runs.ratios(FEW).values()),
    "many-most": lambda runs: 100 * max(runs.ratios(MANY).values()),
    "many-least": lambda runs: 100 * min(runs.ratios(MANY).values()),
    "load": lambda runs: load(runs.loaded(16)),
    "load-peak": lambda runs: load_peak(runs.loaded(16)),
}


def start(runs: int | None, seed: int, engine: EngineName, work: Work, change: Change) -> NinfRuns:
    """Return the runs; only the reference engine supports them (see ``studies``)."""
    del engine
    return NinfRuns(load_study_file(NAME), runs or RUNS, seed, work, change)


def _size(runs: int | None) -> float:
    return CALLS_ONCE + (runs or RUNS) * CALLS_A_RUN


def _fitted(_runs: NinfRuns, ledger: Ledger) -> int:
    """Count fitted values; values shared by several services count once."""
    return len({(one["detail"], one["value"]) for one in ledger.calibrated})


def _blocks(runs: NinfRuns, _ledger: Ledger) -> tuple[str, ...]:
    return (*(table(runs) for table in TABLES), ENGINE)


STUDY = Experiment(
    name=NAME,
    start=start,
    size=_size,
    figures=FIGURES,
    claims=CLAIMS,
    blocks=_blocks,
    fitted=_fitted,
)
