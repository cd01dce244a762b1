"""Services of a machine, and the phases that use them, as rows of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simulator.config.library_phases import Calling, Mesh, Numerical
from simulator.config.services import (
    CONVERSION,
    LATENCY,
    Library,
    MessageServer,
    NumericalClient,
    NumericalServer,
    ProcessServer,
    message_columns,
    paging_column,
    queue_column,
)
from simulator.plan.services import (
    CallerPlan,
    HostSpec,
    LaunchPlan,
    MeshPlan,
    MessageServicePlan,
    NumericalServerPlan,
    ServicesPlan,
    Target,
)
from simulator.workload.problems import PROBLEMS
from simulator.workload.split import split

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering, Placed
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Job

Link = tuple[int, int]
"""The row of a part, and one of its instances."""


class ServiceRows:
    """The rows that services and their users need."""

    def __init__(self, whole: Lowering, places: Sequence[Placed]) -> None:
        self.whole = whole
        self.machine = whole.machine
        self.tables = whole.machine.tables
        self.launches: list[LaunchPlan] = []
        self.meshes: list[MeshPlan] = []
        self.callers: list[CallerPlan] = []
        self._used: dict[int, int] = {}
        """Group -> how many of its nodes, from the first on, processes run on."""
        for job, place in zip(whole.workload.jobs, places, strict=True):
            last = max(place.members, default=0) + job.nodes
            self._used[place.group] = max(last, self._used.get(place.group, 0))
        self._messages = [
            (name, one, group)
            for name, one in self.machine.services_of(MessageServer).items()
            if (group := self.tables.group_of[one.at]) in self._used
        ]
        self._servers = self.machine.services_of(NumericalServer)
        self._mesh_of: dict[object, int] = {}
        self._stock_ns = -1

    def of_messages(self, group: int) -> int:
        """Return the row of the message service of a group of nodes; -1 without any."""
        rows = (row for row, (_, _, there) in enumerate(self._messages) if there == group)
        return next(rows, -1)

    def launch(self, group: int, first: int, count: int) -> None:
        """Have processes made by process servers."""
        service = self.of_messages(group)
        self.launches.append(LaunchPlan(service=service, first=first, count=count))

    def mesh(self, process: ProcessBuilder, phase: Mesh) -> int:
        """Return the row of a mesh; phases of a job that sweep over equal meshes share one."""
        key = (process.job.name, phase.rows, phase.columns, phase.point, phase.order)
        if key not in self._mesh_of:
            self._mesh_of[key] = len(self.meshes)
            processor = self.tables.processors[process.group]
            name = self.tables.parts[processor].name
            self.meshes.append(
                MeshPlan(
                    job=process.job.name,
                    first=process.first,
                    service=self.of_messages(process.group),
                    rows=phase.rows,
                    columns=phase.columns,
                    point_bytes=phase.point,
                    blocks=split(phase.rows, phase.columns, process.ranks),
                    order=phase.order,
                    paging_column=self.tables.column(paging_column(name)),
                )
            )
        return self._mesh_of[key]

    # -- numerical calls ------------------------------------------------------------------------

    def caller(self, process: ProcessBuilder, phase: Numerical) -> int:
        """Return the row of the calls of a process in a phase of its job."""
        problem = PROBLEMS[phase.problem](phase.n)
        client = client_of(self.machine, process.group)
        assert client is not None
        site = phase.site or client.site
        servers = list(self._servers)
        targets = tuple(
            Target(
                server=servers.index(name),
                library=library.spec(),
                route=self._route(process.group, process.node, site, name),
            )
            for name, library in candidates(self.machine, phase).items()
        )
        several = sum(isinstance(one, Calling) for _, one in process.job.every_phase()) > 1
        stream = f"{process.job.name}/{process.rank}"
        self.callers.append(
            CallerPlan(
                job=process.job.name,
                problem=problem.kind,
                operations=problem.operations,
                length=problem.length,
                bytes_in=problem.bytes_in,
                bytes_out=problem.bytes_out,
                host=HostSpec(client.conversion),
                targets=targets,
                choice=phase.choose,
                **self._trials(process, phase),
                stream=f"{stream}.{process.label}" if several else stream,
            )
        )
        return len(self.callers) - 1

    def _trials(self, process: ProcessBuilder, phase: Numerical) -> dict[str, Any]:
        if not isinstance(phase, Calling):
            return {"count": getattr(phase, "count", 1)}
        self._stock_ns = max(self._stock_ns, process.job.start + phase.duration)
        spread = phase.every * process.rank // process.ranks if phase.spread else 0
        return {
            "every_ns": phase.every,
            "first_ns": phase.first + spread,
            "chance": phase.chance,
            "continues": phase.continues,
            "duration_ns": phase.duration,
        }

    def _route(self, group: int, node: int, site: str | None, server: str) -> tuple[Link, ...]:
        """Return the links from a node at a site to a server."""
        there = self._servers[server].site
        home = self.tables.group_of[self._servers[server].at]
        return (
            *self._own_link(group, node),
            *map(self._site_link, links_between(self.machine, site, there)),
            *self._own_link(home, 0),
        )

    def _own_link(self, group: int, node: int) -> list[Link]:
        """Return the link of a node, if it has one."""
        row = self.tables.links.get(group)
        return [] if row is None else [(row, node)]

    def _site_link(self, name: str) -> Link:
        (group,) = self.tables.homes[name]
        return self.tables.rows[name, group][""], 0

    # -- the whole ------------------------------------------------------------------------------

    def plan(self, first: int) -> ServicesPlan:
        """Return all services; ``first`` is the number of their first actor."""
        messages = []
        for name, section, group in self._messages:
            messages.append(self._message_service(name, section, group, first))
            first += 3 * messages[-1].count
        servers = tuple(self._server(name, one) for name, one in self._servers.items())
        used = bool(self.callers)
        columns = self.tables.columns
        return ServicesPlan(
            messages=tuple(messages),
            launches=tuple(self.launches),
            meshes=tuple(self.meshes),
            servers=servers if used else (),
            callers=tuple(self.callers),
            clients_column=columns.index(CONVERSION) if used else 0,
            latency_column=columns.index(LATENCY) if used else 0,
            stock_ns=self._stock_ns,
        )

    def _message_service(
        self, name: str, section: MessageServer, group: int, first: int
    ) -> MessageServicePlan:
        columns = self.tables.columns
        sending, locating, awaiting = (columns.index(one) for one in message_columns(name))
        makers = self.machine.services_of(ProcessServer)
        maker = next((other for other, one in makers.items() if one.at == section.at), "")
        return MessageServicePlan(
            name=name,
            group=group,
            count=min(self._used[group], self.tables.groups[group].count),
            processor=self.tables.processors[group],
            spec=section.spec(),
            top=self.whole.files.between(group, group),
            places=self.machine.ways.places_between(group, group),
            first=first,
            process_server=maker,
            create_ns=makers[maker].create if maker else 0,
            sending_column=sending,
            locating_column=locating,
            awaiting_column=awaiting,
        )

    def _server(self, name: str, section: NumericalServer) -> NumericalServerPlan:
        return NumericalServerPlan(
            name=name,
            part=self.tables.timeshares[self.tables.group_of[section.at]],
            member=0,
            host=section.host(),
            favoured=section.favoured,
            at_once=section.at_once,
            queue_column=self.tables.column(queue_column(name)),
        )


def computes(job: Job) -> bool:
    """Whether processes of a job work on a processor that they share with servers."""
    work = ("compute", "mesh", "message", "exchange")
    return any(one.do in work for _, one in job.every_phase())


def client_of(machine: Machine, group: int) -> NumericalClient | None:
    """Return what numerical calls cost the nodes of a group; None if nothing says so."""
    name = machine.tables.groups[group].name
    clients = machine.services_of(NumericalClient).values()
    return next((one for one in clients if one.at == name), None)


def candidates(machine: Machine, phase: Numerical) -> dict[str, Library]:
    """Return the servers that calls may go to and that can serve them, with their libraries."""
    found = {}
    for name, one in machine.services_of(NumericalServer).items():
        if phase.choose != "fixed" or name == phase.server:
            library = _library_of(one, phase)
            if library is not None:
                found[name] = library
    return found


def _library_of(server: NumericalServer, phase: Numerical) -> Library | None:
    """Return the library that a server would use; None if it has none."""
    if phase.library is not None:
        named = server.libraries.get(phase.library)
        return named if named is not None and named.problem == phase.problem else None
    solving = [one for one in server.libraries.values() if one.problem == phase.problem]
    return max(solving, key=lambda library: library.speed, default=None)


def links_between(machine: Machine, here: str | None, there: str | None) -> list[str]:
    """Return the links of sites between a caller and a server, from the caller on."""
    if here is None or there is None:
        return [machine.sites[one].network for one in (here or there,) if one is not None]
    if here == there:
        return [machine.sites[here].network]
    near, far = machine.sites[here], machine.sites[there]
    assert near.line is not None
    assert far.line is not None
    return [near.network, near.line, far.line, far.network]
