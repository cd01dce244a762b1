"""What phases that use services need: of their job, and of the machine that the job runs on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path, did_you_mean
from simulator.config.lowering.nodes import Nodes
from simulator.config.lowering.services import candidates, client_of, computes
from simulator.config.service_phases import Calling, Mesh, Numerical
from simulator.config.services import MessageServer, NumericalServer, ProcessServer, Service
from simulator.units import format_time, shown
from simulator.workload.split import grid_of, split

if TYPE_CHECKING:
    from simulator.config.jobs import Job
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload

MOST_TRIALS = 1_000_000
"""Of all processes of a job together."""
MOST_POLLS = 50_000_000
"""A few minutes of simulating."""


# -- of a job alone -----------------------------------------------------------------------------


def use_faults(job: Job) -> Iterator[Fault]:
    """Find phases that the processes of a job cannot do, whatever the machine."""
    for at, phase in job.every_phase():
        if isinstance(phase, Mesh):
            yield from _mesh(job, phase, at)
        elif isinstance(phase, Numerical):
            yield from _numerical(job, phase, at)
    if job.launched and job.arrivals is not None:
        about = "has no effect beside arrivals, whose processes are there; leave one of them out"
        yield ("launched",), about


def _mesh(job: Job, phase: Mesh, at: Path) -> Iterator[Fault]:
    if grid_of(job.ranks, phase.rows, phase.columns) is None:
        about = f"{phase.rows} x {phase.columns} points cannot be divided in {job.ranks} blocks"
        yield (*at, "rows"), f"{about}; write more points, or fewer processes"
    elif job.arrivals is not None:
        about = "processes that serve arrivals do not meet, so they cannot do mesh"
        yield at, f"{about}; leave the phase or the arrivals out"


def _numerical(job: Job, phase: Numerical, at: Path) -> Iterator[Fault]:
    if phase.choose == "fixed" and phase.server is None:
        about = "server is missing; write it like 'server: j90', or 'choose: load'"
        yield at, about
    if isinstance(phase, Calling):
        trials = phase.duration // phase.every * job.ranks * job.times(at)
        if trials > MOST_TRIALS:
            least = format_time(phase.duration * job.ranks / MOST_TRIALS)
            about = f"{shown(format_time(phase.every))} would be {trials:,} trials"
            yield (*at, "every"), f"{about}; write {least} or more"


# -- of a job on a machine ------------------------------------------------------------------------


def use_misfits(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find phases that need a service which the machine does not have."""
    nodes = Nodes(machine)
    owners: dict[tuple[int, int], str] = {}
    for index, job in enumerate(workload.jobs):
        place = nodes.place(job)
        at: Path = ("jobs", index)
        group = machine.tables.groups[place.group]
        if job.launched and not _has(machine, ProcessServer, group.name):
            about = f"no process server is on {group.name} in {machine.name}, to make processes"
            yield (*at, "launched"), f"{about}; leave it out, or write one in services"
        if place.group in machine.tables.processors and computes(job):
            yield from _alone(job, place.members, place.group, (*at, "processes"), owners)
        for below, phase in job.every_phase():
            inner: Path = (*at, *below)
            if isinstance(phase, Mesh):
                yield from _mesh_misfits(machine, job, place.group, phase, inner, job.times(below))
            elif isinstance(phase, Numerical):
                yield from _call_misfits(machine, place.group, phase, inner)


def _has(machine: Machine, kind: type[Service], group: str) -> bool:
    return any(one.at == group for one in machine.services_of(kind).values())


def _alone(
    job: Job, members: list[int], group: int, at: Path, owners: dict[tuple[int, int], str]
) -> Iterator[Fault]:
    """Find a second process on a node whose processor servers share with one."""
    for member in members:
        owner = owners.setdefault((group, member), job.name)
        if owner != job.name or members.count(member) > 1:
            about = f"node {member} has a process of {owner} that computes, and its processor is"
            yield at, f"{about} for one; write fewer processes, or another 'first_node'"
            return


def _mesh_misfits(
    machine: Machine, job: Job, group: int, phase: Mesh, at: Path, times: int
) -> Iterator[Fault]:
    name = machine.tables.groups[group].name
    if not _has(machine, MessageServer, name):
        about = f"no message server is on {name} in {machine.name}, to bring edges to neighbours"
        yield at, f"{about}; write one in services"
    elif grid_of(job.ranks, phase.rows, phase.columns) is not None:
        polls = _polls(machine, job, group, phase) * times
        if polls > MOST_POLLS:
            about = (
                f"{phase.rows} x {phase.columns} points take so long that servers would poll"
                f" {polls:.2g} times; write fewer points, or a longer interval of the message"
                f" server (at most {MOST_POLLS:.0g} polls are simulated)"
            )
            yield (*at, "rows"), about


def _polls(machine: Machine, job: Job, group: int, phase: Mesh) -> float:
    """Return how often servers poll while processes compute, page and wait for a message."""
    station = machine.tables.parts[machine.tables.processors[group]].spec
    assert station is not None
    name = machine.tables.groups[group].name
    servers = machine.services_of(MessageServer).values()
    interval = next(one.interval for one in servers if one.at == name)
    most = max(split(phase.rows, phase.columns, job.ranks), key=lambda one: one.points)
    size = most.bytes_with_ring(phase.point)
    sweep = station.sweep_cpu_ns(most.points, size) + station.sweep_paging_ns(size)
    return float((sweep / interval + 1) * phase.loops * job.repeat * job.ranks)


def _call_misfits(machine: Machine, group: int, phase: Numerical, at: Path) -> Iterator[Fault]:
    servers = machine.services_of(NumericalServer)
    if not servers:
        yield at, f"{machine.name} has no numerical server; write one in services"
        return
    name = machine.tables.groups[group].name
    if client_of(machine, group) is None:
        about = f"{machine.name} does not say what calls cost {name}; write in services"
        yield at, f"{about} '{{kind: numerical-client, at: {name}, conversion: 15 MB/s}}'"
    if phase.server is not None and phase.server not in servers:
        about = f"{shown(phase.server)} is not a numerical server of {machine.name}"
        yield (*at, "server"), f"{about}; {did_you_mean(phase.server, servers)}"
        return
    if phase.site is not None and phase.site not in machine.sites:
        about = f"{shown(phase.site)} is not a site of {machine.name}"
        yield (*at, "site"), f"{about}; {did_you_mean(phase.site, machine.sites)}"
        return
    yield from _libraries(machine, phase, at)
    yield from _lines(machine, group, phase, at)


def _libraries(machine: Machine, phase: Numerical, at: Path) -> Iterator[Fault]:
    """Find problems that no server solves, and libraries that solve another."""
    if candidates(machine, phase):
        return
    servers = [
        (name, one)
        for name, one in machine.services_of(NumericalServer).items()
        if phase.server in (None, name)
    ]
    problems = {
        name: library.problem for _, one in servers for name, library in one.libraries.items()
    }
    where = ", ".join(name for name, _ in servers)
    if phase.library is None:
        about = f"no library of {where} solves {phase.problem}; write another problem"
        yield (*at, "problem"), about
    elif phase.library not in problems:
        about = f"{phase.library!r} is not a library of {where}"
        yield (*at, "library"), f"{about}; {did_you_mean(phase.library, problems)}"
    else:
        about = f"the library {phase.library} solves {problems[phase.library]}"
        yield (*at, "problem"), f"{about}, not {phase.problem}; write another library"


def _lines(machine: Machine, group: int, phase: Numerical, at: Path) -> Iterator[Fault]:
    """Find sites that no line connects."""
    client = client_of(machine, group)
    here = phase.site or (client.site if client else None)
    servers = machine.services_of(NumericalServer)
    for name in candidates(machine, phase):
        there = servers[name].site
        if here is None or there is None or here == there:
            continue
        for site in (here, there):
            if site in machine.sites and machine.sites[site].line is None:
                about = f"{name} is at {there}, and the site {site} has no line; write one in sites"
                yield (*at, "site"), about
                return
