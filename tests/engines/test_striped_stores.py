"""Stores behind stripes: prestaging and the close trigger reach each member's part of a file."""

from __future__ import annotations

import pytest

from simulator.config.fitting import fit
from simulator.config.formats import load_machine, load_workload, parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.result.result import Result
from tests.reference.runs import both

MACHINE = """\
format: machine/2
name: m
nodes: {{client: 1, server: 4}}
parts:
  nic: {{kind: network, at: [client, server], rate: 1 GB/s}}
  disk: {{kind: disk, at: server, rate: 100 MB/s}}
stores:
  cache: {{at: server, capacity: 8 MB, block: 500 kB, dirty: 100 %, start: [{start}], high: 100 %}}
filesystems:
  home: [{{stripe: 1 MB, of: server}}, [nic], cache, disk]
"""
FILES = "format: workload/2\nname: w\nfiles: {a: {size: 10 MB, exists: EXISTS, prestage: EXISTS}}\n"
JOB = "jobs: [{name: j, record: 500 kB, phases: [{do: DO, file: a}]}]\n"


def result_of(do: str, start: str = "mark") -> Result:
    machine = parse_machine(MACHINE.format(start=start))
    text = (FILES + JOB).replace("DO", do).replace("EXISTS", str(do == "read").lower())
    workload = parse_workload(text)
    assert not [one for one in fit(machine, workload) if one.severity == "error"]
    return both(make_plan(machine, workload))


def counts(result: Result, name: str) -> list[int]:
    return [result.stores[f"server{i}.cache"].counts[name] for i in range(4)]


def test_each_member_loads_its_part_before_the_start() -> None:
    """Of ten units two servers have three: 3 MB at 100 MB/s are 30 ms, all servers at one time."""
    result = result_of("read")
    assert counts(result, "prestaged_bytes") == [3_000_000, 3_000_000, 2_000_000, 2_000_000]
    assert sum(counts(result, "misses")) == sum(counts(result, "fetched")) == 0
    assert result.prestage_ns == 30_000_000


@pytest.mark.parametrize(("start", "parts"), [("close", [3, 3, 2, 2]), ("mark", [0, 0, 0, 0])])
def test_closing_a_file_starts_the_write_back_of_all_members(start: str, parts: list[int]) -> None:
    result = result_of("write", start)
    assert counts(result, "written_back_bytes") == [part * 1_000_000 for part in parts]
    assert counts(result, "dirty_bytes") == [
        share * 1_000_000 - part * 1_000_000
        for share, part in zip([3, 3, 2, 2], parts, strict=True)
    ]


FEW = [("machine.nodes.client", "12"), ("machine.stores.flash.capacity", "80 MB")]


@pytest.mark.few(2)
@pytest.mark.parametrize("work", ["hourly", "interval", "restart"])
@pytest.mark.parametrize("name", ["burst-buffer", "lustre-scratch"])
def test_checkpoints_of_few_clients_on_both_engines(name: str, work: str) -> None:
    """Servers one by one: identities hold, and the engines agree."""
    settings = [("workload.jobs.0.processes", "12"), ("workload.files.*.size", "96 MB")]
    if name == "lustre-scratch" and work == "restart":
        settings.append(("workload.files.*.prestage", "false"))
    machine = load_machine(name, FEW if name == "burst-buffer" else FEW[:1])
    workload = load_workload(f"checkpoint-{work}", settings)
    assert not [one for one in fit(machine, workload) if one.severity == "error"]
    both(make_plan(machine, workload, seed=2017, noisy=True))
