"""One process of a job, built phase by phase; listed operations in a row are one phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import label_of
from simulator.plan import codes
from simulator.plan.jobs import DrawPlan, NamedPhase, PhasePlan

if TYPE_CHECKING:
    from simulator.config.errors import Path
    from simulator.config.lowering.plan import Lowering
    from simulator.config.phase import Phase
    from simulator.config.workload_file import Job


class ProcessBuilder:
    """The phases of one process, as they are added."""

    def __init__(self, whole: Lowering, job: Job, rank: int, group: int, number: int) -> None:
        self.whole = whole
        self.job = job
        self.rank = rank
        self.ranks = job.ranks
        self.group = group
        self.node = 0
        """The member of the group that it runs on."""
        self.at: Path = ()
        """The place of the phase that is being added."""
        self.name = job.name if job.ranks == 1 else f"{job.name}.{rank}"
        self.owner = self.name
        """Name of the process whose files it uses."""
        self.instance = ""
        """Which of the jobs of a queue that are alike it belongs to."""
        self.run_ns = 0
        """Run time of its job in a log."""
        self.number = number
        self.first = number - rank
        """Number of the process of rank 0."""
        self.phases: list[PhasePlan] = []
        self._begin = len(whole.operations)
        """The first operation that is of no phase yet."""
        self._memory = job.memory or 0
        """What it holds in the phase that is being added, or in all that say nothing."""
        self._held = self._memory
        """What it holds in the phase before."""
        self._holding: dict[int, int] = {}
        """What it holds in each of its named phases, by their rows."""
        self._starts: dict[int, int] = {}
        """Numbers of operations, and the rows of the named phases that begin there."""
        self._ways: dict[str, tuple[str, str, int]] = {}
        """Where the file of each name is reached, and the paths to files by their numbers."""
        self._paths: dict[int, int] = {}
        self.under_way: list[int] = []
        """Processes that carry out nonblocking calls of this one."""

    def build(self) -> tuple[PhasePlan, ...]:
        """Add all phases of the job."""
        self.add_phases(self.job.phases or (), ("phases",))
        self.finish()
        return tuple(self.phases)

    @property
    def memory(self) -> int:
        """Return what it holds at first: what it holds in its first phase."""
        first = self.phases[0].named if self.phases else -1
        return self._holding.get(first, self.job.memory or 0)

    def add_phases(self, phases: Sequence[Phase], at: Path) -> None:
        """Add phases whose places are ``at`` and a number."""
        for number, phase in enumerate(phases):
            self.at = (*at, number)
            around = self._memory
            if phase.memory is not None:
                self._memory = phase.memory
            if phase.named and "parts" not in self.at:
                self._begin_named(phase)
            phase.lower(self)
            self._memory = around

    def _begin_named(self, phase: Phase) -> None:
        """Have a named phase begin with what is added next, which may be no operation."""
        if self._held != self._memory:  # What is held changes where the plan's phases do.
            self.finish()
        self._held, job = self._memory, self.job.name
        row = self.whole.row_of(
            NamedPhase(job=job, label=self.label, what=phase.what, memory=self._memory)
        )
        self._holding[row] = self._memory
        self._starts[len(self.whole.operations)] = row

    @property
    def label(self) -> str:
        """Return what the phase is called that is being added."""
        return label_of(self.at)

    @property
    def stream(self) -> str:
        """Return what the names of its random streams begin with."""
        return f"{self.name}/{self.label}"

    @property
    def times(self) -> int:
        """Return how often the process carries out this phase, as far as its job says so."""
        return self.job.repeat * self.job.times(self.at)

    # -- operations ---------------------------------------------------------------------------

    def add(
        self, kind: int, file: int = -1, offset: int = 0, size: int = 0, count: int = 1
    ) -> None:
        """Add an operation, or several that are equal."""
        for _ in range(count):
            self.whole.operations.add(kind, file, offset, size, path=self.path_to(file))

    def finish(self, draw: DrawPlan | None = None) -> None:
        """Make a phase of the operations since the last one."""
        first, end = self._begin, len(self.whole.operations)
        if end > first:
            self._begin = end
            named = self._starts.pop(first, -1)
            cuts = [(row, self._starts.pop(row)) for row in sorted(self._starts) if row < end]
            made = PhasePlan(
                kind=codes.LISTED,
                first=first,
                count=end - first,
                draw=draw,
                named=named,
                cuts=tuple(cuts),
            )
            self.phases.append(made)

    def append(self, phase: PhasePlan) -> None:
        """Add a phase after the operations so far."""
        self.finish()
        self.take(phase)

    def take(self, phase: PhasePlan) -> None:
        """Add a phase made of the operations since the last one."""
        named = self._starts.pop(self._begin, -1)
        if named >= 0:  # It has just been made for this; a copy takes as long as all else of it.
            object.__setattr__(phase, "named", named)
        self.phases.append(phase)
        self._begin = len(self.whole.operations)

    def draw_time(self, deviation: float) -> None:
        """Have the time of the last phase drawn, of which it has the mean."""
        mean, at = self.phases[-1].compute_ns, (self.number, len(self.phases) - 1)
        self.whole.drawn.setdefault((self.job.name, self.label, mean, deviation), []).append(at)

    def repeat_from(self, first: int, times: int) -> None:
        """Have the phases from the ``first`` on repeated, if there are any."""
        if len(self.phases) > first:
            self.phases.append(PhasePlan(kind=codes.LOOP, first=first, loops=times))

    def exchange(self, size: int, targets: Iterable[int], sources: Iterable[int]) -> None:
        """Send messages to other ranks of the job, then receive those of others."""
        for other in targets:
            if other != self.rank:
                self.add(codes.SEND, offset=self.channel(self.rank, other), size=size)
        for other in sources:
            if other != self.rank:
                self.add(codes.RECEIVE, offset=self.channel(other, self.rank), size=size)

    def helper(self, number: int) -> int:
        """Return the number of a process beside this one that belongs to the phase, from 0 on."""
        ranks = self.job.ranks
        for at, one in self.job.every_phase():
            if at == self.at:
                break
            number += one.helpers
        return self.first + ranks * (1 + number) + self.rank

    def barrier(self) -> int:
        """Return the number of the barrier that is being added."""
        return self.whole.barrier(self.job, f"{self.instance}/{self.label}")

    def lock(self, name: str) -> int:
        """Return the number of a lock."""
        return self.whole.locks.setdefault(name, len(self.whole.locks))

    def channel(self, source: int, target: int) -> int:
        """Return the number of the channel between two ranks of the job."""
        return self.whole.channel(self.first + source, self.first + target, self.group)

    # -- files --------------------------------------------------------------------------------

    def way(self, name: str, path: str | None = None) -> tuple[str, str, int]:
        """Return the file system, path and group of nodes by which the process reaches a file."""
        file = self.whole.workload.files[name]
        return (*self.whole.machine.way(file, path, self.job.path), self.group)

    def file(
        self, name: str, size: int = 0, *, path: str | None = None, again: bool = False
    ) -> int:
        """Return the number of a file of the process, which is to have ``size`` bytes or more.

        ``again``: it is reached by the path of the process's last phase on it, if there is one.
        """
        file = self.whole.workload.files[name]
        size = max(size, file.size) if file.exists or not size else size
        way = self._ways[name] if again and name in self._ways else self.way(name, path)
        self._ways[name] = way
        number = self.whole.files.place(
            name if file.shared else f"{self.owner}/{name}",
            way,
            length=size if file.exists else 0,
            size=size,
            most=file.size,
            prestaged=file.prestage,
        )
        self._paths[number] = self.whole.files.path_to(number, way)
        return number

    def path_to(self, number: int) -> int:
        """Return the path by which operations that follow reach a file; -1: that of the file."""
        return self._paths.get(number, -1)
