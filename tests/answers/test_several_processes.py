"""What several processes do with a file, one after the other: a shell's script and its commands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.answers.patterns.of_traces.files import many_files, transaction_per_row
from simulator.answers.patterns.of_traces.metadata import open_storm
from simulator.answers.rewrites import keep_open
from simulator.plan.codes import CLOSE, OPEN, READ, SYNC, UNLINK, WRITE
from simulator.workload.traced import Traced
from tests.answers.loops import around, each, statements, unpacked
from tests.answers.programs import END, Row, computing, program, traced
from tests.answers.test_file_rewrites import calls


def together(made: Traced) -> Traced:
    """Return a program whose processes live one after the other."""
    return replace(made, clients=tuple(replace(one, place=0) for one in made.clients))


def test_transactions_of_processes_one_after_the_other_become_one() -> None:
    apart = traced({f"p{n}": [*statements(1), END] for n in range(12)})
    assert transaction_per_row(program(apart, "workstation")) == []  # They live at the same time.
    made = together(apart)
    (found,) = transaction_per_row(program(made, "workstation"))
    assert "12 transactions of SQLite on a.db, with 24 syncs, by 12 processes" in found.found
    (cure,) = found.cures  # A log would be written back by each of them.
    assert cure.how.startswith("Give all statements to one sqlite3, between BEGIN and COMMIT")
    cured = cure.change.rewrites[0](made)
    left = calls(cured)
    assert [row for row in left if row[0] == SYNC] == [
        (SYNC, "a.db-journal", 0, 0), (SYNC, "a.db", 0, 0)]  # fmt: skip
    assert [row[2] for row in left if row[:2] == (WRITE, "a.db")] == [0, 4096]
    assert sum(row[:2] == (UNLINK, "a.db-journal") for row in left) == 1


@pytest.mark.parametrize(
    ("when", "another"), [(0, False), (1_500, True), (99_000, False), (None, True)]
)
def test_a_file_that_another_process_removed_before_or_after_is_the_same_file(
    when: int | None, another: bool
) -> None:
    rows = around(each(READ, "f", range(0, 20, 2), 2), "f")
    made = traced({"a": [*rows, END], "rm": [(UNLINK, "f", 0, 0), END]})
    began = np.arange(len(made.table), dtype=np.int64) * 100
    began[: len(rows)] += 1_000
    began[len(rows) + 1] = when or 0
    seen = program(made, "nfs-lab")
    seen.began = None if when is None else began
    assert seen.replaced(np.array([0])).tolist() == [another]
    assert bool(open_storm(seen)) is not another


@pytest.mark.parametrize(("when", "one"), [(0, True), (10**6, False), (None, False)])
def test_files_that_another_process_had_removed_before_can_be_one(
    when: int | None, one: bool
) -> None:
    """Times of a log tell what was removed before it was made; rows do so of one process only."""
    rows = unpacked(40, 500, sync=False)
    gone = [(UNLINK, f"d/{number}", 0, 0) for number in range(40)]
    made = together(traced({"tar": [*rows, END], "rm": [*gone, END]}))
    seen = program(made, "nfs-lab")
    if when is not None:
        seen.began = np.append(1_000 + np.arange(len(rows) + 1), when + np.arange(41))
    assert bool(many_files(seen)) is one


def test_a_shells_copy_of_what_it_redirected_goes_with_the_open() -> None:
    """Echo >> f: f is opened, written and closed, and then the copy of the standard output is."""
    once: list[Row] = [(OPEN, "f", 0, 0), (WRITE, "f", 0, 2), (CLOSE, "f", 0, 1),
                       (CLOSE, "out", 0, 0)]  # fmt: skip
    made = traced({"a": [*once * 9, END]})
    cured = keep_open(made, np.array([0]))
    ends = [(WRITE, "f", 0, 2), (CLOSE, "f", 0, 1), (CLOSE, "out", 0, 0)]
    assert calls(cured) == [(OPEN, "f", 0, 0), *[(WRITE, "f", 0, 2)] * 8, *ends]
    assert computing(cured) == computing(made)
    own = traced({"a": [(OPEN, "out", 0, 0), *once * 9, END]})
    closes = [row for row in calls(keep_open(own, np.array([1]))) if row[:2] == (CLOSE, "out")]
    assert len(closes) == 9
