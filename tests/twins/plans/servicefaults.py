"""What is wrong with the services of a plan: see :mod:`tests.twins.plans.faults`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.plan.codes import CALLS, MESH

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.plan import Plan
    from simulator.plan.services import CallerPlan, MeshPlan, MessageServicePlan

CHOICES = ("fixed", "load", "compute", "bandwidth", "estimate")
ORDERS = ("blocks", "edges-first", "colours")


def service_faults(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with services, and with processes that use them."""
    services = plan.services
    first = plan.first_server
    for service in services.messages:
        for fault in _messages(plan, service, first):
            yield f"message service {service.name}: {fault}"
        first += 3 * service.count
    yield from _launches(plan)
    for row, mesh in enumerate(services.meshes):
        for fault in _mesh(plan, mesh):
            yield f"mesh {row} of {mesh.job}: {fault}"
    for server in services.servers:
        if not _is(plan, server.part, "timeshare", server.member):
            yield f"numerical server {server.name}: part {server.part} is no processor of tasks"
        yield from _columns(plan, server.name, (server.queue_column,))
    for row, caller in enumerate(services.callers):
        for fault in _caller(plan, caller):
            yield f"caller {row} of {caller.job}: {fault}"
    if services.callers:
        columns = (services.clients_column, services.latency_column)
        yield from _columns(plan, "numerical calls", columns)
    yield from _processors(plan)


def phase_faults(plan: Plan, number: int, process: ProcessPlan, phase: PhasePlan) -> Iterator[str]:
    """Yield what is wrong with a mesh or numerical calls of process ``number``."""
    services = plan.services
    if phase.kind == MESH:
        if not 0 <= phase.row < len(services.meshes):
            yield f"computes mesh {phase.row} of {len(services.meshes)}"
            return
        mesh = services.meshes[phase.row]
        if not mesh.first <= number < mesh.first + mesh.nodes:
            yield f"computes mesh {phase.row}, which has no block for it"
        if phase.loops < 1 or process.nodes > 1 or process.arrivals >= 0:
            yield f"computes {phase.loops} loops of a mesh, on {process.nodes} nodes"
    elif phase.kind == CALLS and not 0 <= phase.row < len(services.callers):
        yield f"makes calls {phase.row} of {len(services.callers)}"


def _messages(plan: Plan, service: MessageServicePlan, first: int) -> Iterator[str]:
    if not 0 <= service.group < len(plan.groups):
        yield f"on group {service.group}"
        return
    if not 1 <= service.count <= plan.groups[service.group].count:
        yield f"on {service.count} nodes of {plan.groups[service.group].name}"
    if not _is(plan, service.processor, "processor"):
        yield f"part {service.processor} is no processor for servers"
    elif plan.parts[service.processor].group != service.group:
        yield f"has the processor {plan.parts[service.processor].label} of another group"
    if service.first != first:
        yield f"its first server is actor {service.first}, not {first}"
    columns = (service.sending_column, service.locating_column, service.awaiting_column)
    yield from _columns(plan, "its", columns)


def _launches(plan: Plan) -> Iterator[str]:
    services = plan.services
    made: set[int] = set()
    for row, launch in enumerate(services.launches):
        numbers = range(launch.first, launch.first + launch.count)
        if not 0 <= launch.service < len(services.messages) or launch.count < 1:
            yield f"launch {row}: {launch.count} processes by service {launch.service}"
        elif not services.messages[launch.service].process_server:
            yield f"launch {row}: {services.messages[launch.service].name} has no process servers"
        elif numbers.stop > len(plan.processes) or made.intersection(numbers):
            yield f"launch {row}: processes {numbers.start} to {numbers.stop - 1}"
        else:
            yield from _places(plan, f"launch {row}", launch.service, numbers)
        made.update(numbers)
    for number, process in enumerate(plan.processes):
        if process.launched != (number in made):
            word = "waits to be launched" if process.launched else "is launched without waiting"
            yield f"{process.name}: {word}"


def _places(plan: Plan, what: str, service: int, numbers: range) -> Iterator[str]:
    """Yield processes that have no message server on their node."""
    row = plan.services.messages[service]
    for number in numbers:
        process = plan.processes[number]
        if process.group != row.group or process.node >= row.count:
            yield f"{what}: {process.name} is where no server of {row.name} is"


def _mesh(plan: Plan, mesh: MeshPlan) -> Iterator[str]:
    numbers = range(mesh.first, mesh.first + mesh.nodes)
    if not 0 <= mesh.service < len(plan.services.messages):
        yield f"through service {mesh.service}"
    elif mesh.first < 0 or numbers.stop > len(plan.processes):
        yield f"on processes {numbers.start} to {numbers.stop - 1}"
    else:
        yield from _places(plan, "it", mesh.service, numbers)
    if mesh.order not in ORDERS or sum(block.points for block in mesh.blocks) != mesh.points:
        yield f"{mesh.rows} x {mesh.columns} points in order {mesh.order}"
    yield from _columns(plan, "it", (mesh.paging_column,))


def _caller(plan: Plan, caller: CallerPlan) -> Iterator[str]:
    if not caller.targets:
        yield "calls no server"
    if caller.choice not in CHOICES:
        yield f"unknown choice {caller.choice}"
    if (caller.count < 1) == (caller.every_ns < 1):
        yield f"{caller.count} calls, a trial every {caller.every_ns} ns"
    numbers = (caller.first_ns, caller.duration_ns, caller.bytes_in, caller.bytes_out)
    if min(numbers) < 0 or caller.operations < 0 or caller.length < 1:
        yield "a negative number"
    for target in caller.targets:
        if not 0 <= target.server < len(plan.services.servers):
            yield f"calls server {target.server} of {len(plan.services.servers)}"
        for part, member in target.route:
            if not _is(plan, part, "link", member):
                yield f"part {part} of its route is no link"


def _processors(plan: Plan) -> Iterator[str]:
    """Yield processes that share a processor with another, or that have none of their own node."""
    owners: dict[tuple[int, int], str] = {}
    for process in plan.processes:
        if process.processor < 0:
            continue
        if not _is(plan, process.processor, "processor", process.node):
            yield f"{process.name}: has part {process.processor} as its processor"
        elif plan.parts[process.processor].group != process.group:
            yield f"{process.name}: has the processor of another group"
        other = owners.setdefault((process.processor, process.node), process.name)
        if other != process.name:
            yield f"{process.name}: shares its processor with {other}"


def _is(plan: Plan, row: int, kind: str, member: int = 0) -> bool:
    """Whether there is a part of a kind in a row, and an instance of it."""
    if not 0 <= row < len(plan.parts):
        return False
    part = plan.parts[row]
    return part.kind == kind and 0 <= member < part.count


def _columns(plan: Plan, what: str, columns: Sequence[int]) -> Iterator[str]:
    if not all(0 <= column < len(plan.columns) for column in columns):
        yield f"{what}: columns {', '.join(map(str, columns))} of {len(plan.columns)}"
