"""Streams in a table against naive twins, which do what the table says one call at a time."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.runtime.operations import READ, SEEK, WRITE
from tests.runtime.test_streams import (
    GFORTRAN,
    NWT,
    POSIX,
    PREDICTED,
    SUBRECORD,
    Step,
    alone,
    listed,
)

# -- naive twins ----------------------------------------------------------------------------


class Twin:
    """A runtime too simple to be wrong: it carries out the whole program and writes down calls."""

    def __init__(self, lengths: Sequence[int], buffer: int) -> None:
        self.lengths, self.buffer = lengths, buffer
        self.steps: list[Step] = []
        self.copied = self.records = 0

    def call(self, op: int | None, offset: int, size: int) -> None:
        self.steps.append(Step(op, offset, size, self.copied, self.records))
        self.copied = self.records = 0

    def all_steps(self) -> list[Step]:
        for length in self.lengths:
            self.record(length)
            self.records += 1
        self.close()
        self.call(None, 0, 0)
        return self.steps

    def record(self, length: int) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


class NwtWriteTwin(Twin):
    """Writes byte by byte."""

    held = end = before = 0
    predicted = False

    def record(self, length: int) -> None:
        lead = self.end
        for k in range(4 + length + 4):
            self.held += 1
            self.end += 1
            self.copied += 4 <= k < 4 + length
            if self.held == self.buffer:
                self.close()
        start = self.end - self.held
        if lead < start and not (self.predicted and self.before == length):
            self.call(SEEK, lead, 0)
            self.call(WRITE, lead, min(4, start - lead))
            self.call(SEEK, start, 0)
        self.before = length

    def close(self) -> None:
        if self.held:
            self.call(WRITE, self.end - self.held, self.held)
        self.held = 0


class PredictedWriteTwin(NwtWriteTwin):
    predicted = True


class NwtReadTwin(Twin):
    """Reads byte by byte."""

    at = end = 0

    def record(self, length: int) -> None:
        size = sum(self.lengths) + 8 * len(self.lengths)
        for k in range(4 + length + 4):
            if self.at == self.end:
                self.end = min(size, self.at + self.buffer)
                self.call(READ, self.at, self.end - self.at)
            self.at += 1
            self.copied += 4 <= k < 4 + length


class PosixWriteTwin(Twin):
    at = 0

    def record(self, length: int) -> None:
        self.copied = length
        self.call(WRITE, self.at, length)
        self.at += length


class PosixReadTwin(Twin):
    at = 0

    def record(self, length: int) -> None:
        self.call(READ, self.at, length)
        self.copied = length
        self.at += length


class GfortranTwin(Twin):
    """Goes through the requests of each subrecord of each record."""

    at = place = 0

    def __init__(self, lengths: Sequence[int], buffer: int, request: int, subrecord: int) -> None:
        super().__init__(lengths, buffer)
        self.request, self.subrecord = request, subrecord

    def pieces(self, length: int) -> list[int]:
        return [min(self.subrecord, length - k) for k in range(0, length, self.subrecord)] or [0]

    def requests(self, length: int) -> list[list[int]]:
        """Bytes of each request of each piece; one that a piece cannot end goes on in the next."""
        left, out = self.request, []
        for piece in self.pieces(length):
            sizes = []
            while sum(sizes) < piece:
                sizes.append(min(left, piece - sum(sizes)))
                left = left - sizes[-1] or self.request
            out.append(sizes)
        return out

    def go_to(self, at: int) -> None:
        if self.place != at:
            self.call(SEEK, at, 0)
        self.place = at


class GfortranWriteTwin(GfortranTwin):
    start = held = 0

    def record(self, length: int) -> None:
        for sizes in self.requests(length):
            lead = self.at
            self.put(lead, 4)
            self.at += 4
            for size in sizes:
                self.put(self.at, size, user=size)
                self.at += size
            self.put(lead, 4)
            self.put(self.at, 4)
            self.at += 4
        if self.held >= self.buffer // 2:
            self.close()

    def put(self, at: int, size: int, user: int = 0) -> None:
        touches = self.start <= at <= self.start + self.held
        if self.held and touches and at + size <= self.start + self.buffer:
            self.held = max(self.held, at + size - self.start)
            self.copied += user
            return
        self.close()
        self.copied += user
        if size > self.buffer // 2:
            self.write_at(at, size)
        else:
            self.start, self.held = at, size

    def close(self) -> None:
        if self.held:
            self.write_at(self.start, self.held)
        self.held = 0

    def write_at(self, at: int, size: int) -> None:
        self.go_to(at)
        self.call(WRITE, at, size)
        self.place = at + size


class GfortranReadTwin(GfortranTwin):
    end = 0

    def record(self, length: int) -> None:
        for sizes in self.requests(length):
            self.take(4, user=False)
            for size in sizes:
                self.take(size, user=True)
            self.at += 4

    def take(self, size: int, *, user: bool) -> None:
        there = min(size, max(0, self.end - self.at))
        left = size - there
        self.at += there
        self.copied += there * user
        if left > self.buffer // 2:
            self.read_to(self.at + left)
        elif left:
            file_end = sum(n + 8 * len(self.pieces(n)) for n in self.lengths)
            self.end = min(file_end, self.at + self.buffer)
            self.read_to(self.end)
        self.at += left
        self.copied += left * user

    def read_to(self, end: int) -> None:
        self.go_to(self.at)
        self.call(READ, self.at, end - self.at)
        self.place = end


TWINS: dict[tuple[int, bool], Callable[[Sequence[int], int], Twin]] = {
    (NWT, True): NwtWriteTwin,
    (PREDICTED, True): PredictedWriteTwin,
    (NWT, False): NwtReadTwin,
    (PREDICTED, False): NwtReadTwin,
    (POSIX, True): PosixWriteTwin,
    (POSIX, False): PosixReadTwin,
}

some_lengths = st.lists(
    st.integers(0, 120) | st.sampled_from([0, 1, 16, 24, 56, 120]), max_size=12
) | st.builds(lambda length, count: [length] * count, st.integers(0, 99), st.integers(0, 30))
buffers = st.integers(1, 150) | st.sampled_from([16, 32, 64, 128, 1000])


@pytest.mark.parametrize(("policy", "write"), TWINS)
@given(lengths=some_lengths, buffer=buffers)
def test_a_stream_takes_the_steps_of_its_naive_twin(
    policy: int, write: bool, lengths: list[int], buffer: int
) -> None:
    case = listed(policy, lengths, buffer, write=write)
    assert alone(case) == TWINS[policy, write](lengths, buffer).all_steps()


@pytest.mark.parametrize("write", [True, False])
@given(
    lengths=some_lengths,
    buffer=buffers,
    request=st.integers(1, 130),
    subrecord=st.integers(1, 90) | st.just(SUBRECORD),
)
def test_gfortran_takes_the_steps_of_its_naive_twin(
    write: bool, lengths: list[int], buffer: int, request: int, subrecord: int
) -> None:
    case = listed(GFORTRAN, lengths, buffer, write=write)._replace(request=request)
    kind = GfortranWriteTwin if write else GfortranReadTwin
    assert alone(case, subrecord) == kind(lengths, buffer, request, subrecord).all_steps()
