"""Who slows whom: a run made again without each of its jobs, and with each of them alone.

Nothing is attributed: what a job loses to another is the difference of two runs of the same seed.
Two that slow a third together may each take nothing from it alone, and the rest between all
differences and the time alone is theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.measure import Measure, Timed, measure_of
from simulator.answers.ranking import worth
from simulator.progress import progress_bar

if TYPE_CHECKING:
    from simulator.answers.again import PreparedAgain
    from simulator.config.workload_file import Workload
    from simulator.result.result import Result


class Loss(NamedTuple):
    """What a job loses to another."""

    to: str
    without: Timed
    """The time that counts without the other;"""
    saves_ns: int
    """and by how much it is shorter; below 0 if it is longer."""


class Slowed(NamedTuple):
    """A job beside the others, and without them."""

    measure: Measure
    now: Timed
    alone: Timed | None
    """None if it cannot run alone."""
    losses: tuple[Loss, ...]
    """To each other job without which it can run, the largest first."""

    @property
    def matter(self) -> tuple[Loss, ...]:
        """Those that are worth telling."""
        return tuple(one for one in self.losses if worth(one.saves_ns, self.now.time_ns))


class Interference(NamedTuple):
    """Who slows whom."""

    jobs: tuple[Slowed, ...]
    needed: tuple[str, ...]
    """Jobs without which the others cannot run, since these go on until they end."""
    runs: int

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
        jobs = {
            one.measure.job: {
                "measure": one.measure.key,
                "now_ns": one.now.time_ns,
                "alone_ns": None if one.alone is None else one.alone.time_ns,
                "without_ns": {loss.to: loss.without.time_ns for loss in one.losses},
            }
            for one in self.jobs
        }
        return {"jobs": jobs, "needed": list(self.needed), "runs": self.runs}


def interference_of(
    again: PreparedAgain, base: Result, *, progress: bool | None = False
) -> Interference:
    """Run without each job, and with each alone; jobs that move data for one belong to it.

    ``progress`` shows a bar on standard error (None: if that is a terminal).
    """
    workload = again.workload
    assert workload is not None
    ran = {one.job for one in base.masters()}
    names = [name for name in _own(workload) if name in ran]
    subsets = _subsets(names)
    found: dict[frozenset[str], Result] = {frozenset(names): base}
    with progress_bar(len(subsets), unit="run", wanted=progress) as advance:
        for kept in subsets:
            result = again.run_jobs({*kept, *_movers(workload, kept)})
            if result is not None:
                found[kept] = result
            advance(1)
    jobs = tuple(_slowed(measure_of(base, name), names, found) for name in names)
    needed = [name for name in names if len(names) > 1 and frozenset(names) - {name} not in found]
    return Interference(jobs, tuple(needed), len(found) - 1)


def _slowed(measure: Measure, names: list[str], found: Mapping[frozenset[str], Result]) -> Slowed:
    everyone, mine = frozenset(names), frozenset((measure.job,))
    now = measure.of(found[everyone])
    losses = []
    for other in names:
        if other != measure.job and (result := found.get(everyone - {other})) is not None:
            without = measure.of(result)
            losses.append(Loss(other, without, now.time_ns - without.time_ns))
    losses.sort(key=lambda one: -one.saves_ns)
    alone = measure.of(found[mine]) if mine in found else None
    return Slowed(measure, now, alone, tuple(losses))


def _subsets(names: list[str]) -> list[frozenset[str]]:
    """Return all jobs but one, for each, and each of them alone."""
    everyone = frozenset(names)
    sets = [everyone - {name} for name in names] + [frozenset((name,)) for name in names]
    return [one for one in dict.fromkeys(sets) if one and one != everyone]


def _own(workload: Workload) -> Iterator[str]:
    """Yield the jobs that do not move the data of others."""
    movers = {name for job in workload.jobs for name in (job.stage_in, job.stage_out)}
    yield from (job.name for job in workload.jobs if job.name not in movers)


def _movers(workload: Workload, kept: Collection[str]) -> Iterator[str]:
    """Yield the jobs that move the data of some."""
    for job in workload.jobs:
        if job.name in kept:
            yield from filter(None, (job.stage_in, job.stage_out))
