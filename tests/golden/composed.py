"""Cases of Orion and Ninf on the one simulator: plans of version 1 as composed plans, and back.

``mesh_as_plan`` and ``calls_as_plan`` lay the tables directly, row by row; the way through files
(conversion of the old texts, then the formats of version 2) is in ``converted.py``. Results come
back as the records of ``record.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.engine.mesh_plan import MeshPlan as OldMeshPlan
from simulator.machine.pe import PeSpec
from simulator.plan.codes import END, MESH, STAGE
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from simulator.plan.services import (
    LaunchPlan,
    MeshPlan,
    MessageServicePlan,
    ServicesPlan,
)
from simulator.result.result import Result

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
