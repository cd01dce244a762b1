"""The Orion study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeVar

from simulator.config.sources import unproven
from simulator.study.ledger import FigureResult, Ledger, SentenceResult, load_study_file
from simulator.study.orion_claims import RULES
from simulator.study.orion_runs import OrionRuns
from simulator.study.orion_tables import law_table, loop_table, poll_table, solver_table

if TYPE_CHECKING:
    from simulator.config.workstations import Workstations
    from simulator.simulate import EngineName

T = TypeVar("T")

NAME = "orion"
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
    runs: int | None, seed: int, engine: EngineName, progress: bool = False
) -> Ledger:
    """Repeat the study; there is only the reference engine for it (see ``studies``)."""
    from tqdm import tqdm

    del engine
    study = load_study_file(NAME)
    made = OrionRuns(runs or RUNS, seed)
    tables = (loop_table, poll_table, law_table, solver_table)
    with tqdm(
        total=len(study.figures) + len(study.claims) + len(tables),
        desc=NAME,
        disable=not progress,
        leave=False,
    ) as bar:

        def done(result: T) -> T:
            bar.update()
            return result

        return Ledger(
            study=study,
            figures=tuple(done(FigureResult(f, FIGURES[f.id](made))) for f in study.figures),
            claims=tuple(done(SentenceResult(c, *RULES[c.id](made))) for c in study.claims),
            assumed=_stated(made.machine, "assumed"),
            calibrated=_stated(made.machine, "calibrated"),
            seed=seed,
            engine="reference",
            blocks=tuple(done(table(made)) for table in tables),
        )


def _stated(
    machine: Workstations, kind: Literal["assumed", "calibrated"]
) -> tuple[dict[str, str], ...]:
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )
