"""Rewrites of random programs keep what is written, computed and awaited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.answers.advise import rewriting
from simulator.answers.calls import Columns
from simulator.answers.filerewrites import (
    larger_direct,
    no_sync,
    not_direct,
    one_file,
    own_files,
    read_less,
    read_once,
    sync_all,
)
from simulator.answers.patterns.of_traces.strides import without_holes
from simulator.answers.rewrites import (
    align,
    buffered,
    go_on,
    in_order,
    keep_in_memory,
    keep_open,
    one_sync,
    read_whole,
)
from simulator.plan.codes import (
    CLOSE,
    DIRECT,
    METADATA,
    OPEN,
    PASS,
    READ,
    SEEK,
    STAT,
    SYNC,
    SYNCED,
    WAIT,
    WRITE,
)
from simulator.replay.advice import findings_in
from simulator.workload.libraries import LibraryCosts
from simulator.workload.traced import Traced
from tests.answers.programs import END, Row, computing, job, joined, order, program, traced, written
from tests.examples import examples

FILES = ("f", "g")
CALLS = st.tuples(
    st.sampled_from(
        (SEEK, READ, READ, WRITE, WRITE, WRITE, WRITE | SYNCED, OPEN, CLOSE, STAT, SYNC)
    ),
    st.sampled_from(FILES),
    st.integers(0, 40),
    st.integers(0, 12),
)


@st.composite
def programs(draw: st.DrawFn) -> Traced:
    """Two clients with random calls; the second waits for a mark that the first passes."""
    clients: dict[str, list[Row]] = {}
    for name, mark in (("a", (PASS, "", 0, 0)), ("b", (WAIT, "", 0, 0))):
        rows: list[Row] = list(draw(st.lists(CALLS, max_size=25)))
        ends = dict.fromkeys(FILES, 0)
        for place, (kind, file, anywhere, size) in enumerate(rows):
            # Half of the calls go on where the one before ended.
            offset = ends[file] if draw(st.booleans()) else anywhere
            moves = kind & 31 in (READ, WRITE)
            rows[place] = kind, file, offset if moves else 0, size if moves else 0
            ends[file] = offset + size if moves else ends[file]
        rows.insert(draw(st.integers(0, len(rows))), mark)
        clients[name] = [*rows, *([END] if draw(st.booleans()) else [])]
    return traced(clients, marks=1)


def rows_of(made: Traced) -> list[tuple[int, int, int, int]]:
    """Return kind, file, offset and size of each row."""
    table = made.table
    return list(zip(table.kind, table.file, table.offset, table.size, strict=True))


def everything(made: Traced) -> np.ndarray:
    return np.unique(Columns(made).pair[Columns(made).pair >= 0])


@pytest.mark.parametrize(
    "rewrite",
    [
        *(keep_open, one_sync, partial(one_sync, each=20), keep_in_memory, read_whole, go_on),
        partial(in_order, most=20),
    ],
)
@settings(max_examples=examples(40))
@given(made=programs())
def test_calls_dropped_or_changed(rewrite: Callable[..., Traced], made: Traced) -> None:
    cured = rewrite(made, everything(made))
    assert written(cured) == written(made)
    assert computing(cured) == computing(made)
    assert order(cured) == order(made)


def test_reads_in_order_take_neighbours_with_them_and_give_no_reason_to_read_ahead() -> None:
    places = [50, 0, 20, 10, 0, 70, 30]
    made = traced({"a": [(READ, "f", at, 10) for at in places]})
    cured = in_order(made, np.array([0]), 20)
    extents = [one[2:] for one in rows_of(cured) if one[0] == READ]
    assert extents == [(0, 20), (20, 20), (50, 10), (70, 10)]  # No more than 20 bytes by one call.
    # Pages with gaps between them are read one by one, as they are.
    pages = np.random.default_rng(5).permutation(2000)[:300] * 4096
    slow = job(traced({"a": [(READ, "f", int(at), 4096) for at in pages]}), "workstation")
    sort = rewriting(in_order, np.array([0]), 1 << 20)
    ran = slow.run(sort)
    left = len(slow.rewritten(sort).table) / 300
    assert ran is not None
    assert ran.elapsed_ns == pytest.approx(left * slow.base.elapsed_ns, rel=0.25)


def test_reads_that_go_back_read_each_byte_once() -> None:
    rows = [row for at in range(0, 50, 10) for row in ((SEEK, "f", at, 0), (READ, "f", at, 16))]
    cured = go_on(traced({"a": [*rows, END]}), np.array([0]))
    parts = [(READ, 0, at + 6, 10) for at in range(10, 50, 10)]
    assert rows_of(cured) == [(READ, 0, 0, 16), *parts, (END[0], -1, 0, 0)]


@pytest.mark.parametrize(
    "rewrite", [sync_all, no_sync, one_file, read_once, partial(read_once, ask=True), not_direct,
                partial(larger_direct, least=10), partial(read_less, most=5)]
)  # fmt: skip
@settings(max_examples=examples(40))
@given(made=programs(), direct=st.booleans())
def test_files_as_wholes(rewrite: Callable[..., Traced], made: Traced, direct: bool) -> None:
    """Of the first client alone: a file that is put into another one is of one place."""
    if direct:
        for row, kind in enumerate(made.table.kind):
            made.table.kind[row] |= DIRECT if kind & 31 in (READ, WRITE) else 0
    mine = everything(made)[everything(made) < 1 << 32]
    cured = rewrite(made, mine)
    before = computing(made)
    if getattr(rewrite, "func", rewrite) is read_once:  # What it makes of a round goes with that.
        assert all(ns <= before[one] for one, ns in computing(cured).items())
    else:
        assert computing(cured) == before
    assert order(cured) == order(made)
    assert moved(cured) == moved(made)
    if rewrite in (sync_all, no_sync):
        syncs = [kind for kind, _ in calls_of(cured, 0) if kind == SYNC or kind & SYNCED]
        assert len(syncs) <= (rewrite is sync_all)


def moved(made: Traced) -> dict[str, int]:
    """Return the bytes that each client writes, in all its calls."""
    found: dict[str, int] = {}
    for number, one in enumerate(made.clients):
        sizes = [size for kind, size in calls_of(made, number) if kind & 31 == WRITE]
        found[one.name] = sum(sizes)
    return found


def calls_of(made: Traced, client: int) -> list[tuple[int, int]]:
    """Return the kinds and sizes of a client's calls."""
    table, one = made.table, made.clients[client]
    return [(table.kind[row], table.size[row]) for row in range(one.first, one.first + one.calls)]


@pytest.mark.parametrize("unit", [4, 10])
@settings(max_examples=examples(60))
@given(made=programs())
def test_calls_aligned_or_gathered(unit: int, made: Traced) -> None:
    for cured in (align(made, everything(made), unit), buffered(made, everything(made), unit)):
        assert written(cured) == written(made)
        assert computing(cured) == computing(made)
        assert order(cured) == order(made)
        assert writes_before(cured) == writes_before(made)


def writes_before(made: Traced) -> list[dict[tuple[int, int], list[tuple[int, int]]]]:
    """What each client has written to each file before its mark, and before each of its syncs."""
    table, found = made.table, []
    for one in made.clients:
        state: dict[int, list[tuple[int, int]]] = {}
        seen: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for row in range(one.first, one.first + one.calls):
            kind, file = table.kind[row], table.file[row]
            if kind & 31 == WRITE and table.size[row]:
                end = table.offset[row] + table.size[row]
                state.setdefault(file, []).append((table.offset[row], end))
            elif kind in (PASS, WAIT):
                seen |= {(-1, name): joined(extents) for name, extents in state.items()}
            elif kind == SYNC:
                seen[len(seen), file] = joined(state.get(file, []))
        found.append(seen)
    return found


@settings(max_examples=examples(60))
@given(made=programs())
def test_files_of_their_own_have_as_many_bytes(made: Traced) -> None:
    cured = own_files(made, np.array([0]))
    assert computing(cured) == computing(made)
    assert order(cured) == order(made)
    others = Columns(cured).pair[Columns(made).file != 1]
    others = np.unique(others[others >= 0])
    assert len(np.unique(others & 0xFFFFFFFF)) == len(others)
    old, new = Columns(made), Columns(cured)
    for pair in everything(made).tolist():
        rows = (old.pair == pair) & (old.kind & 31 == WRITE) & (old.size > 0)
        assert _size(old, rows) == _size(new, rows)


@settings(max_examples=examples(40))
@given(made=programs())
def test_files_without_holes_have_as_many_bytes(made: Traced) -> None:
    cured = without_holes(made, everything(made), 64)
    assert computing(cured) == computing(made)
    assert order(cured) == order(made)
    old, new = Columns(made), Columns(cured)
    for file in range(len(made.files)):
        of_file = [(one.file == file) & (one.size > 0) for one in (old, new)]
        moves = [
            (one.kind & 31 == WRITE) & which for one, which in zip((old, new), of_file, strict=True)
        ]
        assert _size(old, moves[0]) == _size(new, moves[1])


def test_files_without_holes_by_hand() -> None:
    """Two ranks write 30 of 100 bytes: each has its part, and what it writes in the order of that.

    Where they write the same 5 bytes, these are there once, and all are in one order.
    """
    rows = {"a": [(WRITE, "f", 0, 10), (WRITE, "f", 90, 10), END], "b": [(WRITE, "f", 20, 10), END]}
    both = np.array([0, 1 << 32])
    cured = without_holes(traced(rows), both, 16)
    assert _moves(cured) == [(WRITE, 0, 10), (WRITE, 10, 10), (WRITE, 20, 10)]
    assert cured.files[0].size == 30
    rows["b"][0] = (WRITE, "f", 5, 10)
    cured = without_holes(traced(rows), both, 16)
    assert _moves(cured) == [(WRITE, 0, 10), (WRITE, 15, 10), (WRITE, 5, 10)]
    assert cured.files[0].size == 25


def _moves(made: Traced) -> list[tuple[int, int, int]]:
    table = made.table
    return [row for row in zip(table.kind, table.offset, table.size, strict=True) if row[2]]


def _size(columns: Columns, rows: np.ndarray) -> int:
    begin, size = columns.offset[rows], columns.size[rows]
    extents = joined(list(zip(begin.tolist(), (begin + size).tolist(), strict=True)))
    return sum(end - first for first, end in extents)


def test_aligned_writes_by_hand() -> None:
    rows = [(WRITE, "f", at, 6) for at in (2, 8, 14)]
    cured = align(traced({"a": [*rows, END]}), np.array([0]), 8)
    table = cured.table
    assert list(zip(table.kind, table.offset, table.size, strict=True)) == [
        (WRITE, 2, 6), (WRITE, 8, 12), (END[0], 0, 0)]  # fmt: skip
    assert list(table.gap) == [1_000, 2_000, 1_000]


def test_a_whole_file_is_read_at_first() -> None:
    rows = [(READ, "f", at, 4) for at in (20, 0, 8)]
    cured = read_whole(traced({"a": [*rows, END]}), np.array([0]))
    assert list(zip(cured.table.offset, cured.table.size, strict=True)) == [(0, 24), (0, 0)]
    assert list(cured.table.gap) == [1_000, 3_000]


def test_what_was_read_or_written_is_kept_in_memory() -> None:
    rows = [(WRITE, "f", 0, 10), (READ, "f", 2, 4), (READ, "f", 8, 4), (READ, "f", 10, 2)]
    cured = keep_in_memory(traced({"a": rows}), np.array([0]))
    kinds = list(zip(cured.table.kind, cured.table.offset, cured.table.size, strict=True))
    assert kinds == [(WRITE, 0, 10), (READ, 8, 4), (END[0], 0, 0)]
    assert list(cured.table.gap) == [1_000, 2_000, 1_000]


def test_what_is_kept_takes_memory_that_is_touched_first_and_is_far_if_it_is_much() -> None:
    """3 us for a page and 2 to read one; 1 MiB is near, and a page more is not.

    What a library keeps, and searches there, costs more often as much.
    """
    page = 4096
    for pages, far, search in ((256, 0, 1), (257, 2_000, 1), (256, 0, 3), (257, 2_000, 3)):
        memory = LibraryCosts(page=3_000, far=2_000, search=search)
        made = traced({"a": [(READ, "f", 0, pages * page), (READ, "f", 0, page), END]})
        made = replace(made, clients=(replace(made.clients[0], library=memory),))
        kept = keep_in_memory(made, np.array([0]))
        assert list(kept.table.gap) == [1_000 + 3_000 * pages, 2_000 + search * far]
        whole = read_whole(made, np.array([0]))
        assert list(whole.table.gap) == [1_000 + 3_000 * pages, 2_000 + far]


def test_the_last_close_says_that_something_was_written() -> None:
    rows = [(OPEN, "f", 0, 0), (WRITE, "f", 0, 1), (CLOSE, "f", 0, 1)]
    again = [(OPEN, "f", 0, 0), (READ, "f", 0, 1), (CLOSE, "f", 0, 0)]
    cured = keep_open(traced({"a": [*rows, *again, END]}), np.array([0]))
    assert list(cured.table.kind) == [OPEN, WRITE, READ, CLOSE, END[0]]
    assert list(cured.table.size) == [0, 1, 1, 1, 0]


ANY = st.tuples(
    st.sampled_from(
        (
            READ,
            READ,
            READ | DIRECT,
            WRITE,
            WRITE,
            WRITE | DIRECT,
            WRITE | SYNCED,
            SEEK,
            SYNC,
            *METADATA,
        )
    ),
    st.sampled_from(FILES),
    st.integers(0, 3_000_000),
    st.sampled_from((4, 1_000, 6_000, 4_096, 2_000_000)),
)


@st.composite
def loops(draw: st.DrawFn) -> Traced:
    """Clients that make the same calls again and again, further on in the file or not."""
    clients: dict[str, list[Row]] = {}
    for name in ("a", "b", "c", "d")[: draw(st.integers(1, 4))]:
        body: list[Row] = draw(st.lists(ANY, min_size=1, max_size=6))
        step = draw(st.sampled_from((0, 1_000, 6_000, 4_096)))
        rows = [
            (kind, file, offset + step * turn, size)
            if kind & 31 in (READ, WRITE)
            else (kind, file, 0, 0)
            for turn in range(20)
            for kind, file, offset, size in body
        ]
        clients[name] = [*rows, END]
    return traced(clients)


@settings(max_examples=examples(100))
@given(made=loops())
def test_whatever_is_found_is_cured_without_loss(made: Traced) -> None:
    for finding in findings_in(program(made, "nfs-lab")):
        assert finding.files
        assert finding.calls > 0
        for cure in finding.cures:
            cured = made
            for rewrite in cure.change.rewrites:
                cured = rewrite(cured)
            once = finding.pattern in ("poll", "re-list", "reopened", "rewritten")
            if once or cure.kind == "made":  # It is made once.
                before = computing(made)
                assert all(ns <= before[one] for one, ns in computing(cured).items())
            else:  # Who reads ahead for others computes nothing.
                before = computing(made)
                assert computing(cured) == dict.fromkeys(computing(cured), 0) | before
            if finding.pattern not in ("shared-hotspot", "strided-write", "strided-read"):
                assert written(cured) == written(made)
