"""The Orion study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.study.experiment import Experiment
from simulator.study.ledger import Ledger
from simulator.study.work import Work

from .claims import CLAIMS
from .laws import LAW_RUNS
from .runs import OrionRuns
from .tables import law_table, loop_table, poll_table, solver_table

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change

NAME = "orion"
RUNS_ONCE, RUNS_OF_EACH, RUNS_OF_LAWS = 141, 49, 114
"""Simulated runs: once, for each repetition, and for each repetition of the laws of overhead."""
RUNS = 10
"""Default number of runs of each setting on several nodes."""

FIGURES: dict[str, Callable[[OrionRuns], float]] = {
    "paging-1-node": lambda runs: runs.paging_begins(1),
    "speedup-200000": lambda runs: runs.speedup(447),
    "break-even": OrionRuns.break_even,
    "best-interval": OrionRuns.best_interval_ms,
}


def start(runs: int | None, seed: int, engine: EngineName, work: Work, change: Change) -> OrionRuns:
    """Return the runs; only the reference engine supports them (see ``studies``)."""
    del engine
    return OrionRuns(runs or RUNS, seed, work, change)


def _size(runs: int | None) -> float:
    count = runs or RUNS
    return RUNS_ONCE + count * RUNS_OF_EACH + min(count, LAW_RUNS) * RUNS_OF_LAWS


def _blocks(runs: OrionRuns, _ledger: Ledger) -> tuple[str, ...]:
    return tuple(table(runs) for table in (loop_table, poll_table, law_table, solver_table))


STUDY = Experiment(
    name=NAME, start=start, size=_size, figures=FIGURES, claims=CLAIMS, blocks=_blocks
)
