"""Phases of any kind: a phase is one thing that each process of a job does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from simulator.config.errors import Fault, Path, PathStep, places_of
from simulator.config.quantities import SizeOrNone
from simulator.config.section import Section, UnionOf, tags_of
from simulator.kinds import classes_of
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.lowering.block import Block
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Calls, File, Job, Workload
    from simulator.kinds.dice import Dice
    from simulator.plan.jobs import PhasePlan

COUNTED = (
    "what its library does is counted before the run, and so needs a number of rounds; write"
    " 'repeat' instead of 'until', or another phase"
)
"""What is said of a job that goes on until others end."""


def not_written(file: str) -> str:
    """Return the message about a file that is read and has nothing in it."""
    about = f"{shown(file)} neither exists nor is written before; write 'exists: true'"
    return f"{about} in files.{file}, or a phase that writes it"


Drawn = dict[str, Any]
"""Keys of a phase with values that are drawn for a test."""


@dataclass(frozen=True)
class Spot:
    """Where a phase stands, for those who check it."""

    workload: Workload
    index: int
    """Of the job."""
    at: Path
    """Its place in the job."""

    @property
    def job(self) -> Job:
        """Its job."""
        return self.workload.jobs[self.index]

    def file(self, name: str) -> File:
        """Return a file."""
        return self.workload.files[name]

    def written(self, name: str) -> int:
        """Bytes of a file that may be written before: by the job, or by another that has it too.

        All have a file that is shared; a job of a queue has those of the job that brings its data,
        and one that takes data away has those of both.
        """
        file, most = self.file(name), 0
        for index, job in enumerate(self.workload.jobs):
            if index != self.index and not file.shared and not self._served(job):
                continue
            again = index != self.index or job.repeat > 1 or job.until is not None
            for at, phase in job.every_phase():
                if phase.uses == name and (again or self._follows(at)):
                    most = max(most, phase.writes_of(file))
        return most

    def _served(self, other: Job) -> bool:
        """Return whether another job writes the same files before: it is of the same submission."""
        if other.name == self.job.stage_in:
            return True
        owners = [one for one in self.workload.jobs if one.stage_out == self.job.name]
        return any(other is one or other.name == one.stage_in for one in owners)

    def _follows(self, other: Path) -> bool:
        """Return whether another phase may be before it: it stands there, or in the same loop."""
        looped = len(other) > 2 and other[:2] == self.at[:2]
        return looped or places_of(other) < places_of(self.at)


@dataclass(frozen=True)
class JobNodes:
    """Where the processes of a job run."""

    group: int
    members: list[int]
    """The first node of each process."""
    shared: bool = False
    """More processes are on a node than the job asks for."""


def nodes_of_jobs(machine: Machine, workload: Workload) -> Iterator[tuple[Job, JobNodes]]:
    """Deal out the nodes of a machine to jobs, in their order.

    Processes follow each other on the nodes of their group, ``per_node`` on each; where it is
    left out they begin again at the first node after the last. Of an unknown group there are none.
    Those of jobs of a queue count within the nodes that a job gets.
    """
    tables, following = machine.tables, dict[int, int]()
    usual = next(iter(machine.nodes))
    for job in workload.jobs:
        group = tables.group_of.get(job.on or usual, -1)
        count = tables.groups[group].count
        if job.on in (None, *machine.nodes) and machine.nodes[job.on or usual].queue is not None:
            each = job.per_node or 1
            yield job, JobNodes(group, [rank // each * job.nodes for rank in range(job.ranks)])
            continue
        first = job.first_node if job.first_node is not None else following.get(group, 0)
        each = job.per_node or 1
        nodes = [first + rank // each * job.nodes for rank in range(job.ranks)]
        last = nodes[-1] + job.nodes if nodes else first
        following[group] = max(following.get(group, 0), last)
        yield job, JobNodes(group, [node % count for node in nodes], last > count)


@dataclass(frozen=True)
class OnMachine(Spot):
    """A phase on a machine that it may not fit."""

    machine: Machine
    place: JobNodes
    """Where its processes run."""

    def where(self, *keys: PathStep) -> Path:
        """Return the place in the workload of a key of the phase."""
        return ("jobs", self.index, *self.at, *keys)

    def system(self, phase: Phase) -> str:
        """Return the file system of the file that the phase uses."""
        assert phase.uses is not None
        return self.machine.system(self.file(phase.uses).filesystem)

    def block(self, phase: Phase) -> Block:
        """Return the path by which it reaches its file; raises ``WalkError``."""
        assert phase.uses is not None
        way = self.machine.way(self.file(phase.uses), phase.through, self.job.path)
        return self.machine.ways.block(*way, self.place.group)


def phases_on(machine: Machine, workload: Workload) -> Iterator[tuple[OnMachine, Phase]]:
    """Yield all phases of a workload that names nothing unknown."""
    for index, (job, place) in enumerate(nodes_of_jobs(machine, workload)):
        for at, phase in job.every_phase():
            yield OnMachine(workload, index, at, machine, place), phase


Faults = Iterator[Fault]


class Phase(Section):
    """One thing that each process of a job does."""

    # -- what those ask who do not know the kind; each has a default ------------------------------

    rank: ClassVar[int] = 100
    """Where schemas and messages have it among all kinds; those of a user are the last."""
    meets: ClassVar[bool] = False
    """The processes of the job wait for each other in it."""
    computes: ClassVar[bool] = False
    """It takes time of a processor that its process may share with servers."""
    restarts: ClassVar[bool] = False
    """A job that fails may begin it again."""
    moves: ClassVar[bool] = False
    """It opens its file, reads or writes records of it, and closes it."""
    timed: ClassVar[str] = ""
    """The key that says how long it takes."""
    within: ClassVar[str] = "parts"
    """What the places of its inner phases have between its own and their numbers: ``parts`` if
    they are not written in the file."""

    later = frozenset(("memory",))

    @property
    def draws(self) -> bool:
        """Whether each process draws what it does or how long it takes, and leaves the others."""
        return False

    do: str
    """What it does."""
    memory: SizeOrNone | None = None
    """What each process of the job holds in memory while it is in this phase, on each of its nodes;
    as the loop that it is in, or as the job, if left out."""

    prepared: ClassVar[bool] = False
    """Its requests are made before the run, for the nodes that its processes have then."""

    nonblocking = False
    """Whether it has only begun when the next phase begins; see :meth:`carry_out`."""
    threads: ClassVar[str] = "nonblocking calls"
    """What its processes beside those of the job are called."""

    @property
    def helpers(self) -> int:
        """Return how many processes of its own each process of the job has beside it."""
        return int(self.nonblocking)

    @property
    def inner(self) -> Sequence[Phase]:
        """The phases that it is made of, which are checked and carried out instead of it."""
        return ()

    @property
    def rounds(self) -> int:
        """Return how often they follow each other."""
        return 1

    @property
    def named(self) -> bool:
        """Return whether results have its time: it is in the file, and no loop of such phases."""
        return not self.inner or self.within == "parts"

    @property
    def what(self) -> str:
        """Return what it does, and with which file."""
        return f"{self.do} {self.uses}" if self.uses is not None else self.do

    @property
    def uses(self) -> str | None:
        """The file that it uses."""
        return getattr(self, "file", None)

    @property
    def through(self) -> str | None:
        """The path, by name, through which it reaches the file, if it says so."""
        return getattr(self, "path", None)

    @property
    def lists(self) -> Calls | None:
        """The listed calls that it carries out."""
        return getattr(self, "calls", None)

    @property
    def whole(self) -> bool:
        """Return whether it computes, or moves a stream of records from the beginning of a file.

        Then the data of a process may be on several nodes.
        """
        return False

    def writes_of(self, file: File) -> int:
        """Return how many bytes of its file it may write."""
        del file
        return 0

    # -- checks; places are within the phase ------------------------------------------------------

    def faults(self, spot: Spot) -> Faults:
        """Find what the processes of its job cannot do, whatever the machine."""
        del spot
        yield from ()

    @classmethod
    def faults_of(cls, job: Job) -> Faults:
        """Find what a job's phases of this kind cannot do one after the other; places in the job.

        It is called once for each job and kind.
        """
        del job
        yield from ()

    def misfits(self, spot: OnMachine) -> Faults:
        """Find what the machine does not have."""
        del spot
        yield from ()

    def doubts(self, spot: OnMachine) -> Faults:
        """Find what a run carries out, but hardly as it was meant."""
        del spot
        yield from ()

    @classmethod
    def doubts_of(cls, job: Job, machine: Machine) -> Faults:
        """Find the same in all of a job's phases of this kind; places in the job."""
        del job, machine
        yield from ()

    # -- how it becomes operations ----------------------------------------------------------------

    def lower(self, process: ProcessBuilder) -> None:
        """Add it to a process."""
        process.add_phases(self.inner, (*process.at, self.within))

    def carry_out(self, process: ProcessBuilder, number: int = 0) -> PhasePlan:
        """Return what a process of its own does: the nonblocking call, or thread ``number``.

        It sleeps until the process of the job starts it.
        """
        raise NotImplementedError

    # -- random draws, for tests ------------------------------------------------------------------

    beside: ClassVar[tuple[str, ...]] = ()
    """Words of ``do`` that are drawn only by :meth:`drawn_with`."""
    served: ClassVar[bool] = False
    """It needs services of the machine."""

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw those keys that must fit each other; others are drawn by their leaves.

        A key with the value ``LEFT_OUT`` is not written.
        """
        del dice
        return {}

    @classmethod
    def drawn_with(cls, phase: Drawn, draw: Callable[[str], Drawn]) -> list[Drawn]:
        """Return a drawn phase with those that it cannot be without.

        ``draw`` draws one of a word.
        """
        del draw
        return [phase]


@functools.cache
def phases() -> tuple[type[Phase], ...]:
    """Return the kinds of phases that have a word for ``do``, in the order of their ranks."""
    found = (one for one in classes_of("phases", "", Phase) if tags_of(one, "do"))
    return tuple(sorted(found, key=lambda one: one.rank))


AnyPhase = Annotated[Phase, UnionOf("do", phases)]
"""A phase of any kind; ``do`` tells which."""


def leaves(
    phases: Sequence[Phase], at: Path = (), key: str = "phases"
) -> Iterator[tuple[Path, Phase]]:
    """Yield phases in order, inner ones instead of theirs, each with its place below ``at``."""
    for number, phase in enumerate(phases):
        where: Path = (*at, key, number)
        if phase.inner:
            yield from leaves(phase.inner, where, phase.within)
        else:
            yield where, phase


def named_phases(phases: Sequence[Phase], at: Path = ("phases",)) -> Iterator[tuple[Path, Phase]]:
    """Yield those of some phases, and of loops of them, whose times results tell, with places."""
    for number, phase in enumerate(phases):
        if phase.named:
            yield (*at, number), phase
        else:
            yield from named_phases(phase.inner, (*at, number, phase.within))


def phases_in(phases: Sequence[Phase], at: Path = ("phases",)) -> Iterator[tuple[Path, Phase]]:
    """Yield phases and loops as they stand in the file, each with its place."""
    for number, phase in enumerate(phases):
        yield (*at, number), phase
        if phase.within != "parts":
            yield from phases_in(phase.inner, (*at, number, phase.within))
