"""The tables of a study beside the simulator's, cell by cell, and its claims.

Every cell is run as often as in the paper, or as often as asked for, each run with other
draws of the service times; its mean must lie within the paper's runs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from tabulate import tabulate

from simulator import __version__
from simulator.config import Machine, load_machine, unproven
from simulator.simulate import EngineName, load_plan, run_plan
from simulator.study.nwt_claims import RULES, Runs, explain
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study import Cell, Claim, Study, load_study

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result


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
    progress: bool = False,
) -> Reproduction:
    """Run every cell of a study ``runs`` times (default: as often as the paper)."""
    from tqdm import tqdm

    study = load_study(name)
    results: dict[str, list[Result]] = {}
    for cell in tqdm(study.cells, desc=f"{name}: cells", disable=not progress, leave=False):
        plan = load_plan(
            study.machine, cell.workload, settings=cell.settings, seed=seed, noisy=True
        )
        results[cell.id] = _repeat(plan, runs or len(cell.runs), engine)
    cells = tuple(_cell_result(cell, results[cell.id]) for cell in study.cells)
    first = study.cells[0]
    unstaged = load_plan(
        study.machine,
        first.workload,
        settings=(*first.settings, ("workload.files.input.prestage", "false")),
        seed=seed,
        noisy=True,
    )
    decided = Runs(results, _repeat(unstaged, len(results[first.id]), engine))
    claims = []
    for claim in study.claims:
        holds, figures = RULES[claim.id](decided, claim)
        claims.append(ClaimResult(claim, bool(holds), figures))
    machine = load_machine(study.machine)
    return Reproduction(
        study=study,
        cells=cells,
        claims=tuple(claims),
        assumed=_stated(machine, "assumed"),
        calibrated=_stated(machine, "calibrated"),
        seed=seed,
        engine=results[first.id][0].engine,
    )


def reproduce_nwt(runs: int | None, seed: int, engine: EngineName, progress: bool) -> Reproduction:
    """The NWT among the studies."""
    return reproduce("nwt", runs=runs, seed=seed, engine=engine, progress=progress)


def _repeat(plan: Plan, runs: int, engine: EngineName) -> list[Result]:
    return [run_plan(plan.with_run(run, runs), engine=engine) for run in range(runs)]


def _cell_result(cell: Cell, results: Sequence[Result]) -> CellResult:
    return CellResult(cell, tuple(result.rate(cell.work) / 1e6 for result in results))


def _stated(machine: Machine, kind: Literal["assumed", "calibrated"]) -> tuple[dict[str, str], ...]:
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )


# -- for people ---------------------------------------------------------------------------------


def render(reproduction: Reproduction, form: str) -> str:
    """The reproduction as ``table``, ``json`` or ``csv`` text."""
    if form == "json":
        return json.dumps(reproduction.to_json(), indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        return _csv(reproduction)
    return _tables(reproduction)


def _csv(reproduction: Reproduction) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("mean_MBps", "min_MBps", "max_MBps")
    rates = [f"{whose}_{name}" for whose in ("paper", "simulated") for name in names]
    writer.writerow(["id", "table", *rates, "role", "verdict"])
    for cell in (one.to_json() for one in reproduction.cells):
        simulated = (round(rate, 4) for rate in cell["simulated"].values())
        numbers = [*cell["paper"].values(), *simulated]
        writer.writerow([cell["id"], cell["table"], *numbers, cell["role"], cell["verdict"]])
    return text.getvalue()


def _tables(reproduction: Reproduction) -> str:
    study = reproduction.study
    blocks = [f"{study.title}\n{study.paper}\nRates in MB/s (10^6 bytes per second)."]
    for number, title in study.tables.items():
        cells = [cell for cell in reproduction.cells if cell.cell.table == number]
        blocks.append(f"Table {number}: {title}\n{_cell_table(cells)}")
    claims = [
        (c.claim.id, "holds" if c.holds else "FAILS", c.claim.text) for c in reproduction.claims
    ]
    blocks.append("Claims of the paper\n" + tabulate(claims, tablefmt="plain"))
    blocks += [sentence for c in reproduction.claims if (sentence := explain(c.claim, c.figures))]
    inside = sum(cell.inside for cell in reproduction.cells)
    holding = sum(claim.holds for claim in reproduction.claims)
    blocks.append(
        f"{inside} of {len(reproduction.cells)} cells inside the paper's runs, "
        f"{holding} of {len(reproduction.claims)} claims hold "
        f"(seed {reproduction.seed}, {reproduction.engine} engine). "
        f"{len(reproduction.calibrated)} values of the machine are calibrated and "
        f"{len(reproduction.assumed)} assumed: nwtsim show {study.machine}."
    )
    return "\n\n".join(blocks) + "\n"


def _cell_table(cells: Sequence[CellResult]) -> str:
    rows = []
    for one in cells:
        cell = one.cell
        rows.append(
            [
                cell.id,
                f"{cell.mean:.1f}",
                f"{cell.low:.1f} - {cell.high:.1f}",
                f"{one.mean:.1f}",
                f"{min(one.rates):.1f} - {max(one.rates):.1f}",
                f"{(one.mean / cell.mean - 1) * 100:+.1f} %",
                cell.role,
                "inside" if one.inside else "OUTSIDE",
            ]
        )
    head = ["cell", "paper", "its runs", "simulated", "its runs", "off", "role", "verdict"]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")
