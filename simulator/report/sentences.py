"""Sentences of the report of a run: rates, arrivals, computing, free calls, needless cuts.

Of what was written there are two rates: the one that its programs see, with syncs and closes, and
the one to stable storage, with write-back after the programs. Each has its bytes and its time.

The share of computing is step 1 of the SS-ken report (2.3.1): user time by elapsed time, over the
processes; below 0.1 an I/O job, near 0.9 a CPU job. In between it says nothing. Time of the
operating system (calls, copies) is not computing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.plan.codes import CLOSE, END, LISTED, METADATA, OPEN, OPERATIONS, READ, WRITE
from simulator.plan.drawn import drawn_always, noise_left_out
from simulator.plan.jobs import passes_of
from simulator.report.replications import noise_of
from simulator.result.jobs import by_job, moved, reached_by, still_dirty
from simulator.result.result import per_second
from simulator.units import format_rate, format_size, format_time
from simulator.wording import about_size, counted, percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.jobs import ArrivalResult
    from simulator.result.latency import Steady
    from simulator.result.result import ProcessResult, Result, Transfer


MOSTLY = 0.9
"""A window in which no process has spent this part in calls has its rate in calls beside it."""


def rates_lines(result: Result) -> Iterator[str]:
    """Yield what was read, what was written, and what of it came to stable storage."""
    arrives = bool(result.responses)
    read, wrote = moved(result, "read"), moved(result, "write")
    if read.bytes:
        yield f"read {_in(read.bytes, read.elapsed_ns)}{_in_calls(read, arrives)}"
    if wrote.bytes:
        seen = "seen by the program, with syncs and closes"
        yield f"wrote {_in(wrote.bytes, wrote.elapsed_ns)} {seen}{_in_calls(wrote, arrives)}"
        yield f"to stable storage: {_stable(result)}"


def _in(size: int, time_ns: int) -> str:
    """Write bytes, a time, and the quotient."""
    rate = format_rate(per_second(size, time_ns))
    return f"{about_size(size)} in {format_time(time_ns)}: {rate}"


def _in_calls(one: Transfer, arrives: bool) -> str:
    """State the rate without what was between calls, if there was much."""
    if arrives or one.apart or not one.io_ns or one.io_ns >= MOSTLY * one.elapsed_ns:
        return ""
    rate = format_rate(one.io_rate).split(" (")[0]
    return f"; {rate} over the {format_time(one.io_ns)} of the process that spent longest in calls"


def _stable(result: Result) -> str:
    """State what came to stable storage, and what did not."""
    came, dirty = reached_by(result), still_dirty(result)
    assert came is not None
    text = f"{_in(came.bytes, came.elapsed_ns)}, with write-back" if came.bytes else "nothing"
    left = " and ".join(f"{about_size(size)} in {store}" for store, size in dirty.items())
    return f"{text}; still dirty at the end: {left}" if dirty else text


def arrivals_lines(result: Result) -> Iterator[str]:
    """Yield for each job that arrives how long it took, and whether the machine keeps up."""
    jobs = by_job(result)
    for job in jobs:
        if (one := job.arrived) is not None:
            name = f"{job.name}: " if len(jobs) > 1 else ""
            yield f"{name}{_responses(one)}"
            if one.stable is False:
                yield f"{name}{_unstable(one)}"
            elif one.steady is not None:
                yield from _reliable(one.steady, one)


def _responses(one: ArrivalResult) -> str:
    each, count = one.response, one.response.count
    mean, late = format_time(each.mean_ns), format_time(each.quantile_ns(0.95))
    text = f"{counted(count, 'arrival')}: {mean} each, 95 % within {late}"
    if one.waited_ns:
        text += f"; {format_time(one.waited_ns / count)} of it until a process was free"
    if one.load is not None:
        text += f"; offered load {one.load:.3g} of capacity"
    elif one.gap_ns:
        text += "; what part of the capacity that is was not found"
    return text


def _reliable(one: Steady, all_: ArrivalResult) -> Iterator[str]:
    """State what of the mean time of arrivals is warm-up, and how far the rest can be relied on."""
    mean, without = format_time(one.mean_ns), ""
    if one.warm_up:
        first, took = counted(one.warm_up, "arrival"), format_time(one.warm_up_ns)
        yield f"warm-up: the first {first} took {took} each, the others {mean}"
        without = " without the warm-up"
    more = f"\u00b1 10 % takes about {counted(one.needed, 'arrival')}" if one.needed else ""
    if one.half_ns:
        text = f"the mean{without} is {mean} \u00b1 {format_time(one.half_ns)}"
        yield f"{text} (95 %, by ten batches){'; ' + more if more else ''}"
    elif more:
        yield f"too few arrivals for an interval of the mean at this load: {more}"
    elif one.half_ns is None:
        known = "the load is not known" if all_.load is None else "the load is about 1"
        yield f"no interval of the mean, since {known}: --replications tells it"


def _unstable(one: ArrivalResult) -> str:
    """State that jobs come faster than they can be served, and how fast they may."""
    assert one.load is not None
    assert one.most_per_s is not None
    every, ends = format_time(one.gap_ns), format_time(one.gap_ns * one.load)
    return (
        f"unstable: one arrives every {every}, one ends every {ends} at best. The queue grows as"
        f" long as they come; the largest stable rate is {one.most_per_s:,.3g} a second"
    )


IO_BELOW, CPU_FROM = 0.1, 0.9


def times_of(result: Result) -> tuple[int, int]:
    """Return computing, and all time that is not idle, of all processes but their threads; ns."""
    processes = _callers(result)
    computing = sum(one.compute_ns for one in processes)
    return computing, sum(one.elapsed_ns - one.idle_ns for one in processes)


def _callers(result: Result) -> list[ProcessResult]:
    """Return the processes of jobs, without threads that read, or call, for them."""
    masters = result.masters()
    jobs = {one.job for one in masters}
    threads = {job for job in jobs if ", " in job and job.partition(", ")[0] in jobs}
    return [one for one in masters if one.job not in threads]


def kind_of(share: float) -> str | None:
    """Return what the report calls a job with that share of computing; None in between.

    >>> kind_of(0.0442), kind_of(0.926), kind_of(0.5)
    ('I/O', 'CPU', None)
    """
    if share < IO_BELOW:
        return "I/O"
    return "CPU" if share >= CPU_FROM else None


def computing_record(result: Result) -> dict[str, Any]:
    """Return the share of computing and the kind of job, for programs."""
    computing, time = times_of(result)
    share = computing / time if time else 0.0
    return {"share": round(share, 9), "job": kind_of(share) if time else None}


def computing_text(result: Result) -> str:
    """State the share of computing in a line; nothing of a run that does not compute at all."""
    computing, time = times_of(result)
    if not computing:
        return ""
    whole = sum(one.elapsed_ns for one in _callers(result))
    if 2 * time < whole:
        told = f"computing {percent(computing, time)} of the {format_time(time)} that are not idle"
        return f"{told}, of {format_time(whole)} of all processes"
    kind = kind_of(computing / time)
    verdict = {
        "I/O": "an I/O job (below 10 %)",
        "CPU": "a CPU job (90 % or more)",
        None: "neither an I/O job (below 10 %) nor a CPU job (90 % or more)",
    }[kind]
    return f"computing {percent(computing, time)} of the time: {verdict}, SS-ken 2.3.1"


@dataclass(frozen=True, slots=True)
class FreeOperations:
    """Numbers of free operations of each kind, and their file systems."""

    counts: dict[str, int]
    """By kind, in the order of the alphabet."""
    filesystems: tuple[str, ...]

    def sentence(self) -> str:
        """State the counts for people."""
        one = len(self.filesystems) == 1
        which = f"{' and '.join(self.filesystems)} {'has' if one else 'have'} no 'metadata'"
        many = sum(self.counts.values())
        cost = "costs" if many == 1 else "cost"
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.counts.items())
        return f"{counted(many, 'metadata operation')} {cost} nothing, since {which}: {kinds}."


def free_operations(plan: Plan, result: Result) -> FreeOperations | None:
    """Return the listed metadata operations that cost nothing; None if a reader need not know.

    That is so if there are opens and closes only, and no more of them than of reads and writes.
    """
    free = [path.metadata < 0 for path in plan.paths]
    if not any(free):
        return None
    kinds: Counter[int] = Counter()
    paths: set[int] = set()
    table, files = plan.operations, plan.files
    path_of = [file.path for file in files]
    rounds = result.rounds()
    for process in plan.processes:
        for phase, passes in passes_of(process, rounds.get(process.name, 0)):
            if phase.kind != LISTED:
                continue
            rows = slice(phase.first, phase.first + phase.count)
            if all(free):
                own = Counter(memoryview(table.kind)[rows])
                paths.update(path_of[one] for one in {*memoryview(table.file)[rows]} if one >= 0)
            else:
                pairs = zip(table.kind[rows], table.file[rows], strict=True)
                known = [(kind, path_of[file]) for kind, file in pairs if file >= 0]
                own = Counter(kind for kind, path in known if free[path])
                paths.update(path for _, path in known if free[path])
            for kind, count in own.items():
                kinds[kind] += passes * count
    metadata = {kind: kinds[kind] for kind in METADATA if kinds[kind]}
    usual = sum(metadata.get(kind, 0) for kind in (OPEN, CLOSE))
    if sum(metadata.values()) == usual and usual <= 2 * (kinds[READ] + kinds[WRITE]):
        return None
    names = sorted({plan.paths[path].name.partition(".")[0] for path in paths})
    return FreeOperations(
        dict(sorted((OPERATIONS[kind], count) for kind, count in metadata.items())), tuple(names)
    )


@dataclass(frozen=True, slots=True)
class NeedlessCuts:
    """Calls, or their parts on one member of a stripe, of at most one request that became two."""

    path: str
    """The file system, and its path if it has several."""
    request: int
    """Bytes of a request at most."""
    calls: int

    def sentence(self) -> str:
        """State the cuts for people, with what to do."""
        size = format_size(self.request)
        was = "was" if self.calls == 1 else "were"
        return (
            f"{counted(self.calls, 'call')} of at most {size} {was} cut in two, since requests of"
            f" {self.path} begin at multiples of {size}: align the calls, or write 'aligned: false'"
            " in the request."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {"path": self.path, "request_bytes": self.request, "calls": self.calls}


def needless_cuts(plan: Plan, result: Result) -> list[NeedlessCuts]:
    """Return what each tier cut in two without need, in the order of the plan."""
    found = []
    for row, calls in sorted(result.needless.items()):
        names = [path.name for path in plan.paths if _reaches(plan, path.top, row)]
        found.append(NeedlessCuts(" and ".join(names), plan.tiers[row].size, calls))
    return found


def _reaches(plan: Plan, top: int, row: int) -> bool:
    """Return whether a tier is on the way from another to its end."""
    return top <= row and all(plan.tiers[one].kind != END for one in range(top, row))


def without_cores(plan: Plan) -> str:
    """State that processes are not limited by processors, and where; empty if they are."""
    limited = {
        part.group for part in plan.parts if part.cores or part.traits.computing == "process"
    }
    groups = dict.fromkeys(one.group for one in plan.processes)
    free = [plan.groups[group].name for group in groups if group not in limited]
    if not free:
        return ""
    where = f" on {' and '.join(free)}" if len(free) < len(groups) else ""
    return f"; processes{where} are not limited by processors (no 'cores')"


def without_seed(plan: Plan, result: Result) -> str:
    """State what a run without a seed leaves out, and what is drawn all the same."""
    used = {name for name, one in result.parts.items() if one.busy_ns}
    noise = noise_of(noise_left_out(plan, used))
    drawn = drawn_always(plan)
    if not drawn:
        said = f"noise left out ({noise})" if noise else "service times do not vary"
        return f"no seed: {said}"
    other = f"without other noise ({noise})" if noise else "without other noise"
    return f"no seed: {' and '.join(drawn)} are drawn with seed {plan.seed}, {other}"
