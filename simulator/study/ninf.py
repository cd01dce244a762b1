"""The Ninf study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import pvariance
from typing import TYPE_CHECKING, Literal

from simulator.config.sources import unproven
from simulator.study.ledger import FigureResult, Ledger, SentenceResult, load_study_file
from simulator.study.ninf_claims import RULES, load
from simulator.study.ninf_runs import FEW, MANY, NinfRuns
from simulator.study.ninf_tables import TABLES

if TYPE_CHECKING:
    from simulator.config.server import Servers
    from simulator.simulate import EngineName

NAME = "ninf"
RUNS = 3
"""Of each cell, where nobody says otherwise; the paper does not say how often or how long."""
ENGINE = "Engine: reference. Numerical servers (server/1) run on no other."

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
    "load": lambda runs: load(runs.lan(1400, 16, "4pe")),
    "gap-mean": lambda runs: sum(runs.gaps_s()) / len(runs.gaps_s()),
    "gap-variance": lambda runs: pvariance(runs.gaps_s()),
}


def reproduce_ninf(
    runs: int | None, seed: int, engine: EngineName, progress: bool = False
) -> Ledger:
    """Repeat the study; there is only the reference engine for it (see ``studies``)."""
    from tqdm import tqdm

    del engine
    study = load_study_file(NAME)
    made = NinfRuns(study, runs or RUNS, seed)
    figures, claims = [], []
    total = len(study.figures) + len(study.claims)
    with tqdm(total=total, desc=NAME, disable=not progress, leave=False) as bar:
        for figure in study.figures:
            figures.append(FigureResult(figure, FIGURES[figure.id](made)))
            bar.update()
        for claim in study.claims:
            claims.append(SentenceResult(claim, *RULES[claim.id](made)))
            bar.update()
    return Ledger(
        study=study,
        figures=tuple(figures),
        claims=tuple(claims),
        assumed=_stated(made.machine, "assumed"),
        calibrated=_stated(made.machine, "calibrated"),
        seed=seed,
        engine="reference",
        blocks=(*(table(made) for table in TABLES), ENGINE),
    )


def _stated(machine: Servers, kind: Literal["assumed", "calibrated"]) -> tuple[dict[str, str], ...]:
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )
