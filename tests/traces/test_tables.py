"""Descriptor tables: a naive twin, and how much is shared by processes that fork."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.traces.codes import FILE
from simulator.traces.machine import Files, Tables

DESCRIPTORS = st.one_of(
    st.integers(0, 40), st.sampled_from([255, 256, 4095, 4096, 70_000, 2**31 - 1])
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 7), DESCRIPTORS, st.booleans()),
        st.tuples(st.just("close"), st.integers(0, 7), DESCRIPTORS),
        st.tuples(st.just("mark"), st.integers(0, 7), DESCRIPTORS, st.booleans()),
        st.tuples(st.just("close_range"), st.integers(0, 7), st.integers(-1, 300), DESCRIPTORS),
        st.tuples(st.just("exec"), st.integers(0, 7)),
        st.tuples(st.just("fork"), st.integers(0, 7)),
        st.tuples(st.just("leave"), st.integers(0, 7)),
    ),
    max_size=60,
)


class Naive:
    """A dictionary beside each table, copied whole."""

    def __init__(self, tables: Tables, entries: dict[int, tuple[int, int]], number: int) -> None:
        self.tables = tables
        self.entries = entries
        self.number = number

    def put(self, fd: int, on_exec: int) -> None:
        file = self.tables.files.open(FILE, -1)
        self.tables.put(self.number, fd, file, on_exec)
        self.entries[fd] = (file, on_exec)

    def close(self, fd: int) -> None:
        self.tables.close(self.number, fd)
        self.entries.pop(fd, None)

    def mark(self, fd: int, on_exec: int) -> None:
        self.tables.mark(self.number, fd, on_exec)
        if fd in self.entries:
            self.entries[fd] = (self.entries[fd][0], on_exec)

    def close_range(self, low: int, high: int) -> None:
        self.tables.close_range(self.number, low, high, 0)
        self.entries = {fd: e for fd, e in self.entries.items() if not low <= fd <= high}

    def exec(self) -> None:
        self.tables.close_on_exec(self.number)
        self.entries = {fd: e for fd, e in self.entries.items() if not e[1]}

    def fork(self) -> Naive:
        return Naive(self.tables, dict(self.entries), self.tables.copy(self.number))


@given(steps=STEPS)
def test_tables_are_as_dictionaries_that_are_copied_whole(steps: list[tuple[Any, ...]]) -> None:
    files = Files()
    tables = Tables(files)
    alive = [Naive(tables, {}, tables.fresh())]
    for what, which, *more in steps:
        one = alive[which % len(alive)]
        if what == "fork":
            alive.append(one.fork())
        elif what == "leave" and len(alive) > 1:
            tables.leave(one.number)
            alive.remove(one)
        elif what != "leave":
            getattr(one, what)(*more)
        for other in alive:
            for fd in {*other.entries, 0, 17, 4096}:
                assert tables.find(other.number, fd) == other.entries.get(fd, (-1,))[0]
    used = {file for one in alive for file, _ in one.entries.values()}
    assert {file for file in range(files.count) if files.refs[file] > 0} == used
    for one in alive:
        tables.leave(one.number)
    assert all(files.refs[file] <= 0 for file in range(files.count))
    assert all(tables.users_of[node] == 0 for node in range(tables.node_count))


@pytest.fixture
def parent() -> tuple[Tables, int]:
    """A process with a thousand open descriptors."""
    tables = Tables(Files())
    table = tables.fresh()
    for fd in range(1000):
        tables.put(table, fd, tables.files.open(FILE, -1), 0)
    return tables, table


def test_100_000_children_share_the_descriptors_of_their_parent(parent: tuple[Tables, int]) -> None:
    tables, table = parent
    nodes = tables.node_count
    children = [tables.copy(table) for _ in range(100_000)]
    assert tables.node_count == nodes
    assert tables.find(children[-1], 999) == tables.find(table, 999)


def test_a_child_that_closes_a_descriptor_copies_the_way_to_it_only(
    parent: tuple[Tables, int],
) -> None:
    tables, table = parent
    nodes = tables.node_count
    for _ in range(100):
        tables.close(tables.copy(table), 3)
    assert tables.node_count - nodes == 100 * 3  # one of each height: 16, 256 and 4096 descriptors
    assert tables.find(table, 3) >= 0


def test_the_nodes_of_processes_that_have_ended_are_used_again(parent: tuple[Tables, int]) -> None:
    tables, table = parent
    nodes = tables.node_count
    for _ in range(1000):
        child = tables.copy(table)
        tables.close(child, 3)
        tables.leave(child)
    assert tables.node_count == nodes + 3
