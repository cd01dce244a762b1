"""The NWT's frozen cases: old texts converted, lowered and run as composed machines, both engines.

What is compared, and how new names become old ones: ``tests/golden/composed.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.reference.run import run_reference
from tests.golden import freeze
from tests.golden.compare import told
from tests.golden.composed import by_part, column_of, composed_plan, composed_record, old_name

INPUTS = freeze.frozen_inputs("nwt")
RESULTS = freeze.frozen_results("nwt")
ENGINES = {"reference": run_reference, "native": run_native}


def every_run() -> Iterator[Any]:
    """Every case on both engines; one in three is quick."""
    for number, (name, inputs) in enumerate(INPUTS.items()):
        for engine in ENGINES:
            marks = pytest.mark.slow if inputs.slow or number % 3 else ()
            yield pytest.param(name, engine, marks=marks, id=f"{name}-{engine}")


@pytest.mark.parametrize(("name", "engine"), list(every_run()))
def test_a_converted_case_gives_the_frozen_result(name: str, engine: str) -> None:
    got = freeze.as_read(composed_record(INPUTS[name], ENGINES[engine]))
    about = told(by_part(RESULTS[name], got), got)
    assert not about, f"{name}, {engine} engine:\n{about}"


@pytest.mark.slow
def test_names_of_parts_that_are_none_would_be_told() -> None:
    """All instances that the old records name have a column of the new accounts."""
    names = {
        part
        for record in RESULTS.values()
        for client in record["clients"].values()
        for part in client["where"]
    }
    columns = {column for name in INPUTS for column in composed_plan(INPUTS[name]).columns}
    assert {column_of(name) for name in names} <= columns | {"pe", "pe.crossbar"}
    assert old_name("pe3.crossbar.out") == "pe3.out"
    assert old_name("array") == "array0"


def test_a_difference_is_told() -> None:
    got = freeze.as_read(composed_record(INPUTS["mixed"], run_reference))
    frozen = by_part(RESULTS["mixed"], got)
    name = next(iter(frozen["clients"]))
    frozen["clients"][name]["where"]["pe"][1] += 1
    assert told(frozen, got).startswith(f"clients.{name}.where.pe[1]: frozen")
