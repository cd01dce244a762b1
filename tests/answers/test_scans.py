"""Tables read as a whole for each statement."""

from __future__ import annotations

import pytest

from simulator.answers.patterns.of_traces.rounds import poll
from simulator.answers.patterns.of_traces.scans import table_scan
from simulator.plan.codes import CLOSE, OPEN, READ
from tests.answers.programs import GAP, Row, job, program, traced

PAGES, STATEMENTS = 40, 20
FILE = "q.db"


def statements(many: int = STATEMENTS, pages: int = PAGES, *, step: int = 1) -> list[Row]:
    """Read the change counter, and then pages of 4 KiB, each ``step`` pages after the last."""
    rows: list[Row] = []
    for _ in range(many):
        rows.append((READ, FILE, 24, 16))
        rows += [(READ, FILE, 4096 * (1 + step * page), 4096) for page in range(pages)]
    return rows


def test_a_table_read_for_each_statement_wants_an_index() -> None:
    made = traced({"a": statements()})
    (found,) = table_scan(program(made, "workstation"))
    assert found.pattern == "table-scan"
    assert found.calls == PAGES * (STATEMENTS - 1)
    assert "20 statements read 40 pages each on average" in found.found
    (cure,) = found.cures
    assert "CREATE INDEX" in cure.how
    (rewrite,) = cure.change.rewrites
    cured = rewrite(made)
    sizes = list(cured.table.size)
    assert sizes.count(4096) == PAGES
    slow = job(traced({"a": statements()}, gap=1000 * GAP), "workstation")
    ran = slow.run(cure.change)
    assert ran is not None
    assert ran.elapsed_ns < 0.2 * slow.base.elapsed_ns  # What is computed after a page goes too.


@pytest.mark.parametrize(
    "rows",
    [
        statements(many=7),
        statements(pages=15),
        [(READ, FILE, 4096 * page, 4096) for page in range(900)],
        [row for row in statements() if row[3] == 4096],
        statements(step=5),
    ],
    ids=["few statements", "few pages", "one pass", "no SQLite", "by an index"],
)
def test_what_is_no_scan_is_silent(rows: list[Row]) -> None:
    assert table_scan(program(traced({"a": rows}), "workstation")) == []


def test_a_table_scanned_by_a_connection_for_each_statement_is_not_polled() -> None:
    rows = statements()
    apart = len(rows) // STATEMENTS
    opened: list[Row] = []
    for first in range(0, len(rows), apart):
        opened += [
            (OPEN, FILE, 0, 0),
            (READ, FILE, 0, 4096),
            *rows[first : first + apart],
            (CLOSE, FILE, 0, 0),
        ]
    made = program(traced({"a": opened}), "workstation")
    assert len(made.polled) == 1
    assert poll(made) == []
    assert [one.pattern for one in table_scan(made)] == ["table-scan"]
    few = [row for row in opened if row[2:] != (24, 16)]
    (found,) = poll(program(traced({"a": few}), "workstation"))
    assert found.pattern == "poll"


def test_a_table_that_another_process_writes_is_left() -> None:
    from simulator.plan.codes import WRITE

    made = traced({"a": statements(), "b": [(WRITE, FILE, 4096, 4096)]})
    assert table_scan(program(made, "workstation")) == []
