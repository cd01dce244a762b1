"""Advice that makes a job or a traced program faster: findings, their cures run, ranked by savings.

A *pattern* looks at a job or at the calls of a trace and returns findings. A finding has cures;
each is run, with the same seed as the job itself, and what saves less than ``LEAST_SHARE`` of the
elapsed time is not advised. Nothing is estimated: a saving is the difference of two runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NamedTuple, ParamSpec, Protocol

from simulator.answers.measure import WHOLE, Measure
from simulator.result.jobs import NO_REMAINING_WORK, RemainingWork
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.answers.explained import Explained
    from simulator.config.settings import Setting
    from simulator.result.result import Result
    from simulator.workload.traced import Traced


P = ParamSpec("P")
Rewrite = Callable[["Traced"], "Traced"]
"""Makes the calls of a cured program of those of the program as it is."""
LEAST_POSSIBLE = 0.002
"""Share of the elapsed time of which a change has to be able to save more to be run."""
LEAST_SHARE = 0.01
"""An advice saves at least this share of the elapsed time."""
Level = Literal["program", "setting", "hardware"]
ALIKE = 0.9
"""Savings of this share of another one are alike."""
NEVER = math.inf
"""Of a cure that is told beside others whatever it saves."""
LEVELS: tuple[Level, ...] = ("program", "setting", "hardware")
"""Levels of changes: of a programmer; of a user or administrator, by a value; of a buyer."""
MOST_FILES = 10
"""Files of a finding in the record for programs, those with most calls first."""

Unknown = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """The changes that a cure makes: settings of machine and workload, listed calls, prestaging."""

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
        """The values that it sets, without numbers, in which cures of one kind differ."""
        return tuple((path, "" if to[:1].isdigit() else to) for path, to in self.settings)

    def contradicts(self, other: Change) -> bool:
        """Return whether both set the same value, or one a value inside of what the other sets."""
        if self.filesystem and other.filesystem:
            return True
        mine = [f"{path}." for path, _ in self.settings]
        theirs = [f"{path}." for path, _ in other.settings]
        return any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs)


def rewriting(
    rewrite: Callable[Concatenate[Traced, P], Traced], *args: P.args, **kwargs: P.kwargs
) -> Change:
    """Return the change that a rewrite of the listed calls makes with these other arguments."""
    return Change(rewrites=(lambda traced: rewrite(traced, *args, **kwargs),))


@dataclass(frozen=True, slots=True)
class Cure:
    """One way to mend what a pattern found."""

    how: str
    """The work of a programmer or an administrator: sentences, with the code or command."""
    change: Change
    presumes: str = ""
    """The condition on the program for the cure to be possible; empty: nothing."""
    risk: str = ""
    """The safety that is lost; empty: none."""
    level: Level = "program"
    """The level of the change: cures that save alike are told in the order of :data:`LEVELS`."""
    wider: bool = False
    """True if other programs have to change with it: of a level, those are told last."""
    kind: str = ""
    """Of cures of one kind, which differ in how much, the best is told; others are told beside."""
    beside: float = 0.0
    """It is told first only where it saves so many times what other cures of the finding do, since
    it is less safe; or where none of these is worth it."""

    doubt_ns: int = 0
    """Computing that it saves since it comes with each repeat, of which a log has the time only."""

    @property
    def family(self) -> tuple[Any, ...]:
        """The key that cures have in common which differ only in how much."""
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
    """A finding of a pattern, with the cures that may mend it."""

    pattern: str
    """``small-io``, ``re-read``, ...: the name of the pattern."""
    found: str
    """The finding in one sentence with numbers."""
    cures: tuple[Cure, ...]
    files: tuple[Concerned, ...] = ()
    """All files that it is about, those with most calls first."""
    calls: int = 0
    """Calls that it is about."""
    resource: str = ""
    """The resource of the machine that it is about, if it is not about files."""
    example: str = ""
    """One of these calls, with its process and its time."""

    def about(self) -> dict[str, Any]:
        """Return the record for programs, without cures."""
        return {
            "pattern": self.pattern,
            "found": self.found,
            "files": [one.to_record() for one in self.files[:MOST_FILES]],
            "file_count": len(self.files),
            "resource": self.resource or None,
            "calls": self.calls,
            "example": self.example or None,
        }


class Ran(NamedTuple):
    """A run: how long it took, and what it left."""

    elapsed_ns: int
    left: RemainingWork = NO_REMAINING_WORK
    written: int = 0
    """Bytes."""

    @classmethod
    def of(cls, result: Result, elapsed_ns: int) -> Ran:
        """Return the run of a result, of which ``elapsed_ns`` counts."""
        written = sum(one.write.bytes for one in result.masters())
        return cls(elapsed_ns, RemainingWork.of(result), written)


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
    left: RemainingWork = NO_REMAINING_WORK
    """Work that it leaves after its end, beyond what the job as it is does."""
    written: int = 0
    """Bytes that the job as it is has written."""
    spread: tuple[int, int, int, int] | None = None
    """Of a log whose calls were drawn: in how many samples it saves time, of how many, and the
    shortest and the longest run with it, in ns."""

    def in_samples(self) -> str:
        """State in how many samples it helps, and how long they then take; nothing without any."""
        if self.spread is None:
            return ""
        helped, samples, *times = self.spread
        least, most = map(format_time, times)
        return f"It helps in {helped} of {samples} samples, which then take {least} to {most}."

    @property
    def most_ns(self) -> int:
        """How long the run takes if computing stays that is saved by an estimate."""
        return self.elapsed_ns + min(self.cure.doubt_ns, max(self.saves_ns, 0))

    def in_doubt(self) -> str:
        """State between what the run takes with it; nothing if no computing is saved."""
        if self.most_ns == self.elapsed_ns:
            return ""
        times = (self.elapsed_ns, self.most_ns, self.most_ns - self.elapsed_ns)
        least, most, doubt = map(format_time, times)
        return (
            f"It then takes between {least} and {most}: up to {doubt} of what is saved is computing"
            " that comes with each repeat, of which the log does not say what it is for."
        )

    @classmethod
    def of(
        cls, finding: Finding, cure: Cure, ran: Ran, base: Ran, command: tuple[str, ...]
    ) -> Advice:
        """Return a cure that was run, beside the run as it is."""
        saves, left = base.elapsed_ns - ran.elapsed_ns, ran.left.beyond(base.left)
        return cls(finding, cure, ran.elapsed_ns, saves, command, (), left, base.written)

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        others = (one._own().items() for one in self.others)
        instead = [{key: value for key, value in one if key in _INSTEAD} for one in others]
        return {**self._own(), "instead": instead}

    def _own(self) -> dict[str, Any]:
        """Return the record without cures of another kind."""
        return {
            **self.finding.about(),
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
            "most_ns": self.most_ns,
            "set": [list(one) for one in self.cure.change.settings],
            "filesystem": self.cure.change.filesystem or None,
            "command": list(self.command) or None,
            "samples": self.spread
            and dict(zip(("helped", "of", "least_ns", "most_ns"), self.spread, strict=True)),
        }


_INSTEAD = (
    *("how", "presumes", "risk", "level", "dirty_bytes", "later_s", "saves_s"),
    *("predicted_s", "predicted_ns", "most_ns", "command"),
)
"""Keys of the record of a cure that may be carried out instead of another one."""


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
    """Findings that are not worth mending."""
    both_ns: int | None = None
    """Elapsed time with the first two advices together; None if that was not run."""
    observed_ns: int | None = None
    """As the log has it; None for a job that has no log."""
    runs: int = 0
    """The number of runs that were made, beside that of the job as it is."""
    unknown: Unknown = field(default_factory=dict)
    """Facts that are not known, as a replay reports it."""
    notes: tuple[str, ...] = ()
    """Further limitations of the answer, in sentences."""
    measure: Measure = WHOLE
    """The time that counts."""
    lead: str = ""
    """Sentences that come before the answer;"""
    after: str = ""
    """and behind it."""
    observed_by: str = "The log shows"
    """The source of what was observed: the log, or the program's run without a tracer."""
    tracer: Mapping[str, Any] | None = None
    """The tracer's own time in a log, and what was done about it; None without one."""
    explained: Explained | None = None
    """The time of a traced program by its kinds, by its log; None without one."""
    counted: tuple[Finding, ...] = ()
    """What the counters of a Darshan log show, what costs most first; not simulated."""
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
            **({"counted": [counted_record(one) for one in self.counted]} if self.counted else {}),
            **({} if self.explained is None else {"time": self.explained.to_record()}),
            "runs": self.runs,
            **({} if self.tracer is None else {"tracer": dict(self.tracer)}),
            "unknown": dict(self.unknown),
            "notes": list(self.notes),
        }


def counted_record(finding: Finding) -> dict[str, Any]:
    """Return the record of a finding that was not simulated, for programs."""
    cure = finding.cures[0]
    return {
        **finding.about(),
        "how": cure.how,
        "presumes": cure.presumes or None,
        "risk": cure.risk or None,
    }


class Advisable(Protocol):
    """A job that can be run with changes."""

    @property
    def base(self) -> Ran:
        """The job as it is."""

    def run(self, change: Change) -> Ran | None:
        """Return the run with a change; None if it cannot be run like that."""

    def command(self, change: Change) -> tuple[str, ...]:
        """Return the words of a command that makes the run with a change; empty without one."""
