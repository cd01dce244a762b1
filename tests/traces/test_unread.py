"""What moves data is read, or named with its calls and bytes; times that contradict each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.traces.columns import MOVES
from simulator.traces.errors import TraceError
from simulator.traces.reader import read
from simulator.traces.syscalls import known_calls
from simulator.traces.unread import UNSAID, is_much, shortfalls
from tests.traces.fast_and_slow import same
from tests.traces.logs import rows_in, rows_of, trace_of
from tests.traces.stores import printed, reported

VECTOR = '[{iov_base="a", iov_len=70}], 1'
MESSAGE = "{msg_name=NULL, msg_iov=[{iov_base=0x7f, iov_len=70}], msg_iovlen=1, msg_flags=0}"
MESSAGES = f"[{{msg_hdr={MESSAGE}, msg_len=30}}, {{msg_hdr={MESSAGE}, msg_len=40}}], 2, 0"
IOCB = "{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_nbytes=70, aio_offset=0}"
DATA = {
    **dict.fromkeys(("read", "write", "recv", "send"), '3, "a"..., 70) = 70'),
    **dict.fromkeys(("pread64", "pwrite64", "pread", "pwrite"), '3, "a"..., 70, 0) = 70'),
    **dict.fromkeys(("readv", "writev", "vmsplice"), f"3, {VECTOR}) = 70"),
    **dict.fromkeys(("preadv", "pwritev"), f"3, {VECTOR}, 0) = 70"),
    **dict.fromkeys(("preadv2", "pwritev2"), f"3, {VECTOR}, 0, 0) = 70"),
    **dict.fromkeys(("recvfrom", "sendto"), '3, "a"..., 70, 0, NULL, 0) = 70'),
    **dict.fromkeys(("recvmsg", "sendmsg"), f"3, {MESSAGE}, 0) = 70"),
    "recvmmsg": f"3, {MESSAGES}, NULL) = 2",
    "recvmmsg_time64": f"3, {MESSAGES}, NULL) = 2",
    "sendmmsg": f"3, {MESSAGES}) = 2",
    **dict.fromkeys(("sendfile", "sendfile64"), "4, 3, NULL, 70) = 70"),
    **dict.fromkeys(("copy_file_range", "splice"), "3, NULL, 4, NULL, 70, 0) = 70"),
    "tee": "3, 4, 70, 0) = 70",
    **dict.fromkeys(("mmap", "mmap2"), "NULL, 70, PROT_READ, MAP_SHARED, 3, 0) = 0x7f00"),
    "msync": "0x7f00, 70, MS_SYNC) = 0",
    "readahead": "3, 0, 70) = 0",
    **dict.fromkeys(("fadvise64", "fadvise64_64"), "3, 0, 70, POSIX_FADV_WILLNEED) = 0"),
    "madvise": "0x7f00, 70, MADV_WILLNEED) = 0",
    "process_madvise": "3, [{iov_base=0x7f, iov_len=99}], 1, MADV_WILLNEED, 0) = 70",
    **dict.fromkeys(
        ("process_vm_readv", "process_vm_writev"), f"7, {VECTOR}, {VECTOR}, 0) = 70"
    ),
    "io_submit": f"0x7f00, 1, [{IOCB}]) = 1",
    "io_uring_enter": "3, 5, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 5",
    **dict.fromkeys(("mq_timedsend", "mq_timedsend_time64"), '3, "a"..., 70, 0, NULL) = 0'),
    **dict.fromkeys(("mq_timedreceive", "mq_timedreceive_time64"), '3, "a"..., 99, [0]) = 70'),
    "msgsnd": '0, {1, "a"...}, 70, 0) = 0',
    "msgrcv": '0, {1, "a"...}, 99, 0, 0) = 70',
    "finit_module": '3, "", 0) = 0',
    "kexec_file_load": '3, 4, 1, "", 0) = 0',
}  # fmt: skip
"""The calls of strace's classes desc, network, memory, ipc and process that move data."""
AS = {"mmap": "mmap", "mmap2": "mmap", "io_uring_enter": "io_uring"}
"""Names in ``unknown`` that are not the call's."""
TABLE = Path(__file__).parents[1] / "data" / "system_calls.txt"
"""Every call of the kernel and its class."""
UNSIZED = ("finit_module", "kexec_file_load")
"""Calls that do not say how much they move."""


@pytest.mark.parametrize("call", DATA)
def test_what_moves_data_is_read_or_named(tmp_path: Path, call: str) -> None:
    log = f'9 openat(AT_FDCWD, "/a", O_RDWR) = 3\n9 {call}({DATA[call]}\n'
    log = log.replace("openat(AT_FDCWD, \"/a\", O_RDWR)", "socket(AF_INET, SOCK_STREAM, 0)"
                      if "mmsg" in call else "openat(AT_FDCWD, \"/a\", O_RDWR)")  # fmt: skip
    trace = trace_of(tmp_path, log)
    moved = [row for row in rows_in(trace) if row["call"] in MOVES]
    if moved:
        assert [row["returned"] for row in moved] == [70]
        return
    named = trace.unknown[AS.get(call, call)]
    assert named["calls"] == 1
    assert call in UNSIZED or named.get("bytes", named.get("submitted")) in (70, 5)


def classed() -> dict[str, str]:
    """Return the class of each system call of the table; a call stands in one class only."""
    found, kind = dict[str, str](), ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("  "):
            for call in line.split():
                assert call not in found, f"{call} is classed twice"
                found[call] = kind
        elif not line.startswith("#"):
            kind, reason = line.split(": ", 1)
            assert kind in {"read", "named", "metadata", "none"}
            assert reason
    return found


def test_each_call_of_the_kernel_is_classed_as_it_is_read() -> None:
    table, known = classed(), known_calls()
    acts = {call: next(iter(said.split()[-1:]), "") for call, said in known.items()}
    named, data = {"unread", "uring", "mmap", "advise"}, {"read", "named"}
    for call, kind in table.items():
        assert (call in DATA) == (kind in data), f"{call} is {kind}: has it a line in DATA?"
        assert kind == "none" or call in acts, f"{call} is {kind} and not known"
        assert (acts.get(call) in named) == (kind == "named"), call
        assert (call in MOVES or acts.get(call) == "submit") == (kind == "read"), call


@pytest.mark.parametrize("header", ["unistd_64.h", "unistd_x32.h", "unistd_32.h"])
def test_the_table_has_each_call_of_this_kernel(header: str) -> None:
    places = [Path("/usr/include", folder, header) for folder in ("x86_64-linux-gnu/asm", "asm")]
    text = next((place.read_text() for place in places if place.exists()), None)
    if text is None:
        pytest.skip(f"no asm/{header} here")
    assert set(re.findall(r"#define __NR_(\w+)", text)) <= set(classed())


OPEN = 'openat(AT_FDCWD, "/a", O_RDWR)'
KNOWN = "9 fstat(3, {st_mode=S_IFREG|0644, st_size=1000, ...}) = 0\n"


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        ("readahead(3, 900, 4096)", ("readahead", 1, 100)),
        ("fadvise64(3, 0, 0, POSIX_FADV_WILLNEED)", ("fadvise64", 1, 1000)),
        ("fadvise64(3, 100, 50, POSIX_FADV_WILLNEED)", ("fadvise64", 1, 50)),
        ("fadvise64_64(3, 2000, 50, POSIX_FADV_WILLNEED)", ("fadvise64_64", 1, 0)),
        ("arm_fadvise64_64(3, POSIX_FADV_WILLNEED, 8, 9)", ("arm_fadvise64_64", 1, 9)),
        ("madvise(0x7f00, 4096, MADV_POPULATE_READ)", ("madvise", 1, 4096)),
    ],
)
def test_what_is_read_ahead_is_of_the_file(tmp_path: Path, calls: str, named: Any) -> None:
    trace = trace_of(tmp_path, f"9 {OPEN} = 3\n{KNOWN}9 {calls} = 0\n")
    assert rows_in(trace)[-1]["requested"] is None
    name, many, size = named
    assert trace.unknown[name] == {"calls": many, "bytes": size}


@pytest.mark.parametrize("advice", ["SEQUENTIAL", "DONTNEED", "RANDOM", "NORMAL", "NOREUSE"])
def test_other_advice_moves_nothing(tmp_path: Path, advice: str) -> None:
    log = f"9 {OPEN} = 3\n9 fadvise64(3, 0, 70, POSIX_FADV_{advice}) = 0\n"
    log += "9 madvise(0x7f00, 4096, MADV_DONTNEED) = 0\n"
    log += "9 fadvise64(1, 0, 0, POSIX_FADV_WILLNEED) = -1 ESPIPE (Illegal seek)\n"
    trace = trace_of(tmp_path, log)
    assert [row["flags"] for row in rows_in(trace)][1:3] == [
        f"POSIX_FADV_{advice}",
        "MADV_DONTNEED",
    ]
    assert not {"fadvise64", "madvise"} & set(trace.unknown)


def test_the_length_that_is_read_ahead_may_not_be_known(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log"
    whole = "fadvise64(3, 0, 0, POSIX_FADV_WILLNEED)"
    log.write_text(f"9 {OPEN} = 3\n9 {whole} = 0\n9 readahead(3, 0, 5000) = 0\n9 {whole} = 0\n")
    assert "readahead 1 call, 5.00 kB; fadvise64 2 calls, 2 of unknown length" in printed(
        capsys, "check", log
    )
    assert shortfalls(read_unknown(log)) == [
        "3 calls ask the system to read up to 5.00 kB of files ahead (2 calls up to a file's end"
        " that is not known); how much it read then is not in the log"
    ]


def read_unknown(log: Path) -> dict[str, dict[str, int]]:
    """Return what a log does not say."""
    trace = read([log])
    rows_in(trace)
    return trace.unknown


@pytest.mark.parametrize(("moved", "much"), [(0, True), (900, True), (1000, False), (10**6, False)])
def test_what_is_read_ahead_and_not_by_calls_is_unread(moved: int, much: bool) -> None:
    unknown = {"readahead": {"calls": 1, "bytes": 600}, "fadvise64": {"calls": 1, "bytes": 400}}
    assert is_much(unknown, moves=9, moved=moved) == much
    assert not is_much({"fadvise64": {"calls": 2, "bytes": 0, UNSAID: 2}}, moves=9, moved=moved)


@pytest.mark.few(2)
@pytest.mark.parametrize("call", ["io_uring_enter", "msync", "io_submit"])
@pytest.mark.parametrize("many", [1, 40])
def test_verdicts_are_withheld_where_much_is_unread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], call: str, many: int
) -> None:
    data = {"io_submit": "0x7f00, 5, 0x7ffc) = 5", "msync": "0x7f00, 2000000, MS_SYNC) = 0"}
    calls = ['openat(AT_FDCWD, "/a", O_RDWR) = 3']
    calls += ['read(3, "a"..., 1000000) = 1000000'] * 200
    calls += [f"{call}({data.get(call, DATA[call])}"] * many
    log = tmp_path / "log"
    log.write_text(
        "".join(f"9 170000000{n / 1000:.6f} {one} <0.000100>\n" for n, one in enumerate(calls))
    )
    found = reported(capsys, "check", log)
    verdicts = {one["verdict"] for one in found["checks"]} - {None}
    assert bool(verdicts) == (many == 1)
    name = AS.get(call, call)
    assert found["unknown"][name]["calls"] == many
    for report in ("summary", "check"):
        assert f"{name} {many} call" in printed(capsys, report, log)


MACHINE = """
format: machine/2
name: lab
parts: {disk: {kind: disk, rate: 100 MB/s}}
filesystems: {home: [disk]}
"""


@pytest.mark.parametrize("command", ["replay", "advise"])
def test_replay_and_advise_name_it_first(tmp_path: Path, capsys: Any, command: str) -> None:
    (tmp_path / "lab.yaml").write_text(MACHINE)
    log = tmp_path / "log"
    text = 'openat(AT_FDCWD, "/a", O_RDWR) = 4 <0.000010>'
    ring = "io_uring_enter(3, 5, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 5 <0.010000>"
    log.write_text(f"9 1700000000.000000 {text}\n9 1700000001.000000 {ring}\n")
    assert main([command, str(log), "--on", str(tmp_path / "lab.yaml")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    said = "1 call of io_uring_enter submitted 5 requests; their files and bytes are not in the log"
    assert said in out
    assert out.index(said) < out.index("elapsed") if command == "replay" else True


# -- times ----------------------------------------------------------------------------------------

STEPS = """\
     0.000000 execve("/bin/a", ["a"], 0x7ffc) = 0 <0.000100>
     0.000200 wait4(-1, NULL, 0, NULL) = 7 <0.500000>
     0.000100 close(3)                 = 0 <0.000010>
     0.000200 wait4(-1, NULL, 0, NULL) = 8 <0.250000>
     0.000100 close(4)                 = 0 <0.000010>
     0.000500 exit_group(0)            = ?
"""
"""A file of ``strace -ff -r -T``: others have written lines while the process waited."""


def test_steps_that_count_from_other_processes_are_rebuilt(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log"
    log.write_text(STEPS)
    rows = same(log).rows
    begins = [row["time_ns"] - rows[0]["time_ns"] for row in rows]
    assert begins == [n * 1000 for n in (0, 200, 500_200, 500_400, 750_400, 750_900)]
    assert same(log).unknown["rebuilt times"] == {"calls": 2}
    assert "2 calls would begin before the last one of the process had ended" in printed(
        capsys, "check", log
    )


def absolute(steps: str) -> str:
    """The same with sums of steps, as a script may make them."""
    now, lines = 1_700_000_000.0, []
    for line in steps.splitlines():
        step, text = line.split(maxsplit=1)
        now += float(step)
        lines.append(f"9 {now:.6f} {text}\n")
    return "".join(lines)


def test_other_times_that_contradict_durations_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(absolute(STEPS.replace("     0.000500 exit_group(0)            = ?\n", "") * 3))
    refused = same(log).refused
    assert refused is not None
    assert refused.startswith(f"{log}:3: the call begins before the last one of its process has")
    assert same(log, lenient=True).unknown["contradicting times"]["calls"] > 3


def test_times_that_are_rounded_are_no_contradiction(tmp_path: Path) -> None:
    lines = [f"9 1700000000.{n:06} getpid() = 9 <0.000005>\n" for n in range(0, 400, 4)]
    seconds = [f"9 10:00:0{n} pause() = 0 <0.999999>\n9 10:00:0{n} getpid() = 9 <0.000003>\n"
               for n in range(9)]  # fmt: skip
    for log in (lines, seconds):
        assert rows_of(tmp_path, "".join(log))


def test_steps_put_no_files_in_order(tmp_path: Path) -> None:
    paths = [tmp_path / "log.7", tmp_path / "log.8"]
    for path in paths:
        path.write_text(STEPS)
    with pytest.raises(TraceError, match=r"log.7:1: only steps \(-r\) in its lines"):
        rows_in(read(paths))
