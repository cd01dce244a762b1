"""Identities of buffer caches and RAID units: conservation of blocks, bytes and time.

See :mod:`simulator.verification.identities`. Not checked: idle times of disks between requests, and
requests of processes that serve arrivals, or begin again after failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import ASK_READ, ASK_WRITE, BUFFERS, WRITE
from simulator.plan.plan import buffers_of
from simulator.verification.bufferedcalls import calls_of, parts_of
from simulator.verification.planned import listed_of, paths_of

if TYPE_CHECKING:
    from simulator.kinds.parts.raid.spec import RaidSpec
    from simulator.plan.parts import BuffersPlan
    from simulator.plan.paths import Hold
    from simulator.plan.plan import Plan
    from simulator.result.result import Result, StoreResult


@dataclass(slots=True)
class MemberRequests:
    """Requests of processes at one member."""

    looks: int = 0
    """Lookups of blocks of an extent."""
    written: int = 0
    """Bytes written."""
    works: int = 0
    """Number of uses of the processor."""
    work_ns: int = 0
    """Time of the processor, without noise."""
    complete: bool = True
    """True if the counts are complete."""


def broken_buffers(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each violated identity."""
    if not plan.buffers:
        return
    if result.given_up:  # The bytes that arrived here are unknown.
        members = ((n, one) for n, row in enumerate(plan.buffers) for one in range(len(row.blocks)))
        wanted = dict.fromkeys(members, MemberRequests(complete=False))
    else:
        wanted = wanted_of(plan, result.rounds())
    for number, row in enumerate(plan.buffers):
        for member in range(len(row.blocks)):
            name = plan.store_name(row, member)
            asked = wanted.get((number, member), MemberRequests())
            one = result.stores.get(name)
            if one is None:
                if asked.complete and asked.looks:
                    yield f"{name}: no result, but {asked.looks} blocks were requested"
                continue
            raid = plan.parts[row.raid].spec
            assert raid is not None
            for broken in (*_cache(row, member, one), *_unit(row, raid, one), *_asked(asked, one)):
                yield f"{name}: {broken}"
            yield from _raid_part(plan, row, member, one, result)
    yield from _processors(plan, wanted, result)


# -- what was asked for -------------------------------------------------------------------------


def wanted_of(
    plan: Plan, rounds: Mapping[str, int] | None = None
) -> dict[tuple[int, int], MemberRequests]:
    """Return the requests of processes, by row of buffers and member; ``rounds`` as in Planned."""
    rounds = rounds or {}
    found = {where: MemberRequests(complete=False) for where in _of_unknown(plan)}
    _add_calls(plan, found, rounds)
    if plan.asked is None:
        return found
    groups: dict[tuple[int, int, int], list[int]] = {}
    rows, table = plan.asked.requests, plan.operations
    for process in plan.processes:
        for i, first, count, times in listed_of(plan, process, rounds.get(process.name, 0)):
            if table.kind[i] not in (ASK_READ, ASK_WRITE):
                continue
            tier = buffers_of(plan, plan.paths[plan.path_of(i)].top)
            assert tier is not None
            write = table.kind[i] == ASK_WRITE
            for request in range(first, first + count):
                where = tier.row, rows.node[request]
                one = found.setdefault(where, MemberRequests())
                group = rows.group[request]
                if group >= 0:
                    asked = groups.setdefault((*where, group), [0, 0])
                    asked[write] += times
                _add_request(plan, one, plan.buffers[tier.row], request, times, write=write)
    for (row, member, group), asked in groups.items():
        _add_group(plan, found[row, member], plan.buffers[row], group, asked)
    return found


def _of_unknown(plan: Plan) -> Iterator[tuple[int, int]]:
    """Yield all members that processes may use of which the requests are not known.

    Those that serve arrivals, whose offsets may be random, or that begin rounds again.
    """
    for process in plan.processes:
        unknown = process.arrivals >= 0 or process.restart >= 0
        for path in paths_of(plan, process) if unknown else ():
            tier = buffers_of(plan, plan.paths[path].top)
            if tier is not None:
                members = range(len(plan.buffers[tier.row].blocks))
                yield from ((tier.row, member) for member in members)


def _add_calls(
    plan: Plan, found: dict[tuple[int, int], MemberRequests], rounds: Mapping[str, int]
) -> None:
    """Add the demand of reads, writes and syncs."""
    tiers = [buffers_of(plan, path.top) for path in plan.paths]
    for process in plan.processes:
        for call, times in calls_of(plan, process, rounds.get(process.name, 0)):
            if call is None:
                every = (
                    (row, i) for row, one in enumerate(plan.buffers) for i in range(len(one.blocks))
                )
                for where in every:
                    found.setdefault(where, MemberRequests()).complete = False
                continue
            tier = tiers[call.path]
            if tier is None:
                continue
            file, row = plan.files[call.file], plan.buffers[tier.row]
            for part in parts_of(plan, process, call, tier):
                one = found.setdefault((tier.row, part.member), MemberRequests())
                low, high = file.base + part.low, file.base + part.high
                blocks = -(-high // row.block) - low // row.block if high > low else 0
                one.looks += times * blocks
                one.works += times
                handling = row.request_ns + blocks * row.piece_ns
                copying = row.copy.service_ns(high - low) if high > low else 0
                one.work_ns += times * (handling + copying)
                if part.kind == WRITE:
                    one.written += times * (high - low)


def _add_request(
    plan: Plan, one: MemberRequests, row: BuffersPlan, request: int, times: int, *, write: bool
) -> None:
    assert plan.asked is not None
    rows = plan.asked.requests
    one.works += times
    one.work_ns += times * (row.request_ns + rows.pieces[request] * row.piece_ns)
    if rows.group[request] < 0:
        one.work_ns += times * row.copy.service_ns(rows.size[request])
        _add_extents(plan, one, rows.first[request], rows.count[request], times, write=write)


def _add_group(
    plan: Plan, one: MemberRequests, row: BuffersPlan, group: int, asked: list[int]
) -> None:
    """Add the requests of a group: ``asked`` counts its members' reads and writes."""
    assert plan.asked is not None
    groups = plan.asked.groups
    times, left = divmod(sum(asked), groups.members[group])
    one.complete &= not left and 0 in asked
    one.works += times
    one.work_ns += times * (row.copy.service_ns(groups.size[group]) + groups.more[group])
    write = asked[0] == 0
    _add_extents(plan, one, groups.first[group], groups.count[group], times, write=write)


def _add_extents(
    plan: Plan, one: MemberRequests, first: int, count: int, times: int, *, write: bool
) -> None:
    assert plan.asked is not None
    rows = plan.asked.extents
    one.looks += times * count
    if write:
        sizes = (rows.high[i] - rows.low[i] for i in range(first, first + count))
        one.written += times * sum(sizes)


def _asked(wanted: MemberRequests, one: StoreResult) -> Iterator[str]:
    """Check that all requests were looked up and accepted."""
    counts = one.counts
    looks = counts["hits"] + counts["misses"]
    if not wanted.complete:
        return
    if looks != wanted.looks:
        yield f"{looks} lookups of blocks, {wanted.looks} expected"
    if counts["accepted_bytes"] != wanted.written:
        yield f"{counts['accepted_bytes']} B received, {wanted.written} B written to it"


# -- the cache and its unit ---------------------------------------------------------------------


def _cache(row: BuffersPlan, member: int, one: StoreResult) -> Iterator[str]:
    """Check that blocks and bytes that entered a cache left it or are in it."""
    counts = one.counts
    left = counts["overwritten_bytes"] + counts["disk_written_bytes"]
    if counts["accepted_bytes"] != left:
        yield f"{counts['accepted_bytes']} B written into it, {left} B accounted for"
    came = counts["misses"] + counts["read_ahead"]
    slots = max(1, min(row.slots, row.blocks[member]))
    if not 0 <= came - counts["evicted"] <= slots:
        yield f"{came} blocks came, {counts['evicted']} went, with {slots} slots"
    if not counts["used_ahead"] <= counts["read_ahead"] <= counts["disk_reads"] <= came:
        yield (
            f"{came} blocks came, {counts['disk_reads']} from the disks, {counts['read_ahead']}"
            f" ahead, {counts['used_ahead']} of them used"
        )


def _unit(row: BuffersPlan, raid: RaidSpec, one: StoreResult) -> Iterator[str]:
    """Check that a RAID unit has moved the bytes of its requests, in the corresponding time."""
    counts = one.counts
    reads, writes, hits = counts["disk_reads"], counts["disk_writes"], counts["disk_hits"]
    read, written = counts["disk_read_bytes"], counts["disk_written_bytes"]
    if read != reads * row.block or not writes <= written <= writes * row.block:
        yield f"{read} B in {reads} reads and {written} B in {writes} writes of {row.block} B"
    if hits > reads:
        yield f"{hits} of {reads} reads found in the unit's cache"
    least = (reads + writes) * raid.bus_overhead_ns + (read + written) * (1e9 / raid.bus_rate)
    if not _within(counts["bus_busy_ns"], least, least, reads + writes):
        yield f"bus busy for {counts['bus_busy_ns']} ns, its transfers take {least:.0f}"
    requests = reads - hits + writes
    least = (read - hits * row.block + written) * (1e9 / raid.rate)
    most = least + requests * (raid.overhead_ns + raid.seek_ns + raid.turn_ns // 2)
    if not _within(counts["disk_busy_ns"], least, most, requests):
        yield f"disks busy for {counts['disk_busy_ns']} ns, their transfers take {least:.0f}"


def _within(time: int, least: float, most: float, roundings: int) -> bool:
    """Return whether a sum of rounded times is between two bounds."""
    slack = roundings / 2 + 1e-9 * most
    return least - slack <= time <= most + slack


def _raid_part(
    plan: Plan, row: BuffersPlan, member: int, one: StoreResult, result: Result
) -> Iterator[str]:
    """Check that the unit's resource counted the requests of the cache."""
    counts = one.counts
    name = plan.instance_name(plan.parts[row.raid], member)
    part = result.parts.get(name)
    found = (part.requests, part.bytes, part.busy_ns) if part else (0, 0, 0)
    wanted = (
        counts["disk_reads"] + counts["disk_writes"],
        counts["disk_read_bytes"] + counts["disk_written_bytes"],
        counts["disk_busy_ns"],
    )
    if found != wanted:
        yield f"{name}: requests, bytes and busy ns {found}, expected {wanted}"


# -- processors ---------------------------------------------------------------------------------


def _processors(
    plan: Plan, wanted: Mapping[tuple[int, int], MemberRequests], result: Result
) -> Iterator[str]:
    """Check that processors that only serve caches did the requested work."""
    for row, hold in _only_users(plan).items():
        part = plan.parts[hold.part]
        for member in range(part.count):
            one = wanted.get((row, member), MemberRequests())
            name = plan.instance_name(part, member)
            done = result.parts.get(name)
            works, busy_ns = (done.requests, done.busy_ns) if done else (0, 0)
            if one.complete and works != one.works:
                yield f"{name}: {works} uses of the processor, {one.works} expected"
            exact = one.complete and not plan.noisy and not part.noise.exponential
            if exact and busy_ns != one.work_ns:
                yield f"{name}: busy for {busy_ns} ns, its work takes {one.work_ns}"


def _only_users(plan: Plan) -> dict[int, Hold]:
    """Return the processors of rows of buffers that no other tier uses."""
    found: dict[int, Hold] = {}
    users: dict[int, list[int]] = {}
    for number, tier in enumerate(plan.tiers):
        for hold in (*tier.down, *tier.up):
            users.setdefault(hold.part, []).append(number)
        if tier.kind == BUFFERS and tier.down[0].slot == tier.slot:
            found[tier.row] = tier.down[0]
    return {row: hold for row, hold in found.items() if len(users[hold.part]) == 1}
