"""Consistency checks of a result alone, made for every run.

They need no plan, and little time; :mod:`simulator.verification.identities` checks the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.result.latency import Latency
    from simulator.result.result import ProcessResult, Result


class IdentityError(AssertionError):
    """A violated conservation law: the simulator has a defect."""


def check_sums(result: Result) -> None:
    """Raise IdentityError if a result is inconsistent.

    Times, sizes and counts are not negative, each process's time is accounted for and lies in some
    phase, and latencies lie between the shortest and the longest.
    """
    broken = list(wrong_sums(result))
    if broken:
        raise IdentityError("; ".join(broken))


def wrong_sums(result: Result) -> Iterator[str]:
    """Yield a sentence for each inconsistent sum."""
    yield from _times(result)
    yield from _phases(result)
    yield from wrong_spreads(result.latencies)
    yield from wrong_spreads(result.responses)
    yield from _latencies_by_job(result)
    yield from _signs(result)


def _times(result: Result) -> Iterator[str]:
    for one in result.processes:
        if one.accounted_ns() != one.elapsed_ns:
            yield f"{one.name}: {one.accounted_ns()} ns of {one.elapsed_ns} accounted for"
        spent = [time for both in one.spent.values() for time in both]
        if min(one.compute_ns, one.idle_ns, *spent) < 0:
            yield f"{one.name}: negative time in its account"
        if not 0 <= one.started_ns <= one.ended_ns <= result.elapsed_ns:
            yield f"{one.name}: ran from {one.started_ns} to {one.ended_ns} ns"
        for work in (one.read, one.write):
            if not (work.bytes >= 0 and 0 <= work.io_ns <= work.elapsed_ns <= one.elapsed_ns):
                took = f"{work.io_ns} ns of calls in {work.elapsed_ns} ns"
                yield f"{one.name}: {work.bytes} B in {took}"
    last = max((one.ended_ns for one in result.processes), default=0)
    if result.elapsed_ns != last:
        yield f"elapsed {result.elapsed_ns} ns, but the last process ended at {last}"
    if result.end_ns < result.elapsed_ns or result.prestage_ns < 0 or result.events < 0:
        yield f"the run ended at {result.end_ns} ns, its processes at {result.elapsed_ns}"


def _phases(result: Result) -> Iterator[str]:
    """Check that a job's phases cover all time of its processes except between arrivals."""
    spent: dict[str, int] = {}
    moved: dict[str, list[int]] = {}
    for phase in result.phases:
        spent[phase.job] = spent.get(phase.job, 0) + phase.time_ns
        sizes = moved.setdefault(phase.job, [0, 0])
        sizes[:] = sizes[0] + phase.read, sizes[1] + phase.written
        if not (phase.passes > 0 <= phase.begin_ns <= phase.end_ns <= result.elapsed_ns):
            times = f"{phase.passes} times, from {phase.begin_ns} to {phase.end_ns} ns"
            yield f"phase {phase.label} of {phase.job}: {times}"
    of_jobs: dict[str, list[ProcessResult]] = {}
    for one in result.masters() if spent else ():
        of_jobs.setdefault(one.job, []).append(one)
    for job, time in spent.items():
        processes = of_jobs.get(job, [])
        whole = sum(one.elapsed_ns for one in processes)
        busy = whole - sum(one.idle_ns for one in processes)
        # A process that waits for an arrival is in no phase; one idle otherwise is.
        least = busy if job in result.responses else whole
        if not least <= time <= whole:
            yield f"{job}: {time} ns in its phases, {least} ns of its processes"
        read = sum(one.read.bytes for one in processes)
        written = sum(one.write.bytes for one in processes)
        if moved[job] != [read, written] and not any(one.failed.count for one in processes):
            told = f"{moved[job][0]} and {moved[job][1]} B read and written in its phases"
            yield f"{job}: {told}, {read} and {written} B by its processes"


def wrong_spreads(latencies: Mapping[str, Latency]) -> Iterator[str]:
    """Yield a sentence for each inconsistent histogram."""
    for operation, one in latencies.items():
        if sum(one.bins.values()) != one.count or min(one.bins.values(), default=0) < 0:
            yield f"{operation}: {one.count} latencies, {sum(one.bins.values())} in the histogram"
        least, most = one.count * one.min_ns, one.count * one.max_ns
        if not (0 <= least <= one.sum_ns <= most and one.max_ns <= one.sum_ns):
            ends = f"{one.min_ns} at least, {one.max_ns} at most"
            yield f"{operation}: latencies of {one.sum_ns} ns in all, {ends}"


def _latencies_by_job(result: Result) -> Iterator[str]:
    """Check that the latencies of all jobs together are those of the run, and those of arrivals."""
    if not result.job_latencies:
        return
    together: dict[str, Latency] = {}
    for job, latencies in result.job_latencies.items():
        for operation, one in latencies.items():
            together.setdefault(operation, type(one)()).merge(one)
            if operation == "job" and one != result.responses.get(job):
                yield f"{job}: latencies of its arrivals are other ones than their response times"
    for operation in sorted({*together, *result.latencies}):
        if together.get(operation) != result.latencies.get(operation):
            yield f"{operation}: latencies of all jobs are not those of the run"


def _signs(result: Result) -> Iterator[str]:
    for name, one in result.parts.items():
        if min(one.requests, one.bytes, one.busy_ns, one.active_ns or 0) < 0:
            yield f"{name}: {one.requests} requests, {one.bytes} B, busy for {one.busy_ns} ns"
    for name, store in result.stores.items():
        if negative := [key for key, count in store.counts.items() if count < 0]:
            yield f"{name}: negative counters: {', '.join(negative)}"
