"""The table of lengths against lists, and descriptions of lengths against the table."""

import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.mixing import TABLE_BITS, mix, pick
from simulator.runtime.lengths import (
    CycledLengths,
    DrawnLengths,
    FixedLengths,
    Lengths,
    ListedLengths,
    UniformLengths,
    fixed,
    lognormal,
)
from simulator.runtime.lengthtable import ROW, LengthTable
from simulator.runtime.records import LARGEST_FILE

sizes = st.integers(0, 40) | st.sampled_from([0, 1, 10**6, 2**31, 2**33])
some_sizes = st.lists(sizes, min_size=1, max_size=6)
keys = st.integers(0, 2**64 - 1)


def in_row(table: LengthTable, row: int) -> list[int]:
    return [table.length(row, i) for i in range(table.count[row])]


def in_turn(lengths: Sequence[int], count: int, last: int) -> list[int]:
    """The twin: a list that is written out."""
    out = [lengths[i % len(lengths)] for i in range(count)]
    return [*out[:-1], last] if out else []


def until(total: int, lengths: Sequence[int]) -> list[int]:
    """The twin of what is cut at a total."""
    out: list[int] = []
    for length in lengths:
        if total <= 0:
            break
        out.append(min(length, total))
        total -= length
    return out


@given(some_sizes, st.integers(0, 20), sizes)
def test_listed_lengths_come_in_turn(lengths: list[int], count: int, last: int) -> None:
    table = LengthTable()
    row = table.add_in_turn(lengths, count, last)
    twin = in_turn(lengths, count, last)
    assert in_row(table, row) == twin
    assert table.total[row] == sum(twin)
    assert table.longest[row] >= max(twin, default=0)


@given(keys, st.integers(0, 50), st.integers(1, 60), st.integers(0, 1000))
def test_lengths_are_drawn_evenly(key: int, low: int, more: int, total: int) -> None:
    table = LengthTable()
    row = table.add_evenly(key, low, low + more, total)
    draws = [low + mix(key, i + 1) % (more + 1) for i in range(3100)]
    assert in_row(table, row) == until(total, draws)
    assert table.total[row] == total


@given(keys, st.integers(0, 200_000))
def test_lengths_are_drawn_from_a_table(key: int, total: int) -> None:
    likely = [i % 700 for i in range(1 << TABLE_BITS)]
    table = LengthTable()
    row = table.add_from_table(key, likely, total)
    draws = [likely[pick(key, i + 1)] for i in range(3000)]
    assert in_row(table, row) == until(total, draws)
    assert (table.total[row], table.longest[row]) == (total, min(699, total))


@given(some_sizes, st.integers(0, 20), sizes, st.integers(1, 2**32))
def test_what_is_counted_is_what_is_there(
    lengths: list[int], count: int, last: int, most: int
) -> None:
    table = LengthTable()
    row = table.add_in_turn(lengths, count, last)
    twin = in_turn(lengths, count, last)
    assert table.pieces(row, most) == sum(max(1, -(-length // most)) for length in twin)
    over = [i for i, length in enumerate(twin) if length > most]
    assert table.first_over(row, most) == (over[0] if over else -1)
    for i in range(count):
        alike = table.alike(row, i)
        assert 1 <= alike <= count - i
        assert set(twin[i : i + alike]) == {twin[i]}


@given(keys, st.integers(1, 60))
def test_drawn_lengths_are_counted_one_by_one(key: int, most: int) -> None:
    table = LengthTable()
    row = table.add_evenly(key, 0, 100, 2000)
    twin = in_row(table, row)
    assert table.pieces(row, most) == sum(max(1, -(-length // most)) for length in twin)
    assert table.first_over(row, most) == next(i for i, length in enumerate(twin) if length > most)
    assert table.alike(row, 0) == 1


def test_equal_lengths_are_known_to_be_alike_up_to_another_last() -> None:
    table = LengthTable()
    same = table.add_in_turn([8], 10**12, 8)
    cut = table.add_in_turn([8], 10**12, 7)
    assert [table.alike(same, i) for i in (0, 5, 10**12 - 1)] == [10**12, 10**12 - 5, 1]
    assert [table.alike(cut, i) for i in (0, 10**12 - 2, 10**12 - 1)] == [10**12 - 1, 1, 1]


def test_a_table_grows_and_its_rows_stay() -> None:
    table = LengthTable()
    rows = [table.add_in_turn([i, 3 * i], 4, i) for i in range(100)]
    rows += [table.add_evenly(2**64 - 1 - i, 1, 9, 50) for i in range(100)]
    assert rows == [ROW * i for i in range(200)]
    assert table.rows == 200
    for i in range(100):
        assert in_row(table, rows[i]) == [i, 3 * i, i, i]
        assert sum(in_row(table, rows[100 + i])) == 50


ONE_OF_EACH = [
    FixedLengths(100, 3, last=20),
    fixed(100, 250),
    ListedLengths((8, 800), count=5),
    CycledLengths((100, 30), 290),
    UniformLengths(7, 1000, 10, 90),
    lognormal(2**63 + 5, 10_000, median=300, spread=2.0, largest=900),
]


@pytest.mark.parametrize("lengths", ONE_OF_EACH, ids=lambda one: type(one).__name__)
def test_a_description_is_its_row(lengths: Lengths) -> None:
    table = LengthTable()
    table.add_in_turn([1, 2, 3], 9, 3)
    row = lengths.add_to(table)
    listed = [lengths.length(i) for i in range(lengths.count)]
    assert in_row(table, row) == listed
    assert lengths.total == table.total[row] == sum(listed)
    again = pickle.loads(pickle.dumps(lengths))
    assert [again.length(i) for i in range(again.count)] == listed


def test_equal_tables_are_kept_once() -> None:
    table = LengthTable()
    for key in range(20):
        lognormal(key, 1000, median=300, spread=2.0, largest=900).add_to(table)
    assert len(bytes(table.pool)) == 8 << TABLE_BITS


class TestMistakes:
    def test_a_record_that_is_not_there(self) -> None:
        for i in (-1, 3):
            with pytest.raises(IndexError, match=f"there is no record {i}; give 0 to 2"):
                FixedLengths(8, 3).length(i)

    def test_lengths_and_counts_that_cannot_be(self) -> None:
        table = LengthTable()
        with pytest.raises(ValueError, match="a record has -5 bytes; give a length of 0 or more"):
            table.add_in_turn([5, -5], 2, 5)
        with pytest.raises(ValueError, match="there are -1 records"):
            table.add_in_turn([5], -1, 5)
        with pytest.raises(ValueError, match="lengths from 5 to 4 bytes; give 1 or more, in order"):
            table.add_evenly(0, 5, 4, 100)
        with pytest.raises(ValueError, match="lengths from 0 to 0 bytes"):
            table.add_evenly(0, 0, 0, 100)
        with pytest.raises(ValueError, match="a table of 3 lengths; give 4096"):
            table.add_from_table(0, [1, 2, 3], 100)
        with pytest.raises(ValueError, match="a table of lengths of 0 bytes; give a longer one"):
            DrawnLengths(0, 100, [0] * 4096).add_to(table)
        assert table.rows == 0

    def test_more_than_any_file_holds(self) -> None:
        table = LengthTable()
        for length, count in ((LARGEST_FILE, 1), (10**12, 10**12), (0, 2**60)):
            with pytest.raises(ValueError, match=f"a file of .* bytes; give {LARGEST_FILE} at m"):
                table.add_in_turn([length], count, length)
        with pytest.raises(ValueError, match="a file of 1000000000000000000000 bytes"):
            table.add_in_turn([10**21], 0, 0)
        with pytest.raises(ValueError, match="a file of 1000000000000000000000 bytes"):
            table.add_evenly(0, 1, 10**21, 5)
        assert table.rows == 0
        table.add_in_turn([LARGEST_FILE - 8], 1, LARGEST_FILE - 8)
