"""Oracles of the parts of an I/O node: RAID units, buffer caches, and many processes at one node.

The numbers O2, O9, ... are those of the project's list of oracles; those that :mod:`oracles` has on
other parts are asked here of these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from simulator.machine.buffercache import BufferCache
from simulator.machine.raid import RaidSpec, RaidUnit
from simulator.run import load_plan, run_plan
from simulator.study.oracle_runs import Times
from simulator.study.oracles import MS, OracleRow, _mean, _Samples, write_behind_s

BLOCK = 65536


def run_storage_oracles(quick: bool = False) -> list[OracleRow]:
    """All rows; ``quick`` takes a tenth of the samples."""
    some = _Samples(10 if quick else 1)
    groups = (_random_reads(some), _uniform_blocks(some), _burst(), _bounds())
    return [row for group in groups for row in group]


def raid(**changes: float) -> RaidSpec:
    """A unit of which only what is named takes time."""
    values = {
        "rate": 1e18,
        "overhead_ns": 0,
        "seek_ns": 0,
        "turn_ns": 0,
        "cache": BLOCK,
        "bus_rate": 1e18,
    }
    return RaidSpec(**{**values, **changes})  # type: ignore[arg-type]


def random_waits(spec: RaidSpec, gaps: Times, service_ns: int) -> Times:
    """Wait of each read of a block that is nowhere near the last one."""
    unit, now = RaidUnit(spec, BLOCK, 1), 0
    waits = []
    for number, gap in enumerate(gaps.tolist()):
        now += gap
        waits.append(unit.read(now, 2 * number + 2, BLOCK) - now - service_ns)
    return np.array(waits)


def _random_reads(some: _Samples) -> Iterator[OracleRow]:
    """M/D/1: every read of a RAID unit pays a seek of 1 ms, and nothing else."""
    load = 0.8
    gaps = some.exponential(1 / load, 1_000_000)
    waits = random_waits(raid(seek_ns=MS), gaps, MS)
    expected = load / (2 * (1 - load))
    yield _mean("O2", "M/D/1 at a RAID unit, load 0.8: mean wait, ms", expected, waits, MS)


def block_hits(slots: int, blocks: Times) -> Times:
    """1 for each block that a buffer cache has, else 0."""
    count = len(blocks)
    column = array("q", blocks.tolist())
    cache = BufferCache(
        RaidUnit(raid(), BLOCK, 1),
        slots=slots,
        block=BLOCK,
        blocks=int(blocks.max()) + 1,
        ahead=0,
        stored=True,
        askers=1,
        tables=(column, array("q", [0]) * count, array("q", [1]) * count),
    )
    hits = []
    for row in range(count):
        before = cache.hits
        cache.access(row, row, 1, False, -1)
        hits.append(cache.hits - before)
    return np.array(hits)


def _uniform_blocks(some: _Samples) -> Iterator[OracleRow]:
    hits = block_hits(250, some.uniform(1000, 300_000))
    yield _mean("O15", "buffer cache, 250 of 1000 blocks, uniform: hits", 0.25, hits)


def _burst() -> Iterator[OracleRow]:
    """A burst into the cache of a RAID unit, which drains meanwhile."""
    rate_in, rate_out, room, count = 40e6, 9e6, 1024 * BLOCK, 4096
    unit = RaidUnit(raid(rate=rate_out, bus_rate=rate_in, cache=room), BLOCK, count)
    now = 0
    for block in range(count):
        now = unit.write(now, block, BLOCK)
    expected = write_behind_s(count * BLOCK, rate_in, rate_out, room)
    # A fluid, against whole blocks: one of them may still be on its way to the disks.
    name = "burst into the cache of a RAID unit, s"
    yield OracleRow("O18", name, expected, now / 1e9, BLOCK / rate_out)


def over_bound(processes: int) -> float:
    """Throughput of processes that call one I/O node, over its asymptotic bound.

    Process 0 is on the node itself. X <= min(sum of 1 / C, 1 / D), with C the time that a cycle of
    a process takes alone and D what a request takes of the node's processor.
    """
    call, request, piece, latency, size, header = 100_000, 40_000, 1_000, 500, 16_384, 100
    settings = {
        "machine.runtime.mpi_io.call_overhead": f"{call} ns",
        "machine.parts.io.overhead": f"{request} ns",
        "machine.parts.io.piece": f"{piece} ns",
        "machine.parts.io.copy_rate": "1 GB/s",
        "machine.parts.crossbar.latency": f"{latency} ns",
        "machine.parts.crossbar.rate": "1 GB/s",
        "machine.filesystems.pff.tiers.1.header": f"{header} B",
        "workload.jobs.0.processes": str(processes),
        "workload.files.array.size": f"{processes * 800} KiB",
        "workload.files.array.layout": f"[{{stripe: {processes * 800} KiB, over: 1}}]",
    }
    plan = load_plan("sr8000", "sr8000-write-ut", settings=list(settings.items()))
    result = run_plan(plan)
    demand = request + piece + size
    alone = 2 * call + demand
    far = alone + 2 * (latency + header) + size
    bound = min(1 / alone + (processes - 1) / far, 1 / demand)
    return 50 * processes / (result.elapsed_ns * bound)


def _bounds() -> Iterator[OracleRow]:
    over = {processes: over_bound(processes) for processes in (1, 2, 4, 8)}
    name = "1 process at an I/O node: throughput over its bound"
    yield OracleRow("O9", name, 1.0, over[1], 1e-9)
    name = "1 to 8 processes at an I/O node: most that throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)
    # Of 50 cycles, one at each end finds the processor without work.
    name = "8 processes at an I/O node: throughput over its bound"
    yield OracleRow("O9", name, 1.0, over[8], 0.02)
