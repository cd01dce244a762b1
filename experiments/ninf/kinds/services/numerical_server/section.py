"""Numerical servers: computers that solve problems for their clients (remote procedure calls)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Fault
from simulator.config.quantities import Count, CountOrNone, Flag, Name, Rate, Speed, Time
from simulator.config.section import FULL, Called, Section, default
from simulator.config.services import Service
from simulator.config.sources import SINGLE
from simulator.plan.services import HostSpec, LibrarySpec

from ...parts.timeshare.section import TimeShare

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

ProblemName = Annotated[Literal["linpack", "ep"], Called("problem")]
"""What is computed: a dense system of linear equations, or EP of the NAS benchmarks."""
CONVERSION, LATENCY = "calls.conversion", "calls.latency"
"""Account categories: what converting costs callers, and first bytes of calls under way."""


class Library(Section):
    """A numerical library on one machine."""

    problem: ProblemName
    """What it solves."""
    threads: Count = default(1, SINGLE)
    """PEs that it uses."""
    speed: Speed
    """With endless vectors, of all its threads together."""
    half: CountOrNone = default(0, "neutral: the full speed at any length")
    """The length of vectors at which it has half of that."""

    def spec(self) -> LibrarySpec:
        """Return what an engine takes."""
        return LibrarySpec(rate=self.speed, half=self.half, threads=self.threads)


class NumericalServer(Service):
    """A server that computes for its clients, on the ``timeshare`` processor of its node."""

    several = True
    common = (CONVERSION, LATENCY)

    kind: Literal["numerical-server"]
    """Which kind of service this is."""
    at: Name
    """The node that it is on: a group of one."""
    site: Name | None = None
    """Where it is, by its name in ``sites``."""
    conversion: Rate
    """Bytes that one PE converts from and to the network's format."""
    accept: Time
    """PE time to take in a call."""
    start: Time
    """PE time to start the program of a call."""
    favoured: Flag = default(True, "UNIX favours processes that have used little CPU time")
    """Accepting and starting come before computing, as UNIX favours short work."""
    at_once: CountOrNone = default(0, "neutral: all calls compute at once")
    """Calls that may compute at one time, the others queue; 0 for all."""
    libraries: Annotated[dict[str, Library], FULL]
    """Its libraries, by name."""

    def host(self) -> HostSpec:
        """Return what an engine takes of its node."""
        return HostSpec(self.conversion, self.accept, self.start)

    def categories(self, name: str) -> Sequence[str]:
        """Return the account category of waiting until a call may compute."""
        return (f"{name}.queue",)

    def misfits(self, machine: Machine) -> Iterator[Fault]:
        """Find groups of several nodes, and nodes without a ``timeshare`` processor."""
        group = machine.nodes[self.at]
        parts = machine.parts.values()
        if group.count > 1 or group.per is not None:
            about = f"{self.at} has more than one node; write a group of one for each server"
            yield ("at",), about
        elif not any(isinstance(one, TimeShare) and self.at in one.at for one in parts):
            about = f"no part of kind timeshare is at {self.at}; write one in parts"
            yield ("at",), f"{about}, like '{{kind: timeshare, at: {self.at}, pes: 4}}'"

    def example(self, name: str) -> str:
        """Return a phase that calls the server."""
        for library in self.libraries.values():
            return f"      - {{do: solve, problem: {library.problem}, n: 600, server: {name}}}"
        return ""
