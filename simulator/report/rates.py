"""At which rates a run read and wrote, in sentences with which a reader can calculate.

Two rates of what was written: the one that its programs see, with syncs and closes, and the one to
stable storage, with write-back after the programs. Each has its bytes and its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.result.jobs import by_job, moved, reached_by, still_dirty
from simulator.result.result import per_second
from simulator.units import format_rate, format_time
from simulator.wording import about_size, counted

if TYPE_CHECKING:
    from simulator.result.jobs import JobResult
    from simulator.result.result import Result, Transfer

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
    """Say the rate without what was between calls, if there was much."""
    if arrives or not one.io_ns or one.io_ns >= MOSTLY * one.elapsed_ns:
        return ""
    rate = format_rate(one.io_rate).split(" (")[0]
    return f"; {rate} over the {format_time(one.io_ns)} of the process that spent longest in calls"


def _stable(result: Result) -> str:
    """Say what came to stable storage, and what did not."""
    came, dirty = reached_by(result), still_dirty(result)
    assert came is not None
    text = f"{_in(came.bytes, came.elapsed_ns)}, with write-back" if came.bytes else "nothing"
    left = " and ".join(f"{about_size(size)} in {store}" for store, size in dirty.items())
    return f"{text}; still dirty at the end: {left}" if dirty else text


def arrivals_lines(result: Result) -> Iterator[str]:
    """Yield for each job that arrives how long it took, and whether the machine keeps up."""
    jobs = by_job(result)
    for job in jobs:
        if job.arrived is not None:
            name = f"{job.name}: " if len(jobs) > 1 else ""
            yield f"{name}{_responses(job)}"
            if job.arrived.stable is False:
                yield f"{name}{_unstable(job)}"


def _responses(job: JobResult) -> str:
    assert job.arrived is not None
    one = job.arrived.response
    mean, late = format_time(one.mean_ns), format_time(one.quantile_ns(0.95))
    text = f"{counted(one.count, 'arrival')}: {mean} each, 95 % within {late}"
    if job.arrived.waited_ns:
        waited = format_time(job.arrived.waited_ns / one.count)
        text += f"; {waited} of it until a process was free"
    if job.arrived.load is not None:
        text += f"; offered load {job.arrived.load:.3g} of capacity"
    return text


def _unstable(job: JobResult) -> str:
    """Say that jobs come faster than they can be served, and how fast they may."""
    one = job.arrived
    assert one is not None
    assert one.load is not None
    assert one.most_per_s is not None
    every, ends = format_time(one.gap_ns), format_time(one.gap_ns * one.load)
    return (
        f"unstable: one arrives every {every}, one ends every {ends} at best. The queue grows as"
        f" long as they come; the largest stable rate is {one.most_per_s:,.3g} a second"
    )
