"""Jobs: which processes there are, where they run, when they start, and what they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from simulator.config.calls import Calls, Listed
from simulator.config.errors import Fault, PartsError, Path
from simulator.config.phase import Phase
from simulator.config.phases import AnyPhase, Loop
from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Leaf,
    Name,
    Size,
    Time,
    not_text,
)
from simulator.config.record import RecordSize
from simulator.config.runtime import Policy
from simulator.config.section import FULL, Called, Section, leaf_of
from simulator.units import Nanoseconds

Distribution = Annotated[Literal["fixed", "poisson"], Called("arrivals")]

Until = Annotated[Literal["others end"], Called("until")]

_TIME = leaf_of(Time)


def _read_times(value: object) -> tuple[Nanoseconds, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(not_text(value, "[0 s, 10 s]"))
    if not value:
        raise ValueError("the list is empty; write times, like '[0 s, 10 s]'")
    times: list[Nanoseconds] = []
    faults: list[Fault] = []
    for index, one in enumerate(value):
        try:
            times.append(_TIME.read(one))
        except ValueError as error:
            faults.append(((index,), str(error)))
    if faults:
        raise PartsError(faults)
    if times != sorted(times):
        raise ValueError("the times are not in order; write the earliest first")
    return tuple(times)


_TIMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}
Times = Annotated[
    tuple[Nanoseconds, ...],
    Leaf(
        "times",
        "[0 s, 10 s]",
        _read_times,
        lambda times: f"[{', '.join(map(_TIME.show, times))}]",
        _TIMES,
    ),
]
"""Times in rising order."""


class Arrivals(Section):
    """When the phases are asked for; each time a process that is free goes through them."""

    synonyms = {"interval": "every", "number": "count", "most": "out"}

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


class Job(Section):
    """Processes that do the same, each with files of its own unless a file is shared."""

    synonyms = {"count": "processes", "clients": "processes", "ranks": "processes", "pes": "nodes"}

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
    start: Time = Nanoseconds(0)
    """When it starts."""
    skew: Time = Nanoseconds(0)
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
    record: RecordSize | None = None
    """Bytes of user data in one READ or WRITE; needed by phases that read or write."""
    buffer: Size | None = None
    """The Fortran buffer of each file; the machine's if left out."""
    policy: Policy | None = None
    """How the runtime works; the machine's if left out."""
    path: Name | None = None
    """How files are reached, by the name of a path of their file system; its first if left out."""
    phases: Annotated[tuple[AnyPhase, ...], FULL] | None = None
    """What each process does, one after the other."""
    calls: Calls | None = None
    """Instead of phases: listed calls of processes."""

    @property
    def ranks(self) -> int:
        """How many processes of it there are at one time."""
        return self.arrivals.out if self.arrivals is not None else self.processes

    def lists(self) -> Iterator[tuple[Path, Calls]]:
        """Yield its listed calls, instead of phases or as some of them, each with its place."""
        if self.calls is not None:
            yield ("calls",), self.calls
        for at, phase in self.every_phase():
            if isinstance(phase, Listed):
                yield (*at, "calls"), phase.calls

    def every_phase(self) -> Iterator[tuple[Path, Phase]]:
        """Yield its phases in order, those of loops instead of these, each with its place."""
        yield from leaves(self.phases or ())

    def times(self, at: Path) -> int:
        """Return how often a process carries out the phase at a place, as far as loops say it."""
        times, phases = 1, self.phases or ()
        for number in places_of(at):
            phase = phases[number]
            if isinstance(phase, Loop):
                times, phases = times * phase.times, phase.phases
        return times

    @property
    def rounds(self) -> bool:
        """Whether a process may go through its phases more than once."""
        return self.repeat > 1 or self.until is not None or self.arrivals is not None


def places_of(at: Path) -> tuple[int, ...]:
    """Return the numbers in the place of a phase, from the outside in.

    >>> places_of(("phases", 1, "phases", 0))
    (1, 0)
    """
    return tuple(int(number) for number in at[1::2])


def label_of(at: Path) -> str:
    """Return what a phase at a place is called.

    >>> label_of(("phases", 1, "phases", 0))
    '1.0'
    """
    return ".".join(map(str, places_of(at)))


def leaves(phases: Sequence[Phase], at: Path = ()) -> Iterator[tuple[Path, Phase]]:
    """Yield phases in order, those of loops instead of these, each with its place below ``at``."""
    for number, phase in enumerate(phases):
        where: Path = (*at, "phases", number)
        if isinstance(phase, Loop):
            yield from leaves(phase.phases, where)
        else:
            yield where, phase
