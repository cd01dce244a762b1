"""The old format ``calls/1``: which clients call which numerical servers, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.checks import Fault
from simulator.config.convert.servers import Servers, server_faults
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.quantities import Count, Flag, Name, Percent, Time
from simulator.config.section import FULL, Called, Section, leaf_of
from simulator.config.service_phases import LARGEST_N, Choice
from simulator.config.services import ProblemName
from simulator.unit_names import shown
from simulator.units import Nanoseconds, format_time

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

    format: Annotated[Literal["calls/1"], Called("calls-format", sourced=False)]
    duration: Time
    choose: Choice = "fixed"
    clients: Annotated[tuple[Caller, ...], FULL]


def call_faults(calls: Calls) -> Iterator[Fault]:
    """Find clients of one name, without a server, with endless trials or endless problems."""
    seen: dict[str, int] = {}
    for index, one in enumerate(calls.clients):
        at = ("clients", index)
        if seen.setdefault(one.name, index) != index:
            about = f"{shown(one.name)} is the name of item {seen[one.name]} too; write another"
            yield (*at, "name"), about
        if calls.choose == "fixed" and one.server is None:
            about = "is missing; write it like 'server: j90', or 'choose: load' for all clients"
            yield (*at, "server"), about
        trials = calls.duration // one.every * one.count if one.every else 0
        if one.every == 0:
            yield (*at, "every"), "'0 s' would be endless trials; write it like '3 s'"
        elif trials > MOST_TRIALS:
            least = format_time(calls.duration * one.count / MOST_TRIALS)
            about = f"'{leaf_of(Time).show(one.every)}' would be {trials:,} trials"
            yield (*at, "every"), f"{about}; write {least} or more"
        if one.n > LARGEST_N[one.problem]:
            about = f"'{one.n}' is too large for {one.problem}; write 1 to {LARGEST_N[one.problem]}"
            yield (*at, "n"), about
    if calls.duration == 0:
        yield ("duration",), "'0 s' leaves no time for a call; write it like '30 min'"


SERVER = Kind("machine", Servers, name="server", checks=server_faults)
CALLS = Kind("workload", Calls, name="calls", checks=call_faults)
