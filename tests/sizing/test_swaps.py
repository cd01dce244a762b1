"""One step more of a choice and one less of another: a machine that no single step leads to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.inputfile import Text
from simulator.report.size import step_rows
from simulator.sizing import search
from simulator.sizing.short import Short
from simulator.sizing.sized import MOST_SWAPS, Sized
from simulator.study.executors import Processes
from tests.sizing.pages import written_size

MACHINE = """
format: machine/2
name: two
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  a: {kind: queue, rate: 40 MB/s}
  b: {kind: queue, rate: 40 MB/s}
filesystems:
  home: [[a], [b]]
"""
JOB = """
format: workload/2
name: job
files: {data: {size: 40 MB, exists: true}}
jobs: [{name: job, record: 40 MB, policy: posix, phases: [{do: read, file: data}]}]
"""
NEED = """
format: requirement/1
name: need
machine: %s
workloads: {job: {workload: %s}}
targets: [{workload: job, elapsed: 1.85 s}]
catalogue:
  fast: {price: 15}
  wide: {price: 10}
  paint: {price: 2}
choices:
  a: {options: {slow: {}, fast: {set: {a.rate: 160 MB/s}, buys: {fast: 1}}}}
  b: {options: {narrow: {}, wide: {set: {b.rate: 50 MB/s}, buys: {wide: 1}}}}
  colour: {options: {grey: {}, blue: {buys: {paint: 1}}}}
"""


@pytest.fixture
def need(tmp_path: Path) -> str:
    for name, text in (("machine.yaml", MACHINE), ("job.yaml", JOB)):
        (tmp_path / name).write_text(text)
    return NEED % (tmp_path / "machine.yaml", tmp_path / "job.yaml")


def sized(text: str, *, everything: bool = False) -> Sized:
    return search.size(Text(text, "need.yaml"), everything=everything, executor=Processes(1))


def test_what_costs_more_and_is_better_is_told(need: str) -> None:
    """40 MB pass a and then b: 1 + 0.8 s as it is bought; 0.25 + 1 s with a fast a, b narrow.

    That costs 5 more. The runner-up has another colour only, and each single step is dearer.
    """
    found = sized(need)
    assert found.winner is not None
    assert found.runner_up is not None
    assert found.winner.levels == ("slow", "wide", "grey")
    assert found.runner_up.levels == ("slow", "wide", "blue")
    (swap,) = found.swaps()
    assert (*swap[:2], swap[2].levels) == ("a", "b", ("fast", "narrow", "grey"))
    assert step_rows(found, found.winner) == [
        ("a fast", "15", "1.05 s, 41 % better", "meets all"),
        ("colour blue", "2", "nothing", "meets all"),
        ("a fast, b narrow", "5", "1.25 s, 30 % better", "meets all"),
    ]
    assert swap[2] in found.front()
    (record,) = json.loads(written_size(found, "json"))["one_for_another"]
    assert (record["more"], record["less"], record["price"]) == ("a", "b", 15)


def test_it_is_what_running_everything_finds(need: str) -> None:
    some, everything = sized(need), sized(need, everything=True)
    assert some.winner == everything.winner
    assert [one[2] for one in some.swaps()] == [one[2] for one in everything.swaps()]
    assert len(some.outcomes) < len(everything.outcomes)


def test_what_cannot_be_paid_or_a_bound_discards_is_not_run(need: str) -> None:
    """With a budget of 14 the fast a is not to be had. A narrow b alone takes 1 s: too long."""
    poor = sized(need.replace("catalogue:", "budget: {price: 14}\ncatalogue:"))
    assert (poor.may_be_swapped(), poor.swaps()) == ([], [])
    strict = need.replace("1.85 s", "950 ms").replace("b.rate: 50", "b.rate: 160")
    found = sized(strict.replace("slow: {}", "slow: {set: {a.rate: 60 MB/s}}"))
    assert found.winner is not None
    assert found.winner.levels == ("slow", "wide", "grey")
    ((_, _, number),) = [one for one in found.offer.swaps(found.winner.number) if one[0] == "a"]
    assert number not in found.outcomes


def test_what_is_no_better_is_not_told(need: str) -> None:
    """40 MB at 46 and 40 MB/s take 1.87 s."""
    worse = sized(need.replace("a.rate: 160 MB/s", "a.rate: 46 MB/s"))
    assert (worse.may_be_swapped(), worse.swaps()) == ([], [])


@pytest.mark.slow
def test_no_more_than_a_few_are_run(need: str) -> None:
    text = need + "".join(
        f"  more{n}: {{options: {{no: {{}}, yes: {{buys: {{paint: {3 + n}}}}}}}}}\n"
        for n in range(2 * MOST_SWAPS)
    )
    assert len(sized(text).may_be_swapped()) <= MOST_SWAPS


def test_none_is_run_where_runs_are_long(need: str) -> None:
    found = sized(need)
    assert found.may_be_swapped()
    found.evaluator.short = Short(found.evaluator.loads, {}, {})
    found.evaluator.short.long.add("job")
    assert found.may_be_swapped() == []
