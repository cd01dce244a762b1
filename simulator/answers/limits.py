"""What limits a run: each lever of its machine is moved, and the run made again.

The levers that can act are made twice as good, one at a time, and ranked by the time that saves;
the first few are also moved by 10 %, or by one, either way. Nothing is estimated: a saving is the
difference of two runs with the same seed.

A lever cannot act if its resource has no request, its store no miss and no wait. Twice as good, a
resource saves at most half of its busy time, or all of it if there are twice as many: levers that
could save less than ``LEAST_POSSIBLE`` of the elapsed time that way are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.levers import levers_of
from simulator.answers.possible import Possible
from simulator.progress import progress_bar

if TYPE_CHECKING:
    from simulator.answers.again import Again
    from simulator.answers.levers import Lever
    from simulator.answers.shorter import Shortened
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

LEAST_POSSIBLE = 0.002
LEAST_SHARE = 0.01
"""What limits saves at least this share of the elapsed time if it is twice as good."""
MOST_MOVED = 5
"""Levers that are moved by 10 % too."""
COLUMNS = ("limit", "limit_kind", "limit_saves_s", "limit_saves_percent")
"""What a table with a row for each run says about it."""
_ORDER = ("bandwidth", "latency", "wait", "capacity", "number")
"""Of levers that save equally much, the first kind is told first."""


class Moved(NamedTuple):
    """A run with a lever moved: the settings that do it, and how long it took."""

    settings: tuple[Setting, ...]
    elapsed_ns: int


class Limit(NamedTuple):
    """A lever, and what moving it does to the elapsed time."""

    lever: Lever
    twice: Moved
    saves_ns: int
    """By being twice as good; below 0 where the run takes longer."""
    better: Moved | None = None
    """By 10 %, or by one; None if that was not run."""
    worse: Moved | None = None
    busy: float | None = None
    """Utilisation of its busiest instance in the run as it is; None if it has none."""


class Limits(NamedTuple):
    """What limits a run."""

    elapsed_ns: int
    """Of the run that was perturbed: the whole one, or the shortened one."""
    limits: tuple[Limit, ...]
    """All levers that were run, the one that saves most first."""
    left_out: int
    """Levers that cannot act, or could save too little to matter."""
    runs: int
    """How many runs were made."""
    shortened: Shortened | None = None
    """How the run was shortened; None if it was not."""

    @property
    def matter(self) -> tuple[Limit, ...]:
        """Those that save ``LEAST_SHARE`` or more."""
        return tuple(
            one
            for one in self.limits
            if one.saves_ns > 0 and one.saves_ns >= LEAST_SHARE * self.elapsed_ns
        )

    @property
    def first(self) -> Limit | None:
        """What limits; None if no single resource does."""
        return next(iter(self.matter), None)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that shorten the run; empty if it is whole."""
        return self.shortened.settings if self.shortened is not None else ()

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
        return {
            "elapsed_ns": self.elapsed_ns,
            "shortened": None if self.shortened is None else self.shortened.to_record(),
            "limiting": None if self.first is None else self.first.lever.name,
            "runs": self.runs,
            "left_out": self.left_out,
            "levers": [self._record(one) for one in self.limits],
        }

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
                    "set": [list(setting) for setting in (*self.settings, *moved.settings)],
                    "elapsed_ns": moved.elapsed_ns,
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
    shortened: Shortened | None = None,
    progress: bool | None = False,
) -> Limits:
    """Ask what limits a run; ``plan`` and ``base`` are its own, or those of the shortened run.

    ``progress`` shows a bar on standard error (None: if that is a terminal).
    """
    levers, left_out = acting(again.machine, plan, base)
    ask = _Asked(again, base, shortened.settings if shortened is not None else ())
    found: list[Limit] = []
    busy = Possible(plan, base).utilisation
    with progress_bar(len(levers), unit="lever", wanted=progress) as advance:
        for lever in levers:
            twice = ask.moved(lever.settings("twice"))
            advance(1)
            if twice is not None:
                saves = base.elapsed_ns - twice.elapsed_ns
                found.append(Limit(lever, twice, saves, busy=busy(lever)))
    found.sort(key=_rank)
    limits = Limits(base.elapsed_ns, tuple(found), left_out, ask.runs, shortened)
    both = tuple(
        Limit(
            one.lever,
            one.twice,
            one.saves_ns,
            ask.moved(one.lever.settings("better")),
            ask.moved(one.lever.settings("worse")),
            one.busy,
        )
        for one in limits.matter[:MOST_MOVED]
    )
    rest = limits.limits[len(both) :]
    return Limits(base.elapsed_ns, (*both, *rest), left_out, ask.runs, shortened)


def _rank(one: Limit) -> tuple[int, int, bool]:
    """Return what levers are sorted by; more servers come before more devices of as many."""
    return -one.saves_ns, _ORDER.index(one.lever.kind), one.lever.what == "count"


def acting(machine: Any, plan: Plan, base: Result) -> tuple[list[Lever], int]:
    """Return the levers of a machine that can act in a run, and how many cannot."""
    levers = levers_of(machine)
    possible = Possible(plan, base)
    least = LEAST_POSSIBLE * base.elapsed_ns
    kept = [one for one in levers if possible.saving_ns(one) > least and one.settings("twice")]
    return kept, len(levers) - len(kept)


class _Asked:
    """Runs of one question, each made once."""

    def __init__(self, again: Again, base: Result, always: Sequence[Setting]) -> None:
        self._again = again
        self._always = tuple(always)
        self._elapsed: dict[tuple[Setting, ...], int | None] = {(): base.elapsed_ns}
        self.runs = 0

    def moved(self, settings: tuple[Setting, ...]) -> Moved | None:
        """Run with some settings; None if there are none, or the machine cannot be like that."""
        if not settings:
            return None
        if settings not in self._elapsed:
            result = self._again.run((*self._always, *settings))
            self.runs += result is not None
            self._elapsed[settings] = None if result is None else result.elapsed_ns
        elapsed = self._elapsed[settings]
        return None if elapsed is None else Moved(settings, elapsed)
