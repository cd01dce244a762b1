"""C's buffered streams: fwrite and fread of records."""

from collections.abc import Iterator, Sequence

from simulator.runtime.library import END, Library, Step
from simulator.runtime.operations import READ, WRITE


class Stdio(Library):
    default_buffer = 4096

    def write(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        offset = held = copied = records = 0
        for left in lengths:
            while left:
                part = min(left, buffer - held)
                held, left, copied = held + part, left - part, copied + part
                if held == buffer:
                    yield Step(WRITE, offset, held, copied, records)
                    offset, held, copied, records = offset + held, 0, 0, 0
            records += 1
        if held:
            yield Step(WRITE, offset, held, copied, records)
            copied = records = 0
        yield Step(END, copied=copied, records=records)

    def read(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        end = sum(lengths)
        offset = held = copied = records = 0
        for left in lengths:
            while left:
                if not held:
                    held = min(buffer, end - offset)
                    yield Step(READ, offset, held, copied, records)
                    offset, copied, records = offset + held, 0, 0
                part = min(left, held)
                held, left, copied = held - part, left - part, copied + part
            records += 1
        yield Step(END, copied=copied, records=records)
