"""What would make a job or a traced program faster: findings, their cures run, ranked by savings.

A *pattern* looks at a job or at the calls of a trace and returns findings. A finding has cures;
each is run, with the same seed as the job itself, and what saves less than ``LEAST_SHARE`` of the
elapsed time is not advised. Nothing is estimated: a saving is the difference of two runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from simulator.answers.measure import WHOLE, Measure
from simulator.progress import progress_bar

if TYPE_CHECKING:
    from simulator.answers.levers import Lever
    from simulator.answers.limits import Limit, Limits
    from simulator.config.settings import Setting
    from simulator.workload.traced import Traced


Rewrite = Callable[["Traced"], "Traced"]
"""Makes the calls of a cured program of those of the program as it is."""
LEAST_SHARE = 0.01
"""An advice saves at least this share of the elapsed time."""
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

    def __add__(self, other: Change) -> Change:
        """Return both changes as one."""
        return Change(
            (*self.settings, *other.settings),
            (*self.rewrites, *other.rewrites),
            self.prestage or other.prestage,
        )

    @property
    def kind(self) -> tuple[Setting, ...]:
        """What it sets, without numbers: cures of one kind differ in how much of it they set."""
        return tuple((path, "" if to[:1].isdigit() else to) for path, to in self.settings)

    def contradicts(self, other: Change) -> bool:
        """Return whether both set the same value, or one a value inside of what the other sets."""
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
            "saves_s": self.saves_ns / 1e9,
            "saves_ns": self.saves_ns,
            "predicted_s": self.elapsed_ns / 1e9,
            "predicted_ns": self.elapsed_ns,
            "set": [list(one) for one in self.cure.change.settings],
            "command": list(self.command) or None,
            "instead": [
                {
                    "how": one.cure.how,
                    "presumes": one.cure.presumes or None,
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
            "runs": self.runs,
            **({} if self.tracer is None else {"tracer": dict(self.tracer)}),
            "unknown": dict(self.unknown),
            "notes": list(self.notes),
        }


class Advisable(Protocol):
    """A job that can be run with changes."""

    @property
    def elapsed_ns(self) -> int:
        """Elapsed time of the job as it is."""

    def run(self, change: Change) -> int | None:
        """Return the elapsed time with a change, in ns; None if it cannot be run like that."""

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
    base = job.elapsed_ns
    good: list[Advice] = [one for one in ready if worth(one.saves_ns, base)]
    tried: list[Tried] = []
    runs = 0
    with progress_bar(sum(len(one.cures) for one in findings), unit="cure", wanted=progress) as on:
        for finding in findings:
            best: dict[Sequence[Setting], Advice] = {}
            for cure in finding.cures:
                elapsed = job.run(cure.change)
                on(1)
                if elapsed is None:
                    continue
                runs += 1
                before = best.get(cure.change.kind)
                if before is None or _better(elapsed, before.elapsed_ns, base):
                    command = job.command(cure.change)
                    one = Advice(finding, cure, elapsed, base - elapsed, command)
                    best[cure.change.kind] = one
            first = _first(list(best.values()), base)
            if first is not None and worth(first.saves_ns, base):
                others = [one for one in best.values() if one is not first]
                kept = sorted(others, key=lambda one: -one.saves_ns)
                kept = [one for one in kept if worth(one.saves_ns, base)]
                good.append(replace(first, others=tuple(kept)))
            else:
                tried.append(Tried(finding, None if first is None else first.saves_ns))
    good.sort(key=lambda one: -one.saves_ns)
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


def worth(saves_ns: int, elapsed_ns: int) -> bool:
    """Return whether a saving is worth advising.

    >>> worth(1, 100), worth(1, 101), worth(0, 0)
    (True, False, False)
    """
    return saves_ns > 0 and saves_ns >= LEAST_SHARE * elapsed_ns


def _first(found: Sequence[Advice], base_ns: int) -> Advice | None:
    """Return the first that no other is better than; None without any."""
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
    return job.run(good[0].cure.change + good[1].cure.change)


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
    good = [one for one in ready if worth(one.saves_ns, job.elapsed_ns)]
    runs = 0
    for finding in findings:
        best: Advice | None = None
        few = finding.cures if len(finding.cures) < 3 else (finding.cures[0], finding.cures[-1])
        for cure in few:
            if runs == most or (best is not None and not _worth_more(best, job)):
                break
            elapsed = job.run(cure.change)
            runs += 1
            if elapsed is not None and (best is None or elapsed < best.elapsed_ns):
                saves, command = job.elapsed_ns - elapsed, job.command(cure.change)
                best = Advice(finding, cure, elapsed, saves, command)
        if best is not None and worth(best.saves_ns, job.elapsed_ns):
            good.append(best)
    good.sort(key=lambda one: -one.saves_ns)
    return Advised(job.elapsed_ns, tuple(good), runs=runs)


def _worth_more(best: Advice, job: Advisable) -> bool:
    """Return whether another cure of a finding is worth a run."""
    return LEAST_POSSIBLE * job.elapsed_ns < best.saves_ns < job.elapsed_ns / 2


MOST_OF_MACHINE = 3
"""Changes that are told beside cures of a trace."""
_KINDS = {
    "bandwidth": "the bandwidth of {resource} limits",
    "latency": "the {noun} of {resource} limits",
    "wait": "requests wait for {resource}",
    "capacity": "the capacity of {resource} limits",
    "number": "the number of {resource} limits",
}


def advice_of(limits: Limits, command: Callable[[Change], tuple[str, ...]]) -> list[Advice]:
    """Return all levers that matter as advice, which what limits has run; ``command`` does one."""
    return [
        Advice(
            finding := _finding(one),
            finding.cures[0],
            one.twice.elapsed_ns,
            one.saves_ns,
            command(finding.cures[0].change),
        )
        for one in limits.matter
    ]


def _finding(one: Limit) -> Finding:
    lever = one.lever
    told = _KINDS[lever.kind].format(resource=lever.resource, noun=lever.noun)
    change = Change(settings=one.twice.settings)
    cures = (Cure(_how(lever, one), change),)
    return Finding("machine", f"{told} ({lever.name}).", cures, resource=lever.name)


def _how(lever: Lever, one: Limit) -> str:
    if lever.aspect == "number":
        words = f"Twice as many ({lever.name})"
    elif lever.what == "dirty":
        words = f"A higher dirty limit of {lever.resource}"
    else:
        times = "Half" if lever.aspect == "overhead" else "Twice"
        words = f"{times} the {lever.noun} of {lever.resource}"
    new = dict(one.twice.settings)
    values = ", ".join(
        f"{value.path} {value.text} -> {new[value.path]}"
        for value in lever.values
        if value.path in new
    )
    return f"{words}: {values}."
