"""Computing that comes with repeats: what goes with them, what stays, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simulator.answers.advise import Advice, Change
from simulator.answers.calls import Columns
from simulator.answers.filerewrites import read_once
from simulator.answers.patterns.of_traces.reopened import re_read
from simulator.answers.patterns.of_traces.rounds import poll, rewritten
from simulator.answers.repeats import after, text_once
from simulator.answers.rewrites import keep_in_memory
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    OPEN,
    READ,
    RENAME,
    SEEK,
    STAT,
    SYNC,
    UNLINK,
    WRITE,
)
from simulator.units import format_time
from simulator.workload.traced import Traced
from tests.answers.programs import END, GAP, Row, computing, job, program, traced

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
    assert kept.doubt_ns == gone * GAP


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
        doubts = {one.doubt_ns for one in found.cures}
        assert doubts == {computing(made)["a"] - stays * GAP}


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
    assert found.cures[0].doubt_ns == 2_340_000


def test_steps_that_take_the_same_for_any_size_make_no_text() -> None:
    made = growing(0, 5000)
    assert text_once(made, np.array([0])).table.gap == made.table.gap
    (found,) = rewritten(program(made, "workstation"))
    assert found.cures[0].doubt_ns == 0


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


def test_what_is_computed_at_the_end_of_a_stretch_is_also_of_what_was_looked_for() -> None:
    """Ten times 16 KiB are gone through; 5 us at the end, where others have 1 us, leave 4 us."""
    rows: list[Row] = []
    for _ in range(10):
        rows += [(READ, "f", 4_096 * part, 4_096) for part in range(4)]
        rows.append((SEEK, "f", 0, 0))
    made = traced({"a": [*rows, END]})
    for row in range(4, 50, 5):
        made.table.gap[row] = 5 * GAP
    cured = keep_in_memory(made, np.array([0]), made=True)
    # The first time all of it, and the read after that; and the end of each other time.
    assert computing(cured)["a"] == (9 + 1 + 9 * 4) * GAP
    # Records all over a file are no stretches.
    apart = traced({"a": [*((READ, "f", 9_000 * (row % 4), 100) for row in range(40)), END]})
    apart.table.gap[20] = 50 * GAP
    cured = keep_in_memory(apart, np.array([0]), made=True)
    assert computing(cured)["a"] < 12 * GAP


def temporary(many: int, *more: Row, names: int = 1) -> Traced:
    """A file that is made, written, read and removed again, ``many`` times by turns of names."""
    rows: list[Row] = [(OPEN, "text", 0, 0), (READ, "text", 0, 4_000), (CLOSE, "text", 0, 0)]
    for number in range(many):
        name = f"tmp/{number % names}"
        rows += [(CREATE, name, 0, 0), (WRITE, name, 0, 100), (CLOSE, name, 0, 1)]
        rows += [(OPEN, name, 0, 0), (READ, name, 0, 100), (CLOSE, name, 0, 0)]
        rows += [*more, (UNLINK, name, 0, 0)]
    return traced({"a": [*rows, END], "b": [(OPEN, "mine", 0, 0), END]})


def test_a_file_that_is_made_and_removed_again_and_again_is_kept_in_memory() -> None:
    for names in (1, 20):
        made = temporary(20, names=names)
        (found,) = rewritten(program(made, "workstation"))
        assert "20 temporary files made, and removed by the same process, with" in found.found
        assert "20 writes and 20 reads; 100 B at most." in found.found
        (cure,) = found.cures
        assert "not in a temporary file" in cure.how
        cured = cure.change.rewrites[0](made)
        assert {made.files[file].name for file in cured.table.file if file >= 0} == {"text", "mine"}
        assert computing(cured) == computing(made)


def test_few_temporary_files_or_those_that_others_need_or_that_last_are_none() -> None:
    shared = temporary(20)
    shared.table.file[len(shared.table) - 2] = shared.table.file[3]  # Another process opens it.
    last = temporary(20, (SYNC, "tmp/0", 0, 0)), temporary(20, (RENAME, "tmp/0", 0, 0))
    for made in (temporary(15), shared, *last):
        assert rewritten(program(made, "workstation")) == []


def test_an_advice_says_between_what_a_run_takes_that_computes_what_the_log_does_not_say() -> None:
    it = job(traced({"a": [*scans(), END]}), "workstation")
    (found,) = re_read(program(it.rewritten(Change()), "workstation"))
    plain, made = found.cures
    assert plain.doubt_ns == 0
    assert made.doubt_ns > 0
    for cure in (plain, made, replace(made, doubt_ns=10**12)):
        ran = it.run(cure.change)
        assert ran is not None
        advice = Advice.of(found, cure, ran, it.base, ())
        most = min(ran.elapsed_ns + cure.doubt_ns, it.base.elapsed_ns)
        assert advice.most_ns == advice.to_record()["most_ns"] == most
        times = f"between {format_time(ran.elapsed_ns)} and {format_time(most)}: up to"
        assert (times in advice.in_doubt()) is bool(cure.doubt_ns)
        assert bool(advice.in_doubt()) is bool(cure.doubt_ns)
