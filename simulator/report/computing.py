"""The share of computing in a job's time, and what it says: step 1 of the SS-ken report (2.3.1).

The report divides user time by elapsed time, over the processes: below 0.1 an I/O job, near 0.9 a
CPU job. In between it says nothing. Time of the operating system (calls, copies) is not computing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.result.result import Result

IO_BELOW, CPU_FROM = 0.1, 0.9


def times_of(result: Result) -> tuple[int, int]:
    """Return computing, and all time that is not idle, of all processes; ns."""
    processes = result.masters()
    computing = sum(one.compute_ns for one in processes)
    return computing, sum(one.elapsed_ns - one.idle_ns for one in processes)


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
    """Say it in a line; nothing of a run that does not compute at all."""
    computing, time = times_of(result)
    if not computing:
        return ""
    kind = kind_of(computing / time)
    verdict = {
        "I/O": "an I/O job (below 10 %)",
        "CPU": "a CPU job (90 % or more)",
        None: "neither an I/O job (below 10 %) nor a CPU job (90 % or more)",
    }[kind]
    return f"computing {percent(computing, time)} of the time: {verdict}, SS-ken 2.3.1"
