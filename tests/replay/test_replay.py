"""Traces replayed: what a run did is done again, and a log's processes do what they did."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.config.formats import load_machine
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.replay.observed import Observed, observe
from simulator.replay.replay import ReplayOptions, replay
from simulator.replay.simulated import SimulatedTrace
from simulator.result.result import Result
from simulator.run import load_plan, run_plan
from simulator.runtime.listed import KINDS
from simulator.traces.reader import read
from simulator.traces.store import Store, write

MACHINE = load_machine("nwt")


def observed_of(tmp_path: Path, log: str) -> Observed:
    path = tmp_path / "job.log"
    path.write_text(log)
    return observe("job", read([path]).batches())


def rows(observed: Observed, client: int = 0) -> list[tuple[Any, ...]]:
    """(kind, file, offset, size, gap in us) of a client."""
    table = observed.traced.table
    one = observed.traced.clients[client]
    names = [file.name for file in observed.traced.files]
    return [
        (
            KINDS[table.kind[i]],
            names[table.file[i]] if table.file[i] >= 0 else "",
            table.offset[i],
            table.size[i],
            table.gap[i] / 1000,
        )
        for i in range(one.first, one.first + one.calls)
    ]


# -- what a run did -----------------------------------------------------------------------------

CASES = {
    "six": ("test-write-120MB", [("clients", "6"), ("workload.files.output.size", "30 MB")]),
    "nfs": ("test-write-120MB", [("path", "nfs"), ("workload.files.output.size", "3 MB")]),
    "four PEs": (
        "test-read-parallel",
        [("clients", "3"), ("workload.files.input.size", "20 MB")],
    ),
    "gfortran": (
        "test-write-120MB",
        [("policy", "gfortran"), ("buffer", "8 kB"), ("workload.files.output.size", "2 MB")],
    ),
}


def spans(result: Result) -> list[tuple[int, ...]]:
    """Kind, file, begin and end of all calls but pauses."""
    log = result.calls
    assert log is not None
    columns = (log.kind, log.file, log.offset, log.begin, log.end)
    return [one for one in zip(*columns, strict=True) if KINDS[one[0]] != "pause"]


@pytest.mark.few(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_run_is_repeated_to_the_nanosecond(tmp_path: Path, case: str, engine: Any) -> None:
    workload, given_ = CASES[case]
    plan = load_plan("nwt", workload, settings=given_)
    result = run_plan(plan, engine=engine, record=True)
    path = tmp_path / "run.parquet"
    write(SimulatedTrace(plan, result), path)
    again = replay([path], MACHINE, ReplayOptions(engine=engine, debug=True)).result
    assert spans(again) == spans(result)
    assert (again.elapsed_ns, again.end_ns) == (result.elapsed_ns, result.end_ns)
    names = {process.name for process in plan.processes}
    assert {one.name: one.elapsed_ns for one in again.processes} == {
        one.name: one.elapsed_ns for one in result.processes if one.name in names
    }
    assert counts(again) == counts(result)


def counts(result: Result) -> dict[str, dict[str, int]]:
    """The counters of all stores."""
    return {name: store.counts for name, store in result.stores.items()}


def test_a_replay_is_a_trace_as_well(tmp_path: Path) -> None:
    """With forks and waits: the store of a replay gives the same again."""
    log = FORKED
    plan = replayed_plan(MACHINE, observed_of(tmp_path, log).traced, Placing())
    result = run_plan(plan, record=True)
    path = tmp_path / "again.parquet"
    write(SimulatedTrace(plan, result), path)
    store = Store(path)
    known = store.about["simulated"]["files"]
    observed = observe("again", store.batches(), origin=0)
    again = run_plan(replayed_plan(MACHINE, observed.traced, None, known=known), record=True)
    ends = [one.elapsed_ns for one in again.processes]
    assert ends == [one.elapsed_ns for one in result.processes]
    assert again.elapsed_ns == result.elapsed_ns


# -- what a log says ----------------------------------------------------------------------------

PLAIN = """\
7 10:00:00.000000 openat(AT_FDCWD, "/d/in", O_RDONLY) = 3 <0.000100>
7 10:00:00.000500 read(3, "..."..., 4096) = 4096 <0.000200>
7 10:00:00.001000 read(3, "", 4096) = 0 <0.000010>
7 10:00:00.002000 write(1, "x", 1) = 1 <0.000100>
7 10:00:00.003000 lseek(3, 100, SEEK_SET) = 100 <0.000010>
7 10:00:00.004000 close(3) = 0 <0.000300>
7 10:00:00.009000 exit_group(0) = ?
"""


def test_calls_gaps_and_what_has_no_model(tmp_path: Path) -> None:
    observed = observed_of(tmp_path, PLAIN)
    assert rows(observed) == [
        ("open", "/d/in", 0, 0, 0),
        ("read", "/d/in", 0, 4096, 500),
        ("read", "/d/in", 4096, 0, 300),
        ("pause", "", 0, 100_000, 990),  # A pipe or a terminal, which it waited for.
        ("seek", "/d/in", 100, 0, 900),
        ("close", "/d/in", 0, 0, 990),
        ("pause", "", 0, 0, 5000),
    ]
    assert (observed.unmodelled, observed.unmodelled_ns) == (2, 100_000)
    (file,) = observed.traced.files
    assert (file.length, file.size) == (4096, 4096)


FORKED = """\
1 10:00:00.000000 execve("/bin/sh", ["sh"], 0x0) = 0 <0.001000>
1 10:00:00.010000 clone(child_stack=NULL, flags=SIGCHLD) = 2 <0.001000>
2 10:00:00.010500 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3 <0.000100>
2 10:00:00.020000 write(3, "..."..., 1000) = 1000 <0.000200>
2 10:00:00.030000 exit_group(0) = ?
2 10:00:00.030100 +++ exited with 0 +++
1 10:00:00.012000 wait4(-1, [{WIFEXITED(s)}], 0, NULL) = 2 <0.018300>
1 10:00:00.031000 exit_group(0) = ?
"""


def test_a_child_begins_at_the_fork_and_ends_before_the_wait(tmp_path: Path) -> None:
    log = sorted(FORKED.splitlines()[:-2], key=lambda line: line.split()[1])
    observed = observed_of(tmp_path, "\n".join([*log, *FORKED.splitlines()[-2:]]) + "\n")
    parent, child = observed.traced.clients
    assert (parent.start_ns, parent.born, child.born) == (0, -1, 0)
    assert [row[0] for row in rows(observed)] == ["pass", "wait", "pause"]
    assert [row[4] for row in rows(observed)] == [10_000, 2000, 700]
    assert [row[0] for row in rows(observed, 1)] == ["open", "write", "close", "pause", "pass"]
    assert [row[4] for row in rows(observed, 1)] == [500, 9500, 9800, 0, 0]
    plan = replayed_plan(MACHINE, observed.traced, Placing())
    result = run_plan(plan, debug=True)
    first, second = result.processes
    assert second.started_ns == 10_000_000
    assert first.spent["other.processes"][0] == second.ended_ns - 12_000_000
    assert first.ended_ns == second.ended_ns + 700_000


def test_what_nobody_closed_is_closed_at_the_end(tmp_path: Path) -> None:
    observed = observed_of(tmp_path, FORKED.replace("<0.018300>", "<0.018300>"))
    assert ("close", "/d/out", 0, 1, 9800.0) in rows(observed, 1)


BOTH = """\
7 10:00:00.000000 openat(AT_FDCWD, "/d/in", O_RDONLY) = 3 <0.000100>
7 10:00:00.000200 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4 <0.000100>
7 10:00:00.001000 sendfile(4, 3, NULL, 5000) = 5000 <0.000500>
7 10:00:00.002000 openat(AT_FDCWD, "/dev/null", O_WRONLY) = 5 <0.000100>
7 10:00:00.003000 write(5, "..."..., 700) = 700 <0.000100>
"""


def test_a_copy_reads_the_one_and_writes_the_other(tmp_path: Path) -> None:
    observed = observed_of(tmp_path, BOTH)
    assert rows(observed)[2:4] == [
        ("read", "/d/in", 0, 5000, 800),
        ("write", "/d/out", 0, 5000, 0),
    ]
    assert sum(observed.counts) == 3
    assert [(file.name, file.length) for file in observed.traced.files if file.size] == [
        ("/d/in", 5000),
        ("/d/out", 0),
    ]


def test_appends_without_an_offset_go_to_the_end(tmp_path: Path) -> None:
    log = PLAIN.replace("O_RDONLY", "O_WRONLY|O_APPEND").replace("read(3", "write(3")
    observed = observed_of(tmp_path, log)
    assert observed.placed == 1
    assert rows(observed)[1] == ("write", "/d/in", 0, 4096, 500)


def test_think_times_are_left_out_or_scaled(tmp_path: Path) -> None:
    traced = observed_of(tmp_path, PLAIN).traced
    assert set(traced.thinking(Fraction(0)).table.gap) == {0}
    assert list(traced.thinking(Fraction(1, 2)).table.gap) == [gap // 2 for gap in traced.table.gap]
    huge = replace(traced, table=replace(traced.table, gap=type(traced.table.gap)("q", [2**61])))
    assert list(huge.thinking(Fraction(3, 2)).table.gap) == [3 * 2**60]
