"""The page-cache study: four experiments, measured and by several simulators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simulator.study.experiment import Experiment
from simulator.study.work import Work

from .claims import CLAIMS
from .compared import WAYS, WORKLOADS, counts, of_instances
from .runs import COUNTS, PHASES, SIZES, STEPS, PagecacheRuns
from .tables import (
    ablation_table,
    compared_table,
    heart,
    held_out_of,
    inside_of,
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
    """Return the number of simulated runs of the study, without those of ablated mechanisms."""
    once = len(SIZES) + 1
    shown = sum(len({*COUNTS, *counts(experiment)}) for experiment in WORKLOADS)
    fitted = sum(len(counts(experiment)) for experiment in WORKLOADS)
    return once + shown + once + fitted


def start(
    runs: int | None, seed: int, engine: EngineName, work: Work, change: Change
) -> PagecacheRuns:
    """Return the runs; they are deterministic, so each is made once, for any ``runs``."""
    del runs, seed
    return PagecacheRuns(engine, work, change)


def _seconds(runs: PagecacheRuns, *, size: int, phase: str) -> float:
    return runs.tasks(size).phases[phase]


def _of_instance(runs: PagecacheRuns, *, experiment: int, count: int, way: str) -> float:
    return of_instances(runs, experiment, count)[way]


def _of_step(runs: PagecacheRuns, *, step: str) -> float:
    return runs.nighres().phases[step]


PLACES = {2: "local", 3: "nfs"}
"""Prefixes of ids of an experiment's figures."""
FIGURES: dict[str, Callable[[PagecacheRuns], float]] = {
    **{
        f"{phase}-{size}": partial(_seconds, size=size, phase=phase)
        for size in SIZES
        for phase in PHASES
    },
    **{
        f"{place}-{way}-{count}": partial(_of_instance, experiment=experiment, count=count, way=way)
        for experiment, place in PLACES.items()
        for way in WAYS
        for count in counts(experiment)
    },
    **{f"nighres-{step}": partial(_of_step, step=step) for step in STEPS},
}


def _complete(_runs: PagecacheRuns, ledger: Ledger) -> Ledger:
    """Return the ledger with the results of held-out experiments and of those read before."""
    each = ", ".join(inside_of(ledger, number) for number in (2, 3, 4))
    said = (
        f"The choices were made with experiment 1 in view: {inside_of(ledger, 1)} inside.",
        "What was measured of experiments 2, 3 and 4 was read after all had been frozen:",
        f"{held_out_of(ledger)} inside ({each}).",
    )
    return replace(ledger, details="\n".join(said))


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
    heart=heart,
    complete=_complete,
    blocks=_blocks,
)
