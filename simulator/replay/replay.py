"""A trace replayed on a machine, and the predicted times beside those that its log has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.paths import MachinePath
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.errors import InputError
from simulator.plan.codes import PLAIN, READ, SEEK, SYNC, WRITE
from simulator.replay.arrays import Numbers, view_of
from simulator.replay.compared import Compared, compare
from simulator.replay.observed import Observed, observe
from simulator.replay.operations import MEETINGS
from simulator.replay.simulated import lacking
from simulator.replay.states import costs_in, states_in
from simulator.replay.tracer import BUSY, TracerCosts, TracerGuess, told_of
from simulator.run import EngineName
from simulator.traces import unread
from simulator.traces.logs import open_trace
from simulator.traces.record import Record, checked
from simulator.units import format_size
from simulator.workload.traced import Meetings, Traced, striped, with_buffer

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.replay.family import Family
    from simulator.result.result import Result

Unknown = dict[str, dict[str, int]]
APART = 1.25
"""Times of one program on one machine that differ by a larger factor contradict each other."""
_MEASURED = "measured by nwtsim measure on "
"""How the source of a value begins that was measured."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Options of a replay."""

    placing: Placing | None = None
    """None: as a simulated run left its files; for a real trace, on the first file system."""
    think: Fraction | None = None
    """By what the time between calls is multiplied; None: the tracer's own time is taken out of it
    where that was measured (``nwtsim trace record``)."""
    buffer: int = 0
    """Bytes of the buffer that calls are gathered in; 0: as they were."""
    seed: int | None = None
    engine: EngineName = "auto"
    debug: bool = False
    exclude: tuple[str, ...] = ()
    """Folders; calls on files below them are left out."""
    striped: bool = True
    """Whether files have the stripes that the log says."""
    as_recorded: bool = True
    """Whether files are in the page cache if they were when the log was recorded."""
    sample: int | None = 0
    """The seed by which calls are drawn of a log that has counters only; None: it is refused."""
    said: Callable[[str], None] | None = None
    """Receives before the run what it will cost, if that is much, and the engine if none was
    chosen."""

    @classmethod
    def of(
        cls, filesystem: str | None, path: str | None, prestage: bool | None, **more: Any
    ) -> ReplayOptions:
        """Return options of which the first three may be left to the trace, each by None."""
        placing = Placing(filesystem, path, bool(prestage))
        more["placing"] = placing if placing != Placing() else None
        return cls(as_recorded=prestage is None, **more)

    @property
    def filesystem(self) -> str | None:
        """The file system of all files; None: any of the machine's, or its first."""
        return self.placing.filesystem if self.placing else None

    @property
    def prestaged(self) -> bool:
        """Whether files that existed before are in the stores."""
        return self.placing is not None and self.placing.prestage

    def prestaging(self) -> ReplayOptions:
        """Return the same with files that existed before in the stores."""
        return replace(self, placing=replace(self.placing or Placing(), prestage=True))


@dataclass(frozen=True, slots=True)
class Log:
    """Logs, or one store, as a job, with what they say beside its calls."""

    about: dict[str, Any]
    unknown: Unknown
    observed: Observed
    record: Record | None
    """What was measured when the log was recorded; None if it was not."""

    @property
    def simulated(self) -> Mapping[str, Any]:
        """The run whose store it is; empty for a log of a program."""
        return self.about.get("simulated") or {}

    @property
    def timed(self) -> bool:
        """Whether the log says when calls began."""
        return self.about.get("times") is not None

    @property
    def observed_ns(self) -> int:
        """Elapsed time of the program: without the tracer if that was measured, or of the log."""
        return ((self.record and self.record.untraced) or self.observed).elapsed_ns

    @property
    def lead(self) -> str:
        """What a log lacks, in words; often nothing."""
        lacks = unread.lacks_of(self.about, self.unknown)
        return " ".join(f"{one[:1].upper()}{one[1:]}." for one in lacks)

    @property
    def tracing(self) -> str:
        """How much of the tracer's own time is in a log, in words; often nothing."""
        return told_of(self.observed.tracer, self.about, self.record) if self.timed else ""


@dataclass(frozen=True, slots=True)
class Placed:
    """The calls of a trace, and what is said of their files: a plan for each machine."""

    traced: Traced
    wanted: ReplayOptions
    simulated: Mapping[str, Any]

    def plan(self, machine: Machine) -> Plan:
        """Make the plan on a machine; InputError if that cannot carry it out."""
        seed = self.wanted.seed
        return replayed_plan(
            machine,
            self.traced,
            self.wanted.placing,
            known=self.simulated.get("files"),
            nodes=self.simulated.get("nodes", ()),
            seed=seed or 0,
            noisy=seed is not None,
        )


@dataclass(frozen=True, slots=True)
class Replay(Log):
    """A log replayed on a machine."""

    placed: Placed
    plan: Plan
    result: Result
    calls: list[Compared]
    files: list[Compared]
    family: Family | None = None
    """Its samples, where the calls are not those of the log."""
    here: bool = False
    """Whether the machine was measured on the host on which the log was recorded."""

    @property
    def contradicted(self) -> str:
        """That the run without the tracer was another one on this very machine; often nothing.

        A run that took longer than the prediction and all processor time together was on a busy
        machine, or waited for what no call shows.
        """
        untraced, predicted = self.record and self.record.untraced, self.result.elapsed_ns
        if not untraced or not self.here or untraced.waiting_ns > BUSY * untraced.elapsed_ns:
            return ""
        took = untraced.elapsed_ns
        busy = took > predicted + untraced.user_ns + untraced.system_ns
        if busy or max(took, predicted) <= APART * min(took, predicted):
            return ""
        less, part = "less" if predicted < took else "more", abs(predicted / took - 1)
        return (
            f"The machine was measured on the host of the log, and {100 * part:.0f} % {less} is"
            " predicted than the program took there: something of it is not in the model, so that"
            " what changes save may be wrong by as much, or what helps not be found."
        )

    @property
    def wanted(self) -> ReplayOptions:
        """How it was replayed."""
        return self.placed.wanted

    @property
    def stripes(self) -> str:
        """That files have their stripes of the log, in words; or nothing."""
        said = {one.stripes for one in self.placed.traced.files if one.stripes[0]}
        each = ", ".join(f"{many} of {format_size(size)}" for many, size in sorted(said)[:3])
        more = ", .." if len(said) > 3 else ""
        return f"Stripes of files are those of the log: {each}{more}." if said else ""

    @property
    def cached(self) -> str:
        """That files are in the page cache as when it was recorded, in words; or nothing."""
        if self.record is None or not (self.wanted.as_recorded and self.wanted.prestaged):
            return ""
        return (
            "Files that existed before are in the page cache, as they were for the recorded run"
            " (--no-prestage: they are not)."
        )


def replay(
    paths: Sequence[Path],
    machine: Machine,
    wanted: ReplayOptions,
    *,
    brief: bool = False,
    **reading: Any,
) -> Replay:
    """Replay logs, or one store; ``reading`` as :func:`placed_log`; ``brief`` compares nothing."""
    log, placed, cause = placed_log(paths, machine, wanted, **reading)
    wanted, plan = placed.wanted, placed.plan(machine)
    result = run_of(plan, wanted, record=not brief)
    timed = (READ, WRITE, SEEK, *costs_in(machine, wanted.filesystem, log.about), *MEETINGS)
    calls, files = compare(log, result.calls, cause, timed) if result.calls else ([], [])
    about, unknown = log.about, log.unknown
    done = Replay(about, unknown, log.observed, log.record, placed, plan, result, calls, files)
    return replace(done, here=measured_here(machine, log.record))


def placed_log(
    paths: Sequence[Path],
    machine: Machine,
    wanted: ReplayOptions,
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
    warn: Callable[[str], None] | None = None,
) -> tuple[Log, Placed, Numbers]:
    """Read what :func:`replay` runs; with it of each call the number that it has in the log.

    ``cwd``: of the program, for names of files that are not whole; ``lenient`` skips damaged lines;
    ``warn`` hears what a store lacks.
    """
    log = read_log(
        paths,
        machine,
        wanted.filesystem,
        cwd=cwd,
        lenient=lenient,
        progress=progress,
        meetings=True,
        exclude=wanted.exclude,
        without_tracer=wanted.think is None,
        sample=wanted.sample,
    )
    for what in log.simulated.get("unstored", ()):
        if warn is not None:
            warn(lacking(what))
    traced = _named(log)
    if wanted.striped:
        traced = striped(traced, log.about.get("darshan", {}).get("stripes", {}))
    if not traced.clients:
        raise InputError(f"{paths[0]}: the trace has no calls; there is nothing to replay")
    if wanted.as_recorded and was_cached(log, machine, wanted.placing):
        wanted = wanted.prestaging()
    traced = traced.thinking(Fraction(1) if wanted.think is None else wanted.think)
    cause: Numbers = np.arange(len(traced.table))
    if wanted.buffer:
        traced, causes = with_buffer(traced, wanted.buffer)
        cause = view_of(causes)
    return log, Placed(traced, wanted, log.simulated), cause


def _named(log: Log) -> Traced:
    """Return the calls of a log; those of a simulated run with the names of its clients."""
    traced, names = log.observed.traced, log.simulated.get("clients", ())
    if len(names) != len(traced.clients):
        return traced
    named = zip(traced.clients, names, strict=True)
    return replace(traced, clients=tuple(replace(one, name=name) for one, name in named))


def run_of(plan: Plan, wanted: ReplayOptions, *, record: bool) -> Result:
    """Run a plan as it is wanted; ``record``: with the times of its calls."""
    from simulator.cost import message_before_run
    from simulator.run import run_plan

    if (said := wanted.said) is not None:
        for line in message_before_run(plan, wanted.engine):
            said(line)
    return run_plan(plan, engine=wanted.engine, record=record, debug=wanted.debug)


# -- reading --------------------------------------------------------------------------------------


def read_log(  # noqa: PLR0913 - all by their names
    paths: Sequence[Path],
    machine: Machine | None = None,
    filesystem: str | None = None,
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
    meetings: bool = False,
    exclude: Sequence[str] = (),
    without_tracer: bool = True,
    sample: int | None = None,
) -> Log:
    """Read logs, or one store, for a replay on a machine and one of its file systems.

    ``meetings``: locks, barriers and messages of a simulated run are rows, not time between them.
    ``exclude``: calls on files below these folders are none. ``without_tracer``: gaps lose the
    tracer's measured time. ``sample``: the seed of calls that are drawn from counters.
    """
    trace = open_trace(paths, cwd=cwd, lenient=lenient, progress=progress, sample=sample)
    simulated = trace.about.get("simulated")
    known = trace.about.get("record")
    record = None if known is None else checked(known, str(paths[0]))
    observed = observe(
        paths[0].name,
        trace.batches(),
        origin=0 if simulated else None,
        costs=(SYNC,) if machine is None else costs_in(machine, filesystem, trace.about),
        whole=bool(simulated),
        meetings=_meetings_of(simulated or {}, trace.about) if meetings else None,
        exclude=exclude,
        states=None if machine is None else states_in(machine, filesystem),
        tracer=None
        if not without_tracer
        else TracerGuess()
        if record is None
        else TracerCosts(record),
    )
    unread.need_calls(trace.about, str(paths[0]), "a replay")
    if meetings and "meetings" in trace.about:  # Of a sample: they are known by now.
        observed = observed.meeting(tuple(trace.about["meetings"]))
    return Log(trace.about, trace.unknown, observed, record)


def _meetings_of(simulated: Mapping[str, Any], about: Mapping[str, Any]) -> Meetings | None:
    """Return where processes of a simulated run, or a sample, met; None if it is not said."""
    known = simulated.get("meetings")
    if known is None:
        return Meetings() if about.get("format") == "darshan" else None
    channels = tuple((int(one), int(other)) for one, other in known["channels"])
    return Meetings(int(known["locks"]), tuple(map(int, known["barriers"])), channels)


# -- the machine ----------------------------------------------------------------------------------


def measured_here(machine: Machine, record: Record | None) -> bool:
    """Return whether values of a machine were measured on the host of a record."""
    if record is None:
        return False
    of_host = f"{_MEASURED}{record.host}, "
    return any(one.text.startswith(of_host) for one in machine.origin.sources.values())


def place_of(machine: Machine, placing: Placing | None) -> tuple[str, str]:
    """Return the file system and the path of all files: the first ones where nothing is said."""
    wanted = placing or Placing()
    system = machine.system(wanted.filesystem)
    if system not in machine.filesystems:
        return system, ""
    return system, machine.path(system, wanted.path)


def was_cached(log: Log, machine: Machine, placing: Placing | None) -> bool:
    """Return whether what the program read was in the page cache, and the machine has only that.

    Where a path has another store to stage files in, what was on the machine that was traced says
    nothing of it.
    """
    system, path = place_of(machine, placing)
    untraced = log.record and log.record.untraced
    if not untraced or system not in machine.filesystems:
        return False
    if path not in machine.filesystems[system].ways() or MachinePath(machine, system, path).stages:
        return False
    return 2 * untraced.read_bytes < _fetched(log.observed.traced)


def _fetched(traced: Traced) -> int:
    """Return how many bytes of files a program needs from their devices, at most.

    Of each file it is what was there before, or what is read if that is less.
    """
    table = traced.table
    reads = (view_of(table.kind) & PLAIN) == READ
    file, size = view_of(table.file)[reads], view_of(table.size)[reads]
    moved = np.bincount(file, size, minlength=len(traced.files))
    return int(np.minimum(moved, [one.length for one in traced.files]).sum())
