"""Today's plans of parallel I/O as composed plans, and their results in common words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.plan import codes
from simulator.plan.jobs import (
    AskedPlan,
    ChannelPlan,
    Operations,
    PhasePlan,
    ProcessPlan,
)
from simulator.plan.parts import BuffersPlan, GroupPlan, PartPlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.runtime import iocodes

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan
    from simulator.engine.ioresult import IoResult
    from simulator.result.result import Result

IN, OUT, PROCESSOR, RAID = range(4)
STAGE, BUFFERS, END, MESSAGE = range(4)
KINDS = {
    iocodes.REST: codes.PAUSE,
    iocodes.READ: codes.ASK_READ,
    iocodes.WRITE: codes.ASK_WRITE,
    iocodes.SEND: codes.SEND,
    iocodes.LOCK: codes.LOCK,
    iocodes.UNLOCK: codes.UNLOCK,
    iocodes.BARRIER: codes.BARRIER,
    iocodes.START: codes.START,
    iocodes.WAIT: codes.JOIN,
}


def composed(plan: IoPlan) -> Plan:
    """Return a composed plan that does what a plan of parallel input and output does."""
    machine = plan.machine
    channels: dict[tuple[int, int], int] = {}
    operations = Operations()
    for number, thread in sorted(enumerate(plan.threads), key=lambda one: one[1].first):
        for row in range(thread.first, thread.first + thread.count):
            _add(operations, plan, number, row, channels)
    there, back = (Hold(OUT, 0), Hold(IN, 1)), (Hold(OUT, 1), Hold(IN, 0))
    return Plan(
        machine=machine.name,
        workload=plan.workload,
        groups=(GroupPlan(name="node", count=machine.nodes),),
        parts=_parts(plan),
        buffers=(
            BuffersPlan(
                name="buffers",
                group=0,
                slots=machine.cache_slots,
                block=machine.block,
                ahead=machine.ahead,
                raid=RAID,
                column=iocodes.DISKS,
                blocks=plan.blocks,
                stored=tuple((node, 0, count) for node, count in enumerate(plan.blocks))
                if plan.stored
                else (),
                request_ns=machine.request_ns,
                piece_ns=machine.piece_ns,
                copy=machine.copy,
            ),
        ),
        tiers=(
            TierPlan(
                kind=codes.STAGE, down=there, up=back, header=machine.header, remote_only=True
            ),
            TierPlan(kind=codes.BUFFERS, down=(Hold(PROCESSOR, 1),), slot=1),
            TierPlan(kind=codes.END),
            TierPlan(kind=codes.STAGE, down=there),
            TierPlan(kind=codes.END),
        ),
        paths=(PathPlan(name="pff", top=STAGE, places=(0, 0)),),
        files=(FilePlan(name="array", path=0),),
        processes=tuple(
            ProcessPlan(
                name=thread.name,
                job="job",
                group=0,
                node=thread.node,
                start_ns=thread.start_ns,
                sleeps=thread.start_ns < 0,
                phases=(
                    PhasePlan(
                        kind=codes.LISTED,
                        first=thread.first,
                        count=thread.count,
                        size=thread.read + thread.written,
                        write=thread.written > 0,
                    ),
                ),
            )
            for thread in plan.threads
        ),
        operations=operations,
        channels=tuple(
            ChannelPlan(source=source, target=target, top=MESSAGE) for source, target in channels
        ),
        barriers=(len(plan.processes),),
        locks=1,
        asked=AskedPlan(requests=plan.requests, groups=plan.groups, extents=plan.extents),
        columns=iocodes.PARTS,
        others_column=iocodes.LATER,
        barrier_column=iocodes.AT_BARRIER,
        lock_column=iocodes.FILE_LOCK,
        merging_column=iocodes.MERGING,
        seed=plan.seed,
        digest=plan.digest,
    )


def _add(
    operations: Operations,
    plan: IoPlan,
    thread: int,
    row: int,
    channels: dict[tuple[int, int], int],
) -> None:
    steps = plan.steps
    kind, first, count = steps.kind[row], steps.first[row], steps.count[row]
    if kind == iocodes.SEND:
        first = channels.setdefault((thread, first), len(channels))
    elif kind in (iocodes.LOCK, iocodes.UNLOCK, iocodes.BARRIER):
        first = 0
    operations.add(
        KINDS[kind], file=0, offset=first, size=count, gap=steps.think[row], column=steps.part[row]
    )


def _parts(plan: IoPlan) -> tuple[PartPlan, ...]:
    machine = plan.machine
    parts: list[PartPlan] = []
    rows: list[dict[str, Any]] = [
        {"name": "port", "way": "in", "kind": "queue", "service": machine.port},
        {"name": "port", "way": "out", "kind": "queue", "service": machine.port},
        {"name": "processor", "kind": "queue", "servers": machine.servers},
        {"name": "raid", "kind": "raid", "raid": machine.raid},
    ]
    columns = (iocodes.CROSSBAR, iocodes.CROSSBAR, iocodes.NODES, iocodes.DISKS)
    for number, (row, column) in enumerate(zip(rows, columns, strict=True)):
        first, count = number * machine.nodes, machine.nodes
        parts.append(PartPlan(group=0, first=first, count=count, column=column, **row))
    return tuple(parts)


def old_words(result: IoResult) -> dict[str, Any]:
    """Return what both results have in common, from the old one."""
    threads = {
        one.name: (one.started_ns, one.ended_ns, dict(sorted(one.parts.items())))
        for one in result.threads
    }
    nodes = [
        {
            "processor": (one.requests, one.busy_ns),
            "port": (one.received, one.sent, one.messages),
            "raid": (one.disk_reads + one.disk_writes, one.disk_busy_ns),
            "cache": (one.hits, one.misses, one.read_ahead, one.used_ahead, one.evicted),
            "disk": (one.disk_read, one.disk_written, one.bus_busy_ns, one.raid_hits),
        }
        for one in result.nodes
    ]
    return {
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "threads": threads,
        "nodes": nodes,
    }


def new_words(plan: IoPlan, result: Result) -> dict[str, Any]:
    """Return what both results have in common, from the new one."""
    started = {one.name for one in plan.processes}
    threads = {
        one.name: (one.started_ns, one.ended_ns, dict(sorted(one.spent.items())))
        for one in result.processes
        if one.name in started
    }
    nodes = [_node(result, f"node{i}" if plan.machine.nodes > 1 else "node", plan)
             for i in range(plan.machine.nodes)]  # fmt: skip
    return {
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "threads": threads,
        "nodes": nodes,
    }


def _node(result: Result, node: str, plan: IoPlan) -> dict[str, Any]:
    def part(name: str) -> tuple[int, int, int]:
        key = f"{node}.{name}" if plan.machine.nodes > 1 else name
        one = result.parts.get(key)
        return (one.requests, one.bytes, one.busy_ns) if one else (0, 0, 0)

    key = f"{node}.buffers" if plan.machine.nodes > 1 else "buffers"
    store = result.stores.get(key)

    def counts(*names: str) -> tuple[int, ...]:
        return tuple(store.counts[name] if store else 0 for name in names)

    processor, raid = part("processor"), part("raid")
    return {
        "processor": (processor[0], processor[2]),
        "port": (part("port.in")[1], part("port.out")[1], part("port.out")[0]),
        "raid": (raid[0], raid[2]),
        "cache": counts("hits", "misses", "read_ahead", "used_ahead", "evicted"),
        "disk": counts("disk_read_bytes", "disk_written_bytes", "bus_busy_ns", "disk_hits"),
    }
