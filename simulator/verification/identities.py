"""Identities of a run, exact to the nanosecond and byte, from plan and result alone.

They have no tolerance, and hold for both engines: elapsed time is accounted for, bytes that entered
a store left it or are in it, and a busy server was serving.

Not checked: quantities that are unknown without a simulation, such as the number of messages below
cuts or stores. That each has its header and its data is checked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from simulator.plan.codes import HOLD
from simulator.plan.cores import crowded_groups
from simulator.result.instances import labels_of, rows_of_instances
from simulator.verification.buffers import broken_buffers
from simulator.verification.curves import broken_curves
from simulator.verification.flows import Flows, places_of, totals_of_stores
from simulator.verification.planned import TIMED, Planned, gaps_elsewhere, only_timed
from simulator.verification.queues import broken_queues, placed
from simulator.verification.services import broken_services
from simulator.verification.states import available_ns, broken_states
from simulator.verification.sums import IdentityError, wrong_sums

if TYPE_CHECKING:
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.parts import PartPlan, StorePlan
    from simulator.plan.plan import Plan
    from simulator.result.result import PartResult, ProcessResult, Result, Span, StoreResult


def check_identities(plan: Plan, result: Result) -> None:
    """Raise :class:`IdentityError` listing every violated identity."""
    broken = list(broken_identities(plan, result))
    if broken:
        raise IdentityError("; ".join(broken))


def broken_identities(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each violated identity."""
    names = {one.name for one in result.processes}
    missing = [process.name for process in plan.processes if process.name not in names]
    if missing:
        yield f"no result of {', '.join(missing)}"
        return
    wrong = list(broken_queues(plan, result))
    if wrong:
        yield from wrong
        return
    plan = placed(plan, result)
    planned = Planned(plan, result.rounds())
    rows = rows_of_instances(plan)
    yield from wrong_sums(result)
    yield from _transfers(plan, planned, result)
    yield from _latencies(plan, planned, result)
    yield from _latencies_by_job(plan, planned, result)
    yield from _calls_in_progress(plan, planned, result)
    yield from _parts(plan, rows, result)
    yield from _stores(plan, result)
    yield from _bytes(plan, rows, planned, result)
    yield from broken_buffers(plan, result)
    yield from broken_services(plan, planned, result)
    yield from broken_states(plan, result)
    yield from broken_curves(plan, result)
    if result.spans:
        yield from _spans(plan, rows, result)


# -- time ---------------------------------------------------------------------------------------


def _calls_in_progress(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    """Check Little's law over the run: time in calls is what processes did not spend otherwise."""
    if any_stopped(plan, result):  # Their time between calls is unknown.
        return
    processes = {one.name: one for one in result.masters()}
    inside = sum(
        one.sum_ns for name, one in result.latencies.items() if name not in ("job", "call")
    )
    outside = 0
    exact = True
    crowded = crowded_groups(plan)
    for process, demand in zip(plan.processes, planned.once, strict=True):
        one = processes[process.name]
        outside += one.elapsed_ns - one.compute_ns - one.idle_ns
        if process.arrivals < 0:
            outside -= gaps_elsewhere(plan, process, one.rounds)
        exact &= only_timed(process, demand) and process.arrivals < 0
        exact &= process.group not in crowded and process.restart < 0
    if inside > outside or (exact and inside != outside):
        yield f"calls took {inside} ns in all, but processes spent {outside} ns in calls"


# -- work ---------------------------------------------------------------------------------------


def _transfers(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    processes = {one.name: one for one in result.processes}
    by_row: dict[tuple[int, str], int] = defaultdict(int)
    for process, work in zip(plan.processes, planned.once, strict=True):
        if process.restart >= 0:
            continue
        one = processes[process.name]
        for what, moved, failed, wanted in (
            ("read", one.read.bytes, one.read.failed_bytes, work.read),
            ("write", one.write.bytes, one.write.failed_bytes, work.write),
        ):
            if process.arrivals >= 0:
                by_row[process.arrivals, what] += moved
                if work.counted and not failed and (moved % wanted if wanted else moved):
                    yield f"{process.name}: {what} of {moved} B, in jobs of {wanted} B"
                continue
            rest = max(0, wanted - failed)
            # Calls of a library that fail have its bytes too.
            by_library = failed and any(phase.policy != "posix" for phase in process.phases)
            most = wanted if by_library else rest
            if moved > most or (moved < rest and not has_stopped(process, one)):
                lost = f", and {failed} B failed," * (failed > 0)
                yield f"{process.name}: {what} of {moved} B{lost} where {wanted} B were planned"
    if planned.total.counted and plan.arrivals and not result.given_up:
        whole = {what: sum(_moved(result, what)) for what in ("read", "write")}
        for what, wanted in (("read", planned.total.read), ("write", planned.total.write)):
            if whole[what] != wanted:
                yield f"{what} of {whole[what]} B where {wanted} B were planned"


def _moved(result: Result, work: str) -> Iterator[int]:
    for one in result.processes:
        yield one.read.bytes if work == "read" else one.write.bytes


def _latencies(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    served = {process.arrivals for process in plan.processes}
    jobs = sum(one.count for row, one in enumerate(plan.arrivals) if row in served)
    calls = len(result.numerical.calls) if result.numerical is not None else 0
    stopped = any_stopped(plan, result)
    timed = {name: count for name, count in planned.total.calls.items() if name in TIMED}
    wanted = {**timed, "job": jobs, "call": calls}
    made = {operation: one.count for operation, one in result.latencies.items()}
    for operation in sorted({*wanted, *made}):
        there, asked = made.get(operation, 0), wanted.get(operation, 0)
        if stopped and there <= asked:
            continue
        if there != asked if planned.total.counted or operation == "job" else there < asked:
            yield f"{operation}: {there} latencies where {asked} calls were planned"


def _latencies_by_job(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    """Check the numbers of calls of each job whose processes make those planned for each."""
    wanted = defaultdict[str, Counter[str]](Counter)
    unknown: set[str] = set()
    for process, demand in zip(plan.processes, planned.once, strict=True):
        wanted[process.job].update(demand.calls)
        if not demand.counted or process.arrivals >= 0 or process.restart >= 0:
            unknown.add(process.job)
    for job in set() if any_stopped(plan, result) else result.job_latencies.keys() - unknown:
        made = {name: one.count for name, one in result.job_latencies[job].items()}
        for operation in sorted({*wanted[job], *made} & TIMED):
            there, asked = made.get(operation, 0), wanted[job][operation]
            if there != asked:
                yield f"{job}: {there} latencies of {operation} where {asked} were planned"


def has_stopped(process: ProcessPlan, one: ProcessResult) -> bool:
    """Return whether a process has ended with a failed call, before its last one."""
    return process.stops and one.failed.count > 0


def any_stopped(plan: Plan, result: Result) -> bool:
    """Return whether any process has."""
    failed = {one.name for one in result.processes if one.failed.count}
    return any(process.stops and process.name in failed for process in plan.processes)


# -- parts --------------------------------------------------------------------------------------


def _parts(plan: Plan, rows: Mapping[str, int], result: Result) -> Iterator[str]:
    exchanged = {process.group for process in plan.processes if process.nodes > 1}
    for name, one in result.parts.items():
        part = plan.parts[rows[name]] if name in rows else None
        if part is None or (part.label, part.kind) != (one.part, one.kind):
            yield f"{name}: a part {one.part!r} of kind {one.kind!r}, which the plan has not"
            continue
        if one.requests < (not part.cores):
            yield f"{name}: {one.requests} requests, busy for {one.busy_ns} ns"
        there = available_ns(plan, part, name, result)
        most = _capacity(part, one, there, exchanged=part.group in exchanged)
        if most is not None and one.busy_ns > most:
            yield f"{name}: busy for {one.busy_ns} ns in {result.end_ns} ns"


def _capacity(
    part: PartPlan, one: PartResult, end_ns: int, *, exchanged: bool = False
) -> int | None:
    """Return the maximum time that an instance can have served; None if unlimited.

    ``end_ns``: the time during which it was available. ``exchanged``: processes of other nodes
    spend time there, and catch up separately.
    """
    if part.traits.order == "queue":
        return one.servers * end_ns
    if part.cores and not exchanged:
        return part.cores * end_ns
    if part.kind in ("raid", "journal"):
        return end_ns
    if part.kind == "shared":
        usual = 1 << 20
        fastest = max(max(part.speeds, default=usual), max(part.write_speeds, default=usual))
        return end_ns * fastest >> 20
    return None


def _bytes(plan: Plan, rows: Mapping[str, int], planned: Planned, result: Result) -> Iterator[str]:
    """Check bytes through resources and stores against those of calls and of the stores above."""
    flows = Flows(plan, planned.total, result)
    moved: dict[int, int] = dict.fromkeys(range(len(plan.parts)), 0)
    requests = dict(moved)
    labels = labels_of(plan)
    for name, one in result.parts.items():
        if name in rows:
            moved[rows[name]] += one.bytes
            requests[rows[name]] += one.requests
    fails = result.given_up  # The progress of failed requests is unknown.
    for row, header_traffic in sorted(flows.header_traffic().items()):
        wanted = header_traffic.bytes_of(requests[row])
        # A failed call may have had no reply, so that fewer of the counted messages
        # have passed than planned, and more with the header of uncounted ones.
        if wanted is not None and not fails and moved[row] != wanted:
            served = f"{moved[row]} B served in {requests[row]} messages"
            yield f"{labels[row]}: {served}, {wanted} B of data and headers sent through it"
    for row, size in sorted(flows.known().items()):
        if moved[row] > size if fails else moved[row] != size:
            yield f"{labels[row]}: {moved[row]} B served, {size} B sent through it"
    together: dict[object, int] = {}
    for row, places in sorted(places_of(plan).items()):
        other = together.setdefault(places, row)
        if moved[row] != moved[other] and not fails:
            both = labels[other], labels[row]
            yield f"{both[0]}: {moved[other]} B, but {moved[row]} B at {both[1]} with it"
    totals = totals_of_stores(plan, result)
    for row, flow in sorted(flows.known_stores().items()):
        store = plan.stores[row]
        taken = totals[row]["accepted_bytes"]
        if taken > flow.write if fails else taken != flow.write:
            yield f"{store.name}: {taken} B received, {flow.write} B written to it"


# -- stores -------------------------------------------------------------------------------------


def _stores(plan: Plan, result: Result) -> Iterator[str]:
    stores = {store.name: store for store in plan.stores}
    for name, one in result.stores.items():
        store = stores.get(one.store)
        if store is None and one.store in {buffers.name for buffers in plan.buffers}:
            continue
        if store is None:
            yield f"{name}: a store {one.store!r}, which the plan has not"
            continue
        yield from _store_contents(name, one, store)


def _store_contents(name: str, one: StoreResult, store: StorePlan) -> Iterator[str]:
    """Check that blocks that entered a store left it or are in it."""
    counts: dict[str, int] = defaultdict(int, one.counts)
    left = counts["written_back_bytes"] + counts["overwritten_bytes"] + counts["dirty_bytes"]
    if store.back and counts["accepted_bytes"] != left:
        yield f"{name}: {counts['accepted_bytes']} B written into it, {left} B accounted for"
    came = sum(counts[key] for key in ("fetched", "read_back", "prestaged", "created"))
    went = sum(counts[key] for key in ("released", "evicted", "invalidated"))
    if came != counts["resident"] + went:
        yield f"{name}: {came} blocks came, {went} went, {counts['resident']} are there"
    if counts["resident"] > store.slots:
        yield f"{name}: {counts['resident']} blocks resident in {store.slots} slots"
    if counts["dirty"] > counts["resident"] or (counts["dirty"] == 0) != (
        counts["dirty_bytes"] == 0
    ):
        yield f"{name}: {counts['dirty']} dirty blocks with {counts['dirty_bytes']} B"
    if not counts["used_ahead"] <= counts["read_ahead"] <= counts["fetched"]:
        yield (
            f"{name}: {counts['fetched']} blocks fetched, {counts['read_ahead']} ahead,"
            f" {counts['used_ahead']} of them used"
        )
    for what in ("fetched", "read_back", "prestaged"):
        if counts[f"{what}_bytes"] > counts[what] * store.block:
            yield f"{name}: {counts[f'{what}_bytes']} B {what} in {counts[what]} blocks"


# -- the timeline -------------------------------------------------------------------------------


def _spans(plan: Plan, rows: Mapping[str, int], result: Result) -> Iterator[str]:
    """Check Little's law at each resource: the timeline's services agree with its counters."""
    kept = {tier.down[0].part for tier in plan.tiers if tier.kind == HOLD}
    kinds = {name: plan.parts[row].traits for name, row in rows.items() if row not in kept}
    by_part: dict[str, list[Span]] = defaultdict(list)
    for span in result.spans:
        by_part[span.part].append(span)
    yield from _own_queues(rows, plan, result, by_part)
    for name, one in result.parts.items():
        kind = kinds.get(name)
        if kind is None or not kind.usable:
            continue
        if kind.order not in ("queue", "all") and not kind.only_syncs:
            continue
        spans = by_part[name]
        served = sum(span.service_ns for span in spans)
        if kind.only_syncs:
            yield from _commits(name, one, spans)
            continue
        size = sum(span.bytes for span in spans)
        services = one.requests if name in result.states else len(spans)
        if (services, size, served) != (one.requests, one.bytes, one.busy_ns):
            yield f"{name}: {len(spans)} services of {size} B in {served} ns on the timeline"
        most = most_at_once(spans)
        if kind.order == "queue" and most > one.servers:
            yield f"{name}: {most} services at one time on {one.servers} servers"
    for span in result.spans:
        if not 0 <= span.start_ns <= span.start_ns + span.service_ns <= result.end_ns:
            yield f"{span.part}: a service of {span.service_ns} ns at {span.start_ns} ns"


def _own_queues(
    rows: Mapping[str, int], plan: Plan, result: Result, by_part: Mapping[str, list[Span]]
) -> Iterator[str]:
    """Check disks of arrays, and other queues within a resource: one service at a time each."""
    for name, spans in by_part.items():
        by_queue: dict[str, list[Span]] = defaultdict(list)
        for span in spans:
            if span.queue:
                by_queue[span.queue].append(span)
        for queue, some in by_queue.items():
            if most_at_once(some) > 1:
                yield f"{name}: several services at one time of its {queue}"
        others = plan.parts[rows[name]].traits.queues[1:]
        served = sum(span.service_ns for span in spans if span.queue not in others)
        if by_queue and served != result.parts[name].busy_ns:
            yield f"{name}: {served} ns on the timeline, {result.parts[name].busy_ns} ns busy"


def _commits(name: str, one: PartResult, spans: list[Span]) -> Iterator[str]:
    """Check that a journal has made its commits one at a time, each for at least one request."""
    served = sum(span.service_ns for span in spans)
    if served != one.busy_ns or not 0 < len(spans) <= one.requests:
        commits = f"{len(spans)} commits in {served} ns on the timeline"
        yield f"{name}: {commits}, {one.requests} requests in {one.busy_ns} ns"
    if most_at_once(spans) > 1:
        yield f"{name}: several commits at one time"


def most_at_once(spans: list[Span]) -> int:
    """Return the maximum number of concurrent services.

    >>> from simulator.result.result import Span
    >>> most_at_once([Span("a", 0, 5, 1), Span("a", 5, 5, 1), Span("a", 7, 1, 1)])
    2
    """
    changes = []
    for span in spans:
        if span.service_ns:
            changes += [(span.start_ns, 1), (span.start_ns + span.service_ns, -1)]
    present = most = 0
    for _, change in sorted(changes):  # At one time, ends come before beginnings.
        present += change
        most = max(most, present)
    return most
