"""Services of a machine, and what phases need of them, as rows of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.config.services import (
    CONVERSION,
    LATENCY,
    MessageServer,
    NumericalServer,
    ProcessServer,
    message_columns,
    queue_column,
)
from simulator.plan.services import (
    CallerPlan,
    LaunchPlan,
    MeshPlan,
    MessageServicePlan,
    NumericalServerPlan,
    ServicesPlan,
)

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.config.machine_file import Machine
    from simulator.config.phase import JobNodes

Link = tuple[int, int]
"""The row of a part, and one of its instances."""


class ServiceRows:
    """The rows that services and their users need."""

    def __init__(self, whole: Lowering, places: Sequence[JobNodes]) -> None:
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
        self.mesh_rows: dict[object, int] = {}
        """What meshes are, and their rows."""
        self.stock_ns = -1
        """When servers take stock for the last time."""

    def of_messages(self, group: int) -> int:
        """Return the row of the message service of a group of nodes; -1 without any."""
        rows = (row for row, (_, _, there) in enumerate(self._messages) if there == group)
        return next(rows, -1)

    def launch(self, group: int, first: int, count: int) -> None:
        """Have processes made by process servers."""
        service = self.of_messages(group)
        self.launches.append(LaunchPlan(service=service, first=first, count=count))

    def route(self, group: int, node: int, site: str | None, server: str) -> tuple[Link, ...]:
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
        row = self.tables.of_group("link", group)
        return [] if row < 0 else [(row, node)]

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
            stock_ns=self.stock_ns,
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
            processor=self.tables.of_group("processor", group),
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
            part=self.tables.of_group("timeshare", self.tables.group_of[section.at]),
            member=0,
            host=section.host(),
            favoured=section.favoured,
            at_once=section.at_once,
            queue_column=self.tables.column(queue_column(name)),
        )


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
