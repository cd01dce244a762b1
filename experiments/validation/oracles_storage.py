"""Oracles of disks, caches and I/O nodes: machines as texts against theory and arithmetic.

The numbers O4, O15, ... are those of the project's list of oracles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simulator.plan.codes import POISSON
from simulator.plan.jobs import ArrivalsPlan
from simulator.wording import counted

from . import laws
from .chains import Law
from .laws_systems import lru_hits
from .oracle_rows import MB, MS, OracleRow, Times, exact_row, mean_row
from .oracle_runs import Bench, Script, calls_of, plan_of
from .oracles import arriving, arriving_plan, workload
from .theory import write_behind_blocks_s, write_behind_s

# -- disks --------------------------------------------------------------------------------------

DISK = """
nodes: {{client: 1}}
parts: {{disk: {{kind: disk, {spec}}}}}
filesystems: {{fs: [[disk]]}}
"""


def disk_queue(bench: Bench) -> Iterator[OracleRow]:
    """M/G/1 at a disk: short and long requests (what hits and what misses); a drawn rotation."""
    count, sizes = bench.count(2_000_000), (1000, 11_000)
    short = arriving("short", round(4 * MS / 0.9), size=sizes[0])
    long = arriving("long", 40 * MS, size=sizes[1])
    machine = DISK.format(spec=f"rate: {bench.rate(1e6)}")
    plan = arriving_plan(machine, workload(short, long), count * 9 // 10, count // 10, sizes=sizes)
    calls = calls_of(bench.carry_out(plan), "write")
    waits = calls.elapsed - np.rint(calls.size * 1000 * bench.off).astype(np.int64)

    def mixed(off: float) -> Law:
        return laws.m_g_1_wait(0.25, laws.fixed_moments((0.9, off), (0.1, 11 * off)))

    yield mean_row("O4", "M/G/1, 1 and 11 ms at a disk: mean wait, ms", mixed, waits, MS)
    turn = bench.ns(8 * MS)
    # Each write begins where the previous one began, so that all wait for the rotation.
    spec = f"rate: 1000 PB/s, rotation: {turn} ns, rotational_delay: drawn"
    machine = DISK.format(spec=spec)
    plan = arriving_plan(machine, workload(arriving("client", 8 * MS)), bench.count(1_000_000))
    times = calls_of(bench.carry_out(plan), "write").elapsed

    def rotating(off: float) -> Law:
        return laws.m_g_1_time(0.125, laws.uniform_moments(0.0, 8 * off))

    yield mean_row("O4", "M/G/1, drawn rotation of a disk: mean time, ms", rotating, times, MS)


ONE = """
files: {{f: {{size: {size}, exists: true}}}}
jobs: [{{name: client, record: {record}, phases: [{{do: {do}, file: f}}]}}]
"""


def services(bench: Bench, spec: str, places: Times) -> Times:
    """Return the time of a read of one byte at each of these offsets, one after the other."""
    jobs = ONE.format(size="2 GB", record="1 B", do="read")
    result = bench.run(DISK.format(spec=spec), jobs, [Script("read", 0, places, 1)])
    return calls_of(result, "read").elapsed


def mechanics(bench: Bench) -> Iterator[OracleRow]:
    """Positioning: half a rotation on average, and a third of the range of seeks."""
    turn, far = 8_333_333, 30 * MS
    places = 2 * bench.generator().integers(0, 10**9, bench.count(300_000))
    spec = f"rate: 1000 PB/s, rotation: {bench.ns(turn)} ns, rotational_delay: drawn"
    latency = services(bench, spec, places)
    name = "rotational latency at 7200 rpm, ms"
    yield mean_row(
        "O17", name, lambda off: laws.uniform(0, turn * off / MS), latency, MS, what="rotation"
    )
    spec = f"rate: 1000 PB/s, capacity: 2 GB, track_seek: 0 ns, full_seek: {bench.ns(far)} ns"
    seeks = services(bench, spec, places)
    name = "seek between random places, share of the whole"
    yield mean_row("O17", name, laws.random_seeks, seeks, far, what="seek")


# -- caches -------------------------------------------------------------------------------------

CACHE = """
nodes: {{client: 1}}
parts: {{disk: {{kind: queue, overhead: 1 ms}}}}
stores: {{pages: {{at: client, capacity: {slots} kB, block: 1 kB, extent: 1 kB}}}}
filesystems: {{fs: [pages, [disk]]}}
"""


def page_hits(bench: Bench, slots: int, pages: Times, policy: str = "lru") -> Times:
    """Return 1 for each read of a resident page, which takes no time, otherwise 0."""
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
    pages, count = 1000, bench.count(500_000)

    # Any 250 pages are resident: the next one is among them with probability 1/4.
    hits = page_hits(bench, bench.room(250), bench.generator().integers(0, pages, count))
    name = "LRU, uniform, 250 of 1000 pages: hits"
    yield mean_row("O15", name, lambda off: laws.chance(0.25 * off), hits, what="room")
    cycle = np.tile(np.arange(pages), 4)
    hits = page_hits(bench, pages - 1, cycle)
    name = "LRU, cycle of 1000 pages, 999 fit: hits"
    yield OracleRow("O15", name, 0, int(hits.sum()), 0, "one page")
    misses = int((1 - page_hits(bench, pages, cycle)).sum())
    name = "LRU, cycle of 1000 pages, all fit: misses"
    yield OracleRow("O15", name, pages, misses, 0, "one page")
    weights = np.arange(1, pages + 1, dtype=np.float64) ** -0.8
    drawn = bench.generator().choice(pages, 2 * count, p=weights / weights.sum())
    hits = page_hits(bench, bench.room(100), drawn)
    name = "LRU, Zipf 0.8, 100 of 1000 pages: hits"
    yield mean_row("O15", name, lambda off: lru_hits(weights, 100 * off), hits, what="room")


BURST = """
nodes: {{client: 1}}
parts: {{memory: {{kind: queue, rate: 240 MB/s}}, disk: {{kind: queue, rate: {rate}}}}}
stores:
  cache:
    {{at: client, capacity: {room} MB, block: {block} MB, extent: {block} MB, dirty: 100 %,
     start: [eager], {more}}}
filesystems: {{fs: [[memory], cache, [disk]]}}
"""


def write_behind(bench: Bench) -> Iterator[OracleRow]:
    """A burst into a cache with concurrent write-back, which fills before its end."""
    size, rate_in, rate_out, room = 512 * MB, 240e6, 15e6, 64 * MB
    cases = (
        ("what fits", 64, 8, "writers: 1"),
        ("a file's share", 256, 8, "quota: 64 MB"),
        ("the dirty limit", 256, 8, "writers: 1"),
        ("what fits, smaller blocks", 64, 1, "writers: 1"),
    )
    for limit, capacity, block, more in cases:
        machine = BURST.format(room=capacity, block=block, more=more, rate=bench.rate(rate_out))
        if "dirty" in limit:
            machine = machine.replace("dirty: 100 %", "dirty: 25 %")
        jobs = ONE.format(size="512 MB", record="8 MB", do="write").replace(", exists: true", "")
        simulated = bench.run(machine, jobs).elapsed_ns / 1e9
        name = f"burst into a write-behind cache, limit {limit}, s"

        def expected(off: float, block: int = block * MB) -> float:
            return write_behind_blocks_s(size, rate_in, rate_out / off, room, block)

        # Each of the blocks' services is rounded to a whole nanosecond.
        tolerance = size / (block * MB) * 0.5e-9
        yield exact_row("O18", name, expected, simulated, tolerance, what="rate")
    # Fluid against blocks: they differ by one block under way, in and out.
    name = "the same, against a fluid"
    tolerance = MB / rate_in + MB / rate_out

    def fluid(off: float) -> float:
        return write_behind_s(size, rate_in, rate_out / off, room)

    yield exact_row("O18", name, fluid, simulated, tolerance, what="rate")


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
    """Return a node with a buffer cache of some blocks, where only a RAID unit takes time."""
    return NODES.format(nodes=1, server=FREE_SERVER, raid=raid, slots=64 * slots, call=0)


def raid_reads(bench: Bench) -> Iterator[OracleRow]:
    """M/D/1: every read of a RAID unit costs a seek of 1 ms only."""
    load, readers = 0.8, 300
    jobs = ARRAY.format(
        size=64 * readers,
        more=", exists: true",
        job=f"processes: {readers}, per_node: {readers}",
        do="mpi-read",
        block=64,
    )
    plan = plan_of(io_node(1, f"{FAST_RAID}, seek: {bench.ns(MS)} ns"), jobs)
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
    name = "M/D/1 at a RAID unit, load 0.8: mean wait, ms"
    waits = calls.elapsed - bench.ns(MS)
    yield mean_row("O2", name, lambda off: laws.m_d_1_wait(load, off), waits, MS, what="seek")


def buffered_blocks(bench: Bench) -> Iterator[OracleRow]:
    """A buffer cache under independent references: a resident block takes no time."""
    blocks, slots = 1000, 250
    jobs = ARRAY.format(
        size=64 * blocks, more=", exists: true", job="processes: 1", do="mpi-read", block=64
    )
    drawn = bench.generator().integers(0, blocks, bench.count(500_000))
    script = Script("ask-read", 0, drawn, 1)
    raid = "rate: 65 MB/s, bus_rate: 1000 PB/s, cache: 64 KiB"
    result = bench.run(io_node(bench.room(slots), raid), jobs, [script])
    hits = 1 * (calls_of(result, "ask-read").elapsed == 0)
    (cache,) = result.stores.values()
    assert cache.counts["hits"] == hits.sum()
    name = "buffer cache, 250 of 1000 blocks, uniform: hits"
    yield mean_row("O15", name, lambda off: laws.chance(slots * off / blocks), hits, what="room")


def raid_burst(bench: Bench) -> Iterator[OracleRow]:
    """A burst into the cache of a RAID unit with concurrent write-back; one buffer before it."""
    rate_in, rate_out, room, count = 40e6, 9e6, 1024 * BLOCK, 4096
    jobs = ARRAY.format(size=64 * count, more="", job="processes: 1", do="mpi-write", block=64)
    raid = f"rate: {bench.rate(rate_out)}, bus_rate: 40 MB/s, cache: {room} B"
    simulated = bench.run(io_node(1, raid), jobs).elapsed_ns / 1e9

    def expected(off: float) -> float:
        # The buffer of the I/O node has room for one block more.
        return write_behind_blocks_s(count * BLOCK, rate_in, rate_out / off, room + BLOCK, BLOCK)

    name = "burst into the cache of a RAID unit, s"
    yield exact_row("O18", name, expected, simulated, count * 0.5e-9, what="rate")


CALL, REQUEST, PIECE, LATENCY, SIZE, HEADER = 200_000, 40_000, 1_000, 500, 16_384, 100
"""Times of an I/O node's clients and its processor in ns, and bytes, which take a ns each."""


def io_node_bound(processes: int, off: float = 1.0) -> float:
    """Return X <= min(sum of 1 / C, 1 / D), the asymptotic bound of processes at one I/O node.

    C is the time of a process's cycle without contention, D the time of the node's processor per
    request, which has an error factor ``off``. Process 0 is on the node itself.
    """
    demand = REQUEST * off + PIECE + SIZE
    alone = CALL + demand
    far = alone + 2 * (LATENCY + HEADER) + SIZE
    return min(1 / alone + (processes - 1) / far, 1 / demand)


def over_bound(bench: Bench, processes: int, cycles: int = 50) -> float:
    """Return the throughput of processes that call one I/O node, over its asymptotic bound."""
    server = f"overhead: {bench.ns(REQUEST)} ns, piece: {PIECE} ns, copy_rate: 1 GB/s"
    machine = NODES.format(
        nodes=processes, server=server, raid=FAST_RAID, slots=64 * 4096, call=CALL
    )
    jobs = ARRAY.format(
        size=16 * cycles * processes,
        more="",
        job=f"processes: {processes}",
        do="mpi-write",
        block=16,
    )
    result = bench.run(machine, jobs)
    return cycles * processes / (result.elapsed_ns * io_node_bound(processes))


def io_node_bounds(bench: Bench) -> Iterator[OracleRow]:
    """Throughput of one I/O node never exceeds its bound, and approaches it for many processes."""
    cycles = max(50, bench.count(400))
    over = {processes: over_bound(bench, processes, cycles) for processes in (1, 2, 4, 8)}
    # At each end one of the cycles finds the processor without work.
    for processes, tolerance in ((1, 1e-9), (8, 1 / cycles)):
        name = f"{counted(processes, 'process')} at an I/O node: throughput over its bound"

        def expected(off: float, processes: int = processes) -> float:
            return io_node_bound(processes, off) / io_node_bound(processes)

        yield exact_row("O9", name, expected, over[processes], tolerance)
    name = "1 to 8 processes at an I/O node: most that throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)
