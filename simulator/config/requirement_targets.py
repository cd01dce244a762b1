"""Figures of targets beside those of transfers: calls by kind, means of arrivals; nodes, years."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.amounts import Weight
from simulator.config.errors import Fault, Path
from simulator.config.quantities import Name, Time
from simulator.config.requirement_durability import DURABILITY, DurabilityFigures
from simulator.runtime.operations import METADATA, OPERATIONS, SYNC

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target

OF_LATENCIES = ("p95", "p99", "mean")
"""What is asked of latencies: percentiles, and the mean."""
CALLS = (*(OPERATIONS[kind] for kind in METADATA), OPERATIONS[SYNC])
"""Kinds of calls that move no data and have latencies."""
CALL_TIMES = tuple(f"{call}_{part}" for call in CALLS for part in OF_LATENCIES)
MOVE_TIMES = tuple(f"{call}_{part}" for call in ("read", "write") for part in OF_LATENCIES)
LATENCIES = (*MOVE_TIMES, *CALL_TIMES)
"""Latencies of calls."""
ARRIVALS = tuple(f"job_{part}" for part in OF_LATENCIES)
"""Response times of jobs that arrive."""
MORE_TIMES = (*LATENCIES, *ARRIVALS)
STILL = ("capacity", *DURABILITY)
"""Figures of what is bought, that no run is needed for."""
OF_NODES = ("read_time", "write_time", "read", "write")
"""Figures that a node has."""


class TargetFigures(DurabilityFigures):
    """Figures of calls and of arrivals, and of whom and when a figure is."""

    node: Name | None = None
    """Of the slowest node of this group; of all processes together if left out."""
    year: Weight | None = None
    """In this year of the growth of the files; in that of ``years`` if left out."""
    job_mean: Time | None = None
    """The jobs that arrive take at most this long, on the average."""
    read_mean: Time | None = None
    """The READs take at most this long, on the average."""
    write_mean: Time | None = None
    """The WRITEs take at most this long, on the average."""
    open_p95: Time | None = None
    """95 % of the calls of open take at most this long."""
    open_p99: Time | None = None
    """99 % of the calls of open take at most this long."""
    open_mean: Time | None = None
    """The calls of open take at most this long, on the average."""
    create_p95: Time | None = None
    """95 % of the calls of create take at most this long."""
    create_p99: Time | None = None
    """99 % of the calls of create take at most this long."""
    create_mean: Time | None = None
    """The calls of create take at most this long, on the average."""
    close_p95: Time | None = None
    """95 % of the calls of close take at most this long."""
    close_p99: Time | None = None
    """99 % of the calls of close take at most this long."""
    close_mean: Time | None = None
    """The calls of close take at most this long, on the average."""
    stat_p95: Time | None = None
    """95 % of the calls of stat take at most this long."""
    stat_p99: Time | None = None
    """99 % of the calls of stat take at most this long."""
    stat_mean: Time | None = None
    """The calls of stat take at most this long, on the average."""
    lookup_p95: Time | None = None
    """95 % of the calls of lookup take at most this long."""
    lookup_p99: Time | None = None
    """99 % of the calls of lookup take at most this long."""
    lookup_mean: Time | None = None
    """The calls of lookup take at most this long, on the average."""
    unlink_p95: Time | None = None
    """95 % of the calls of unlink take at most this long."""
    unlink_p99: Time | None = None
    """99 % of the calls of unlink take at most this long."""
    unlink_mean: Time | None = None
    """The calls of unlink take at most this long, on the average."""
    rename_p95: Time | None = None
    """95 % of the calls of rename take at most this long."""
    rename_p99: Time | None = None
    """99 % of the calls of rename take at most this long."""
    rename_mean: Time | None = None
    """The calls of rename take at most this long, on the average."""
    mkdir_p95: Time | None = None
    """95 % of the calls of mkdir take at most this long."""
    mkdir_p99: Time | None = None
    """99 % of the calls of mkdir take at most this long."""
    mkdir_mean: Time | None = None
    """The calls of mkdir take at most this long, on the average."""
    rmdir_p95: Time | None = None
    """95 % of the calls of rmdir take at most this long."""
    rmdir_p99: Time | None = None
    """99 % of the calls of rmdir take at most this long."""
    rmdir_mean: Time | None = None
    """The calls of rmdir take at most this long, on the average."""
    readdir_p95: Time | None = None
    """95 % of the calls of readdir take at most this long."""
    readdir_p99: Time | None = None
    """99 % of the calls of readdir take at most this long."""
    readdir_mean: Time | None = None
    """The calls of readdir take at most this long, on the average."""
    setattr_p95: Time | None = None
    """95 % of the calls of setattr take at most this long."""
    setattr_p99: Time | None = None
    """99 % of the calls of setattr take at most this long."""
    setattr_mean: Time | None = None
    """The calls of setattr take at most this long, on the average."""
    sync_p95: Time | None = None
    """95 % of the calls of sync take at most this long."""
    sync_p99: Time | None = None
    """99 % of the calls of sync take at most this long."""
    sync_mean: Time | None = None
    """The calls of sync take at most this long, on the average."""


def faults_of_target(requirement: Requirement, at: Path, one: Target) -> Iterator[Fault]:
    """Find keys beside which the figure of a target means nothing."""
    figure = one.figures[0] if one.figures else ""
    if one.year is not None and one.year > requirement.years:
        about = f"is after year {requirement.years:g}, until which loads grow"
        yield (*at, "year"), f"{about}; write 'years: {one.year:g}' above, or less here"
    if figure in STILL:
        for key in ("workload", "job", "node", "year", "states"):
            if getattr(one, key) is not None and not (key == "year" and requirement.plan):
                yield (*at, key), f"means nothing for a {figure}; leave it out"
        if figure == "capacity" and not any(item.size for item in requirement.catalogue.values()):
            about = "nothing in the catalogue keeps anything; write 'size: 4 TB' there"
            yield (*at, figure), about
        return
    if one.node is not None and figure and figure not in OF_NODES:
        yield (*at, "node"), f"no {figure} is known of a node, but {', '.join(OF_NODES)}"
    if one.year is None or requirement.plan is not None:
        return
    loads = requirement.workloads
    of = [loads[name] for name in loads if one.workload in (None, name)]
    if of and not any(load.growth.all for load in of):
        about = f"nothing of {one.workload or 'any load'} grows, and all years are alike"
        yield (*at, "year"), f"{about}; write 'growth: 20 %' there, or leave it out"
