"""Services of a machine: message servers, process servers, numerical servers and their clients.

To add a kind: its section here, and its class in ``AnyService``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Name,
    Rate,
    Size,
    Speed,
    Time,
)
from simulator.config.section import FULL, ByWord, Called, Earlier, Section, check
from simulator.plan.services import HostSpec, LibrarySpec, MessageServerSpec
from simulator.units import Bytes, BytesPerSecond, Nanoseconds, format_time

ProblemName = Annotated[Literal["linpack", "ep"], Called("problem")]
"""What is computed: a dense system of linear equations, or EP of the NAS benchmarks."""


class Service(Section):
    """What serves processes beside the storage, on each node of a group."""

    kind: str
    """Which kind of service this is."""
    at: Name
    """The group of nodes that it is on."""


class MessageServer(Service):
    """A message server on each node; times are of the node's ``processor``."""

    kind: Literal["message-server"]
    """Which kind of service this is."""
    interval: Time
    """From one poll for messages to the next; more than a poll takes."""
    poll: Time
    """One poll, whether it finds anything or not."""
    send: Time
    """Taking one message from a process and handing it to the network."""
    deliver: Time
    """Handing one message that was found to its process."""
    lookup: Time = Nanoseconds(0)
    """Looking up one port in the directory."""
    copy_rate: Rate = BytesPerSecond(5e9)
    """Rate at which a message is copied, at either end."""
    header: Size = Bytes(64)
    """Bytes of a message beside its data."""
    location_cache: Flag = True
    """A server remembers where the ports are that it has asked for."""

    @check("poll")
    @classmethod
    def _leaves_time(cls, poll: Nanoseconds, earlier: Earlier) -> Nanoseconds:
        interval = earlier.get("interval")
        if interval is not None and poll >= interval:
            raise ValueError(
                f"polls of {format_time(poll)} every {format_time(interval)} leave no time for"
                " anything else; write less than the interval"
            )
        return poll

    def spec(self) -> MessageServerSpec:
        """Return what an engine takes."""
        return MessageServerSpec(
            interval_ns=self.interval,
            poll_ns=self.poll,
            send_ns=self.send,
            deliver_ns=self.deliver,
            lookup_ns=self.lookup,
            copy_rate=self.copy_rate,
            header=self.header,
            remember=self.location_cache,
        )


class ProcessServer(Service):
    """A process server on each node: it makes the processes of jobs that are 'launched'."""

    kind: Literal["process-server"]
    """Which kind of service this is."""
    create: Time
    """Making one process; time of the node's ``processor``."""


class Library(Section):
    """A numerical library on one machine."""

    problem: ProblemName
    """What it solves."""
    threads: Count = 1
    """PEs that it uses."""
    speed: Speed
    """With endless vectors, of all its threads together."""
    half: CountOrNone = 0
    """The length of vectors at which it has half of that."""

    def spec(self) -> LibrarySpec:
        """Return what an engine takes."""
        return LibrarySpec(rate=self.speed, half=self.half, threads=self.threads)


class NumericalServer(Service):
    """A server that computes for its clients, on the ``timeshare`` processor of its node."""

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
    favoured: Flag = True
    """Accepting and starting come before computing, as UNIX favours short work."""
    at_once: CountOrNone = 0
    """Calls that may compute at one time, the others queue; 0 for all."""
    libraries: Annotated[dict[str, Library], FULL]
    """Its libraries, by name."""

    def host(self) -> HostSpec:
        """Return what an engine takes of its node."""
        return HostSpec(self.conversion, self.accept, self.start)


class NumericalClient(Service):
    """What calls of numerical servers cost the nodes that make them."""

    kind: Literal["numerical-client"]
    """Which kind of service this is."""
    site: Name | None = None
    """Where they are, by its name in ``sites``, unless the workload says otherwise."""
    conversion: Rate
    """Bytes that a node converts to and from the network's format."""
    libraries: dict[str, Library] = {}
    """What a node could compute with itself, by name; calls do not use it."""


class Site(Section):
    """A place with a network, and a line to the other places; both are parts of kind ``link``."""

    network: Name
    """Its network."""
    line: Name | None = None
    """Its line to other sites."""


AnyService = Annotated[
    MessageServer | ProcessServer | NumericalServer | NumericalClient, ByWord("kind")
]
"""A service of any kind; ``kind`` tells which."""
