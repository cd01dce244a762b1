"""Records that are changed in place in the order of their file."""

from __future__ import annotations

from simulator.answers.patterns.of_traces.transfers import small_io
from simulator.answers.patterns.of_traces.updates import changed_in_order, updates
from simulator.plan.codes import READ, SEEK, WRITE
from simulator.workload.traced import Traced
from tests.answers.programs import END, Row, computing, program, traced, written
from tests.answers.test_file_rewrites import calls

RECORD, PAGE = 600, 4096


def changed(count: int, *, page: int = PAGE) -> Traced:
    """Return a program that reads what is around each record, goes back, and writes the record."""
    rows: list[Row] = []
    for at in range(0, count * RECORD, RECORD):
        rows += [(SEEK, "f", at, 0), (READ, "f", at // page * page, page), (SEEK, "f", at, 0)]
        rows.append((WRITE, "f", at, RECORD))
    return traced({"a": [*rows, END]})


def test_what_is_around_a_record_is_read_once_and_written_together() -> None:
    """Seventy records are 42,000 bytes: eleven pages are read, and a buffer of a page is full."""
    made = changed(70)
    (found,) = changed_in_order(program(made, "workstation"))
    assert found.pattern == "small-io"
    assert found.found.startswith("70 reads and 70 writes of 1 file in place, in its order, with")
    cured = made
    for rewrite in found.cures[0].change.rewrites:
        cured = rewrite(cured)
    left = calls(cured)
    assert [row[2:] for row in left if row[0] == READ] == [(n * PAGE, PAGE) for n in range(11)]
    assert SEEK not in {row[0] for row in left}
    assert (
        sum(row[0] == WRITE for row in left) <= 2 * 11
    )  # Before a page is read, what was changed is written.
    assert written(cured) == written(made)
    assert computing(cured) == computing(made)
    assert found.pattern in {one.pattern for one in small_io(program(made, "workstation"))}


def test_records_that_are_read_once_each_are_something_else() -> None:
    seen = program(changed(70, page=RECORD), "workstation")
    assert (changed_in_order(seen), updates(seen)) == ([], [])


def test_few_are_not_told() -> None:
    assert changed_in_order(program(changed(31), "workstation")) == []
