"""A scheduler's log in the Standard Workload Format: what is read, left out and refused."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.workload.joblog import (
    JobLog,
    JobLogError,
    read_job_log,
    summary_text,
    waited_beside_room,
)
from tests.config.queue_texts import LOG, row

NS = 10**9


def log_of(tmp_path: Path, content: str | bytes) -> JobLog:
    path = tmp_path / "x.swf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_job_log(path)


def refused(tmp_path: Path, content: str | bytes) -> list[str]:
    with pytest.raises(JobLogError) as caught:
        log_of(tmp_path, content)
    return [line.replace(str(tmp_path / "x.swf"), "x") for line in str(caught.value).splitlines()]


def test_columns(tmp_path: Path) -> None:
    log = log_of(tmp_path, "7 100 30 60 8 55 2048 16 120 4096 1 3 4 5 6 9 -1 -1\n")
    assert (log.submit_ns[0], log.wait_ns[0], log.run_ns[0]) == (0, 30 * NS, 60 * NS)
    assert (log.processors[0], log.requested_ns[0]) == (8, 120 * NS)
    assert log.memory[0] == 4096 * 1024
    assert (log.user[0], log.queue[0], log.partition[0]) == (3, 6, 9)


def test_what_is_not_known(tmp_path: Path) -> None:
    """Processors that were asked for; the run time for a time that was not; memory that was used.

    Jobs without a run time, or processors, are left out, and counted.
    """
    lines = (
        "1 5 -1 60 -1 -1 512 16 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "2 6 -1 0 2 -1 -1 -1 0 -1 0 1 1 1 1 1 -1 -1",
        "3 6 -1 -1 2 -1 -1 -1 0 -1 5 1 1 1 1 1 -1 -1",
        "4 6 -1 60 -1 -1 -1 -1 0 -1 5 1 1 1 1 1 -1 -1",
        "5 6 -1 60 0 -1 -1 0 0 -1 5 1 1 1 1 1 -1 -1",
    )
    log = log_of(tmp_path, "\n".join(lines))
    assert (log.lines, len(log)) == (5, 2)
    assert [*log.left_out.values()] == [1, 2]
    assert (log.processors.tolist(), log.wait_ns.tolist()) == ([16, 2], [-1, -1])
    assert log.requested_ns.tolist() == [60 * NS, 1]
    assert (log.memory.tolist(), log.user.tolist()) == ([512 * 1024, 0], [-1, 1])


def test_decimals(tmp_path: Path) -> None:
    log = log_of(tmp_path, row(0.5, 1.25) + row(2.000000001, 1e-9))
    assert log.submit_ns.tolist() == [0, 1_500_000_001]
    assert log.run_ns.tolist() == [1_250_000_000, 1]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \t\n", "\n; a comment: 1\n"])
@pytest.mark.parametrize("begin", ["", "\ufeff", "; MaxNodes: 4\n", "\ufeff; MaxNodes: 4\n"])
def test_lines_as_they_are_found(tmp_path: Path, begin: str, end: str) -> None:
    text = begin + (row(3, 10) + row(5, 20)).replace("\n", end)
    log = log_of(tmp_path, text)
    assert (log.submit_ns.tolist(), log.run_ns.tolist()) == ([0, 2 * NS], [10 * NS, 20 * NS])
    assert log.head == ({"MaxNodes": "4"} if "Max" in begin else {})
    assert log.lines == 2


def test_jobs_are_in_the_order_of_their_submission(tmp_path: Path) -> None:
    log = log_of(tmp_path, row(30, 1) + row(10, 2) + row(30, 3) + row(20, 4))
    assert log.submit_ns.tolist() == [0, 10 * NS, 20 * NS, 20 * NS]
    assert log.run_ns.tolist() == [2 * NS, 4 * NS, NS, 3 * NS]


def test_packed_logs_are_read(tmp_path: Path) -> None:
    text = "".join(row(number, 10) for number in range(500))
    assert len(log_of(tmp_path, gzip.compress(text.encode()))) == 500


def test_the_digest_is_that_of_the_lines(tmp_path: Path) -> None:
    plain = log_of(tmp_path, row(0, 1)).digest
    os.utime(tmp_path / "x.swf", (1, 1))
    assert log_of(tmp_path, row(0, 1)).digest == plain
    assert log_of(tmp_path, gzip.compress(row(0, 1).encode())).digest == plain
    assert log_of(tmp_path, row(0, 2)).digest != plain


# -- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "-inf", "1e400", "-2", "x", "1e10", "0x10"])
@pytest.mark.parametrize("column", [2, 4, 9, 12])
def test_no_number_is_one_error(tmp_path: Path, word: str, column: int) -> None:
    words = row(0, 10).split()
    words[column - 1] = word
    (told,) = refused(tmp_path, row(0, 1) + " ".join(words))
    assert told.startswith("x:2: ")
    assert f"(column {column}) is '{word}'; write a number from 0 to 1,000,000,000" in told


@pytest.mark.parametrize("words", [1, 17, 19, 36])
def test_other_columns_are_one_error(tmp_path: Path, words: int) -> None:
    text = " ".join((row(0, 10) + row(0, 10)).split()[:words])
    columns = f"{words} columns; the format has 18, with -1 for what is not known"
    assert refused(tmp_path, text) == [f"x:1: {columns}"]


def test_a_job_without_its_time(tmp_path: Path) -> None:
    (told,) = refused(tmp_path, row(-1, 10))
    assert told == "x:1: submit (column 2) is -1, and no job can be without; write its seconds"


def test_an_error_for_each_line_up_to_a_limit(tmp_path: Path) -> None:
    assert len(refused(tmp_path, (row(0, 1) + "x\n") * 7)) == 7
    told = refused(tmp_path, "x\n" * 1000)
    assert len(told) == 21
    assert told[-1] == "x: and perhaps more; mend these first"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "x: no job with a run time; write lines of 18 numbers"),
        (b"; only a comment\n", "x: no job with a run time; write lines of 18 numbers"),
        (b"\xff\xfe" + "1 2".encode("utf-16-le"), "x: this is UTF-16; write it as plain text"),
        (b"\xfe\xff" + "1 2".encode("utf-16-be"), "x: this is UTF-16; write it as plain text"),
        (b"1" * 10**7, "x:1: a line of 10,000 characters or more; is it a log?"),
        (b"\0" * 10**6, "x:1: a line of 10,000 characters or more; is it a log?"),
        (b"\xff\0\x80 1 2\n", "x:1: 3 columns; the format has 18"),
        (gzip.compress(row(0, 1).encode() * 900)[:-9], "x: this is no whole gzip file"),
        (gzip.compress(b"abc")[:12], "x: this is no whole gzip file"),
        (b"\x1f\x8bxyz", "x: this is no whole gzip file"),
    ],
    ids=range(10),
)
def test_what_is_no_log_is_one_error(tmp_path: Path, content: bytes, told: str) -> None:
    (found,) = refused(tmp_path, content)
    assert found.startswith(told)


@pytest.mark.parametrize("path", ["/tmp", "/dev/zero", "/dev/null"])
def test_what_is_no_file(path: str) -> None:
    with pytest.raises(InputError, match=r"this is a (folder|device)"):
        read_job_log(path)


@pytest.mark.parametrize("content", [b"", b"x\n" * 9, b"\xff\xfe1\x000\x00"])
def test_import_tells_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "x.swf").write_bytes(content)
    assert main(["trace", "import", str(tmp_path / "x.swf"), "-o", str(tmp_path / "x.yaml")]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "x.yaml").exists()


# -- a real one -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> list[list[str]]:
    """Words of the lines of the excerpt of HPC2N's log, read without the reader."""
    if not LOG.exists():
        pytest.skip(f"needs {LOG.name} in ../shared/data/swf")
    lines = LOG.read_text("latin-1").splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith(";")]


def test_a_real_log_is_counted(real: list[list[str]]) -> None:
    log = read_job_log(LOG)
    ran = [one for one in real if float(one[3]) >= 0 and max(float(one[4]), float(one[7])) > 0]
    assert (log.lines, len(log)) == (len(real), len(ran))
    assert sum(log.left_out.values()) == len(real) - len(ran)
    assert sum(log.run_ns) == sum(round(float(one[3])) * NS for one in ran)
    wide = [one[4] if float(one[4]) > 0 else one[7] for one in ran]
    assert Counter(log.processors) == Counter(map(int, wide))
    assert Counter(log.user) == Counter(int(one[11]) for one in ran)
    submits = sorted(int(one[1]) for one in ran)
    assert log.submit_ns.tolist() == [(one - submits[0]) * NS for one in submits]
    asked = [int(one[8]) if int(one[8]) > 0 else int(one[3]) for one in ran]
    assert sum(log.requested_ns) == sum(max(one * NS, 1) for one in asked)
    waits = [int(one[2]) for one in ran if int(one[2]) >= 0]
    said = f"recorded waits: mean {sum(waits) / len(waits) / 3600:.2f} h"
    assert said in summary_text(log)


def test_a_real_log_is_imported_and_runs(
    real: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "w.yaml"
    assert main(["trace", "import", str(LOG), "-o", str(out)]) == 0
    assert f"{len(real):,} jobs" in capsys.readouterr().out.replace("\n", " ")
    assert main(["check", str(out)]) == 0


# -- waits that had room --------------------------------------------------------------------------


def room_second_by_second(lines: list[list[int]], processors: int) -> tuple[int, int]:
    """Return the seconds in which waiting jobs had room, and all in which jobs waited."""
    beside = whole = 0
    for _, submit, wait, _, mine in lines:
        for second in range(submit, submit + wait):
            used = sum(
                wide for _, at, other, run, wide in lines if at + other <= second < at + other + run
            )
            beside += processors - used >= mine
            whole += 1
    return beside, whole


@pytest.mark.parametrize("seed", range(20))
def test_waits_that_had_room_are_those_counted_second_by_second(seed: int, tmp_path: Path) -> None:
    dice = Random(seed)
    lines = [
        [n, dice.randint(0, 40), dice.choice([0, 0, 3, 9, 20]), dice.randint(0, 30), width]
        for n, width in enumerate(dice.choices([1, 2, 5, 8], k=12))
    ]
    text = "".join(
        f"{n} {a} {w} {r} {p} -1 -1 {p} -1 -1 1 1 1 1 1 1 -1 -1\n" for n, a, w, r, p in lines
    )
    beside, whole = room_second_by_second(lines, 10)
    found = waited_beside_room(log_of(tmp_path, text), 10)
    assert found == (pytest.approx(beside / whole) if whole else None)


def test_the_import_says_which_waits_had_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "x.swf"
    log.write_text("; MaxProcs: 4\n" + row(0, 100, 3) + row(10, 10, 2).replace(" 5 ", " 120 ", 1))
    assert main(["trace", "import", str(log), "-o", str(tmp_path / "x.yaml")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "24.0 % of the recorded waiting passed" in told
    log.write_text(row(0, 100, 3))  # How many processors there are is not said.
    assert main(["trace", "import", str(log), "-o", str(tmp_path / "y.yaml")]) == 0
    assert "passed" not in capsys.readouterr().out
