"""What phases of MPI-IO and of services, and layouts of files, need of the machine of their job."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.config.caches import MOST_BLOCKS
from simulator.config.errors import Fault, Path, did_you_mean
from simulator.config.library_phases import AUTO, Mesh, MpiTransfer, Numerical
from simulator.config.lowering.ionodes import IoWay
from simulator.config.lowering.plan import Nodes
from simulator.config.lowering.services import candidates, client_of, computes
from simulator.config.machine_file import Machine
from simulator.config.phases import Sync, Transfer
from simulator.config.services import MessageServer, NumericalServer, ProcessServer, Service
from simulator.config.workload_file import File, Job, Workload, node_faults
from simulator.units import format_size, shown
from simulator.workload.split import grid_of, split

PLAIN = ("seek", "offset", "sieving", "two-phase")
"""Methods that need no I/O nodes."""
MOST_TOGETHER = 1024
"""Processes of one collective call: each may send to each."""
MOST_POLLS = 50_000_000
"""A few minutes of simulating."""


# -- MPI-IO --------------------------------------------------------------------------------------


def mpi_misfits(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find phases and layouts that the file system of their file does not know."""
    for name, file in workload.files.items():
        if file.layout is None:
            continue
        system, way = _way(machine, file)
        of_layout: Path = ("files", name, "layout")
        if way is None:
            about = f"{system} has no I/O nodes, over which files are laid out; leave it out"
            yield of_layout, about
            continue
        for path, about in node_faults(file.layout, _nodes(machine, way), system):
            yield (*of_layout, *path), about
    for index, job in enumerate(workload.jobs):
        for at, phase in job.every_phase():
            if phase.uses is not None:
                for path, about in _phase(machine, job, phase, workload.files[phase.uses]):
                    yield ("jobs", index, *at, *path), about


def _phase(machine: Machine, job: Job, phase: object, file: File) -> Iterator[Fault]:
    system, way = _way(machine, file, getattr(phase, "path", None), job.path)
    if isinstance(phase, MpiTransfer):
        if way is None:
            yield from _plain(job, phase, system)
            return
        yield from _features(machine, phase, system)
        yield from _too_much(machine, job, phase, file, way)
    elif way is not None and isinstance(phase, Sync) and file.layout is not None:
        about = "a file with a layout of its own is not synced"
        yield ("do",), f"{about}; leave it out, or the file's layout"
    elif way is not None and isinstance(phase, Transfer) and file.layout is not None:
        policy = phase.policy or job.policy or machine.runtime.policy
        if policy != "posix":
            about = f"{policy} does not write to a file with a layout of its own"
            yield ("file",), f"{about}; write 'policy: posix', or leave the file's layout out"
        yield from _too_much(machine, job, phase, file, way)


def _plain(job: Job, phase: MpiTransfer, system: str) -> Iterator[Fault]:
    """Find methods that need I/O nodes, and processes that cannot exchange what they have read."""
    if phase.method not in (AUTO, *PLAIN):
        about = f"{system} has no I/O nodes, which {phase.method} needs"
        yield ("method",), f"{about}; write auto, or {', '.join(PLAIN)}"
    if phase.access == "collective":
        yield from _together(job)


def _together(job: Job) -> Iterator[Fault]:
    if job.ranks > MOST_TOGETHER:
        about = f"{job.ranks:,} processes call together; write at most {MOST_TOGETHER}"
        yield ("access",), about


def _too_much(
    machine: Machine, job: Job, phase: MpiTransfer | Transfer, file: File, way: IoWay
) -> Iterator[Fault]:
    """Find files of too many blocks, and data that would be cut into too many parts."""
    blocks = file.size // machine.buffer_caches[way.cache].block
    if blocks > MOST_BLOCKS:
        about = f"has {blocks:,} blocks of {way.cache}, more than {MOST_BLOCKS:,}"
        yield ("file",), f"{about}; write a smaller file, or larger blocks"
        return
    library = machine.mpi_io
    stripes: list[int] = [one.stripe for one in file.layout or ()]
    stripes = stripes or [way.stripe or file.size]
    least = min(*stripes, library.transfer_buffer, library.sieve_buffer, library.collective_buffer)
    if file.size // least > MOST_BLOCKS:
        about = f"is cut into more than {MOST_BLOCKS:,} parts of {format_size(least)}"
        yield ("file",), f"{about}; write a smaller file, or larger stripes and buffers"
    elif isinstance(phase, MpiTransfer) and phase.access == "collective":
        yield from _together(job)


def _features(machine: Machine, phase: MpiTransfer, system: str) -> Iterator[Fault]:
    """Find methods that the file system does not offer."""
    offers = machine.mpi_io
    lacking = {
        "stride": not offers.stride_io and "stride_io",
        "list": not offers.list_io and "list_io",
        "disk-directed": not offers.disk_directed and "disk_directed",
    }.get(phase.method)
    if lacking:
        about = f"{system} of {machine.name} does not offer it (runtime.mpi_io.{lacking})"
        yield ("method",), f"{about}; write auto"


def _way(machine: Machine, file: File, *wanted: str | None) -> tuple[str, IoWay | None]:
    """Return the file system of a file, and its way to I/O nodes if it has one."""
    system = machine.system(file.filesystem)
    path = machine.path(system, *wanted, file.path)
    return system, machine.ways.block(system, path, 0).io


def _nodes(machine: Machine, way: IoWay) -> int:
    return machine.tables.groups[machine.tables.group_of[machine.buffer_caches[way.cache].at]].count


# -- services ------------------------------------------------------------------------------------


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
