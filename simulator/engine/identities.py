"""Sample-path identities: what must hold on every run, to the last nanosecond and byte.

They need no theory and no tolerance: time that a client accounts for is the time that
passed, bytes that went in came out or are still there, and a busy server was serving.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.engine.parts import Parts
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result


class IdentityError(AssertionError):
    """A conservation law does not hold: the simulator has a defect."""


def check_identities(plan: Plan, parts: Parts, result: Result) -> None:
    """Raise :class:`IdentityError` listing every identity that does not hold."""
    broken = [
        *_time(result),
        *_work(plan, result),
        *_servers(result),
        *_crossbar(parts),
        *_cache(parts),
        *_disks(parts),
    ]
    if broken:
        raise IdentityError("; ".join(broken))


def _time(result: Result) -> Iterator[str]:
    for client in result.clients:
        if client.accounted_ns() != client.elapsed_ns:
            yield f"{client.name}: {client.accounted_ns()} ns of {client.elapsed_ns} accounted for"
        if client.idle_ns < 0 or any(w < 0 or s < 0 for w, s in client.parts.values()):
            yield f"{client.name}: negative time in its account"
        if not 0 <= client.started_ns <= client.ended_ns <= result.end_ns:
            yield f"{client.name}: ran from {client.started_ns} to {client.ended_ns}"


def _work(plan: Plan, result: Result) -> Iterator[str]:
    masters = {client.name: client for client in result.clients}
    for job in plan.jobs:
        for work in ("read", "write"):
            planned = job.repeat * sum(
                phase.lengths.total
                for phase in job.phases
                if phase.work == work and phase.lengths is not None
            )
            client = masters[job.name]
            moved = client.read.bytes if work == "read" else client.write.bytes
            if moved != planned:
                yield f"{job.name}: {work} of {moved} B where {planned} B were planned"


def _servers(result: Result) -> Iterator[str]:
    for name, part in result.parts.items():
        if part.busy_ns > part.servers * result.end_ns:
            yield f"{name}: busy for {part.busy_ns} ns in {result.end_ns} ns"
        if part.busy_ns < 0 or part.bytes < 0:
            yield f"{name}: negative counters"


def _crossbar(parts: Parts) -> Iterator[str]:
    ports = list(parts.ports)
    if parts.scfs:
        ports.append(parts.scfs.port)
    if parts.nfs:
        ports.append(parts.nfs.port)
    sent = sum(port.outward.bytes for port in ports)
    received = sum(port.inward.bytes for port in ports)
    if sent != received:
        yield f"crossbar: {sent} B sent, {received} B received"


def _cache(parts: Parts) -> Iterator[str]:
    if parts.ssu is None or parts.scfs is None:
        return
    cache, counts = parts.ssu.cache, parts.ssu.counts
    dirty = sum(cache.dirty_bytes(slot) for slot in range(cache.slots))
    left = counts.written_back_bytes + counts.overwritten_bytes + dirty
    over = sum(cache.dirty_sum[slot] - cache.dirty_bytes(slot) for slot in range(cache.slots))
    if counts.accepted_bytes != left + over:
        yield f"ssu: {counts.accepted_bytes} B written into it, {left + over} B accounted for"
    resident = sum(1 for slot in cache.slot_of if slot >= 0)
    if resident != cache.used:
        yield f"ssu: {resident} units resident, {cache.used} slots used"
    came = counts.fetched + counts.read_back + counts.prestaged + counts.created
    if came != resident + counts.released + counts.evicted:
        yield f"ssu: {came} units came, {resident} are there, the rest did not go"


def _disks(parts: Parts) -> Iterator[str]:
    stored = sum(disk.bytes for group in parts.groups for disk in group)
    if stored != parts.paths.bytes:
        yield f"disks: {stored} B, their I/O paths: {parts.paths.bytes} B"
    if parts.ssu is not None and parts.nfs is None:
        counts = parts.ssu.counts
        moved = counts.written_back_bytes + counts.fetched_bytes + counts.read_back_bytes
        if moved != stored:
            yield f"disks: {stored} B, the SSU says {moved} B"
