"""The tables of a study beside the simulator's, cell by cell, and its claims.

Every cell is run as often as in the paper, or as often as asked for, each run with other
draws of the service times; its mean must lie within the paper's runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from simulator import __version__
from simulator.config.formats import MACHINE
from simulator.run import EngineName, load, load_plan, run_plan
from simulator.study.ledger import stated
from simulator.study.nwt_claims import RULES, Runs
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study import Cell, Claim, Study, load_study
from simulator.study.work import Tell, Work, tell_nobody

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


@dataclass(frozen=True, slots=True)
class CellResult:
    """A published cell and the simulated runs of it, in MB/s."""

    cell: Cell
    rates: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean of the runs' rates, as the paper's tables have it."""
        return fmean(self.rates)

    @property
    def inside(self) -> bool:
        """Whether the simulated mean lies within the paper's runs."""
        return self.cell.holds(self.mean)

    def to_json(self) -> dict[str, Any]:
        """The record for programs; rates in MB/s."""
        paper = {"mean": self.cell.mean, "min": self.cell.low, "max": self.cell.high}
        return {
            "id": self.cell.id,
            "table": self.cell.table,
            "paper": paper,
            "simulated": {"mean": self.mean, "min": min(self.rates), "max": max(self.rates)},
            "role": self.cell.role,
            "verdict": "inside" if self.inside else "outside",
        }


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """A claim, whether simulated runs bear it out, and the figures that decide it."""

    claim: Claim
    holds: bool
    figures: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "rule": self.claim.rule,
            "verdict": "holds" if self.holds else "fails",
            "figures": self.figures,
        }


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A study beside its simulation."""

    study: Study
    cells: tuple[CellResult, ...]
    claims: tuple[ClaimResult, ...]
    assumed: tuple[dict[str, str], ...]
    calibrated: tuple[dict[str, str], ...]
    seed: int
    engine: str

    @property
    def passed(self) -> bool:
        """Whether every cell is inside and every claim holds."""
        return all(cell.inside for cell in self.cells) and all(c.holds for c in self.claims)

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        return {
            "study": self.study.name,
            "cells": [cell.to_json() for cell in self.cells],
            "claims": [claim.to_json() for claim in self.claims],
            "untestable": [dict(one) for one in self.study.untestable],
            "assumed": list(self.assumed),
            "calibrated": list(self.calibrated),
            "seed": self.seed,
            "engine": self.engine,
            "version": __version__,
        }


def reproduce(
    name: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> Reproduction:
    """Run every cell of a study ``runs`` times (default: as often as the paper).

    ``tell`` is told the share of the work that is done, again and again.
    """
    study = load_study(name)
    times = {cell.id: runs or len(cell.runs) for cell in study.cells}
    first = study.cells[0]
    repeat = _Repeat(engine, Work(sum(times.values()) + times[first.id], tell))
    results: dict[str, list[Result]] = {}
    for cell in study.cells:
        plan = load_plan(study.machine, cell.workload, settings=cell.settings, seed=seed)
        results[cell.id] = repeat(plan, times[cell.id])
    cells = tuple(_cell_result(cell, results[cell.id]) for cell in study.cells)
    unstaged = load_plan(
        study.machine,
        first.workload,
        settings=(*first.settings, ("workload.files.input.prestage", "false")),
        seed=seed,
    )
    decided = Runs(results, repeat(unstaged, times[first.id]))
    claims = []
    for claim in study.claims:
        holds, figures = RULES[claim.id](decided, claim)
        claims.append(ClaimResult(claim, bool(holds), figures))
    machine = load(MACHINE, study.machine)
    return Reproduction(
        study=study,
        cells=cells,
        claims=tuple(claims),
        assumed=stated(machine, "assumed"),
        calibrated=stated(machine, "calibrated"),
        seed=seed,
        engine=results[first.id][0].engine,
    )


def reproduce_nwt(runs: int | None, seed: int, engine: EngineName, tell: Tell) -> Reproduction:
    """Repeat the NWT's, as one among the studies."""
    return reproduce("nwt", runs=runs, seed=seed, engine=engine, tell=tell)


@dataclass(frozen=True, slots=True)
class _Repeat:
    """Carries out a plan again and again."""

    engine: EngineName
    work: Work

    def __call__(self, plan: Plan, runs: int) -> list[Result]:
        made = []
        for run in range(runs):
            made.append(run_plan(plan.with_run(run, runs), engine=self.engine))
            self.work.add()
        return made


def _cell_result(cell: Cell, results: Sequence[Result]) -> CellResult:
    return CellResult(cell, tuple(result.rate(cell.work) / 1e6 for result in results))
