"""Message servers of a machine, the processes that they start, and meshes, as rows of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.services import ServiceRows
from simulator.plan.services import LaunchPlan, MeshPlan, MessageServicePlan, ServicesPlan

from .section import MessageServer

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering


class MessageRows(ServiceRows):
    """Rows of message services, launches and meshes."""

    def __init__(self, whole: Lowering, used: Mapping[int, int]) -> None:
        super().__init__(whole, used)
        self.launches: list[LaunchPlan] = []
        self.meshes: list[MeshPlan] = []
        self.mesh_rows: dict[object, int] = {}
        """What meshes are, and their rows."""
        self._services = [
            (name, one, group)
            for name, one in self.machine.services_of(MessageServer).items()
            if (group := self.tables.group_of[one.at]) in used
        ]

    def of_messages(self, group: int) -> int:
        """Return the row of the message service of a group of nodes; -1 without any."""
        rows = (row for row, (_, _, there) in enumerate(self._services) if there == group)
        return next(rows, -1)

    def launch(self, group: int, first: int, count: int) -> None:
        """Have processes created by process servers."""
        service = self.of_messages(group)
        self.launches.append(LaunchPlan(service=service, first=first, count=count))

    def add(self, plan: ServicesPlan, first: int) -> ServicesPlan:
        """Return a plan with the rows."""
        messages = []
        for name, section, group in self._services:
            messages.append(self._service(name, section, group, first))
            first += 3 * messages[-1].count
        return replace(
            plan,
            messages=tuple(messages),
            launches=tuple(self.launches),
            meshes=tuple(self.meshes),
        )

    def _service(
        self, name: str, section: MessageServer, group: int, first: int
    ) -> MessageServicePlan:
        sending, locating, awaiting = map(self.tables.column, section.categories(name))
        services = self.machine.services.items()
        makers = {one: made for one, made in services if made.creates and made.at == section.at}
        maker = next(iter(makers), "")
        return MessageServicePlan(
            name=name,
            group=group,
            count=min(self.used[group], self.tables.groups[group].count),
            processor=self.tables.of_group("processor", group),
            spec=section.spec(),
            top=self.whole.files.between(group, group),
            places=self.machine.ways.places_between(group, group),
            first=first,
            process_server=maker,
            create_ns=getattr(makers[maker], "create", 0) if maker else 0,
            sending_column=sending,
            locating_column=locating,
            awaiting_column=awaiting,
        )
