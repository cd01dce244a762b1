"""From the typed sections of I/O nodes and an array to a plan."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from simulator.config.parallel import ArrayIo, ParallelIo, Striping, file_size, order_of
from simulator.engine.ioplan import IoMachine, IoPlan
from simulator.machine.mixing import mix
from simulator.machine.noise import stream_key
from simulator.machine.raid import RaidSpec
from simulator.machine.station import ServiceSpec
from simulator.machine.subfiles import Region, SubFiles
from simulator.runtime.iotables import Asked
from simulator.runtime.mpiio import Job, program
from simulator.runtime.mpilibrary import LibrarySpec

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""


def make_io_plan(machine: ParallelIo, work: ArrayIo, *, seed: int = 0) -> IoPlan:
    """Flatten a machine and a workload that fit together (see ``check_array``)."""
    files = sub_files(machine, work)
    job = Job(
        asked=pieces(work),
        write=work.operation == "write",
        method={"unix": "seek", "offsets": "offset"}.get(
            method_of(machine, work), method_of(machine, work)
        ),
        starts_ns=[start_ns(work, process, seed) for process in range(work.processes)],
        asynchronous=work.asynchronous,
        compute_ns=work.compute,
    )
    made = program(job, library_spec(machine), files, machine.nodes)
    tables = made.tables
    block = machine.ionode.block
    return IoPlan(
        machine=io_machine(machine),
        workload=work.name,
        threads=made.threads,
        steps=tables.steps,
        requests=tables.requests,
        groups=tables.groups,
        extents=tables.extents,
        blocks=tuple(files.lengths.get(node, 0) // block for node in range(machine.nodes)),
        stored=work.operation == "read" or work.array.exists,
        memory=made.memory,
        server_calls=made.server_calls,
        copied=made.copied,
        seed=seed,
        digest=io_digest(machine, work),
    )


def method_of(machine: ParallelIo, work: ArrayIo) -> str:
    """What the library does: what it is told, or the best that the system offers."""
    if work.method != "auto":
        return work.method
    if work.interface == "collective":
        return "disk-directed" if machine.features.collective else "two-phase"
    if work.interface == "view" and machine.features.stride_io:
        return "stride"
    if work.interface == "view" and machine.features.list_io:
        return "list"
    return "unix"


def pieces(work: ArrayIo) -> list[Asked]:
    """The pieces of each process."""
    array = work.array
    row = work.processes * array.piece
    rows = array.size // row
    starts = np.arange(rows, dtype=np.int64) * (row + (array.gap or 0))
    size = np.full(rows, array.piece, dtype=np.int64)
    return [Asked(starts + process * array.piece, size) for process in range(work.processes)]


def start_ns(work: ArrayIo, process: int, seed: int) -> int:
    """When a process makes its call: a function of seed and process alone."""
    draw = mix(stream_key(seed, 0, "start"), process) >> 11
    return int(draw * work.skew) >> 53


def sub_files(machine: ParallelIo, work: ArrayIo) -> SubFiles:
    """Where the file's bytes lie."""
    size = file_size(work)
    if work.regions is None:
        return SubFiles((_region(work.striping or machine.striping, size),), machine.ionode.block)
    regions = []
    for number, one in enumerate(work.regions):
        if size > 0:
            last = number == len(work.regions) - 1
            regions.append(_region(one, size if last else min(size, one.size)))
            size -= one.size
    return SubFiles(tuple(regions), machine.ionode.block)


def _region(striping: Striping, size: int) -> Region:
    return Region(size=size, stripe=striping.block, order=order_of(striping))


def io_digest(machine: ParallelIo, work: ArrayIo) -> str:
    """Give the SHA-256 of all values; names, titles and sources make no difference."""
    parts = {
        "parallel-io": machine.model_dump(mode="json", exclude=_NAMES),
        "array-io": work.model_dump(mode="json", exclude=_NAMES),
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def library_spec(machine: ParallelIo) -> LibrarySpec:
    """The library of a machine."""
    section = machine.library
    return LibrarySpec(
        call_ns=section.call_overhead,
        item_ns=section.item_overhead,
        item=section.item_size,
        stride=section.stride_size,
        copy=ServiceSpec(section.copy_rate),
        transfer_buffer=section.transfer_buffer,
        sieve_buffer=section.sieve_buffer,
        exchange_buffer=section.exchange_buffer,
        lock_ns=section.lock_overhead,
        barrier_ns=section.barrier_overhead,
        node_copy=ServiceSpec(machine.ionode.copy_rate),
        locks=machine.features.file_lock,
    )


def io_machine(machine: ParallelIo) -> IoMachine:
    """The specifications of a machine's parts."""
    node, raid = machine.ionode, machine.raid
    return IoMachine(
        name=machine.name,
        nodes=machine.nodes,
        port=ServiceSpec(machine.crossbar.port_rate, machine.crossbar.latency),
        header=machine.crossbar.header,
        request_ns=node.request_overhead,
        piece_ns=node.piece_overhead,
        copy=ServiceSpec(node.copy_rate),
        servers=node.servers,
        cache_slots=node.buffer_cache // node.block,
        block=node.block,
        ahead=node.prefetch,
        raid=RaidSpec(
            rate=raid.rate,
            overhead_ns=raid.overhead,
            seek_ns=raid.seek,
            turn_ns=raid.turn,
            cache=raid.cache,
            bus_rate=raid.bus_rate,
            bus_overhead_ns=raid.bus_overhead,
        ),
    )
