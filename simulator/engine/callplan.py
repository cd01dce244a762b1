"""The plan of numerical servers and their clients: specifications and indices, no names to look up.

Links, servers and clients are numbered from 0. A route is the links between a client and a server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simulator.machine.maxmin import LinkSpec
from simulator.machine.numerics import HostSpec, LibrarySpec
from simulator.machine.timeshare import CpuSpec
from simulator.workload.problems import Problem

Choice = Literal["fixed", "load", "compute", "bandwidth", "estimate"]
"""How a call finds its server: it names it; the least load for each PE; the least estimated time
of computing (load and problem), of moving its bytes, or of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlan:
    """A numerical server."""

    name: str
    cpu: CpuSpec
    host: HostSpec
    favoured: bool
    """Whether its system serves what has used little CPU time (accepting, starting) first."""
    at_once: int
    """Calls that may compute at one time; 0 for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server as one client sees it."""

    server: int
    library: LibrarySpec
    route: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerPlan:
    """A client: what it calls, and when."""

    name: str
    group: str
    """The entry of the workload that it belongs to."""
    problem: Problem
    host: HostSpec
    targets: tuple[Target, ...]
    """The servers that it may call."""
    every_ns: int
    """Between two trials."""
    first_ns: int
    """The first trial."""
    chance: float
    """That a trial starts a call."""
    continues: bool
    """Whether trials go on while a call is out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """Everything that an engine needs for one run."""

    machine: str
    workload: str
    links: tuple[str, ...]
    link_specs: tuple[LinkSpec, ...]
    servers: tuple[ServerPlan, ...]
    callers: tuple[CallerPlan, ...]
    duration_ns: int
    """No call starts after it; those under way end."""
    choice: Choice
    seed: int
    run: int = 0
    digest: str = ""
