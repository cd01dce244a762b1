"""The bytes of logs, block by block: plain, or compressed by gzip, bzip2, xz or zstd.

Each block ends at the end of a line. Memory is bounded: a block grows only for a line that is
longer than it, and a line has at most 64 MiB.
"""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from simulator.errors import nearby
from simulator.extras import need
from simulator.inputfile import MARK, marked_encoding, open_input
from simulator.traces.errors import (
    WRONG,
    DamagedTraceError,
    TraceError,
)
from simulator.traces.formats import STRACE_LINE

BLOCK = 1 << 17
LONGEST = 64 << 20
"""The longest line, in bytes."""
COMPRESSIONS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
"""How a compressed file begins."""
LOOKED_BACK = 64
"""Lines of output within a call that do not part it between two blocks."""
ENDED = re.compile(rb"\)\s+(= |Err#)|\.\.\.>$|\+\+\+$|---$")
"""A line at which a call, or a process, ends."""
BROKEN = (EOFError, zlib.error, lzma.LZMAError, OSError)
"""What the decompressors raise."""


@dataclass(slots=True)
class Block:
    """Some whole lines of a log: ``data[:stop]``."""

    data: bytearray
    stop: int
    cut: bool = False
    """The last line has no end of line in the file (here it has)."""
    line: int = 1
    """The number of the first line; whoever counts the lines before sets it."""


def size_of(path: Path) -> int:
    """Return the size of a log, in bytes of the file."""
    try:
        if path.is_dir():
            raise TraceError(f"{path} is a directory; name the logs in it, like {path}/*")
        return path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> TraceError:
    near = nearby(path) if error.errno == errno.ENOENT else ""
    return TraceError(f"{path}: {error.strerror}{near or '; name a log that can be read'}")


class Source:
    """One log."""

    def __init__(self, path: Path, *, lenient: bool, block: int = BLOCK) -> None:
        self.path = path
        self.lenient = lenient
        self.skipped = 0
        self.read = 0
        self._block = block
        self.size = size_of(path)
        try:
            self._raw: IO[bytes] = open_input(path, pipes=True)
        except OSError as error:
            raise _unreadable(path, error) from None
        start = self._raw.read(8)
        self.compression = next(
            (name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), None
        )
        self._seekable = self._raw.seekable()
        self._start = b"" if self._seekable else start
        if self._seekable:
            self._raw.seek(0)
        elif self.compression:
            raise TraceError(f"{path} is compressed and no file; decompress it before the pipe")
        self._stream = self._open()
        # What was decompressed before a break is given before the break is raised.
        read_into = getattr(self._stream, "readinto1", self._stream.readinto)
        self._read_into = InUtf8(read_into, self._start)
        self._free: list[bytearray] = []
        self._lines = 0
        self._ended = 0

    def _open(self) -> Any:
        if self.compression == "gzip":
            return gzip.GzipFile(fileobj=self._raw)
        if self.compression == "bzip2":
            return bz2.BZ2File(self._raw)
        if self.compression == "xz":
            return lzma.LZMAFile(self._raw)
        if self.compression == "zstd":
            return _zstd(self._raw)
        return self._raw

    def position(self) -> int:
        """Return how many bytes of the file have been read."""
        return self._raw.tell() if self._seekable else self.read

    def _countable(self) -> bool:
        """Return whether the lines before a place can be counted again in the file."""
        return self._seekable and not self.compression and not self._read_into.marked

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def give_back(self, block: Block) -> None:
        """Take back a block, whose memory the next lines use."""
        if len(block.data) <= 2 * self._block:
            self._free.append(block.data)

    def blocks(self) -> Iterator[Block]:
        """Yield the log."""
        carry = b""
        data = self._buffer()
        while True:
            data[: len(carry)] = carry
            got = self._fill(data, len(carry))
            end = len(carry) + got
            if not end:
                return
            if end < len(data):  # the file's end
                last = data.rfind(b"\n", 0, end) + 1
                cut = last < end
                if cut:
                    data[end : end + 1] = b"\n"
                    end += 1
                yield Block(data, end, cut)
                return
            last = _end_of_lines(data, end)
            if not last:
                if end >= LONGEST:
                    carry = self._pass_over(data)
                    data = self._buffer()
                else:
                    carry = bytes(data[:end])
                    data = self._longer(data)
                continue
            carry = bytes(data[last:end])
            if not self._countable():
                self._lines += data.count(b"\n", 0, last)
            self._ended += last
            yield Block(data, last)
            data = self._buffer()

    def _buffer(self) -> bytearray:
        return self._free.pop() if self._free else bytearray(self._block)

    @staticmethod
    def _longer(data: bytearray) -> bytearray:
        return data + bytes(len(data))

    def _fill(self, data: bytearray, at: int) -> int:
        """Read until the buffer is full or the file ends; return how many bytes."""
        view = memoryview(data)
        got = 0
        try:
            while at + got < len(data):
                n = self._read_into(view[at + got :])
                if not n:
                    break
                got += n
        except BROKEN as error:
            if self.compression is None:
                raise
            line = self._lines + data.count(b"\n", 0, at + got) + 1
            if not self.lenient:
                wrong = f"the {self.compression} file is cut off or broken here ({error})"
                raise DamagedTraceError(self.path, line, wrong) from None
            self.skipped += 1
        finally:
            view.release()
        self.read += got
        return got

    def _pass_over(self, data: bytearray) -> bytes:
        """Refuse a line that is too long, or go on after it; return what of the next was read."""
        if not self.lenient:
            raise DamagedTraceError(self.path, self._line(), WRONG["TOO_LONG"], bytes(data[:200]))
        self.skipped += 1
        buffer = bytearray(BLOCK)
        while True:
            got = self._fill(buffer, 0)
            end = buffer.find(b"\n", 0, got) + 1
            if end or not got:
                self._lines += 1
                return bytes(buffer[end:got])

    def _line(self) -> int:
        """Return the number of the line that begins where the last block ended."""
        if not self._countable():
            return self._lines + 1
        with self.path.open("rb") as file:
            return 1 + sum(
                block.count(b"\n")
                for block in iter(lambda: file.read(min(BLOCK, self._ended - file.tell())), b"")
            )


class InUtf8:
    """The bytes of a stream in UTF-8 without a mark: with one, or of UTF-16, they are recoded."""

    def __init__(self, read_into: Callable[[memoryview], int | None], start: bytes) -> None:
        self._read_into = read_into
        self._ready = start
        self._begun = False
        self._decoder: codecs.IncrementalDecoder | None = None
        self.marked = False

    def __call__(self, view: memoryview) -> int:
        """Fill the view, or a part of it; 0 at the end."""
        if not self._begun:
            self._begin()
        while not self._ready:
            got = self._read_into(view) or 0
            if self._decoder is None:
                return got
            text = self._decoder.decode(bytes(view[:got]), final=not got)
            self._ready = text.encode("utf-8", "replace")
            if not got:
                break
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _begin(self) -> None:
        """Read the first bytes, which may be a mark."""
        self._begun = True
        while len(self._ready) < MARK:
            buffer = bytearray(MARK - len(self._ready))
            got = self._read_into(memoryview(buffer)) or 0
            if not got:
                break
            self._ready += bytes(buffer[:got])
        encoding = marked_encoding(self._ready)
        if encoding is not None:
            self.marked = True
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            if encoding == "utf-8-sig":  # Names may be of any bytes.
                self._decoder = None
                self._ready = self._ready[len(codecs.BOM_UTF8) :]
            else:
                self._ready = self._decoder.decode(self._ready).encode("utf-8", "replace")


def _end_of_lines(data: bytearray, end: int) -> int:
    """Return where the last line ends that does not go on below (see docs/traces.md); 0 if none."""
    last = data.rfind(b"\n", 0, end) + 1
    while last and data[max(last - 12, 0) : last].rstrip().endswith(b" attached"):
        last = data.rfind(b"\n", 0, last - 1) + 1
    return _before_open_call(data, last) or last


def _before_open_call(data: bytearray, last: int) -> int:
    """Return where a call begins that the program's output may interrupt, or 0."""
    for _ in range(LOOKED_BACK):
        first = data.rfind(b"\n", 0, max(last - 1, 0)) + 1
        line = data[first:last].rstrip()
        if not first or ENDED.search(line):
            return 0
        if STRACE_LINE.match(line):
            return first
        last = first
    return 0


def _zstd(raw: IO[bytes]) -> Any:
    need("pyarrow")
    import pyarrow as pa

    return _Readable(pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd"))


class _Readable:
    """A stream of pyarrow's, which reads into a buffer only when asked by this name."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readinto(self, view: memoryview) -> int:
        """Fill the view, or a part of it."""
        data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)
