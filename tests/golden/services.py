"""Orion's and Ninf's cases on the composed machine: old texts converted, records in the old words.

Accounts name parts, no longer their instances: those of the frozen records were added up by part.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from simulator.config.convert import convert
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.faults import check
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.identities import check_identities
from simulator.result.numerical import NumericalResult
from simulator.result.result import Result
from tests.golden.inputs import Inputs
from tests.golden.record import packed

DEFAULT_SEED = 1998
"""Of calls without a seed, when they were frozen."""
COLUMNS = {
    "awaiting edges": "messages.awaiting",
    "locating ports": "messages.locating",
    "paging": "processor.paging",
    "sending": "messages.sending",
}
"""Part of the old account -> column."""
COUNTS = ("delivered", "found", "network_bytes", "over_the_network", "polls", "posted", "queries")
STEPS = (
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


@functools.cache
def _machine(text: str) -> Any:
    return parse_machine(convert(text, "machine"), "machine")


@functools.cache
def _workload(text: str) -> Any:
    return parse_workload(convert(text, "workload"), "workload")


def services_plan(inputs: Inputs) -> Plan:
    """Convert the texts of a case and lower them; the two must fit together."""
    machine, workload = _machine(inputs.machine), _workload(inputs.workload)
    errors = [one for one in fit(machine, workload) if one.severity == "error"]
    assert not errors, errors
    seed, noisy = inputs.seed, inputs.seed is not None
    if inputs.study == "ninf":
        seed, noisy = DEFAULT_SEED if seed is None else seed, False
    plan = make_plan(machine, workload, seed=seed or 0, noisy=noisy, run=inputs.run)
    check(plan)
    return plan


def services_record(inputs: Inputs) -> dict[str, Any]:
    """Run a case on the reference engine, identities checked; the record as of ``record.py``."""
    plan = services_plan(inputs)
    result = run_reference(plan, debug=True)
    check_identities(plan, result)
    return _mesh(result) if inputs.study == "orion" else _calls(plan, result)


# -- Orion ----------------------------------------------------------------------------------------


def _mesh(result: Result) -> dict[str, Any]:
    (mesh,) = result.meshes
    servers = [result.services[f"messages{node}"].counts for node in range(len(mesh.nodes))]
    nodes = [
        {
            "node": number,
            "points": one.points,
            "elapsed_ns": one.counted_ns,
            "polls": counts["polls"],
            "found": counts["found"],
            "unfound_ns": counts["unfound_ns"],
            "server_ns": counts["processor_ns"],
            "where": _where(one.spent, one.compute_ns),
        }
        for number, (one, counts) in enumerate(zip(mesh.nodes, servers, strict=True))
    ]
    found = sum(one["found"] for one in servers)
    lan = result.parts.get("lan")
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "points": mesh.points,
        "setup_ns": mesh.setup_ns,
        "loop_ends_ns": list(mesh.loop_ends_ns),
        "nodes": nodes,
        "counts": {name: sum(counts[name] for counts in servers) for name in COUNTS},
        "link_busy_ns": lan.busy_ns if lan else 0,
        "loop_ns": mesh.loop_ns,
        "computation_share": mesh.computation_share,
        "detection_ns": sum(one["unfound_ns"] for one in servers) / found if found else 0.0,
    }


def _where(spent: Mapping[str, tuple[int, int]], compute_ns: int) -> dict[str, list[int]]:
    where = {name: list(spent.get(column, (0, 0))) for name, column in COLUMNS.items()}
    where["computing"] = [spent.get("processor", (0, 0))[0], compute_ns]
    return {name: both for name, both in sorted(where.items()) if any(both)}


# -- Ninf -----------------------------------------------------------------------------------------


def _calls(plan: Plan, result: Result) -> dict[str, Any]:
    numerical = result.numerical
    assert numerical is not None
    names = {process.name: _old_name(plan, process.name) for process in plan.processes}
    rows = [
        (names[one.process], one.server, one.job, *(getattr(one, step) for step in STEPS))
        for one in numerical.calls
    ]
    moved = {_old_link(plan, name): asdict(one) for name, one in numerical.links.items()}
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "duration_ns": numerical.stock_ns,
        "end_ns": numerical.end_ns,
        "columns": ["caller", "server", "group", *STEPS],
        "calls": packed(rows),
        "servers": {
            name: {**asdict(one), "loads": packed((load,) for load in one.loads)}
            for name, one in numerical.servers.items()
        },
        "links": dict(sorted({**_unused(plan), **moved}.items())),
        "where": _spent(result),
        "groups": _groups(numerical),
        "served_rate": numerical.served_rate(),
    }


def _old_name(plan: Plan, name: str) -> str:
    """``lan/3`` for ``lan.3``; ``lan/0`` for a process that is alone."""
    job = next(one.job for one in plan.processes if one.name == name)
    return f"{job}/{name.removeprefix(job).removeprefix('.') or 0}"


def _old_link(plan: Plan, name: str) -> str:
    """What a link was called: ``etl lan``, ``j90 link``, ``lan/3 link``."""
    node, _, part = name.rpartition(".")
    if part.endswith("-client-link"):
        group = part.removesuffix("-link")
        (owner,) = (
            process.name
            for process in plan.processes
            if plan.groups[process.group].member(process.node) == node
            and plan.groups[process.group].name == group
        )
        return f"{_old_name(plan, owner)} link"
    return part.replace("-", " ")


def _unused(plan: Plan) -> dict[str, dict[str, float]]:
    """The links of sites and servers, whether any caller can use them or not."""
    return {
        part.name.replace("-", " "): {"rate": part.link.rate, "bytes": 0.0}
        for part in plan.parts
        if part.link is not None and not part.name.endswith("-client-link")
    }


def _old_column(name: str) -> str:
    special = {"calls.conversion": "clients", "calls.latency": "latency"}
    if name in special:
        return special[name]
    if name.endswith("-client-link"):
        return "client links"
    name = name.removesuffix("-pes") + " cpu" if name.endswith("-pes") else name
    return name.replace("-", " ").replace(".queue", " queue")


def _spent(result: Result) -> dict[str, list[int]]:
    assert result.numerical is not None
    where: dict[str, list[int]] = {}
    for spent in (*(one.spent for one in result.processes), result.numerical.beside):
        for name, times in spent.items():
            entry = where.setdefault(_old_column(name), [0, 0])
            entry[:] = [old + new for old, new in zip(entry, times, strict=True)]
    return dict(sorted(where.items()))


def _groups(numerical: NumericalResult) -> dict[str, Any]:
    groups: dict[str, Any] = numerical.to_json()["jobs"]
    for one in groups.values():
        one["clients"] = one.pop("callers")
    return groups
