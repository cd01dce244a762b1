"""Plans with one scheduled disk, whose requests come at given times; and their naive twin."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.scheduled.spec import SCHEDULERS, ScheduledSpec
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.twins.elevators import Asked, Elevator

CAPACITY = 1000
PLAIN = ScheduledSpec(
    rate=1e9, overhead_ns=10, capacity=CAPACITY, track_seek_ns=0, full_seek_ns=CAPACITY
)
"""10 ns for a request, one for a byte, and one for each address that the head passes."""
NONE, DEADLINE, FAIR = range(len(SCHEDULERS))
Row = tuple[int, str, int, int, int]
"""A request: its time, read or write, file, offset, size."""


def written_path(hand: Hand, **fields: Any) -> None:
    """Add the path ``fs`` to the disk, whose way down writes."""
    way = hand.stage("disk")
    down = tuple(replace(one, writes=True) for one in way.down)
    hand.path("fs", [replace(way, down=down)], **fields)


def simulated(spec: DiskSpec, rows: list[Row], *, kind: str = "scheduled", **fields: Any) -> Result:
    """Carry out requests on both engines, each of a process of its own; files begin at 0."""
    hand = Hand(pe=1, server=1)
    hand.part("disk", "server", kind, spec=spec, **fields)
    written_path(hand)
    for file in sorted({row[2] for row in rows}):
        hand.file(f"f{file}", "fs", 10 * CAPACITY, base=0)
    for number, (came, do, file, offset, size) in enumerate(rows):
        name = f"f{file}"
        hand.process(f"p{number}", hand.listed((do, name, offset, size)), start_ns=came)
    return run(hand)


def times(spec: ScheduledSpec, rows: list[Row], **fields: Any) -> list[tuple[int, int]]:
    """Return when each request began, and when it ended."""
    result = simulated(spec, rows, **fields)
    found = []
    for (came, *_), one in zip(rows, result.processes, strict=True):
        waited, served = one.spent["disk"]
        assert came + waited + served == one.ended_ns
        found.append((came + waited, one.ended_ns))
    return found


def asked(rows: list[Row]) -> list[Asked]:
    """Return requests as the twin has them."""
    return [
        Asked(number, came, do == "write", file, offset, offset + size)
        for number, (came, do, file, offset, size) in enumerate(rows)
    ]


def twin_times(spec: ScheduledSpec, rows: list[Row]) -> list[tuple[int, int]]:
    """Return what the naive twin says of them."""
    log = Elevator(spec).run(asked(rows))
    by_number = {one.number: (given.begun, given.done) for given in log for one in given.of}
    return [by_number[number] for number in range(len(rows))]


def drawn_rows(rng: Random, count: int, *, span: int = 3000) -> list[Row]:
    """Draw requests on few files, often neighbours of others, and often at one time."""
    rows: list[Row] = []
    for _ in range(count):
        came = rng.choice([rng.randint(0, span), rows[-1][0] if rows else 0])
        offset, size = rng.randint(0, 40) * 20, rng.choice([20, 20, 40, 100])
        if rows and rng.random() < 0.3:
            before = rng.choice(rows)
            offset = min(before[3] + before[4], CAPACITY - size)
        rows.append((came, rng.choice(["read", "read", "write"]), rng.randint(0, 2), offset, size))
    return rows


def drawn_spec(rng: Random) -> ScheduledSpec:
    """Draw a scheduler with limits that matter to such requests."""
    return ScheduledSpec(
        rate=1e9,
        overhead_ns=10,
        capacity=CAPACITY,
        track_seek_ns=rng.choice([0, 5]),
        full_seek_ns=CAPACITY,
        turn_ns=rng.choice([0, 30]),
        policy=rng.randint(0, FAIR),
        ncq=rng.choice([1, 1, 2, 4, 32]),
        merge=rng.choice([0, 60, 200]),
        read_expire_ns=rng.choice([0, 300, 2000]),
        write_expire_ns=rng.choice([0, 500, 5000]),
        writes_starved=rng.randint(1, 3),
        fifo_batch=rng.choice([1, 2, 5]),
        slice_ns=rng.choice([200, 1000, 10**6]),
        slice_idle_ns=rng.choice([0, 10, 300, 2000]),
        budget=rng.choice([20, 100, 1000]),
    )
