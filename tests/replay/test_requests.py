"""Requests of io_submit: each is read, counted and replayed as what it is, several under way."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.config.formats import parse_machine
from simulator.plan.codes import SYNC
from simulator.replay.observed import observe
from simulator.replay.replay import Replay, ReplayOptions, replay
from simulator.replay.tracer import TracerCosts
from simulator.report.outcome import answer
from simulator.report.tables import jobs_table
from simulator.result.jobs import by_job
from simulator.traces.reader import read
from simulator.workload.callfile import read_calls
from simulator.workload.traced import owner_of
from tests.replay.test_tracer import ended, record
from tests.traces.fast_and_slow import same
from tests.traces.logs import columns_of, rows_of
from tests.traces.stores import reported

CONTEXT = 0x7F8A1C88D000
HEAD = """\
900 1700000000.000000 execve("/opt/db", ["db"], 0x7ffc0 /* 9 vars */) = 0 <0.000020>
900 1700000000.000120 io_setup(256, [0x7f8a1c88d000]) = 0 <0.000020>
900 1700000000.000240 openat(AT_FDCWD, "/srv/data", O_RDWR|O_DIRECT) = 3 <0.000020>
"""
KINDS = r"""
900 1700000000.001000 io_submit(0x7f8a1c88d000, 3, [
    {aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, aio_buf="\0, aio_nbytes=9}"...,
    aio_nbytes=16384, aio_offset=0},
    {aio_data=0x7, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_buf=0x7f8a1ba0d000,
    aio_nbytes=4096, aio_offset=32768},
    {aio_data=0x5, aio_rw_flags=RWF_DSYNC, aio_lio_opcode=IOCB_CMD_PWRITEV,
    aio_fildes=3</srv/data>, aio_buf=[{iov_base="\0\0"..., iov_len=4096}, {iov_base="",
    iov_len=8192}], aio_offset=8192}]) = 3 <0.000030>
900 1700000000.002000 io_submit(0x7f8a1c88d000, 5, [
    {aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=3, aio_buf=[{iov_base=0x7f8a1ba0d000,
    iov_len=512}], aio_offset=0},
    {aio_data=0, aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3},
    {aio_data=0, aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=3},
    {aio_data=0, aio_lio_opcode=IOCB_CMD_POLL, aio_fildes=3, aio_buf=POLLIN},
    {aio_data=0, aio_lio_opcode=IOCB_CMD_NOOP, aio_fildes=3}]) = 5 <0.000019>
900 1700000000.003000 io_getevents(0x7f8a1c88d000, 1, 8, [{data=0x7, obj=0x7f8a1bb256b0,
    res=4096, res2=0}, {data=0x5, obj=0x7f, res=12288, res2=0}], NULL) = 2 <0.000012>
900 1700000000.004000 io_submit(0x7f8a1c88d000, 1, [{data=0, pwrite, fildes=3, str="\0\0"...,
    nbytes=1024, offset=2048}]) = 1 <0.000019>
""".replace("\n    ", " ").replace("[ {", "[{")
"""As strace 6.1 writes it; the last as older versions did."""


def test_each_request_is_a_row_with_its_file_bytes_and_offset(tmp_path: Path) -> None:
    rows = [one for one in rows_of(tmp_path, HEAD + KINDS[1:]) if "aio" in one["call"]]
    wanted = ("call", "file", "offset", "requested", "returned", "flags")
    name, direct = "/srv/data", "O_DIRECT"
    assert columns_of(rows, *wanted) == [
        ("aio_pwrite", name, 0, 16384, 16384, direct),
        ("aio_pread", name, 32768, 4096, 4096, direct),
        ("aio_pwritev", name, 8192, 12288, 12288, "O_DSYNC|O_DIRECT"),
        ("aio_preadv", name, 0, 512, 512, direct),
        ("aio_fsync", name, None, None, 0, None),
        ("aio_fdsync", name, None, None, 0, None),
        ("aio_pwrite", name, 2048, 1024, 1024, direct),
    ]
    assert {one["time_ns"] % 10**9 for one in rows} == {10**6, 2 * 10**6, 4 * 10**6}


def test_both_readers_see_the_same_requests(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(HEAD + "".join(KINDS[1:].splitlines(keepends=True)[:3]))
    same(log)


@pytest.mark.parametrize("path", ["/w/{[(", "/w/}", "/w/a, aio_nbytes=1", "/w/])", '/w/\\"'])
def test_brackets_in_the_name_of_a_file_are_no_structure(tmp_path: Path, path: str) -> None:
    log = tmp_path / "log"
    log.write_text(
        f"900 1700000000.001000 io_submit(0x1, 2, [{{aio_data=0x2, aio_lio_opcode=IOCB_CMD_PREAD,"
        f" aio_fildes=3<{path}>, aio_buf=0x7f, aio_nbytes=10, aio_offset=5}}, {{aio_data=0x3,"
        f" aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3<{path}>}}]) = 2 <0.000030>\n"
    )
    found = [one for one in same(log).rows if one["call"].startswith("aio")]
    assert [(one["call"], one["requested"]) for one in found] == [
        ("aio_pread", 10),
        ("aio_fsync", None),
    ]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("io_submit(0x7f8a1c88d000, 3, 0x7ffc0123) = 3", 3),
        ("io_submit(0x1, 3, [{aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}, ...]) = 3", 2),
        ("io_submit(0x1, 3, [{aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}, ...]) = 1", 0),
        ("io_submit(0x7f8a1c88d000, 1, [{aio_lio_opcode=0x77, aio_fildes=3}]) = 1", 1),
        ("io_submit(0x7f8a1c88d000, 1, [{aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=3,"
         " aio_buf=[{iov_base=0x1, iov_len=512}, ...], aio_offset=0}]) = 1", 1),
        ("<... io_submit resumed>) = 4", 4),
    ],
)  # fmt: skip
def test_what_is_not_shown_is_counted(tmp_path: Path, text: str, hidden: int) -> None:
    log = tmp_path / "log"
    log.write_text(f"900 1700000000.001000 {text} <0.000030>\n")
    unknown = same(log).unknown
    assert unknown.get("io_submit", {"requests": 0})["requests"] == hidden


@pytest.mark.slow
def test_a_call_with_more_requests_than_a_batch_has_rows(tmp_path: Path) -> None:
    one = "{aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}"
    line = f"900 1700000000.001000 io_submit(0x1, 900, [{', '.join([one] * 900)}]) = 900\n"
    assert len(rows_of(tmp_path, line * 200)) == 200 * 901


# -- reports --------------------------------------------------------------------------------------


def job(depth: int, count: int, *, waits: bool = True, sizes: tuple[int, ...] = (16384,)) -> str:
    """A job that keeps ``depth`` writes under way; request k is of stripe k."""
    now, lines = 1_000, [HEAD]
    under_way: list[int] = []

    def line(call: str, took: int) -> None:
        nonlocal now
        lines.append(f"900 1700000000.{now:06} {call} <0.{took:06}>\n")
        now += 100 + took

    def submit(first: int, many: int) -> None:
        each = ", ".join(
            "{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, aio_buf=0x7f,"
            f" aio_nbytes={sizes[k % len(sizes)]}, aio_offset={k * 2**24}}}"
            for k in range(first, first + many)
        )
        under_way.extend(sizes[k % len(sizes)] for k in range(first, first + many))
        line(f"io_submit({CONTEXT:#x}, {many}, [{each}]) = {many}", 30)

    def wait(many: int) -> None:
        under_way.sort()
        done, under_way[:many] = under_way[:many], []
        events = ", ".join(f"{{data=0, obj=0x7f, res={size}, res2=0}}" for size in done)
        line(f"io_getevents({CONTEXT:#x}, {many}, {many}, [{events}], NULL) = {many}", 8_000)

    submit(0, depth)
    for number in range(depth, count):
        if waits:
            wait(1)
        submit(number, 1)
    if waits:
        wait(depth)
    return "".join(lines)


def test_bytes_and_waiting_are_in_summary_and_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "aio.log"
    log.write_text(job(1, 100))
    calls = {one["call"]: one for one in reported(capsys, "summary", log)["calls"]}
    assert (calls["aio_pwrite"]["count"], calls["aio_pwrite"]["bytes"]) == (100, 100 * 16384)
    found = reported(capsys, "check", log)
    assert (found["writes"], found["written_bytes"]) == (100, 100 * 16384)
    assert found["io_share"] > 0.95  # In io_getevents, which is waiting for the device.
    checks = {one["check"]: one for one in found["checks"]}
    assert checks["io_share"]["verdict"] == "warning"
    assert checks["write_rate"]["value"] == pytest.approx(16384 / 0.00803, rel=0.01)
    assert main(["trace", "summary", str(log)]) == 0
    assert capsys.readouterr().out.startswith("call ")  # Not with what else the time is.


# -- replays --------------------------------------------------------------------------------------

MACHINE = """
format: machine/2
name: lab
parts:
  disk: {kind: disk, rate: 16.384 MB/s, count: DISKS}
  cpu: {kind: cpu, call_overhead: 0 s}
filesystems: {home: [{stripe: 16 MiB, over: DISKS, of: disk}, disk]}
"""


def replayed(tmp_path: Path, log: str, *, disks: int = 1, engine: Any = "native") -> Replay:
    path = tmp_path / "job.log"
    path.write_text(log)
    machine = parse_machine(MACHINE.replace("DISKS", str(disks)), "lab.yaml")
    return replay([path], machine, ReplayOptions(engine=engine, think=Fraction(0)), progress=False)


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("depth", "disks", "ms"),
    [(1, 1, 32), (1, 4, 32), (2, 4, 16), (4, 4, 8), (8, 4, 8), (40, 4, 16)],
)
def test_so_many_requests_are_under_way(
    tmp_path: Path, depth: int, disks: int, ms: int, engine: Any
) -> None:
    count = 64 if depth == 40 else 32
    done = replayed(tmp_path, job(depth, count), disks=disks, engine=engine)
    assert done.observed.spent.lived_ns == done.observed_ns  # One process, without its requests.
    assert done.result.elapsed_ns == ms * 10**6  # 1 ms each at its disk.
    (moved,) = [one for one in done.calls if one.name == "aio_pwrite"]
    assert (moved.calls, moved.bytes) == (count, count * 16384)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_wait_is_for_any_that_are_complete(tmp_path: Path, engine: Any) -> None:
    """Of two under way the first takes 31 ms at its disk: the others go on at theirs."""
    log = job(2, 32, sizes=(31 * 16384, *[16384] * 31))
    done = replayed(tmp_path, log, disks=32, engine=engine)
    assert done.result.elapsed_ns == 31 * 10**6


def test_of_a_recorded_log_requests_have_no_time_of_the_tracer(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(job(4, 32))
    tolls = TracerCosts(record(ended(10**6, 100, 100)))
    found = observe("job", read([path]).batches(), tracer=tolls, costs=(SYNC,))
    assert tolls.calls == 3 + 2 * 29
    clients = [one for one in found.traced.clients if one.name != "pid900"]
    gap = found.traced.table.gap
    gaps = [time for one in clients for time in gap[one.first : one.first + one.calls]]
    assert len(clients) == 32
    assert not any(gaps)


def test_what_is_never_waited_for_is_done_all_the_same(tmp_path: Path) -> None:
    done = replayed(tmp_path, job(8, 32, waits=False), disks=4)
    assert done.result.elapsed_ns == 8 * 10**6


def test_a_thread_may_wait_for_what_others_submit(tmp_path: Path) -> None:
    """As databases do: one thread submits, another one waits."""
    log = job(2, 16).replace("900 ", "901 ", 10**6)
    lines = [one.replace("901 ", "900 ", 1) if "io_getevents" not in one else one
             for one in log.splitlines(keepends=True)]  # fmt: skip
    clone = "900 1700000000.000900 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD"
    lines.insert(3, f"{clone}) = 901 <0.000010>\n")
    done = replayed(tmp_path, "".join(lines), disks=4)
    assert done.result.elapsed_ns == 4 * 10**6  # Nothing holds back who only submits.
    names = [one.name for one in done.observed.traced.clients]
    assert names[:2] == ["pid900", "pid901"]


def test_the_requests_are_kept_in_a_workload(tmp_path: Path, capsys: Any) -> None:
    log, machine, out = tmp_path / "job.log", tmp_path / "lab.yaml", tmp_path / "job.yaml"
    log.write_text(job(4, 32))
    machine.write_text(MACHINE.replace("DISKS", "4"))
    assert main(["trace", "workload", str(log), "-o", str(out), "--on", str(machine)]) == 0
    again = read_calls(tmp_path / "job.calls.csv", "job")
    assert again.table == replayed(tmp_path, job(4, 32), disks=4).observed.traced.table
    assert again.meetings.counters == (0,)
    capsys.readouterr()


def test_clients_of_requests_are_no_processes(tmp_path: Path) -> None:
    done = replayed(tmp_path, job(8, 40), disks=4)
    (whole,) = by_job(done.result)
    assert whole.clients > 1
    assert len(whole.processes) == 1 + whole.clients
    assert whole.to_json()["processes"] == 1
    assert jobs_table(done.result).rows[0][:2] == ["trace", 1]


def test_a_failed_client_of_requests_counts_for_its_process(tmp_path: Path) -> None:
    done = replayed(tmp_path, job(8, 40), disks=4)
    for one in done.result.processes:
        one.failed.count = 1
    assert " of 1 process" not in answer(done.result)
    assert "calls failed" in answer(done.result)


@pytest.mark.parametrize("name", ["copy+requests", "pid7+requestsx", "a+requests.2"])
def test_a_name_of_the_user_is_no_client_of_requests(name: str) -> None:
    assert owner_of(name) == name
