"""Facts that the patterns of a job look at: its transfers, the units they meet, and times of calls.

A pattern costs no run: it only decides which cures are worth running.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.advise import LEAST_POSSIBLE, Change, Concerned, Cure, Finding
from simulator.answers.levers import level_of, set_to
from simulator.config.errors import Path, dotted
from simulator.config.quantities import Leaf
from simulator.config.record import INTERLEAVED, RANK, LognormalRecord, UniformRecord
from simulator.config.section import Section, fields_of
from simulator.kinds.phases.transfer import Transfer
from simulator.kinds.tiers.request.section import Request
from simulator.kinds.tiers.route.section import Route
from simulator.kinds.tiers.stripe.section import Stripe
from simulator.kinds.tiers.use.section import Use

if TYPE_CHECKING:
    from simulator.config.caches import Store
    from simulator.config.filesystems import AccessPath, FileSystem
    from simulator.config.machine_file import Machine
    from simulator.config.phase import Phase
    from simulator.config.settings import Setting
    from simulator.config.workload_file import File, Job, Workload
    from simulator.result.result import Result

MOST_PHASES = 64
"""Phases, repetitions written out, of a cure that leaves some out."""
_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf")
"""Names that some readers of YAML take for something else."""


class Move(NamedTuple):
    """A phase that reads or writes a file, with all that decides how."""

    facts: Facts
    place: tuple[int, Path]
    """The number of its job, and the place of the phase in it."""
    job: Job
    phase: Transfer
    file: File

    @property
    def at(self) -> str:
        """The path of the phase, as settings have it."""
        job, phase = self.place
        return f"workload.jobs.{job}.{dotted(phase)}"

    @property
    def writes(self) -> bool:
        """True if it writes."""
        return self.phase.do == "write"

    @property
    def record(self) -> int | None:
        """Bytes of a record, if all have one size."""
        record = self.phase.record if self.phase.record is not None else self.job.record
        return record if isinstance(record, int) else None

    @property
    def mean_record(self) -> int:
        """Bytes of a record, or of one as drawn on the average: roughly."""
        record = self.phase.record if self.phase.record is not None else self.job.record
        if isinstance(record, tuple):
            return max(1, sum(record) // len(record))
        if isinstance(record, UniformRecord):
            return max(1, (record.from_ + record.to) // 2)
        if isinstance(record, LognormalRecord):
            return record.median
        return record or 1

    @property
    def policy(self) -> str:
        """The runtime."""
        return self.phase.policy or self.job.policy or self.facts.machine.runtime.policy

    @property
    def buffer(self) -> int:
        """Fortran's buffer."""
        return self.phase.buffer or self.job.buffer or self.facts.machine.runtime.buffer

    @property
    def own(self) -> bool:
        """True if each process has a part of a shared file."""
        return self.phase.offset in (RANK, INTERLEAVED)

    def holds(self, size: int) -> bool:
        """Return whether a usual node has the memory for so many bytes of each of its processes."""
        nodes = self.facts.machine.nodes
        memory = nodes[self.job.on or next(iter(nodes))].memory
        return memory is None or size * (self.job.per_node or 1) <= memory

    @property
    def bytes_each(self) -> int:
        """Bytes that one process moves in the phase, at most."""
        if self.phase.size is not None:
            return self.phase.size
        low = self.phase.offset if isinstance(self.phase.offset, int) else 0
        size = self.file.size - low
        return size // self.job.ranks if self.own else size

    @property
    def times(self) -> int:
        """The number of times that the phase is gone through, all processes together."""
        return self.facts.times(self.job, self.place[1])

    @property
    def calls(self) -> int:
        """Records that are read or written, all together: exact if all have one size."""
        return -(-self.bytes_each // self.mean_record) * self.times

    @property
    def bytes(self) -> int:
        """Bytes that are moved, all together."""
        return self.bytes_each * self.times

    @property
    def system(self) -> FileSystem:
        """The file system of its file."""
        machine = self.facts.machine
        return machine.filesystems[self.system_name]

    @property
    def system_name(self) -> str:
        """The name of the file system of its file."""
        return self.facts.machine.system(self.file.filesystem)

    @property
    def path_name(self) -> str:
        """The name of the path to its file."""
        machine = self.facts.machine
        wanted = self.phase.path, self.job.path, self.file.path
        return machine.path(self.system_name, *wanted)

    @property
    def way(self) -> tuple[str, AccessPath]:
        """The path to its file, with its place in the machine file."""
        machine, system = self.facts.machine, self.system_name
        at, way = machine.filesystems[system].ways()[self.path_name]
        return ".".join(["machine.filesystems", system, *map(str, at)]), way

    @property
    def stores(self) -> list[tuple[str, Store]]:
        """The stores on its way, the program's first."""
        known = self.facts.machine.stores
        tiers = self.way[1].tiers
        return [
            (one.use, known[one.use]) for one in tiers if isinstance(one, Use) and one.use in known
        ]

    @property
    def units(self) -> list[int]:
        """Sizes in which its way moves data, in rising order: requests, stripes, blocks."""
        found: set[int] = set()
        for tier in self.way[1].tiers:
            if isinstance(tier, Stripe):
                found.add(tier.stripe)
            elif isinstance(tier, Request | Route) and tier.request is not None:
                found.add(tier.request)
        for _, store in self.stores:
            found |= {store.block, store.extent or max(store.block, 1 << 20)}
        return sorted(found)

    def setting(self, key: str, value: Any) -> Setting:
        """Return the setting of a value that a phase has of its own, or from its job."""
        job, _ = self.place
        own = key in self.phase.given or not hasattr(type(self.job), key)
        alone = all(one.phase is self.phase for one in self.facts.moves if one.place[0] == job)
        at = f"workload.jobs.{job}" if alone and not own else self.at
        return set_to(f"{at}.{key}", self.phase, key, value)

    def finding(self, pattern: str, found: str, cures: Iterable[Cure]) -> Finding:
        """Return a finding that is about this phase alone."""
        return Finding(pattern, found, tuple(cures), (concerned(self),), self.calls)


class Facts:
    """A machine, a job, and a run of it."""

    def __init__(self, machine: Machine, workload: Workload, result: Result) -> None:
        self.machine = machine
        self.workload = workload
        self.result = result
        self.kept: set[Setting] = set()
        """Settings by which processes read less, since they keep what they have read."""

    @cached_property
    def moves(self) -> list[Move]:
        """Phases that read or write, without those of arrays on I/O nodes."""
        return [
            Move(self, (number, at), job, phase, self.workload.files[phase.file])
            for number, job in enumerate(self.workload.jobs)
            for at, phase in job.settable_phases()
            if isinstance(phase, Transfer)
        ]

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of its phases."""
        return {phase.do for job in self.workload.jobs for _, phase in job.every_phase()}

    def times(self, job: Job, at: Path) -> int:
        """Return how often a phase is gone through, all processes together."""
        arrivals, once = job.arrivals, job.times(at)
        if arrivals is not None:
            return once * (arrivals.count or len(arrivals.at or ()))
        if job.until is not None:
            return once * sum(one.rounds for one in self.result.masters() if one.job == job.name)
        return once * job.processes * job.repeat

    def matters(self, *operations: str) -> bool:
        """Return whether some calls took long enough for a cure to be worth a run."""
        latencies = self.result.latencies
        took = sum(
            latencies[one].count * latencies[one].mean_ns for one in operations if one in latencies
        )
        return took > self.least_ns

    @property
    def least_ns(self) -> float:
        """Time below which calls are not worth a look: of jobs that arrive, of their own time."""
        masters = self.result.masters()
        busy = sum(one.elapsed_ns - one.idle_ns for one in masters)
        arrive = all(one.job in self.result.responses for one in masters)
        return LEAST_POSSIBLE * (busy if arrive else self.result.elapsed_ns)

    def phases(self, job: int) -> Sequence[Phase]:
        """Return the phases of a job."""
        return self.workload.jobs[job].phases or ()


def doubled(least: int, most: int, *also: int) -> Iterator[int]:
    """Yield sizes in rising order: powers of 4 times ``least``, and ``also``, beyond it.

    >>> list(doubled(1, 100, 10, 1000))
    [4, 10, 16, 64]
    """
    sizes = {one for one in also if least < one <= most}
    size = 4 * least
    while size <= most and len(sizes) < 12:
        sizes.add(size)
        size *= 4
    yield from sorted(sizes)


def cure(how: str, settings: Iterable[Setting], presumes: str = "", risk: str = "") -> Cure:
    """Return a cure by settings; its texts are sentences without their full stops."""
    sentence = f"{how[0].upper()}{how[1:]}."
    change = Change(tuple(settings))
    return Cure(
        sentence,
        change,
        f"{presumes}." if presumes else "",
        f"{risk}." if risk else "",
        level=level_of(*(path for path, _ in change.settings)),
    )


def concerned(*moves: Move) -> Concerned:
    """Return the file of a phase, or of several that have it in common."""
    calls, size = sum(one.calls for one in moves), sum(one.bytes for one in moves)
    return Concerned(moves[0].phase.file, calls, size)


def unrolled(phases: Sequence[Phase], times: int = 1) -> list[Phase] | None:
    """Return phases so often, inner ones instead of theirs; None if that cannot be written."""
    made: list[Phase] = []
    for phase in phases:
        more = unrolled(phase.inner, phase.rounds) if phase.inner else [phase]
        if getattr(phase, "order", None) == "onward":  # It goes on where itself has ended.
            return None
        if more is None or len(made) + len(more) > MOST_PHASES:
            return None
        made += more
    return made * times if len(made) * times <= MOST_PHASES else None


def with_phases(job: int, phases: Sequence[Phase], repeat: int = 1) -> tuple[Setting, ...]:
    """Return the settings of a job that has other phases, and goes through them once."""
    at = f"workload.jobs.{job}"
    once = ((f"{at}.repeat", "1"),) if repeat > 1 else ()
    return (f"{at}.phases", phases_text(phases)), *once


def phases_text(phases: Sequence[Section]) -> str:
    """Write phases as a setting has them: ``[{do: write, file: a}, ...]``."""
    return f"[{', '.join(map(_phase_text, phases))}]"


def _phase_text(phase: Section) -> str:
    words = []
    for key, shape in fields_of(type(phase)).items():
        if key in phase.given and (value := getattr(phase, key)) is not None:
            if isinstance(shape, Leaf):
                text = shape.show(value)
                words.append(f"{key}: {_quoted(text) if shape.name == 'name' else text}")
            else:
                words.append(f"{key}: {phases_text(value)}")
    return f"{{{', '.join(words)}}}"


def _quoted(name: str) -> str:
    """Write a name so that YAML reads it as it is."""
    plain = name.isascii() and name.replace("-", "a").replace("_", "a").isalnum()
    if plain and name[0].isalpha() and name.lower() not in _WORDS:
        return name
    return "'" + name.replace("'", "''") + "'"
