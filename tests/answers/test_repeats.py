"""Computing that comes with repeats: what goes with them, what stays, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simulator.answers.calls import Columns
from simulator.answers.filerewrites import read_once
from simulator.answers.patterns.of_traces.reopened import re_read
from simulator.answers.patterns.of_traces.rounds import poll, rewritten
from simulator.answers.repeats import after, text_once
from simulator.plan.codes import CLOSE, CREATE, OPEN, READ, RENAME, SEEK, STAT, WRITE
from simulator.workload.traced import Traced
from tests.answers.programs import END, GAP, Row, computing, program, traced

ROUNDS, BLOCK = 20, 8192


def calls(made: Traced) -> list[Row]:
    """Return the calls with the names of their files."""
    table = made.table
    rows = zip(table.kind, table.file, table.offset, table.size, strict=True)
    return [(kind, made.files[file].name, at, size) for kind, file, at, size in rows if file >= 0]


def scans(rounds: int = ROUNDS) -> list[Row]:
    """An archive gone through from its begin up to the next member, with looks at a clock."""
    rows: list[Row] = []
    for number in range(rounds):
        rows += [(OPEN, "archive", 0, 0), (SEEK, "archive", 0, 0)]
        for block in range(number + 1):
            rows += [(READ, "archive", BLOCK * block, BLOCK), (STAT, "clock", 0, 0)]
        rows += [(SEEK, "archive", 0, 0), (CLOSE, "archive", 0, 0)]
    return rows


def test_of_what_is_gone_through_again_the_first_pass_stays() -> None:
    made = traced({"a": [*scans(), END]})
    (found,) = re_read(program(made, "workstation"))
    _, kept = found.cures
    cured = made
    for rewrite in kept.change.rewrites:
        cured = rewrite(cured)
    again = ROUNDS * (ROUNDS - 1) // 2
    assert found.calls == again
    assert calls(cured).count((READ, "archive", 0, BLOCK)) == 1
    # What is before the look and the read that follow each repeated one; after an open the seek and
    # the read. What is computed after the last block of a round, which is new, stays.
    gone = 2 * again + 2 * (ROUNDS - 1)
    assert computing(made)["a"] - computing(cured)["a"] == gone * GAP
    assert f"Up to {gone} us of what is saved is computing" in kept.presumes
    assert "from none of it to all but the first pass" in kept.presumes


def test_what_has_been_written_in_between_is_not_made_again() -> None:
    rows: list[Row] = [(READ, "in", 0, BLOCK), (WRITE, "in", 0, BLOCK)] * ROUNDS
    made = traced({"a": [*rows, END]})
    (found,) = re_read(program(made, "workstation"))
    assert [one.kind for one in found.cures] == [""]


def test_after_a_call_that_goes_nothing_is_computed_until_another_does_something() -> None:
    rows: list[Row] = [
        *[(READ, "in", 0, 9), (STAT, "x", 0, 0), (SEEK, "in", 0, 0), (OPEN, "y", 0, 0)],
        *[(READ, "y", 0, 9), (READ, "in", 0, 9), (CLOSE, "in", 0, 0), END],
    ]
    columns = Columns(traced({"a": rows, "b": rows}))
    gone = (columns.kind == READ) & (columns.file == 0)
    mine = [False, True, True, True, False, False, True, True]
    assert after(columns, gone).tolist() == mine * 2  # The other process begins anew.


def polls(size: int) -> list[Row]:
    """A file read, closed, and then something made of it."""
    return [(OPEN, "in", 0, 0), (READ, "in", 0, size), (CLOSE, "in", 0, 0)] * ROUNDS


def test_what_is_computed_after_a_round_is_made_of_the_file_if_it_may_be() -> None:
    # 1 us is little for 8 KiB, and much for 10 B: then what is before each open is another's, and
    # so is the end. Else the first round stays, with what is computed after it.
    for size, stays in ((BLOCK, 4), (10, 3 + 19 + 1)):
        made = traced({"a": [*polls(size), END]})
        (found,) = poll(program(made, "workstation"))
        once = found.cures[1].change.rewrites[0](made)
        assert computing(once)["a"] == stays * GAP
        assert found.cures[1].presumes.count("estimate") == 1


def growing(each_ns: int, own_ns: int, *, steps: int = 40) -> Traced:
    """A text that grows by 1 kB with each step is made, written and put in place."""
    rows: list[Row] = []
    for step in range(1, steps + 1):
        size = 1000 * step
        rows += [(CREATE, "t", 0, 0), (WRITE, "t", 0, size)]
        rows += [(CLOSE, "t", 0, 1), (RENAME, "t", 0, 0)]
    made = traced({"a": [*rows, END]}, gap=0)
    gap = made.table.gap
    for step in range(1, steps + 1):
        gap[4 * (step - 1)] = own_ns + each_ns * 1000 * step
    return made


def test_text_that_is_made_for_each_write_is_made_once() -> None:
    """What grows with the bytes goes, but for the last; what each step computes itself stays."""
    made = growing(3, 5000)
    cured = text_once(made, np.array([0]))
    assert list(cured.table.gap)[::4] == [*[5000] * 39, 5000 + 3 * 40_000, 0]
    (found,) = rewritten(program(made, "workstation"))
    assert "Up to 2.34 ms of what is saved is computing" in found.cures[0].presumes


def test_steps_that_take_the_same_for_any_size_make_no_text() -> None:
    made = growing(0, 5000)
    assert text_once(made, np.array([0])).table.gap == made.table.gap
    (found,) = rewritten(program(made, "workstation"))
    assert "estimate" not in found.cures[0].presumes


def test_of_texts_that_are_all_as_long_nothing_is_known() -> None:
    made = growing(3, 5000)
    table = replace(made.table, size=made.table.size[:])
    for row, kind in enumerate(table.kind):
        if kind == WRITE:
            table.size[row] = 1000
    same = replace(made, table=table)
    assert text_once(same, np.array([0])).table.gap == same.table.gap


def test_the_first_pass_takes_what_a_repeat_takes_even_if_its_log_has_it_elsewhere() -> None:
    """A tracer that took long leaves nothing before some calls, and much before others."""
    made = traced({"a": [*polls(BLOCK), END]}, gap=0)
    gap = made.table.gap
    for row in range(30, 60, 3):
        gap[row] = 190 * GAP // 10  # Before ten of the later opens.
    once = read_once(made, np.array([0]), made=True)
    assert computing(once)["a"] == 190 * GAP // (ROUNDS - 1)
