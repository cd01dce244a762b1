"""The page-cache study: experiment 1 beside its measured times and three other simulators."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from simulator.study.experiment import Experiment
from simulator.study.work import Work

from .claims import CLAIMS
from .compared import WORKLOADS, counts
from .runs import COUNTS, PHASES, SIZES, PagecacheRuns
from .tables import (
    ablation_table,
    compared_table,
    heart,
    instance_table,
    nighres_table,
    phase_table,
    variants_table,
)

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change
    from simulator.study.ledger import Ledger

NAME = "pagecache"


def _work(_runs: int | None) -> int:
    """Return how many runs the whole study simulates, but for those without a mechanism."""
    once = len(SIZES) + 1
    shown = sum(len({*COUNTS, *counts(experiment)}) for experiment in WORKLOADS)
    fitted = sum(len(counts(experiment)) for experiment in WORKLOADS)
    return once + shown + once + fitted


def start(
    runs: int | None, seed: int, engine: EngineName, work: Work, change: Change
) -> PagecacheRuns:
    """Return the runs; nothing varies, so each is made once, whatever ``runs`` is."""
    del runs, seed
    return PagecacheRuns(engine, work, change)


def _seconds(runs: PagecacheRuns, *, size: int, phase: str) -> float:
    return runs.tasks(size).phases[phase]


FIGURES: dict[str, Callable[[PagecacheRuns], float]] = {
    f"{phase}-{size}": partial(_seconds, size=size, phase=phase)
    for size in SIZES
    for phase in PHASES
}


def _blocks(runs: PagecacheRuns, _ledger: Ledger) -> tuple[str, ...]:
    return (
        phase_table(runs),
        ablation_table(runs),
        *map(partial(instance_table, runs), (2, 3)),
        *map(partial(compared_table, runs), (2, 3)),
        nighres_table(runs),
        variants_table(runs),
    )


STUDY = Experiment(
    name=NAME,
    start=start,
    size=_work,
    figures=FIGURES,
    claims=CLAIMS,
    heart=lambda runs, _ledger: heart(runs),
    blocks=_blocks,
)
