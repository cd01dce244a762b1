"""The SR8000's frozen results on the one simulator: old texts converted, equal results.

What is compared, and how new names become old ones: ``tests/golden/arrays.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.reference.run import run_reference
from tests.golden import freeze
from tests.golden.arrays import arrays_record, in_new_words
from tests.golden.compare import told

INPUTS = freeze.frozen_inputs("sr8000")
RESULTS = freeze.frozen_results("sr8000")
ENGINES = {"native": run_native, "reference": run_reference}


def every_run() -> Iterator[Any]:
    """Every case on both engines; one in four is quick."""
    for number, (name, inputs) in enumerate(INPUTS.items()):
        for engine in ENGINES:
            marks = pytest.mark.slow if inputs.slow or number % 4 else ()
            yield pytest.param(name, engine, marks=marks, id=f"{name}-{engine}")


@pytest.mark.parametrize(("name", "engine"), list(every_run()))
def test_a_converted_case_gives_the_frozen_result(name: str, engine: str) -> None:
    got = freeze.as_read(arrays_record(INPUTS[name], ENGINES[engine]))
    about = told(in_new_words(RESULTS[name]), got)
    assert not about, f"{name}, {engine} engine:\n{about}"


def test_a_machine_slower_by_one_nanosecond_is_found() -> None:
    inputs = INPUTS["read-fv-2"]
    machine = inputs.machine.replace("call_overhead: 1.03 ms", "call_overhead: 1030001 ns")
    slower = replace(inputs, machine=machine)
    assert slower != inputs
    got = freeze.as_read(arrays_record(slower, run_reference))
    assert "elapsed_ns: frozen" in told(in_new_words(RESULTS["read-fv-2"]), got)
