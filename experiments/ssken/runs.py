"""The runs of the SS-ken study: each printed job on the machine of its site, simulated once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.config.formats import MACHINE
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.run import EngineName, load, run_plan
from simulator.shipped import shipped_root
from simulator.study.change import NOTHING, Change, Settings
from simulator.study.work import Work

from .jobs import CODES, SEPARATOR, Part, PrintedJob, calls_of, load_jobs

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.result.result import Result
    from simulator.workload.traced import Traced

SYSTEM = ("cpu", "memory")
"""Resources whose service is the processor's time in the kernel."""

FLUSHING = ("sync",)
"""Calls whose time grows with the written bytes: files are shorter by ``one_in``."""


@dataclass(slots=True)
class Spent:
    """Counts and times of calls of one kind on one file, scaled to the report's number."""

    calls: float = 0.0
    bytes: float = 0.0
    seconds: float = 0.0
    longest_s: float = 0.0


@dataclass(slots=True)
class JobRun:
    """A simulated job; times and counts are scaled to all calls of the report."""

    spent: dict[tuple[str, str], Spent] = field(default_factory=dict)
    """By call and file."""
    elapsed_s: float = 0.0
    computing_s: float = 0.0
    system_s: float = 0.0
    moved: dict[str, float] = field(default_factory=dict)
    """Bytes moved by each instance of a resource."""

    def of(self, calls: Iterable[str], files: Iterable[str] = ()) -> Spent:
        """Add up some kinds of calls, on some files or on all."""
        calls, files = set(calls), set(files)
        total = Spent()
        for (call, file), one in self.spent.items():
            if call in calls and (not files or file in files):
                total.calls += one.calls
                total.bytes += one.bytes
                total.seconds += one.seconds
                total.longest_s = max(total.longest_s, one.longest_s)
        return total


class SskenRuns:
    """Jobs of the report, each run once for each of its settings."""

    def __init__(
        self, engine: EngineName, work: Work | None = None, change: Change = NOTHING
    ) -> None:
        self.engine: EngineName = engine
        self.engine_used = ""
        """The engine of the last run."""
        self.change = change
        self.jobs = load_jobs()
        self.work = work or Work(1)
        self._machines: dict[tuple[str, Settings], Machine] = {}
        self._runs: dict[tuple[str, str, Settings], JobRun] = {}

    @property
    def machine(self) -> Machine:
        """The machine of the first job."""
        return self.machine_of(next(iter(self.jobs.values())).machine)

    def machine_of(self, name: str, settings: Settings = ()) -> Machine:
        """Return the machine of a site, with settings that have full paths."""
        key = (name, settings)
        if key not in self._machines:
            path = shipped_root("experiments") / "ssken" / f"{name}.yaml"
            self._machines[key] = load(MACHINE, path, settings)
        return self._machines[key]

    def machines(self) -> list[str]:
        """Return the names of all machines, in the order of the jobs."""
        return list(dict.fromkeys(job.machine for job in self.jobs.values()))

    def run(self, name: str, settings: Settings = (), on: str = "") -> JobRun:
        """Return a job's run; ``on`` puts all of it on another file system."""
        name, on = self.change.job(name), on or self.change.filesystem
        job = self.jobs[name]
        of_site, of_all = self.change.of_site(job.machine)
        settings = (*of_all, *settings)
        key = (name, on, settings)
        if key not in self._runs:
            machine = self.machine_of(job.machine, (*of_site, *job.settings, *settings))
            made = JobRun()
            for number, part in enumerate(job.parts):
                calls = calls_of(name, number)
                self._carry_out(made, job, part, calls, machine, on or part.filesystem)
            self._runs[key] = made
            self.work.add()
        return self._runs[key]

    def _carry_out(
        self,
        made: JobRun,
        job: PrintedJob,
        part: Part,
        calls: Traced,
        machine: Machine,
        filesystem: str,
    ) -> None:
        prestage = part.prestage and filesystem == part.filesystem
        plan = replayed_plan(machine, calls, Placing(filesystem, prestage=prestage))
        result = run_plan(plan, engine=self.engine, record=True)
        self.engine_used = result.engine
        _add_calls(made, job, part, result, [file.name for file in plan.files])
        made.elapsed_s += job.one_in * result.elapsed_ns / 1e9
        for process in result.processes:
            made.computing_s += job.one_in * process.compute_ns / 1e9
            spent = (service for column, (_, service) in process.spent.items() if column in SYSTEM)
            made.system_s += job.one_in * sum(spent) / 1e9
        for instance, one in result.parts.items():
            made.moved[instance] = made.moved.get(instance, 0) + job.one_in * one.bytes


def _add_calls(made: JobRun, job: PrintedJob, part: Part, result: Result, files: list[str]) -> None:
    log = result.calls
    assert log is not None
    names = [name.partition(SEPARATOR)[0] for name in files]
    found: dict[tuple[int, str], list[int]] = {}
    """Number, bytes, time and longest time in ns, by kind of call and file."""
    for kind, file, _, size, begin, end in zip(*log.columns(), strict=True):
        if file < 0:
            continue
        one = found.setdefault((kind, names[file]), [0, 0, 0, 0])
        took = end - begin
        one[:] = one[0] + 1, one[1] + size, one[2] + took, max(one[3], took)
    for (call, name), scale in part.scales().items():
        if (CODES[call], name) not in found:
            continue
        number, moved, took, longest = found[CODES[call], name]
        spent = made.spent.setdefault((call, name), Spent())
        spent.calls += scale * number
        spent.bytes += scale * moved
        spent.seconds += (job.one_in if call in FLUSHING else scale) * took / 1e9
        spent.longest_s = max(spent.longest_s, longest / 1e9)
