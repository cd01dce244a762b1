"""Jobs drawn at random: streams, listed operations of every kind, arrivals.

Operations that wait for other processes are drawn as a schedule of all processes together
(:mod:`tests.draws.plans.schedule`). ``loose`` leaves out one, and a process may wait for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    AT_TIMES,
    COMPUTE,
    FIXED,
    LISTED,
    PAUSE,
    POISSON,
    READ,
    STREAM,
    WRITE,
    plain,
)
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan, Operations, PhasePlan, ProcessPlan
from simulator.runtime.lengths import FixedLengths, Lengths, ListedLengths
from simulator.runtime.policies import all_names
from simulator.runtime.records import MARK
from tests.draws.plans.again import do_again
from tests.draws.plans.schedule import Row, Schedule

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.paths import PathPlan
    from tests.draws.plans.pieces import Pieces
    from tests.draws.plans.tables import Machine


@dataclass
class Jobs:
    """The tables of jobs as they grow."""

    dice: Dice
    machine: Machine
    files: int
    """How many files there are, but for those of pieces."""
    pieces: Pieces
    """Buffer caches, and what is asked of them."""
    processes: list[ProcessPlan] = field(default_factory=list)
    operations: Operations = field(default_factory=Operations)
    arrivals: list[ArrivalsPlan] = field(default_factory=list)
    channels: list[ChannelPlan] = field(default_factory=list)
    barriers: list[int] = field(default_factory=list)
    locks: int = 0
    marks: int = 0
    rows: list[list[Row]] = field(default_factory=list)
    """The operations of each process."""
    reach: list[int] = field(default_factory=list)
    """The bytes of each file that somebody uses."""
    needed: list[int] = field(default_factory=list)
    """Of those the ones that streams read, which have to be there."""
    paths_of: list[list[int]] = field(default_factory=list)
    """The paths that lead to each file, its own first."""


def draw_jobs(
    dice: Dice, machine: Machine, paths_of: list[list[int]], most: int, pieces: Pieces
) -> Jobs:
    """Draw processes and all that they do."""
    jobs = Jobs(dice, machine, len(paths_of), pieces, paths_of=paths_of)
    jobs.reach = [0] * jobs.files
    jobs.needed = [0] * jobs.files
    count = dice.int(1, most)
    jobs.rows = [[] for _ in range(count)]
    jobs.locks = dice.int(1, 2)
    listed = dice.maybe(65)
    for number in range(count):
        jobs.processes.append(_process(jobs, number))
    if listed:
        Schedule(jobs).draw()
    for number in range(count):
        jobs.processes[number] = _with_rows(jobs, number)
    do_again(jobs)
    return jobs


def _process(jobs: Jobs, number: int) -> ProcessPlan:
    dice, machine = jobs.dice, jobs.machine
    group = machine.groups[0]
    node = dice.int(0, group.count - 1)
    process = ProcessPlan(
        name=f"p{number}",
        job=dice.some("a", "b"),
        group=0,
        node=node,
        cpu=machine.row("cpu"),
        memory=dice.some(0, 0, 0, 7, 250, 1_500),
        start_ns=dice.some(0, 0, 100, 2_000),
        repeat=dice.some(1, 1, 1, 2),
        phases=tuple(_phase(jobs) for _ in range(dice.few(3))),
    )
    if dice.maybe(15):
        nodes = dice.int(1, group.count - node)
        exchange = dice.some(*machine.channel_tops)
        places = machine.channel_places.get(exchange, ())
        process = replace(process, nodes=nodes, exchange=exchange, exchange_places=places)
    elif dice.maybe(12):
        row = dice.int(0, len(jobs.arrivals))
        if row == len(jobs.arrivals):
            jobs.arrivals.append(_arrivals(dice, row))
        process = replace(process, arrivals=row)
    return process


def _arrivals(dice: Dice, number: int) -> ArrivalsPlan:
    kind = dice.some(FIXED, POISSON, AT_TIMES)
    count = dice.int(0, 6)
    times = tuple(sorted(dice.some(0, 10, 500, 500, 3_000, 9_000) for _ in range(count)))
    return ArrivalsPlan(
        kind=kind,
        count=count,
        gap_ns=dice.some(0, 100, 1_000, 5_000),
        first_ns=dice.some(0, 0, 700),
        stream=f"arrivals{number}",
        times=times if kind == AT_TIMES else (),
    )


def _lengths(dice: Dice) -> Lengths:
    if dice.maybe(40):
        return FixedLengths(dice.int(0, 150), dice.int(0, 6), dice.some(None, 7))
    return ListedLengths([dice.int(0, 250) for _ in range(dice.int(1, 4))])


def _phase(jobs: Jobs) -> PhasePlan:
    """Draw computing or a stream."""
    dice = jobs.dice
    if dice.maybe(15):
        return PhasePlan(kind=COMPUTE, compute_ns=dice.some(0, 10, 1000))
    lengths = _lengths(dice)
    write = dice.maybe(60)
    whole = lengths.total + 2 * MARK * lengths.count
    behind = [
        row for row, one in enumerate(jobs.pieces.places, start=jobs.files) if one.size >= whole
    ]
    if behind and dice.maybe(25):
        file = dice.some(*behind)
        path = jobs.pieces.paths[file - jobs.files]
    else:
        file = dice.int(0, jobs.files - 1)
        path = dice.some(*jobs.paths_of[file])
        jobs.reach[file] = max(jobs.reach[file], whole)
        if not write:
            jobs.needed[file] = max(jobs.needed[file], whole)
    return PhasePlan(
        kind=STREAM,
        write=write,
        file=file,
        path=path,
        lengths=lengths,
        buffer=dice.some(1, 5, 30, 100, 256, 700),
        policy=dice.some(*all_names()),
        synchronous=write and jobs.machine.durable and dice.maybe(30),
        direct=jobs.machine.durable and dice.maybe(30),
    )


def _with_rows(jobs: Jobs, number: int) -> ProcessPlan:
    """A process with its operations in one phase or two, before, between or after others."""
    dice, rows = jobs.dice, jobs.rows[number]
    process = jobs.processes[number]
    phases = list(process.phases)
    cut = dice.int(0, len(rows)) if dice.maybe(30) else len(rows)
    place = 0
    for part in (rows[:cut], rows[cut:]):
        if not part:
            continue
        first = len(jobs.operations)
        for row in part:
            cells = {"gap": row.gap, "column": row.column, "path": _path_to(jobs, row.file)}
            jobs.operations.add(row.kind, row.file, row.offset, row.size, **cells)
        place = dice.int(place, len(phases))
        moves = any(plain(row.kind) in (READ, WRITE) for row in part)
        size = dice.some(0, 0, dice.int(0, 999)) if moves else dice.some(0, dice.int(0, 999))
        phase = PhasePlan(kind=LISTED, first=first, count=len(part), size=size)
        phases.insert(place, replace(phase, write=dice.maybe()))
        place += 1
    return replace(process, phases=tuple(phases))


def _path_to(jobs: Jobs, file: int) -> int:
    """The file's own path, or another one in turn; no die is thrown, so that seeds stay."""
    ways = jobs.paths_of[file] if 0 <= file < len(jobs.paths_of) else []
    which = len(jobs.operations) // 3 % max(1, len(ways))
    return ways[which] if which else -1


def own_paths(paths: list[PathPlan], path: int) -> list[int]:
    """The paths to the files of a path: itself, and the one that leaves out its first tiers."""
    direct = f"{paths[path].name}-direct"
    return [path, *(row for row, one in enumerate(paths) if one.name == direct)]


def without_one(operations: Operations, row: int) -> Operations:
    """The same operations, but one of them a pause."""
    copied = Operations()
    for at in range(len(operations)):
        kind = PAUSE if at == row else operations.kind[at]
        copied.add(
            kind,
            operations.file[at],
            operations.offset[at],
            operations.size[at] if at != row else 0,
            gap=operations.gap[at],
            column=operations.column[at],
            path=operations.path[at],
        )
    return copied
