"""Sweeps: every point of a grid run once, in several processes, going on where one stopped.

The results do not depend on the number of processes, on the order in which points get done, on
how often the sweep was interrupted, or on the parts in which it was run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simulator.config import ConfigError
from simulator.config.errors import Problem
from simulator.cost import Cost, CostCause, Estimate, engine_message, message_before_runs
from simulator.errors import InputError
from simulator.plan.drawn import noise_left_out
from simulator.plan.errors import SimulationError
from simulator.progress import progress_bar
from simulator.study.chunks import Runner, run_all
from simulator.study.executors import Executor, Processes
from simulator.study.figures import Row
from simulator.study.folder import Folder, Identity, Rows, row_text
from simulator.study.grid import Files, Grid, GridError, Shard, Sweep
from simulator.study.point import Point
from simulator.study.results import Results, Saving

MOST_IN_MEMORY = 20_000
"""Rows that are read into memory; of a larger sweep they stay in its folder."""
MOST_MADE = 8
"""Points whose plans are made: more of them would take as long as light points."""
LIMITS, LIMITS_S = 30, 5.0
"""Runs that ask what limits a point, and the most that they take, since longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Swept:
    """A finished sweep, or a part of one."""

    sweep: Sweep
    identity: dict[str, Any]
    rows: Sequence[Row]
    """One for each point, in the order of the grid: its values, the figures, its digest."""
    computed: int
    """Points that were run now; the others were there already."""
    shard: Shard | None = None
    """The part; None for the whole sweep."""
    doubts: Sequence[Problem] = ()
    """Warnings of damaged points, and of settings that none has used, if all were run now."""
    stored: int = 0
    """Points that were taken from the store."""
    noise: tuple[float, float] = (0.0, 0.0)
    """Deviations, of a run and of a request, that the machine states and the points leave out."""


def run_sweep(  # noqa: PLR0913 - one for each option
    sweep: Sweep,
    folder: Path,
    *,
    versions: dict[str, str],
    jobs: int | None = None,
    executor: Executor | None = None,
    results: Results | None = None,
    force: bool = False,
    progress: bool | None = False,
    shard: Shard | None = None,
    files: Files = (None, None),
    said: Callable[[str], None] | None = None,
) -> Swept:
    """Run what is missing of a sweep, keeping each point in ``folder`` as soon as it is done.

    ``progress`` shows a bar on standard error (None: if that is a terminal). GridError lists what
    is wrong with points, before any is run unless the grid is a large one (see ``grid``); an
    interrupt says how to go on. ``executor``: where points run (None: in ``jobs`` processes of this
    computer). ``results``: a store, whose points are not run again, and that gets the others.
    ``files``: the texts of the machine's and the workload's file, if they have been read already.
    ``said`` hears before any point is run what the sweep will cost, if that is much, and which
    engine runs it, if that is not the native one.
    """
    grid = Grid(sweep, files)
    grid.check()
    part = shard.part(sweep.size) if shard else range(sweep.size)
    identity = identity_of(grid, versions, shard)
    executor = executor or Processes(jobs)
    runner = Runner(grid, results)
    with Folder(folder, identity, part, force=force) as kept:
        before = kept.count
        twins = {} if kept.count == len(part) else _twins(grid, part)
        if said is not None and (left := len(part) - kept.count - len(twins)) > 0:
            for line in words_before(runner, part, left, executor.processes):
                said(line)
        try:
            with Saving(results, said or (lambda _line: None)) as saving:
                stored = _run(runner, kept, saving, twins, executor, progress)
        except (KeyboardInterrupt, GridError, SimulationError) as error:
            kept.repeat(twins)
            there = f"{kept.count:,} of {len(part):,} points are kept in {folder}"
            if isinstance(error, GridError):  # Going on would find the same mistake.
                raise GridError(f"{error}\n{there}") from None
            told = (
                f"{str(error) or 'interrupted'}; {there}, and the same command goes on from there"
            )
            raise type(error)(told) from None
        computed = kept.count - before - stored
        kept.repeat(twins)
    rows = rows_of(sweep, kept)
    all_run = computed == len(part) - len(twins) > 0
    doubts = [*kept.damaged, *(grid.unused.problems() if all_run else ())]
    noise = left_out(grid.point(part[0])) if len(part) else (0.0, 0.0)
    return Swept(sweep, identity, rows, computed, shard, doubts, stored, noise)


def left_out(point: Point) -> tuple[float, float]:
    """Return the noise that a point leaves out."""
    return noise_left_out(point.plan(point.seed))


def rows_of(sweep: Sweep, kept: Folder) -> Sequence[Row]:
    """Return the rows of what is kept of a sweep."""
    rows = Rows(sweep, kept.part, kept.folder)
    return list(rows) if len(rows) <= MOST_IN_MEMORY else rows


def identity_of(grid: Grid, versions: dict[str, str], shard: Shard | None) -> Identity:
    """Return what makes a sweep this one.

    The first point, whose digest is of all that is in both files, and what the others differ in.
    """
    sweep = grid.sweep
    identity: Identity = {
        "points": grid.point(0).digest,
        "grid": {axis.name: list(axis.texts) for axis in sweep.axes},
        "seed": sweep.seed,
        "engine": sweep.engine,
        "versions": versions,
    }
    if sweep.limits:
        identity["limits"] = True
    if sweep.phases:
        identity["phases"] = list(sweep.phases)
    if sweep.replications is not None:
        identity["replications"] = sweep.replications.to_record()
    return {**identity, "shard": str(shard)} if shard else identity


def _run(
    runner: Runner,
    kept: Folder,
    saving: Saving,
    twins: dict[int, int],
    executor: Executor,
    progress: bool | None,
) -> int:
    """Run what is missing; return how many points were in the store."""

    def missing() -> Iterator[int]:
        return (number for number in kept.part if number not in kept and number not in twins)

    total = len(kept.part) - sum(number not in kept for number in twins)
    left, stored = total - kept.count, 0
    shown = progress_bar(total, done=kept.count, unit="point", wanted=progress)
    with closing(run_all(runner, missing(), left, executor)) as all_done, shown as advance:
        for done in all_done:
            kept.add((one.task, row_text(one.digest, one.row)) for one in done.ran)
            saving.add((one.key, one.row) for one in done.ran if not one.stored)
            stored += sum(one.stored for one in done.ran)
            if done.unused is not None:
                runner.grid.unused.merge(done.unused)
            advance(len(done.ran))
            if done.error is not None:
                raise done.error
    return stored


def _twins(grid: Grid, part: range) -> dict[int, int]:
    """Find points that are equal to one before, like those of 600 kB and 0.6 MB."""
    firsts = []
    for axis in grid.sweep.axes:
        numbers = axis.numbers or range(len(axis.texts))
        first = {number: place for place, number in reversed(list(enumerate(numbers)))}
        firsts.append([first[number] for number in numbers])
    if all(one == sorted(set(one)) for one in firsts):
        return {}
    twins = {}
    for number in part:
        places = zip(firsts, grid.sweep.places(number), strict=True)
        other = grid.sweep.number(first[place] for first, place in places)
        same = other != number and other in part
        if same and grid.point(other).digest == grid.point(number).digest:
            twins[number] = other
    return twins


# -- what it will cost ----------------------------------------------------------------------------


def words_before(runner: Runner, part: Sequence[int], left: int, jobs: int) -> list[str]:
    """Return what is to be said before ``left`` points of a part of a grid are run."""
    costs, told = [], dict[str, None]()
    for number in _spread(part):
        try:
            point = runner.grid.point(number)
            if runner.results is not None and runner.results.texts([runner.key(point)]):
                costs.append(Cost(0.0, 0.0, CostCause("", "")))
                continue
            estimate = Estimate(point.plan(point.seed), point.engine)
        except (ConfigError, InputError):  # It is told when it is its turn.
            continue
        if estimate.why:
            told[engine_message(estimate.why)] = None
        cost = estimate.cost()
        if point.replications is not None:
            runs = point.replications.looks()[0]
            cost = replace(cost, seconds=cost.seconds * runs)
        if runner.grid.sweep.limits:
            cost = replace(cost, seconds=cost.seconds + min(LIMITS * cost.seconds, LIMITS_S))
        costs.append(cost)
    return [*told, *message_before_runs(costs, left, jobs)]


def _spread(part: Sequence[int]) -> Iterator[int]:
    """Yield a few points evenly, the first and the last among them."""
    many = min(MOST_MADE, len(part))
    yield from (part[place * (len(part) - 1) // max(many - 1, 1)] for place in range(many))
