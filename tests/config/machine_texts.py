"""Machines and workloads as texts, for tests of the formats machine/2 and workload/2."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config import ConfigError
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.machine_file import Machine
from simulator.config.workload_file import Workload

TEN_LINES = """\
format: machine/2
name: pc
parts:
  disk: {kind: disk, rate: 100 MB/s, seek: 8 ms}
filesystems:
  home: [disk]
"""

CLUSTER = """\
format: machine/2
name: cluster
nodes: {client: 4, server: 2}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: 5 us}
  disk: {kind: disk, at: server, rate: 100 MB/s, count: 3}
  link: {kind: shared, rate: 1 GB/s}
  threads: {kind: pool, at: server, servers: 4}
  rpc: {kind: queue, at: server, overhead: 30 us}
stores:
  pages: {at: client, capacity: 1 GB}
  cache: {at: server, capacity: 1 GB}
filesystems:
"""
"""A cluster to which a test adds its file systems."""

JOB = """\
format: workload/2
name: job
files:
  a: {size: 10 MB}
  b: {size: 10 MB, exists: true, shared: true}
jobs:
  - name: one
    record: 1 MB
"""
"""A workload to which a test adds the keys of its job."""


DATA = Path(__file__).parents[1] / "data" / "config"
SMALL_MACHINE, SMALL_WORKLOAD = (
    (DATA / f"{noun}.yaml").read_text(encoding="utf-8") for noun in ("machine", "workload")
)


def problems_of(text: str, *settings: tuple[str, str], kind: str = "machine") -> list[str]:
    """Return the messages about a file that is wrong, without its name."""
    with pytest.raises(ConfigError) as caught:
        (parse_machine if kind == "machine" else parse_workload)(text, "f", settings)
    return [line.removeprefix("f:").lstrip() for line in str(caught.value).splitlines()]


def with_change(text: str, old: str, new: str) -> str:
    """Return a text in which something is changed that is there."""
    assert old in text
    return text.replace(old, new)


def machine(text: str = TEN_LINES, *settings: tuple[str, str]) -> Machine:
    """Read a machine."""
    return parse_machine(text, "m.yaml", settings)


def cluster(*systems: str) -> Machine:
    """Read the cluster with some file systems, each ``name: tiers``."""
    return machine(CLUSTER + "".join(f"  {one}\n" for one in systems))


def workload(text: str, *settings: tuple[str, str]) -> Workload:
    """Read a workload."""
    return parse_workload(text, "w.yaml", settings)


def job(*lines: str) -> Workload:
    """Read the workload with some keys of its job."""
    return workload(JOB + "".join(f"    {line}\n" for line in lines))


def faults(error: ConfigError) -> list[str]:
    """Return what is wrong, without the place."""
    return [f"{one.key}: {one.message}" for one in error.problems]


def changes_in(table: str) -> list[tuple[str, str, str]]:
    """Read cases: a line ``- old => new`` of what is changed, and lines of what is said then.

    All have Python's escapes.
    """
    cases = []
    for case in table.removeprefix("\n").removeprefix("- ").split("\n- "):
        change, *about = (line.encode().decode("unicode_escape") for line in case.split("\n"))
        old, _, new = change.partition(" =>")
        cases.append((old, new[1:], " ".join(line.strip() for line in about).strip()))
    return cases
