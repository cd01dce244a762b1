"""A trace on another machine: replayed, and beside what was observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.way import Way
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.errors import InputError
from simulator.kinds.tiers.work.section import Work
from simulator.plan.codes import CLOSE, METADATA, PLAIN, READ, SEEK, SYNC, WRITE
from simulator.run import EngineName
from simulator.traces.modelled import MEETING_OF
from simulator.traces.observed import Observed, told_first
from simulator.traces.record import Record, checked
from simulator.traces.replay import observe
from simulator.traces.states import Pair, States
from simulator.traces.tracer import Guess, Tolls
from simulator.traces.unstored import lacking
from simulator.workload.traced import Meetings, Traced, with_buffer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

    Numbers = np.ndarray[Any, Any]

Unknown = dict[str, dict[str, int]]
MEETINGS = tuple(MEETING_OF.values())


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a trace is to be replayed."""

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
    as_recorded: bool = True
    """Whether files are in the page cache if they were when the log was recorded."""
    said: Callable[[str], None] | None = None
    """Hears before the run what it will cost, if that is much, and of an engine nobody chose."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A call's name, or a file: how often, how much, and how long it took there and here."""

    name: str
    calls: int
    bytes: int
    observed_ns: int | None
    """None: the log has no durations."""
    predicted_ns: int | None
    """None: the model has no cost for it."""


@dataclass(slots=True)
class Replay:
    """A replay and what was observed."""

    result: Result
    plan: Plan
    observed: Observed
    wanted: Wanted
    about: dict[str, Any]
    unknown: Unknown
    calls: list[Compared] = field(default_factory=list)
    files: list[Compared] = field(default_factory=list)
    simulated: bool = False
    """Whether the trace is of a simulated run."""
    plan_on: Callable[..., Plan] | None = None
    """Makes the plan of the same replay on another machine, and of other calls (``traced``)."""
    traced: Traced | None = None
    """The calls that were replayed."""
    record: Record | None = None
    """What was measured when the log was recorded."""

    @property
    def observed_ns(self) -> int:
        """Elapsed time of the program: without the tracer if that was measured, or of the log."""
        untraced = self.record and self.record.untraced
        return untraced.elapsed_ns if untraced else self.observed.elapsed_ns

    @property
    def cached(self) -> str:
        """Say that files are in the page cache as they were when it was recorded, or nothing."""
        placing = self.wanted.placing
        if self.record is None or not self.wanted.as_recorded or not (placing and placing.prestage):
            return ""
        return (
            "Files that existed before are in the page cache, as they were for the recorded run"
            " (--no-prestage: they are not)."
        )

    @property
    def lead(self) -> str:
        """Say what the tracer's own time is and what was done about it, or what a log lacks."""
        return told_first(self.observed, self.about, self.record, self.unknown)


def replay(
    paths: Sequence[Path],
    machine: Machine,
    wanted: Wanted,
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
    warn: Callable[[str], None] | None = None,
) -> Replay:
    """Replay logs, or one store, on a machine.

    ``warn`` is told before the run what the store of a simulated run lacks.
    """
    system = wanted.placing.filesystem if wanted.placing else None
    trace, observed = read_observed(
        paths,
        cwd=cwd,
        lenient=lenient,
        progress=progress,
        costs=partial(costs_in, machine, system),
        states=states_in(machine, system),
        meetings=True,
        exclude=wanted.exclude,
        untolled=wanted.think is None,
    )
    costs = costs_in(machine, system, trace.about)
    simulated = trace.about.get("simulated")
    for what in (simulated or {}).get("unstored", ()):
        if warn is not None:
            warn(lacking(what))
    traced = observed.traced
    if not traced.clients:
        raise InputError(f"{paths[0]}: the trace has no calls; there is nothing to replay")
    if simulated and len(simulated["clients"]) == len(traced.clients):
        named = zip(traced.clients, simulated["clients"], strict=True)
        clients = tuple(replace(one, name=name) for one, name in named)
        traced = replace(traced, clients=clients)
    record = record_in(trace.about, paths[0])
    if wanted.as_recorded and was_cached(record, traced, machine, wanted.placing):
        wanted = replace(wanted, placing=replace(wanted.placing or Placing(), prestage=True))
    traced = traced.thinking(Fraction(1) if wanted.think is None else wanted.think)
    cause: Numbers = np.arange(len(traced.table))
    if wanted.buffer:
        traced, causes = with_buffer(traced, wanted.buffer)
        cause = np.frombuffer(causes, np.int64) if len(causes) else cause[:0]
    plan_on = partial(_plan, traced=traced, wanted=wanted, simulated=simulated or {})
    plan = plan_on(machine)
    result = _run(plan, wanted)
    done = Replay(result, plan, observed, wanted, trace.about, trace.unknown)
    done.record = record
    done.simulated = bool(simulated)
    done.plan_on = plan_on
    done.traced = traced
    compare(done, cause, (READ, WRITE, SEEK, *costs, *MEETINGS))
    return done


def was_cached(
    record: Record | None, traced: Traced, machine: Machine, placing: Placing | None
) -> bool:
    """Return whether what the program read was in the page cache, and the machine has only that.

    Where a path has another store to stage files in, what was on the machine that was traced says
    nothing of it.
    """
    placing = placing or Placing()
    system = placing.filesystem or next(iter(machine.filesystems), "")
    if record is None or record.untraced is None or system not in machine.filesystems:
        return False
    ways = machine.filesystems[system].ways()
    path = placing.path or next(iter(ways))
    if path not in ways or Way(machine, system, path).stages:
        return False
    return 2 * record.untraced.read_bytes < _fetched(traced)


def _fetched(traced: Traced) -> int:
    """Return how many bytes of files a program needs from their devices, at most.

    Of each file it is what was there before, or what is read if that is less.
    """
    kind, size = _column(traced.table.kind, 8) & PLAIN, _column(traced.table.size, 64)
    reads = kind == READ
    file = _column(traced.table.file, 32)[reads]
    moved = np.bincount(file, size[reads], minlength=len(traced.files))
    return int(np.minimum(moved, [one.length for one in traced.files]).sum())


def costs_of(machine: Machine, filesystem: str | None = None) -> tuple[int, ...]:
    """Return the calls beside reads, writes and seeks that a machine has a cost for.

    ``filesystem``: that of all files; without it, files may be on each one of the machine's.
    """
    known = machine.filesystems
    systems = [known[filesystem]] if filesystem in known else [*known.values()]
    metadata = any(system.metadata is not None for system in systems)
    closing = metadata or any(system.close == "flush" for system in systems)
    return (SYNC, *(METADATA if metadata else (CLOSE,) if closing else ()))


def costs_in(machine: Machine, filesystem: str | None, about: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the same for a trace: files of a real one are on one file system."""
    if filesystem is None and not about.get("simulated"):
        filesystem = next(iter(machine.filesystems), None)
    return costs_of(machine, filesystem)


def states_in(machine: Machine, filesystem: str | None) -> States:
    """Return what operations cost in both states, where files are on a machine's file system."""
    system = machine.filesystems.get(filesystem or next(iter(machine.filesystems), ""))
    found: dict[int, Pair] = {}
    for tier in (system.metadata or ()) if system is not None else ():
        if isinstance(tier, Work) and tier.costs is not None and tier.others is not None:
            pairs = zip(METADATA, tier.costs.by_kind, tier.others.by_kind, strict=True)
            found |= {kind: Pair(usual, other) for kind, usual, other in pairs if other >= 0}
    return found


def _plan(
    machine: Machine, *, traced: Traced, wanted: Wanted, simulated: Mapping[str, Any]
) -> Plan:
    seed = wanted.seed
    return replayed_plan(
        machine,
        traced,
        wanted.placing,
        known=simulated.get("files"),
        nodes=simulated.get("nodes", ()),
        seed=seed or 0,
        noisy=seed is not None,
    )


def _run(plan: Plan, wanted: Wanted) -> Result:
    from simulator.cost import first_words
    from simulator.run import run_plan

    if (said := wanted.said) is not None:
        for line in first_words(plan, wanted.engine):
            said(line)
    return run_plan(plan, engine=wanted.engine, record=True, debug=wanted.debug)


def read_observed(  # noqa: PLR0913 - all by their names
    paths: Sequence[Path],
    *,
    cwd: str | None,
    lenient: bool,
    progress: bool | None = None,
    costs: tuple[int, ...] | Callable[[Mapping[str, Any]], tuple[int, ...]] = (),
    states: States | None = None,
    meetings: bool = False,
    exclude: Sequence[str] = (),
    untolled: bool = True,
) -> tuple[Any, Observed]:
    """Read logs, or one store, for a replay; gives the trace itself as well.

    ``costs``: as of ``observe``, or what tells them from the trace's ``about``; ``states`` as of
    ``observe``. ``meetings``:
    locks, barriers and messages of a simulated run are rows, not time between them. ``exclude``:
    calls on files below these folders are none. ``untolled``: gaps lose the tracer's time where it
    was measured.
    """
    from simulator.extras import need
    from simulator.traces.logs import read_logs
    from simulator.traces.sources import size_of
    from simulator.traces.store import is_store, open_store

    for path in paths:
        size_of(path)  # That there is none is said before what is not installed.
    need("pyarrow")
    trace: Any
    if paths[0].is_file() and is_store(paths[0]):
        if len(paths) > 1:
            raise InputError(f"{paths[0]} is a store; name it alone, or name logs")
        trace = open_store(paths[0])
    else:
        trace = read_logs(paths, cwd=cwd, lenient=lenient, progress=progress)
    simulated = trace.about.get("simulated")
    record = record_in(trace.about, paths[0])
    observed = observe(
        paths[0].name,
        trace.batches(),
        origin=0 if simulated else None,
        costs=costs(trace.about) if callable(costs) else costs,
        whole=bool(simulated),
        meetings=_meetings_of(simulated or {}) if meetings else None,
        exclude=exclude,
        states=states,
        tracer=None if not untolled else Guess() if record is None else Tolls(record),
    )
    darshan = trace.about.get("darshan")
    if darshan is not None and not darshan["segments"]:
        raise InputError(
            f"{paths[0]}: this Darshan log has totals, but not the single calls that a replay"
            " needs; run the job with DXT_ENABLE_IO_TRACE=1 for a log with them"
        )
    return trace, observed


def record_in(about: Mapping[str, Any], path: Path) -> Record | None:
    """Return what was measured when a trace was recorded; None if it was not."""
    known = about.get("record")
    return None if known is None else checked(known, str(path))


def _meetings_of(simulated: Mapping[str, Any]) -> Meetings | None:
    """Return where processes of a simulated run met; None if its store does not say."""
    known = simulated.get("meetings")
    if known is None:
        return None
    channels = tuple((int(source), int(target)) for source, target in known["channels"])
    return Meetings(int(known["locks"]), tuple(map(int, known["barriers"])), channels)


def compare(done: Replay, cause: Numbers, timed_here: Sequence[int]) -> None:
    """Add up observed and predicted times by call and by file; ``timed_here`` have a cost."""
    observed, log = done.observed, done.result.calls
    assert log is not None
    table = observed.traced.table
    kind, file, size = _column(table.kind, 8), _column(table.file, 32), _column(table.size, 64)
    kind = kind & PLAIN
    known = (SEEK, READ, WRITE, SYNC, *METADATA, *MEETINGS)
    real = np.isin(kind, known) & (observed.name >= 0)
    timed = done.about.get("durations", False)
    counts = np.where(real, observed.counts, 0)
    seen = np.where(real, observed.duration, 0)
    moved = np.where(real & ~np.isin(kind, METADATA) & (observed.counts > 0), size, 0)
    made = _column(log.kind, 8) & PLAIN
    took = np.where(np.isin(made, timed_here), _column(log.end, 64) - _column(log.begin, 64), 0)
    names = observed.name[cause] if len(cause) else cause
    modelled = np.isin(kind, timed_here)
    for texts, groups, here, rows in (
        (observed.names, observed.name, names, done.calls),
        ([one.name for one in observed.traced.files], file, _column(log.file, 32), done.files),
    ):
        many = len(texts)
        count = _sums(groups, counts, many)
        time = _sums(groups, seen, many)
        sizes = _sums(groups, moved, many)
        model = _sums(groups, modelled & real, many)
        predicted = _sums(here, took, many)
        for number in np.flatnonzero(count).tolist():
            rows.append(
                Compared(
                    name=texts[number],
                    calls=count[number],
                    bytes=sizes[number],
                    observed_ns=time[number] if timed else None,
                    # A close has no cost of its own, but may empty a buffer.
                    predicted_ns=predicted[number] if model[number] or predicted[number] else None,
                )
            )
        rows.sort(key=lambda one: (-(one.predicted_ns or 0), -(one.observed_ns or 0), one.name))


def _sums(groups: Numbers, values: Numbers, many: int) -> Any:
    """The sum of the values of each group, exactly; groups below 0 are left out."""
    sums = np.zeros(many, np.int64)
    good = groups >= 0
    np.add.at(sums, groups[good], values[good])
    return sums.tolist()


def _column(cells: Any, bits: int) -> Numbers:
    kind = {8: np.int8, 32: np.int32, 64: np.int64}[bits]
    numbers: Numbers = np.frombuffer(cells, kind) if len(cells) else np.zeros(0, kind)
    return numbers
