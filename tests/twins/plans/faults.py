"""What is wrong with a plan: everything that an engine could not carry out.

Plans that come from files have been checked in the words of their author; this is for plans that
tests make. Not checked: waiting that never ends, which a run reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.kinds import names
from simulator.plan.codes import CLOSE_REPLACED, HOLD, LOCKS, OPEN_ASKS, OPEN_CACHED, STORE
from simulator.plan.cores import MOST_CORES
from simulator.plan.limits import PlanError
from tests.twins.plans.askedfaults import asked_faults, buffers_faults
from tests.twins.plans.chains import Chain, chain_faults, circles, kept, parent_place
from tests.twins.plans.jobfaults import job_faults
from tests.twins.plans.lockfaults import ways_of_locks, ways_to_files
from tests.twins.plans.servicefaults import service_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.plan.parts import GroupPlan, PartPlan, StorePlan
    from simulator.plan.plan import Plan
    from simulator.service import ServiceSpec

RELEASES = ("none", "whole", "full")
TRIGGERS = {"mark", "eager", "full", "close", "rewrite"}


def check(plan: Plan) -> None:
    """Raise :class:`PlanError` if anything is wrong with a plan."""
    found = faults(plan)
    if found:
        raise PlanError("\n".join(found))


def faults(plan: Plan) -> list[str]:
    """Return what is wrong with a plan, a sentence each; nothing if it can be carried out."""
    tables = [*_groups(plan), *_parts(plan), *_stores(plan), *buffers_faults(plan)]
    if tables:
        return tables
    chains = chains_of(plan)
    found = [fault for chain in chains for fault in chain_faults(plan, chain)]
    if not found:
        found = [*circles(plan, chains), *_pools(plan), *_paths(plan), *ways_of_locks(plan)]
    found += [*_files(plan), *asked_faults(plan)]
    return found if found else [*job_faults(plan), *service_faults(plan)]


def chains_of(plan: Plan) -> list[Chain]:
    """Return all runs of tiers that requests and messages go along."""
    found = []
    for path in plan.paths:
        found.append(Chain(f"path {path.name}", path.top, path.places, calls=True))
        for row in found[-1].rows(plan):
            if plan.tiers[row].kind == LOCKS:
                top = row + plan.tiers[row].ask
                name = f"locks of {path.name}"
                found.append(Chain(name, top, path.places, empty=True, locks=True))
        if path.metadata >= 0:
            metadata = Chain(f"metadata of {path.name}", path.metadata, path.places, empty=True)
            found.append(metadata)
        if path.drain >= 0:
            found.append(Chain(f"drain of {path.name}", path.drain, path.places))
    both = frozenset((0, 1))
    for number, channel in enumerate(plan.channels):
        ends = (channel.source, channel.target)
        if channel.top >= 0 and all(0 <= one < len(plan.processes) for one in ends):
            groups = tuple(plan.processes[one].group for one in ends)
            places = channel.places or groups
            found.append(Chain(f"channel {number}", channel.top, places, both))
    found += [
        Chain(f"messages of {one.name}", one.top, one.places, both)
        for one in plan.services.messages
        if one.top >= 0
    ]
    for process in plan.processes:
        if process.exchange >= 0:
            places = process.exchange_places or (process.group, process.group)
            found.append(Chain(f"exchange of {process.name}", process.exchange, places, both))
    return found


# -- tables -------------------------------------------------------------------------------------


def _groups(plan: Plan) -> Iterator[str]:
    if not plan.groups:
        yield "there is no group of nodes"
    for row, group in enumerate(plan.groups):
        if group.count < 1:
            yield f"group {group.name}: {group.count} members"
        if not -1 <= group.parent < row:
            yield f"group {group.name}: its parent {group.parent} is no earlier group"
        elif group.parent >= 0 and group.count != plan.groups[group.parent].count * group.each:
            yield f"group {group.name}: {group.count} members, {group.each} in each of its parent"


def _instances(
    groups: Sequence[GroupPlan], rows: Sequence[PartPlan] | Sequence[StorePlan]
) -> Iterator[str]:
    """Yield wrong numbers of instances."""
    following = 0
    for row in rows:
        if not 0 <= row.group < len(groups) or row.count != groups[row.group].count:
            yield f"{row.name}: {row.count} instances on group {row.group}"
        if row.first != following:
            yield f"{row.name}: its first instance is {row.first}, not {following}"
        following = row.first + row.count


def _parts(plan: Plan) -> Iterator[str]:
    yield from _instances(plan.groups, plan.parts)
    for part in plan.parts:
        if part.kind not in names("parts", "reference"):
            yield f"{part.label}: unknown kind {part.kind}"
        needed = part.traits.spec
        if needed is not None and not isinstance(part.spec, needed):
            yield f"{part.label}: no specification of its {part.kind}"
        if part.servers < 1 or (part.servers > 1 and not part.traits.many):
            yield f"{part.label}: {part.servers} servers"
        if not 0 <= part.cores <= MOST_CORES or (part.cores and part.kind != "cpu"):
            yield f"{part.label}: {part.cores} cores"
        if part.latency_ns < 0:
            yield f"{part.label}: a latency of {part.latency_ns} ns"
        yield from _services(part)
        if not 0 <= part.column < len(plan.columns):
            yield f"{part.label}: column {part.column} of {len(plan.columns)}"
    known = all(0 <= part.group < len(plan.groups) for part in plan.parts)
    called = [
        plan.instance_name(part, index)
        for part in plan.parts
        for index in range(part.count)
        if known
    ]
    if len(set(called)) < len(called):
        double = sorted(name for name in set(called) if called.count(name) > 1)
        yield f"instances of one name: {', '.join(double)}"


def _services(part: PartPlan) -> Iterator[str]:
    """Yield services and speeds that are none, or that the kind has no use for."""
    for service in (part.service, part.service_of(writes=True)):
        if not service.rate > 0 or service.overhead_ns < 0:
            yield f"{part.label}: a service at {service.rate} B/s"
        yield from _tables(part, service)
    for speeds in (part.speeds, part.write_speeds):
        if len(speeds) == 1 or any(speed < 1 for speed in speeds[1:]):
            yield f"{part.label}: speeds {speeds}"
    if part.writes is not None and not part.traits.directed:
        yield f"{part.label}: a {part.kind} with a service of writes"
    if part.writes is None and part.write_speeds:
        yield f"{part.label}: speeds of writes without their service"


def _tables(part: PartPlan, service: ServiceSpec) -> Iterator[str]:
    if service.deeper and part.kind not in ("disk", "ssd"):
        yield f"{part.label}: a {part.kind} with services by how many requests there are"
    if (service.deeper or service.points) and getattr(part.spec, "inner_rate", 0):
        yield f"{part.label}: rates by size or number, of a disk whose rate falls inwards"
    if any(one.deeper for one in service.deeper):
        yield f"{part.label}: services by number within one"
    for one in service.depths:
        points = [(point.size, point.time_ns) for point in one.points]
        low = (0, 1)
        for size, time_ns in points:
            if size <= low[0] or time_ns < low[1]:
                yield f"{part.label}: points {points}"
                break
            low = (size, time_ns)


def _stores(plan: Plan) -> Iterator[str]:
    yield from _instances(plan.groups, plan.stores)
    worker = len(plan.processes)
    for store in plan.stores:
        name = f"store {store.name}"
        if min(store.slots, store.block, store.extent) < 1:
            yield f"{name}: {store.slots} slots of {store.block} B, moved by {store.extent}"
        if store.policy not in names("policies", "reference") or store.release not in RELEASES:
            yield f"{name}: policy {store.policy}, release {store.release}"
        if not store.triggers <= TRIGGERS:
            yield f"{name}: triggers {sorted(store.triggers)}"
        if any(one != -1 and one < 1 for one in (store.dirty_limit, store.quota)):
            yield f"{name}: dirty limit {store.dirty_limit}, quota {store.quota}"
        if not 0 <= store.low <= store.high or store.ahead < 0:
            yield f"{name}: watermarks {store.low} and {store.high}, {store.ahead} blocks ahead"
        if store.workers < store.back:
            yield f"{name}: {store.workers} workers"
        if min(store.interval_ns, store.span) < 1 or store.slow_ns < 0:
            yield f"{name}: looks every {store.interval_ns} ns, slows by {store.slow_ns} ns"
        if store.actors and store.first_worker != worker:
            yield f"{name}: its first worker is actor {store.first_worker}, not {worker}"
        worker += store.actors
        if not all(
            0 <= c < len(plan.columns) for c in (store.cache_column, store.writeback_column)
        ):
            yield f"{name}: columns {store.cache_column} and {store.writeback_column}"


# -- paths and files ----------------------------------------------------------------------------


def _pools(plan: Plan) -> Iterator[str]:
    """Yield parts of which servers are kept, and which serve requests as well."""
    held = {hold.part for tier in plan.tiers if tier.kind == HOLD for hold in tier.down}
    used = {
        hold.part for tier in plan.tiers if tier.kind != HOLD for hold in (*tier.down, *tier.up)
    }
    for part in sorted(held & used):
        yield f"{plan.parts[part].label}: a pool of servers that serves requests too"


def _paths(plan: Plan) -> Iterator[str]:
    for path in plan.paths:
        if not 0 <= path.close <= CLOSE_REPLACED:
            yield f"path {path.name}: unknown close {path.close}"
        if not OPEN_ASKS <= path.opening <= OPEN_CACHED:
            yield f"path {path.name}: unknown opening {path.opening}"
        if not 0 <= path.attributes_min_ns <= path.attributes_max_ns:
            times = f"{path.attributes_min_ns} to {path.attributes_max_ns} ns"
            yield f"path {path.name}: attributes are known for {times}"
        if path.remembers and path.metadata < 0:
            yield f"path {path.name}: attributes are known without metadata"
        rows = Chain(path.name, path.top, path.places).rows(plan)
        if path.first_store < 0:
            continue
        above = rows[: rows.index(path.first_store)] if path.first_store in rows else []
        kinds = {plan.tiers[row].kind for row in above}
        if path.first_store not in rows or plan.tiers[path.first_store].kind != STORE:
            yield f"path {path.name}: its first store is tier {path.first_store}, which is none"
        elif STORE in kinds:
            yield f"path {path.name}: a store before its first store"


def _files(plan: Plan) -> Iterator[str]:
    for file in plan.files:
        if not 0 <= file.path < len(plan.paths):
            yield f"file {file.name}: path {file.path} of {len(plan.paths)}"
            continue
        if not 0 <= file.length <= file.size or min(file.base, file.lead, file.inner) < 0:
            yield f"file {file.name}: {file.length} of {file.size} B, at {file.base}, {file.lead}"
        path = plan.paths[file.path]
        if file.prestaged and not _one_instance(plan, path.first_store, path.places):
            yield f"file {file.name}: prestaged, but path {path.name} leads to no store of all"
    yield from _ways(plan)


def _one_instance(plan: Plan, tier: int, places: tuple[int, ...]) -> bool:
    """Whether all requests for a file reach the same instance of a store."""
    if not 0 <= tier < len(plan.tiers):
        return False
    slot = plan.tiers[tier].slot
    while slot > 0:
        slot = parent_place(plan, places, slot)
    return slot < 0 or plan.groups[places[0]].count == 1


def _ways(plan: Plan) -> Iterator[str]:
    """Yield files that reach a store in several ways which lead to different blocks."""
    for number, paths in ways_to_files(plan).items():
        ways: dict[int, set[object]] = {}
        for row in paths:
            if not 0 <= row < len(plan.paths):
                continue
            path = plan.paths[row]
            for top in (path.top, path.drain):
                for store, way in kept(plan, Chain(path.name, top, path.places)).items():
                    ways.setdefault(store, set()).add(way)
        for store, different in ways.items():
            if len(different) > 1:
                name = plan.stores[store].name
                yield f"file {plan.files[number].name}: reaches store {name} in different ways"
