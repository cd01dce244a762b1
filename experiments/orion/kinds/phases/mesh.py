"""Sweeps over a mesh that the processes of a job divide; message servers bring its edges."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.machine_file import Machine
from simulator.config.phase import Drawn, Faults, OnMachine, Phase, Spot
from simulator.config.quantities import Count, Size
from simulator.config.section import Called
from simulator.config.workload_file import Job
from simulator.kinds.dice import Dice
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.plan.services import MeshPlan
from simulator.units import Bytes
from simulator.workload.split import grid_of, split

from ..parts.processor.section import paging_column
from ..services.message_server.lowering import MessageRows
from ..services.message_server.section import MessageServer

MOST_POLLS = 50_000_000
"""A few minutes of simulating."""

MeshOrder = Annotated[Literal["blocks", "edges-first", "colours"], Called("mesh-order")]


class Mesh(Phase):
    """Sweep over a mesh of points, divided over the job's processes, and exchange the edges."""

    rank = 12
    meets = True
    computes = True
    served = True

    do: Literal["mesh"]
    """What it does."""
    rows: Count
    """Rows of the mesh."""
    columns: Count
    """Columns of the mesh."""
    point: Size = Bytes(8)
    """Data of one point."""
    loops: Count
    """Loops; the very first, in which ports are located, is not counted in means."""
    order: MeshOrder = "blocks"
    """Blocks: each process from its first point to its last, then edges are sent. Edges-first:
    edges are computed and sent first, the rest while they are on their way. Colours: all red
    points, an exchange, all black points, an exchange."""

    def faults(self, spot: Spot) -> Faults:
        """Find meshes that cannot be divided."""
        ranks = spot.job.ranks
        if grid_of(ranks, self.rows, self.columns) is None:
            about = f"{self.rows} x {self.columns} points cannot be divided in {ranks} blocks"
            yield ("rows",), f"{about}; write more points, or fewer processes"

    def misfits(self, spot: OnMachine) -> Faults:
        """Find nodes without a message server, and meshes that would be simulated for hours."""
        machine, group = spot.machine, spot.place.group
        name = machine.tables.groups[group].name
        servers = machine.services_of(MessageServer).values()
        interval = next((one.interval for one in servers if one.at == name), None)
        if interval is None:
            about = f"no message server is on {name} in {machine.name}, to bring edges to"
            yield (), f"{about} neighbours; write one in services"
            return
        if grid_of(spot.job.ranks, self.rows, self.columns) is None:
            return
        polls = self._polls(machine, spot.job, group, interval) * spot.job.times(spot.at)
        if polls > MOST_POLLS:
            about = (
                f"{self.rows} x {self.columns} points take so long that servers would poll"
                f" {polls:.2g} times; write fewer points, or a longer interval of the message"
                f" server (at most {MOST_POLLS:.0g} polls are simulated)"
            )
            yield ("rows",), about

    def _polls(self, machine: Machine, job: Job, group: int, interval: int) -> float:
        """Return how often servers poll while processes compute, page and wait for a message."""
        station = machine.tables.parts[machine.tables.of_group("processor", group)].spec
        assert station is not None
        most = max(split(self.rows, self.columns, job.ranks), key=lambda one: one.points)
        size = most.bytes_with_ring(self.point)
        sweep = station.sweep_cpu_ns(most.points, size) + station.sweep_paging_ns(size)
        return float((sweep / interval + 1) * self.loops * job.repeat * job.ranks)

    def lower(self, process: ProcessBuilder) -> None:
        """Add some loops of a mesh."""
        process.append(PhasePlan(kind=codes.MESH, row=self._row(process), loops=self.loops))

    def _row(self, process: ProcessBuilder) -> int:
        """Return the row of its mesh; phases of a job that sweep over equal meshes share one."""
        services, tables = process.whole.services.of(MessageRows), process.whole.machine.tables
        key = (process.job.name, self.rows, self.columns, self.point, self.order)
        row = services.mesh_rows.setdefault(key, len(services.meshes))
        if row == len(services.meshes):
            processor = tables.parts[tables.of_group("processor", process.group)].name
            services.meshes.append(
                MeshPlan(
                    job=process.job.name,
                    first=process.first,
                    service=services.of_messages(process.group),
                    rows=self.rows,
                    columns=self.columns,
                    point_bytes=self.point,
                    blocks=split(self.rows, self.columns, process.ranks),
                    order=self.order,
                    paging_column=tables.column(paging_column(processor)),
                )
            )
        return row

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw a mesh that few processes can divide."""
        return {"rows": 12, "columns": 12, "loops": dice.int(1, 3)}
