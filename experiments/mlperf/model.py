"""MLPerf Storage v1.0 by simulation: utilisation of accelerators, by storage and hosts.

A report has a number of accelerators of which each takes a batch, computes, and takes the next;
reader threads read ahead. All of that is given by the rules, so that a machine needs two numbers:
what one host takes in, and what all get together (``systems.yaml``). Runs are short, and what
counts is the time between the ends of a shorter and a longer one: the steady state.

Source: MLCommons, storage_results_v1.0 (Apache-2.0): ``configurations.csv`` has what 132 reports
were asked, ``open.csv`` the results of 34 of them; the others were not to be had here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from simulator.inputfile import Text
from simulator.run import load_plan, run_plan

from ..frozen import read_rows

FOLDER = Path(__file__).parent
GB = 1e9
THREAD = 1.5
"""GB/s that a reader thread copies and decodes; assumed."""
MOST_HOSTS = 2
"""Hosts that are simulated: the others are like them, and take their part of the storage."""
SEED = 1
FILLS = 3
"""A short run takes at least so many times what threads read ahead, which is no steady state."""

MACHINE = """\
format: machine/2
name: mlperf
nodes: {{host: {hosts}}}
parts:
  cpu: {{kind: cpu, at: host, copy_rate: {thread} GB/s, call_overhead: 20 us}}
  port: {{kind: queue, at: host, rate: {host} GB/s}}
  storage: {{kind: queue, rate: {storage} GB/s, overhead: 0 s}}
filesystems: {{data: [port, storage]}}
"""
WORKLOAD = """\
format: workload/2
name: {model}
files: {{samples: {{size: 100 TB, exists: true, shared: true}}}}
jobs:
  - name: train
    processes: {processes}
    phases:
      - {{do: load, file: samples, record: {record} B, spread: {spread} %, batch: {reads},
         batches: {batches}, time: {time} s, readers: {readers}, prefetch: {prefetch}}}
"""


@dataclass(frozen=True)
class Asked:
    """What one report was asked: a system, a model, accelerators."""

    submitter: str
    system: str
    model: str
    accelerator: str
    accelerators: int
    hosts: int
    readers: int
    prefetch: int

    @property
    def storage(self) -> dict[str, Any]:
        """Return what its storage and hosts can do."""
        return next(one for name, one in systems().items() if self.system.startswith(name))

    @property
    def loop(self) -> dict[str, Any]:
        """Return the closed loop of its model: samples, batches, computing."""
        whole = models()[self.model]
        return {**whole, **whole[self.accelerator]}


@dataclass(frozen=True)
class Predicted:
    """What a report says of a run."""

    utilisation: float
    """Of the accelerators: computing over time."""
    samples_per_s: float
    fed: int
    """The most accelerators that reach what a valid result needs, as far as was looked."""


@cache
def systems() -> dict[str, dict[str, Any]]:
    """Return what storage and hosts of all systems can do."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "systems.yaml").read_text("utf-8"))
    return found


@cache
def models() -> dict[str, dict[str, Any]]:
    """Return the closed loops of all models."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "models.yaml").read_text("utf-8"))
    return found


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table beside this file."""
    return read_rows(FOLDER / name)


def asked() -> list[Asked]:
    """Return what all reports were asked."""
    return [
        Asked(
            *(row["submitter"], row["system"], row["model"], row["accelerator"]),
            accelerators=int(row["accelerators"]),
            hosts=int(row["hosts"]),
            readers=int(row["read_threads"]),
            prefetch=max(int(row["prefetch"] or 0), 2),  # DLIO has two where it is left out, or 0.
        )
        for row in rows("configurations.csv")
    ]


def utilisation(one: Asked, accelerators: int) -> float:
    """Simulate some accelerators on a report's hosts; return what part of the time they compute."""
    hosts = min(one.hosts, MOST_HOSTS, accelerators)
    each = -(-accelerators // one.hosts)
    machine = MACHINE.format(
        hosts=hosts,
        thread=THREAD,
        host=one.storage["host"],
        storage=one.storage["storage"] * hosts / min(one.hosts, accelerators),
    )
    loop = one.loop
    batches = max(loop["batches"], FILLS * one.readers * one.prefetch)
    few, many = (fmean(_elapsed_s(one, machine, each * hosts, n)) for n in (batches, 2 * batches))
    return float(batches * loop["time_s"] / (many - few))


def _elapsed_s(one: Asked, machine: str, processes: int, batches: int) -> list[float]:
    loop = one.loop
    workload = WORKLOAD.format(
        model=one.model,
        processes=processes,
        record=loop["record"],
        spread=round(100 * loop["deviation"] / loop["record"], 1),
        reads=loop["reads"],
        batches=batches,
        time=round(loop["time_s"] + loop["overhead_s"], 6),
        readers=one.readers,
        prefetch=one.prefetch,
    )
    result = run_plan(load_plan(Text(machine, "machine"), Text(workload, "workload"), seed=SEED))
    return [row.elapsed_ns / 1e9 for row in result.processes if row.job == "train"]


def predict(one: Asked) -> Predicted:
    """Predict a report.

    A result is valid only if accelerators reach ``valid``: where the assumed machine gives less,
    the assumption is wrong, and the rule holds.
    """
    loop = one.loop
    found = max(utilisation(one, one.accelerators), loop["valid"])
    rate = one.accelerators * loop["batch"] / loop["time_s"] * found
    return Predicted(found, rate, fed(one))


def fed(one: Asked) -> int:
    """Return the most accelerators that reach a valid utilisation, within a twentieth; by halving.

    Without waiting there would be room for ``most``, of which three quarters are looked at first.
    """
    loop, storage = one.loop, one.storage
    demand = loop["record"] * loop["reads"] / loop["time_s"] * loop["valid"] / GB
    most = int(min(one.hosts * storage["host"], storage["storage"]) / demand)
    low, high = int(0.75 * most), max(most, 1)
    while high - low > high // 20:
        middle = (low + high + 1) // 2
        if utilisation(one, middle) >= loop["valid"]:
            low = middle
        else:
            high = middle - 1
    return max(low, 1)
