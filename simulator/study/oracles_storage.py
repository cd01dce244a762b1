"""Oracles of disks, caches and I/O nodes: machines as texts against theory and arithmetic.

The numbers O4, O15, ... are those of the project's list of oracles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simulator.plan.codes import POISSON
from simulator.plan.jobs import ArrivalsPlan
from simulator.study.oracle_rows import MB, MS, OracleRow, Times, mean_row
from simulator.study.oracle_runs import Bench, Script, arrivals_of, calls_of, plan_of, scripted
from simulator.study.oracles import arriving, workload
from simulator.study.theory import che, write_behind_s

# -- disks --------------------------------------------------------------------------------------

DISK = """
nodes: {{client: 1}}
parts: {{disk: {{kind: disk, {spec}}}}}
filesystems: {{fs: [[disk]]}}
"""


def disk_queue(bench: Bench) -> Iterator[OracleRow]:
    """M/G/1 at a disk: 1 ms if a request continues the one before, 11 ms if it does not.

    Processes take the next arrival when they are free. A disk serves in the order of arrival, so
    that they do so in turn; each has one of the places in a row that is gone through repeatedly.
    """
    miss, places, size = 0.1, max(2000, 20_000 // bench.divisor), MB
    jumps = np.zeros(places, dtype=np.int64)
    jumps[: round(miss * places)] = 1
    bench.generator().shuffle(jumps[1:])  # The first comes after the last, far away.
    offsets = size * np.cumsum(1 + jumps)
    machine = DISK.format(spec="rate: 1 GB/s, seek: 10 ms")
    jobs = workload(arriving("client", 4 * MS, out=places, size=size))
    plan = arrivals_of(plan_of(machine, jobs), bench.count(2_000_000))
    plan = scripted(plan, [Script("read", 0, at, size) for at in offsets.tolist()])
    calls = calls_of(bench.carry_out(plan), "read")
    seeks = 10 * MS * np.resize(jumps, len(calls.elapsed))
    waits = calls.elapsed - MS - seeks
    second_moment = (1 - miss) * 1**2 + miss * 11**2
    expected = 0.25 * second_moment / (2 * (1 - 0.5))
    yield mean_row("O4", "M/G/1, seeks at a disk: mean wait, ms", expected, waits, MS)


ONE = """
files: {{f: {{size: {size}, exists: true}}}}
jobs: [{{name: client, record: {record}, phases: [{{do: {do}, file: f}}]}}]
"""


def services(bench: Bench, spec: str, places: Times) -> Times:
    """Return the time of a read of one byte at each of these places, one after the other."""
    jobs = ONE.format(size="2 GB", record="1 B", do="read")
    result = bench.run(DISK.format(spec=spec), jobs, [Script("read", 0, places, 1)])
    return calls_of(result, "read").elapsed


def mechanics(bench: Bench) -> Iterator[OracleRow]:
    """Positioning: half a turn on average, and a third of the way from one place to another."""
    turn, far = 8_333_333, 30 * MS
    places = 2 * bench.generator().integers(0, 10**9, bench.count(100_000))
    spec = f"rate: 1000 PB/s, rotation: {turn} ns, rotational_delay: drawn"
    latency = services(bench, spec, places)
    yield mean_row("O17", "rotational latency at 7200 rpm, ms", turn / 2 / MS, latency, MS)
    spec = f"rate: 1000 PB/s, capacity: 2 GB, track_seek: 0 ns, full_seek: {far} ns"
    seeks = services(bench, spec, places)
    name = "seek between random places, share of the whole"
    yield mean_row("O17", name, 1 / 3, seeks, far)


# -- caches -------------------------------------------------------------------------------------

CACHE = """
nodes: {{client: 1}}
parts: {{disk: {{kind: queue, overhead: 1 ms}}}}
stores: {{pages: {{at: client, capacity: {slots} kB, block: 1 kB, extent: 1 kB}}}}
filesystems: {{fs: [pages, [disk]]}}
"""


def page_hits(bench: Bench, slots: int, pages: Times, policy: str = "lru") -> Times:
    """Return 1 for each read of a page that the store holds, and that takes no time, else 0."""
    jobs = ONE.format(size="2000 kB", record="1 kB", do="read")
    machine = CACHE.format(slots=slots).replace("block:", f"policy: {policy}, block:")
    result = bench.run(machine, jobs, [Script("read", 0, 1000 * pages, 1000)])
    hits: Times = (calls_of(result, "read").elapsed == 0).astype(np.int64)
    (store,) = result.stores.values()
    assert (store.counts["hits"], store.counts["hits"] + store.counts["misses"]) == (
        hits.sum(),
        len(pages),
    )
    return hits


def caches(bench: Bench) -> Iterator[OracleRow]:
    """LRU under independent references, and under a cycle."""
    pages, count = 1000, bench.count(300_000)
    hits = page_hits(bench, 250, bench.generator().integers(0, pages, count))
    yield mean_row("O15", "LRU, uniform, 250 of 1000 pages: hits", 0.25, hits)
    cycle = np.tile(np.arange(pages), 10)
    hits = page_hits(bench, pages - 1, cycle)
    yield OracleRow("O15", "LRU, cycle of 1000 pages, 999 fit: hits", 0, int(hits.sum()), 0)
    misses = int((1 - page_hits(bench, pages, cycle)).sum())
    yield OracleRow("O15", "LRU, cycle of 1000 pages, all fit: misses", pages, misses, 0)
    weights = np.arange(1, pages + 1, dtype=np.float64) ** -0.8
    drawn = bench.generator().choice(pages, count, p=weights / weights.sum())
    expected = che(weights.tolist(), 100)
    row = mean_row(
        "O15", "LRU, Zipf 0.8, 100 of 1000 pages: hits", expected, page_hits(bench, 100, drawn)
    )
    # Che's formula is itself an approximation, good to a per cent.
    tolerance = max(row.tolerance, 0.01 * row.expected)
    yield OracleRow(row.id, row.name, row.expected, row.simulated, tolerance)


BURST = """
nodes: {{client: 1}}
parts: {{memory: {{kind: queue, rate: 240 MB/s}}, disk: {{kind: queue, rate: 15 MB/s}}}}
stores:
  cache:
    {{at: client, capacity: {room} MB, block: {block} MB, extent: {block} MB, dirty: 100 %,
     start: [eager], {more}}}
filesystems: {{fs: [[memory], cache, [disk]]}}
"""


def write_behind(bench: Bench) -> Iterator[OracleRow]:
    """A burst into a cache that writes it back meanwhile, and is full before its end."""
    size, rate_in, rate_out, room = 512 * MB, 240e6, 15e6, 64 * MB
    expected = write_behind_s(size, rate_in, rate_out, room)
    cases = (
        ("what fits", 64, 8, "writers: 1"),
        ("a file's share", 256, 8, "quota: 64 MB"),
        ("the dirty limit", 256, 8, "writers: 1"),
        ("what fits, smaller blocks", 64, 1, "writers: 1"),
    )
    for limit, capacity, block, more in cases:
        machine = BURST.format(room=capacity, block=block, more=more)
        if "dirty" in limit:
            machine = machine.replace("dirty: 100 %", "dirty: 25 %")
        jobs = ONE.format(size="512 MB", record="8 MB", do="write").replace(", exists: true", "")
        simulated = bench.run(machine, jobs).elapsed_ns / 1e9
        name = f"burst into a write-behind cache, limit {limit}, s"
        # A fluid, against whole blocks: one of them may still be on its way to disk.
        yield OracleRow("O18", name, expected, simulated, block * MB / rate_out)


# -- I/O nodes ----------------------------------------------------------------------------------

BLOCK = 65536
NODES = """
nodes: {{node: {nodes}}}
parts: {{crossbar: {{kind: network, at: node, rate: 1 GB/s, latency: 500 ns}},
         io: {{kind: io-server, at: node, {server}}}, raid: {{kind: raid, at: node, {raid}}}}}
buffer_caches: {{buffers: {{at: node, capacity: {slots} KiB, block: 64 KiB}}}}
filesystems:
  scratch: [{{stripe: 64 KiB, over: 1, of: node}},
            {{route: [crossbar], header: 100 B, server: io}}, buffers, raid]
runtime: {{mpi_io: {{call_overhead: {call} ns}}}}
"""
FREE_SERVER = "copy_rate: 1000 PB/s"
FAST_RAID = "rate: 1000 PB/s, bus_rate: 1000 PB/s, cache: 64 KiB"
ARRAY = """
files: {{array: {{size: {size} KiB, shared: true{more}}}}}
jobs: [{{name: job, {job}, phases: [{{do: {do}, file: array, block: {block} KiB, access: contiguous,
        method: offset}}]}}]
"""


def io_node(slots: int, raid: str) -> str:
    """Return a node with a buffer cache of so many blocks, where only a RAID unit takes time."""
    return NODES.format(nodes=1, server=FREE_SERVER, raid=raid, slots=64 * slots, call=0)


def raid_reads(bench: Bench, seek_ns: int = MS) -> Iterator[OracleRow]:
    """M/D/1: every read of a RAID unit pays a seek of 1 ms, and nothing else."""
    load, readers = 0.8, 300
    jobs = ARRAY.format(
        size=64 * readers,
        more=", exists: true",
        job=f"processes: {readers}, per_node: {readers}",
        do="mpi-read",
        block=64,
    )
    plan = plan_of(io_node(1, f"{FAST_RAID}, seek: {seek_ns} ns"), jobs)
    arrivals = ArrivalsPlan(
        kind=POISSON, count=bench.count(1_000_000), gap_ns=round(MS / load), stream="readers"
    )
    # Readers come in turn; blocks that follow each other go to readers that do not.
    phases = [one.phases for one in plan.processes]
    processes = tuple(
        replace(one, arrivals=0, phases=phases[i * 7 % readers])
        for i, one in enumerate(plan.processes)
    )
    plan = replace(plan, processes=processes, arrivals=(arrivals,))
    calls = calls_of(bench.carry_out(plan), "ask-read")
    waits = calls.elapsed - MS
    expected = load / (2 * (1 - load))
    yield mean_row("O2", "M/D/1 at a RAID unit, load 0.8: mean wait, ms", expected, waits, MS)


def buffered_blocks(bench: Bench) -> Iterator[OracleRow]:
    """A buffer cache under independent references: a block that it has takes no time."""
    blocks, slots = 1000, 250
    jobs = ARRAY.format(
        size=64 * blocks, more=", exists: true", job="processes: 1", do="mpi-read", block=64
    )
    drawn = bench.generator().integers(0, blocks, bench.count(300_000))
    script = Script("ask-read", 0, drawn, 1)
    raid = "rate: 65 MB/s, bus_rate: 1000 PB/s, cache: 64 KiB"
    result = bench.run(io_node(slots, raid), jobs, [script])
    hits = 1 * (calls_of(result, "ask-read").elapsed == 0)
    (cache,) = result.stores.values()
    assert cache.counts["hits"] == hits.sum()
    name = "buffer cache, 250 of 1000 blocks, uniform: hits"
    yield mean_row("O15", name, slots / blocks, hits)


def raid_burst(bench: Bench) -> Iterator[OracleRow]:
    """A burst into the cache of a RAID unit, which drains meanwhile; one buffer before it."""
    rate_in, rate_out, room, count = 40e6, 9e6, 1024 * BLOCK, 4096
    jobs = ARRAY.format(size=64 * count, more="", job="processes: 1", do="mpi-write", block=64)
    raid = f"rate: 9 MB/s, bus_rate: 40 MB/s, cache: {room} B"
    simulated = bench.run(io_node(1, raid), jobs).elapsed_ns / 1e9
    expected = write_behind_s(count * BLOCK, rate_in, rate_out, room)
    # A fluid, against whole blocks: one of them may still be on its way to the disks.
    name = "burst into the cache of a RAID unit, s"
    yield OracleRow("O18", name, expected, simulated, BLOCK / rate_out)


def over_bound(bench: Bench, processes: int) -> float:
    """Return the throughput of processes that call one I/O node, over its asymptotic bound.

    Process 0 is on the node itself. X <= min(sum of 1 / C, 1 / D), with C the time that a cycle of
    a process takes alone and D what a request takes of the node's processor.
    """
    call, request, piece, latency, size, header = 200_000, 40_000, 1_000, 500, 16_384, 100
    cycles = 50
    server = f"overhead: {request} ns, piece: {piece} ns, copy_rate: 1 GB/s"
    machine = NODES.format(
        nodes=processes, server=server, raid=FAST_RAID, slots=64 * 4096, call=call
    )
    jobs = ARRAY.format(
        size=16 * cycles * processes,
        more="",
        job=f"processes: {processes}",
        do="mpi-write",
        block=16,
    )
    result = bench.run(machine, jobs)
    demand = request + piece + size
    alone = call + demand
    far = alone + 2 * (latency + header) + size
    bound = min(1 / alone + (processes - 1) / far, 1 / demand)
    return cycles * processes / (result.elapsed_ns * bound)


def io_node_bounds(bench: Bench) -> Iterator[OracleRow]:
    """Throughput of one I/O node is never over its bound, and near it for many processes."""
    over = {processes: over_bound(bench, processes) for processes in (1, 2, 4, 8)}
    name = "1 process at an I/O node: throughput over its bound"
    yield OracleRow("O9", name, 1.0, over[1], 1e-9)
    name = "1 to 8 processes at an I/O node: most that throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)
    # Of 50 cycles, one at each end finds the processor without work.
    name = "8 processes at an I/O node: throughput over its bound"
    yield OracleRow("O9", name, 1.0, over[8], 0.02)
