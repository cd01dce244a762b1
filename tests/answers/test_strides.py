"""Strides of several processes become parts of the file, and syncs of records those of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.answers.advise import ALIKE
from simulator.answers.patterns.of_traces.metadata import sync_write
from simulator.answers.patterns.of_traces.strides import strided_read
from simulator.answers.rewrites import one_sync
from simulator.replay.advice import findings_in
from simulator.replay.tracejob import TraceJob
from simulator.runtime.operations import READ, SYNC, SYNCED, WRITE
from simulator.workload.traced import Traced
from tests.answers.programs import END, Row, job, program, traced
from tests.answers.test_patterns import CASES

MIB = 1 << 20


def cured(made: Traced, change) -> list[tuple[int, int, int]]:  # type: ignore[no-untyped-def]
    """Kind, offset and size of the reads, writes and syncs that are left."""
    for rewrite in change.rewrites:
        made = rewrite(made)
    rows = zip(made.table.kind, made.table.offset, made.table.size, strict=True)
    return [row for row in rows if row[0] in (READ, WRITE, SYNC)]


@pytest.mark.parametrize(
    ("name", "kind", "then"),
    [
        ("strided by two", WRITE, []),
        ("strided reads", READ, []),
        ("strided and synced", WRITE, [(SYNC, 0, 0)]),
    ],
)
def test_several_with_strides_of_one_file_are_to_have_a_part_each(
    name: str, kind: int, then: list[tuple[int, int, int]]
) -> None:
    """Two move every other 256 B of 32 KiB: 128 calls become 2 of 16 KiB, with a sync if synced."""
    pattern, machine, clients, _, _ = CASES[name]
    made = traced({client: [*rows, END] for client, rows in clients.items()})
    (finding,) = pattern(program(made, machine))
    first = finding.cures[0]
    assert "contiguous part" in first.how
    assert "collective" in first.how
    parts = [[(kind, at, 16_384), *then] for at in (0, 16_384)]
    assert cured(made, first.change) == [*parts[0], *parts[1]]


def test_bytes_that_both_read_are_no_strides_of_several() -> None:
    rows: list[Row] = [(READ, "in", at, 256) for at in range(0, 64 * 512, 512)]
    made = traced({"a": [*rows, END], "b": [*rows, END]})
    assert strided_read(program(made, "lustre-scratch")) == []


@pytest.mark.parametrize("kinds", [((WRITE, 100), (SYNC, 0)), ((WRITE | SYNCED, 100),)])
def test_a_sync_for_each_block_is_the_first_that_has_filled_it(
    kinds: tuple[tuple[int, int], ...],
) -> None:
    """Ten records of 100 B, a sync for 300: behind the third, sixth, ninth, and the last."""
    rows = [(kind, "out", 100 * at, size) for at in range(10) for kind, size in kinds]
    made = traced({"a": [*rows, END], "b": [*rows[: len(kinds)], END]})
    blocks = one_sync(made, np.array([0, 1 << 32]), 300)
    kinds_left = [kind for kind in blocks.table.kind if kind in (WRITE, SYNC)]
    three = [WRITE] * 3 + [SYNC]
    assert kinds_left == [*three, *three, *three, WRITE, SYNC, WRITE, SYNC]


def test_records_that_are_synced_become_synced_blocks_first() -> None:
    """4,096 syncs of 1 KiB become 4 of 1 MiB; once, in the end, saves hardly more."""
    record = ((WRITE, 1024), (SYNC, 0))
    rows = [(kind, "out", size * at, size) for at in range(4096) for kind, size in record]
    made = traced({"a": [*rows, END]})
    (finding,) = sync_write(program(made, "lustre-scratch"))
    blocks, once, *_ = finding.cures
    assert blocks.how.startswith("Sync after each 1 MiB, not after each record.")
    assert cured(made, blocks.change) == [
        row for at in range(4) for row in ((WRITE, at * MIB, MIB), (SYNC, 0, 0))
    ]
    run = job(made, "lustre-scratch")
    saved = [run.base.elapsed_ns - run.run(one.change).elapsed_ns for one in (blocks, once)]  # type: ignore[union-attr]
    assert saved[0] >= ALIKE * saved[1] > 0


def test_a_change_whose_run_has_many_more_events_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("simulator.replay.tracejob.LONG", 0)
    _, machine, clients, _, _ = CASES["strided by two"]
    made = traced({client: [*rows * 2000, END] for client, rows in clients.items()})
    run = job(made, machine)
    (cure, *_) = findings_in(program(made, machine))[0].cures
    none = TraceJob(run._variants, run._placed, run.base, events=0)
    same = type(cure.change)()
    assert none.run(same) is None
    assert none.given_up == [same]
    enough = TraceJob(run._variants, run._placed, run.base, events=1_000_000)
    ran = enough.run(same)
    assert ran is not None
    assert ran.elapsed_ns == run.base.elapsed_ns
    assert enough.given_up == []
