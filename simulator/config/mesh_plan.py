"""Workstations and a mesh -> the plan that the engine carries out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from simulator.config.errors import Problem, raise_errors
from simulator.config.workstations import Mesh, Workstations
from simulator.engine.mesh_plan import MeshPlan
from simulator.machine.datacache import CacheSpec
from simulator.machine.disk import DiskSpec
from simulator.machine.message_server import MessageServerSpec
from simulator.machine.paging import PagingSpec
from simulator.machine.process_server import ProcessServerSpec
from simulator.machine.station import ServiceSpec
from simulator.machine.workstation import WorkstationSpec
from simulator.workload.split import grid_of, split

MOST_POLLS = 50_000_000
"""A few minutes of simulating."""
_NAMES = {"name", "title", "references"}


def mesh_plan(machine: Workstations, mesh: Mesh, *, seed: int = 0, noisy: bool = False) -> MeshPlan:
    """Make a plan; ConfigError if the mesh does not fit the workstations."""
    raise_errors(_misfits(machine, mesh))
    return MeshPlan(
        machine=machine.name,
        workload=mesh.name,
        station=_station(machine),
        messages=_messages(machine),
        processes=ProcessServerSpec(machine.process_server.create),
        link=ServiceSpec(machine.lan.rate, machine.lan.latency),
        fair=machine.lan.sharing == "fair",
        deviation=machine.cpu.variation,
        rows=mesh.rows,
        columns=mesh.columns,
        point_bytes=mesh.point,
        blocks=split(mesh.rows, mesh.columns, mesh.nodes),
        loops=mesh.loops,
        order=mesh.order,
        seed=seed,
        noisy=noisy,
        digest=_digest(machine, mesh),
    )


def _misfits(machine: Workstations, mesh: Mesh) -> Iterable[Problem]:
    if mesh.nodes > machine.count:
        about = f"{mesh.nodes} nodes, but {machine.name} has {machine.count}; write that or less"
        yield mesh.origin.place(("nodes",)).problem("nodes", about)
        return
    if grid_of(mesh.nodes, mesh.rows, mesh.columns) is None:
        about = f"{mesh.rows} x {mesh.columns} points cannot be divided in {mesh.nodes} blocks"
        yield mesh.origin.place(("nodes",)).problem("nodes", f"{about}; write fewer")
        return
    polls = _polls(machine, mesh)
    if polls > MOST_POLLS:
        about = (
            f"{mesh.rows} x {mesh.columns} points take so long that servers would poll {polls:.2g} "
            f"times; write fewer points, or a longer message_server.interval (at most "
            f"{MOST_POLLS:.0g} polls are simulated)"
        )
        yield mesh.origin.place(("rows",)).problem("rows", about)


def _polls(machine: Workstations, mesh: Mesh) -> float:
    """How often the servers of all nodes poll while these compute, page and wait for a message."""
    station, blocks = _station(machine), split(mesh.rows, mesh.columns, mesh.nodes)
    most = max(blocks, key=lambda one: one.points)
    size = most.bytes_with_ring(mesh.point)
    sweep = station.sweep_cpu_ns(most.points, size) + station.sweep_paging_ns(size)
    return float((sweep / machine.message_server.interval + 1) * mesh.loops * mesh.nodes)


def _station(machine: Workstations) -> WorkstationSpec:
    paging, memory, cache = machine.paging, machine.memory, machine.cpu.cache
    disk = DiskSpec(
        rate=paging.rate,
        overhead_ns=paging.overhead,
        seek_ns=paging.seek,
        turn_ns=paging.turn,
    )
    return WorkstationSpec(
        update_ns=machine.cpu.update,
        memory=PagingSpec(memory.resident, memory.page, disk),
        cache=CacheSpec(cache.size, cache.line, cache.line_time, memory.page) if cache else None,
    )


def _messages(machine: Workstations) -> MessageServerSpec:
    server = machine.message_server
    return MessageServerSpec(
        interval_ns=server.interval,
        poll_ns=server.poll,
        send_ns=server.send,
        deliver_ns=server.deliver,
        lookup_ns=server.lookup,
        copy_rate=server.copy_rate,
        header=server.header,
        remember=server.location_cache,
    )


def _digest(machine: Workstations, mesh: Mesh) -> str:
    """SHA-256 of all values that change a result, in hexadecimal."""
    parts = [one.model_dump(mode="json", exclude=_NAMES) for one in (machine, mesh)]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
