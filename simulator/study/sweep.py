"""Sweeps: every point of a grid run once, in several processes, going on where one stopped.

The results do not depend on the number of processes, on the order in which points get done, or
on how often the sweep was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.engine.native import native_build
from simulator.engine.result import SimulationError
from simulator.study.grid import Grid, Sweep, digest_of
from simulator.study.kept import Kept
from simulator.study.point import Point, Row, run_loaded, run_point
from simulator.study.processes import map_in_processes
from simulator.study.threads import map_in_threads


@dataclass(frozen=True, slots=True)
class Swept:
    """A finished sweep."""

    sweep: Sweep
    identity: dict[str, Any]
    rows: tuple[Row, ...]
    """One for each point, in the order of the grid: its values, the figures, its digest."""
    computed: int
    """Points that were run now; the others were there already."""


def run_sweep(
    sweep: Sweep,
    folder: Path,
    *,
    versions: dict[str, str],
    jobs: int | None = None,
    force: bool = False,
    progress: bool | None = False,
) -> Swept:
    """Run what is missing of a sweep, keeping each point in ``folder`` as soon as it is done.

    ``progress`` shows a bar on standard error (None: if that is a terminal). GridError lists what
    is wrong with points before any is run; an interrupt says how to go on.
    """
    grid = Grid(sweep)
    points = grid.points()
    identity = _identity(sweep, points, versions)
    with Kept(folder, identity, force=force) as kept:
        missing = [p for p in {p.digest: p for p in points}.values() if p.digest not in kept.rows]
        try:
            _run(grid, missing, kept, jobs or _processors(), progress)
        except (KeyboardInterrupt, SimulationError) as error:
            done = sum(point.digest in kept.rows for point in points)
            told = (
                f"{str(error) or 'interrupted'}; {done:,} of {len(points):,} points are kept in"
                f" {folder}, and the same command goes on from there"
            )
            raise type(error)(told) from None
        rows = tuple(
            {**values, **kept.rows[point.digest], "digest": point.digest}
            for values, point in zip(_values(sweep), points, strict=True)
        )
    return Swept(sweep, identity, rows, computed=len(missing))


def _run(grid: Grid, points: list[Point], kept: Kept, jobs: int, progress: bool | None) -> None:
    from tqdm import tqdm

    hidden = None if progress is None else not progress
    done = len(kept.rows)
    with tqdm(total=len(points) + done, initial=done, unit="point", disable=hidden) as bar:
        for point, row in _results(grid, points, jobs):
            kept.add(point.digest, row)
            bar.update()


def _results(grid: Grid, points: list[Point], jobs: int) -> Iterable[tuple[Point, Row]]:
    def run(point: Point, stopped: Callable[[], bool] | None = None) -> Row:
        return run_loaded(point, *grid.sections(point), stopped)

    jobs = min(jobs, len(points))
    if jobs <= 1:
        return ((point, run(point)) for point in points)
    if grid.sweep.engine != "reference" and native_build() == "compiled":
        return map_in_threads(run, points, jobs)
    return map_in_processes(run_point, points, jobs)


def _identity(sweep: Sweep, points: list[Point], versions: dict[str, str]) -> dict[str, Any]:
    return {
        "points": digest_of(points),
        "grid": {axis.name: list(axis.texts) for axis in sweep.axes},
        "seed": sweep.seed,
        "engine": sweep.engine,
        "versions": versions,
    }


def _values(sweep: Sweep) -> Iterator[Row]:
    """Give the values of each point: as given, and as numbers where they are quantities."""
    numbers = [dict(zip(axis.texts, axis.numbers or (), strict=False)) for axis in sweep.axes]
    for texts in sweep.combinations():
        row: Row = {}
        for axis, known, text in zip(sweep.axes, numbers, texts, strict=True):
            row[axis.name] = text if axis.column else known.get(text, text)
            if axis.column:
                row[axis.column] = known[text]
        yield row


def _processors() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
