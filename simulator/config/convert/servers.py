"""The old format ``server/1``: sites, numerical servers, kinds of clients.

Sizes are bytes, times nanoseconds, rates bytes per second, speeds operations per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.checks import Fault
from simulator.config.document import Document
from simulator.config.errors import did_you_mean
from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Name,
    Percent,
    Rate,
    Time,
    show_percent,
)
from simulator.config.section import FULL, Called, Section
from simulator.config.services import Library
from simulator.unit_names import shown
from simulator.units import Nanoseconds

LEAST_GANG = 0.01


class Site(Section):
    """A place with a network, and a line to the other places."""

    lan: Rate
    lan_latency: Time = Nanoseconds(0)
    line: Rate
    line_latency: Time = Nanoseconds(0)


class NumericalServer(Section):
    """A server that computes for its clients."""

    site: Name
    pes: Count = 1
    gang: Percent = 1.0
    link: Rate
    conversion: Rate
    accept: Time
    start: Time
    favoured: Flag = True
    at_once: CountOrNone = 0
    libraries: Annotated[dict[str, Library], FULL]


class ClientKind(Section):
    """A machine from which calls are made; it has one user."""

    link: Rate
    conversion: Rate
    libraries: dict[str, Library] = {}


class Servers(Document):
    """Numerical servers, the sites they are at, and the machines of their clients."""

    format: Annotated[Literal["server/1"], Called("server-format", sourced=False)]
    sites: Annotated[dict[str, Site], FULL]
    servers: Annotated[dict[str, NumericalServer], FULL]
    clients: Annotated[dict[str, ClientKind], FULL]


def server_faults(machine: Servers) -> Iterator[Fault]:
    """Find servers at sites that are not there, named like clients, or whose gangs stand still."""
    for name, server in machine.servers.items():
        if "/" in name:
            about = f"{shown(name)} is like the names of clients in reports; write it without '/'"
            yield ("servers", name), about
        if server.gang < LEAST_GANG:
            about = f"'{show_percent(server.gang)}' hardly moves; write 1 % to 100 %"
            yield ("servers", name, "gang"), about
        if server.site not in machine.sites:
            about = (
                f"{shown(server.site)} is not in sites; {did_you_mean(server.site, machine.sites)}"
            )
            yield ("servers", name, "site"), about
