"""Record streams against arithmetic, a naive twin, and what must hold of any file."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.runtime.fortran import POLICIES, RecordStream, record_stream
from simulator.runtime.lengths import FixedLengths, Lengths, ListedLengths
from simulator.runtime.operations import READ, SEEK, WRITE

MB = 1_000_000

Calls = list[tuple[int | None, int, int]]


@dataclass(frozen=True)
class Step:
    """One call of a stream; the last has no operation, and says what came after all calls."""

    op: int | None
    offset: int
    size: int
    copied: int
    records: int

    @property
    def call(self) -> tuple[int | None, int, int]:
        return self.op, self.offset, self.size


def steps_of(stream: RecordStream) -> list[Step]:
    steps = []
    while stream.step():
        steps.append(Step(stream.op, stream.offset, stream.size, stream.copied, stream.records))
    return [*steps, Step(None, 0, 0, stream.copied, stream.records)]


def steps(
    policy: str, lengths: Sequence[int], *, write: bool, buffer: int | None = None
) -> list[Step]:
    listed = ListedLengths(lengths)
    return steps_of(record_stream(policy, write=write, buffer=buffer, lengths=listed))


def writes(policy: str, lengths: Sequence[int], *, buffer: int | None = None) -> Calls:
    return [step.call for step in steps(policy, lengths, write=True, buffer=buffer)[:-1]]


def reads(policy: str, lengths: Sequence[int], *, buffer: int | None = None) -> Calls:
    return [step.call for step in steps(policy, lengths, write=False, buffer=buffer)[:-1]]


class TestNwtByHand:
    def test_records_that_fit_in_the_buffer_are_one_write_at_close(self) -> None:
        assert writes("nwt", [10, 20, 30], buffer=85) == [(WRITE, 0, 84)]

    def test_a_full_buffer_is_written_at_once_and_a_record_that_fills_it_goes_back(self) -> None:
        goes_back = [(SEEK, 0, 0), (WRITE, 0, 4), (SEEK, 50, 0)]
        assert writes("nwt", [42], buffer=50) == [(WRITE, 0, 50), *goes_back]
        assert steps("nwt", [42], write=True, buffer=50)[0].records == 0

    def test_a_length_that_has_left_the_buffer_is_written_by_going_back(self) -> None:
        assert writes("nwt", [52], buffer=50) == [
            (WRITE, 0, 50),
            (SEEK, 0, 0),
            (WRITE, 0, 4),
            (SEEK, 50, 0),
            (WRITE, 50, 10),
        ]

    def test_the_standard_buffer_is_600_kB(self) -> None:
        assert writes("nwt", [MB])[0] == (WRITE, 0, 600_000)

    def test_reading_fills_the_buffer_and_ends_with_the_file(self) -> None:
        assert steps("nwt", [52, 30], write=False, buffer=50) == [
            Step(READ, 0, 50, copied=0, records=0),
            Step(READ, 50, 48, copied=46, records=0),
            Step(None, 0, 0, copied=36, records=2),
        ]

    def test_a_prediction_cures_all_but_the_first_record(self) -> None:
        calls = writes("nwt-predicted", [92] * 5, buffer=50)
        assert [call for call in calls if call[0] == SEEK] == [(SEEK, 0, 0), (SEEK, 100, 0)]
        assert sum(op == WRITE for op, _, _ in calls) == 10 + 1


class TestGfortranByHand:
    def test_a_large_record_costs_two_seeks_and_a_small_write(self) -> None:
        assert steps("gfortran", [MB, MB], write=True) == [
            Step(WRITE, 0, 4, copied=0, records=0),
            Step(WRITE, 4, MB, copied=MB, records=0),
            Step(SEEK, 0, 0, copied=0, records=0),
            Step(WRITE, 0, 4, copied=0, records=0),
            Step(SEEK, 1_000_004, 0, copied=0, records=1),
            Step(WRITE, 1_000_004, 8, copied=0, records=0),
            Step(WRITE, 1_000_012, MB, copied=MB, records=0),
            Step(SEEK, 1_000_008, 0, copied=0, records=0),
            Step(WRITE, 1_000_008, 4, copied=0, records=0),
            Step(SEEK, 2_000_012, 0, copied=0, records=1),
            Step(WRITE, 2_000_012, 4, copied=0, records=0),
            Step(None, 0, 0, copied=0, records=0),
        ]

    def test_a_buffer_half_full_is_written_when_the_record_ends(self) -> None:
        assert writes("gfortran", [2040] * 2, buffer=4096) == [
            (WRITE, 0, 2048),
            (WRITE, 2048, 2048),
        ]
        assert writes("gfortran", [2039] * 2, buffer=4096) == [(WRITE, 0, 4094)]

    def test_a_column_of_more_than_half_a_buffer_goes_past_it_when_it_is_empty(self) -> None:
        """The first finds room behind the length; the second has the buffer written."""
        lengths = ListedLengths([4300])
        written = record_stream("gfortran", write=True, buffer=4096, lengths=lengths, request=2100)
        assert [step.call for step in steps_of(written)[:-1]] == [
            (WRITE, 0, 2104),
            (WRITE, 2104, 2100),
            (WRITE, 4204, 100),
            (SEEK, 0, 0),
            (WRITE, 0, 4),
            (SEEK, 4304, 0),
            (WRITE, 4304, 4),
        ]

    def test_the_default_buffer_is_128_KiB(self) -> None:
        half = 65_536
        assert writes("gfortran", [half - 8]) == [(WRITE, 0, half)]
        assert writes("gfortran", [half - 9, 1])[0] == (WRITE, 0, half + 8)

    def test_a_record_over_2_GiB_is_split(self) -> None:
        most = 2_147_483_639
        calls = writes("gfortran", [most + 100])
        assert calls[:4] == [
            (WRITE, 0, 4),
            (WRITE, 4, 2_147_479_552),  # What Linux takes in one call.
            (WRITE, 2_147_479_556, most - 2_147_479_552),
            (SEEK, 0, 0),
        ]
        assert calls[-1] == (WRITE, most + 4, 4 + 4 + 100 + 4)

    def test_subrecords_are_read_one_by_one(self) -> None:
        stream = record_stream(
            "gfortran", write=False, buffer=16, lengths=FixedLengths(250, 1), subrecord=100
        )
        straight = [step.call for step in steps_of(stream) if step.size > 16]
        assert straight == [(READ, 16, 88), (READ, 124, 88), (READ, 232, 38)]


class TestFlangByHand:
    def test_small_records_go_out_together_when_the_next_has_no_room(self) -> None:
        assert writes("flang", [1000] * 100) == [(WRITE, 0, 65 * 1008), (WRITE, 65_520, 35 * 1008)]

    def test_a_large_record_is_one_write_with_both_its_lengths(self) -> None:
        assert writes("flang", [200_000] * 3) == [(WRITE, k * 200_008, 200_008) for k in range(3)]

    def test_nothing_is_ever_rewritten(self) -> None:
        assert {op for op, _, _ in writes("flang", [5, MB, 70_000, 0, 3 * MB])} == {WRITE}

    def test_reading_fills_what_is_free_of_the_buffer(self) -> None:
        # 65536 B to start with; then 200008 B are needed, and there is room for no more.
        assert steps("flang", [200_000, 100], write=False) == [
            Step(READ, 0, 65_536, copied=0, records=0),
            Step(READ, 65_536, 134_472, copied=0, records=0),
            Step(READ, 200_008, 108, copied=200_000, records=1),
            Step(None, 0, 0, copied=100, records=1),
        ]

    def test_a_buffer_size_changes_nothing(self) -> None:
        assert writes("flang", [5000] * 30, buffer=4096) == writes("flang", [5000] * 30)


record_lengths = st.lists(
    st.integers(0, 120) | st.sampled_from([0, 1, 16, 24, 56, 120]), max_size=12
)
equal_lengths = st.builds(
    lambda length, count: [length] * count, st.integers(0, 99), st.integers(0, 9)
)
some_lengths = record_lengths | equal_lengths
large_lengths = st.lists(st.integers(0, 140_000) | st.integers(65_500, 65_550), max_size=5)
buffers = st.integers(1, 150) | st.sampled_from([16, 32, 64, 128])


def file_size(lengths: Sequence[int]) -> int:
    return sum(lengths) + 8 * len(lengths)


def check_written_file(policy: str, lengths: list[int], buffer: int | None) -> None:
    """Replay the writes: no holes, every byte there, and no byte before it can be known."""
    writer: list[int] = []  # For each byte of the file, the data handed over when it was written.
    place = copied = 0
    for step in steps(policy, lengths, write=True, buffer=buffer):
        copied += step.copied
        if step.op == SEEK:
            place = step.offset
        elif step.op == WRITE:
            assert step.offset == place <= len(writer)
            assert step.size > 0
            place += step.size
            writer[step.offset : place] = [copied] * step.size
    assert len(writer) == file_size(lengths)

    lead = before = previous = 0
    for length in lengths:
        after = before + length
        for k in range(length):
            assert writer[lead + 4 + k] > before + k
        assert min(writer[lead + 4 + length :][:4]) >= after
        if policy != "nwt-predicted" or previous != length:
            # A length of 0 is known without data.
            assert min(writer[lead : lead + 4]) >= after
        lead, before, previous = lead + length + 8, after, length


@pytest.mark.parametrize("policy", ["nwt", "nwt-predicted", "gfortran"])
@given(lengths=some_lengths, buffer=buffers)
def test_the_calls_write_a_right_file(policy: str, lengths: list[int], buffer: int) -> None:
    check_written_file(policy, lengths, buffer)


@given(large_lengths)
def test_the_calls_of_flang_write_a_right_file(lengths: list[int]) -> None:
    check_written_file("flang", lengths, None)


@given(large_lengths)
def test_the_calls_of_gfortran_with_its_default_buffer_write_a_right_file(
    lengths: list[int],
) -> None:
    check_written_file("gfortran", lengths, None)


def check_read_file(policy: str, lengths: list[int], buffer: int | None) -> None:
    """Reads go forward within the file, and data is taken only after it has been read."""
    data_ends = [
        end - 4 for end in accumulate(length + 8 for length in lengths)
    ]  # Offset after each record's data.
    taken_before = list(accumulate(lengths, initial=0))
    end = copied = place = 0
    for step in steps(policy, lengths, write=False, buffer=buffer):
        copied += step.copied
        if copied:
            # The last byte taken lies in the first record that is not taken before it.
            record = next(i for i in range(len(lengths)) if taken_before[i + 1] >= copied)
            assert data_ends[record] - (taken_before[record + 1] - copied) <= end
        if step.op == SEEK:
            assert step.offset > place
            place = step.offset
        elif step.op == READ:
            assert step.offset == place >= end
            assert step.size > 0
            place = end = step.offset + step.size
            assert end <= file_size(lengths)


@pytest.mark.parametrize("policy", ["nwt", "gfortran"])
@given(lengths=some_lengths, buffer=buffers)
def test_the_calls_read_what_they_deliver(policy: str, lengths: list[int], buffer: int) -> None:
    check_read_file(policy, lengths, buffer)


@given(large_lengths)
def test_the_calls_of_flang_read_what_they_deliver(lengths: list[int]) -> None:
    check_read_file("flang", lengths, None)


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
@given(lengths=some_lengths, buffer=buffers)
def test_data_and_records_are_conserved(
    policy: str, write: bool, lengths: list[int], buffer: int
) -> None:
    taken = steps(policy, lengths, write=write, buffer=buffer)
    assert sum(step.copied for step in taken) == sum(lengths)
    assert sum(step.records for step in taken) == len(lengths)
    assert all(step.copied >= 0 and step.records >= 0 for step in taken)


@given(st.integers(0, 200), st.integers(1, 10), buffers)
def test_right_predictions_never_go_back(length: int, count: int, buffer: int) -> None:
    calls = writes("nwt-predicted", [length] * count, buffer=buffer)
    back = [at for op, at, _ in calls if op == SEEK]
    assert not back or back[0] == 0
    assert len(back) <= 2  # Back to the first record, and forth.


@given(some_lengths, buffers)
def test_the_number_of_calls_is_bounded(lengths: list[int], buffer: int) -> None:
    count, full = len(lengths), -(-file_size(lengths) // buffer)
    assert len(writes("nwt", lengths, buffer=buffer)) <= full + 3 * count
    assert len(writes("gfortran", lengths, buffer=buffer)) <= 18 * count + 2
    assert len(reads("gfortran", lengths, buffer=buffer)) <= 4 * count
    assert len(writes("flang", lengths)) <= count
    assert len(reads("flang", lengths)) <= 2 * count


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_file_without_records_has_no_calls_and_a_stream_stays_at_its_end(
    policy: str, write: bool
) -> None:
    assert steps(policy, [], write=write) == [Step(None, 0, 0, 0, 0)]
    stream = record_stream(policy, write=write, buffer=None, lengths=ListedLengths([5]))
    steps_of(stream)
    assert not stream.step()
    assert (stream.copied, stream.records) == (0, 0)


def lengths_in(lengths: Lengths) -> list[int]:
    return [lengths.length(i) for i in range(lengths.count)]


def test_lengths_are_fixed_with_another_last_or_listed_and_cycled() -> None:
    assert lengths_in(FixedLengths(8, 3)) == [8, 8, 8]
    assert lengths_in(FixedLengths(8, 3, last=0)) == [8, 8, 0]
    assert lengths_in(ListedLengths([1, 2, 3])) == [1, 2, 3]
    assert lengths_in(ListedLengths((1, 2, 3), count=7)) == [1, 2, 3, 1, 2, 3, 1]
    assert lengths_in(ListedLengths((1, 2, 3), count=2)) == [1, 2]
    assert repr(FixedLengths(8, 3, last=0)) == "FixedLengths(8, 3, last=0)"
    assert repr(ListedLengths([1, 2])) == "ListedLengths((1, 2), count=2)"


@given(st.integers(0, 50), st.integers(0, 20), st.integers(0, 50), buffers)
def test_fixed_lengths_are_the_same_as_listed_ones(
    length: int, count: int, last: int, buffer: int
) -> None:
    fixed = FixedLengths(length, count, last=last)
    for policy in POLICIES:
        stream = record_stream(policy, write=True, buffer=buffer, lengths=fixed)
        assert steps_of(stream) == steps(policy, lengths_in(fixed), write=True, buffer=buffer)


class TestMistakes:
    def test_an_unknown_runtime_lists_those_there_are(self) -> None:
        with pytest.raises(
            ValueError, match="no runtime 'g77'; give one of nwt, nwt-predicted, gf"
        ):
            record_stream("g77", write=True, buffer=None, lengths=FixedLengths(1, 1))

    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("buffer", [0, -4096])
    def test_a_buffer_without_a_byte(self, policy: str, buffer: int) -> None:
        with pytest.raises(ValueError, match=f"buffer has {buffer} bytes; give 1 or more"):
            record_stream(policy, write=True, buffer=buffer, lengths=FixedLengths(1, 1))

    def test_a_request_without_a_byte(self) -> None:
        lengths = FixedLengths(8, 1)
        with pytest.raises(ValueError, match="a request has 0 bytes; give 1 or more"):
            record_stream("gfortran", write=True, buffer=None, lengths=lengths, request=0)

    def test_negative_lengths(self) -> None:
        with pytest.raises(ValueError, match="a record has -1 bytes; give a length of 0 or more"):
            FixedLengths(-1, 3)
        with pytest.raises(ValueError, match="a record has -2 bytes"):
            FixedLengths(1, 3, last=-2)
        with pytest.raises(ValueError, match="a record has -3 bytes"):
            ListedLengths([1, -3])

    def test_counts_that_cannot_be(self) -> None:
        with pytest.raises(ValueError, match="there are -1 records; give a count of 0 or more"):
            FixedLengths(8, -1)
        with pytest.raises(ValueError, match="there are -2 records"):
            ListedLengths([8], count=-2)
        with pytest.raises(ValueError, match="3 records of no listed length; list at least one"):
            ListedLengths([], count=3)

    @pytest.mark.parametrize(("policy", "most"), [("nwt", 2**31 - 1), ("flang", 2**32 - 9)])
    def test_a_length_that_4_bytes_cannot_hold(self, policy: str, most: int) -> None:
        record_stream(policy, write=True, buffer=None, lengths=FixedLengths(most, 1))
        with pytest.raises(ValueError, match=f"record 0 has {most + 1} bytes; give 0 to {most}"):
            record_stream(policy, write=True, buffer=None, lengths=FixedLengths(most + 1, 1))
