"""Limits of a run: each lever of its machine is moved, and the run made again.

The levers that can act are made twice as good, one at a time, and ranked by the time that saves;
the first few are also moved by 10 %, or by one, either way. Nothing is estimated: a saving is the
difference of two runs with the same seed.

A lever cannot act if its resource has no request, its store no miss and no wait. Twice as good, a
resource saves at most half of its busy time, or all of it if there are twice as many: levers that
could save less than ``LEAST_POSSIBLE`` of the elapsed time that way are left out. That bound is one
of elapsed times: of jobs that arrive no lever is left out that can act.

The same runs answer for each job: what counts of it is a measure
(:mod:`~simulator.answers.measure`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.advise import LEAST_POSSIBLE, Ran
from simulator.answers.levers import with_events
from simulator.answers.measure import WHOLE, Measure, Timed, measure_of, measures_of, more_jobs
from simulator.answers.possible import Possible
from simulator.answers.ranking import worth
from simulator.progress import progress_bar
from simulator.result.jobs import NO_REMAINING_WORK, RemainingWork, computing_share

if TYPE_CHECKING:
    from simulator.answers.again import Again
    from simulator.answers.levers import Lever
    from simulator.answers.shorter import Shortened
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


MOST_COMPUTING = 0.9
"""From this share of the time on computing is what limits."""
MOST_MOVED = 5
"""Levers that are moved by 10 % too."""
COLUMNS = ("limit", "limit_kind", "limit_saves_s", "limit_saves_percent")
"""Columns of a limit in a table with a row for each run."""
_ORDER = ("event", "bandwidth", "latency", "wait", "capacity", "number")
"""Of levers that save equally much, the first kind is told first."""


class Moved(NamedTuple):
    """A run with a lever moved: the settings that do it, and how long it took."""

    settings: tuple[Setting, ...]
    elapsed_ns: int
    """The time that counts (:class:`Measure`)."""
    p95_ns: int | None = None
    """95 % of the arrivals take at most this long; None of what does not arrive."""
    ended: int | None = None
    """Calls or rounds that have ended in their time; None of anything else."""
    left: RemainingWork = NO_REMAINING_WORK
    """Work that it leaves after its end."""

    @property
    def ran(self) -> Ran:
        """The run as advice has it."""
        return Ran(self.elapsed_ns, self.left)


class Limit(NamedTuple):
    """A lever, and what moving it does to the elapsed time."""

    lever: Lever
    twice: Moved
    base: Ran
    """The run as it is."""
    saves_ns: int
    """By being twice as good; below 0 where the run takes longer."""
    better: Moved | None = None
    """By 10 %, or by one; None if that was not run."""
    worse: Moved | None = None
    busy: float | None = None
    """Utilisation of its busiest instance in the run as it is; None if it has none."""


class Limits(NamedTuple):
    """The limits of a run, or of a job of it."""

    elapsed_ns: int
    """The time that counts of the run that was perturbed."""
    limits: tuple[Limit, ...]
    """All levers that were run, the one that saves most first."""
    left_out: int
    """Levers that cannot act, or could save too little to matter."""
    runs: int
    """The number of runs that were made."""
    shortened: Shortened | None = None
    """The shortening of the runs that the levers were chosen by; None if all were run whole."""
    measure: Measure = WHOLE
    """The time that counts."""
    p95_ns: int | None = None
    """95 % of the arrivals take at most this long; None of what does not arrive."""
    ended: int | None = None
    """Calls or rounds that have ended in their time; None of anything else."""
    jobs: tuple[Limits, ...] = ()
    """The limits of each job, if there are several and none was asked for."""
    more_jobs: int = 0
    """Jobs that were not asked about."""
    computing: float = 0.0
    """The part of its processes' time that is computing."""

    def without_computing(self) -> Limits:
        """Return the answer for a program whose time is something else than it seems."""
        jobs = tuple(one._replace(computing=0.0) for one in self.jobs)
        return self._replace(computing=0.0, jobs=jobs)

    @property
    def each(self) -> tuple[Limits, ...]:
        """The limits of each job; of a single one, or one that was asked for, just this."""
        return self.jobs or (self,)

    @property
    def matter(self) -> tuple[Limit, ...]:
        """Those that are worth advising if they are twice as good."""
        return tuple(one for one in self.limits if worth(one.saves_ns, self.elapsed_ns))

    @property
    def first(self) -> Limit | None:
        """The first limit; None if no single resource does."""
        return next(iter(self.matter), None)

    @property
    def computes(self) -> bool:
        """True if computing limits: nearly all of the time, which no lever makes much less."""
        saves = self.first.saves_ns if self.first is not None else 0
        return self.computing >= MOST_COMPUTING and 2 * saves < self.elapsed_ns

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
        record = {
            **self._of_job(),
            "shortened": None if self.shortened is None else self.shortened.to_record(),
            "runs": self.runs,
            "left_out": self.left_out,
        }
        if self.jobs:
            record["jobs"] = [one._of_job() for one in self.jobs]
        return record

    def _of_job(self) -> dict[str, Any]:
        """Return what limits, without what is the same for all jobs."""
        return {
            **self.measure.to_record(),
            **self._times(self.elapsed_ns, self.p95_ns),
            "computing": self.computing,
            "limiting": None if self.first is None else self.first.lever.name,
            "levers": [self._record(one) for one in self.limits],
        }

    def _times(self, time_ns: int, p95_ns: int | None) -> dict[str, int]:
        times = {self.measure.key: time_ns}
        return times if p95_ns is None else {**times, "p95_ns": p95_ns}

    def to_row(self) -> dict[str, Any]:
        """Return the columns of a table; None where no single resource limits."""
        row: dict[str, Any] = dict.fromkeys(COLUMNS)
        if self.first is not None:
            saves = self.first.saves_ns
            share = round(100 * saves / self.elapsed_ns, 3)
            values = (self.first.lever.name, self.first.lever.kind, saves / 1e9, share)
            row.update(zip(COLUMNS, values, strict=True))
        return row

    def _record(self, one: Limit) -> dict[str, Any]:
        lever = one.lever
        return {
            "lever": lever.name,
            "resource": lever.resource,
            "aspect": lever.aspect,
            "kind": lever.kind,
            "saves_ns": one.saves_ns,
            "busy": one.busy,
            **{
                name: None
                if moved is None
                else {
                    "set": [list(setting) for setting in moved.settings],
                    **self._times(moved.elapsed_ns, moved.p95_ns),
                }
                for name, moved in (
                    ("twice", one.twice),
                    ("better", one.better),
                    ("worse", one.worse),
                )
            },
        }


def limits_of(
    again: Again,
    plan: Plan,
    base: Result,
    *,
    job: str | None = None,
    each: bool = True,
    shortened: Shortened | None = None,
    only: Collection[str] | None = None,
    progress: bool | None = False,
) -> Limits:
    """Ask what limits a run; ``plan`` and ``base`` are its own, or those of the shortened run.

    And ``each`` of its jobs, or only the ``job`` that is asked for. ``only``: levers by name, which
    are run twice as good and not otherwise. ``progress`` shows a bar on standard error (None: if
    that is a terminal).
    """
    measures = asked_measures(again, base, job)[: None if each else 1]
    levers, left_out = acting(with_events(again.machine, again.workload), plan, base, measures)
    if only is not None:
        left_out += sum(one.name not in only for one in levers)
        levers = [one for one in levers if one.name in only]
    ask = _QuestionRuns(again, base, measures, shortened.settings if shortened is not None else ())
    both = only is None and shortened is None
    moved: list[Lever] = []
    with progress_bar(len(levers), unit="lever", wanted=progress) as advance:
        for lever in levers:
            if ask.runs_with(lever.settings("twice")):
                moved.append(lever)
            advance(1)
    busy = Possible(plan, base).utilisation
    waiting = plan.columns[plan.others_column]
    found = [
        _limits_by(ask, one, moved, busy, both=both)._replace(
            computing=computing_share(base, waiting, one.job)
        )
        for one in measures
    ]
    first, *jobs = (one._replace(left_out=left_out, shortened=shortened) for one in found)
    jobs = [one._replace(runs=ask.runs) for one in jobs]
    more = more_jobs(base, measures[1:]) if jobs else 0
    return first._replace(runs=ask.runs, jobs=tuple(jobs), more_jobs=more)


def asked_measures(again: Again, base: Result, job: str | None) -> list[Measure]:
    """Return what counts: of the whole run and of its jobs, or of the job that is asked for."""
    each = () if job is not None else measures_of(base, again.workload)
    return [measure_of(base, job), *each]


def _limits_by(
    ask: _QuestionRuns,
    measure: Measure,
    moved: Sequence[Lever],
    busy: Callable[[Lever], float | None],
    *,
    both: bool,
) -> Limits:
    """Rank levers, which were run twice as good, by what they save.

    ``both``: move the first also by 10 % either way.
    """
    now = measure.of(ask.base)
    base = Ran.of(ask.base, now.time_ns)
    found = []
    for lever in moved:
        twice = ask.moved(lever.settings("twice"), measure)
        if twice is not None:
            saves = now.time_ns - twice.elapsed_ns
            found.append(Limit(lever, twice, base, saves, busy=busy(lever)))
    found.sort(key=_rank)
    limits = Limits(now.time_ns, tuple(found), 0, 0, None, measure, now.p95_ns, now.ended)
    first = tuple(
        one._replace(
            better=ask.moved(one.lever.settings("better"), measure),
            worse=ask.moved(one.lever.settings("worse"), measure),
        )
        for one in limits.matter[: MOST_MOVED if both else 0]
    )
    return limits._replace(limits=(*first, *found[len(first) :]))


def _rank(one: Limit) -> tuple[int, int, bool]:
    """Return what levers are sorted by; more servers come before more devices of as many."""
    return -one.saves_ns, _ORDER.index(one.lever.kind), one.lever.what == "count"


def acting(
    levers: Sequence[Lever], plan: Plan, base: Result, measures: Sequence[Measure] = (WHOLE,)
) -> tuple[list[Lever], int]:
    """Return those of some levers that can act in a run, and how many cannot.

    What could save is bounded by the least elapsed time that counts; of arrivals there is no bound.
    """
    possible = Possible(plan, base)
    times = [0 if one.arrives else one.of(base).time_ns for one in measures]
    least = LEAST_POSSIBLE * min(times)
    kept = [one for one in levers if possible.saving_ns(one) > least and one.settings("twice")]
    return kept, len(levers) - len(kept)


class _QuestionRuns:
    """The runs of one question, each made once."""

    def __init__(
        self,
        again: Again,
        base: Result,
        measures: Sequence[Measure],
        always: Sequence[Setting],
    ) -> None:
        self.base = base
        self.runs = 0
        self._again = again
        self._always = tuple(always)
        self._measures = measures
        self._times: dict[tuple[Setting, ...], dict[Measure, Timed] | None] = {}
        self._left: dict[tuple[Setting, ...], RemainingWork] = {}

    def runs_with(self, settings: tuple[Setting, ...]) -> bool:
        """Run with some settings; return whether the machine can be like that."""
        if settings not in self._times:
            result = self._again.run((*self._always, *settings))
            self.runs += result is not None
            self._times[settings] = (
                None if result is None else {one: one.of(result) for one in self._measures}
            )
            self._left[settings] = NO_REMAINING_WORK if result is None else RemainingWork.of(result)
        return self._times[settings] is not None

    def moved(self, settings: tuple[Setting, ...], measure: Measure) -> Moved | None:
        """Run with some settings; None if there are none, or the machine cannot be like that."""
        if not settings or not self.runs_with(settings):
            return None
        times = self._times[settings]
        if times is None:
            return None
        return Moved(settings, *times[measure], left=self._left[settings])
