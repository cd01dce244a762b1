"""The runs of the page-cache study: tasks of 20 to 100 GB, instances of tasks of 3 GB, Nighres.

The time of a phase is that of the workload's phase in the result (``application.0`` on).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any

from simulator.prepared import Prepared
from simulator.result.jobs import phase_times_ns
from simulator.run import EngineName, run_plan
from simulator.shipped import shipped_root
from simulator.study.change import NOTHING, Change, Settings
from simulator.study.studies import read_own
from simulator.study.work import Work

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.result.result import Result

FOLDER = shipped_root("experiments") / "pagecache"
TASKS, INSTANCES, REMOTE, NIGHRES = "tasks", "instances", "remote", "nighres"
"""Workloads: of experiments 1 to 4."""
MEASURED, CALIBRATED = "machine", "calibrated"
"""Machines: with measured rates, and with two values fitted to experiment 1 (fit.yaml)."""
SIZES = (20, 50, 75, 100)
"""GB of a file in experiment 1."""
COUNTS = (1, 2, 4, 8, 16, 32)
"""Numbers of simulated instances of experiments 2 and 3."""
PHASES = ("read1", "write1", "read2", "write2", "read3", "write3")
STEPS = (*PHASES, "read4", "write4")
"""Phases of experiment 4."""
PLACES = {name: (3 * (number // 2) + 2 * (number % 2),) for number, name in enumerate(PHASES)}
"""Position of each phase in the job: a task reads, computes and writes."""
PLACES_OF_STEPS = {
    **{name: PLACES[name] for name in PHASES[:4]},
    "read3": (6, 7),
    "write3": (9,),
    "read4": (10,),
    "write4": (12,),
}
"""Positions in experiment 4, whose third step reads in two phases."""
OURS = "nwtsim"
PEERS = ("wrench", "wrench_cache", "prototype")


@cache
def published() -> dict[str, Any]:
    """Return the measurements, and the results of other simulators."""
    made: dict[str, Any] = read_own((FOLDER / "published.yaml").read_text(encoding="utf-8"))
    return made


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A run of tasks: the time of each phase, mean of instances; s."""

    phases: dict[str, float]


class PagecacheRuns:
    """Simulated runs, each made once."""

    def __init__(
        self,
        engine: EngineName,
        work: Work | None = None,
        change: Change = NOTHING,
        machine: str = MEASURED,
    ) -> None:
        """``machine``: the file of the machine, MEASURED or CALIBRATED."""
        self.engine: EngineName = engine
        self.machine_file = machine
        self.engine_used = ""
        """The engine of the last run."""
        self.work = work or Work(1)
        self.change = change
        self._files: dict[str, Prepared] = {}
        self._runs: dict[tuple[str, Settings], TaskRun] = {}

    @property
    def machine(self) -> Machine:
        """The machine of all runs."""
        return self._prepared(TASKS).load(self.change.of_machine)[0]

    def tasks(self, size: int) -> TaskRun:
        """Return experiment 1 with files of a number of GB."""
        computing = published()["cpu_s"][size]
        files = ((f"workload.files.f{number}.size", f"{size} GB") for number in range(1, 5))
        own = (
            *files,
            ("workload.jobs.*.memory", f"{size} GB"),
            ("workload.jobs.*.phases.*.time", f"{computing} s"),
        )
        return self._run(TASKS, own)

    def instances(self, workload: str, count: int) -> TaskRun:
        """Return experiment 2 or 3 with a number of concurrent instances."""
        return self._run(workload, (("workload.jobs.*.processes", str(count)),))

    def prepare(self) -> None:
        """Read the files of all runs."""
        for workload in (TASKS, INSTANCES, REMOTE, NIGHRES):
            self._prepared(workload).load()

    def nighres(self) -> TaskRun:
        """Return experiment 4."""
        return self._run(NIGHRES, ())

    def times(self, name: str, size: int) -> dict[str, float]:
        """Return the phases of experiment 1, measured or by a simulator."""
        if name == OURS:
            return self.tasks(size).phases
        times: dict[str, float] = published()["times_s"][size][name]
        return times

    def errors(self, name: str, sizes: tuple[int, ...] = SIZES) -> Iterator[float]:
        """Yield the relative error of each phase: simulated / measured - 1."""
        for size in sizes:
            times, measured = self.times(name, size), published()["times_s"][size]["measured"]
            yield from (times[phase] / measured[phase] - 1 for phase in PHASES)

    def mean_error_percent(self, name: str, sizes: tuple[int, ...] = SIZES) -> float:
        """Return the paper's measure of error: the mean of |simulated - measured| / measured."""
        return 100 * fmean(map(abs, self.errors(name, sizes)))

    def _prepared(self, workload: str) -> Prepared:
        if workload not in self._files:
            machine = FOLDER / f"{self.machine_file}.yaml"
            self._files[workload] = Prepared(machine, FOLDER / f"{workload}.yaml")
        return self._files[workload]

    def _run(self, workload: str, own: Settings) -> TaskRun:
        key = (workload, own)
        if key not in self._runs:
            plan = self.change.made(self._prepared(workload).plan, own)
            result = run_plan(plan, engine=self.engine)
            self.engine_used = result.engine
            places = PLACES_OF_STEPS if workload == NIGHRES else PLACES
            self._runs[key] = TaskRun(phases_of(result, places))
            self.work.add()
        return self._runs[key]


def phases_of(result: Result, places: Mapping[str, tuple[int, ...]]) -> dict[str, float]:
    """Return the time of each phase, mean of processes; s."""
    times = phase_times_ns(result)
    return {
        name: sum(times[f"application.{one}"] for one in own) / 1e9 for name, own in places.items()
    }
