"""A run made several times with seeds of its own, in processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.axis import Axis
from simulator.inputfile import Text
from simulator.plan.drawn import varies
from simulator.processors import processors
from simulator.progress import progress_bar
from simulator.study.chunks import Runner, run_all
from simulator.study.executors import Processes
from simulator.study.figures import COLUMNS, Row
from simulator.study.grid import SEED, Files, Grid, Sweep
from simulator.study.repeated import Repeated
from simulator.study.replications import Replications, seed_of

if TYPE_CHECKING:
    from simulator.run import Run


def repeat_of(
    asked: Run, replications: Replications, *, jobs: int | None = None, progress: bool | None = None
) -> Repeated:
    """Make the replications of a run that a user has asked for; the run itself is the first.

    ``jobs``: processes at most, None: as many as there are processors.
    """
    inputs = asked.inputs
    given = [one if isinstance(one, Text) else None for one in inputs.sources]
    names = [one.name if isinstance(one, Text) else str(one) for one in inputs.sources]
    sweep = Sweep(names[0], names[1], inputs.settings, (), asked.seed, asked.engine)
    files = given[0], given[1]
    return repeat(sweep, replications, jobs=jobs or processors(), files=files, progress=progress)


def repeat(
    sweep: Sweep,
    replications: Replications,
    *,
    jobs: int,
    files: Files = (None, None),
    progress: bool | None = None,
) -> Repeated:
    """Make replications of the run that a sweep without axes is, in up to ``jobs`` processes.

    An interrupt ends them, with those that are done: the first ones, without a gap, since runs that
    take long would be missing among others.
    """
    assert sweep.seed is not None
    most = replications.looks()[-1]
    seeds = tuple(str(seed_of(sweep.seed, one)) for one in range(max(2, most)))
    grid = Grid(replace(sweep, axes=(Axis(SEED, SEED, seeds, None, ""),), seed=None), files)
    found = Repeated(replications)
    found.varies = varies(*(point.plan(point.seed) for point in (grid.point(0), grid.point(1))))
    looks = replications.looks() if found.varies else (1,)
    with progress_bar(looks[-1], unit="run", wanted=progress) as advance:
        for look in looks:
            try:
                for row in _rows(grid, len(found.rows), look, jobs):
                    found.rows.append(row)
                    advance(1)
            except KeyboardInterrupt:
                if not found.rows:
                    raise
                found.interrupted = True
            if found.interrupted or not found.more:
                break
    return found


def _rows(grid: Grid, begin: int, end: int, jobs: int) -> Iterator[Row]:
    """Run some replications, and yield their rows in order."""
    waiting: dict[int, Row] = {}
    left = end - begin
    with closing(run_all(Runner(grid), iter(range(begin, end)), left, Processes(jobs))) as all_done:
        for done in all_done:
            for one in done.ran:
                record = json.loads(one.row)
                waiting[one.task] = {column: record[column] for column in COLUMNS}
            if done.error is not None:
                raise done.error
            while begin in waiting:
                yield waiting.pop(begin)
                begin += 1
