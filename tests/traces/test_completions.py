"""What completions of io_submit say: requests that moved less than they asked for, or failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.traces import reader, sources
from simulator.traces.unread import shortfalls
from tests.traces.logs import columns_of, rows_in, rows_of, trace_of
from tests.traces.stores import reported

HEAD = """\
9 1.0 openat(AT_FDCWD, "/a", O_RDWR) = 3
9 1.1 openat(AT_FDCWD, "/b", O_RDWR|O_APPEND) = 4
"""


def request(data: int, size: int, at: int = 0, *, what: str = "PREAD", fd: int = 3) -> str:
    """Return a request as strace shows it; without data where they are 0, as strace does."""
    begin = f"{{aio_data={data:#x}, " if data else "{"
    moves = "" if "SYNC" in what or what == "POLL" else f", aio_nbytes={size}, aio_offset={at}"
    return f"{begin}aio_lio_opcode=IOCB_CMD_{what}, aio_fildes={fd}, aio_buf=0x7f{moves}}}"


def submit(*requests: str, pid: int = 9, context: int = 1, dots: int = 0) -> str:
    """Return a submission, with so many requests that are not shown."""
    shown = ", ".join([*requests, *["..."] * (dots > 0)])
    many = len(requests) + dots
    return f"{pid} 2.0 io_submit({context:#x}, {many}, [{shown}]) = {many}\n"


def reap(*events: tuple[int, int], pid: int = 9, context: int = 1) -> str:
    """Return a wait for completions: data and result of each."""
    shown = ", ".join(f"{{data={data:#x}, obj=0x7f, res={res}, res2=0}}" for data, res in events)
    return f"{pid} 3.0 io_getevents({context:#x}, 1, 64, [{shown}], NULL) = {len(events)}\n"


def results(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return what was asked for, moved and failed of each request."""
    some = [row for row in rows if row["call"].startswith("aio_")]
    return columns_of(some, "requested", "returned", "error")


@pytest.mark.parametrize("lenient", [False, True])
def test_a_request_has_the_result_of_its_completion(tmp_path: Path, lenient: bool) -> None:
    log = HEAD + submit(request(1, 4096), request(2, 8192), request(3, 100, what="PWRITE"))
    log += submit(request(4, 0, what="FSYNC"), request(5, 0, what="FDSYNC"))
    log += reap((2, 512), (3, -28), (5, -5)) + reap((4, 0), (1, 4096))
    trace = trace_of(tmp_path, log, lenient=lenient)
    rows = rows_in(trace)
    done = [(4096, 4096, None), (8192, 512, None), (100, None, "ENOSPC")]
    assert results(rows) == [*done, (None, 0, None), (None, None, "EIO")]
    offsets = columns_of([row for row in rows if row["call"].startswith("aio_p")], "offset")
    assert offsets == [(0,), (0,), (None,)]  # What failed has none.
    assert "without completion" not in trace.unknown


@pytest.mark.parametrize(("number", "name"), [(11, "EAGAIN"), (122, "EDQUOT"), (999, "errno 999")])
def test_errors_have_their_names(tmp_path: Path, number: int, name: str) -> None:
    log = HEAD + submit(request(1, 4096)) + reap((1, -number))
    assert results(rows_of(tmp_path, log)) == [(4096, None, name)]


def test_requests_that_are_alike_are_told_by_what_they_asked_for(tmp_path: Path) -> None:
    many = [request(0, size) for size in (4096, 8192, 8192, 512)]
    log = HEAD + submit(*many) + reap((0, 8192), (0, 512), (0, 100), (0, 8192))
    assert results(rows_of(tmp_path, log)) == [
        (4096, 100, None), (8192, 8192, None), (8192, 8192, None), (512, 512, None),
    ]  # fmt: skip


def test_what_may_be_of_a_request_that_is_not_shown_is_of_that(tmp_path: Path) -> None:
    log = HEAD + submit(request(0, 4096), dots=1) + reap((0, 100))
    trace = trace_of(tmp_path, log)
    assert results(rows_in(trace)) == [(4096, 4096, None)]
    assert trace.unknown["without completion"] == {"requests": 1}
    polls = HEAD + submit(request(0, 0, what="POLL"), request(0, 4096)) + reap((0, 1), (0, 7))
    assert results(rows_of(tmp_path, polls)) == [(4096, 7, None)]
    known = HEAD + submit(request(8, 4096), dots=1) + reap((8, 100))
    assert results(rows_of(tmp_path, known)) == [(4096, 100, None)]


def test_a_call_in_two_parts_shows_its_requests_and_completions(tmp_path: Path) -> None:
    begun = submit(request(1, 4096)).replace(") = 1", " <unfinished ...>")
    log = HEAD + begun + "7 2.1 getpid() = 7\n9 2.2 <... io_submit resumed>) = 1\n"
    log += "9 3.0 io_getevents(0x1, 1, 64, <unfinished ...>\n7 3.1 getpid() = 7\n"
    log += "9 3.2 <... io_getevents resumed>[{data=0x1, obj=0x7f, res=33, res2=0}], NULL) = 1\n"
    trace = trace_of(tmp_path, log)
    assert results(rows_in(trace)) == [(4096, 33, None)]
    assert "io_submit" not in trace.unknown


def test_contexts_are_those_of_a_process_and_its_threads(tmp_path: Path) -> None:
    """Forked siblings have contexts of the same number."""
    log = HEAD + "9 1.2 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 10\n"
    log += "9 1.3 clone(child_stack=NULL, flags=SIGCHLD) = 11\n"
    log += submit(request(0, 4096)) + submit(request(0, 8192), pid=11)
    log += reap((0, 10), pid=11) + reap((0, 20), pid=10)
    assert results(rows_of(tmp_path, log)) == [(4096, 20, None), (8192, 10, None)]
    unknown = HEAD + submit(request(0, 4096)) + reap((0, 20), pid=10)  # Traced with -p.
    assert results(rows_of(tmp_path, unknown)) == [(4096, 20, None)]


def test_a_context_ends_with_its_requests(tmp_path: Path) -> None:
    log = HEAD + submit(request(0, 4096)) + "9 3.0 io_destroy(0x1) = 0\n"
    log += submit(request(0, 8192)) + reap((0, 512))
    trace = trace_of(tmp_path, log)
    assert results(rows_in(trace)) == [(4096, 4096, None), (8192, 512, None)]
    assert trace.unknown["without completion"] == {"requests": 1}
    assert shortfalls(trace.unknown) == [
        "of 1 request of io_submit the log has no completion; their bytes are those that they"
        " asked for"
    ]


def test_what_is_counted_beside_rows_is_corrected(tmp_path: Path) -> None:
    log = "9 1.0 getpid() = 9\n" + submit(request(1, 4096, fd=7)) + reap((1, 96))
    trace = trace_of(tmp_path, log)
    rows_in(trace)
    assert trace.unknown["inherited"]["bytes"] == 96
    log = HEAD + submit(request(1, 4096, what="PWRITE", fd=4)) + reap((1, 96))
    trace = trace_of(tmp_path, log)
    rows_in(trace)
    assert trace.unknown["append"] == {"calls": 1, "bytes": 96}


def test_the_length_of_a_file_is_not_known_after_a_short_write(tmp_path: Path) -> None:
    log = '9 1.0 openat(AT_FDCWD, "/n", O_RDWR|O_CREAT|O_EXCL|O_APPEND, 0666) = 3\n'
    log += submit(request(1, 4096, what="PWRITE")) + reap((1, 96)) + '9 4.0 write(3, "a", 1) = 1\n'
    assert rows_of(tmp_path, log)[-1]["offset"] is None
    whole = log.replace("res=96", "res=4096")
    assert rows_of(tmp_path, whole)[-1]["offset"] == 4096


@pytest.mark.few(2)
@pytest.mark.parametrize("between", [0, 1, 20, 100])
@pytest.mark.parametrize("batch", [12, 40])
def test_a_completion_in_a_later_batch_corrects_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int, between: int
) -> None:
    """One batch is kept back for that; what comes later still is counted."""
    log = HEAD
    for n in range(40):
        log += submit(request(n + 1, 4096)) + "9 2.5 getpid() = 9\n" * between
        log += reap((n + 1, n))
    whole = rows_of(tmp_path, log)
    assert results(whole) == [(4096, n, None) for n in range(40)]
    monkeypatch.setattr(reader, "BATCH", batch)
    monkeypatch.setattr(reader, "TOKENS", 3)
    defaults = sources.Source.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "block", 500)
    trace = trace_of(tmp_path, log)
    rows = rows_in(trace)
    late = trace.unknown.get("without completion", {"requests": 0})["requests"]
    assert late == sum(row["returned"] == 4096 for row in rows)
    assert (late == 0) == (between < batch)
    for row, other in zip(rows, whole, strict=True):
        assert row == other or (row["call"] == "aio_pread" and row["returned"] == 4096)


VECTOR = '[{iov_base="a", iov_len=60}, {iov_base="a", iov_len=39}], 2'


@pytest.mark.parametrize(
    ("call", "at"),
    [('read(3, "a", 99)', 70), (f"readv(3, {VECTOR})", 70), (f"preadv2(3, {VECTOR}, -1, 0)", 70),
     ('pread64(3, "a", 99, 5)', 0), (f"preadv2(3, {VECTOR}, 5, 0)", 0), ('write(3, "a", 99)', 70),
     (f"writev(3, {VECTOR})", 70), (f"pwritev2(3, {VECTOR}, -1, 0)", 70),
     ("sendfile(4, 3, NULL, 99)", 70), ("sendfile(3, 4, [5], 99)", 70),
     ("copy_file_range(3, NULL, 4, NULL, 99, 0)", 70),
     ("copy_file_range(4, [5], 3, NULL, 99, 0)", 70),
     ("splice(3, NULL, 4, NULL, 99, 0)", 70)],
)  # fmt: skip
def test_calls_that_move_less_move_what_they_returned(tmp_path: Path, call: str, at: int) -> None:
    rows = rows_of(tmp_path, HEAD + f'9 2.0 {call} = 70\n9 3.0 read(3, "a", 1) = 1\n')
    assert (rows[-2]["returned"], rows[-1]["offset"]) == (70, at)
    assert rows[-2]["requested"] == 99


def test_what_is_never_waited_for_needs_no_memory(tmp_path: Path) -> None:
    log = HEAD + submit(request(0, 4096)) * 10_000 + reap((0, 100))
    trace = trace_of(tmp_path, log)
    found = results(rows_in(trace))
    assert found.count((4096, 4096, None)) == 9_999
    assert trace.unknown["without completion"] == {"requests": 9_999}


def test_reports_count_what_was_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    each = [request(n + 1, 4096, what="PREAD" if n % 2 else "PWRITE") for n in range(8)]
    text = HEAD + submit(*each) + reap(*((n + 1, 96) for n in range(6)), (7, -5), (8, -5))
    log.write_text(text.replace("\n", " <0.000100>\n"))
    calls = {one["call"]: one for one in reported(capsys, "summary", log)["calls"]}
    for call in ("aio_pread", "aio_pwrite"):
        assert (calls[call]["count"], calls[call]["errors"], calls[call]["bytes"]) == (4, 1, 288)
    found = reported(capsys, "check", log)
    assert (found["written_bytes"], found["read_bytes"]) == (288, 288)
