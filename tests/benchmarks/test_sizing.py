"""The benchmark of requirements: its configurations, and that it runs."""

from __future__ import annotations

import pytest

from benchmarks import executors, sizing
from simulator.inputfile import Text
from simulator.sizing.loads import Loads


@pytest.mark.slow
def test_there_are_as_many_configurations_as_its_targets_are_of() -> None:
    built = []
    for case in sizing.cases(short=False):
        offer = Loads(Text(case.text, "requirement.yaml")).offer
        assert offer.countable
        built.append(sum(1 for _ in offer.configurations()))
    assert built == [2304, 21504, 21504]


def test_it_says_whether_targets_are_met() -> None:
    row = {"requirement": "NWT", "configurations": 21504, "s": 119.96, "target_s": 120.0}
    said = "NWT: 21,504 configurations in 120.0 s; the target is under 120 s: met."
    assert sizing.target_sentence(row) == said
    assert sizing.target_sentence(row | {"s": 120.5}).endswith(
        "in 120.5 s; the target is under 120 s: missed."
    )
    figures = {"empty_store_over_without": 1.0999, "dask_over_processes_cpu": 1.12}
    figures |= {"points": 20000, "dask_batches": 16.0}
    figures |= {"dask_empty_batch_cpu_ms": 7.0, "dask_standing_cpu_ms_a_s": 76.0}
    said = executors.target_sentences(
        figures
    )  # 7 ms of a second, and 76 ms of two workers' seconds.
    assert [one.rpartition(" ")[2] for one in said] == ["met.", "missed.", "met."]
    assert "costs 4.5 % more CPU time" in said[2]


@pytest.mark.long
def test_small_requirements_are_answered() -> None:
    rows = sizing.measure(1, short=True)
    assert [row["run_whole"] > 0 for row in rows] == [True, True, True]
    assert rows[0]["discarded_by_bound"] > 100
    assert rows[2]["run_whole"] > rows[1]["run_whole"]
    assert all(row["cpu_s"] > 0 for row in rows)
