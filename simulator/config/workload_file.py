"""A workload file, ``workload/2``: files, and jobs of processes that use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from simulator.config.errors import Fault, Path, label_of, places_of
from simulator.config.events import Event
from simulator.config.phase import AnyPhase, Phase, leaves, named_phases
from simulator.config.quantities import (
    ALL,
    Count,
    CountOrNone,
    Flag,
    Name,
    Percent,
    Size,
    Time,
    Width,
)
from simulator.config.record import RecordSize
from simulator.config.restart import Restart
from simulator.config.runtime import Policy
from simulator.config.section import FULL, Called, Section, default
from simulator.config.sources import SINGLE, Document
from simulator.config.times import Times
from simulator.errors import nearest
from simulator.units import Nanoseconds

Order = Annotated[tuple[CountOrNone, ...], FULL]


class Layout(Section):
    """Stripes of a region of a file; its I/O nodes are numbered from 0 on."""

    synonyms = {
        "block": "stripe",
        "striping_unit": "stripe",
        "striping_factor": "over",
        "subfiles": "over",
        "width": "over",
        "nodes": "order",
    }

    stripe: Size
    """Bytes of one stripe."""
    over: Width = default(ALL, "neutral: all members")
    """How many I/O nodes, from node 0 on; or write their order."""
    order: Order | None = None
    """The I/O nodes in the order in which they get stripes."""
    size: Size | None = None
    """Bytes of the region; the last region goes to the end of the file."""

    def nodes(self, count: int) -> tuple[int, ...]:
        """Return the I/O nodes, in the order in which they get stripes, of ``count`` in all."""
        if self.order is not None:
            return tuple(self.order)
        return tuple(range(self.over or count))


Layouts = Annotated[tuple[Layout, ...], FULL]


def layout_faults(layouts: tuple[Layout, ...]) -> Iterator[Fault]:
    """Find regions that cannot follow each other, and orders with a node twice."""
    for index, one in enumerate(layouts):
        if one.order is not None and one.over != ALL:
            yield (index, "order"), "is instead of over; leave one of them out"
        for place, node in enumerate(one.order or ()):
            if node in (one.order or ())[:place]:
                yield (index, "order", place), f"{node} is in the order twice; write it once"
        if one.size is None and index < len(layouts) - 1:
            about = "has no size, and another region follows; write 'size: 512 MiB'"
            yield (index,), about


def node_faults(layouts: tuple[Layout, ...], count: int, system: str) -> Iterator[Fault]:
    """Find I/O nodes that a file system does not have."""
    for index, one in enumerate(layouts):
        for place, node in enumerate(one.order or ()):
            if node >= count:
                about = f"there is no I/O node {node} of {system}; write a number from 0 to"
                yield (index, "order", place), f"{about} {count - 1}"
        if one.over > count:
            about = f"{one.over} I/O nodes, but {system} has {count}; write {count} or less, or all"
            yield (index, "over"), about


def regions_of(
    layouts: tuple[Layout, ...], size: int, count: int
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield bytes, stripe and nodes of each region of a file of ``size`` bytes."""
    for index, one in enumerate(layouts):
        if size > 0:
            last = index == len(layouts) - 1
            own = size if last or one.size is None else min(size, one.size)
            yield own, one.stripe, one.nodes(count)
            size -= own


class Calls(Section):
    """Listed calls, as 'nwtsim trace workload' writes them; a plain name is the file."""

    shorthand = {"text": "file"}
    synonyms = {"list": "file", "calls": "file"}

    file: Name
    """The CSV file with the calls; beside this file unless its name begins with a '/'."""
    filesystem: Name | None = None
    """Where their files are, by name; the machine's first file system if left out."""
    path: Name | None = None
    """How these are reached, by the name of a path of the file system; its first if left out."""
    prestage: Flag = False
    """Those that are there before the job are in the store when it starts."""
    think: Percent = 1.0
    """How much of the computing between the calls is left."""
    buffer: Size | None = None
    """Gather the calls on each file in a buffer of this size; as they are if left out."""


Distribution = Annotated[Literal["fixed", "poisson"], Called("arrivals")]

OnError = Annotated[Literal["stop", "continue"], Called("on-error")]

Until = Annotated[Literal["others end"], Called("until")]


class Arrivals(Section):
    """When the phases are asked for; each time a process that is free goes through them."""

    synonyms = {"interval": "every", "number": "count", "most": "out"}
    asked_for = frozenset(("every", "count", "at"))

    every: Time | None = None
    """The time between two arrivals, or its mean."""
    distribution: Distribution = "poisson"
    """Of the times between arrivals: exponential (poisson), or all equal (fixed)."""
    count: Count | None = None
    """How many arrive."""
    at: Times | None = None
    """Instead of every and count: the times of all arrivals."""
    out: Count = 64
    """How many are under way at one time at most; later ones wait for one to end."""


class Submit(Section):
    """When a job is submitted to a queue again: each time as another one, with files of its own."""

    synonyms = {"interval": "every", "number": "count", "times": "at"}
    asked_for = frozenset(("every", "count", "at", "day", "week"))

    every: Time | None = None
    """The time between two, or its mean."""
    distribution: Distribution = "poisson"
    """Of the times between them: exponential (poisson), or all equal (fixed)."""
    count: Count | None = None
    """How many."""
    at: Times | None = None
    """Instead of every and count: the times of all."""
    day: Times | None = None
    """From when to when in each day they come, as [8 h, 18 h]; time outside of that does not count
    as time between two. The run begins at midnight."""
    week: Count | None = None
    """On how many days of each week, the first ones; on all if left out."""

    @property
    def jobs(self) -> int:
        """Return how many are submitted."""
        return len(self.at) if self.at is not None else self.count or 0


class JobLog(Section):
    """Jobs of a scheduler's log, in the Standard Workload Format; a plain name is the file."""

    shorthand = {"text": "file"}
    synonyms = {"swf": "file", "queue": "queues", "max_nodes": "most_nodes", "first": "most"}

    file: Name
    """The log; beside this file unless its name begins with a '/'."""
    processors: Count = default(1, SINGLE)
    """Processors of the log on one node."""
    queues: Annotated[tuple[CountOrNone, ...], FULL] | None = None
    """Only jobs of these queues of the log, by number."""
    users: Annotated[tuple[CountOrNone, ...], FULL] | None = None
    """Only jobs of these users."""
    least_nodes: Count = default(1, SINGLE)
    """Only jobs of at least so many nodes,"""
    most_nodes: Count | None = None
    """and at most so many."""
    most: Count | None = None
    """Only the first so many of these."""
    memory: Flag = default(value=False, why="neutral: logs seldom know it")
    """Jobs wait for nodes with the memory that the log says they asked for or used."""


class Job(Section):
    """Processes that do the same, each with files of its own unless a file is shared."""

    synonyms = {"count": "processes", "clients": "processes", "ranks": "processes", "pes": "nodes"}
    later = frozenset(
        (
            *("memory", "on_error", "submit", "log", "requested", "user", "priority"),
            *("stage_in", "stage_out", "hold", "restart"),
        )
    )
    asked_for = frozenset(("record", "phases", "calls"))

    name: Name
    """What reports call it; each job has another."""
    processes: Count = 1
    """How many."""
    on: Name | None = None
    """The group of nodes that they run on; the machine's first if left out."""
    per_node: Count | None = None
    """Processes on one node; one, or as many as have to be, if left out."""
    first_node: CountOrNone | None = None
    """Number of the node of the first process; the one after those of the jobs before."""
    nodes: Count = 1
    """Nodes that share the data of one process; the first does input and output for all."""
    memory: Size | None = None
    """What each of its processes holds in memory from its start to its end, on each of its nodes,
    but in phases that say so themselves: an ``elastic`` store has so much less; nothing if left
    out."""
    start: Time = Nanoseconds(0)
    """When it starts."""
    skew: Time = default(Nanoseconds(0), "neutral: all start at one time")
    """Within this time after it its processes start, each at a time drawn at random."""
    repeat: Count = 1
    """How often the phases are gone through."""
    until: Until | None = None
    """'others end': the phases are gone through again and again, until all jobs without this key
    have ended; a process looks at the end of each round."""
    launched: Flag = False
    """Process servers make its processes, which begin when all are there."""
    arrivals: Arrivals | None = None
    """Instead of a start: when the phases are asked for."""
    submit: Submit | None = None
    """On nodes with a queue: when it is submitted; once, at its start, if left out."""
    log: JobLog | None = None
    """On nodes with a queue: the jobs of a scheduler's log, with its times, nodes and users; what
    each of them does is in phases."""
    requested: Time | None = None
    """On nodes with a queue: the run time that it asks for, and may exceed; all of its computing,
    or what the log says, if left out."""
    user: Name | None = None
    """On nodes with a queue: whose job it is; that of a log, or somebody of the job's name, if left
    out."""
    priority: CountOrNone = default(0, "neutral: all alike")
    """On nodes with a queue: its points, where the queue has order priority."""
    stage_in: Name | None = None
    """On nodes with a queue: the job, by name, that brings its data before it starts."""
    stage_out: Name | None = None
    """On nodes with a queue: the job, by name, that takes its data away after its end."""
    hold: Flag = default(value=True, why="neutral: a job finds its data")
    """It does not start before its data are there."""
    record: RecordSize | None = None
    """Bytes of user data in one READ or WRITE; needed by phases that read or write."""
    buffer: Size | None = None
    """The Fortran buffer of each file; the machine's if left out."""
    policy: Policy | None = None
    """How the runtime works; the machine's if left out."""
    path: Name | None = None
    """How files are reached, by the name of a path of their file system; its first if left out."""
    on_error: OnError | None = None
    """What a process does when a call fails (a file system's timeout): it ends there (stop), as if
    left out, or goes on with the next (continue). Listed calls are all made."""
    restart: Restart | None = None
    """Its nodes fail, and it goes on from the checkpoint that its last complete round wrote."""
    phases: Annotated[tuple[AnyPhase, ...], FULL] | None = None
    """What each process does, one after the other."""
    calls: Calls | None = None
    """Instead of phases: listed calls of processes."""

    @property
    def ranks(self) -> int:
        """Return how many processes of it there are at one time."""
        return self.arrivals.out if self.arrivals is not None else self.processes

    def lists(self) -> Iterator[tuple[Path, Calls]]:
        """Yield its listed calls, instead of phases or as some of them, each with its place."""
        if self.calls is not None:
            yield ("calls",), self.calls
        for at, phase in self.every_phase():
            if phase.lists is not None:
                yield (*at, "calls"), phase.lists

    def every_phase(self) -> Iterator[tuple[Path, Phase]]:
        """Yield its phases in order, those of loops instead of these, each with its place."""
        yield from leaves(self.phases or ())

    def settable_phases(self) -> Iterator[tuple[Path, Phase]]:
        """Yield those whose keys stand in the file: without what others are made of."""
        return ((at, phase) for at, phase in self.every_phase() if "parts" not in at)

    def times(self, at: Path) -> int:
        """Return how often a process carries out the phase at a place, as far as loops say it."""
        times = 1
        phases: Sequence[Phase] = self.phases or ()
        for number in places_of(at):
            phase = phases[number]
            if phase.inner:
                times, phases = times * phase.rounds, phase.inner
        return times

    @property
    def computes(self) -> bool:
        """Return whether its processes work on a processor that they may share with servers."""
        return any(phase.computes for _, phase in self.every_phase())

    @property
    def rounds(self) -> bool:
        """Return whether a process may go through its phases more than once."""
        return self.repeat > 1 or self.until is not None or self.arrivals is not None


class File(Section):
    """A file that jobs use."""

    size: Size
    """Its size when it is complete."""
    filesystem: Name | None = None
    """Where it is, by name; the machine's first file system if left out."""
    path: Name | None = None
    """How it is reached, by the name of a path of the file system, where no job says."""
    exists: Flag = False
    """It is there before the first job starts."""
    prestage: Flag = False
    """It is in the stores before the first job starts; it must exist."""
    shared: Flag = False
    """All processes use this one file; otherwise each has one of its own."""
    layout: Layouts | None = None
    """How it is striped over the I/O nodes of its file system, region by region; as other files
    there if left out."""


class Workload(Document):
    """What a machine is asked to do."""

    later = frozenset(("events",))

    format: Annotated[Literal["workload/2"], Called("workload-2", sourced=False)]
    files: dict[str, File] = {}
    """The files, by name."""
    jobs: Annotated[tuple[Job, ...], FULL]
    """The jobs, in any order; they run beside each other."""
    events: tuple[Event, ...] = ()
    """What happens to the machine's parts: failures with their repair, other rates for a while."""


def no_phase(name: str, known: Mapping[str, str]) -> str:
    """Return which of these phases a name that none has may mean; or list them."""
    place = name.rpartition(".")[2]  # A number that is wrong is no misspelt one.
    if near := nearest(name, (one for one in known if one.endswith(f".{place}"))):
        return f"did you mean {near!r}?"
    there = ", ".join(f"{one} ({what})" for one, what in known.items())
    return f"there are {there}" if known else "no job has phases"


def phases_of(workload: Workload) -> dict[str, str]:
    """Return the phases whose times results tell, by job and place, and what each does.

    Phases of loops are named for their places in these: ``solver.2.0``.
    """
    return {
        f"{job.name}.{label_of(at)}": phase.what
        for job in workload.jobs
        for at, phase in named_phases(job.phases or ())
    }
