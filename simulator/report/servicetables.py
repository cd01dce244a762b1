"""The tables of services: MPI-IO, meshes, messages, and numerical servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Table, ValueInWords, rows_of
from simulator.report.scales import size_cell
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.result.numerical import NumericalResult
    from simulator.result.result import Result


def services_tables(result: Result) -> Iterator[Table]:
    """Yield a table for each kind of service; without rows if it was not used."""
    yield _mpi_io(result)
    yield _meshes(result)
    yield _messages(result)
    if result.numerical is not None and result.numerical.calls:
        yield _calls(result.numerical)
        yield _servers(result.numerical)


def _mpi_io(result: Result) -> Table:
    """Return what MPI-IO libraries did: calls, copies and buffers."""
    work, rows = result.mpi_io, []
    if work is not None:
        rows.append(["calls of the file system", ValueInWords(work.calls, f"{work.calls:,}")])
        if work.server_calls:
            rows.append(
                ["calls by I/O nodes", ValueInWords(work.server_calls, f"{work.server_calls:,}")]
            )
        sizes = {"copied by libraries": work.copied} if work.copied else {}
        rows += [
            [name, ValueInWords(size, size_cell(size))]
            for name, size in {**sizes, **work.memory}.items()
        ]
    head = (Column("library", "library"), Column("all_processes", "all processes", "count"))
    return Table("mpi-io", "MPI-IO", head, rows)


def _meshes(result: Result) -> Table:
    """Return a row for each mesh: its loops, and what part of the counted ones was computing."""
    columns = (
        Column("job", "job"),
        Column("points", "points", "count"),
        Column("processes", "processes", "count", of=lambda mesh: len(mesh.nodes)),
        Column("loops", "loops", "count", of=lambda mesh: len(mesh.loop_ends_ns)),
        Column("inside_ns", "mean loop", "time"),
        Column("computation_share", "computation", "share"),
    )
    note = "(the first loop, in which ports are located, is in neither of the last two)"
    looped = (mesh for mesh in result.meshes if len(mesh.loop_ends_ns) > 1)
    return Table("meshes", "Meshes", columns, rows_of(columns, looped), note=note)


def _messages(result: Result) -> Table:
    """Return a row for each message service: messages, polls, and what they cost."""
    every = [one for one in result.services.values() if one.kind == "message-server"]
    rows = []
    for name in dict.fromkeys(one.service for one in every):
        servers = [one.counts for one in every if one.service == name]
        total = {key: sum(counts[key] for counts in servers) for key in servers[0]}
        found, whole = total["found"], len(servers) * result.elapsed_ns
        line: list[Any] = [name, len(servers)]
        line += [total[key] for key in ("posted", "network_bytes", "polls")]
        line.append(total["unfound_ns"] / found if found else None)
        rows.append([*line, total["processor_ns"] / whole if whole else None])
    head = (
        Column("service", "service"),
        Column("nodes", "nodes", "count"),
        Column("posted", "messages", "count"),
        Column("network_bytes", "on the network", "size"),
        Column("polls", "polls", "count"),
        Column("unfound_ns", "until found", "time"),
        Column("processor_share", "processor", "share"),
    )
    return Table("messages", "Message servers", head, rows)


_STEPS = {
    "elapsed": "elapsed",
    "response": "response",
    "waiting": "waiting",
    "communication": "moving",
    "compute": "computing",
}


def _calls(numerical: NumericalResult) -> Table:
    """Return a row for each job that calls numerical servers."""
    rows = [
        [
            job,
            len(numerical.of(job)),
            *(1e9 * numerical.step_s(step, job) for step in _STEPS),
            numerical.mean_rate(job) / 1e6,
            numerical.mean_throughput(job),
        ]
        for job in dict.fromkeys(one.job for one in numerical.calls)
    ]
    head = (
        Column("job", "job"),
        Column("calls", "calls", "count"),
        *(Column(f"{step}_ns", label, "time") for step, label in _STEPS.items()),
        Column("rate_Mops", "Mop/s", "decimal"),
        Column("throughput_Bps", "at", "rate"),
    )
    title = "Calls of numerical servers"
    return Table("numerical-calls", title, head, rows, noun="job", whole=True)


def _servers(numerical: NumericalResult) -> Table:
    """Return a row for each numerical server."""
    servers = numerical.servers
    columns = (
        Column("server", "server", of=str),
        Column("pes", "PEs", "count", of=lambda name: servers[name].pes),
        Column("calls", "calls ended", "count", of=lambda name: servers[name].calls),
        Column("busy", "busy", "share", of=numerical.utilisation),
        Column("load_mean", "mean load", "decimal", of=lambda name: servers[name].load_mean),
        Column("load_peak", "peak", "decimal", of=lambda name: servers[name].load_peak),
    )
    rows = rows_of(columns, (name for name, one in servers.items() if one.used_ns))
    note = f"(servers until {format_time(numerical.stock_ns)})"
    return Table("numerical-servers", "Numerical servers", columns, rows, note=note, noun="server")
