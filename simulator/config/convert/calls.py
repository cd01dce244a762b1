"""The old format ``calls/1``: which clients call which numerical servers, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.checks import Fault, Plain
from simulator.config.convert.servers import ProblemName, Servers, server_faults
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.quantities import Count, FileName, Flag, Name, Percent, Text, Time, word
from simulator.config.section import FULL, Section
from simulator.unit_names import shown
from simulator.units import Nanoseconds, format_time, parse_count, parse_time

_CHOICES = ("fixed", "load", "compute", "bandwidth", "estimate")

Choice = Annotated[
    Literal["fixed", "load", "compute", "bandwidth", "estimate"], word("choose", *_CHOICES)
]
"""How a call finds its server: as written; the least load for each PE; or the least estimated time
of computing, of moving its bytes, or (``estimate``) of both."""

LARGEST_N = {"linpack": 100_000, "ep": 50}
"""Of equations; of EP's logarithm."""
MOST_TRIALS = 1_000_000
"""Of all clients of an entry together."""


class Caller(Section):
    """Clients that are alike."""

    name: Name
    count: Count = 1
    client: Name
    site: Name
    problem: ProblemName
    n: Count
    library: Name | None = None
    server: Name | None = None
    every: Time
    chance: Percent
    continues: Flag = False
    first: Time = Nanoseconds(0)
    spread: Flag = False


class Calls(Document):
    """What numerical servers are asked to do."""

    format: Annotated[Literal["calls/1"], word("calls-format", "calls/1", sourced=False)]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    duration: Time
    choose: Choice = "fixed"
    clients: Annotated[tuple[Caller, ...], FULL]


def call_faults(calls: Plain) -> Iterator[Fault]:
    """Find clients of one name, without a server, with endless trials or endless problems."""
    chosen = calls.get("choose") in _CHOICES[1:]
    seen: dict[str, int] = {}
    for index, one in enumerate(calls.get("clients") or []):
        if not isinstance(one, dict):
            continue
        name = one.get("name")
        if isinstance(name, str) and seen.setdefault(name, index) != index:
            about = f"{shown(name)} is the name of item {seen[name]} too; write another"
            yield ("clients", index, "name"), about
        if not chosen and "server" not in one:
            about = "is missing; write it like 'server: j90', or 'choose: load' for all clients"
            yield ("clients", index, "server"), about
        yield from _trials(calls, one, index)
        most = LARGEST_N.get(str(one.get("problem")))
        if most is not None and (_count(one.get("n")) or 0) > most:
            about = f"{shown(str(one['n']))} is too large for {one['problem']}; write 1 to {most}"
            yield ("clients", index, "n"), about
    if _time(calls.get("duration")) == 0:
        yield ("duration",), "'0 s' leaves no time for a call; write it like '30 min'"


def _trials(calls: Plain, one: Plain, index: int) -> Iterator[Fault]:
    """Find more trials than a run can make."""
    every, duration = _time(one.get("every")), _time(calls.get("duration"))
    count = _count(one.get("count", "1"))
    at = ("clients", index, "every")
    if every == 0:
        yield at, "'0 s' would be endless trials; write it like '3 s'"
    elif every and duration and count and duration // every * count > MOST_TRIALS:
        least = format_time(duration * count / MOST_TRIALS)
        about = f"{shown(str(one['every']))} would be {duration // every * count:,} trials"
        yield at, f"{about}; write {least} or more"


def _time(text: object) -> int | None:
    try:
        return parse_time(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _count(text: object) -> int | None:
    try:
        return parse_count(text) if isinstance(text, str) else None
    except ValueError:
        return None


SERVER: Kind[Servers] = Kind("machine", Servers, server_faults, "server")
CALLS: Kind[Calls] = Kind("workload", Calls, call_faults, "calls")
