"""Rewrites that treat files as wholes, by hand: which calls are left, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.answers.filerewrites import (
    larger_direct,
    no_sync,
    not_direct,
    one_file,
    read_less,
    read_once,
    sync_all,
    write_whole,
)
from simulator.answers.patterns.of_traces.files import sync_per_file
from simulator.answers.patterns.of_traces.rounds import re_list, rewritten
from simulator.answers.rewrites import align, buffered, keep_open
from simulator.answers.transactions import one_transaction, transacted, write_ahead
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    DIRECT,
    OPEN,
    READ,
    SEEK,
    STAT,
    SYNC,
    SYNCED,
    UNLINK,
    WRITE,
)
from simulator.workload.libraries import LibraryCosts
from simulator.workload.traced import Traced
from tests.answers.loops import (
    counts,
    lists,
    polls,
    put_in_place,
    statements,
    tiles,
    unpacked,
)
from tests.answers.programs import END, GAP, Row, computing, job, program, traced, written


def calls(made: Traced) -> list[Row]:
    """Return the calls with the names of their files, without pauses."""
    table, files = made.table, made.files
    rows = zip(table.kind, table.file, table.offset, table.size, strict=True)
    return [
        (kind, files[file].name, offset, size) for kind, file, offset, size in rows if file >= 0
    ]


def all_pairs(made: Traced) -> np.ndarray:
    return np.array(
        [
            number << 32 | made.table.file[row]
            for number, one in enumerate(made.clients)
            for row in range(one.first, one.first + one.calls)
            if made.table.file[row] >= 0
        ]
    )


def test_files_that_are_synced_together_are_written_back_as_one() -> None:
    made = traced({"a": [*unpacked(3, 5_000, sync=True), END]})
    cured = sync_all(made, np.unique(all_pairs(made)))
    volume = "d/0 and 2 more"
    assert calls(cured) == [
        (CREATE, "d/0", 0, 0), (WRITE, volume, 0, 5_000), (CLOSE, volume, 0, 1),
        (CREATE, "d/1", 0, 0), (WRITE, volume, 5_000, 5_000), (CLOSE, volume, 0, 1),
        (CREATE, "d/2", 0, 0), (WRITE, volume, 10_000, 5_000), (SYNC, volume, 0, 0),
        (CLOSE, volume, 0, 1),
    ]  # fmt: skip
    assert cured.files[3].size == 15_000


@pytest.mark.parametrize("count", [8, 64])
def test_one_sync_of_all_pays_one_commit(count: int) -> None:
    """A commit of the workstation's disk takes 12.7 ms: all but one of them go."""
    commit = 12_700_000
    made = traced({"a": [*unpacked(count, 5_000, sync=True), END]})
    it = job(made, "workstation")
    once = job(sync_all(made, np.unique(all_pairs(made))), "workstation").base
    never = job(no_sync(made, np.unique(all_pairs(made))), "workstation").base
    saved = it.base.elapsed_ns - once.elapsed_ns
    assert abs(saved - (count - 1) * commit) < commit / 2
    assert once.elapsed_ns > never.elapsed_ns + commit
    assert (once.left.dirty, never.left.dirty) == (0, count * 5_000)


def test_processes_one_after_the_other_sync_at_the_end_of_the_last() -> None:
    clients = {f"p{n}": [(WRITE, f"d/{n}", 0, 10), (SYNC, f"d/{n}", 0, 0)] for n in range(9)}
    made = traced(clients)
    assert sync_per_file(program(made, "workstation")) == []  # They live at the same time.
    made = replace(made, clients=tuple(replace(one, place=1) for one in made.clients))
    (found,) = sync_per_file(program(made, "workstation"))
    assert found.calls == 9
    cured = found.cures[0].change.rewrites[0](made)
    assert [row[0] for row in calls(cured)] == [WRITE] * 9 + [SYNC]
    assert cured.clients[-1].calls == 2
    assert computing(cured) == computing(made)


def test_synchronous_writes_of_many_files_end_in_one_sync() -> None:
    rows = [(WRITE | SYNCED, name, 0, 10) for name in "abc"]
    cured = sync_all(traced({"p": [*rows, END]}), np.array([0, 1, 2]))
    assert [row[0] for row in calls(cured)] == [WRITE, WRITE, WRITE, SYNC]


def test_many_files_become_parts_of_one() -> None:
    made = traced({"a": [*unpacked(3, 5_000, sync=False), END]})
    cured = one_file(made, np.unique(all_pairs(made)))
    volume = "d/0 and 2 more"
    assert calls(cured) == [
        (CREATE, volume, 0, 0), *((WRITE, volume, at, 5_000) for at in (0, 5_000, 10_000)),
        (CLOSE, volume, 0, 1),
    ]  # fmt: skip
    assert computing(cured) == computing(made)


def test_many_small_files_are_read_from_one() -> None:
    made = traced({"a": [*tiles(3), END]})
    cured = one_file(made, np.unique(all_pairs(made)))
    volume = "d/0 and 2 more"
    assert calls(cured) == [
        (OPEN, volume, 0, 0), *((READ, volume, at, 1000) for at in (0, 1000, 2000)),
        (CLOSE, volume, 0, 0),
    ]  # fmt: skip
    assert computing(cured) == computing(made)


def test_what_is_written_all_over_a_file_is_written_as_a_whole_at_last() -> None:
    rows = [(WRITE, "f", at, 8) for at in (16, 0, 8, 24)]
    made = traced({"a": [(OPEN, "f", 0, 0), *rows, (CLOSE, "f", 0, 1), END]})
    cured = write_whole(made, np.array([0]))
    assert calls(cured) == [(OPEN, "f", 0, 0), (WRITE, "f", 0, 32), (CLOSE, "f", 0, 1)]
    assert written(cured) == written(made)
    assert computing(cured) == computing(made)


def test_a_poll_reads_once_and_asks() -> None:
    made = traced({"a": [*polls(3), END]})
    once = read_once(made, np.array([0]))
    assert calls(once) == polls(1)
    within = 2 * (len(polls(1)) - 1) * GAP  # Of two rounds, but for their first calls.
    assert computing(once)["a"] == computing(made)["a"] - within
    asks = read_once(made, np.array([0]), ask=True)
    assert calls(asks) == [*polls(1), (STAT, "in", 0, 0), (STAT, "in", 0, 0)]


def test_a_poll_that_finds_something_new_is_left_alone() -> None:
    rows = [*polls(2), (OPEN, "in", 0, 0), (READ, "in", 0, 901), (CLOSE, "in", 0, 0)]
    assert calls(read_once(traced({"a": rows}), np.array([0]))) == rows


def test_direct_calls_become_larger() -> None:
    rows = [(WRITE | DIRECT, "f", at, 4) for at in range(0, 40, 4)]
    cured = larger_direct(traced({"a": [*rows, END]}), np.array([0]), 16)
    assert calls(cured) == [(WRITE | DIRECT, "f", *one) for one in ((0, 16), (16, 16), (32, 8))]
    assert list(cured.table.gap) == [4_000, 4_000, 2_000, 1_000]  # Written when all is there.
    reads = [(READ | DIRECT, "f", at, 4) for at in range(0, 40, 4)]
    cured = larger_direct(traced({"a": [*reads, END]}), np.array([0]), 16)
    assert calls(cured) == [(READ | DIRECT, "f", *one) for one in ((0, 16), (16, 16), (32, 8))]
    assert list(cured.table.gap) == [1_000, 4_000, 4_000, 2_000]  # Read before the first is used.


def test_direct_calls_elsewhere_or_with_a_call_between_stay() -> None:
    rows = [(WRITE | DIRECT, "f", 0, 4), (SYNC, "f", 0, 0), (WRITE | DIRECT, "f", 4, 4),
            (WRITE | DIRECT, "f", 100, 4), (READ | DIRECT, "f", 104, 4)]  # fmt: skip
    assert calls(larger_direct(traced({"a": rows}), np.array([0]), 64)) == rows


def test_without_o_direct_the_page_cache_takes_the_calls() -> None:
    rows = [(WRITE | DIRECT, "f", 0, 4), (READ | DIRECT, "f", 0, 4), (WRITE | DIRECT, "g", 0, 4)]
    cured = not_direct(traced({"a": rows}), np.array([0]))
    assert [row[0] for row in calls(cured)] == [WRITE, READ, WRITE | DIRECT]


def test_only_reads_elsewhere_become_shorter() -> None:
    rows = [(READ, "f", at, 100) for at in (0, 700, 800, 5_000)]
    cured = read_less(traced({"a": rows}), np.array([0]), 10)
    assert [row[3] for row in calls(cured)] == [10, 100, 100, 10]


# -- SQLite --------------------------------------------------------------------------------------


def sqlite(count: int) -> tuple[Traced, Traced, Traced, Traced]:
    """Return statements, in one transaction, with a log, and with one that is not synced."""
    made = traced({"a": [*statements(count), END]})
    (one,) = transacted(made, 2)
    assert one.transactions == count
    logs = (write_ahead(made, one, lazy=lazy) for lazy in (False, True))
    return made, one_transaction(made, one), *logs


def test_one_transaction_has_one_journal_and_two_syncs() -> None:
    made, one, _, _ = sqlite(8)
    found = calls(one)
    assert [row for row in found if row[0] == SYNC] == [
        (SYNC, "a.db-journal", 0, 0), (SYNC, "a.db", 0, 0)]  # fmt: skip
    assert found.count((CREATE, "a.db-journal", 0, 0)) == 1
    assert found[-1] == (UNLINK, "a.db-journal", 0, 0)
    pages = [row[2] for row in found if row[:2] == (WRITE, "a.db")]
    assert sorted(pages) == [0, 4096, 8192]
    # Only the first page was there before: it is in the journal once.
    assert sum(row[3] for row in found if row[:2] == (WRITE, "a.db-journal")) == 512 + 4104
    # What goes has SQLite's computing before it; that before a statement is the program's.
    gone = len(calls(made)) - len(found) - 7
    assert computing(one)["a"] == computing(made)["a"] - gone * GAP


def test_a_library_computes_no_more_for_calls_that_go() -> None:
    """Of ten writes to a file nine go: 300 ns before each of 1,000; of 900 half."""
    rows = [(WRITE, "f", at, 4) for at in range(0, 40, 4)]
    made = traced({"a": [*rows, END]})
    for costs, goes in ((LibraryCosts(300), 300), (LibraryCosts(900), 500), (LibraryCosts(), 0)):
        one = replace(made, clients=tuple(replace(c, library=costs) for c in made.clients))
        for cured, less in (
            (align(one, np.array([0]), 40), 9 * goes),
            # Computing for the call that is left stays.
            (buffered(one, np.array([0]), 40), 10 * goes - costs.call),
        ):
            assert calls(cured) == [(WRITE, "f", 0, 40)]
            assert computing(cured)["a"] == computing(made)["a"] - less


def test_opening_costs_a_library_all_that_it_says_but_for_a_turn_of_the_loop() -> None:
    """1 us is computed before each of three opens, and as much until its file is written to."""
    rows = [(OPEN, "f", 0, 0), (WRITE, "f", 0, 4), (CLOSE, "f", 0, 1)] * 3
    made = traced({"a": [*rows, END]})
    for costs, goes in (
        (LibraryCosts(open=900), 900),
        (LibraryCosts(open=900, turn=50), 900),
        (LibraryCosts(open=1_100), 1_100),
        (LibraryCosts(open=2_500), 2_000),
        (LibraryCosts(open=900, turn=1_500), 500),
        (LibraryCosts(open=900, turn=2_000), 0),
    ):
        one = replace(made, clients=(replace(made.clients[0], library=costs),))
        assert computing(keep_open(one, np.array([0])))["a"] == computing(made)["a"] - 2 * goes


def test_a_file_that_stays_open_is_where_it_was() -> None:
    """A library asks for the length of what it has opened to append to, and goes there."""
    rows: list[Row] = []
    for number in range(3):
        rows += [(OPEN, "f", 0, 0), (STAT, "f", 0, 0), (SEEK, "f", 4 * number, 0)]
        rows += [(WRITE, "f", 4 * number, 4), (SEEK, "f", 0, 0), (CLOSE, "f", 0, 1)]
    cured = keep_open(traced({"a": [*rows, END]}), np.array([0]))
    assert calls(cured) == [
        *rows[:5],
        *((WRITE, "f", 4, 4), (SEEK, "f", 0, 0), (WRITE, "f", 8, 4), (SEEK, "f", 0, 0)),
        (CLOSE, "f", 0, 1),
    ]


def test_what_only_copies_computes_nothing_but_for_its_calls() -> None:
    """Of ten writes to a file nine go, with all that was computed before them."""
    rows = [(WRITE, "f", at, 4) for at in range(0, 40, 4)]
    made = traced({"a": [*rows, END]})
    for only, goes in ((True, 1_000), (False, 30)):
        costs = LibraryCosts(30, only=only)
        one = replace(made, clients=(replace(made.clients[0], library=costs),))
        assert computing(align(one, np.array([0]), 40))["a"] == computing(made)["a"] - 9 * goes


def test_pages_of_a_later_transaction_are_in_the_journal_too() -> None:
    rows: list[Row] = [(READ, "a.db", 0, 40_960)]
    for number in range(10):
        rows += [
            (CREATE, "a.db-journal", 0, 0), (WRITE, "a.db-journal", 0, 4_616),
            (WRITE, "a.db", 4_096 * number, 4_096), (SYNC, "a.db", 0, 0),
            (UNLINK, "a.db-journal", 0, 0),
        ]  # fmt: skip
    made = traced({"a": rows})
    (one,) = transacted(made, 2)
    found = calls(one_transaction(made, one))
    assert sum(row[3] for row in found if row[:2] == (WRITE, "a.db-journal")) == 512 + 10 * 4_104


def test_a_log_has_each_page_and_the_database_is_written_from_it() -> None:
    made, _, log, lazy = sqlite(8)
    found = calls(log)
    frames = [row for row in found if row[:2] == (WRITE, "a.db-journal")]
    assert [row[2:] for row in frames[:2]] == [(32, 4_120), (4_152, 4_120)]
    assert len(frames) == 16
    assert sum(row[0] == SYNC for row in found) == 8 + 1
    assert sum(row[0] == SYNC for row in calls(lazy)) == 1 + 1
    for cured in (log, lazy):
        assert written(cured)["a.db"] == written(made)["a.db"]
        assert computing(cured) == computing(made)


def test_what_is_safer_takes_longer() -> None:
    made, *cures = sqlite(20)
    times = [job(cured, "workstation").base.elapsed_ns for cured in cures]
    one, log, lazy = times
    assert max(one, lazy) < log < job(made, "workstation").base.elapsed_ns


def test_a_counter_in_a_file_is_read_first_and_written_last() -> None:
    made = traced({"a": [*counts(20), END]})
    (found,) = rewritten(program(made, "nfs-lab"))
    cured = made
    for rewrite in found.cures[0].change.rewrites:
        cured = rewrite(cured)
    assert calls(cured) == [
        (OPEN, "n", 0, 0), (READ, "n", 0, 4), (WRITE, "n", 0, 4), (CLOSE, "n", 0, 1),
    ]  # fmt: skip
    within = 19 * 4 * GAP  # Of all rounds but the last what is between the open and the close.
    assert computing(cured)["a"] == computing(made)["a"] - within
    assert "each byte of which is written 20 times" in found.found
    assert found.cures[0].doubt_ns == 76_000


def test_of_files_that_are_put_in_place_the_last_is_left() -> None:
    made = traced({"a": [*put_in_place(20), END]})
    (found,) = rewritten(program(made, "nfs-lab"))
    text, last = found.cures[0].change.rewrites
    assert calls(last(made)) == put_in_place(1)
    assert computing(last(made)) == computing(made)
    assert calls(text(made)) == put_in_place(20)
    assert computing(text(made))["a"] == computing(made)["a"] - 19 * 3 * GAP


def test_of_lists_the_first_is_left() -> None:
    made = traced({"a": [*lists(20), END]})
    (found,) = re_list(program(made, "nfs-lab"))
    (once,) = found.cures[0].change.rewrites
    assert calls(once(made)) == lists(1)
    assert computing(once(made)) == {"a": 5 * GAP}  # Of a list, and what follows it once.
    assert found.cures[0].doubt_ns == 76_000


def test_what_takes_long_after_a_list_is_not_made_of_it() -> None:
    """A step of a computation, after which a folder is looked through for a file that ends it."""
    made = traced({"a": [*lists(20), END]}, gap=5_000_000)
    (found,) = re_list(program(made, "nfs-lab"))
    (once,) = found.cures[0].change.rewrites
    assert computing(once(made)) == computing(made)
    assert "Up to" not in found.cures[0].presumes
