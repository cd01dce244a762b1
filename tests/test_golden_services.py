"""Orion's and Ninf's frozen results on the one simulator: old texts converted, equal results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.golden import freeze
from tests.golden.compare import told
from tests.golden.services import in_new_words, services_record

STUDIES = ("orion", "ninf")
INPUTS = {study: freeze.frozen_inputs(study) for study in STUDIES}
RESULTS = {study: freeze.frozen_results(study) for study in STUDIES}


def every_case() -> Iterator[Any]:
    for study, cases in INPUTS.items():
        for name, inputs in cases.items():
            marks = pytest.mark.slow if inputs.slow else ()
            yield pytest.param(study, name, marks=marks, id=f"{study}-{name}")


def differs(study: str, name: str, record: dict[str, Any]) -> str:
    return told(in_new_words(RESULTS[study][name]), freeze.as_read(record))


@pytest.mark.parametrize(("study", "name"), list(every_case()))
def test_the_converted_case_gives_the_frozen_result(study: str, name: str) -> None:
    about = differs(study, name, services_record(INPUTS[study][name]))
    assert not about, about


@pytest.mark.parametrize(
    ("study", "name", "old", "new", "key"),
    [
        ("orion", "nodes-4", "deliver: 7 ms", "deliver: 7000001 ns", "loop_ends_ns"),
        ("ninf", "single-seed-7", "accept: 20 ms", "accept: 20000001 ns", "end_ns: frozen"),
    ],
)
def test_a_machine_slower_by_one_nanosecond_is_found(
    study: str, name: str, old: str, new: str, key: str
) -> None:
    inputs = INPUTS[study][name]
    slower = replace(inputs, machine=inputs.machine.replace(old, new))
    assert slower != inputs
    assert key in differs(study, name, services_record(slower))
