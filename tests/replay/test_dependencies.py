"""Threads that wait for each other in a trace, and whose waits nobody needs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.plan.codes import PASS, PAUSE, WAIT, WRITE
from simulator.replay.observed import Observed
from simulator.run import run_plan
from tests.replay.test_replay import MACHINE, replayed_plan
from tests.replay.test_tracer import observed

HEAD = """\
1 1700000100.000000 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>
1 1700000100.001000 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2 <0.000010>
"""


def table(tmp_path: Path, body: str) -> tuple[Observed, dict[str, list[tuple[int, int, int]]]]:
    """Return the trace, and of each client the rows of threads: kind, mark and length in us."""
    found = observed(tmp_path, HEAD + body, None)
    rows = found.traced.table
    clients = {}
    for one in found.traced.clients:
        made = [
            (rows.kind[at], rows.offset[at], rows.size[at] // 1000)
            for at in range(one.first, one.first + one.calls)
        ]
        clients[one.name] = [row for row in made if row[0] in (PASS, WAIT, PAUSE)]
    return found, clients


def test_who_waits_for_a_thread_goes_on_at_its_end(tmp_path: Path) -> None:
    found, clients = table(
        tmp_path,
        """\
1 1700000100.002000 futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>
2 1700000100.003000 write(3, ""..., 100) = 100 <0.000010>
2 1700000100.004000 exit(0) = ?
1 1700000100.004100 <... futex resumed>) = 0 <0.002100>
1 1700000100.005000 exit_group(0) = ?
""",
    )
    assert clients["pid1"] == [(PASS, 0, 0), (WAIT, 1, 0), (PAUSE, 0, 0)]
    assert clients["pid2"] == [(PAUSE, 0, 0), (PASS, 1, 0)]
    assert not found.counts[[kind in (WAIT, PAUSE) for kind in found.traced.table.kind]].any()
    result = run_plan(replayed_plan(MACHINE, found.traced, None))
    first, second = result.processes
    assert first.ended_ns == second.ended_ns + 900_000  # From the wait's end to its own.


def test_who_is_woken_goes_on_where_that_was(tmp_path: Path) -> None:
    """The thread waits from 2 ms on; the first wakes it at 5, after a write, and then exits."""
    _, clients = table(
        tmp_path,
        """\
2 1700000100.002000 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>
1 1700000100.003000 write(3, ""..., 100) = 100 <0.000010>
1 1700000100.005000 futex(0x7f, FUTEX_WAKE, 1) = 1 <0.000010>
2 1700000100.005100 <... futex resumed>) = 0 <0.003100>
2 1700000100.006000 exit(0) = ?
1 1700000100.007000 exit_group(0) = ?
""",
    )
    assert clients["pid1"] == [(PASS, 0, 0), (PASS, 1, 0), (PAUSE, 0, 0)]
    assert clients["pid2"] == [(WAIT, 1, 0), (PAUSE, 0, 0)]


def test_looking_again_and_again_leads_to_the_wait(tmp_path: Path) -> None:
    _, clients = table(
        tmp_path,
        """\
2 1700000100.002000 futex(0x7f, FUTEX_WAIT, 0, {tv_nsec=1000000}) = -1 ETIMEDOUT (late) <0.001000>
2 1700000100.003100 futex(0x7f, FUTEX_WAIT, 0, {tv_nsec=1000000}) = -1 ETIMEDOUT (late) <0.001000>
2 1700000100.004200 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>
1 1700000100.005000 futex(0x7f, FUTEX_WAKE, 1) = 1 <0.000010>
2 1700000100.005100 <... futex resumed>) = 0 <0.000900>
2 1700000100.006000 exit(0) = ?
1 1700000100.007000 exit_group(0) = ?
""",
    )
    assert clients["pid2"] == [(PAUSE, 0, 0), (PAUSE, 0, 0), (WAIT, 1, 0), (PAUSE, 0, 0)]


def test_a_wait_that_ends_by_time_alone_is_as_long_as_it_was(tmp_path: Path) -> None:
    _, clients = table(
        tmp_path,
        """\
2 1700000100.002000 futex(0x7f, FUTEX_WAIT, 0, {tv_nsec=1000000}) = -1 ETIMEDOUT (late) <0.001000>
2 1700000100.003100 write(3, ""..., 100) = 100 <0.000010>
2 1700000100.006000 exit(0) = ?
1 1700000100.007000 exit_group(0) = ?
""",
    )
    assert clients["pid2"] == [(PAUSE, 0, 1000), (PAUSE, 0, 0)]


def test_who_is_ended_with_the_program_keeps_nobody_waiting(tmp_path: Path) -> None:
    found, clients = table(
        tmp_path,
        """\
2 1700000100.002000 write(3, ""..., 100) = 100 <0.000010>
2 1700000100.003000 poll([{fd=4}], 1, -1) = 0 <0.050000>
2 1700000100.060000 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>
1 1700000100.061000 exit_group(0) = ?
2 1700000100.061100 <... futex resumed>) = ?
""",
    )
    assert {size for _, _, size in clients["pid2"]} == {0}
    assert WRITE in found.traced.table.kind


def test_an_end_long_before_the_wait_is_no_reason_for_it(tmp_path: Path) -> None:
    """The thread has ended before the first waits for somebody else."""
    _, clients = table(
        tmp_path,
        """\
2 1700000100.002000 exit(0) = ?
1 1700000100.003000 futex(0x7f, FUTEX_WAIT, 2, NULL) = 0 <0.002100>
1 1700000100.006000 exit_group(0) = ?
""",
    )
    assert clients["pid1"] == [(PASS, 0, 0), (PAUSE, 0, 2100), (PAUSE, 0, 0)]


ONLOOKER = """\
2 1700000100.001200 epoll_pwait(5, [{EPOLLIN, {u32=7}}], 9, -1, NULL, 8) = 1 <0.050800>
1 1700000100.010000 write(3, ""..., 100) = 100 <0.000010>
%s2 1700000100.052500 futex(0x7f, FUTEX_WAKE, 1) = 1 <0.000010>
1 1700000100.%s futex(0x7f, FUTEX_WAIT, 2, NULL) = 0 <0.000900>
2 1700000100.054000 exit(0) = ?
1 1700000100.056000 exit_group(0) = ?
"""
SLEEPS = "2 1700000100.052100 nanosleep({tv_nsec=200000}, NULL) = 0 <0.000200>\n"


def test_who_waits_for_the_end_of_the_others_keeps_nobody_waiting(tmp_path: Path) -> None:
    """A thread of a runtime: it has no file, and is told when the program ends."""
    _, clients = table(tmp_path, ONLOOKER % ("", "052400"))
    assert {size for kind, _, size in clients["pid2"] if kind == PAUSE} == {0}


def test_who_wakes_it_may_wait_for_its_end_before_its_own_wait_has(tmp_path: Path) -> None:
    """The call that woke it came back sooner: 20 us of the 50.8 ms that it waited."""
    _, clients = table(tmp_path, ONLOOKER % ("", "051980"))
    assert {size for kind, _, size in clients["pid2"] if kind == PAUSE} == {0}


@pytest.mark.parametrize(
    ("more", "begin"),
    [(SLEEPS, "052400"), ("2 1700000100.052100 read(3, \"\"..., 9) = 9 <0.000010>\n", "052400"),
     ("", "051700")],
    ids=["sleeps", "reads", "is waited for"],
)  # fmt: skip
def test_who_does_more_waits_as_long_as_it_did(tmp_path: Path, more: str, begin: str) -> None:
    _, clients = table(tmp_path, ONLOOKER % (more, begin))
    assert 50_800 in {size for _, _, size in clients["pid2"]}


PIPE = """\
1 1700000100.000000 pipe2([3, 4], 0) = 0 <0.000010>
1 1700000100.000500 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT, 0644) = 5 <0.000010>
1 1700000100.001000 clone(child_stack=NULL, flags=SIGCHLD) = 2 <0.000010>
1 1700000100.002000 read(3, ""..., 100) = 100 <0.020000>
2 1700000100.010000 write(5, ""..., 100) = 100 <0.000010>
2 1700000100.%s write(4, ""..., 100) = 100 <0.000010>
1 1700000100.040000 exit_group(0) = ?
2 1700000100.050000 exit_group(0) = ?
"""


def piped(tmp_path: Path, written: str) -> dict[str, list[int]]:
    """Return the kinds of the waits and marks of both processes."""
    found = observed(tmp_path, PIPE % written, None)
    table = found.traced.table
    return {
        one.name: [
            table.kind[at]
            for at in range(one.first, one.first + one.calls)
            if table.kind[at] in (PASS, WAIT, PAUSE)
        ]
        for one in found.traced.clients
    }


def test_who_reads_a_pipe_goes_on_when_the_other_end_has_written(tmp_path: Path) -> None:
    waits = piped(tmp_path, "021900")
    assert waits["pid1"] == [PASS, WAIT, PAUSE]
    assert waits["pid2"] == [PASS, PAUSE]


def test_a_write_long_before_is_no_reason_to_go_on(tmp_path: Path) -> None:
    waits = piped(tmp_path, "012000")
    assert waits["pid1"] == [PASS, PAUSE, PAUSE]
    assert waits["pid2"] == [PAUSE, PAUSE]


MADE = """\
1 1700000100.000000 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>
1 1700000100.001000 vfork( <unfinished ...>
2 1700000100.002000 dup2(3, 1) = 1 <0.000010>
%s1 1700000100.004100 <... vfork resumed>) = 2 <0.003100>
2 1700000100.006000 write(1, ""..., 100) = 100 <0.000010>
2 1700000100.007000 exit_group(0) = ?
1 1700000100.007100 wait4(2, NULL, 0, NULL) = 2 <0.000010>
1 1700000100.008000 exit_group(0) = ?
"""
STARTS = '2 1700000100.004000 execve("/bin/cat", ["cat"], []) = 0 <0.000200>\n'


def test_who_starts_a_program_by_vfork_goes_on_once_it_has_begun(tmp_path: Path) -> None:
    """1 ms to the fork; the child takes 3 ms to its program, in which the parent does nothing.

    From there the parent computes 3 ms (4.1 to 7.1), and 0.89 ms behind its wait.
    """
    found = observed(tmp_path, MADE % STARTS, None)
    rows, first = found.traced.table, found.traced.clients[0]
    kinds = list(rows.kind[: first.calls])
    assert [kind for kind in kinds if kind in (PASS, WAIT)] == [PASS, WAIT, WAIT]
    parent, child = run_plan(replayed_plan(MACHINE, found.traced, None)).processes
    assert parent.compute_ns == 1_000_000 + 3_000_000 + 890_000
    assert parent.spent["other.processes"][0] == pytest.approx(3_000_000, abs=100_000)
    assert child.started_ns == 1_000_000


def test_who_forks_goes_on_beside_its_child(tmp_path: Path) -> None:
    """The call ended before the child had started anything: the parent computes 6.1 ms from it."""
    text = MADE % STARTS
    text = text.replace("1 1700000100.004100 <... vfork resumed>) = 2 <0.003100>\n", "")
    text = text.replace("vfork( <unfinished ...>", "fork() = 2 <0.000100>")
    found = observed(tmp_path, text, None)
    rows, first = found.traced.table, found.traced.clients[0]
    assert list(rows.kind[: first.calls]).count(WAIT) == 1
    parent = run_plan(replayed_plan(MACHINE, found.traced, None)).processes[0]
    assert parent.compute_ns == 1_000_000 + 6_100_000 + 890_000


def test_who_starts_nothing_by_vfork_goes_on_at_its_childs_end(tmp_path: Path) -> None:
    text = (MADE % "").replace("004100 <... vfork", "007000 <... vfork").replace("3100", "6000")
    found = observed(tmp_path, text, None)
    rows, (first, second) = found.traced.table, found.traced.clients
    waits = [row for row in range(first.calls) if rows.kind[row] == WAIT]
    last = second.first + second.calls - 1
    assert [rows.offset[row] for row in waits] == [rows.offset[last]] * 2
