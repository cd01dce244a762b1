"""Descriptors of processes that fork: a naive twin, and how much of their tables is shared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.logs import rows_in, rows_of, trace_of

DESCRIPTORS = st.one_of(
    st.integers(0, 40), st.sampled_from([255, 256, 4095, 4096, 70_000, 2**31 - 1])
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 7), DESCRIPTORS, st.booleans()),
        st.tuples(st.just("close"), st.integers(0, 7), DESCRIPTORS),
        st.tuples(st.just("mark"), st.integers(0, 7), DESCRIPTORS, st.booleans()),
        st.tuples(st.just("copy"), st.integers(0, 7), DESCRIPTORS, DESCRIPTORS),
        st.tuples(st.just("close_range"), st.integers(0, 7), st.integers(0, 300), DESCRIPTORS),
        st.tuples(st.just("exec"), st.integers(0, 7)),
        st.tuples(st.just("fork"), st.integers(0, 7)),
        st.tuples(st.just("leave"), st.integers(0, 7)),
    ),
    max_size=60,
)


class Naive:
    """A process: a dictionary of descriptors, copied whole, and what strace writes of it."""

    def __init__(self, pid: int, lines: list[str], entries: dict[int, tuple[str, bool]]) -> None:
        self.pid = pid
        self.lines = lines
        self.entries = entries

    def say(self, call: str) -> None:
        self.lines.append(f"{self.pid} 1700000000.000001 {call} <0.000001>")

    def put(self, fd: int, on_exec: bool) -> None:
        name = f"/file{len(self.lines)}"
        self.say(f'open("{name}", O_RDONLY{"|O_CLOEXEC" * on_exec}) = {fd}')
        self.entries[fd] = (name, on_exec)

    def close(self, fd: int) -> None:
        if fd in self.entries:
            self.say(f"close({fd}) = 0")
            del self.entries[fd]

    def mark(self, fd: int, on_exec: bool) -> None:
        if fd in self.entries:
            self.say(f"fcntl({fd}, F_SETFD, {'FD_CLOEXEC' if on_exec else '0'}) = 0")
            self.entries[fd] = (self.entries[fd][0], on_exec)

    def copy(self, fd: int, to: int) -> None:
        if fd in self.entries and fd != to:
            self.say(f"dup2({fd}, {to}) = {to}")
            self.entries[to] = (self.entries[fd][0], False)

    def close_range(self, low: int, high: int) -> None:
        self.say(f"close_range({low}, {high}, 0) = 0")
        self.entries = {fd: e for fd, e in self.entries.items() if not low <= fd <= high}

    def exec(self) -> None:
        self.say('execve("/bin/x", ["x"], 0x1) = 0')
        self.entries = {fd: e for fd, e in self.entries.items() if not e[1]}

    def fork(self, pid: int) -> Naive:
        self.say(f"fork() = {pid}")
        return Naive(pid, self.lines, dict(self.entries))

    def show(self) -> list[str | None]:
        """Use some descriptors; give the files that they lead to."""
        used = sorted({*self.entries, 0, 17, 4096})
        for fd in used:
            bad = "" if fd in self.entries else " EBADF (Bad file descriptor)"
            self.say(f"fsync({fd}) = {-1 if bad else 0}{bad}")
        return [self.entries[fd][0] if fd in self.entries else None for fd in used]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_tables_are_as_dictionaries_that_are_copied_whole(
    tmp_path: Path, steps: list[tuple[Any, ...]]
) -> None:
    alive = [Naive(10, [], {})]
    expected: list[str | None] = []
    for number, (what, which, *more) in enumerate(steps):
        one = alive[which % len(alive)]
        if what == "fork":
            alive.append(one.fork(11 + number))
        elif what == "leave" and len(alive) > 1:
            one.lines.append(f"{one.pid} 1700000000.000001 +++ exited with 0 +++")
            alive.remove(one)
        elif what != "leave":
            getattr(one, what)(*more)
        for other in alive:
            expected += other.show()
    if not steps:
        return
    rows = rows_of(tmp_path, "\n".join(alive[0].lines) + "\n")
    assert [row["file"] for row in rows if row["call"] == "fsync"] == expected


@pytest.fixture
def parent() -> Naive:
    """A process with a thousand open descriptors."""
    parent = Naive(10, [], {})
    for fd in range(1000):
        parent.put(fd, False)
    return parent


def nodes(tmp_path: Path, lines: list[str]) -> int:
    """Read a log; give how many nodes the tables of descriptors have had at once."""
    trace = trace_of(tmp_path, "\n".join(lines) + "\n")
    rows_in(trace)
    return trace._follower.table_nodes


@pytest.mark.slow
def test_100_000_children_share_the_descriptors_of_their_parent(
    tmp_path: Path, parent: Naive
) -> None:
    before = nodes(tmp_path, parent.lines)
    for pid in range(100_000):
        parent.fork(100 + pid)
    assert nodes(tmp_path, parent.lines) == before


def test_a_child_that_closes_a_descriptor_copies_the_way_to_it_only(
    tmp_path: Path, parent: Naive
) -> None:
    before = nodes(tmp_path, parent.lines)
    for pid in range(100):
        parent.fork(100 + pid).close(3)
    assert nodes(tmp_path, parent.lines) - before == 100 * 3  # of 16, 256 and 4096 descriptors


def test_the_nodes_of_processes_that_have_ended_are_used_again(
    tmp_path: Path, parent: Naive
) -> None:
    before = nodes(tmp_path, parent.lines)
    for pid in range(1000):
        parent.fork(100 + pid).close(3)
        parent.lines.append(f"{100 + pid} 1700000000.000001 +++ exited with 0 +++")
    assert nodes(tmp_path, parent.lines) == before + 3
