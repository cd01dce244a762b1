"""Phases that use services: a mesh divided over processes, calls of numerical servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Fault, Path
from simulator.config.phases import Phase
from simulator.config.quantities import Count, Flag, Name, Percent, Size, Time
from simulator.config.section import Called, Earlier, check
from simulator.config.services import ProblemName
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.units import Bytes, Nanoseconds, format_time, shown
from simulator.workload.split import grid_of

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.workload_file import Job

MeshOrder = Annotated[Literal["blocks", "edges-first", "colours"], Called("mesh-order")]
Choice = Annotated[Literal["fixed", "load", "compute", "bandwidth", "estimate"], Called("choose")]
"""How a call finds its server: as written; the least load for each PE; or the least estimated time
of computing, of moving its bytes, or (``estimate``) of both."""

LARGEST_N = {"linpack": 100_000, "ep": 50}
"""Of equations; of EP's logarithm."""


class Mesh(Phase):
    """Sweep over a mesh of points, divided over the job's processes, and exchange the edges."""

    do: Literal["mesh"]
    """What it does."""
    rows: Count
    """Rows of the mesh."""
    columns: Count
    """Columns of the mesh."""
    point: Size = Bytes(8)
    """Data of one point."""
    loops: Count
    """Loops; the very first, in which ports are located, is not counted in means."""
    order: MeshOrder = "blocks"
    """Blocks: each process from its first point to its last, then edges are sent. Edges-first:
    edges are computed and sent first, the rest while they are on their way. Colours: all red
    points, an exchange, all black points, an exchange."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add some loops of a mesh."""
        row = process.whole.services.mesh(process, self)
        process.append(PhasePlan(kind=codes.MESH, row=row, loops=self.loops))


class Numerical(Phase):
    """Calls of numerical servers."""

    problem: ProblemName
    """What they ask for."""
    n: Count
    """Its size: equations, or EP's logarithm."""
    library: Name | None = None
    """By its name at the servers; the fastest of each for the problem if left out."""
    server: Name | None = None
    """Which server; needed unless a metaserver chooses among all with that library."""
    choose: Choice = "fixed"
    """How a call finds its server."""
    site: Name | None = None
    """Where the processes are; as their machine says if left out."""

    @check("n")
    @classmethod
    def _not_endless(cls, n: int, earlier: Earlier) -> int:
        most = LARGEST_N.get(earlier.get("problem", ""), n)
        if n > most:
            about = f"{shown(str(n))} is too large for {earlier['problem']}"
            raise ValueError(f"{about}; write 1 to {most}")
        return n

    def lower(self, process: ProcessBuilder) -> None:
        """Add calls."""
        row = process.whole.services.caller(process, self)
        process.append(PhasePlan(kind=codes.CALLS, row=row))


class Solve(Numerical):
    """Call a numerical server, and wait for the result."""

    do: Literal["solve"]
    """What it does."""
    count: Count = 1
    """How often, one call after the other."""


_LIST = "calls are those of numerical servers; for a list write '{do: listed, calls: FILE.csv}'"


class Calling(Numerical):
    """Call numerical servers at random: trials at equal intervals start calls by chance."""

    mistaken = {"file": _LIST, "calls": _LIST}

    do: Literal["calls"]
    """What it does."""
    every: Time
    """Time between two trials."""
    chance: Percent = 1.0
    """That a trial starts a call."""
    duration: Time
    """How long calls are started; those under way then are waited for."""
    continues: Flag = False
    """Trials go on while a call is out; otherwise they stop until it has ended."""
    first: Time = Nanoseconds(0)
    """The first trial."""
    spread: Flag = False
    """The first trials of the job's processes are spread over the time between two."""

    @check("every")
    @classmethod
    def _not_at_once(cls, every: Nanoseconds, _: Earlier) -> Nanoseconds:
        if every == 0:
            raise ValueError("'0 s' would be endless trials; write it like '3 s'")
        return every

    @check("duration")
    @classmethod
    def _some(cls, duration: Nanoseconds, _: Earlier) -> Nanoseconds:
        if duration == 0:
            raise ValueError("'0 s' leaves no time for a call; write it like '30 min'")
        return duration


# -- what they need of their job ----------------------------------------------------------------


MOST_TRIALS = 1_000_000
"""Of all processes of a job together."""


def use_faults(job: Job) -> Iterator[Fault]:
    """Find phases that the processes of a job cannot do, whatever the machine."""
    for at, phase in job.every_phase():
        if isinstance(phase, Mesh):
            yield from _mesh(job, phase, at)
        elif isinstance(phase, Numerical):
            yield from _numerical(job, phase, at)
    if job.launched and job.arrivals is not None:
        about = "has no effect beside arrivals, whose processes are there; leave one of them out"
        yield ("launched",), about


def _mesh(job: Job, phase: Mesh, at: Path) -> Iterator[Fault]:
    if grid_of(job.ranks, phase.rows, phase.columns) is None:
        about = f"{phase.rows} x {phase.columns} points cannot be divided in {job.ranks} blocks"
        yield (*at, "rows"), f"{about}; write more points, or fewer processes"
    elif job.arrivals is not None:
        about = "processes that serve arrivals do not meet, so they cannot do mesh"
        yield at, f"{about}; leave the phase or the arrivals out"


def _numerical(job: Job, phase: Numerical, at: Path) -> Iterator[Fault]:
    if phase.choose == "fixed" and phase.server is None:
        about = "server is missing; write it like 'server: j90', or 'choose: load'"
        yield at, about
    if isinstance(phase, Calling):
        trials = phase.duration // phase.every * job.ranks * job.times(at)
        if trials > MOST_TRIALS:
            least = format_time(phase.duration * job.ranks / MOST_TRIALS)
            about = f"{shown(format_time(phase.every))} would be {trials:,} trials"
            yield (*at, "every"), f"{about}; write {least} or more"
