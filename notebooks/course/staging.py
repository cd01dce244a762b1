"""The end of lesson 7: jobs with data, which are on disk, or in a cache before a job begins."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import nwtsim

from .chart import Chart

if TYPE_CHECKING:
    from nwtsim import Result

COMPUTED_MIN = 30
WAYS = {"from the disk": False, "staged in": True}
MACHINE = """\
format: machine/2
name: with-data
nodes: {node: {count: 16, queue: {backfill: easy}}, gateway: 1}
parts:
  cpu: {kind: cpu, at: [node, gateway]}
  array: {kind: disk, rate: 100 MB/s}
stores:
  cache: {capacity: 64 GB, block: 8 MB, high: 10 %, low: 5 %}
filesystems:
  scratch: [cache, array]
"""
JOBS = """\
format: workload/2
name: readers
files: {input: {size: 4 GB, exists: true}, output: {size: 2 GB}}
jobs:
- name: job
  submit: {every: 100 s, count: 60}
  record: 8 MB
  phases: [{do: read, file: input}, {do: compute, time: 30 min}, {do: write, file: output}]
"""
STAGE_IN = """\
  stage_in: fetch
- {name: fetch, on: gateway, record: 8 MB, phases: [{do: read, file: input}]}
"""


@functools.cache
def run(staged: bool, room_GB: float = 64) -> Result:
    """Simulate jobs that read 4 GB, compute for half an hour, and write 2 GB, on sixteen nodes.

    ``staged``: a job's input is read into the cache while it waits in the queue.
    """
    jobs = JOBS + (STAGE_IN if staged else "")
    return nwtsim.run(MACHINE, jobs, {"cache.capacity": f"{room_GB:g} GB"}, curves=True)


def stays(staged: bool, room_GB: float = 64) -> list[tuple[float, float]]:
    """Return for each job the hour in which it begins, and its minutes beside computing."""
    made = run(staged, room_GB).to_dict()["queues"]["node"]["jobs"]
    times = zip(made["start_ns"], made["end_ns"], strict=True)
    return sorted((begin / 3600e9, (end - begin) / 60e9 - COMPUTED_MIN) for begin, end in times)


def beside() -> Chart:
    """Draw the minutes that jobs keep their node beside computing, over when they begin."""
    curves = {name: stays(staged) for name, staged in WAYS.items()}
    title = "Jobs whose data are in the cache before them keep their node for less"
    return Chart(title, "hour in which a job begins", "minutes", curves, even=True)


def held() -> Chart:
    """Draw what is in the cache over time, with stage-in."""
    curve = run(staged=True).curves["cache"]
    hours = [one / 3600 for one in curve.begins_s()]
    step = max(1, len(hours) // 40)
    both = {"used": curve.used_bytes(), "dirty": curve.dirty_bytes()}
    curves = {
        name: [(hour, moved / 1e9) for hour, moved in list(zip(hours, found, strict=True))[::step]]
        for name, found in both.items()
    }
    title = "Inputs that wait, inputs in use, and what is written share the 64 GB of the cache"
    return Chart(title, "hours", "GB", curves, even=True)


def mean_min(staged: bool, room_GB: float) -> float:
    """Return the minutes that a job keeps its node beside computing, in the mean of the jobs."""
    found = [minutes for _, minutes in stays(staged, room_GB)]
    return sum(found) / len(found)
