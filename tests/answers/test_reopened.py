"""Files opened again for each part, and reads whose result could be kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from simulator.answers.patterns.of_traces.reopened import re_read, reopened
from simulator.answers.patterns.of_traces.rounds import poll
from simulator.plan.codes import CLOSE, OPEN, READ, SEEK, WRITE
from tests.answers.programs import GAP, Row, job, program, traced

END = (0, "", 0, 0)
ROUNDS = 40
FILE = "archive"


def archive(number: int) -> Sequence[Row]:
    """Open it, read the directory in two pieces, read a member."""
    return (
        (OPEN, FILE, 0, 0),
        (READ, FILE, 900_000, 4096),
        (SEEK, FILE, 0, 0),
        (READ, FILE, 904_096, 4096),
        (READ, FILE, 5000 * number, 5000),
        (CLOSE, FILE, 0, 0),
    )


def elsewhere(number: int) -> Sequence[Row]:
    """Read two parts, none of which another round reads."""
    first, *_, last = archive(number)
    return first, *((READ, FILE, 5000 * (2 * number + one), 5000) for one in (0, 1)), last


def changed(number: int) -> Sequence[Row]:
    first, *reads, last = archive(number)
    return first, *reads, (WRITE, FILE, 5000 * number, 100), last


def test_an_archive_opened_for_each_member_is_opened_once() -> None:
    made = traced({"a": [*(row for one in range(ROUNDS) for row in archive(one))]})
    (found,) = reopened(program(made, "workstation"))
    assert found.calls == 5 * (ROUNDS - 1)
    assert "39 opens and 39 closes of 1 file after the first, with 78 reads" in found.found
    (cure,) = found.cures
    (rewrite,) = cure.change.rewrites
    cured = rewrite(made)
    kinds = list(cured.table.kind)
    assert (kinds.count(OPEN), kinds.count(READ)) == (1, 2 + ROUNDS)
    # What is computed before an open, and after a member, stays; what is made of the directory
    # goes, and what is before the pieces of it. The last close is a pause, with its gap.
    left = sum(cured.table.gap)
    assert left == 6 * GAP + (ROUNDS - 1) * 2 * GAP
    slow = job(
        traced({"a": [*(row for one in range(ROUNDS) for row in archive(one))]}, gap=10**6),
        "workstation",
    )
    assert slow.run(cure.change).elapsed_ns < 0.5 * slow.base.elapsed_ns


@pytest.mark.parametrize("each", [elsewhere, changed])
def test_a_file_whose_parts_do_not_recur_or_change_is_not_advised(
    each: Callable[[int], Sequence[Row]],
) -> None:
    made = traced({"a": [row for one in range(ROUNDS) for row in each(one)]})
    assert reopened(program(made, "workstation")) == []


def test_the_same_part_each_time_is_found_by_one_pattern_alone() -> None:
    """Whole files by another one."""
    whole = ((OPEN, FILE, 0, 0), (READ, FILE, 0, 5000), (CLOSE, FILE, 0, 0))
    for rows, one in ((archive(0), True), (whole, False)):
        found = program(traced({"a": [*rows] * ROUNDS}), "workstation")
        assert (bool(reopened(found)), bool(poll(found))) == (one, not one)


def test_few_rounds_are_none() -> None:
    made = traced({"a": [row for one in range(6) for row in archive(one)]})
    assert reopened(program(made, "workstation")) == []


def test_what_is_made_of_a_chunk_that_is_read_again_can_be_kept() -> None:
    """A cache of one chunk, and rows that go through all of them."""
    rows = [(READ, FILE, 100_000 * (number % 8), 100_000) for number in range(80)]
    made = traced({"a": [(OPEN, FILE, 0, 0), *rows, (CLOSE, FILE, 0, 0)]})
    (found,) = re_read(program(made, "workstation"))
    plain, kept = found.cures
    assert kept.beside > plain.beside
    assert "cache" in kept.how
    gaps = [sum(one.change.rewrites[0](made).table.gap) for one in (plain, kept)]
    assert gaps[0] - gaps[1] == 72 * GAP


def test_what_is_read_again_by_chance_is_not_kept() -> None:
    rows = [(READ, FILE, 100_000 * number, 100_000) for number in range(80)]
    made = traced({"a": [(OPEN, FILE, 0, 0), *rows, rows[0], (CLOSE, FILE, 0, 0)]})
    assert re_read(program(made, "workstation")) == []


def test_what_is_computed_for_long_after_a_read_is_more_than_made_of_it() -> None:
    """A step of a simulation after each read of its boundary."""
    rows = [(READ, FILE, 100_000 * (number % 8), 100_000) for number in range(80)]
    one = [(OPEN, FILE, 0, 0), *rows, (CLOSE, FILE, 0, 0)]
    for gap, cures in ((4_000_000, 2), (6_000_000, 1)):
        (found,) = re_read(program(traced({"a": one}, gap=gap), "workstation"))
        assert len(found.cures) == cures
