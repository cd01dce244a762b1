"""What processes do again, drawn: places of each round, loops, and rounds until others end.

Only phases are repeated in which a process meets no other: all would have to come as often.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    COMPUTE,
    JOIN,
    LISTED,
    LOOP,
    METADATA,
    PAUSE,
    READ,
    SEEK,
    SYNC,
    WRITE,
    plain,
)
from simulator.plan.jobs import DrawPlan, PhasePlan, ProcessPlan

if TYPE_CHECKING:
    from tests.draws.plans.jobs import Jobs

ALONE = frozenset((READ, WRITE, SEEK, SYNC, PAUSE, *METADATA))
"""Operations that concern no other process; requests for pieces may be merged with others'."""

MOST_UNTIL = 3
"""Processes that go on until others end: more of them keep the others from ending for minutes."""


def do_again(jobs: Jobs) -> None:
    """Draw all this for the processes of jobs that are otherwise complete."""
    for number, process in enumerate(jobs.processes):
        if process.nodes == 1 and jobs.dice.maybe(20):
            jobs.processes[number] = _with_draws(jobs, process)
        if jobs.dice.maybe(20):
            jobs.processes[number] = _with_loops(jobs, jobs.processes[number])
    if jobs.dice.maybe(15):
        _until(jobs)


# -- places -------------------------------------------------------------------------------------


def _with_draws(jobs: Jobs, process: ProcessPlan) -> ProcessPlan:
    """A process with one more phase, whose places are drawn each time."""
    dice = jobs.dice
    asks = bool(jobs.pieces.buffers) and dice.maybe(40)
    phase = _asked(jobs, process) if asks else _placed(jobs)
    at = dice.int(0, len(process.phases))
    return replace(process, phases=(*process.phases[:at], phase, *process.phases[at:]))


def _placed(jobs: Jobs) -> PhasePlan:
    """Reads or writes: at multiples of a step, or where rows of a table say."""
    dice, table = jobs.dice, jobs.operations
    kind = dice.some(READ, WRITE)
    file, count = dice.int(0, jobs.files - 1), dice.int(1, 4)
    places = dice.int(1, 9) if (step := dice.some(0, 40, 64)) else count
    base = dice.some(0, 30) if step else len(table)
    first, most, at = len(table), 0, dice.some(0, 20)
    for _ in range(count):
        size = dice.some(0, 7, 64, 200)
        table.add(kind, file, at, size, gap=dice.some(0, 0, 50))
        most, at = max(most, size), at + size
    end = base + step * (places - 1) + most if step else at
    jobs.reach[file] = max(jobs.reach[file], end, at)
    stop = dice.some(0, base + step * (places - 1) + dice.int(1, 64)) if step else dice.some(0, 1)
    draw = _draw(jobs, first, count, places=places, base=base, step=step, end=stop)
    return PhasePlan(kind=LISTED, first=first, count=count, draw=draw)


def _asked(jobs: Jobs, process: ProcessPlan) -> PhasePlan:
    """Requests for pieces, one or two for each place."""
    dice, table = jobs.dice, jobs.operations
    number = jobs.processes.index(process)
    kind, each, places = dice.some(ASK_READ, ASK_WRITE), dice.int(1, 2), dice.int(1, 3)
    rows = [jobs.pieces.alone(number, process.node)]
    while len(rows) < places * each:
        more = jobs.pieces.alone(number, process.node)
        if more[0] == rows[0][0]:
            rows.append(more)
    base, count = len(table), dice.int(1, 3)
    for place in range(places * each + count * each):
        file, offset, size = rows[place % len(rows)]
        table.add(kind, file, offset, size)
    first = base + places * each
    draw = _draw(jobs, first, count, places=places, base=base, each=each)
    size = dice.some(0, 999)
    return PhasePlan(
        kind=LISTED, first=first, count=count * each, size=size, write=dice.maybe(), draw=draw
    )


def _draw(jobs: Jobs, first: int, count: int, **fields: int) -> DrawPlan:
    return DrawPlan(key=jobs.dice.int(0, (1 << 64) - 1), first=first, count=count, **fields)


# -- loops --------------------------------------------------------------------------------------


def _with_loops(jobs: Jobs, process: ProcessPlan) -> ProcessPlan:
    """A process that goes several times through some of its phases, perhaps through some twice."""
    dice = jobs.dice
    for _ in range(dice.int(1, 2)):
        phases = process.phases
        runs = [
            (first, last)
            for first in range(len(phases))
            for last in range(first, len(phases))
            if all(_is_alone(jobs, one) for one in phases[first : last + 1])
            and _is_whole(phases, first, last)
        ]
        if runs:
            first, last = dice.some(*runs)
            process = replace(process, phases=_looped(phases, first, last, dice.int(1, 3)))
    return process


def _looped(
    phases: tuple[PhasePlan, ...], first: int, last: int, times: int
) -> tuple[PhasePlan, ...]:
    """Return phases of which some are repeated; later loops begin a phase later."""
    behind = (
        replace(one, first=one.first + 1) if one.kind == LOOP and one.first > last else one
        for one in phases[last + 1 :]
    )
    end = PhasePlan(kind=LOOP, first=first, loops=times)
    return (*phases[: last + 1], end, *behind)


def _is_whole(phases: tuple[PhasePlan, ...], first: int, last: int) -> bool:
    """Whether loops lie within these phases, or around them."""
    for number, one in enumerate(phases):
        if one.kind == LOOP:
            inside = first <= one.first and number <= last
            around = one.first <= first and last < number
            apart = last < one.first or number < first
            if not (inside or around or apart):
                return False
    return True


def _is_alone(jobs: Jobs, phase: PhasePlan) -> bool:
    """Whether a process meets no other in a phase."""
    if phase.kind != LISTED:
        return True
    rows = range(phase.first, phase.first + phase.count)
    if phase.draw is not None:
        return True
    return all(plain(jobs.operations.kind[row]) in ALONE for row in rows)


# -- until others end ---------------------------------------------------------------------------


def _until(jobs: Jobs) -> None:
    """Have some processes go on until all others have ended; not those that others wait for."""
    dice, table = jobs.dice, jobs.operations
    awaited = {table.offset[row] for row, kind in enumerate(table.kind) if kind == JOIN}
    some = [
        number
        for number, one in enumerate(jobs.processes)
        if one.arrivals < 0
        and not one.sleeps
        and number not in awaited
        and all(_is_alone(jobs, phase) for phase in one.phases)
    ]
    rows = 0
    taken = [number for number in some[: len(jobs.processes) - 1] if dice.maybe(60)]
    for number in taken[:MOST_UNTIL]:
        row = dice.int(0, rows)
        rows = max(rows, row + 1)
        # A round takes time, or it would be repeated for ever.
        pause = PhasePlan(kind=COMPUTE, compute_ns=dice.some(3_000, 20_000, 20_001))
        one = jobs.processes[number]
        phases = (*one.phases, pause)
        jobs.processes[number] = replace(one, repeat=1, until=row, phases=phases)
