"""A run of message-passing workstations for people and programs; the drawing of such a machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from simulator.config.mesh_plan import mesh_plan
from simulator.config.sources import provenance
from simulator.engine.messages import run_mesh
from simulator.report.system import check_engine
from simulator.report.values import summary
from simulator.report.versions import versions
from simulator.simulate_mesh import load_mesh_inputs
from simulator.units import format_size, format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.config.document import Document
    from simulator.config.workstations import Workstations
    from simulator.engine.mesh_plan import MeshPlan
    from simulator.engine.mesh_result import MeshResult, NodeResult

MOST_LISTED = 8
"""Nodes with a line each; of more, the slowest."""


@dataclass(frozen=True, slots=True)
class MeshRun:
    """A finished run with what it was made from."""

    machine: Workstations
    plan: MeshPlan
    result: MeshResult
    asked: str
    """The engine that was asked for."""

    def to_json(self) -> str:
        """The record for programs; the same run gives the same text."""
        record = {**self.result.to_json(), "noise": self.plan.noisy, "versions": versions()}
        return json.dumps(record, indent=2) + "\n"

    def to_text(self) -> str:
        """The report for people."""
        blocks = [
            _header(self),
            _loops(self.plan, self.result),
            f"Where the time of a loop went\n\n{_where(self.plan, self.result)}",
            _servers(self.plan, self.result),
            f"{summary(provenance(self.machine))}: nwtsim show {self.machine.name}",
        ]
        return "\n\n".join(blocks) + "\n"


def run_mesh_system(
    machine: str,
    workload: str,
    *,
    settings: Iterable[tuple[str, str]] = (),
    seed: int | None = None,
    engine: str = "auto",
    debug: bool = False,
) -> MeshRun:
    """Run a mesh on workstations; there is only the reference engine for these."""
    check_engine("workstations/1", engine)
    stations, mesh = load_mesh_inputs(machine, workload, settings)
    plan = mesh_plan(stations, mesh, seed=seed or 0, noisy=seed is not None)
    return MeshRun(stations, plan, run_mesh(plan, debug=debug), engine)


# -- the report ---------------------------------------------------------------------------------


def _header(run: MeshRun) -> str:
    plan, machine = run.plan, run.machine
    seed = f"seed {plan.seed}" if plan.noisy else "no seed: processor times do not vary"
    why = " (auto: the only one for workstations)" if run.asked == "auto" else ""
    title = f" ({machine.title})" if machine.title else ""
    return (
        f"{plan.workload} on {plan.machine}{title}\n"
        f"{seed}; {run.result.engine} engine{why}; input {plan.digest[:12]}"
    )


def _loops(plan: MeshPlan, result: MeshResult) -> str:
    return (
        f"{plan.rows} x {plan.columns} points on {counted(plan.nodes, 'node')}: "
        f"{format_time(round(result.loop_ns))} for one loop "
        f"(mean of {plan.loops - 1}; the first does not count)\n"
        f"{percent(round(result.computation_share * 10**6), 10**6)} of it is computation; "
        f"creating the processes took {format_time(result.setup_ns)} before it"
    )


def _where(plan: MeshPlan, result: MeshResult) -> str:
    """A row for each node; times of one loop in ms, waiting for its own servers apart."""
    loops = plan.loops - 1
    names = sorted({part for node in result.nodes for part in node.parts})
    nodes = sorted(result.nodes, key=lambda one: (-one.computation_ns, one.node))[:MOST_LISTED]
    head = ["node", "points", "loop, ms", *names, "servers in the background"]
    rows = [_row(node, names, loops) for node in sorted(nodes, key=lambda one: one.node)]
    return tabulate(rows, headers=head, disable_numparse=True, stralign="right")


def _row(node: NodeResult, names: list[str], loops: int) -> list[str]:
    def ms(time_ns: float) -> str:
        return f"{time_ns / loops / 1e6:.3f}"

    idle = "awaiting edges", "locating ports"
    own = [
        sum(node.parts.get(n, (0, 0))) if n in idle else node.parts.get(n, (0, 0))[1] for n in names
    ]
    servers = sum(wait for part, (wait, _) in node.parts.items() if part not in idle)
    return [str(node.node), str(node.points), ms(node.elapsed_ns), *map(ms, own), ms(servers)]


def _servers(plan: MeshPlan, result: MeshResult) -> str:
    counts, spec = result.counts, plan.messages
    lines = [
        f"{counted(counts['polls'], 'poll')}, one every {format_time(spec.interval_ns)} on each "
        f"node: {percent(round(spec.share * 10**6), 10**6)} of its processor",
        f"{counted(counts['found'], 'message')} found, on average "
        f"{format_time(round(result.detection_ns))} after arrival; "
        f"{format_size(counts['network_bytes'])} over the network, "
        f"which was busy for {format_time(result.link_busy_ns)}",
    ]
    return "\n".join(lines)


# -- the drawing --------------------------------------------------------------------------------


def draw_workstations(machine: Document) -> str:
    """Draw one workstation of a machine, and the network that it shares with the others."""
    values = {one.path: one.value for one in provenance(machine)}
    boxes = [*_station(values), *_software(values)]
    width = max(map(len, boxes))
    edge = f"+{'-' * (width + 2)}+"
    inside = [f"| {line.ljust(width)} |" if line else edge for line in boxes]
    wire = " " * 6 + "|"
    others = f" {values['count']} workstations ".center(width - 2, "=")
    network = f"LAN: {values['lan.rate']}, {values['lan.latency']} ({values['lan.sharing']})"
    return "\n".join([edge, *inside, edge, wire, f"======+{others}", f"       {network}"])


def _station(values: dict[str, Any]) -> list[str]:
    lines = [f"processor: {values['cpu.update']} for a point in the cache"]
    if "cpu.cache.size" in values:
        cache = f"cache: {values['cpu.cache.size']}, a miss of {values['cpu.cache.line']}"
        lines.append(f"{cache} {values['cpu.cache.line_time']}")
    return [
        *lines,
        f"memory for data: {values['memory.resident']} in pages of {values['memory.page']}",
        f"paging disk: {values['paging.rate']}, seek {values['paging.seek']}, rotation"
        f" {values['paging.turn']}",
    ]


def _software(values: dict[str, Any]) -> list[str]:
    def server(key: str) -> str:
        return str(values[f"message_server.{key}"])

    return [
        "",
        f"message server: polls every {server('interval')} for {server('poll')}",
        f"  sends {server('send')}, delivers {server('deliver')}, caches ports:"
        f" {server('location_cache')}",
        f"process server: a process {values['process_server.create']}",
    ]
