"""The study of merges: an image of 82 GB from 125 chunks on a hard disk and on an SSD."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simulator.study.experiment import Experiment
from simulator.study.work import Work

from .claims import CLAIMS
from .runs import ALL, SERIES, MergeRuns, name_of
from .tables import error_table, heart, time_table

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change
    from simulator.study.ledger import Ledger

NAME = "merge"


def start(runs: int | None, seed: int, engine: EngineName, work: Work, change: Change) -> MergeRuns:
    """Return the runs; they are deterministic, so each is made once, for any ``runs``."""
    del runs, seed
    return MergeRuns(engine, work, change)


FIGURES: dict[str, Callable[[MergeRuns], float]] = {
    name_of(cell): partial(MergeRuns.seconds, cell=cell) for cell in ALL
}


def _complete(_runs: MergeRuns, ledger: Ledger) -> Ledger:
    """Return the ledger with the dates at which its numbers were read."""
    said = "All were read after machine, programs and the rules of the claims had been frozen."
    return replace(ledger, details=said)


def _blocks(runs: MergeRuns, _ledger: Ledger) -> tuple[str, ...]:
    return (error_table(runs), *(time_table(runs, *series) for series in SERIES))


STUDY = Experiment(
    name=NAME,
    start=start,
    size=lambda _runs: len(ALL),
    figures=FIGURES,
    claims=CLAIMS,
    heart=lambda runs, _ledger: heart(runs),
    complete=_complete,
    blocks=_blocks,
)
