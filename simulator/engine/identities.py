"""Sample-path identities: what must hold on every run, to the last nanosecond and byte.

They need no theory and no tolerance: time that a client accounts for is the time that
passed, bytes that went in came out or are still there, and a busy server was serving.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.runtime.records import READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.engine.plan import PhasePlan, Plan
    from simulator.engine.result import Result
    from simulator.machine.cache import UnitCache


class IdentityError(AssertionError):
    """A conservation law does not hold: the simulator has a defect."""


@dataclass(frozen=True, slots=True)
class Books:
    """What an engine's parts have counted, whichever engine it was."""

    sent: int
    """Bytes that left the crossbar's ports."""
    received: int
    on_paths: int
    """Bytes over the front end's paths."""
    on_disks: int
    counts: Mapping[str, int]
    """The cache's counters."""
    cache: UnitCache | None
    only_cache: bool
    """Whether nothing but the SSU's cache reaches the disks."""


def check_identities(plan: Plan, books: Books, result: Result) -> None:
    """Raise :class:`IdentityError` listing every identity that does not hold."""
    broken = [
        *_time(result),
        *_work(plan, result),
        *_servers(plan, result),
        *_crossbar(books),
        *_cache(books),
        *_disks(books),
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
            planned += sum(_listed(plan, phase, work) for phase in job.phases) * job.repeat
            client = masters[job.name]
            moved = client.read.bytes if work == "read" else client.write.bytes
            if moved != planned:
                yield f"{job.name}: {work} of {moved} B where {planned} B were planned"


def _listed(plan: Plan, phase: PhasePlan, work: str) -> int:
    """Bytes that the listed calls of a phase read, or write."""
    if plan.calls is None or phase.work != "calls":
        return 0
    kind = READ if work == "read" else WRITE
    rows = range(phase.first_call, phase.first_call + phase.calls)
    return sum(plan.calls.size[i] for i in rows if plan.calls.kind[i] == kind)


def _servers(plan: Plan, result: Result) -> Iterator[str]:
    used = Counter(job.first_pe for job in plan.jobs)
    shared = {f"pe{number}" for number, clients in used.items() if clients > 1}
    for name, part in result.parts.items():
        if part.busy_ns > part.servers * result.end_ns and name not in shared:
            yield f"{name}: busy for {part.busy_ns} ns in {result.end_ns} ns"
        if part.busy_ns < 0 or part.bytes < 0:
            yield f"{name}: negative counters"


def _crossbar(books: Books) -> Iterator[str]:
    if books.sent != books.received:
        yield f"crossbar: {books.sent} B sent, {books.received} B received"


def _cache(books: Books) -> Iterator[str]:
    cache, counts = books.cache, books.counts
    if cache is None:
        return
    dirty = sum(cache.dirty_sum[slot] for slot in range(cache.slots))
    left = counts["written_back_bytes"] + counts["overwritten_bytes"] + dirty
    if counts["accepted_bytes"] != left:
        yield f"ssu: {counts['accepted_bytes']} B written into it, {left} B accounted for"
    resident = sum(cache.find(block) >= 0 for block in set(cache.block_of) - {-1})
    if resident != cache.used:
        yield f"ssu: {resident} units resident, {cache.used} slots used"
    came = counts["fetched"] + counts["read_back"] + counts["prestaged"] + counts["created"]
    if came != resident + counts["released"] + counts["evicted"]:
        yield f"ssu: {came} units came, {resident} are there, the rest did not go"


def _disks(books: Books) -> Iterator[str]:
    if books.on_disks != books.on_paths:
        yield f"disks: {books.on_disks} B, their I/O paths: {books.on_paths} B"
    counts = books.counts
    moved = counts["written_back_bytes"] + counts["fetched_bytes"] + counts["read_back_bytes"]
    if books.only_cache and moved != books.on_disks:
        yield f"disks: {books.on_disks} B, the SSU says {moved} B"
