"""Numerical servers of a machine, and calls of them, as rows of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.services import ServiceRows
from simulator.plan.services import CallerPlan, NumericalServerPlan, ServicesPlan

from .section import CONVERSION, LATENCY, NumericalServer

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.config.machine_file import Machine

Link = tuple[int, int]
"""The row of a part, and one of its instances."""


class NumericalRows(ServiceRows):
    """Rows of numerical servers and their callers."""

    def __init__(self, whole: Lowering, used: Mapping[int, int]) -> None:
        super().__init__(whole, used)
        self.callers: list[CallerPlan] = []
        self.stock_ns = -1
        """When servers take stock for the last time."""
        self._servers = self.machine.services_of(NumericalServer)

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

    def add(self, plan: ServicesPlan, first: int) -> ServicesPlan:
        """Return a plan with the rows."""
        del first
        if not self.callers:
            return plan
        columns = self.tables.columns
        return replace(
            plan,
            servers=tuple(self._server(name, one) for name, one in self._servers.items()),
            callers=tuple(self.callers),
            clients_column=columns.index(CONVERSION),
            latency_column=columns.index(LATENCY),
            stock_ns=self.stock_ns,
        )

    def _server(self, name: str, section: NumericalServer) -> NumericalServerPlan:
        (queue,) = section.categories(name)
        return NumericalServerPlan(
            name=name,
            part=self.tables.of_group("timeshare", self.tables.group_of[section.at]),
            member=0,
            host=section.host(),
            favoured=section.favoured,
            at_once=section.at_once,
            queue_column=self.tables.column(queue),
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
