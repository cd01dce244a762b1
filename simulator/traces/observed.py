"""What a trace says of a job that can be replayed, beside its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces import unread
from simulator.traces.darshan_log import shortfalls
from simulator.traces.spent import Spent

if TYPE_CHECKING:
    from simulator.answers.languages import Language
    from simulator.traces.record import Record
    from simulator.traces.tracer import Taken
    from simulator.workload.traced import Traced

    Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Observed:
    """What the trace says of each row of the table; for the comparison with a replay."""

    traced: Traced
    name: Numbers
    """Number of the call's name; -1 for rows that the trace does not have."""
    names: list[str]
    duration: Numbers
    """ns; 0 where the log does not say."""
    begin: Numbers
    """When the call began; ns since the trace did."""
    counts: Numbers
    """1 for each call; 0 for the second row of a call that has two, and for rows that are none."""
    unmodelled: int
    unmodelled_ns: int
    without_duration: int
    languages: tuple[Language, ...]
    """The language of each client."""
    placed: int
    """Calls whose offset the log does not say, that have got one."""
    at_once: int
    """Processes that lived at the same time, at most."""
    elapsed_ns: int
    """From the first call to the end of the last."""
    excluded: int = 0
    """Calls that were left out since their files are in excluded folders."""
    spent: Spent = field(default_factory=Spent)
    """Its time, by what was done in it."""
    tracer: Taken | None = None
    """What was done about the tracer's own time; None if nobody looked."""


def told_first(
    observed: Observed, about: Mapping[str, Any], record: Record | None, unknown: unread.Unknown
) -> str:
    """Say what a log lacks, and how much of the tracer's time there is; often nothing."""
    found = about.get("darshan")
    lacks = unread.shortfalls(unknown) if found is None else shortfalls(found)
    told = [f"{one[:1].upper()}{one[1:]}." for one in lacks]
    return " ".join([*told, *_told_of_tracer(observed, about, record)])


def _told_of_tracer(
    observed: Observed, about: Mapping[str, Any], record: Record | None
) -> list[str]:
    """Return what is said of the tracer's time, if it is known or can be guessed."""
    tracer = about.get("format")
    if observed.tracer is None or about.get("times") is None or tracer not in ("strace", "truss"):
        return []
    return [observed.tracer.to_text(tracer, record)]
