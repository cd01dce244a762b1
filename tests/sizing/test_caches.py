"""Loads that were made smaller than their files have them, and that a cache holds then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.sizing.caches import Held, held
from simulator.sizing.loads import Loads
from simulator.sizing.search import size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import said, written_size

MACHINE = """\
format: machine/2
name: m
nodes: {client: {count: 4}, server: {count: 1}}
parts:
  lan: {kind: network, at: [client, server], rate: 1 GB/s}
  disk: {kind: queue, at: server, rate: 100 MB/s}
stores:
  pages: {at: client, capacity: 100 MB, block: 1 MB}
  cache: {at: server, capacity: 1 GB, block: 1 MB}
filesystems: {home: {tiers: [pages, {route: [lan]}, cache, disk]}}
"""
JOB = """\
format: workload/2
name: w
files: {data: {size: 500 MB, exists: true}}
jobs: [{name: a, processes: 4, record: 1 MB, phases: [{do: read, file: data}]}]
"""
NEED = """\
format: requirement/1
name: need
machine: m.yaml
workloads: {job: {workload: w.yaml, set: {SET}}}
targets: [{workload: job, elapsed: 1000 s}]
catalogue: {disk: {price: 1}}
choices: {disks: {set: disk.servers, values: [1], buys: {disk: 1}}}
"""


def need(folder: Path, settings: str, *, shared: bool = False) -> str:
    (folder / "m.yaml").write_text(MACHINE)
    job = JOB.replace("exists: true", "exists: true, shared: true") if shared else JOB
    (folder / "w.yaml").write_text(job)
    file = folder / "need.yaml"
    file.write_text(NEED.replace("SET", settings))
    return str(file)


def told(text: str) -> list[Held]:
    loads = Loads(text)
    return [*held(loads, loads.offer.configuration(0))]


CASES = {
    "data.size: 200 MB": [Held("job", "cache", 10**9, 800 * 10**6, 2 * 10**9)],
    "data.size: 90 MB": [
        Held("job", "pages", 400 * 10**6, 360 * 10**6, 2 * 10**9),
        Held("job", "cache", 10**9, 360 * 10**6, 2 * 10**9),
    ],
    "data.size: 250 MB": [Held("job", "cache", 10**9, 10**9, 2 * 10**9)],
    "data.size: 251 MB": [],
    "jobs.0.processes: 2": [Held("job", "cache", 10**9, 10**9, 2 * 10**9)],
    "data.size: 900 MB": [],
    "record: 2 MB": [],
    "cache.capacity: 4 GB, data.size: 600 MB": [],
}


@pytest.mark.parametrize(("settings", "found"), CASES.items(), ids=CASES)
def test_what_has_room_as_it_is_set_and_not_as_it_is_stated(
    settings: str, found: list[Held], tmp_path: Path
) -> None:
    """Four processes with 500 MB each have 2 GB; caches of 4 x 100 MB and 1 GB."""
    assert told(need(tmp_path, settings)) == found


def test_a_shared_file_takes_room_on_each_node_that_has_a_cache(tmp_path: Path) -> None:
    """90 MB are in each node of 100; 500 MB are more than all four have together."""
    (one,) = told(need(tmp_path, "data.size: 90 MB", shared=True))
    assert (one.store, one.given, one.stated) == ("pages", 4 * 90 * 10**6, 500 * 10**6)
    assert told(need(tmp_path, "data.size: 101 MB", shared=True)) == []


def test_it_is_told_with_the_answer_and_of_nothing_else(tmp_path: Path) -> None:
    for settings, about in {
        "data.size: 200 MB": "job: its files as set, 800 MB, have room in the 1.00 GB of cache,"
        " and those of w.yaml, 2.00 GB, have not: its figures may be the cache's.",
        "record: 2 MB": "",
    }.items():
        found = size(need(tmp_path, settings), executor=Processes(1))
        assert isinstance(found, Sized)
        assert about in said(found)
        assert ("its figures may be" in said(found)) is bool(about)
        assert (about in json.loads(written_size(found, "json"))["warnings"]) is bool(about)
