"""The old format ``calls/1``: which clients call which numerical servers, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from simulator.config.checks import Fault, Plain
from simulator.config.convert.servers import ProblemName, Servers, server_faults
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.quantities import Count, FileName, Flag, Name, Percent, Text, Time, word
from simulator.config.section import Section
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
    """What reports call them; each entry has another."""
    count: Count = 1
    """How many."""
    client: Name
    """Their machine, by its name among the kinds of clients."""
    site: Name
    """Where they are."""
    problem: ProblemName
    """What they ask for."""
    n: Count
    """Its size: equations, or EP's logarithm."""
    library: Name | None = None
    """By its name at the servers; the fastest of each for the problem if left out."""
    server: Name | None = None
    """Which server; needed unless a metaserver chooses among all with that library."""
    every: Time
    """Time between two trials."""
    chance: Percent
    """That a trial starts a call."""
    continues: Flag = False
    """Trials go on while a call is out; otherwise they stop until it has ended."""
    first: Time = Nanoseconds(0)
    """The first trial."""
    spread: Flag = False
    """Their first trials are spread over the time between two, instead of together."""


class Calls(Document):
    """What numerical servers are asked to do."""

    format: Annotated[Literal["calls/1"], word("calls-format", "calls/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    duration: Time
    """How long calls are started; those under way then are waited for."""
    choose: Choice = "fixed"
    """How a call finds its server."""
    clients: Annotated[tuple[Caller, ...], Field(min_length=1)]
    """The clients."""


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
