"""Services beside the storage of a machine: message servers, process servers, numerical servers.

They are optional rows of a plan. docs/composition.md says what an engine does with them; the native
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
    """From one poll to the next."""
    poll_ns: int
    """One poll."""
    send_ns: int
    """Taking one message from a process and handing it to the network."""
    deliver_ns: int
    """Handing one message that was found to the process it is for."""
    lookup_ns: int
    """Looking up one name in the directory."""
    copy_rate: float
    """Bytes per second at which a message is copied, at either end."""
    header: int
    """Bytes of a message beside its data."""
    remember: bool
    """It remembers where ports are."""

    def __post_init__(self) -> None:
        if self.interval_ns <= self.poll_ns:
            raise ValueError("polls that take as long as their interval leave no time for others")

    def send_cost_ns(self, size: int) -> int:
        """Processor time to send ``size`` bytes."""
        return self.send_ns + self._copy_ns(size)

    def deliver_cost_ns(self, size: int) -> int:
        """Processor time to deliver ``size`` bytes once they are found."""
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
    """Operations per second with endless vectors, of all its threads together."""
    half: int = 0
    threads: int = 1
    """PEs that it uses."""

    def compute_ns(self, operations: int, length: int) -> int:
        """Time with as many free PEs as it has threads.

        >>> LibrarySpec(rate=200e6, half=100).compute_ns(1_000_000, 100)
        10000000
        """
        return round(operations * (length + self.half) * 1e9 / (self.rate * length))


@dataclass(frozen=True, slots=True)
class HostSpec:
    """Costs of a remote call on one side beside computing: PE time of one PE."""

    conversion: float
    """Bytes per second between the machine's numbers and those on the network (XDR)."""
    accept_ns: int = 0
    """To take a call in; on a server."""
    start_ns: int = 0
    """To start the program of a call; on a server."""

    def convert_ns(self, size: int) -> int:
        """PE time of the conversion of ``size`` bytes, the copies of the protocol included."""
        return round(size * 1e9 / self.conversion)


Order: TypeAlias = Literal["blocks", "edges-first", "colours"]
"""``blocks``: from the first point of a block to the last, then the edges are sent.
``edges-first``: the edges, which are then on their way while the rest is computed.
``colours``: all red points as on a chessboard, their edges are exchanged, then the black ones."""

Choice: TypeAlias = Literal["fixed", "load", "compute", "bandwidth", "estimate"]
"""Choice of a call's server: a name; the least load for each PE; the least estimated time
of computing (load and problem), of moving its bytes, or of both."""


# -- message passing ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageServicePlan:
    """A message server, an adapter to the network and a process server on each node of a group."""

    name: str
    group: int
    count: int
    """On how many nodes, from the first on: those that processes run on."""
    processor: int
    """Row of the ``processor`` part that they share with a process."""
    spec: MessageServerSpec
    top: int
    """The first tier of the way between two nodes; -1: it costs no time."""
    places: tuple[int, ...] = ()
    """The group of each place on that way: those of the two nodes, then others."""
    first: int
    """The actor that is the first message server; a process server for each node follows, then an
    adapter for each."""
    process_server: str = ""
    """Name of the process servers; empty if there are none."""
    create_ns: int = 0
    """Processor time to make one process."""
    sending_column: int = 0
    """Work of the message server for a process that sends, and waiting for the processor."""
    locating_column: int = 0
    """Finding out where a port is."""
    awaiting_column: int = 0
    """Waiting for a message."""
    stream: str = "poll{i}"
    """Name of the random stream of a server's first poll, with ``{i}`` for its node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPlan:
    """Processes that process servers make: all of one job, from ``first`` on.

    The launcher, on the node of the first, asks for each of them, waits until all are there, and
    tells them to begin.
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
    """The message service that its edges go through."""
    rows: int
    columns: int
    point_bytes: int
    blocks: tuple[Block, ...]
    order: Order
    paging_column: int
    """Waiting for pages."""

    @property
    def nodes(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    @property
    def points(self) -> int:
        """Points of the whole mesh."""
        return self.rows * self.columns

    @property
    def exchanges(self) -> int:
        """Exchanges of edges in one loop."""
        return 2 if self.order == "colours" else 1

    def edge_sizes(self, block: Block, colour: int | None, header: int) -> list[tuple[int, int]]:
        """(neighbour, bytes of the message to it): all points of the edge, or those of a colour."""
        edges = block.neighbours
        if colour is not None:
            places = [(rank, block.edge(self.blocks[rank])) for rank, _ in edges]
            edges = tuple((rank, points_of_colour(*edge, colour)) for rank, edge in places)
        return [(rank, header + points * self.point_bytes) for rank, points in edges]

    def block_bytes(self, block: Block) -> int:
        """Bytes that a block takes, with the ring of its neighbours' edges around it."""
        return block.bytes_with_ring(self.point_bytes)


# -- remote numerical calls -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericalServerPlan:
    """A numerical server: it takes calls in, converts their data, and computes."""

    name: str
    part: int
    """Row of its ``timeshare`` part,"""
    member: int
    """and which instance of it."""
    host: HostSpec
    favoured: bool = True
    """True if its system serves what has used little CPU time (accepting, starting) first."""
    at_once: int = 0
    """Calls that may compute at one time; 0 for all."""
    queue_column: int = 0
    """Waiting until a call may compute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server as one caller sees it."""

    server: int
    """Row of the numerical servers."""
    library: LibrarySpec
    route: tuple[tuple[int, int], ...] = ()
    """The links between them, from the caller on: row of each part, and its instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerPlan:
    """Calls of one process: to which servers, how many, and when."""

    job: str
    problem: str
    """Its name; the numbers below are those of one call."""
    operations: int
    length: int
    """Length of its vectors."""
    bytes_in: int
    bytes_out: int
    host: HostSpec
    targets: tuple[Target, ...]
    """The servers that it may call."""
    choice: Choice = "fixed"
    count: int = 0
    """Number of calls, one after the other; 0: trials decide."""
    every_ns: int = 0
    """Between two trials."""
    first_ns: int = 0
    """The first trial, from the begin of the phase on."""
    chance: float = 1.0
    """That a trial starts a call."""
    continues: bool = False
    """True if trials go on while a call is out."""
    duration_ns: int = 0
    """No trial is later than this, from the begin of the phase on; calls under way end."""
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
    """Work of callers themselves: converting data."""
    latency_column: int = 0
    """First bytes of calls under way."""
    stock_ns: int = -1
    """Time at which counters of numerical servers and links are read; -1: when all is over."""

    @property
    def actors(self) -> int:
        """The number of actors of the services; their numbers follow each other."""
        return sum(3 * one.count for one in self.messages)


NO_SERVICES = ServicesPlan()


def needs_reference(plan: Plan) -> str:
    """Return the name of what only the reference engine can carry out; empty if nothing."""
    services = plan.services
    for service in services.messages:
        servers = f" and process servers {service.process_server}" * bool(service.process_server)
        return f"message servers {service.name}{servers}"
    for server in services.servers:
        return f"numerical server {server.name}"
    return ""
