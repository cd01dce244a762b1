"""Machines that a reader of docs/machines.md wrote at the first try, without looking at ours."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.starters import starter_workload
from simulator.inputfile import Text
from simulator.run import load_inputs, run_plan

BURST = """\
format: machine/2
name: burst
nodes: {node: {count: 64, memory: 64 GB}, server: 8, mds: 1}
parts:
  memory: {kind: delay, at: node, rate: 10 GB/s}
  nvme: {kind: queue, at: node, rate: {read: 3 GB/s, write: 2 GB/s}, overhead: 20 us}
  nic: {kind: network, at: [node, server, mds], rate: 12.5 GB/s, latency: 2 us}
  threads: {kind: pool, at: server, servers: 64}
  disks: {kind: disk, at: server, count: 4, rate: 1 GB/s, seek: 8 ms}
  lookup: {kind: queue, at: mds, servers: 8, overhead: 200 us}
stores:
  pages: {at: node, capacity: 16 GB, read_ahead: 1 MiB}
  flash: {at: node, capacity: 1 TB, block: 1 MiB, dirty: 90 %, start: [eager], writers: 8}
filesystems:
  scratch:
    tiers:
      - [memory]
      - pages
      - [nvme]
      - flash
      - [nvme]
      - {stripe: 1 MiB, over: 4, of: disks}
      - {route: [nic], request: 1 MiB, header: 256 B, server: threads}
      - disks
    metadata: [[nic], {work: lookup}]
"""
NFS = """\
format: machine/2
name: nfs
nodes: {client: 16, server: 1}
parts:
  lan: {kind: network, at: [client, server], rate: 125 MB/s, latency: 50 us}
  nfsd: {kind: pool, at: server, servers: 8}
  disk: {kind: disk, at: server, rate: 150 MB/s, seek: 8.5 ms, rotation: 8.33 ms}
stores:
  pages: {at: client, capacity: 4 GB, read_ahead: 128 KiB}
  buffers: {at: server, capacity: 16 GB}
filesystems:
  home:
    tiers: [pages, {route: [lan], request: 1 MiB, header: 128 B, server: nfsd}, buffers, disk]
    metadata: [[lan], {hold: nfsd}]
    close: flush
"""
MESH = """\
format: machine/2
name: mesh
nodes: {node: 16, io: 2}
parts:
  processor: {kind: processor, at: node, update: 100 ns}
  net: {kind: network, at: [node, io], rate: 1 GB/s, latency: 10 us}
  raid: {kind: disk, at: io, rate: 400 MB/s, seek: 8 ms}
stores:
  cache: {at: io, capacity: 8 GB, block: 1 MiB}
filesystems:
  scratch:
    - {stripe: 1 MiB, over: all, of: io}
    - {route: [net], request: 1 MiB, header: 256 B}
    - cache
    - raid
messages: [[net]]
services:
  mail: {kind: message-server, at: node, interval: 1 ms, poll: 5 us, send: 20 us, deliver: 20 us}
"""
WORKSTATION = """\
format: machine/2
name: workstation
nodes: {pc: {count: 1, memory: 16 GB}}
parts:
  memory: {kind: delay, at: pc, rate: 10 GB/s}
  ssd: {kind: queue, at: pc, servers: 8, rate: {read: 3 GB/s, write: 2 GB/s}, overhead: 60 us}
  disk: {kind: disk, at: pc, rate: 150 MB/s, seek: 8.5 ms, rotation: 8.33 ms}
stores:
  pages: {at: pc, capacity: 8 GB, read_ahead: 128 KiB}
filesystems:
  fast: [[memory], pages, ssd]
  home: [[memory], pages, disk]
"""
CHECKPOINT = """\
format: workload/2
name: checkpoint
files:
  checkpoint: {size: 64 MB, shared: true}
jobs:
  - name: mesh
    processes: 16
    record: 1 MB
    phases:
      - {do: mesh, rows: 400, columns: 400, loops: 3}
      - {do: compute, time: 1 s}
      - {do: exchange, pattern: ring, size: 1 MB}
      - {do: write, file: checkpoint, offset: rank}
      - {do: sync, file: checkpoint}
      - {do: barrier}
"""
MACHINES = {"burst": BURST, "nfs": NFS, "mesh": MESH, "workstation": WORKSTATION}


@pytest.mark.parametrize("name", MACHINES)
def test_it_is_right_and_a_new_workload_runs_on_it(name: str) -> None:
    text = MACHINES[name]
    assert len(text.splitlines()) <= 60
    machine = MACHINE.parse(text, name, ())[0]
    job = starter_workload("job", "job.yaml", machine, name)
    inputs = load_inputs(Text(text, name), Text(job, "job.yaml"))
    assert inputs.doubts == []
    result = run_plan(inputs.plan(), debug=True)
    assert sum(one.write.bytes for one in result.processes) == 100_000_000


def test_one_job_computes_exchanges_messages_and_writes() -> None:
    inputs = load_inputs(Text(MESH, "mesh"), Text(CHECKPOINT, "job"))
    result = run_plan(inputs.plan(), debug=True)
    assert sum(one.write.bytes for one in result.processes) == 64_000_000
    assert len(result.meshes[0].loop_ends_ns) == 3
    assert result.latencies["send"].count == result.latencies["receive"].count >= 16
    assert all(one.compute_ns >= 10**9 for one in result.processes)


MISTAKES = {
    ("tiers: [pages,", "tiers: [{store: pages},"): "store: unknown key; write the name alone, like",
    ("150 MB/s", "1,5 MB/s"): "a comma begins it: write decimals with a point, like '1.5 MB/s'",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_a_beginner_writes_instead(mistake: tuple[str, str]) -> None:
    with pytest.raises(ConfigError) as told:
        MACHINE.parse(NFS.replace(*mistake), "nfs", ())
    assert MISTAKES[mistake] in str(told.value)


def test_the_one_mistake_that_was_made_tells_its_fix() -> None:
    wrong = NFS.replace("{hold: nfsd}", "{work: nfsd}")
    with pytest.raises(ConfigError) as told:
        MACHINE.parse(wrong, "nfs", ())
    assert "nfsd is a pool, which does no work; write '{hold: nfsd}'" in str(told.value)
