"""What an answer says of its states: whether they took effect, how far, and what is left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simulator.inputfile import Text
from simulator.sizing.search import size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import written_size

MACHINE = """
format: machine/2
name: pc
nodes: {client: 2, server: {count: 2}}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  nic: {kind: network, at: [client, server], rate: 10 GB/s}
  raid: {kind: array, at: server, disks: 4, level: raid5, rate: 100 MB/s, capacity: 100 MB,
    unit: 1 MB}
filesystems:
  home: [{route: [nic], request: 3 MB}, raid]
"""
JOB = """
format: workload/2
name: job
files: {data: {size: 300 MB, exists: true}}
jobs:
  - name: job
    record: 12 MB
    policy: posix
    phases: [{do: compute, time: 4 s}, {do: read, file: data}]
"""
NEED = """
format: requirement/1
name: need
machine: %s
workloads: {job: {workload: %s}}
targets:
  - {workload: job, elapsed: 1 h, states: [normal, whole again, half, late, same, a server less]}
  - {capacity: 1 MB}
states:
  whole again: {set: {machine.events: "[{part: raid, member: 0, disk: 1, at: 1 s, repair: 1 s}]"}}
  half: {set: {machine.events: "[{part: raid, member: 0, disk: 1, at: 1 s, repair: 1 h}]"}}
  late: {set: {machine.events: "[{part: raid, member: 0, disk: 1, at: 1 h, repair: 1 s}]"}}
  same: {set: {raid.rate: 100 MB/s}}
  a server less: {less: {servers: 1}}
catalogue:
  server: {price: 1000}
  disk: {price: 100, size: 100 MB}
choices:
  servers: {set: server, values: [2], buys: {server: 1}}
  arrays: {values: [1], per: servers, buys: {disk: 4}, redundancy: 3+1}
"""


@pytest.fixture(scope="module")
def sized(tmp_path_factory: pytest.TempPathFactory) -> Sized:
    folder = tmp_path_factory.mktemp("states")
    for name, text in (("machine.yaml", MACHINE), ("job.yaml", JOB)):
        (folder / name).write_text(text)
    need = NEED % (folder / "machine.yaml", folder / "job.yaml")
    return size(Text(need, "need.yaml"), executor=Processes(1))


def records(sized: Sized) -> dict[str, dict[str, Any]]:
    answer = json.loads(written_size(sized, "json"))["answer"]
    return {one["state"]: one for one in answer["states"]}


def test_a_rebuild_is_whole_or_as_far_as_it_came(sized: Sized) -> None:
    """100 MB in steps of 1 MB, 10 ms to read and 10 ms to write each: 2 s, from 2 s on.

    The last write begins 10 ms before. The job reads from 4 s on; where the disk is replaced after
    an hour no rebuild begins.
    """
    whole = records(sized)["whole again"]["runs"][0]["arrays"]["server0.raid"]
    assert whole["disks_failed"] == whole["rebuilt"] == 1
    assert whole["rebuilt_bytes"] == whole["to_rebuild_bytes"] == 100_000_000
    assert whole["degraded_ns"] == pytest.approx(3e9, abs=2e7)
    half = records(sized)["half"]["runs"][0]["arrays"]["server0.raid"]
    assert (half["disks_failed"], half["rebuilt"], half["rebuilt_bytes"]) == (1, 0, 0)


def test_what_does_not_take_effect_is_told(sized: Sized) -> None:
    found = records(sized)
    assert found["late"]["runs"][0]["arrays"] == {}
    assert {name: one["as_without"] for name, one in found.items()} == {
        "whole again": False,
        "half": False,
        "late": False,
        "same": True,
        "a server less": False,
    }


def test_what_is_left_without_a_server(sized: Sized) -> None:
    """Of two servers with three disks of data each, 300 MB; one is gone with its disks."""
    left = records(sized)["a server less"]
    assert left["less"] == {"servers": {"missing": 1, "of": 2}}
    assert left["missing_pieces"] == {"server": 1, "disk": 4}
    assert left["usable_bytes"] == 300_000_000
    assert json.loads(written_size(sized, "json"))["answer"]["usable_bytes"] == 600_000_000


def test_text_and_page_say_it_in_a_line_each(sized: Sized) -> None:
    said = " ".join(written_size(sized, "table", full=True).split())
    lines = [
        "whole again: 1 disk of server0.raid failed, not whole for 2.99 s of 5.",
        "100 MB of 100 MB rebuilt",
        "half: 1 disk of server0.raid failed",
        "0 B of 100 MB rebuilt (0 %) when the run ended",
        "late: nothing failed before the run ended, at 5.",
        "same: as a machine that is whole",
        "a server less: run with 1 of 2 servers (missing: 1 server, 4 disk); 300 MB of 600 MB"
        " usable (50 %) lie on what is missing, out of reach until it is back",
    ]
    page = written_size(sized, "html")
    for line in lines:
        assert line in said, line
        assert line.split("; ")[0] in page, line
