"""Services of a machine: message servers, process servers, numerical servers and their clients.

To add a kind: its section here, and its class in ``AnyService``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Fault, Path, unknown_name
from simulator.config.part import spec_of
from simulator.config.quantities import Count, CountOrNone, Flag, Name, Rate, Size, Speed, Time
from simulator.config.section import FULL, Called, Section, UnionOf, check, default
from simulator.config.sources import A_CORE, FREE, SINGLE
from simulator.plan.services import HostSpec, LibrarySpec, MessageServerSpec
from simulator.units import Bytes, BytesPerSecond, Nanoseconds, format_time

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

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
    lookup: Time = default(Nanoseconds(0), FREE)
    """Looking up one port in the directory."""
    copy_rate: Rate = default(BytesPerSecond(5e9), A_CORE)
    """Rate at which a message is copied, at either end."""
    header: Size = default(Bytes(64), "assumed: an address, a length and a few numbers")
    """Bytes of a message beside its data."""
    location_cache: Flag = default(True, "a port never moves, so what is remembered stays true")
    """A server remembers where the ports are that it has asked for."""

    @check("poll")
    @staticmethod
    def _leaves_time(poll: Nanoseconds, interval: Nanoseconds) -> None:
        if poll >= interval:
            about = f"polls of {format_time(poll)} every {format_time(interval)} leave no time for"
            raise ValueError(f"{about} anything else; write less than the interval")

    def spec(self) -> MessageServerSpec:
        """Return what an engine takes."""
        return spec_of(MessageServerSpec, self, remember=self.location_cache)


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
    MessageServer | ProcessServer | NumericalServer | NumericalClient, UnionOf("kind")
]
"""A service of any kind; ``kind`` tells which."""


CONVERSION, LATENCY = "calls.conversion", "calls.latency"
"""Columns of accounts: what converting costs callers, and first bytes of calls under way."""


def message_columns(name: str) -> tuple[str, str, str]:
    """Return the columns of a message service: sending, locating ports, awaiting messages."""
    return f"{name}.sending", f"{name}.locating", f"{name}.awaiting"


def queue_column(name: str) -> str:
    """Return the column of waiting until a call may compute at a numerical server."""
    return f"{name}.queue"


def paging_column(name: str) -> str:
    """Return the column of waiting for pages at a processor."""
    return f"{name}.paging"


def service_columns(machine: Machine) -> list[str]:
    """Return the columns of accounts that services need; none without services."""
    columns = [
        paging_column(name) for name, part in machine.parts.items() if part.kind == "processor"
    ]
    for name, one in machine.services.items():
        if isinstance(one, MessageServer):
            columns += message_columns(name)
        elif isinstance(one, NumericalServer):
            columns.append(queue_column(name))
    if machine.services_of(NumericalServer):
        columns += [CONVERSION, LATENCY]
    return columns


def service_faults(machine: Machine) -> Iterator[Fault]:
    """Find services where there is nothing for them, twice at one place, or at unknown sites."""
    yield from _sites(machine)
    yield from _owners(machine)
    seen: dict[tuple[str, str], str] = {}
    for name, service in machine.services.items():
        at: Path = ("services", name)
        if name in machine.parts or name in machine.stores:
            yield at, f"{name!r} is the name of a part or store too; write another"
        if service.at not in machine.nodes:
            yield (*at, "at"), unknown_name(service.at, "a group of nodes", machine.nodes)
            continue
        other = seen.setdefault((service.kind, service.at), name)
        if other != name and not isinstance(service, NumericalServer):
            about = f"{service.at} has the {service.kind} {other!r} already; leave one of them out"
            yield (*at, "at"), about
        yield from _needs(machine, at, service)


def _sites(machine: Machine) -> Iterator[Fault]:
    for name, site in machine.sites.items():
        for key, link in (("network", site.network), ("line", site.line)):
            if link is None:
                continue
            if link not in machine.parts:
                links = [one for one, part in machine.parts.items() if part.kind == "link"]
                yield ("sites", name, key), unknown_name(link, "a part of kind link", links)
            elif machine.parts[link].kind != "link":
                about = f"{link} is a {machine.parts[link].kind}; write a part of 'kind: link'"
                yield ("sites", name, key), about
            elif machine.parts[link].at is not None:
                about = f"{link} is one of each node; write a link without 'at'"
                yield ("sites", name, key), about


def _owners(machine: Machine) -> Iterator[Fault]:
    """Find nodes with two parts of which a service needs one."""
    owners: dict[tuple[str, str], str] = {}
    for name, part in machine.parts.items():
        if part.kind in ("processor", "timeshare", "link"):
            for group in part.at or ():
                other = owners.setdefault((part.kind, group), name)
                if other != name:
                    about = f"{group} has the {part.kind} {other!r} already; a node has one"
                    yield ("parts", name, "at"), f"{about}; write another group"


def _needs(machine: Machine, at: Path, service: AnyService) -> Iterator[Fault]:
    group = service.at
    polling = isinstance(service, MessageServer | ProcessServer)
    if polling and not _has(machine, "processor", group):
        about = f"no processor is at {group}; write one in parts"
        yield (*at, "at"), f"{about}, like '{{kind: processor, at: {group}, update: 600 ns}}'"
    elif isinstance(service, ProcessServer):
        servers = [one.at for one in machine.services_of(MessageServer).values()]
        sound = all(_has(machine, "processor", one) for one in servers)
        if group not in servers and sound:  # Else the message server is the mistake.
            about = f"no message server is at {group}, by which a process server is asked"
            yield (*at, "at"), f"{about}; write one in services"
    elif isinstance(service, NumericalServer):
        if machine.nodes[group].count > 1 or machine.nodes[group].per is not None:
            about = f"{group} has more than one node; write a group of one for each server"
            yield (*at, "at"), about
        elif not _has(machine, "timeshare", group):
            about = f"no part of kind timeshare is at {group}; write one in parts"
            yield (*at, "at"), f"{about}, like '{{kind: timeshare, at: {group}, pes: 4}}'"
    site = getattr(service, "site", None)
    if site is not None and site not in machine.sites:
        yield (*at, "site"), unknown_name(site, "in sites", machine.sites)


def _has(machine: Machine, kind: str, group: str) -> bool:
    """Return whether the nodes of a group have a part of a kind."""
    parts = machine.parts.values()
    return any(one.kind == kind and one.at is not None and group in one.at for one in parts)
