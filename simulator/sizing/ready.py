"""One load of a requirement, and what its workloads and machine have to have for its targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Problem
from simulator.config.requirement_targets import LATENCIES
from simulator.errors import did_you_mean
from simulator.plan.plan import MOST_TIMED_JOBS
from simulator.prepared import Prepared
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Target
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan


@dataclass(frozen=True)
class Ready:
    """One load, ready to be planned."""

    name: str
    """That of the load, with its year unless that is the one that counts."""
    load: str
    year: float
    counts: bool
    """True if it is of the year in which targets hold that do not name one."""
    weight: float
    workload: str
    """Its file, or shipped name."""
    settings: tuple[Setting, ...]
    """Settings of all its runs, with full paths."""
    prepared: Prepared

    def is_asked(self, target: Target) -> bool:
        """Return whether a target is of this load, in its year."""
        of_year = self.counts if target.year is None else target.year == self.year
        return of_year and target.workload in (None, self.load)

    def alone(self) -> Ready:
        """Return the load with plans of its own, of files that are read already."""
        prepared = Prepared.of(self.prepared.machines, self.prepared.workloads)
        return replace(self, prepared=prepared)

    def plan(self, settings: Iterable[Setting], seed: int | None = None) -> Plan:
        """Make the plan of a run with more settings; ConfigError lists what is wrong."""
        return self.prepared.plan(settings, seed=seed)


def faults_of_names(
    targets: Sequence[Target], workloads: Mapping[str, Workload], machine: Machine
) -> Iterator[Fault]:
    """Find targets of jobs that no load has, or of nodes that the machine has not."""
    nodes = machine.nodes
    for index, target in enumerate(targets):
        for name in [target.workload] if target.workload else [*workloads]:
            jobs = [job.name for job in workloads[name].jobs]
            if target.job is not None and target.job not in jobs:
                hint = did_you_mean(target.job, jobs)
                yield ("targets", index, "job"), f"{name} has no job {target.job!r}; {hint}"
            elif target.job and len(jobs) > MOST_TIMED_JOBS and {*target.figures} & {*LATENCIES}:
                about = f"calls are told apart of at most {MOST_TIMED_JOBS} jobs of a load"
                about = f"{about}, and {name} has {len(jobs)}; write fewer jobs of more processes"
                yield ("targets", index, "job"), about
        at = ("targets", index, "node")
        if target.node is not None and target.node not in nodes:
            hint = did_you_mean(target.node, nodes)
            yield at, f"the machine has no nodes {target.node!r}; {hint}"
        elif target.node is not None and nodes[target.node].queue is not None:
            yield at, f"jobs of a queue get other nodes of {target.node} each time; leave it out"


def impatient(machine: Machine) -> Iterator[Problem]:
    """Yield file systems whose calls fail: what is not done takes no time, and meets any target."""
    for name, system in machine.filesystems.items():
        if system.timeout is not None:
            about = f"calls on {name} give up, and times of calls that fail meet no target; leave"
            yield Problem("", 0, 0, "", f"{about} 'timeout' of {name} out")


def command_of(
    machine: str, load: Ready, settings: Iterable[Setting], options: Iterable[str]
) -> str:
    """Return the command that makes runs of a load on a machine again."""
    words = ["nwtsim", "run", machine, load.workload]
    for path, value in (dict(load.settings) | dict(settings)).items():
        words += ["--set", f"{path}={value}"]
    return command_line(*words, *options)
