"""What services did in a run: loops of meshes, message servers, calls of numerical servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.lined import table
from simulator.report.quantity import rate_cell, size_cell, time_cell
from simulator.units import format_time
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.result.numerical import NumericalResult
    from simulator.result.result import Result


def meshes_text(result: Result) -> str:
    """Write a row for each mesh: its loops, and what part of the counted ones was computing."""
    rows = [
        [
            mesh.job,
            f"{mesh.points:,}",
            f"{len(mesh.nodes):,}",
            f"{len(mesh.loop_ends_ns):,}",
            time_cell(mesh.inside_ns),
            percent(mesh.computation_share, 1),
        ]
        for mesh in result.meshes
        if len(mesh.loop_ends_ns) > 1
    ]
    if not rows:
        return ""
    head = ["job", "points", "processes", "loops", "mean loop", "computation"]
    text = table(head, rows, "lrrrrr")
    return f"{text}\n(the first loop, in which ports are located, is in neither of the last two)"


def messages_text(result: Result) -> str:
    """Write a row for each message service: messages, polls, and what they cost."""
    names = dict.fromkeys(
        one.service for one in result.services.values() if one.kind == "message-server"
    )
    rows = []
    for name in names:
        servers = [one.counts for one in result.services.values() if one.service == name]
        total = {key: sum(counts[key] for counts in servers) for key in servers[0]}
        found = total["found"]
        rows.append(
            [
                name,
                f"{len(servers):,}",
                f"{total['posted']:,}",
                size_cell(total["network_bytes"]),
                f"{total['polls']:,}",
                time_cell(total["unfound_ns"] / found if found else None),
                percent(total["processor_ns"], len(servers) * result.elapsed_ns),
            ]
        )
    if not rows:
        return ""
    head = ["service", "nodes", "messages", "on the network", "polls", "until found", "processor"]
    return table(head, rows, "lrrrrrr")


def calls_text(result: Result) -> str:
    """Write the calls of each job, then the servers."""
    numerical = result.numerical
    if numerical is None or not numerical.calls:
        return ""
    jobs = dict.fromkeys(one.job for one in numerical.calls)
    rows = [_job(numerical, job) for job in jobs]
    head = ["job", "calls", "elapsed", "response", "waiting", "moving", "computing", "Mop/s", "at"]
    calls = table(head, rows, "lrrrrrrrr")
    servers = [
        [
            name,
            f"{one.pes:,}",
            f"{one.calls:,}",
            f"{100 * numerical.utilisation(name):.1f} %",
            f"{one.load_mean:.1f}",
            f"{one.load_peak:.1f}",
        ]
        for name, one in numerical.servers.items()
        if one.used_ns
    ]
    head = ["server", "PEs", "calls ended", "busy", "mean load", "peak"]
    when = f"(servers until {format_time(numerical.stock_ns)})"
    return f"{calls}\n\n{table(head, servers, 'lrrrrr')}\n{when}"


def _job(numerical: NumericalResult, job: str) -> list[str]:
    steps = ("elapsed", "response", "waiting", "communication", "compute")
    return [
        job,
        f"{len(numerical.of(job)):,}",
        *(time_cell(1e9 * numerical.step_s(step, job)) for step in steps),
        f"{numerical.mean_rate(job) / 1e6:.1f}",
        rate_cell(numerical.mean_throughput(job)),
    ]
