"""Logs that are broken in any way: rows, or one error with a line, and never anything else."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest

from benchmarks.traces import captures
from tests.examples import examples
from tests.traces.fast_and_slow import fast
from tests.traces.logs import SHARED
from tests.traces.test_scanner_whole import SOLARIS, TRUSS, made_up_log

PIECES = (
    *(
        b"<",
        b">",
        b'"',
        b"\\",
        b"[",
        b"{",
        b"(",
        b")",
        b",",
        b" = ",
        b"-",
        b"E",
        b"/",
        b"..",
        b"\r",
    ),
    *(b"\0", b"\n", b"\xff\xfe", b"\\x", b"<unfinished ...>", b"<... read resumed>", b" resumed>"),
    *(b"0x", b"9" * 20, b"18446744073709551615", b"9223372036854775807", b"4294967296", b"NULL"),
    *(b"strace: Process 12 attached", b"AT_FDCWD</x>", b"</dev/null<char 1:3>>", b"[pid 7] "),
    *(b"[pid -3] ", b"+++ exited with 0 +++", b"+++ exited", b"O_APPEND|O_CREAT", b"[{iov_base="),
    *(b"iov_len=", b"aio_lio_opcode=", b"/proc/self/fd/3", b"1700000000.5 ", b"12:00:00 "),
)


def whole_logs() -> list[bytes]:
    """Logs of real programs, and some in which nearly everything happens."""
    real = [gzip.decompress(path.read_bytes()) for path in sorted(SHARED.glob("*.gz"))]
    return [*captures().values(), *real, made_up_log(20).encode(), (TRUSS + SOLARIS).encode()]


def broken(rng: Random, logs: list[bytes]) -> bytes:
    """Take some lines of a log, and break a few of them."""
    lines = rng.choice(logs).split(b"\n")
    first = rng.choice([0, 0, rng.randrange(len(lines))])
    part = lines[first : first + rng.randrange(1, 60)]
    if rng.random() < 0.3:
        part += rng.choice(logs).split(b"\n")[:20]
    for _ in range(rng.randrange(12)):
        at = rng.randrange(len(part))
        line = part[at]
        low, high = sorted(rng.choices(range(len(line) + 1), k=2))
        other = rng.choice(part)
        part[at] = rng.choice(
            [
                line[:low],
                line[low:],
                line[:low] + line[high:],
                line[:low] + rng.choice(PIECES) + line[low:],
                line[:low] + rng.randbytes(1) + line[low + 1 :],
                line[:low] + other[rng.randrange(len(other) + 1) :],
                line + b"\n" + line,
            ]
        )
    return b"\n".join(part) + rng.choice([b"\n", b"\n", b""])


@pytest.fixture(scope="module")
def logs() -> list[bytes]:
    return whole_logs()


@pytest.mark.parametrize("seed", range(4))
def test_a_broken_log_is_rows_or_an_error(tmp_path: Path, logs: list[bytes], seed: int) -> None:
    rng = Random(seed)
    path = tmp_path / "log"
    for _ in range(examples(60)):
        path.write_bytes(broken(rng, logs))
        strict, lenient = fast(path), fast(path, lenient=True)
        if strict.refused is None:
            assert lenient.rows == strict.rows
            assert lenient.unknown == strict.unknown
        else:
            assert f"{path}" in strict.refused
