"""Services besides storage: message servers, process servers, numerical servers.

They are optional rows of a plan. docs/composition.md specifies them; the native
engine refuses a plan that has any (:func:`needs_reference`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from simulator.workload.split import Block, points_of_colour

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageServerSpec:
    """Costs of a message server, in ns of its node's processor."""

    interval_ns: int
    """Interval between polls."""
    poll_ns: int
    """Cost of one poll."""
    send_ns: int
    """Cost of accepting one message from a process and handing it to the network."""
    deliver_ns: int
    """Cost of delivering one message that was found to its process."""
    lookup_ns: int
    """Cost of looking up one name in the directory."""
    copy_rate: float
    """Bytes per second at which a message is copied, at either end."""
    header: int
    """Bytes of a message besides its data."""
    remember: bool
    """True if it caches the locations of ports."""

    def __post_init__(self) -> None:
        if self.interval_ns <= self.poll_ns:
            raise ValueError("polls that take as long as their interval leave no time for others")

    def send_cost_ns(self, size: int) -> int:
        """Return the processor time to send ``size`` bytes."""
        return self.send_ns + self._copy_ns(size)

    def deliver_cost_ns(self, size: int) -> int:
        """Return the processor time to deliver ``size`` bytes once they are found."""
        return self.deliver_ns + self._copy_ns(size)

    def _copy_ns(self, size: int) -> int:
        return int(size * 1e9 / self.copy_rate + 0.5)

    @property
    def share(self) -> float:
        """Share of the processor that polling takes."""
        return self.poll_ns / self.interval_ns


@dataclass(frozen=True, slots=True)
class LibrarySpec:
    """One numerical library on one machine, by Hockney's law of vector lengths.

    R(n) = rate * n / (n + half): half of the full rate at n = half (Hockney, 1983).
    """

    rate: float
    """Asymptotic rate in operations per second, of all its threads together."""
    half: int = 0
    threads: int = 1
    """PEs that it uses."""

    def compute_ns(self, operations: int, length: int) -> int:
        """Return the computing time with as many free PEs as it has threads.

        >>> LibrarySpec(rate=200e6, half=100).compute_ns(1_000_000, 100)
        10000000
        """
        return round(operations * (length + self.half) * 1e9 / (self.rate * length))


@dataclass(frozen=True, slots=True)
class HostSpec:
    """Costs of a remote call on one side besides computing: time of one PE."""

    conversion: float
    """Bytes per second of the conversion between the machine's and the network's format (XDR)."""
    accept_ns: int = 0
    """Time to accept a call; on a server."""
    start_ns: int = 0
    """Time to start the program of a call; on a server."""

    def convert_ns(self, size: int) -> int:
        """Return the PE time to convert ``size`` bytes, copies of the protocol included."""
        return round(size * 1e9 / self.conversion)


Order: TypeAlias = Literal["blocks", "edges-first", "colours"]
"""``blocks``: from the first point of a block to the last, then the edges are sent.
``edges-first``: the edges, which are then on their way while the rest is computed.
``colours``: all red points as on a chessboard, exchange of their edges, then the black ones."""

Choice: TypeAlias = Literal["fixed", "load", "compute", "bandwidth", "estimate"]
"""Choice of a call's server: by name; least load per PE; least estimated time of computing (load
and problem), of transfer, or of both."""


# -- message passing ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageServicePlan:
    """A message server, a network adapter and a process server on each node of a group."""

    name: str
    group: int
    count: int
    """Number of nodes, from the first on: those that run processes."""
    processor: int
    """Row of the ``processor`` resource that they share with a process."""
    spec: MessageServerSpec
    top: int
    """First tier of the path between two nodes; -1: it costs no time."""
    places: tuple[int, ...] = ()
    """Groups of the places of that path: those of the two nodes, then others."""
    first: int
    """Actor number of the first message server; a process server for each node follows, then an
    adapter for each."""
    process_server: str = ""
    """Name of the process servers; empty if there are none."""
    create_ns: int = 0
    """Processor time to create one process."""
    sending_column: int = 0
    """Account category: work of the message server for a sending process, and waiting for the
    processor."""
    locating_column: int = 0
    """Account category: locating a port."""
    awaiting_column: int = 0
    """Account category: waiting for a message."""
    stream: str = "poll{i}"
    """Name of the random stream of a server's first poll, with ``{i}`` for its node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPlan:
    """Processes created by process servers: all of one job, from ``first`` on.

    The launcher, on the node of the first, requests each of them, waits until all exist, and starts
    them.
    """

    service: int
    first: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshPlan:
    """A mesh of points, divided over the processes of a job; its rank 0 is process ``first``."""

    job: str
    first: int
    service: int
    """Message service that carries its edges."""
    rows: int
    columns: int
    point_bytes: int
    blocks: tuple[Block, ...]
    order: Order
    paging_column: int
    """Account category: waiting for pages."""

    @property
    def nodes(self) -> int:
        """Number of blocks."""
        return len(self.blocks)

    @property
    def points(self) -> int:
        """Points of the whole mesh."""
        return self.rows * self.columns

    @property
    def exchanges(self) -> int:
        """Exchanges of edges per iteration."""
        return 2 if self.order == "colours" else 1

    def edge_sizes(self, block: Block, colour: int | None, header: int) -> list[tuple[int, int]]:
        """Return (neighbour, bytes of the message to it), of all points or those of a colour."""
        edges = block.neighbours
        if colour is not None:
            places = [(rank, block.edge(self.blocks[rank])) for rank, _ in edges]
            edges = tuple((rank, points_of_colour(*edge, colour)) for rank, edge in places)
        return [(rank, header + points * self.point_bytes) for rank, points in edges]

    def block_bytes(self, block: Block) -> int:
        """Return the bytes of a block, with the ring of its neighbours' edges around it."""
        return block.bytes_with_ring(self.point_bytes)


# -- remote numerical calls -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericalServerPlan:
    """A numerical server: it accepts calls, converts their data, and computes."""

    name: str
    part: int
    """Row of its ``timeshare`` resource."""
    member: int
    """Instance of that resource."""
    host: HostSpec
    favoured: bool = True
    """True if its system prioritises tasks that have used little CPU time (accepting, starting)."""
    at_once: int = 0
    """Maximum number of calls that compute at one time; 0: unlimited."""
    queue_column: int = 0
    """Account category: waiting until a call may compute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server as one caller reaches it."""

    server: int
    """Row of the numerical servers."""
    library: LibrarySpec
    route: tuple[tuple[int, int], ...] = ()
    """Links between them, from the caller on: row of each resource, and its instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerPlan:
    """Calls of one process: target servers, number, and times."""

    job: str
    problem: str
    """Name of the problem; the numbers below are those of one call."""
    operations: int
    length: int
    """Length of its vectors."""
    bytes_in: int
    bytes_out: int
    host: HostSpec
    targets: tuple[Target, ...]
    """Candidate servers."""
    choice: Choice = "fixed"
    count: int = 0
    """Number of calls, one after the other; 0: trials decide."""
    every_ns: int = 0
    """Interval between trials."""
    first_ns: int = 0
    """First trial, from the begin of the phase."""
    chance: float = 1.0
    """Probability that a trial starts a call."""
    continues: bool = False
    """True if trials continue while a call is under way."""
    duration_ns: int = 0
    """End of the trials, from the begin of the phase; calls under way are completed."""
    stream: str = ""
    """Name of the random stream of the trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicesPlan:
    """Services of a plan, and their use by processes."""

    messages: tuple[MessageServicePlan, ...] = ()
    launches: tuple[LaunchPlan, ...] = ()
    meshes: tuple[MeshPlan, ...] = ()
    servers: tuple[NumericalServerPlan, ...] = ()
    callers: tuple[CallerPlan, ...] = ()
    clients_column: int = 0
    """Account category: work of callers themselves (converting data)."""
    latency_column: int = 0
    """Account category: latency of calls (first bytes)."""
    stock_ns: int = -1
    """Time at which counters of numerical servers and links are sampled; -1: at the end."""

    @property
    def actors(self) -> int:
        """Number of actors of the services; their numbers are consecutive."""
        return sum(3 * one.count for one in self.messages)


NO_SERVICES = ServicesPlan()


def needs_reference(plan: Plan) -> str:
    """Return the name of a service that only the reference engine supports; empty if none."""
    services = plan.services
    for service in services.messages:
        servers = f" and process servers {service.process_server}" * bool(service.process_server)
        return f"message servers {service.name}{servers}"
    for server in services.servers:
        return f"numerical server {server.name}"
    return ""
