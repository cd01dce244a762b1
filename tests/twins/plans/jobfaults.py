"""What is wrong with the processes of a plan: see :mod:`tests.twins.plans.faults`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    AT_TIMES,
    BARRIER,
    CALL,
    CALLS,
    COMPUTE,
    DIRECT,
    FIXED,
    JOB,
    JOIN,
    LISTED,
    LOCK,
    LOOP,
    MESH,
    METADATA,
    OPERATIONS,
    POISSON,
    READ,
    RECEIVE,
    SEEK,
    SEND,
    START,
    STREAM,
    SYNC,
    SYNCED,
    UNLOCK,
    WAIT,
    WRITE,
    plain,
)
from simulator.runtime.policies import all_names
from simulator.runtime.records import MARK
from tests.twins.plans.askedfaults import ask_faults, room_faults
from tests.twins.plans.references import OFFSETS
from tests.twins.plans.servicefaults import phase_faults

if TYPE_CHECKING:
    from simulator.plan.jobs import DrawPlan, PhasePlan, ProcessPlan
    from simulator.plan.plan import Plan

ASKED = (ASK_READ, ASK_WRITE)
OF_FILES = frozenset((SEEK, READ, WRITE, SYNC, *METADATA))
NAMED = {
    "lock_column": frozenset((LOCK,)),
    "barrier_column": frozenset((BARRIER,)),
    "others_column": frozenset((WAIT, RECEIVE, JOIN)),
}
"""The column that waiting in an operation is charged to."""


def job_faults(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with processes, arrivals, channels and operations."""
    yield from _tables(plan)
    if plan.processes and all(process.until >= 0 for process in plan.processes):
        yield "all processes go on until others end"
    names = [process.name for process in plan.processes]
    if len(set(names)) < len(names):
        yield "processes of one name"
    for number, process in enumerate(plan.processes):
        for fault in (*_place(plan, process), *_beginning(plan, process)):
            yield f"{process.name}: {fault}"
        for phase in process.phases:
            for fault in (
                *_phase(plan, process, phase),
                *phase_faults(plan, number, process, phase),
            ):
                yield f"{process.name}: {fault}"
        for fault in _listed(plan, number, process):
            yield f"{process.name}: {fault}"


def _tables(plan: Plan) -> Iterator[str]:
    for number, row in enumerate(plan.arrivals):
        if row.kind not in (FIXED, POISSON, AT_TIMES):
            yield f"arrivals {number}: unknown kind {row.kind}"
        elif row.kind == AT_TIMES and (
            len(row.times) != row.count or list(row.times) != sorted(row.times)
        ):
            yield f"arrivals {number}: {len(row.times)} times in order for {row.count} jobs"
        if all(process.arrivals != number for process in plan.processes):
            yield f"arrivals {number}: no process serves them"
        if min(row.count, row.gap_ns, row.first_ns, *row.times) < 0:
            yield f"arrivals {number}: a negative number"
    for number, channel in enumerate(plan.channels):
        if any(not 0 <= one < len(plan.processes) for one in (channel.source, channel.target)):
            yield f"channel {number}: from process {channel.source} to {channel.target}"
        elif not -1 <= channel.service < len(plan.services.messages):
            yield f"channel {number}: through service {channel.service}"
    yield from _restarts(plan)
    for number, count in enumerate(plan.barriers):
        if count < 1:
            yield f"barrier {number}: of {count} processes"


def _restarts(plan: Plan) -> Iterator[str]:
    for number, row in enumerate(plan.restarts):
        team = sum(process.restart == number for process in plan.processes)
        if team != row.processes:
            yield f"restart {number}: of {row.processes} processes, but {team} have it"
        if not -1 <= row.named < len(plan.named):
            yield f"restart {number}: in phase {row.named}"
        if list(row.times) != sorted(row.times) or min(row.delay_ns, row.mean_ns) < 0:
            yield f"restart {number}: times {row.times}, mean {row.mean_ns}, {row.delay_ns}"
    for process in plan.processes:
        back = process.phases[len(process.phases) - process.reading :]
        if any(phase.kind == LISTED and not phase.count for phase in back):
            yield f"{process.name}: reads nothing back"


def _place(plan: Plan, process: ProcessPlan) -> Iterator[str]:
    """Yield what is wrong with where a process runs."""
    if not 0 <= process.group < len(plan.groups):
        yield f"runs on group {process.group}"
        return
    group = plan.groups[process.group]
    if process.nodes < 1 or not 0 <= process.node <= group.count - process.nodes:
        yield f"runs on {process.nodes} members of {group.name} from {process.node} on"
    shares = any(phase.kind not in (COMPUTE, LOOP) for phase in process.phases)
    if process.nodes > 1 and process.exchange < 0 and shares:
        yield "shares its data without a path between its members"
    if not 0 <= process.cpu < len(plan.parts) or plan.parts[process.cpu].kind != "cpu":
        yield f"has part {process.cpu} as its cpu"
    elif plan.parts[process.cpu].group != process.group:
        yield f"has the cpu {plan.parts[process.cpu].label} of another group"


def _beginning(plan: Plan, process: ProcessPlan) -> Iterator[str]:
    ways = (process.born >= 0) + process.sleeps + process.launched + (process.arrivals >= 0)
    if ways > 1:
        yield "begins in several ways: with a mark, a start, a launch, arrivals"
    if not -1 <= process.born < plan.marks:
        yield f"begins with mark {process.born} of {plan.marks}"
    if not -1 <= process.arrivals < len(plan.arrivals):
        yield f"serves arrivals {process.arrivals} of {len(plan.arrivals)}"
    yield from _loops(process)
    if process.until >= 0 and (
        process.repeat != 1 or process.sleeps or process.arrivals >= 0 or not process.phases
    ):
        yield "repeats its phases until others end, and otherwise too, or has none"
    if process.repeat < 0 or process.start_ns < 0:
        yield f"starts at {process.start_ns} ns, repeats {process.repeat} times"


def _phase(plan: Plan, process: ProcessPlan, phase: PhasePlan) -> Iterator[str]:
    if phase.kind == COMPUTE:
        if phase.compute_ns < 0:
            yield f"computes for {phase.compute_ns} ns"
    elif phase.kind == STREAM:
        yield from _stream(plan, process, phase)
    elif phase.kind == LISTED:
        if min(phase.first, phase.count) < 0 or phase.first + phase.count > len(plan.operations):
            yield f"{phase.count} operations from {phase.first} of {len(plan.operations)}"
        if phase.size < 0:
            yield f"moves {phase.size} B"
        if process.nodes > 1:
            yield "lists operations, and shares its data with other members"
        if phase.draw is not None:
            yield from _draws(plan, process, phase, phase.draw)
    elif phase.kind == LOOP:
        if phase.loops < 1:
            yield f"goes through a loop {phase.loops} times"
    elif phase.kind not in (MESH, CALLS):
        yield f"a phase of unknown kind {phase.kind}"


def _draws(plan: Plan, process: ProcessPlan, phase: PhasePlan, draw: DrawPlan) -> Iterator[str]:
    """Yield what is wrong with operations whose places are drawn."""
    table, rows = plan.operations, draw.rows
    others = range(draw.base, draw.base + draw.places * draw.each) if not draw.step else rows
    known = range(phase.first, phase.first + phase.count)
    if min(draw.count, draw.places, draw.each) < 1 or min(draw.base, draw.step) < 0:
        yield f"draws {draw.count} calls from {draw.places} places"
    elif rows.start not in known or rows[-1] not in known or others.stop > len(table):
        yield f"draws operations {rows.start} to {rows.stop} from rows to {others.stop}"
    else:
        kinds = {(table.kind[row], table.file[row]) for row in rows}
        if len(kinds) > 1 or plain(table.kind[rows.start]) not in (READ, WRITE, *ASKED):
            yield "draws places of operations that differ"
        if draw.step and draw.each > 1:
            yield "draws places of calls of several operations by a step"
        yield from _places(plan, process, draw)


def _places(plan: Plan, process: ProcessPlan, draw: DrawPlan) -> Iterator[str]:
    """Yield what is wrong with places that can be drawn."""
    table = plan.operations
    kind = plain(table.kind[draw.first])
    if draw.step:
        last = draw.base + (draw.places - 1) * draw.step
        if 0 < draw.end <= last:
            yield f"takes places to {last} that end at {draw.end}"
        end = last + max(table.size[row] for row in draw.rows)
        end = min(end, draw.end or end)
        yield from (f"draws, and {one}" for one in _of_file(plan, process, draw.first, end))
        return
    for row in range(draw.base, draw.base + draw.places * draw.each):
        offset, size = table.offset[row], table.size[row]
        if min(offset, size) < 0:
            yield f"draws operation {row}, which has a negative number"
        elif kind in ASKED:
            found = _asked(plan, process, draw.first, range(offset, offset + size))
            yield from (f"draws operation {row}, and {one}" for one in found)
        else:
            found = _of_file(plan, process, draw.first, offset + size)
            yield from (f"draws operation {row}, and {one}" for one in found)


def _loops(process: ProcessPlan) -> Iterator[str]:
    """Yield loops that do not lie in one another."""
    begins: list[int] = []
    for number, phase in enumerate(process.phases):
        begins.append(number)
        if phase.kind == LOOP:
            if phase.first not in begins or phase.first == number:
                yield f"phase {number} repeats phases from {phase.first} on"
            begins = [one for one in begins if one <= phase.first]


def _stream(plan: Plan, process: ProcessPlan, phase: PhasePlan) -> Iterator[str]:
    if phase.synchronous and not phase.write:
        yield "reads synchronously"
    if phase.policy not in all_names() or phase.buffer < 1:
        yield f"streams by {phase.policy} with a buffer of {phase.buffer} B"
    if not 0 <= phase.file < len(plan.files) or phase.lengths is None:
        yield f"streams file {phase.file}"
        return
    file, lengths = plan.files[phase.file], phase.lengths
    whole = lengths.total + (0 if phase.policy == "posix" else 2 * MARK * lengths.count)
    if whole > file.size:
        yield f"streams {whole} B of {file.name}, which has {file.size}"
    yield from _reaches(plan, process, phase.path)
    yield from room_faults(plan, phase.path, phase.file)


def _reaches(plan: Plan, process: ProcessPlan, path: int) -> Iterator[str]:
    if not 0 <= path < len(plan.paths):
        yield f"uses path {path} of {len(plan.paths)}"
    elif plan.paths[path].places[0] != process.group:
        yield f"uses path {plan.paths[path].name}, which begins at another group"


def _listed(plan: Plan, number: int, process: ProcessPlan) -> Iterator[str]:
    """Yield the faults of a process's operations."""
    held: set[int] = set()
    before: list[set[int]] = []
    for phase in process.phases:
        before.append({*held})
        if phase.kind == LOOP and 0 <= phase.first < len(before) and held != before[phase.first]:
            first = sorted(before[phase.first])
            yield f"begins a loop with locks {first}, ends with {sorted(held)}"
        if phase.kind == LISTED:
            most = len(plan.operations)
            for row in range(max(0, phase.first), min(most, phase.first + phase.count)):
                yield from _operation(plan, number, process, row, held)
    if held:
        yield f"ends with locks {sorted(held)}"


def _operation(
    plan: Plan, number: int, process: ProcessPlan, row: int, held: set[int]
) -> Iterator[str]:
    """Yield the faults of an operation; ``held``: the locks that the process holds."""
    table = plan.operations
    kind, offset, size = plain(table.kind[row]), table.offset[row], table.size[row]
    where = f"operation {row}"
    more = {READ: DIRECT, WRITE: DIRECT | SYNCED}.get(kind, 0)
    known = 0 <= kind < len(OPERATIONS) and kind not in (JOB, CALL)
    if not known or table.kind[row] & ~(kind | more):
        yield f"{where} is of unknown kind {table.kind[row]}"
        return
    where += f" ({OPERATIONS[kind]})"
    if min(offset, size, table.gap[row]) < 0:
        yield f"{where} has a negative number"
    if not -1 <= table.column[row] < len(plan.columns):
        yield f"{where} charges column {table.column[row]} of {len(plan.columns)}"
    for column, kinds in NAMED.items():
        if kind in kinds and not 0 <= getattr(plan, column) < len(plan.columns):
            yield f"{where} waits, but there is no {column}"
    if kind in ASKED:
        faults = _asked(plan, process, row, range(offset, offset + size))
    elif kind in OF_FILES:
        faults = _of_file(plan, process, row, offset + size)
    else:
        faults = _of_others(plan, number, kind, offset, held)
    yield from (f"{where} {fault}" for fault in faults)


def _of_file(plan: Plan, process: ProcessPlan, row: int, end: int) -> Iterator[str]:
    kind, file = plain(plan.operations.kind[row]), plan.operations.file[row]
    if not 0 <= file < len(plan.files):
        yield f"names file {file} of {len(plan.files)}"
        return
    if kind in (READ, WRITE) and end > plan.files[file].size:
        yield f"goes to {end} of {plan.files[file].size} B"
    found = list(_reaches(plan, process, plan.path_of(row)))
    yield from found
    if kind in (READ, WRITE) and not found:
        yield from room_faults(plan, plan.path_of(row), file)


def _asked(plan: Plan, process: ProcessPlan, row: int, asks: range) -> Iterator[str]:
    file = plan.operations.file[row]
    if not 0 <= file < len(plan.files):
        yield f"names file {file} of {len(plan.files)}"
        return
    found = list(_reaches(plan, process, plan.path_of(row)))
    yield from found or ask_faults(plan, process, plan.path_of(row), asks)


def _of_others(plan: Plan, number: int, kind: int, which: int, held: set[int]) -> Iterator[str]:
    """Yield the faults of an operation that concerns other processes."""
    table = OFFSETS.get(kind)
    rows = getattr(plan, table) if table else ()
    most = rows if isinstance(rows, int) else len(rows)
    if table and not 0 <= which < most:
        yield f"names row {which} of {most}"
    elif (kind == LOCK) == (which in held) and kind in (LOCK, UNLOCK):
        yield f"of lock {which}, which it {'holds' if kind == LOCK else 'does not hold'}"
    elif kind in (LOCK, UNLOCK):
        held ^= {which}
    elif kind == SEND and plan.channels[which].source != number:
        yield f"to channel {which} of another process"
    elif kind == RECEIVE and plan.channels[which].target != number:
        yield f"from channel {which} to another process"
    elif kind in (START, JOIN) and which == number:
        yield "names the process itself"
    elif kind == START and not plan.processes[which].sleeps:
        yield f"of {plan.processes[which].name}, which does not sleep"
