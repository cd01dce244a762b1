"""Loops over rows in C++: as their twins in Python, and nothing outside of tables."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.mixing import TABLE_BITS
from simulator.runtime import lengthtable
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.listed import CallTable
from simulator.runtime.operations import (
    CLOSE,
    OPEN,
    PASS,
    PAUSE,
    READ,
    SEEK,
    STAT,
    SYNC,
    WAIT,
    WRITE,
)
from simulator.workload.buffered import gather
from simulator.workload.extents import UNKNOWN, follow
from tests.examples import examples

rowloops = pytest.importorskip("simulator.rowloops", reason="nothing is compiled here")
KINDS = (SEEK, READ, READ, WRITE, WRITE, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE, STAT, SYNC)


def drawn(rng: Random) -> tuple[CallTable, array[int], array[int], array[int]]:
    """Draw the rows of some clients on some files, whose buffers may be none."""
    table, clients = CallTable(), array("q")
    for _ in range(rng.randint(0, 4)):
        first = len(table)
        for _ in range(rng.randint(0, 30)):
            kind = rng.choice(KINDS)
            file = -1 if kind in (PASS, WAIT, PAUSE) else rng.randint(0, 3)
            size = rng.choice([0, 1, 4, 9, 30, 80])
            table.add(kind, file, rng.randint(0, 110), size, gap=rng.randint(0, 3))
        clients.extend((first, len(table)))
    sizes = array("q", [rng.choice([0, 1, 10, 64]) for _ in range(4)])
    return table, clients, sizes, array("q", [rng.randint(0, 150) for _ in range(4)])


@settings(max_examples=examples(200))
@given(st.randoms(use_true_random=False), st.booleans())
def test_buffers_are_those_of_the_twin(rng: Random, ordered: bool) -> None:
    table, clients, sizes, reach = drawn(rng)
    columns = (table.kind, table.file, table.offset, table.size, table.gap)
    made = rowloops.gather(*columns, clients, sizes, reach, ordered)
    assert made == gather(table, clients, sizes, reach, ordered)


@settings(max_examples=examples(200))
@given(st.randoms(use_true_random=False))
def test_lengths_of_files_are_those_of_the_twin(rng: Random) -> None:
    table, *_ = drawn(rng)
    offset = array("q", [rng.choice([one, UNKNOWN]) for one in table.offset])
    answers = []
    for run in (follow, rowloops.follow):
        columns = [array("q", bytes(8 * 4)) for _ in range(3)]
        columns.append(array("b", [0, 1, 0, 1]))
        placed = array("q", offset)
        answers.append((run(table.kind, table.file, placed, table.size, *columns), placed, columns))
    assert answers[0] == answers[1]


@settings(max_examples=examples(100))
@given(st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(1, 9), st.integers(0, 10**4))
@pytest.mark.parametrize("listed", [False, True])
def test_lengths_of_records_are_those_of_the_twin(
    listed: bool, key: int, low: int, more: int, total: int
) -> None:
    made = []
    for compiled in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lengthtable, "COMPILED", compiled)
            table = LengthTable()
            table.add_in_turn([1, 2], 5, 1)  # The pool of the next row does not begin at 0.
            if listed:
                row = table.add_from_table(key, [low, low + more] * (1 << TABLE_BITS - 1), total)
            else:
                row = table.add_evenly(key, low, low + more, total)
        made.append([table.described(row), [table.length(row, i) for i in range(table.count[row])]])
    assert made[0] == made[1]
    assert sum(made[0][1]) == total


def test_rows_outside_of_tables_are_refused() -> None:
    one, four, eight = array("b", [WRITE]), array("i", [2]), array("q", [0])
    files = (array("q", [0, 0]), array("q", [0, 0]))
    with pytest.raises(ValueError, match="of no file"):
        rowloops.gather(one, four, eight, eight, eight, array("q", [0, 1]), *files, False)
    with pytest.raises(ValueError, match="not in the table"):
        rowloops.gather(
            one, array("i", [1]), eight, eight, eight, array("q", [0, 2]), *files, False
        )
    with pytest.raises(ValueError, match="of no file"):
        rowloops.follow(one, four, eight, eight, *files, files[0], array("b", [0, 0]))
    with pytest.raises(ValueError, match="differ in length"):
        rowloops.follow(one, four, array("q", [0, 1]), eight, *files, files[0], array("b", [0, 0]))
    with pytest.raises(ValueError, match="another width"):
        rowloops.follow(four, four, eight, eight, *files, files[0], array("b", [0, 0]))
    with pytest.raises(ValueError, match="not in the table"):
        rowloops.in_turn(0, False, array("q", [0] * 5), 0, 2)
    for pool, low, span in ((array("q", [0] * 4096), 1, 1), (array("q", [0]), -1, 1), (b"", 0, 0)):
        with pytest.raises(ValueError, match="not in the table"):
            rowloops.draw(pool, 1, low, span, 0, 9)
