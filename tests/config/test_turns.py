"""Writes of one file by several processes of a node: they take turns where its file system says."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.plan.codes import WRITE
from simulator.run import run_plan
from tests.answers.programs import END, Row, traced

TEXT = """\
format: machine/2
name: turns
nodes: {pc: {count: 1}}
parts:
  cpu: {kind: cpu, at: pc, call_overhead: 100 ns, copy_rate: 1000000000 MB/s, record_overhead: 0 s}
  memory: {kind: delay, at: pc, overhead: 900 ns}
filesystems:
  home: {tiers: [memory], write_lock: 300 ns}
"""
ENGINES = pytest.mark.parametrize("engine", ["native", "reference"])


def by_turns(file: str, first: int) -> list[Row]:
    """Three writes of 10 bytes, every other 10 bytes of a file, each after computing 1 us."""
    return [*((WRITE, file, at, 10) for at in range(first, 60, 20)), END]


def elapsed(text: str, engine: Any, **clients: list[Row]) -> tuple[int, list[int]]:
    """Return the time of a run, and what each process waited for locks and had at them; ns."""
    machine = MACHINE.parse(text, "turns", ())[0]
    result = run_plan(replayed_plan(machine, traced(clients), Placing()), engine=engine)
    return result.elapsed_ns, [sum(one.spent.get("locks", (0, 0))) for one in result.processes]


@ENGINES
def test_two_that_write_one_file_take_turns(engine: Any) -> None:
    """Six writes of 1 us, one after the other, from 1 us on; five follow the other's: 0.3 us more.

    Each process computes while the other one writes, and 1 us at its end. The first waits from 3 to
    3.3, 5.6 to 5.9 us, and has 0.6 us at its locks; the second waits from 1 to 2, 4.3 to 4.6 and
    6.9 to 7.2 us, and has 0.9.
    """
    found = elapsed(TEXT, engine, a=by_turns("f", 0), b=by_turns("f", 10))
    assert found == (1_000 + 6 * 1_000 + 5 * 300 + 1_000, [600 + 600, 1_600 + 900])


@ENGINES
def test_others_write_at_the_same_time(engine: Any) -> None:
    """Three times 1 us of computing and 1 us of a write, and 1 us at the end."""
    alone, none = 3 * 2_000 + 1_000, [0, 0]
    both = {"a": by_turns("f", 0), "b": by_turns("f", 10)}
    assert elapsed(TEXT, engine, a=by_turns("f", 0), b=by_turns("g", 10)) == (alone, none)
    assert elapsed(TEXT.replace(", write_lock: 300 ns", ""), engine, **both) == (alone, none)
    assert elapsed(TEXT.replace("count: 1", "count: 2"), engine, **both) == (alone, none)
    assert elapsed(TEXT, engine, a=by_turns("f", 0)) == (alone, [0])


def test_parts_of_a_file_that_do_not_touch_take_turns_alone() -> None:
    """The second process's first write alone follows one of the first process."""
    parts = {
        "a": [*((WRITE, "f", at, 10) for at in (0, 10, 20)), END],
        "b": [*((WRITE, "f", at, 10) for at in (30, 40, 50)), END],
    }
    assert elapsed(TEXT, "native", **parts)[0] == 1_000 + 6 * 1_000 + 300 + 1_000


def test_a_lock_is_a_time() -> None:
    with pytest.raises(ConfigError, match=r"write_lock: .*'true'"):
        MACHINE.parse(TEXT.replace("300 ns", "'true'"), "turns", ())
