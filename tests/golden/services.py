"""Cases of Orion and Ninf on the one simulator: plans of version 1 as composed plans, and back.

``mesh_as_plan`` and ``calls_as_plan`` lay the tables directly, row by row; the way through files
(conversion of the old texts, then the formats of version 2) is in ``converted.py``. Results come
back as the records of ``record.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from simulator.engine.callplan import CallerPlan as OldCaller
from simulator.engine.callplan import CallPlan
from simulator.engine.mesh_plan import MeshPlan as OldMeshPlan
from simulator.machine.pe import PeSpec
from simulator.plan.codes import CALLS, END, MESH, STAGE
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from simulator.plan.services import (
    CallerPlan,
    LaunchPlan,
    MeshPlan,
    MessageServicePlan,
    NumericalServerPlan,
    ServicesPlan,
    Target,
)
from simulator.result.numerical import NumericalResult
from simulator.result.result import Result
from tests.golden.record import packed

FREE = PeSpec(copy_rate=1e12, record_overhead_ns=0, call_overhead_ns=0, turn_overhead_ns=0)

# -- Orion ----------------------------------------------------------------------------------------

MESH_COLUMNS = ("processor", "lan", "sending", "locating", "awaiting", "paging", "cpu")


def mesh_as_plan(old: OldMeshPlan) -> Plan:
    """Lay the rows of a plan for the mesh of an old one."""
    nodes = old.nodes
    noise = NoisePlan(request_sd=old.deviation)
    parts = (
        PartPlan(name="cpu", kind="cpu", group=0, first=0, count=nodes, cpu=FREE, column=6),
        PartPlan(
            name="processor",
            kind="processor",
            group=0,
            first=nodes,
            count=nodes,
            processor=old.station,
            noise=noise,
            column=0,
            stream="cpu{i}",
        ),
        PartPlan(
            name="lan",
            kind="shared" if old.fair else "queue",
            group=1,
            first=2 * nodes,
            count=1,
            service=old.link,
            column=1,
        ),
    )
    messages = MessageServicePlan(
        name="messages",
        group=0,
        count=nodes,
        processor=1,
        spec=old.messages,
        top=0,
        places=(0, 0, 1),
        first=nodes,
        process_server="processes",
        create_ns=old.processes.create_ns,
        sending_column=2,
        locating_column=3,
        awaiting_column=4,
    )
    mesh = MeshPlan(
        job="mesh",
        first=0,
        service=0,
        rows=old.rows,
        columns=old.columns,
        point_bytes=old.point_bytes,
        blocks=old.blocks,
        order=old.order,
        paging_column=5,
    )
    phase = PhasePlan(kind=MESH, row=0, loops=old.loops)
    return Plan(
        machine=old.machine,
        workload=old.workload,
        groups=(GroupPlan(name="node", count=nodes), GroupPlan(name="lan", count=1)),
        parts=parts,
        tiers=(
            TierPlan(kind=STAGE, down=(Hold(2, 2),), up=(Hold(2, 2),)),
            TierPlan(kind=END),
        ),
        processes=tuple(
            ProcessPlan(
                name=f"mesh.{rank}",
                job="mesh",
                group=0,
                node=rank,
                cpu=0,
                processor=1,
                launched=True,
                phases=(phase,),
            )
            for rank in range(nodes)
        ),
        services=ServicesPlan(
            messages=(messages,),
            launches=(LaunchPlan(service=0, first=0, count=nodes),),
            meshes=(mesh,),
        ),
        columns=MESH_COLUMNS,
        seed=old.seed,
        run=old.run,
        noisy=old.noisy,
        digest=old.digest,
    )


def mesh_record(plan: Plan, result: Result, columns: Mapping[str, str]) -> dict[str, Any]:
    """Write down a run of a mesh as that of version 1; ``columns`` are today's names of its parts.

    ``columns`` has processor, lan, sending, locating, awaiting and paging.
    """
    (mesh,) = result.meshes
    servers = [one for one in result.services.values() if one.kind == "message-server"]
    servers = [result.services[f"{servers[0].service}{node}"] for node in range(len(mesh.nodes))]
    nodes = []
    for number, (one, server) in enumerate(zip(mesh.nodes, servers, strict=True)):
        counts = server.counts
        nodes.append(
            {
                "node": number,
                "points": one.points,
                "elapsed_ns": one.counted_ns,
                "polls": counts["polls"],
                "found": counts["found"],
                "unfound_ns": counts["unfound_ns"],
                "server_ns": counts["processor_ns"],
                "where": _where(one.spent, one.compute_ns, columns),
            }
        )
    names = ("delivered", "found", "network_bytes", "over_the_network", "polls", "posted")
    found = sum(one["found"] for one in nodes)
    elapsed = sum(one["elapsed_ns"] for one in nodes)
    computing = sum(_computing(one["where"]) for one in nodes)
    lan = result.parts.get(columns["lan"])
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "points": mesh.points,
        "setup_ns": mesh.setup_ns,
        "loop_ends_ns": list(mesh.loop_ends_ns),
        "nodes": nodes,
        "counts": {
            name: sum(server.counts[name] for server in servers)
            for name in sorted([*names, "queries"])
        },
        "link_busy_ns": lan.busy_ns if lan else 0,
        "loop_ns": mesh.loop_ns,
        "computation_share": computing / elapsed if elapsed else 0.0,
        "detection_ns": sum(one["unfound_ns"] for one in nodes) / found if found else 0.0,
    }


def _where(
    spent: Mapping[str, tuple[int, int]], compute_ns: int, columns: Mapping[str, str]
) -> dict[str, list[int]]:
    where = {
        "awaiting edges": spent.get(columns["awaiting"], (0, 0)),
        "computing": (spent.get(columns["processor"], (0, 0))[0], compute_ns),
        "locating ports": spent.get(columns["locating"], (0, 0)),
        "paging": spent.get(columns["paging"], (0, 0)),
        "sending": spent.get(columns["sending"], (0, 0)),
    }
    return {name: list(both) for name, both in where.items() if any(both)}


def _computing(where: Mapping[str, list[int]]) -> int:
    return sum(sum(where.get(name, ())) for name in ("computing", "paging"))


# -- Ninf -----------------------------------------------------------------------------------------


def calls_as_plan(old: CallPlan) -> Plan:
    """Lay the rows of a plan for the servers and callers of an old one.

    Each link and each processor is a part of its own, called as it was.
    """
    callers = len(old.callers)
    names = [*old.links, *(f"{one.name} cpu" for one in old.servers)]
    parts = [PartPlan(name="cpu", kind="cpu", group=0, first=0, count=callers, cpu=FREE)]
    for row, name in enumerate(names):
        number = row - len(old.links)
        parts.append(
            PartPlan(
                name=name,
                kind="timeshare" if number >= 0 else "link",
                group=row + 1,
                first=callers + row,
                count=1,
                link=old.link_specs[row] if number < 0 else None,
                timeshare=old.servers[number].cpu if number >= 0 else None,
                column=row + 1,
            )
        )
    columns = ["cpu", *names, *(f"{one.name} queue" for one in old.servers), "clients", "latency"]
    services = ServicesPlan(
        servers=tuple(
            NumericalServerPlan(
                name=one.name,
                part=1 + len(old.links) + row,
                member=0,
                host=one.host,
                favoured=one.favoured,
                at_once=one.at_once,
                queue_column=columns.index(f"{one.name} queue"),
            )
            for row, one in enumerate(old.servers)
        ),
        callers=tuple(_caller(old, one) for one in old.callers),
        clients_column=len(columns) - 2,
        latency_column=len(columns) - 1,
        stock_ns=old.duration_ns,
    )
    return Plan(
        machine=old.machine,
        workload=old.workload,
        groups=(
            GroupPlan(name="client", count=callers),
            *(GroupPlan(name=name, count=1) for name in names),
        ),
        parts=tuple(parts),
        processes=tuple(
            ProcessPlan(
                name=one.name,
                job=one.group,
                group=0,
                node=number,
                cpu=0,
                phases=(PhasePlan(kind=CALLS, row=number),),
            )
            for number, one in enumerate(old.callers)
        ),
        services=services,
        columns=tuple(columns),
        seed=old.seed,
        run=old.run,
        digest=old.digest,
    )


def _caller(old: CallPlan, one: OldCaller) -> CallerPlan:
    return CallerPlan(
        job=one.group,
        problem=one.problem.kind,
        operations=one.problem.operations,
        length=one.problem.length,
        bytes_in=one.problem.bytes_in,
        bytes_out=one.problem.bytes_out,
        host=one.host,
        targets=tuple(
            Target(
                server=target.server,
                library=target.library,
                route=tuple((link + 1, 0) for link in target.route),
            )
            for target in one.targets
        ),
        choice=old.choice,
        every_ns=one.every_ns,
        first_ns=one.first_ns,
        chance=one.chance,
        continues=one.continues,
        duration_ns=old.duration_ns,
        stream=one.name,
    )


def calls_record(result: Result, links: Mapping[str, float], old: Renamed) -> dict[str, Any]:
    """Write down a run of numerical servers as that of version 1.

    ``links`` are all links of the machine with their rates, by the names that they had.
    """
    numerical = result.numerical
    assert numerical is not None
    columns = (
        "submitted_ns",
        "accepted_ns",
        "started_ns",
        "received_ns",
        "computing_ns",
        "computed_ns",
        "ended_ns",
        "operations",
        "bytes",
    )
    rows = [
        (
            old.process(one.process),
            one.server,
            one.job,
            *(getattr(one, column) for column in columns),
        )
        for one in numerical.calls
    ]
    moved = {old.part(name): one for name, one in numerical.links.items()}
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "duration_ns": numerical.stock_ns,
        "end_ns": numerical.end_ns,
        "columns": ["caller", "server", "group", *columns],
        "calls": packed(rows),
        "servers": {
            name: {**asdict(one), "loads": packed((load,) for load in one.loads)}
            for name, one in numerical.servers.items()
        },
        "links": {
            name: asdict(moved[name]) if name in moved else {"rate": rate, "bytes": 0.0}
            for name, rate in sorted(links.items())
        },
        "where": _spent_in_calls(result, old),
        "groups": _groups(numerical),
        "served_rate": numerical.served_rate(),
    }


class Renamed:
    """Names of version 1 for those of a result; here they are the same."""

    def part(self, name: str) -> str:
        """Return what a link, a processor or another column was called."""
        return name

    def process(self, name: str) -> str:
        """Return what a caller was called."""
        return name


def _spent_in_calls(result: Result, old: Renamed) -> dict[str, list[int]]:
    assert result.numerical is not None
    where: dict[str, list[int]] = {}
    for spent in (*(one.spent for one in result.processes), result.numerical.beside):
        for name, (wait, service) in spent.items():
            entry = where.setdefault(old.part(name), [0, 0])
            entry[0] += wait
            entry[1] += service
    return dict(sorted(where.items()))


def _groups(numerical: NumericalResult) -> dict[str, Any]:
    groups = numerical.to_json()["jobs"]
    for one in groups.values():
        one["clients"] = one.pop("callers")
    return groups
