"""Streams in a table against naive twins, against each other, and against those of the kernel."""

import random
import tracemalloc
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simulator.runtime.fortran import record_stream
from simulator.runtime.lengths import ListedLengths
from simulator.runtime.lengthtable import ROW as LENGTHS
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.runtime.policies import POLICY_NAMES
from simulator.runtime.records import MAX_TRANSFER, NO_LIMIT
from simulator.runtime.streams import RecordStreams
from simulator.runtime.streamtable import ROW
from tests.native.pieces import ask, lengths_in

NWT, PREDICTED, GFORTRAN, FLANG, POSIX = range(5)
MiB = 1 << 20
SUBRECORD = 2_147_483_639


class Step(NamedTuple):
    """A call, and what came before it; the last has no operation, and comes after all calls."""

    op: int | None
    offset: int
    size: int
    copied: int
    records: int


class Case(NamedTuple):
    """Everything that a stream depends on."""

    policy: int
    write: bool
    buffer: int
    request: int
    lengths: list[int]
    count: int
    last: int


def begin(table: Any, row: int, case: Case) -> None:
    """Begin a row, with lengths that are added for it."""
    lengths_row = table.lengths.add_in_turn(case.lengths, case.count, case.last)
    table.begin(row, case.policy, case.write, case.buffer, case.request, lengths_row)


def next_step(table: Any, row: int) -> Step:
    if table.step(row):
        op, offset, size = table.op[row], table.offset[row], table.size[row]
        return Step(op, offset, size, table.copied[row], table.records[row])
    return Step(None, 0, 0, table.copied[row], table.records[row])


def steps_of(table: Any, row: int, most: int = 10**9) -> list[Step]:
    steps = [next_step(table, row)]
    while steps[-1].op is not None and len(steps) < most:
        steps.append(next_step(table, row))
    return steps


def alone(case: Case, subrecord: int = SUBRECORD, most: int = 10**9) -> list[Step]:
    """The steps of a stream in a table of its own."""
    table = RecordStreams(1, LengthTable(), subrecord)
    begin(table, 0, case)
    return steps_of(table, 0, most)


def listed(policy: int, lengths: Sequence[int], buffer: int, *, write: bool) -> Case:
    last = lengths[-1] if lengths else 0
    return Case(policy, write, buffer, NO_LIMIT, [*lengths, 0], len(lengths), last)


def calls_of(case: Case) -> list[tuple[int | None, int, int]]:
    return [step[:3] for step in alone(case)[:-1]]


# -- many at once ---------------------------------------------------------------------------

sizes = st.integers(0, 300) | st.sampled_from([0, 1, 8, 65_520, 65_536, 70_000, 200_000])


@st.composite
def some_cases(draw: st.DrawFn) -> Case:
    buffer = draw(st.integers(1, 300) | st.sampled_from([1024, 65_536, 131_072, 600_000, 16 * MiB]))
    lengths = draw(st.lists(sizes, min_size=1, max_size=4))
    largest = max(lengths)
    if buffer < 300 < largest:
        buffer += largest // 20  # A few calls for each record, not thousands.
    return Case(
        policy=draw(st.integers(NWT, POSIX)),
        write=draw(st.booleans()),
        buffer=buffer,
        request=max(largest // 50, draw(sizes), 1) if draw(st.booleans()) else NO_LIMIT,
        lengths=lengths,
        count=draw(st.integers(0, 40)),
        last=draw(st.sampled_from([*lengths, 0, 5])),
    )


@given(some_cases())
@example(Case(GFORTRAN, True, 131_072, 4096, [4088], 31, 4088))
@example(Case(FLANG, False, 1, NO_LIMIT, [65_520], 40, 5))
def test_equal_records_are_counted_at_once_as_they_are_one_by_one(case: Case) -> None:
    """A list of two equal lengths is not looked through: its records go by one at a time."""
    equal = case._replace(lengths=case.lengths[:1])
    assert alone(equal) == alone(equal._replace(lengths=equal.lengths * 2))


@given(st.lists(some_cases(), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_rows_are_independent(cases: list[Case], rng: random.Random) -> None:
    table = RecordStreams(len(cases), LengthTable())
    for number, case in enumerate(cases):
        begin(table, number * ROW, case)
    taken: list[list[Step]] = [[] for _ in cases]
    going = list(range(len(cases)))
    while going:
        number = rng.choice(going)
        taken[number].append(next_step(table, number * ROW))
        if taken[number][-1].op is None:
            going.remove(number)
    assert taken == [alone(case) for case in cases]


@given(some_cases(), some_cases(), st.integers(0, 20))
def test_a_row_begins_again_as_if_it_were_new(first: Case, second: Case, most: int) -> None:
    table = RecordStreams(3, LengthTable())
    begin(table, ROW, first)
    for _ in range(most):
        table.step(ROW)
    begin(table, ROW, second)
    columns = (table.op, table.offset, table.size, table.copied, table.records)
    assert [column[ROW] for column in columns] == [SEEK, 0, 0, 0, 0]
    assert steps_of(table, ROW) == alone(second)


@given(some_cases())
def test_a_stream_stays_at_its_end(case: Case) -> None:
    table = RecordStreams(1, LengthTable())
    begin(table, 0, case)
    steps_of(table, 0)
    assert [next_step(table, 0) for _ in range(3)] == [Step(None, 0, 0, 0, 0)] * 3


class TestOfTheKernel:
    """The runtimes of the kernel (simulator/kinds/runtimes/*.hpp) against those of Python."""

    @given(some_cases(), st.integers(1, 500) | st.just(SUBRECORD))
    @example(Case(PREDICTED, True, 10, NO_LIMIT, [20, 27], 6, 20), SUBRECORD)
    @example(Case(NWT, True, 10, NO_LIMIT, [20, 3], 6, 3), SUBRECORD)
    @example(Case(GFORTRAN, True, 16, 11, [47], 1, 47), SUBRECORD)
    @example(Case(GFORTRAN, True, 50, 44, [8, 136], 4, 8), SUBRECORD)
    def test_streams(self, case: Case, subrecord: int) -> None:
        assert kernel_steps(case, subrecord, 3000) == alone(case, subrecord, 3000)

    @given(st.integers(0, 2**64 - 1), st.integers(1, 500), st.integers(0, 500))
    def test_drawn_lengths(self, key: int, low: int, more: int) -> None:
        table = LengthTable()
        row = table.add_evenly(key, low, low + more, 5000)
        wanted = [table.length(row, i) for i in range(table.count[row])]
        assert ask("lengths", *lengths_in(table, row)) == wanted

    @pytest.mark.parametrize("write", [True, False])
    @pytest.mark.parametrize("policy", range(5))
    def test_records_longer_than_a_call_moves(self, policy: int, write: bool) -> None:
        longest = SUBRECORD - 8 if policy in (NWT, PREDICTED) else 2**32 - 9
        for lengths in ([longest, 5], [longest], [MAX_TRANSFER, MAX_TRANSFER + 1]):
            case = listed(policy, lengths if policy > PREDICTED else lengths[:1], MiB, write=write)
            assert kernel_steps(case, SUBRECORD, 500) == alone(case, most=500)


def kernel_steps(case: Case, subrecord: int, most: int) -> list[Step]:
    """The steps of a stream in the kernel."""
    table = LengthTable()
    row = table.add_in_turn(case.lengths, case.count, case.last)
    policy = POLICY_NAMES[case.policy].replace("-", "_")
    what = (policy, int(case.write), case.buffer, case.request, subrecord, most)
    found = ask("stream", *what, *lengths_in(table, row))
    rows = (found[at : at + 5] for at in range(0, len(found), 5))
    return [Step(None if op < 0 else op, *more) for op, *more in rows]


# -- posix, by hand -------------------------------------------------------------------------


class TestPosixByHand:
    def test_more_than_linux_moves_in_a_call_is_two_calls(self) -> None:
        assert calls_of(listed(POSIX, [MAX_TRANSFER + 5, 9], 1, write=True)) == [
            (WRITE, 0, MAX_TRANSFER),
            (WRITE, MAX_TRANSFER, 5),
            (WRITE, MAX_TRANSFER + 5, 9),
        ]


# -- cost -----------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("policy", [NWT, PREDICTED, GFORTRAN, FLANG])
def test_a_million_million_records_of_a_byte_are_no_work(policy: int, write: bool) -> None:
    """A call moves a million of them: one by one, these thousand calls would take minutes."""
    case = Case(policy, write, 16 * MiB, NO_LIMIT, [1], 10**12, 1)
    steps = alone(case, most=1000)
    assert len(steps) == 1000
    assert sum(step.records for step in steps) > 10**6


@pytest.mark.parametrize("write", [True, False])
def test_elements_of_an_array_are_no_work(write: bool) -> None:
    """Each record is 125 million requests of 8 B, most of which go through the buffer."""
    steps = alone(Case(GFORTRAN, write, 16 * MiB, 8, [10**9], 10, 10**9))
    assert sum(step.copied for step in steps) == 10**10


@pytest.mark.slow
def test_a_stream_is_a_few_hundred_bytes_and_does_not_grow() -> None:
    rows = 10_000
    lengths = LengthTable()
    records = lengths.add_in_turn([64_000], 10**9, 64_000)
    tracemalloc.start()
    table = RecordStreams(rows, lengths)
    for number in range(rows):
        row = number * ROW
        table.begin(row, number % 5, number % 2, 600_000, NO_LIMIT, records)
        for _ in range(3):
            assert table.step(row)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes / rows < 300


class TestMistakes:
    @pytest.fixture
    def table(self) -> RecordStreams:
        lengths = LengthTable()
        lengths.add_in_turn([5, 2**31, 6], 9, 6)
        lengths.add_evenly(1, 2**33, 2**33, 2**40)
        return RecordStreams(2, lengths)

    @pytest.mark.parametrize("row", [-ROW, 1, 2 * ROW])
    def test_a_row_that_is_not_there(self, table: RecordStreams, row: int) -> None:
        with pytest.raises(ValueError, match=f"there is no stream {row}; give 0, 32, ... to 32"):
            table.begin(row, NWT, 1, 1, 1, 0)

    @pytest.mark.parametrize("row", [-LENGTHS, 1, 2 * LENGTHS])
    def test_lengths_that_are_not_there(self, table: RecordStreams, row: int) -> None:
        with pytest.raises(ValueError, match=f"there is no row {row} of lengths"):
            table.begin(0, NWT, 1, 1, 1, row)

    @pytest.mark.parametrize("policy", [-1, 5])
    def test_an_unknown_policy(self, table: RecordStreams, policy: int) -> None:
        with pytest.raises(ValueError, match=f"there is no policy {policy}; give 0 to 4"):
            table.begin(0, policy, 1, 1, 1, 0)

    def test_sizes_without_a_byte(self, table: RecordStreams) -> None:
        with pytest.raises(ValueError, match="the buffer has 0 bytes; give 1 or more"):
            table.begin(0, GFORTRAN, 1, 0, 1, 0)
        with pytest.raises(ValueError, match="a request has 0 bytes; give 1 or more"):
            table.begin(0, GFORTRAN, 1, 1, 0, 0)
        with pytest.raises(ValueError, match="a subrecord has 0 bytes; give 1 or more"):
            RecordStreams(1, LengthTable(), 0)

    def test_a_record_that_is_too_long_is_named(self, table: RecordStreams) -> None:
        with pytest.raises(ValueError, match="record 1 has 2147483648 bytes; give 0 to 2147483647"):
            table.begin(0, NWT, 1, 1, 1, 0)
        with pytest.raises(ValueError, match="record 0 has 8589934592 bytes; give 0 to 4294967287"):
            table.begin(0, FLANG, 1, 1, 1, LENGTHS)
        for policy in (GFORTRAN, POSIX):
            table.begin(0, policy, 1, 1, 1, LENGTHS)

    def test_after_a_mistake_a_row_is_what_it_was(self, table: RecordStreams) -> None:
        case = listed(NWT, [100, 200], 50, write=True)
        begin(table, 0, case)
        with pytest.raises(ValueError, match="there is no policy"):
            table.begin(0, 7, 1, 1, 1, 0)
        assert steps_of(table, 0) == alone(case)


def test_the_names_of_the_policies_are_in_the_order_of_their_numbers() -> None:
    assert [POLICY_NAMES[number] for number in (NWT, PREDICTED, GFORTRAN, FLANG, POSIX)] == [
        "nwt", "nwt-predicted", "gfortran", "flang", "posix",
    ]  # fmt: skip


def test_a_table_may_have_no_rows() -> None:
    assert RecordStreams(0, LengthTable()).rows == 0


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_sums_of_a_stream_are_those_of_its_calls(policy: str, write: bool) -> None:
    rng = random.Random(7)
    for buffer in (10, 100, 256):
        lengths = ListedLengths([rng.randint(0, 300) for _ in range(30)])
        stream = record_stream(policy, write=write, buffer=buffer, lengths=lengths)
        sizes: dict[int, list[int]] = {READ: [], WRITE: []}
        end = 0
        while stream.step():
            if stream.op != SEEK and stream.size:
                sizes[stream.op].append(stream.size)
                end = max(end, (stream.offset + stream.size) * (stream.op == WRITE))
        sums = [number for one in sizes.values() for number in (len(one), sum(one))]
        again = record_stream(policy, write=write, buffer=buffer, lengths=lengths)
        assert again.add_up() == (*sums, end)
