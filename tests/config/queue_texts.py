"""Short machine and workload files with batch queues."""

from __future__ import annotations

from pathlib import Path

from simulator.config.errors import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.run import load_plan

PHASES = "phases: [{do: compute, time: 1 h}]"
LOG = Path(__file__).resolve().parents[3] / "shared/data/swf/hpc2n-excerpt.swf"
"""A real log; see ``tests/workload/test_job_log.py``."""
ROW = "{job} {submit} 5 {run} {processors} -1 -1 -1 {asked} -1 1 {user} 1 1 {queue} 1 -1 -1\n"


def machine(queue: str = "fcfs", nodes: str = "count: 4") -> str:
    """Write a machine of nodes with a queue, a front end and a disk."""
    return (
        "format: machine/2\nname: m\nnodes:\n"
        f"  node: {{{nodes}{f', queue: {queue}' if queue else ''}}}\n"
        "  fe: 2\nparts: {disk: {kind: disk, rate: 100 MB/s}}\nfilesystems: {fs: [disk]}\n"
    )


def workload(*jobs: str) -> str:
    """Write a workload of jobs."""
    files = "files: {f: {size: 10 MB, exists: true, shared: true}, o: {size: 10 MB}}"
    return f"format: workload/2\nname: w\n{files}\njobs:\n" + "".join(f"- {{{j}}}\n" for j in jobs)


def wrong(machine: str, *jobs: str) -> list[str]:
    """Return what is wrong with a machine, with a workload, or with both; without the file."""
    try:
        read, work = parse_machine(machine, "m"), parse_workload(workload(*jobs), "w")
    except ConfigError as error:
        return [f"{one.key}: {one.message}" for one in error.problems]
    found = fit(read, work)
    return [f"{one.key}: {one.message}" for one in found if one.severity == "error"]


def plan_of(machine: str, *jobs: str, **options: int) -> Plan:
    """Make the plan of a machine and jobs."""
    return load_plan(Text(machine, "m"), Text(workload(*jobs), "w"), **options)


def row(submit: float, run: float, processors: int = 1, **fields: int) -> str:
    """Write a line of a scheduler's log."""
    usual = {"job": 1, "asked": -1, "user": 1, "queue": 1}
    return ROW.format(submit=submit, run=run, processors=processors, **usual | fields)
