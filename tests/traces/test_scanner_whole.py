"""Whole logs: real captures, memory, the command, truss; and what the scanner is told of calls."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.traces import scanner
from simulator.traces.reader import read
from simulator.traces.store import Store
from tests.traces.logs import SHARED, columns_of, rows_in, rows_of, trace_of

CAPTURES = sorted(SHARED.glob("*.gz"))
MiB = 1 << 20


def made_up_log(rounds: int, first: int = 0) -> str:
    """A log of many processes, in which nearly everything happens."""
    lines = []
    for k in range(first, first + rounds):
        pid, child, t = 100 + 2 * (k % 50), 101 + 2 * (k % 50), f"{1_700_000_000 + k}"
        lines += [
            f'{pid} {t}.000001 openat(AT_FDCWD, "/d/{k}", O_CREAT|O_EXCL, 0666) = 5 <0.000010>',
            f'{pid} {t}.000002 write(5, "{"x" * 20}"..., 4096) = 4096 <0.000010>',
            f"{pid} {t}.000003 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>",
            f'{child} {t}.000004 pwrite64(5, "", 10, 5000) = 10 <0.000002>',
            f"{pid} {t}.000005 <... clone resumed>) = {child} <0.000009>",
            f'{child} {t}.000006 newfstatat(5, "", {{st_mode=S_IFREG|0644, st_size=5010, ...}}, '
            "AT_EMPTY_PATH) = 0 <0.000002>",
            f"{child} {t}.000007 lseek(5, -10, SEEK_END) = 5000 <0.000002>",
            f"{child} {t}.000007 readv(5,  <unfinished ...>",
            f"{pid} {t}.000008 fcntl(5, F_DUPFD_CLOEXEC, 7) = 7 <0.000002>",
            f'{child} {t}.000009 <... readv resumed>[{{iov_base="", iov_len=7}}], 1) = 7 <0.1>',
            f'{pid} {t}.000010 read(7</d/{k}>, "", 10) = 3 <0.000002>',
            f'{pid} {t}.000011 access("../\\303\\251/{k}", F_OK) = -1 ENOENT (No such) <0.000002>',
            f"{child} {t}.000012 +++ exited with 0 +++",
            f"{pid} {t}.000013 +++ exited with 0 +++",
        ]
    return "\n".join(lines) + "\n"


def text_of(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read()


@pytest.mark.parametrize(
    "said",
    ["read f0n2 raed", "read f0n read", "read x0 read", "open p0 open flie", "read\nread f0", "",
     "read f0 read file file"],
)  # fmt: skip
def test_a_call_in_other_words_than_those_of_the_scanner_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"no call in the words of syscalls\.py"):
        scanner.Follower(f"close f0 close\n{said}\n".encode(), 9, False)


@pytest.mark.few(3)
@pytest.mark.skipif(not CAPTURES, reason="the shared captures are not here")
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.name)
def test_every_call_of_a_real_capture_is_a_row(path: Path) -> None:
    text = text_of(path)
    calls = len(re.findall(rb"(?m)^\d+ +[\d:.]+ [a-z_0-9]+\(", text))
    trace = read([path])
    rows = rows_in(trace)
    assert len(rows) == calls
    assert trace.unknown["skipped"]["lines"] == 0
    moved = re.findall(rb"(?m)\b(?:read|write)(?:\(| resumed>).* = (\d+) <[\d.]+>$", text)
    assert sum(map(int, moved)) == sum(
        row["returned"] or 0 for row in rows if row["call"] in {"read", "write"}
    )


@pytest.mark.parametrize("threads", [1, 8])
def test_rows_do_not_depend_on_where_blocks_end_nor_on_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    from simulator.traces import reader, sources

    log = made_up_log(100)
    whole = rows_of(tmp_path, log)
    monkeypatch.setattr(reader, "processors", lambda: 8)
    assert rows_of(tmp_path, log) == whole
    monkeypatch.setattr(reader, "processors", lambda: threads)
    defaults = sources.Source.__init__.__kwdefaults__
    assert defaults is not None
    for block, tokens, batch in ((64, 3, 7), (1000, 50, 100), (333, 8192, 1000)):
        monkeypatch.setitem(defaults, "block", block)
        monkeypatch.setattr(reader, "TOKENS", tokens)
        monkeypatch.setattr(reader, "BATCH", batch)
        assert rows_of(tmp_path, log) == whole


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc/self/status")
@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("w") as file:
        for k in range(100):
            file.write(made_up_log(2000, 2000 * k))
    assert path.stat().st_size > 180 * MiB
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from simulator.traces.reader import read\nfrom simulator.traces.store import write\n"
        "print(write(read([Path(sys.argv[1])]), Path(sys.argv[2])))\n"
        "peak = [one for one in open('/proc/self/status') if one.startswith('VmHWM')]\n"
        "print(peak[0].split()[1])  # ru_maxrss begins with that of the process before\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, path, tmp_path / "out.parquet"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    rows, kilobytes = map(int, ran.stdout.split())
    assert rows == 200_000 * 10
    assert kilobytes < 300 * 1024


TRUSS = """\
Base time stamp:  1412345678.1234  [ Fri Oct  3 23:14:38 JST 2014 ]
4321/1:\t 0.0000\t 0.0000\texecve("/usr/bin/date", 0x08047DE8, 0x08047DF0)  argc = 1
4321/1:\t    argv: date
4321/1:\t 0.0166\t 0.0000\topen("/var/ld/ld.config", O_RDONLY)\t\tErr#2 ENOENT
4321/1:\t 0.0170\t 0.0002\topen64("/tmp/x", O_RDWR|O_APPEND)\t\t= 3
4321/1:\t 0.0172\t 0.0000\tfstat64(3, 0x08047A90)\t\t\t\t= 0
4321/1:\t    d=0x02D80002 i=22110 m=0100755 l=1  u=0     g=2     sz=1234
4321/1:\t\tat = Jul 20 21:40:00 JST 2014  [ 1405860000 ]
4321/1:\t 0.0180\t 0.0003\twrite(3, " F r i   O c t".., 29)\t\t\t= 29
4321/1:\t   F r i   O c t   ( 3   2 3 : 1 4 : 3 8   J S T   2 0 1 4\\n
4321/1:\t 0.0181\t 0.0001\tpipe()\t\t\t\t\t\t= 5 [6]
4321/1:\t 0.0182\t 0.0001\tread(0, 0x08047A90, 1024)\t(sleeping...)
4322/1:\t 0.0190\t 0.0003\tfork1()\t(returning as child ...)\t= 4321
4322/1:\t 0.0191\t 0.0001\twrite(3, " a b", 2)\t\t\t\t= 2
4321/1:\t 0.0192\t 0.0003\tfork1()\t\t\t\t\t\t= 4322
4321/2:\t 0.0193\t 0.0003\twrite(6, " a b", 2)\t\t\t\t= 2
4322/1:\t 0.0195\t 0.0003\t_exit(0)
4321/1:\t 9.0199\t 9.0000\tread(0, " a", 1024)\t\t\t\t= 1
4321/1:\t    Received signal #18, SIGCLD [default]
4321/1:\t      siginfo: SIGCLD CLD_EXITED pid=4322 status=0x0000
"""


def test_truss_is_read(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, TRUSS)
    rows = rows_in(trace)
    columns = ("call", "process", "fd", "kind", "file", "offset", "returned", "error")
    assert columns_of(rows, *columns) == [
        ("execve", 0, None, None, "/usr/bin/date", None, 0, None),
        ("open", 0, None, None, "/var/ld/ld.config", None, None, "ENOENT"),
        ("open64", 0, 3, "file", "/tmp/x", None, 3, None),
        ("fstat64", 0, 3, "file", "/tmp/x", None, 0, None),
        ("write", 0, 3, "file", "/tmp/x", 1234, 29, None),
        ("pipe", 0, None, None, None, None, 5, None),
        ("write", 1, 3, "file", "/tmp/x", 1263, 2, None),
        ("fork1", 0, None, None, None, None, 4322, None),
        ("write", 2, 6, "pipe", None, None, 2, None),
        ("_exit", 1, None, None, None, None, None, None),
        ("read", 0, 0, "inherited", None, None, 1, None),
    ]  # fmt: skip
    assert trace.about["format"] == "truss"
    assert rows[0]["time_ns"] == 1_412_345_678_123_400_000
    assert (rows[-1]["time_ns"] - rows[0]["time_ns"], rows[-1]["duration_ns"]) == (
        19_900_000, 9 * 10**9,
    )  # fmt: skip


SOLARIS = """\
4321/1:\t 9.0210\t 0.0003\topenat(0xFFD19553, "a", O_RDONLY)\t\t= 7
4321/1:\t 9.0211\t 0.0003\tchdir("/etc")\t\t\t= 0
4321/1:\t 9.0212\t 0.0003\topenat(0xFFD19553, "b", O_RDONLY)\t\t= 8
4321/2:\t 9.0213\t 0.0003\tfcntl(8, F_SETFD, 0x00000001)\t= 0
4321/2:\t 9.0214\t 0.0003\tfcntl(7, F_DUPFD, 0x00000009)\t= 9
4321/2:\t 9.0215\t 0.0003\texecve("/bin/x", 0x08047C1C, 0x08047C24)  argc = 2
4321/1:\t 9.0216\t 0.0003\tread(9, 0x08063440, 5)\t= 5
4321/1:\t 9.0217\t 0.0003\tread(7, 0x08063440, 5)\t= 5
4321/1:\t 9.0218\t 0.0003\tread(8, 0x08063440, 5)\t= 5
"""


def test_descriptors_in_truss_and_those_that_exec_closes(tmp_path: Path) -> None:
    rows = rows_in(trace_of(tmp_path, TRUSS + SOLARIS, cwd="/w"))[-9:]
    columns = ("call", "process", "fd", "file", "offset")
    assert columns_of(rows, *columns) == [
        ("openat", 0, 7, "/w/a", None),
        ("chdir", 0, None, "/etc", None),
        ("openat", 0, 8, "/etc/b", None),
        ("fcntl", 2, 8, "/etc/b", None),
        ("fcntl", 2, 7, "/w/a", None),
        ("execve", 2, None, "/bin/x", None),
        ("read", 2, 9, "/w/a", 0),
        ("read", 2, 7, "/w/a", 5),
        ("read", 2, 8, None, None),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('4321/1:\t 1.0\t 0.1\tread(3, "a\n', "no line"),
        ("4321/1:\t 1.0\t 0.1\tread(3, 5, 6)\t\t= x\n", "no line"),
        ("4321/1:\t 1.0\t 0.1\tread(3, 5, 6)\t\t= 99999999999999999999\n", "64 bits"),
        ("4321/1:\t 1.0\t 0.1\tread(3, 5, 6)\t\t= 5\0\n", "hole"),
    ],
)
def test_damaged_truss_is_refused(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(Exception, match=rf"log:21: .*{words}"):
        rows_of(tmp_path, TRUSS + line)


def test_the_command_writes_a_store_and_says_what_it_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = tmp_path / "log", tmp_path / "out.parquet"
    log.write_text(made_up_log(3))
    assert main(["trace", "import", str(log), "-o", str(out), "--cwd", "/w"]) == 0
    printed = capsys.readouterr().out
    assert "detected strace: times epoch, durations, 6 processes" in printed
    assert f"wrote 30 calls to {out}" in printed
    store = Store(out)
    trace = read([log], cwd="/w")
    rows = rows_in(trace)
    assert [row for batch in store.batches() for row in batch.to_pylist()] == rows
    assert (store.about, store.unknown) == (
        json.loads(json.dumps(trace.about)),
        trace.unknown,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "out.parquet"]


def test_a_bad_log_leaves_no_store_and_the_old_one_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = tmp_path / "log", tmp_path / "out.parquet"
    log.write_text(made_up_log(3) + "1 12:00:00.5 nonsense\n")
    out.write_text("old")
    assert main(["trace", "import", str(log), "-o", str(out)]) == 2
    assert "log:43: this is no line of a trace: '1 12:00:00.5 nonsense'" in capsys.readouterr().err
    assert out.read_text() == "old"
    assert main(["trace", "import", str(log), "-o", str(out), "--lenient"]) == 0
    assert "skipped: 1 lines" in capsys.readouterr().out
    assert len(list(tmp_path.iterdir())) == 2


def test_a_log_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    log.write_text(made_up_log(1))
    assert main(["trace", "import", str(log), "-o", str(log)]) == 2
    assert "is a log itself" in capsys.readouterr().err


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(Exception, match="damaged Parquet file"):
        Store(path)
    parquet.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(Exception, match="none that 'nwtsim trace import' has written"):
        Store(path)
    with pytest.raises(Exception, match="Parquet"):
        rows_in(read([path]))


def test_without_a_scanner_one_sentence_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    log.write_text(made_up_log(1))
    monkeypatch.setitem(sys.modules, "simulator.traces.scanner", None)
    assert main(["trace", "import", str(log), "-o", str(tmp_path / "out.parquet")]) == 2
    said = capsys.readouterr().err
    assert "install nwtsim from a wheel" in said
    assert "Traceback" not in said
