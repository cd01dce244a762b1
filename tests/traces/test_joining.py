"""Calls in two lines, and forks whose children come first: the same rows, and not more work."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.traces.store import Store
from tests.traces.fast_and_slow import same
from tests.traces.logs import columns_of, rows_in, rows_of, trace_of

DATA = Path(__file__).resolve().parents[2] / "benchmarks" / "data"
T = "1700000000.000001"


@pytest.mark.few(2)
@pytest.mark.parametrize("lines", [None, 700])
@pytest.mark.parametrize("kind", ["threads", "threads64", "makej"])
def test_logs_with_threads_and_of_make_j(kind: str, lines: int | None, tmp_path: Path) -> None:
    path = DATA / f"{kind}.strace.gz"
    if not path.exists():
        pytest.skip("the captures of the benchmark are not here")
    log = tmp_path / "log"
    log.write_bytes(b"".join(gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:lines]))
    assert same(log).rows


@pytest.mark.parametrize("length", [1, 200, 255, 256, 257, 1000, 9000, 70_000])
def test_first_parts_of_any_length(length: int, tmp_path: Path) -> None:
    name = "/" + "x" * length
    log = (
        f'7 {T} openat(AT_FDCWD, "{name}", O_RDWR|O_APPEND <unfinished ...>\n'
        f"8 {T} read(0,  <unfinished ...>\n"
        f"7 {T} <... openat resumed>) = 5 <0.000001>\n"
        f'8 {T} <... read resumed>"", 10) = 0 <0.000001>\n'
        f'7 {T} writev(5, [{{iov_base="{name}", iov_len=7}}] <unfinished ...>\n'
        f'8 {T} pwrite64(0, "", 3, 4 <unfinished ...>\n'
        f"7 {T} <... writev resumed>, 1) = 7 <0.000001>\n"
    )
    rows = rows_of(tmp_path, log)
    assert columns_of(rows, "call", "file", "requested") == [
        ("openat", name, None),
        ("read", None, 10),
        ("writev", name, 7),
        ("pwrite64", None, 3),
    ]
    path = tmp_path / "log"
    assert same(path).rows == rows


def test_places_of_first_parts_are_used_again(tmp_path: Path) -> None:
    lines = [
        line
        for k in range(300)
        for line in (
            f"7 {T} read(3,  <unfinished ...>",
            f'8 {T} write(3, "{"x" * (k * 3)}", 9 <unfinished ...>',
            f'7 {T} <... read resumed>"", 10) = 0 <0.000001>',
            f"8 {T} <... write resumed>) = 9 <0.000001>",
        )
    ]
    trace = trace_of(tmp_path, "\n".join(lines) + "\n")
    assert len(rows_in(trace)) == 600
    assert trace._follower.heads == 2


def forks_not_found(children: int) -> str:
    """A log in which forks are under way, and children begin that none of them returns."""
    pids = range(10, 60)
    first = [f"{pid} {T} getpid() = {pid} <0.000001>" for pid in pids]
    first += [f"{pid} {T} clone(child_stack=NULL, flags=0 <unfinished ...>" for pid in pids]
    strangers = [f"{1000 + k} {T} getpid() = {k} <0.000001>" for k in range(children)]
    last = [f"{pid} {T} <... clone resumed>) = {100 + pid} <0.000001>" for pid in pids]
    return "\n".join([*first, *strangers, *last]) + "\n"


@pytest.mark.parametrize("children", [500, 20_000])
def test_the_end_of_a_fork_is_looked_at_once_however_many_children_ask(
    children: int, tmp_path: Path
) -> None:
    trace = trace_of(tmp_path, forks_not_found(children))
    assert len(rows_in(trace)) == children + 100
    assert trace.fork_returns.looked_at == 50


def test_the_parent_is_found_far_ahead_among_many_that_fork(tmp_path: Path) -> None:
    parents = range(10, 40)
    lines = [f'{pid} {T} openat(AT_FDCWD, "/f{pid}", O_RDWR) = 3 <0.000001>' for pid in parents]
    lines += [
        f"{pid} {T} clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>" for pid in parents
    ]
    lines += [f'{100 + pid} {T} read(3, "", 1) = 0 <0.000001>' for pid in parents]
    lines += [f"9 {T} getpid() = 9 <0.000001>"] * 12_000
    lines += [f"{pid} {T} <... clone resumed>) = {100 + pid} <0.000001>" for pid in parents]
    rows = rows_of(tmp_path, "\n".join(lines) + "\n")
    read = [(row["pid"], row["file"]) for row in rows if row["call"] == "read"]
    assert read == [(100 + pid, f"/f{pid}") for pid in parents]


def test_calls_that_never_end_come_in_the_order_of_their_begin(tmp_path: Path) -> None:
    pids = [*range(3000, 1000, -1)]
    log = "".join(f"{pid} {T} read(3,  <unfinished ...>\n" for pid in pids)
    assert [row["pid"] for row in rows_of(tmp_path, log)] == pids


def loaded(command: str, *names: str) -> str:
    """Which of these modules a command has loaded at its end, in a process of its own."""
    script = (
        "import sys; from simulator.cli.main import main; names = sys.argv[2:];"
        " sys.argv = ['nwtsim', *sys.argv[1].split()]; code = main();"
        " print(code, *[name for name in names if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, command, *names], capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()[-1]


@pytest.mark.slow
def test_an_import_and_a_summary_load_what_they_need_only(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    log, store = tmp_path / "log", tmp_path / "store.parquet"
    log.write_text(f'7 {T} read(3, "", 10) = 0 <0.000001>\n')
    never = ("simulator.traces.darshan_log", "pandas", "yaml", "matplotlib")
    assert loaded(f"trace import {log} -o {store}", "duckdb", "tabulate", "numpy", *never) == "0"
    assert Store(store).about["calls"] == 1
    assert loaded(f"trace summary {store}", "pyarrow", "numpy", *never) == "0"
    assert loaded(f"trace sizes {log}", "numpy", *never) == "0"


def test_the_readers_of_the_benchmark_count_the_same_calls(tmp_path: Path) -> None:
    benchmark = pytest.importorskip("benchmarks.traces")
    log = tmp_path / "log"
    log.write_bytes(benchmark.renewed(benchmark.captures()["dd"], 3))
    counts = {reader: int(benchmark.measured(reader, log)["calls"]) for reader in ("re", "nwtsim")}
    assert counts == {"re": 1326, "nwtsim": 1326}
