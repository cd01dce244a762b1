"""The old format ``server/1``: sites, numerical servers, kinds of clients.

Sizes are bytes, times nanoseconds, rates bytes per second, speeds operations per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from simulator.config.checks import Fault, Plain
from simulator.config.document import Document
from simulator.config.errors import did_you_mean
from simulator.config.quantities import (
    Count,
    CountOrNone,
    FileName,
    Flag,
    Name,
    Percent,
    Rate,
    Speed,
    Text,
    Time,
    word,
)
from simulator.config.section import FULL, Section
from simulator.unit_names import shown
from simulator.units import Nanoseconds, parse_percent

LEAST_GANG = 0.01

ProblemName = Annotated[Literal["linpack", "ep"], word("problem", "linpack", "ep")]
"""What is computed: a dense system of linear equations, or EP of the NAS benchmarks."""


class Library(Section):
    """A numerical library on one machine."""

    problem: ProblemName
    threads: Count = 1
    speed: Speed
    half: CountOrNone = 0


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

    format: Annotated[Literal["server/1"], word("server-format", "server/1", sourced=False)]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    sites: Annotated[dict[str, Site], FULL]
    servers: Annotated[dict[str, NumericalServer], FULL]
    clients: Annotated[dict[str, ClientKind], FULL]


def server_faults(machine: Plain) -> Iterator[Fault]:
    """Find servers at sites that are not there, named like clients, or whose gangs stand still."""
    sites = _part(machine, "sites")
    for name, server in _part(machine, "servers").items():
        if "/" in name:
            about = f"{shown(name)} is like the names of clients in reports; write it without '/'"
            yield ("servers", name), about
        yield from _gang(name, server)
        site = server.get("site") if isinstance(server, dict) else None
        if isinstance(site, str) and site not in sites:
            about = f"{shown(site)} is not in sites; {did_you_mean(site, sites)}"
            yield ("servers", name, "site"), about


def _gang(name: str, server: object) -> Iterator[Fault]:
    text = server.get("gang") if isinstance(server, dict) else None
    try:
        gang = parse_percent(text) if isinstance(text, str) else 1.0
    except ValueError:
        return  # said elsewhere
    if gang < LEAST_GANG:
        yield ("servers", name, "gang"), f"{shown(str(text))} hardly moves; write 1 % to 100 %"


def _part(plain: Plain, key: str) -> dict[str, Any]:
    inner = plain.get(key)
    return inner if isinstance(inner, dict) else {}
