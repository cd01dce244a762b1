"""What would make a job or a traced program faster: findings, their cures run, ranked by savings.

A *pattern* looks at a job or at the calls of a trace and returns findings. A finding has cures;
each is run, with the same seed as the job itself, and what saves less than ``LEAST_SHARE`` of the
elapsed time is not advised. Nothing is estimated: a saving is the difference of two runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from simulator.answers.measure import WHOLE, Measure
from simulator.progress import progress_bar
from simulator.result.jobs import NOTHING_LEFT, Left

if TYPE_CHECKING:
    from simulator.config.settings import Setting
    from simulator.result.result import Result
    from simulator.workload.traced import Traced


Rewrite = Callable[["Traced"], "Traced"]
"""Makes the calls of a cured program of those of the program as it is."""
LEAST_SHARE = 0.01
"""An advice saves at least this share of the elapsed time."""
Level = Literal["program", "setting", "hardware"]
ALIKE = 0.9
"""Savings of this share of another one are alike."""
NEVER = math.inf
"""Of a cure that is told beside others whatever it saves."""
LEVELS: tuple[Level, ...] = ("program", "setting", "hardware")
"""Who can make a change: a programmer; a user or administrator, by a value; a buyer."""
MOST_FILES = 10
"""Files of a finding in the record for programs, those with most calls first."""

Unknown = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What a cure changes: settings of machine and workload, listed calls, prestaging."""

    settings: tuple[Setting, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    """Applied to the listed calls, one after the other."""
    prestage: bool = False
    """Files that existed before the job are in the stores when it starts."""
    filesystem: str = ""
    """The file system of all files; empty: as it is."""

    def __add__(self, other: Change) -> Change:
        """Return both changes as one."""
        return Change(
            (*self.settings, *other.settings),
            (*self.rewrites, *other.rewrites),
            self.prestage or other.prestage,
            self.filesystem or other.filesystem,
        )

    @property
    def kind(self) -> tuple[Setting, ...]:
        """What it sets, without numbers: cures of one kind differ in how much of it they set."""
        return tuple((path, "" if to[:1].isdigit() else to) for path, to in self.settings)

    def contradicts(self, other: Change) -> bool:
        """Return whether both set the same value, or one a value inside of what the other sets."""
        if self.filesystem and other.filesystem:
            return True
        mine = [f"{path}." for path, _ in self.settings]
        theirs = [f"{path}." for path, _ in other.settings]
        return any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs)


@dataclass(frozen=True, slots=True)
class Cure:
    """One way to mend what a pattern found."""

    how: str
    """What a programmer or an administrator does: sentences, with the code or command."""
    change: Change
    presumes: str = ""
    """What has to be true of the program for the cure to be possible; empty: nothing."""
    risk: str = ""
    """What is less safe than before; empty: nothing."""
    level: Level = "program"
    """What is changed: cures that save alike are told in the order of :data:`LEVELS`."""
    kind: str = ""
    """Of cures of one kind, which differ in how much, the best is told; others are told beside."""
    beside: float = 0.0
    """It is told first only where it saves so many times what other cures of the finding do, since
    it is less safe; or where none of these is worth it."""

    @property
    def family(self) -> tuple[Any, ...]:
        """What cures that differ only in how much have in common."""
        return self.kind, self.change.kind


@dataclass(frozen=True, slots=True)
class Concerned:
    """A file that a finding is about."""

    name: str
    calls: int
    bytes: int

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {"name": self.name, "calls": self.calls, "bytes": self.bytes}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a pattern found, and what may mend it."""

    pattern: str
    """``small-io``, ``re-read``, ...: the name of the pattern."""
    found: str
    """What was found, in one sentence with numbers."""
    cures: tuple[Cure, ...]
    files: tuple[Concerned, ...] = ()
    """All files that it is about, those with most calls first."""
    calls: int = 0
    """Calls that it is about."""
    resource: str = ""
    """What of the machine it is about, if it is not about files."""
    example: str = ""
    """One of these calls, with its process and its time."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A cure that saves time, and how much."""

    finding: Finding
    cure: Cure
    elapsed_ns: int
    """Of the run with the cure."""
    saves_ns: int
    command: tuple[str, ...] = ()
    """A command that makes the run with the cure; empty if there is none."""
    others: tuple[Advice, ...] = ()
    """Cures of another kind that save time as well, instead of this one."""
    left: Left = NOTHING_LEFT
    """What it leaves to be done after its end, beyond what the job as it is does."""
    written: int = 0
    """Bytes that the job as it is has written."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        finding = self.finding
        return {
            "pattern": finding.pattern,
            "found": finding.found,
            "files": [one.to_record() for one in finding.files[:MOST_FILES]],
            "file_count": len(finding.files),
            "resource": finding.resource or None,
            "calls": finding.calls,
            "example": finding.example or None,
            "how": self.cure.how,
            "presumes": self.cure.presumes or None,
            "risk": self.cure.risk or None,
            "level": self.cure.level,
            "dirty_bytes": self.left.dirty,
            "later_s": self.left.behind_ns / 1e9,
            "saves_s": self.saves_ns / 1e9,
            "saves_ns": self.saves_ns,
            "predicted_s": self.elapsed_ns / 1e9,
            "predicted_ns": self.elapsed_ns,
            "set": [list(one) for one in self.cure.change.settings],
            "filesystem": self.cure.change.filesystem or None,
            "command": list(self.command) or None,
            "instead": [
                {
                    "how": one.cure.how,
                    "presumes": one.cure.presumes or None,
                    "risk": one.cure.risk or None,
                    "level": one.cure.level,
                    "dirty_bytes": one.left.dirty,
                    "later_s": one.left.behind_ns / 1e9,
                    "saves_s": one.saves_ns / 1e9,
                    "predicted_s": one.elapsed_ns / 1e9,
                    "predicted_ns": one.elapsed_ns,
                    "command": list(one.command) or None,
                }
                for one in self.others
            ],
        }


@dataclass(frozen=True, slots=True)
class Tried:
    """A finding whose cures save too little, and what the best of them saves."""

    finding: Finding
    saves_ns: int | None
    """Below 0 if the best takes longer; None if none of them could be run."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        saves = None if self.saves_ns is None else self.saves_ns / 1e9
        return {"pattern": self.finding.pattern, "found": self.finding.found, "saves_s": saves}


@dataclass(frozen=True, slots=True)
class Advised:
    """The answer: what is worth doing, the most saving first."""

    elapsed_ns: int
    """Predicted for the job as it is."""
    advice: tuple[Advice, ...]
    tried: tuple[Tried, ...] = ()
    """What was found, and is not worth mending."""
    both_ns: int | None = None
    """Elapsed time with the first two advices together; None if that was not run."""
    observed_ns: int | None = None
    """As the log has it; None for a job that has no log."""
    runs: int = 0
    """How many runs were made, beside that of the job as it is."""
    unknown: Unknown = field(default_factory=dict)
    """What could not be known, as a replay reports it."""
    notes: tuple[str, ...] = ()
    """What else limits the answer, in sentences."""
    shortened: bool = False
    """Whether all this is of a shortened run; ``notes`` say how."""
    measure: Measure = WHOLE
    """Which time counts."""
    lead: str = ""
    """What is to be known before the answer, in sentences."""
    observed_by: str = "The log shows"
    """Who says what was observed: the log, or the program's run without a tracer."""
    tracer: Mapping[str, Any] | None = None
    """The tracer's own time in a log, and what was done about it; None without one."""
    computing: float = 0.0
    """The part of its processes' time that is computing, or time between calls."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; docs/advise.md says what each key means."""
        observed = self.observed_ns
        return {
            **self.measure.to_record(),
            "observed_s": None if observed is None else observed / 1e9,
            "predicted_s": self.elapsed_ns / 1e9,
            "predicted_ns": self.elapsed_ns,
            "advice": [one.to_record() for one in self.advice],
            "first_two_together_s": None if self.both_ns is None else self.both_ns / 1e9,
            "tried": [one.to_record() for one in self.tried],
            "computing": self.computing,
            "runs": self.runs,
            **({} if self.tracer is None else {"tracer": dict(self.tracer)}),
            "unknown": dict(self.unknown),
            "notes": list(self.notes),
        }


class Ran(NamedTuple):
    """A run: how long it took, and what it left."""

    elapsed_ns: int
    left: Left = NOTHING_LEFT
    written: int = 0
    """Bytes."""

    @classmethod
    def of(cls, result: Result, elapsed_ns: int) -> Ran:
        """Return the run of a result, of which ``elapsed_ns`` counts."""
        written = sum(one.write.bytes for one in result.masters())
        return cls(elapsed_ns, Left.of(result), written)


class Advisable(Protocol):
    """A job that can be run with changes."""

    @property
    def base(self) -> Ran:
        """The job as it is."""

    def run(self, change: Change) -> Ran | None:
        """Return the run with a change; None if it cannot be run like that."""

    def command(self, change: Change) -> tuple[str, ...]:
        """Return the words of a command that makes the run with a change; empty without one."""


def advise(
    job: Advisable,
    findings: Sequence[Finding],
    *,
    observed_ns: int | None = None,
    unknown: Unknown | None = None,
    notes: Sequence[str] = (),
    ready: Sequence[Advice] = (),
    together: bool = True,
    progress: bool | None = False,
) -> Advised:
    """Run all cures; keep of each finding the one that saves most, and rank by what they save.

    Of cures that save equally much, within 1 % of the run, the first counts. ``ready`` has advice
    that was run already. ``together``: the first two advices are also run as one. ``progress``
    shows a bar on standard error (None: if that is a terminal).
    """
    base, written = job.base.elapsed_ns, job.base.written
    good = [replace(one, written=written) for one in ready if worth(one.saves_ns, base)]
    tried: list[Tried] = []
    runs = 0
    with progress_bar(sum(len(one.cures) for one in findings), unit="cure", wanted=progress) as on:
        for finding in findings:
            best: dict[Any, Advice] = {}
            for cure in finding.cures:
                one = _run(job, finding, cure)
                on(1)
                if one is None:
                    continue
                runs += 1
                before = best.get(cure.family)
                if before is None or _better(one.elapsed_ns, before.elapsed_ns, base):
                    best[cure.family] = one
            first = _first(list(best.values()), base)
            if first is not None and worth(first.saves_ns, base):
                others = [one for one in best.values() if one is not first]
                kept = sorted(others, key=lambda one: -one.saves_ns)
                kept = [one for one in kept if worth(one.saves_ns, base)]
                good.append(replace(first, others=tuple(kept)))
            else:
                tried.append(Tried(finding, None if first is None else first.saves_ns))
    good = ranked(good, base)
    both = _together(job, good) if together else None
    return Advised(
        elapsed_ns=base,
        advice=tuple(good),
        tried=tuple(tried),
        both_ns=both,
        observed_ns=observed_ns,
        runs=runs + (both is not None),
        unknown=unknown or {},
        notes=tuple(notes),
    )


def _run(job: Advisable, finding: Finding, cure: Cure) -> Advice | None:
    """Run a cure; None if the job cannot be run with it."""
    ran = job.run(cure.change)
    if ran is None:
        return None
    now = job.base
    saves, left = now.elapsed_ns - ran.elapsed_ns, ran.left.beyond(now.left)
    command = job.command(cure.change)
    return Advice(finding, cure, ran.elapsed_ns, saves, command, (), left, now.written)


def ranked(good: Sequence[Advice], base_ns: int) -> list[Advice]:
    """Return advice by what it saves; what saves alike by its level.

    Alike is nine tenths of the most, or within 1 % of the run.
    """
    left = sorted(good, key=lambda one: -one.saves_ns)
    found: list[Advice] = []
    while left:
        most = left[0].saves_ns
        alike = [
            one
            for one in left
            if one.saves_ns >= ALIKE * most or not worth(most - one.saves_ns, base_ns)
        ]
        left = left[len(alike) :]
        found += sorted(alike, key=lambda one: LEVELS.index(one.cure.level))
    return found


def worth(saves_ns: int, elapsed_ns: int) -> bool:
    """Return whether a saving is worth advising.

    >>> worth(1, 100), worth(1, 101), worth(0, 0)
    (True, False, False)
    """
    return saves_ns > 0 and saves_ns >= LEAST_SHARE * elapsed_ns


def _first(found: Sequence[Advice], base_ns: int) -> Advice | None:
    """Return the first that no other is better than; None without any.

    What is told ``beside`` others is first only if it saves so much more, or none of them is worth
    it.
    """
    saves = max((one.saves_ns for one in found if not one.cure.beside), default=0)
    if worth(saves, base_ns):
        found = [one for one in found if one.saves_ns >= one.cure.beside * saves]
    first: Advice | None = None
    for one in found:
        if first is None or _better(one.elapsed_ns, first.elapsed_ns, base_ns):
            first = one
    return first


def _better(elapsed_ns: int, best_ns: int, base_ns: int) -> bool:
    """Return whether a run is so much faster that it counts."""
    return elapsed_ns < best_ns and (best_ns > base_ns or worth(best_ns - elapsed_ns, base_ns))


def _together(job: Advisable, good: Sequence[Advice]) -> int | None:
    """Run the first two advices as one; None if there are not two, or they contradict."""
    if len(good) < 2 or good[0].cure.change.contradicts(good[1].cure.change):
        return None
    both = job.run(good[0].cure.change + good[1].cure.change)
    return None if both is None else both.elapsed_ns


MOST_RUNS = 8
"""Runs of cures, all findings together."""
LEAST_POSSIBLE = 0.002
"""A cure that saves less of the elapsed time lets no other of its finding be run."""


def first_of(
    job: Advisable, findings: Sequence[Finding], ready: Sequence[Advice], most: int = MOST_RUNS
) -> Advised:
    """Run the first cure of each finding, and the last unless that saves half of the time, or none.

    ``most`` runs are made at most. ``ready`` has advice that was run already.
    """
    now = job.base.elapsed_ns
    good = [one for one in ready if worth(one.saves_ns, now)]
    runs = 0
    for finding in findings:
        best: Advice | None = None
        few = finding.cures if len(finding.cures) < 3 else (finding.cures[0], finding.cures[-1])
        for cure in few:
            if runs == most or (best is not None and not _worth_more(best, now)):
                break
            one = _run(job, finding, cure)
            runs += 1
            if one is not None and (best is None or _comes_before(one, best)):
                best = one
        if best is not None and worth(best.saves_ns, now):
            good.append(best)
    return Advised(now, tuple(ranked(good, now)), runs=runs)


def _comes_before(one: Advice, best: Advice) -> bool:
    """Return whether a cure is told instead of one that may be safer."""
    return one.elapsed_ns < best.elapsed_ns and one.saves_ns >= one.cure.beside * best.saves_ns


def _worth_more(best: Advice, base_ns: int) -> bool:
    """Return whether another cure of a finding is worth a run."""
    return LEAST_POSSIBLE * base_ns < best.saves_ns < base_ns / 2
