"""The native engine of parallel input and output: from a plan to a result."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.engine.ioresult import IoResult, NodeResult, ThreadResult, check_books
from simulator.engine.native.clock import Clock
from simulator.engine.native.iothreads import IoEngine, Network
from simulator.machine.buffercache import BufferCache
from simulator.machine.raid import RaidUnit
from simulator.result.errors import SimulationError
from simulator.runtime.iocodes import PARTS

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan

STRETCH = 1 << 20
"""Events at a time: between two stretches an interrupt is heard."""


def run_native_io(plan: IoPlan, *, debug: bool = False) -> IoResult:
    """Carry out a plan; the result is that of the reference engine to the nanosecond.

    Raises :class:`SimulationError` naming the threads that wait for ever.
    """
    engine = build(plan)
    for number, thread in enumerate(plan.threads):
        if thread.start_ns >= 0:
            engine.clock.at(number, thread.start_ns)
    while not engine.loop(STRETCH):
        pass
    blocked = [
        thread.name for number, thread in enumerate(plan.threads) if engine.ended[number] < 0
    ]
    if blocked:
        raise SimulationError(f"processes wait for ever: {', '.join(blocked)}")
    result = _collect(plan, engine)
    if debug:
        check_books(result)
    return result


def build(plan: IoPlan) -> IoEngine:
    """Make the machine and everybody in it."""
    machine, threads = plan.machine, plan.threads
    actors = len(threads) * (1 + machine.nodes)
    clock = Clock(actors)
    port = (machine.port.overhead_ns, machine.port.ns_per_byte)
    rows = plan.extents
    caches = [
        BufferCache(
            RaidUnit(machine.raid, machine.block, plan.blocks[node]),
            slots=machine.cache_slots,
            block=machine.block,
            blocks=plan.blocks[node],
            ahead=machine.ahead,
            stored=plan.stored,
            askers=len(threads),
            tables=(rows.block, rows.low, rows.high),
        )
        for node in range(machine.nodes)
    ]
    return IoEngine(
        clock,
        Network(clock, machine.nodes, machine.servers, port, actors),
        caches,
        (plan.steps, plan.requests, plan.groups),
        (machine.header, machine.request_ns, machine.piece_ns, machine.copy.ns_per_byte),
        (
            array("q", [thread.node for thread in threads]),
            array("q", [thread.first for thread in threads]),
            array("q", [thread.first + thread.count for thread in threads]),
        ),
        len(plan.processes),
    )


def _collect(plan: IoPlan, engine: IoEngine) -> IoResult:
    elapsed = max(engine.ended)
    end = max(cache.drain(elapsed) for cache in engine.caches)
    return IoResult(
        machine=plan.machine.name,
        workload=plan.workload,
        engine="native",
        seed=plan.seed,
        digest=plan.digest,
        elapsed_ns=elapsed,
        end_ns=end,
        threads=tuple(
            _thread(plan, engine, number)
            for number, thread in enumerate(plan.threads)
            if thread.start_ns >= 0
        ),
        nodes=tuple(_node(engine, number) for number in range(plan.machine.nodes)),
        memory=dict(plan.memory),
        server_calls=plan.server_calls,
        copied=plan.copied,
        events=engine.clock.alarms,
    )


def _thread(plan: IoPlan, engine: IoEngine, number: int) -> ThreadResult:
    thread, spent = plan.threads[number], engine.network.spent
    base = 2 * len(PARTS) * number
    pairs = {part: (spent[base + 2 * i], spent[base + 2 * i + 1]) for i, part in enumerate(PARTS)}
    return ThreadResult(
        name=thread.name,
        started_ns=engine.started[number],
        ended_ns=engine.ended[number],
        read=thread.read,
        written=thread.written,
        calls=thread.calls,
        parts={part: pair for part, pair in pairs.items() if any(pair)},
    )


def _node(engine: IoEngine, number: int) -> NodeResult:
    network, cache = engine.network, engine.caches[number]
    raid = cache.raid
    return NodeResult(
        requests=network.requests[number],
        busy_ns=network.busy[number],
        sent=network.port_bytes[number],
        received=network.port_bytes[network.nodes + number],
        messages=network.messages[number],
        hits=cache.hits,
        misses=cache.misses,
        read_ahead=cache.read_ahead,
        used_ahead=cache.used_ahead,
        evicted=cache.evicted,
        disk_reads=raid.reads,
        disk_writes=raid.writes,
        disk_read=raid.read_bytes,
        disk_written=raid.written_bytes,
        disk_busy_ns=raid.media_busy,
        bus_busy_ns=raid.bus_busy,
        raid_hits=raid.hits,
    )
