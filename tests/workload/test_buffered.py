"""Calls gathered in another buffer: by hand, and against the bytes of the files themselves."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.runtime.listed import KINDS, CallTable
from simulator.runtime.operations import CLOSE, OPEN, PASS, PAUSE, READ, SEEK, WRITE
from simulator.workload.traced import Traced, TracedClient, TracedFile, with_buffer
from tests.examples import examples


def job(rows: list[tuple[int, int, int, int]], *, gap: int = 1, reach: int = 200) -> Traced:
    table = CallTable(marks=1)
    for kind, file, offset, size in rows:
        table.add(kind, file, offset, size, gap=gap)
    files = tuple(TracedFile(f"f{i}", 0, reach) for i in range(3))
    return Traced("t", table, (TracedClient("c", 0, -1, 0, len(table), 0),), files)


def rows_of(traced: Traced) -> list[tuple[str, int, int]]:
    table = traced.table
    kinds = (KINDS[kind] for kind in table.kind)
    return list(zip(kinds, table.offset, table.size, strict=True))


RECORD = [(WRITE, 0, 0, 104), (SEEK, 0, 0, 0), (WRITE, 0, 0, 4), (SEEK, 0, 104, 0)]
"""A record whose length is rewritten behind it."""


def test_a_buffer_that_holds_a_record_leaves_no_rewrite() -> None:
    made, cause = with_buffer(job([*RECORD, (CLOSE, 0, 0, 1), (PAUSE, -1, 0, 0)]), 150)
    assert rows_of(made) == [("write", 0, 104), ("close", 0, 1), ("pause", 0, 0)]
    assert list(made.table.gap) == [5, 0, 1]
    assert list(cause) == [4, 4, 5]


def test_a_smaller_one_leaves_it() -> None:
    made, _ = with_buffer(job([*RECORD, (PAUSE, -1, 0, 0)]), 100)
    assert rows_of(made) == [("write", 0, 104), ("write", 0, 4), ("pause", 0, 0)]


def test_reads_come_in_whole_buffers_and_from_them() -> None:
    reads = [(READ, 0, at, 10) for at in range(0, 100, 10)]
    made, _ = with_buffer(job([*reads, (PAUSE, -1, 0, 0)], reach=90), 40)
    assert rows_of(made) == [("read", 0, 40), ("read", 40, 40), ("read", 80, 10), ("read", 90, 10),
                             ("pause", 0, 0)]  # fmt: skip


def test_opens_marks_and_calls_of_nothing_stay() -> None:
    rows = [(OPEN, 0, 0, 0), (READ, 0, 0, 0), (PASS, -1, 0, 0)]
    made, _ = with_buffer(job(rows), 40)
    assert rows_of(made) == [("open", 0, 0), ("read", 0, 0), ("pass", 0, 0)]


def test_what_is_left_is_written_at_the_end_of_a_client_without_a_pause() -> None:
    made, cause = with_buffer(job([(WRITE, 0, 0, 10), (PAUSE, -1, 0, 0), (WRITE, 0, 10, 5)]), 40)
    assert rows_of(made) == [("pause", 0, 0), ("write", 0, 15)]
    assert list(made.table.gap) == [2, 1]
    assert list(cause) == [1, 2]


def test_it_is_written_before_the_mark_that_others_wait_for() -> None:
    made, _ = with_buffer(job([(WRITE, 0, 0, 10), (PASS, -1, 0, 0)]), 40)
    assert rows_of(made) == [("write", 0, 10), ("pass", 0, 0)]


def test_computing_at_the_end_stays() -> None:
    made, _ = with_buffer(job([(READ, 0, 0, 10), (SEEK, 0, 0, 0)], reach=10), 40)
    assert rows_of(made) == [("read", 0, 10), ("pause", 0, 0)]
    assert list(made.table.gap) == [1, 1]


def draw_rows(rng: Random) -> list[tuple[int, int, int, int]]:
    rows = []
    for _ in range(rng.randint(0, 40)):
        kind = rng.choice([WRITE, WRITE, WRITE, READ, SEEK, CLOSE])
        size = 0 if kind in (SEEK, CLOSE) else rng.choice([0, 1, 4, 9, 30, 80])
        rows.append((kind, rng.randint(0, 2), rng.randint(0, 110), size))
    return [*rows, (PAUSE, -1, 0, 0)]


@settings(max_examples=examples(400))
@given(st.randoms(use_true_random=False), st.sampled_from([1, 3, 10, 64, 1000]))
def test_files_are_written_where_they_were_and_reads_find_all(rng: Random, buffer: int) -> None:
    before = job(draw_rows(rng))
    after, cause = with_buffer(before, buffer)
    assert sum(after.table.gap) == sum(before.table.gap)
    touched: list[set[tuple[int, int]]] = []
    for table in (before.table, after.table):
        cells = set()
        for kind, file, offset, size in zip(
            table.kind, table.file, table.offset, table.size, strict=True
        ):
            if kind == WRITE:
                cells |= {(file, at) for at in range(offset, offset + size)}
        touched.append(cells)
    assert touched[0] == touched[1]
    assert list(cause) == sorted(cause)
    check_order(before, after, list(cause))


def check_order(before: Traced, after: Traced, cause: list[int]) -> None:
    """Whatever is read has been written by then, as far as it had been before the buffer."""
    asked: set[tuple[int, int]] = set()
    written: set[tuple[int, int]] = set()
    done = 0
    for row, caused in enumerate(cause):
        while done < caused:
            add(before.table, done, asked)
            done += 1
        table = after.table
        if table.kind[row] == READ:
            span = {(table.file[row], table.offset[row] + i) for i in range(table.size[row])}
            assert span & asked <= written
        add(table, row, written)


def add(table: CallTable, row: int, cells: set[tuple[int, int]]) -> None:
    if table.kind[row] == WRITE:
        start = table.offset[row]
        cells |= {(table.file[row], at) for at in range(start, start + table.size[row])}


@pytest.mark.parametrize("buffer", [1, 10])
def test_two_clients_have_buffers_of_their_own(buffer: int) -> None:
    table = CallTable()
    for _ in range(2):
        table.add(WRITE, 0, 0, 4)
        table.add(PAUSE)
    clients = tuple(TracedClient(name, 0, -1, first, 2, 0) for name, first in (("a", 0), ("b", 2)))
    made, _ = with_buffer(Traced("t", table, clients, (TracedFile("f", 0, 4),)), buffer)
    assert rows_of(made) == [("write", 0, 4), ("pause", 0, 0)] * 2
    assert [one.first for one in made.clients] == [0, 2]
