"""Reads one at a time: found where several could be under way, and cured by so many."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.answers.again import machine_variants
from simulator.answers.patterns.of_traces.underway import one_at_a_time, under_way
from simulator.answers.ranking import advise
from simulator.config.lowering.replayed import Placing
from simulator.inputfile import Text
from simulator.plan.codes import CLOSE, DIRECT, OPEN, PASS, READ, WAIT, WRITE
from simulator.replay.replay import Placed, ReplayOptions
from simulator.run import run_plan
from simulator.runtime.listed import CallTable
from tests.answers.programs import END, Row, computing, job, program, traced, written

MS = 1_000_000
MACHINE = Text(
    """\
format: machine/2
name: m
nodes: {node: 1}
parts: {device: {kind: queue, servers: 8, rate: 4 MB/s}}
filesystems: {fs: [device]}
""",
    "m",
)
READS = 64


def reads(*, step: int = 5, kind: int = READ) -> list[Row]:
    """Reads of 4 kB all over a file, 1 ms each."""
    places = [4_000 * (step * n % READS) for n in range(READS)]
    return [(OPEN, "f", 0, 0), *((kind, "f", at, 4_000) for at in places), (CLOSE, "f", 0, 0)]


def elapsed(depth: int, gap: int, clients: int = 1) -> float:
    """Return the milliseconds of a program whose clients have so many reads under way."""
    made = traced({f"c{number}": reads() for number in range(clients)}, gap=gap)
    if depth:
        pairs = np.array([number << 32 for number in range(clients)])
        made = under_way(made, pairs, depth)
    placed = Placed(made, ReplayOptions(Placing(None)), {})
    return run_plan(placed.plan(machine_variants(MACHINE, ()).load(()))).elapsed_ns / MS


@pytest.mark.parametrize(("depth", "ms"), [(0, 64), (1, 64), (4, 16), (8, 8), (64, 8)])
def test_a_device_serves_as_many_as_are_under_way_and_no_more_than_it_can(
    depth: int, ms: float
) -> None:
    """A call takes the processor 2 us."""
    assert elapsed(depth, gap=0) == pytest.approx(ms, abs=0.15)


@pytest.mark.parametrize(("depth", "ms"), [(0, 33 + 64), (1, 1.5 + 64), (4, 33 + 1)])
def test_what_is_computed_between_reads_stays_and_takes_as_long(depth: int, ms: float) -> None:
    """Half a millisecond before each call; one under way is read while that before is used."""
    assert elapsed(depth, gap=MS // 2) == pytest.approx(ms, abs=0.15)


def test_processes_share_what_the_device_can_do() -> None:
    assert elapsed(0, gap=0, clients=4) == pytest.approx(64, abs=0.15)
    assert elapsed(4, gap=0, clients=4) == pytest.approx(4 * 64 / 8, abs=0.15)


def test_the_rewrite_reads_the_same_bytes_and_passes_each_mark_once() -> None:
    old = traced({"a": [*reads(), (WRITE, "g", 0, 10), END], "b": reads(step=7)}, gap=7)
    made = under_way(old, np.array([0, 1 << 32]), 5)
    table, before = made.table, old.table
    assert len(made.clients) == 2 + 2 * 5
    assert written(made) == written(old)
    assert {k: v for k, v in computing(made).items() if v} == computing(old)

    def moved(one: CallTable) -> list[tuple[int, int, int]]:
        rows = zip(one.kind, one.file, one.offset, one.size, strict=True)
        return sorted(row[1:] for row in rows if row[0] == READ)

    assert moved(table) == moved(before)
    marks = [table.offset[row] for row in range(len(table)) if table.kind[row] == PASS]
    assert sorted(marks) == list(range(table.marks))
    waits = {table.offset[row] for row in range(len(table)) if table.kind[row] == WAIT}
    assert waits < set(marks)


def found(*rows: Row) -> list[str]:
    return [one.pattern for one in one_at_a_time(program(traced({"a": rows}), MACHINE))]


def test_reads_are_found_where_nothing_reads_ahead_and_nobody_writes() -> None:
    sequential = reads(step=1)
    assert found(*reads()) == ["one-at-a-time"]
    assert found(*reads(step=1, kind=READ | DIRECT)) == ["one-at-a-time"]
    assert not found(*sequential)
    assert not found(*reads()[:30])
    assert not found(*reads(), (WRITE, "f", 0, 10))


def test_the_advice_is_simulated_and_says_what_it_presumes() -> None:
    """Eight servers make 64 ms to 8; sorting the places changes nothing there."""
    made = traced({"a": reads()}, gap=0)
    (finding,) = one_at_a_time(program(made, MACHINE))
    advised = advise(job(made, MACHINE), [finding])
    (advice,) = advised.advice
    assert advice.saves_ns == pytest.approx(56 * MS, rel=0.01)
    assert "next 16 places" in advice.cure.presumes or "next 64 places" in advice.cure.presumes
