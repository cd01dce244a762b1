"""The Orion study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.study.ledger import Ledger, decided, load_study_file
from simulator.study.orion_claims import RULES
from simulator.study.orion_laws import LAW_RUNS
from simulator.study.orion_runs import OrionRuns
from simulator.study.orion_tables import law_table, loop_table, poll_table, solver_table
from simulator.study.work import Tell, Work, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName

NAME = "orion"
RUNS_ONCE, RUNS_OF_EACH, RUNS_OF_LAWS = 256, 45, 172
"""Simulated runs: once, for each repetition, and for each repetition of the laws of overhead."""
RUNS = 10
"""Of each setting on several nodes, where nobody says otherwise."""

FIGURES: dict[str, Callable[[OrionRuns], float]] = {
    "paging-1-node": lambda runs: runs.paging_begins(1),
    "paging-2-nodes": lambda runs: runs.paging_begins(2),
    "paging-4-nodes": lambda runs: runs.paging_begins(4),
    "speedup-200000": lambda runs: runs.speedup(447),
    "speedup-500000": lambda runs: runs.speedup(707),
    "speedup-1000000": lambda runs: runs.speedup(1000),
    "speedup-1960000": lambda runs: runs.speedup(1400),
    "break-even": OrionRuns.break_even,
    "best-interval": OrionRuns.best_interval_ms,
}


def reproduce_orion(
    runs: int | None, seed: int, engine: EngineName, tell: Tell = tell_nobody
) -> Ledger:
    """Repeat the study; there is only the reference engine for it (see ``studies``)."""
    del engine
    study = load_study_file(NAME)
    count = runs or RUNS
    whole = RUNS_ONCE + count * RUNS_OF_EACH + min(count, LAW_RUNS) * RUNS_OF_LAWS
    made = OrionRuns(count, seed, Work(whole, tell))
    return decided(
        study,
        made,
        FIGURES,
        RULES,
        seed=seed,
        engine="reference",
        blocks=tuple(table(made) for table in (loop_table, poll_table, law_table, solver_table)),
    )
