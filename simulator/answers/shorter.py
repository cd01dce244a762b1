"""A long run made short, for questions that need many runs of it.

Fewer repetitions first; then files, phases, times of computing, counts and what stores can hold,
all divided by one number, so that the ratio of files to caches stays. Records, blocks, requests and
processes are as they were. It is done by settings, so that a shortened run is a command too.

Whether that was faithful is not assumed but seen: a shortened run counts only if its processes
compute for the same share of their time and spend the rest as those of the whole run, each share
within ``MOST_APART``, and if it is shorter by about that number (arrivals take as long
as before). Else the run is left whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.levers import set_to
from simulator.answers.measure import WHOLE, Measure
from simulator.config.errors import dotted
from simulator.kinds.phases.loop import Loop
from simulator.kinds.phases.metadata import Metadata
from simulator.kinds.phases.transfer import Transfer

if TYPE_CHECKING:
    from simulator.answers.again import Again
    from simulator.config.machine_file import Machine
    from simulator.config.phase import Phase
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Job, Workload
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

MOST_APART = 0.05
"""Difference of a share of the time that is not computing between the shortened and the whole run;
and of the share of computing and of idle time."""
MOST_OFF = 0.2
"""The most that the quotient of the elapsed times is off the number, as a share of it."""
LEAST_PARTS = 2
"""Records, blocks and repetitions that are left at least."""
_COUNTED = ("count", "loops")


class Shortened(NamedTuple):
    """A run that was made short."""

    settings: tuple[Setting, ...]
    by: int
    """The divisor."""
    how: str
    """The divided values, in words."""
    apart: float
    """The largest difference of a share of the processes' time; see ``MOST_APART``."""
    plan: Plan
    result: Result

    @property
    def sentence(self) -> str:
        """A sentence that says how what was run whole was chosen."""
        return (
            f"Chosen by runs shortened to 1/{self.by} ({self.how}); what is told here was run"
            " whole."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        settings = [list(setting) for setting in self.settings]
        return {"by": self.by, "how": self.how, "apart": round(self.apart, 6), "set": settings}


def shortened(
    again: Again, whole: Result, by: int, least: int, measures: Sequence[Measure] = (WHOLE,)
) -> Shortened | None:
    """Divide a run by ``by``, or by less if that is not faithful; None if it cannot be shortened.

    At least by ``least``, and by 2: else it would not be short; not with events. ``measures``: the
    times that count, each of which has to be divided; those of arrivals have to stay as they are.
    Not with queues.
    """
    if again.workload is None or by < 2:
        return None
    if whole.queues:  # Jobs would run for less time, and wait for fewer of others.
        return None
    if again.machine.events or again.workload.events:  # They happen at times of the whole run.
        return None
    for divisor in _divisors(by, max(2, least)):
        for settings, how in ways(again.machine, again.workload, divisor):
            result = again.run(settings)
            if result is None:
                continue
            apart = _apart(whole, result)
            off = max(_off(one, whole, result, divisor) for one in measures)
            if apart <= MOST_APART and off <= MOST_OFF:
                plan = again.plan(settings)
                return Shortened(tuple(settings), divisor, how, apart, plan, result)
    return None


def _off(measure: Measure, whole: Result, result: Result, divisor: int) -> float:
    """Return how far a time that counts is from what it would be, as a share of it."""
    times = measure.of(whole).time_ns, max(1, measure.of(result).time_ns)
    return abs(times[0] / times[1] / (1 if measure.arrives else divisor) - 1)


def _divisors(by: int, least: int) -> Iterator[int]:
    """Yield what a run is divided by, from the most on.

    >>> list(_divisors(100, 20)), list(_divisors(5, 2)), list(_divisors(2, 2))
    ([100, 75, 50, 33, 22, 20], [5, 3, 2], [2])
    """
    yield by
    if (divisor := by * 3 // 4) > least:
        yield divisor
    divisor = by // 2
    while divisor > least:
        yield divisor
        divisor = divisor * 2 // 3
    if least < by:
        yield least


def _apart(one: Result, other: Result) -> float:
    """Return the largest difference of a share of process time, of waiting or service."""
    first, second = _shares(one), _shares(other)
    keys = {*first, *second}
    return max((abs(first.get(key, 0.0) - second.get(key, 0.0)) for key in keys), default=0.0)


def _shares(result: Result) -> dict[tuple[str, str], float]:
    """Return what processes spend their time on, as shares of what is not computing nor idle."""
    spent: Counter[tuple[str, str]] = Counter()
    away = Counter[str]()
    for one in result.processes:
        away["computing"] += one.compute_ns
        away["idle"] += one.idle_ns
        for column, (wait, service) in one.spent.items():
            spent[column, "wait"] += wait
            spent[column, "service"] += service
    rest = sum(spent.values())
    whole = rest + sum(away.values())
    shares = {key: time / (rest or 1) for key, time in spent.items()}
    return shares | {(name, ""): time / (whole or 1) for name, time in away.items()}


def ways(machine: Machine, workload: Workload, by: int) -> Iterator[tuple[list[Setting], str]]:
    """Yield ways to divide a run: its repetitions alone, or all that its length follows from."""
    rounds = [_rounds(job) for job in workload.jobs if job.until is None]
    if all(times >= LEAST_PARTS * by for _, times in rounds):
        settings = [
            (f"workload.jobs.{index}.{_rounds(job)[0]}", str(round(_rounds(job)[1] / by)))
            for index, job in enumerate(workload.jobs)
            if job.until is None
        ]
        yield settings, "fewer repetitions"
    scaled = _scaled(machine, workload, by)
    if scaled:
        yield scaled, "files, stores, times of computing and counts divided"


def _rounds(job: Job) -> tuple[str, int]:
    """Return which key says how often a job does the same, and how often that is.

    Its ``repeat``, or how often it goes through the loop that is all that it does.
    """
    phases = job.phases or ()
    if job.arrivals is not None or (job.repeat == 1 and not phases):
        return "repeat", 1
    only = phases[0] if len(phases) == 1 else None
    if isinstance(only, Loop) and only.times > job.repeat:
        return "phases.0.times", only.times
    return "repeat", job.repeat


class _TooFew(Exception):  # noqa: N818 - it is caught here
    """Too few records, blocks or repetitions would be left."""


def _scaled(machine: Machine, workload: Workload, by: int) -> list[Setting]:
    """Divide sizes, times and counts; empty if one of them cannot be divided that far."""
    try:
        return [*_of_files(workload, by), *_of_jobs(workload, by), *_of_stores(machine, by)]
    except _TooFew:
        return []


def _less(size: int, by: int, step: int, least: int) -> int:
    """Return a part of a size, in whole steps."""
    less = size // by // step * step
    if less < least:
        raise _TooFew
    return less


def _of_files(workload: Workload, by: int) -> Iterator[Setting]:
    """Divide files, but for those that are short already."""
    for name, file in workload.files.items():
        step = step_of(workload, name)
        least = LEAST_PARTS * step
        if file.size > least:
            less = _less(file.size, by, step, least)
            yield set_to(f"workload.files.{name}.size", file, "size", less)


def _of_stores(machine: Machine, by: int) -> Iterator[Setting]:
    """Divide what stores hold: first what they may have of dirty data, then their capacities."""
    for keys in (("quota", "dirty", "high", "low"), ("capacity",)):
        for name, store in machine.stores.items():
            for key in keys:
                size = getattr(store, key)
                if isinstance(size, int):  # Percentages stay.
                    least = max(store.block, (store.extent or 0) if key == "capacity" else 0)
                    less = _less(size, by, store.block, LEAST_PARTS * least)
                    yield set_to(f"machine.stores.{name}.{key}", store, key, less)
    for name, cache in machine.buffer_caches.items():
        less = _less(cache.capacity, by, cache.block, LEAST_PARTS * cache.block)
        yield set_to(f"machine.buffer_caches.{name}.capacity", cache, "capacity", less)


def _of_jobs(workload: Workload, by: int) -> Iterator[Setting]:
    """Divide what jobs do."""
    for index, job in enumerate(workload.jobs):
        path = f"workload.jobs.{index}"
        if any(job.lists()):
            raise _TooFew
        for key in ("start", "skew"):
            if getattr(job, key):
                yield set_to(f"{path}.{key}", job, key, getattr(job, key) // by)
        if job.arrivals is not None:  # Each is as it was.
            if job.arrivals.count is None or job.arrivals.count < LEAST_PARTS * by:
                raise _TooFew
            count = job.arrivals.count // by
            yield set_to(f"{path}.arrivals.count", job.arrivals, "count", count)
            continue
        for at, phase in job.every_phase():
            if "parts" in at:
                raise _TooFew
            yield from _of_phase(job, phase, f"{path}.{dotted(at)}", by)


def _of_phase(job: Job, phase: Phase, path: str, by: int) -> Iterator[Setting]:
    """Divide one phase."""
    if (timed := phase.timed) and getattr(phase, timed) is not None:
        yield set_to(f"{path}.{timed}", phase, timed, getattr(phase, timed) // by)
    if isinstance(phase, Transfer):
        for key in ("size", "offset"):
            size = getattr(phase, key)
            if isinstance(size, int) and size:
                less = _less(size, by, _record(job, phase), 1)
                yield set_to(f"{path}.{key}", phase, key, less)
    for key in _COUNTED:
        count = getattr(phase, key, 1)
        if count >= LEAST_PARTS * by:
            yield set_to(f"{path}.{key}", phase, key, count // by)
        elif count > 1 and not isinstance(phase, Metadata):
            raise _TooFew


def step_of(workload: Workload, name: str) -> int:
    """Return of how many bytes a file has to be a whole number: records of all who share it."""
    step = 1
    for job in workload.jobs:
        for _, phase in job.every_phase():
            if getattr(phase, "file", None) != name:
                continue
            if isinstance(phase, Transfer):
                ranks = job.ranks if isinstance(phase.offset, str) else 1
                step = max(step, _record(job, phase) * ranks)
            elif hasattr(phase, "row"):
                step = max(step, phase.row(job.ranks))
    return step


def _record(job: Job, phase: Transfer) -> int:
    record = phase.record if phase.record is not None else job.record
    return record if isinstance(record, int) else 1
