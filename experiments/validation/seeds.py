"""Dependence of a study's verdict on the seed: its cells with many seeds.

With each seed every cell is run as often as in the paper, once stratified, as a reproduction does
it, and once with independent draws (docs/decisions/0004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from simulator import __version__
from simulator.native import column_cache
from simulator.report.forms import json_text
from simulator.run import load_plan, run_plan
from simulator.study.study_file import load_study
from simulator.study.work import Tell, Work, tell_nobody

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.run import EngineName
    from simulator.study.study_file import Cell

MANNERS = ("stratified", "free")
_SMALL = (("machine.parts.disk.count", "1"), ("machine.parts.tape.count", "1"))
"""Resources of the NWT that no cell uses: each draws a run factor, which takes time."""
_PES, _LEAST = "machine.nodes.pe.count", 4


@dataclass(frozen=True, slots=True)
class SeedCount:
    """One method of drawing."""

    manner: str
    """``stratified`` or ``free``."""
    means: tuple[tuple[float, ...], ...]
    """MB/s; mean of each cell for each seed."""
    outside: dict[str, int]
    """Cell -> number of seeds with its mean outside the paper's runs; only cells with any."""
    all_inside: int
    """Number of seeds with every cell inside."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """A study with many seeds."""

    study: str
    first: int
    """First seed; the others are consecutive."""
    count: int
    cells: tuple[Cell, ...]
    counts: tuple[SeedCount, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "study": self.study,
            "first_seed": self.first,
            "seeds": self.count,
            "cells": [one.id for one in self.cells],
            "manners": [
                {"manner": one.manner, "all_inside": one.all_inside, "outside": one.outside}
                for one in self.counts
            ],
            "version": __version__,
        }


def count_seeds(
    name: str,
    seeds: int,
    *,
    first: int = 1,
    runs: int | None = None,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> Seeds:
    """Run the cells of a study with a number of seeds, each ``runs`` times (None: as in the paper).

    StudyError for an unknown study, or one without tables of cells.
    """
    study = load_study(name)
    work = Work(len(MANNERS) * seeds * sum(runs or len(one.runs) for one in study.cells), tell)
    plans = [_plan(study.machine, one) for one in study.cells]
    counts = []
    for manner in MANNERS:
        columns = []
        for cell, plan in zip(study.cells, plans, strict=True):
            times = runs or len(cell.runs)
            of = times if manner == "stratified" else 0
            known = column_cache()
            column = []
            for seed in range(first, first + seeds):
                seeded = replace(plan, seed=seed)
                results = [
                    run_plan(seeded.with_run(run, of), engine=engine, cache=known)
                    for run in range(times)
                ]
                column.append(fmean(one.rate(cell.work) for one in results) / 1e6)
                work.add(times)
            columns.append(column)
        counts.append(_count(manner, study.cells, tuple(zip(*columns, strict=True))))
    return Seeds(name, first, seeds, study.cells, tuple(counts))


def _plan(machine: str, cell: Cell) -> Plan:
    """Return the plan of a cell without unused resources; its runs are the same."""
    plan = load_plan(machine, cell.workload, settings=cell.settings)
    nodes = max([_LEAST, *(one.nodes for one in plan.processes)])
    settings = (*cell.settings, *_SMALL, (_PES, str(nodes)))
    return load_plan(machine, cell.workload, settings=settings, seed=1)


def _count(manner: str, cells: Sequence[Cell], means: tuple[tuple[float, ...], ...]) -> SeedCount:
    outside = {
        cell.id: sum(not cell.holds(row[i]) for row in means) for i, cell in enumerate(cells)
    }
    good = sum(
        all(cell.holds(mean) for cell, mean in zip(cells, row, strict=True)) for row in means
    )
    return SeedCount(manner, means, {key: n for key, n in outside.items() if n}, good)


# -- in words -----------------------------------------------------------------------------------

_HOW = {
    "stratified": "Runs that divide the distributions evenly (as `nwtsim reproduce` makes them)",
    "free": "Runs that draw freely",
}


def render_seeds(seeds: Seeds, form: str) -> str:
    """Return the counts as ``table`` or ``json`` text."""
    if form == "json":
        return json_text(seeds.to_json())
    return f"{seeds_text(seeds)}\n"


def seeds_text(seeds: Seeds) -> str:
    """State the number of seeds with all cells inside, and the cells that are not."""
    head = (
        f"The number of seeds, of {seeds.count} (from {seeds.first} on), "
        f"with which the means of all {len(seeds.cells)} cells are in the range of the paper's "
        "runs, each cell being run as often as in the paper:"
    )
    return "\n".join([head, "", *(_line(one, seeds.count) for one in seeds.counts)])


def _line(one: SeedCount, count: int) -> str:
    cells = sorted(one.outside.items(), key=lambda item: -item[1])
    outside = ", ".join(f"{name} {times}" for name, times in cells)
    more = f"; outside, with how many seeds: {outside}" if outside else ""
    return f"- {_HOW[one.manner]}: {one.all_inside} of {count}{more}."
