"""Machines written from docs/machines.md alone, against seconds counted by hand.

Each estimate was made before the first run, from what the page says of the parts: sizes over rates,
positioning, what overlaps and what does not.
"""

from __future__ import annotations

import pytest

from simulator.inputfile import Text
from simulator.result.result import Result
from simulator.run import load_inputs, run_plan

COPY = 5e9
"""Bytes per second that a process copies (the default of ``cpu``),"""
CALL = 2e-6
"""and the seconds of one call."""

FIRST = """\
format: machine/2
name: first
parts:
  disk: {kind: disk, rate: 100 MB/s, seek: 5 ms, rotation: 8 ms}
filesystems:
  home: [disk]
"""
WORKSTATION = """\
format: machine/2
name: workstation
nodes: {pc: {count: 1, memory: 32 GB}}
parts:
  memory: {kind: delay, at: pc, rate: 10 GB/s}
  ssd: {kind: queue, at: pc, servers: 4, rate: {read: 500 MB/s, write: 400 MB/s}, overhead: 80 us}
  disk: {kind: disk, at: pc, rate: 150 MB/s, seek: 8.5 ms, rotation: 8.33 ms}
stores:
  pages: {at: pc, capacity: 16 GB, read_ahead: 128 KiB}
filesystems:
  home: [[memory], pages, ssd]
  data: [[memory], pages, disk]
"""
NFS = """\
format: machine/2
name: nfs
nodes: {client: {count: 16, memory: 8 GB}, server: {count: 1, memory: 32 GB}}
parts:
  memory: {kind: delay, at: client, rate: 8 GB/s}
  buffers: {kind: delay, at: server, rate: 8 GB/s}
  nic: {kind: network, at: [client, server], rate: 125 MB/s, latency: 50 us}
  nfsd: {kind: pool, at: server, servers: 16}
  lookup: {kind: queue, at: server, overhead: 100 us}
  disk: {kind: disk, at: server, rate: 150 MB/s, seek: 8 ms, rotation: 8 ms}
stores:
  pages: {at: client, capacity: 4 GB, read_ahead: 128 KiB}
  server_pages: {at: server, capacity: 16 GB, read_ahead: 128 KiB}
filesystems:
  home:
    tiers:
      - [memory]
      - pages
      - {route: [nic], request: 1 MiB, header: 128 B, server: nfsd}
      - [buffers]
      - server_pages
      - disk
    metadata: [[nic], {work: lookup}]
    close: flush
"""
BURST = """\
format: machine/2
name: burst
nodes: {node: 64, oss: 8, mds: 1}
parts:
  nvme: {kind: queue, at: node, rate: {read: 3 GB/s, write: 2 GB/s}, overhead: 20 us}
  nic: {kind: network, at: [node, oss, mds], rate: 10 GB/s, latency: 2 us}
  threads: {kind: pool, at: oss, servers: 64}
  ost: {kind: disk, at: oss, rate: 4 GB/s}
  lookup: {kind: queue, at: mds, servers: 8, overhead: 250 us}
stores:
  flash:
    {at: node, capacity: 800 GB, block: 1 MiB, extent: 16 MiB, dirty: 90 %, start: [eager],
     writers: 8}
filesystems:
  scratch:
    tiers:
      - [nvme]
      - flash
      - [nvme]
      - {stripe: 1 MiB, over: all, of: ost}
      - {route: [nic], request: 16 MiB, header: 256 B, server: threads}
      - ost
    metadata: [[nic], {work: lookup}]
    close: flush
"""
STRIPED = """\
format: machine/2
name: striped
nodes: {client: 8, storage: 4, meta: 1}
parts:
  nic: {kind: network, at: [client, storage, meta], rate: 1.25 GB/s, latency: 20 us}
  workers: {kind: pool, at: storage, servers: 12}
  target: {kind: disk, at: storage, count: 2, rate: 300 MB/s, seek: 8 ms}
  lookup: {kind: queue, at: meta, servers: 4, overhead: 200 us}
filesystems:
  beegfs:
    tiers:
      - {stripe: 512 KiB, over: 4, of: target}
      - {route: [nic], request: 512 KiB, window: 8, header: 128 B, server: workers}
      - target
    metadata: [[nic], {work: lookup}]
"""
MESH = """\
format: machine/2
name: mesh
nodes: {node: 17, server: 1}
parts:
  nic: {kind: network, at: [node, server], rate: 1 GB/s, latency: 5 us}
  nfsd: {kind: pool, at: server, servers: 8}
  disk: {kind: disk, at: server, rate: 200 MB/s, seek: 8 ms}
filesystems:
  work:
    - {route: [nic], request: 1 MiB, header: 128 B, server: nfsd}
    - disk
messages: [nic]
"""
NWT = """\
format: machine/2
name: pes
nodes: {pe: {count: 16, memory: 256 MB}, ssu: 1, fe: 1}
parts:
  xbar: {kind: network, at: [pe, ssu, fe], rate: 421 MB/s, latency: 5 us}
  memory: {kind: queue, at: ssu, rate: 400 MB/s, overhead: 50 us}
  channel: {kind: shared, at: fe, rate: 80 MB/s}
  disks: {kind: disk, at: fe, count: 8, rate: 8 MB/s, seek: 12 ms, rotation: 11 ms}
stores:
  ssu: {at: ssu, capacity: 8 GB, block: 8 MB, extent: 8 MB, dirty: 90 %, start: [eager], writers: 8}
filesystems:
  vfl:
    tiers:
      - {route: [xbar, memory], request: 8 MB}
      - ssu
      - [xbar]
      - [channel]
      - {stripe: 1 MB, over: all, of: disks}
      - disks
"""
SHARED = """\
format: machine/2
name: sharing
nodes: {host: {count: 4, memory: 4 GB}}
parts:
  memory: {kind: delay, at: host, rate: 4 GB/s}
  link: {kind: shared, rate: {1: 60 MB/s, 4: 40 MB/s}}
  disk: {kind: disk, rate: 100 MB/s}
stores:
  pages:
    {at: host, capacity: 200 MB, policy: arc, read_ahead: 1 MiB, dirty: 10 %, high: 5 %, low: 1 %}
filesystems:
  direct: [[link]]
  cached: [[memory], pages, [link], disk]
"""
IO_NODES = """\
format: machine/2
name: io-nodes
nodes: {node: 4}
parts:
  xbar: {kind: network, at: node, rate: 1 GB/s, latency: 5 us}
  io: {kind: io-server, at: node, overhead: 0.2 ms, piece: 5 us}
  raid:
    {kind: raid, at: node, rate: 40 MB/s, seek: 8 ms, rotation: 8 ms, cache: 32 MB,
     bus_rate: 100 MB/s}
buffer_caches:
  buffers: {at: node, capacity: 128 MB, block: 64 KiB, prefetch: 4}
filesystems:
  scratch: [{stripe: 64 KiB, of: node}, {route: [xbar], header: 128 B, server: io}, buffers, raid]
runtime:
  mpi_io: {call_overhead: 50 us, sieve_buffer: 4 MiB}
"""
SERVERS = """\
format: machine/2
name: servers
nodes: {ws: 4, super: 1}
parts:
  line: {kind: link, at: [ws, super], rate: 10 MB/s, latency: 1 ms}
  pes: {kind: timeshare, at: super, pes: 4}
services:
  solver:
    {kind: numerical-server, at: super, conversion: 4 MB/s, accept: 20 ms, start: 300 ms,
     libraries: {4pe: {problem: linpack, threads: 4, speed: 600 Mflop/s, half: 200}}}
  callers: {kind: numerical-client, at: ws, conversion: 15 MB/s}
"""

MIXED = """\
format: machine/2
name: mixed
nodes: {node: 4, server: 1}
parts:
  processor: {kind: processor, at: node, update: 1 us}
  nic: {kind: network, at: [node, server], rate: 100 MB/s, latency: 50 us}
  nfsd: {kind: pool, at: server, servers: 8}
  disk: {kind: disk, at: server, rate: 100 MB/s, seek: 8 ms}
filesystems:
  home: [{route: [nic], request: 1 MB, header: 128 B, server: nfsd}, disk]
messages: [nic]
services:
  mail: {kind: message-server, at: node, interval: 1 ms, poll: 10 us, send: 50 us, deliver: 50 us}
"""
CALLS = """\
client,do,file,offset,size,gap_ns
0,start,,,,0
0,read,list,0,1000000,0
1,start,,,,10000000000
1,read,list,0,500000,1000000
"""
WRITE = """\
files: {out: {size: SIZE}}
jobs: [{name: job, record: 1 MB, phases: [{do: write, file: out}]}]
"""


def run(machine: str, jobs: str) -> Result:
    """Run jobs, written from the key ``files`` on, with all identities checked."""
    work = Text(f"format: workload/2\nname: job\n{jobs}", "job")
    plan = load_inputs(Text(machine, "machine"), work).plan()
    return run_plan(plan, debug=True)


def seconds(result: Result) -> float:
    return result.elapsed_ns / 1e9


def busy(result: Result, part: str) -> float:
    """Seconds that all instances of a part were busy, in one direction if it has two."""
    return sum(one.busy_ns for name, one in result.parts.items() if part in name) / 1e9


def test_a_disk_positions_once_for_a_file() -> None:
    job = WRITE.replace("SIZE", "200 MB")
    by_hand = 200 / 100 + 0.005 + 0.008 / 2 + 200 * CALL + 200e6 / COPY
    assert seconds(run(FIRST, job)) == pytest.approx(by_hand, rel=1e-3)


def test_a_workstation_reads_at_the_rate_of_its_disk_and_writes_into_memory() -> None:
    job = """\
files:
  movie: {size: 60 MB, exists: true, filesystem: data}
  object: {size: 50 MB, filesystem: home}
jobs:
  - {name: play, record: 1 MB, phases: [{do: read, file: movie}]}
  - {name: build, record: 64 KiB, phases: [{do: write, file: object}, {do: read, file: object}]}
"""
    play, build = run(WORKSTATION, job).processes
    assert play.elapsed_ns / 1e9 == pytest.approx(60 / 150 + 0.0085 + 0.00417, rel=0.02)
    calls = 2 * 50e6 / 65536
    assert build.elapsed_ns / 1e9 == pytest.approx(
        2 * 0.05 / 10 + 2 * 0.05 / 5 + calls * CALL, rel=0.03
    )


def test_sixteen_clients_share_the_port_of_their_server() -> None:
    job = """\
files: {input: {size: 10 MB, exists: true, shared: true}}
jobs: [{name: readers, on: client, processes: 16, record: 1 MiB, phases: [{do: read, file: input}]}]
"""
    result = run(NFS, job)
    assert seconds(result) == pytest.approx(16 * 10 / 125, rel=0.04)
    assert result.parts["server.disk"].bytes == 10_000_000  # The server's cache has the rest.


def test_flash_is_read_by_its_write_back_and_written_by_its_fetches() -> None:
    job = """\
files: {old: {size: 480 MiB, exists: true}, new: {size: 480 MiB}}
jobs:
  - name: job
    processes: 4
    record: 16 MiB
    phases: [{do: write, file: new}, {do: read, file: old}, {do: read, file: old}]
"""
    result = run(BURST, job)
    size, calls = 4 * 480 * 2**20, 4 * 30
    read = 3 * size / 3e9 + 3 * calls * 20e-6  # Write-back and two times reading;
    written = 2 * size / 2e9 + 2 * calls * 20e-6  # writing and one fetch.
    assert busy(result, "nvme") == pytest.approx(read + written, rel=0.01)
    apart = run(BURST.replace("kind: queue, at: node", "kind: queue, duplex: full, at: node"), job)
    assert busy(apart, "nvme.read") == pytest.approx(read, rel=0.01)
    assert busy(apart, "nvme.write") == pytest.approx(written, rel=0.01)


def test_what_is_copied_after_a_process_reads_the_device_that_was_written() -> None:
    machine = """\
format: machine/2
name: drained
nodes: {node: 2, server: 1}
parts:
  nvme: {kind: queue, at: node, rate: {read: 4 GB/s, write: 2 GB/s}}
  nic: {kind: network, at: [node, server], rate: 1 GB/s}
  disk: {kind: disk, at: server, rate: 200 MB/s}
filesystems:
  local: {paths: {flash: {tiers: [[nvme]], drain: [{request: 1 MB}, [nvme], [nic], disk]}}}
"""
    job = WRITE.replace("SIZE", "100 MB")
    result = run(machine, job)
    assert busy(result, "nvme") == pytest.approx(0.1 / 2 + 0.1 / 4)


def test_a_burst_buffer_drains_while_its_job_computes() -> None:
    job = """\
files: {checkpoint: {size: 480 MiB}}
jobs:
  - name: job
    processes: 8
    record: 16 MiB
    phases: [{do: write, file: checkpoint}]
"""
    result = run(BURST, job)
    written = 480 * 2**20 / 2e9 + 480 * 2**20 / COPY
    assert result.processes[0].elapsed_ns / 1e9 > written
    # The servers, 32 GB/s together, are not the bottleneck: the flash, which is never idle, since
    # it is read while the program copies.
    assert seconds(result) == pytest.approx(480 * 2**20 * (1 / 2e9 + 1 / 3e9), rel=0.05)


def test_a_call_reads_its_chunks_from_four_targets_at_the_same_time() -> None:
    job = """\
files: {input: {size: 128 MiB, exists: true}}
jobs: [{name: reader, on: client, record: 8 MiB, phases: [{do: read, file: input}]}]
"""
    chunk = 2**19
    call = 4 * chunk / 300e6 + 4 * chunk / 1.25e9 + 8 * 2**20 / COPY
    by_hand = 16 * call + 0.008  # Each target positions once.
    assert seconds(run(STRIPED, job)) == pytest.approx(by_hand, rel=0.03)


def test_a_mesh_checkpoints_while_another_job_reads() -> None:
    job = """\
files: {checkpoint: {size: 128 MiB, shared: true}, input: {size: 100 MB, exists: true}}
jobs:
  - name: mesh
    on: node
    processes: 16
    record: 1 MiB
    repeat: 2
    phases:
      - {do: compute, time: 5 s}
      - {do: exchange, pattern: mesh, rows: 4, columns: 4, size: 10 MB}
      - {do: write, file: checkpoint, offset: rank}
      - {do: barrier}
  - {name: reader, on: node, record: 1 MB, phases: [{do: read, file: input}]}
"""
    result = run(MESH, job)
    positioned = 128 * (0.008 + 2**20 / 200e6)  # Sixteen places take turns: each request positions.
    by_hand = 2 * (5 + 4 * 0.01 + positioned)
    assert seconds(result) == pytest.approx(by_hand, rel=0.03)
    reader = result.processes[-1].elapsed_ns / 1e9  # Alone: it is over before they write.
    assert reader == pytest.approx(0.1 / 0.2 + 0.1 / 1 + 0.1 / 5 + 0.008, rel=0.05)


def test_what_is_prestaged_comes_at_the_rate_of_the_ssu() -> None:
    job = """\
files: {in: {size: 160 MB, exists: true, prestage: true}, out: {size: 160 MB}}
jobs:
  - name: job
    processes: 4
    record: 8 MB
    phases: [{do: read, file: in}, {do: compute, time: 10 s}, {do: write, file: out}]
"""
    result = run(NWT, job)
    assert seconds(result) == pytest.approx(640 / 400 + 10 + 640 / 400, rel=0.02)
    later = run(NWT, job.replace(", prestage: true", ""))
    turn = 1 / 8 + 0.012 + 0.0055  # Each of eight disks brings 1 MB of every 8 MB.
    assert seconds(later) == pytest.approx(80 * turn + 10 + 640 / 400, rel=0.06)
