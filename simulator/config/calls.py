"""The sections of a file of calls (``calls/1``): which clients call which servers, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from simulator.config.checks import Fault, Plain
from simulator.config.document import Document
from simulator.config.errors import Path, Problem, did_you_mean, dotted, in_order
from simulator.config.load import Kind
from simulator.config.quantities import Count, FileName, Flag, Name, Percent, Text, Time, word
from simulator.config.section import Section
from simulator.config.server import Library, ProblemName, Servers, server_faults
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


def check_calls(machine: Servers, calls: Calls) -> list[Problem]:
    """List what calls ask for and the servers do not have, with the places in the file of calls."""
    faults = [
        fault for index in range(len(calls.clients)) for fault in _misfits(machine, calls, index)
    ]
    return in_order(calls.origin.place(path).problem(dotted(path), about) for path, about in faults)


def _misfits(machine: Servers, calls: Calls, index: int) -> Iterator[Fault]:
    one = calls.clients[index]
    at: Path = ("clients", index)
    for key, name, known in (
        ("client", one.client, machine.clients),
        ("site", one.site, machine.sites),
        ("server", one.server, machine.servers),
    ):
        if name is not None and name not in known:
            about = (
                f"{name!r} is not among the {key}s of {machine.name}; {did_you_mean(name, known)}"
            )
            yield (*at, key), about
    if one.server is None or one.server in machine.servers:
        yield from _libraries(machine, calls, one, at)


def _libraries(machine: Servers, calls: Calls, one: Caller, at: Path) -> Iterator[Fault]:
    """Find problems that no server solves, and libraries that solve another."""
    if candidates(machine, calls, one):
        return
    servers = list(machine.servers) if one.server is None else [one.server]
    known = {
        name: library.problem
        for server in servers
        for name, library in machine.servers[server].libraries.items()
    }
    where = ", ".join(servers)
    if one.library is None:
        yield (*at, "problem"), f"no library of {where} solves {one.problem}; write another problem"
    elif one.library not in known:
        about = f"{one.library!r} is not a library of {where}; {did_you_mean(one.library, known)}"
        yield (*at, "library"), about
    else:
        about = f"the library {one.library} solves {known[one.library]}, not {one.problem}"
        yield (*at, "problem"), f"{about}; write another library"


def candidates(machine: Servers, calls: Calls, one: Caller) -> list[str]:
    """Name the servers that a client may call and that can serve it."""
    among = list(machine.servers) if calls.choose != "fixed" else [one.server or ""]
    return [name for name in among if library_of(machine, name, one) is not None]


def library_of(machine: Servers, server: str, one: Caller) -> Library | None:
    """The library that a server would use for a client's calls; None if it has none."""
    libraries = machine.servers[server].libraries if server in machine.servers else {}
    if one.library is not None:
        named = libraries.get(one.library)
        return named if named is not None and named.problem == one.problem else None
    solving = [library for library in libraries.values() if library.problem == one.problem]
    return max(solving, key=lambda library: library.speed, default=None)


SERVER: Kind[Servers] = Kind("machine", Servers, server_faults, "server")
CALLS: Kind[Calls] = Kind("workload", Calls, call_faults, "calls")
KINDS = (SERVER, CALLS)
