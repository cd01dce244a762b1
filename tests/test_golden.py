"""The simulators against what those of version 1 gave: to the nanosecond, the byte and the count.

What the golden files are, how to write them, when they may change: ``tests/golden/cases.py``.
"""

from __future__ import annotations

import copy
import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.golden import freeze
from tests.golden.cases import CASES
from tests.golden.compare import told
from tests.golden.inputs import OLD_KINDS, STUDIES, inputs_of
from tests.golden.record import MOST_ROWS, packed
from tests.golden.running import ENGINES, record_of

INPUTS = {study: freeze.frozen_inputs(study) for study in STUDIES}
RESULTS = {study: freeze.frozen_results(study) for study in STUDIES}
HOW = "if the model has changed on purpose: python -m tests.golden.freeze, and CHANGELOG.md"


def every_run() -> Iterator[Any]:
    """Every case on every engine of its study; one in eight is quick."""
    for study, cases in ((one, INPUTS[one]) for one in OLD_KINDS):
        for number, (name, inputs) in enumerate(cases.items()):
            for engine in ENGINES[study]:
                marks = pytest.mark.slow if inputs.slow or number % 8 else ()
                yield pytest.param(study, name, engine, marks=marks, id=f"{study}-{name}-{engine}")


def differs(study: str, record: dict[str, Any], name: str) -> str:
    """What differs from the frozen record; spans only where the record has them."""
    frozen = RESULTS[study][name]
    if "spans" not in record:
        frozen = {key: value for key, value in frozen.items() if key != "spans"}
    return told(frozen, freeze.as_read(record))


@pytest.mark.parametrize(("study", "name", "engine"), list(every_run()))
def test_the_result_is_the_frozen_one(study: str, name: str, engine: Any) -> None:
    about = differs(study, record_of(INPUTS[study][name], engine), name)
    assert not about, f"{study} {name}, {engine} engine:\n{about}\n{HOW}"


@pytest.mark.parametrize("study", OLD_KINDS)
def test_every_case_is_frozen_with_its_settings(study: str) -> None:
    assert list(INPUTS[study]) == list(RESULTS[study]) == list(CASES[study])
    assert {name: inputs_of(case) for name, case in CASES[study].items()} == INPUTS[study]


def counts_in(study: str) -> dict[str, int]:
    """Counter of a cache, of an I/O node or of a node -> the most that a case has of it."""
    most: dict[str, int] = {}
    for record in RESULTS[study].values():
        for counts in [record["cache"]] if study == "nwt" else record["nodes"]:
            for key, count in counts.items():
                if isinstance(count, int):
                    most[key] = max(most.get(key, 0), count)
    return most


@pytest.mark.parametrize("study", ["nwt", "sr8000", "orion"])
def test_every_counter_has_counted_in_some_case(study: str) -> None:
    most = counts_in(study)
    assert len(most) > 5
    assert [key for key, count in most.items() if count == 0] == []


# -- a change is found ------------------------------------------------------------------------

ONE_NS_MORE = {
    "sr8000": ("read-fv-2", "call_overhead: 1.03 ms", "call_overhead: 1030001 ns", "elapsed_ns"),
    "orion": ("nodes-4", "deliver: 7 ms", "deliver: 7000001 ns", "loop_ends_ns"),
    "ninf": ("single-seed-7", "accept: 20 ms", "accept: 20000001 ns", "end_ns: frozen"),
}


@pytest.mark.parametrize("study", OLD_KINDS)
def test_a_machine_slower_by_one_nanosecond_is_found(study: str) -> None:
    name, old, new, key = ONE_NS_MORE[study]
    inputs = INPUTS[study][name]
    assert inputs.machine.count(old) == 1
    slower = replace(inputs, machine=inputs.machine.replace(old, new))
    assert key in differs(study, record_of(slower, "reference"), name)


def numbers(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each whole number of a record."""
    if isinstance(record, dict | list):
        inner = record.items() if isinstance(record, dict) else enumerate(record)
        for key, value in inner:
            yield from numbers(value, (*path, key))
    elif type(record) is int:
        yield path


@pytest.mark.parametrize("study", OLD_KINDS)
def test_a_number_greater_by_one_is_found_wherever_it_is(study: str) -> None:
    name = ONE_NS_MORE[study][0]
    frozen = RESULTS[study][name]
    paths = list(numbers(frozen))
    assert len(paths) > 20
    for path in paths:
        changed = copy.deepcopy(frozen)
        at = changed
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] += 1
        about = told(frozen, changed)
        assert about.count("\n") == 0
        assert f"got {at[path[-1]]} (+1)" in about
        assert about.startswith(str(path[0]))


def test_a_record_with_more_or_less_in_it_differs() -> None:
    frozen = {"a": 1, "b": [1, 2]}
    assert told(frozen, {"b": [1, 2]}) == "a: frozen 1, got nothing"
    assert told(frozen, {"a": 1, "b": [1, 2], "c": 3}) == "c: not frozen, got 3"
    assert told(frozen, {"a": 1, "b": [1]}) == "b: frozen 2 items, got 1"
    assert told(frozen, {"a": 1.0, "b": [1, 2]}) == "a: frozen 1, got 1.0"
    assert told(frozen, frozen) == ""


def test_a_row_in_the_middle_of_a_packed_list_is_found() -> None:
    rows = [["client", number, 10 * number] for number in range(1000)]
    assert packed(rows[:MOST_ROWS]) == rows[:MOST_ROWS]
    changed = copy.deepcopy(rows)
    changed[500][2] += 1
    lines = told(packed(rows), packed(changed)).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["sha256", "blocks[7]"]
    assert packed(rows)["rows_in_block"] * 7 <= 500 < packed(rows)["rows_in_block"] * 8


# -- the files --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Golden files of a study with few cases, to be changed."""
    for path in (freeze.inputs_file("orion"), freeze.results_file("orion")):
        there = tmp_path / path.parent.name
        there.mkdir()
        shutil.copy(path, there)
    return tmp_path


def test_what_is_frozen_again_is_the_same_text(folder: Path) -> None:
    files = (freeze.inputs_file("orion", folder), freeze.results_file("orion", folder))
    for path in files:
        path.unlink()
    assert freeze.main(["orion"], folder) == 0
    inputs, results = files
    assert inputs.read_bytes() == freeze.inputs_file("orion").read_bytes()
    shipped = freeze.results_file("orion").read_bytes()
    assert gzip.decompress(results.read_bytes()) == gzip.decompress(shipped)
    assert results.read_bytes()[4:8] == bytes(4), "the file has the time at which it was written"


def test_the_check_says_what_differs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = freeze.results_file("orion", folder)
    results = json.loads(gzip.decompress(path.read_bytes()))
    results["paging"]["loop_ends_ns"][2] -= 1
    del results["oblong"]
    path.write_bytes(gzip.compress(json.dumps(results).encode()))
    before = path.read_bytes()
    assert freeze.main(["--check", "orion"], folder) == 1
    printed = capsys.readouterr().out
    assert "orion oblong: is not frozen" in printed
    assert "orion paging:\nloop_ends_ns[2]: frozen " in printed
    assert "(+1)" in printed
    assert "orion: 49 cases, 2 differ" in printed
    assert path.read_bytes() == before


def test_an_unknown_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        freeze.main(["--check", "cray"])
    assert "no study 'cray'; there are sr8000, orion, ninf" in capsys.readouterr().err
