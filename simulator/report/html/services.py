"""Tables of a run's page for services: MPI-IO, meshes, message servers, numerical servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.html import cells
from simulator.report.html.cells import Table
from simulator.report.html.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.result.numerical import NumericalResult
    from simulator.result.result import Result

MOST_ROWS = 50
_STEPS = ("elapsed", "response", "waiting", "communication", "compute")


def services(result: Result) -> list[Markup]:
    """Return a table for each kind of service that was used."""
    tables = [*_mpi_io(result), *_meshes(result), *_messages(result), *_numerical(result)]
    return [table.markup() for table in tables if table.rows]


def _mpi_io(result: Result) -> Iterator[Table]:
    work = result.mpi_io
    if work is None:
        return
    rows = [["calls of the file system", cells.count(work.calls)]]
    if work.server_calls:
        rows.append(["calls by I/O nodes", cells.count(work.server_calls)])
    if work.copied:
        rows.append(["copied by libraries", cells.size(work.copied)])
    rows += [[name, cells.size(size)] for name, size in work.memory.items()]
    yield Table("MPI-IO", ["library", "all processes"], rows, "lr", name="mpi-io")


def _meshes(result: Result) -> Iterator[Table]:
    rows = [
        [
            mesh.job,
            cells.count(mesh.points),
            cells.count(len(mesh.nodes)),
            cells.count(len(mesh.loop_ends_ns)),
            cells.time(mesh.inside_ns),
            cells.share(mesh.computation_share),
        ]
        for mesh in result.meshes[:MOST_ROWS]
        if len(mesh.loop_ends_ns) > 1
    ]
    head = ["job", "points", "processes", "loops", "mean loop", "computation"]
    note = "The first loop, in which ports are located, is in neither of the last two."
    yield Table("Meshes", head, rows, "lrrrrr", note=note, name="meshes")


def _messages(result: Result) -> Iterator[Table]:
    every = [one for one in result.services.values() if one.kind == "message-server"]
    rows = []
    for name in dict.fromkeys(one.service for one in every):
        servers = [one.counts for one in every if one.service == name]
        total = {key: sum(counts[key] for counts in servers) for key in servers[0]}
        found, whole = total["found"], len(servers) * result.elapsed_ns
        rows.append(
            [
                name,
                cells.count(len(servers)),
                cells.count(total["posted"]),
                cells.size(total["network_bytes"]),
                cells.count(total["polls"]),
                cells.time(total["unfound_ns"] / found if found else None),
                cells.share(total["processor_ns"] / whole if whole else None),
            ]
        )
    head = ["service", "nodes", "messages", "on the network", "polls", "until found", "processor"]
    yield Table("Message servers", head, rows, "lrrrrrr", name="messages")


def _numerical(result: Result) -> Iterator[Table]:
    numerical = result.numerical
    if numerical is None or not numerical.calls:
        return
    jobs = list(dict.fromkeys(one.job for one in numerical.calls))
    rows = [_calls(numerical, job) for job in jobs[:MOST_ROWS]]
    head = ["job", "calls", "elapsed", "response", "waiting", "moving", "computing", "at"]
    yield Table("Calls of numerical servers", head, rows, "lrrrrrrr", name="numerical-calls")
    servers = [
        [
            name,
            cells.count(one.pes),
            cells.count(one.calls),
            cells.share(numerical.utilisation(name)),
            cells.plain(round(one.load_mean, 1)),
            cells.plain(round(one.load_peak, 1)),
        ]
        for name, one in list(numerical.servers.items())[:MOST_ROWS]
        if one.used_ns
    ]
    head = ["server", "PEs", "calls ended", "busy", "mean load", "peak"]
    yield Table("Numerical servers", head, servers, "lrrrrr", name="numerical-servers")


def _calls(numerical: NumericalResult, job: str) -> list[str]:
    return [
        job,
        cells.count(len(numerical.of(job))),
        *(cells.time(1e9 * numerical.step_s(step, job)) for step in _STEPS),
        cells.rate(numerical.mean_throughput(job)),
    ]
