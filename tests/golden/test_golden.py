"""The engines against what the simulators of version 1 gave: to the nanosecond, byte and count.

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

from tests.engines.compare import differences
from tests.golden import freeze
from tests.golden.cases import ENGINES, HERE, cases_of, record_of_cases
from tests.golden.freeze import told
from tests.golden.record import MOST_ROWS, packed, record

CASES = {study: cases_of(study) for study in ENGINES}
RESULTS = {study: freeze.results_of(study) for study in ENGINES}
HOW = "if the model has changed on purpose: python -m tests.golden.freeze, and CHANGELOG.md"


def every_run() -> Iterator[Any]:
    """Every case on every engine of its study; one in four is quick."""
    for study, cases in CASES.items():
        for number, (name, case) in enumerate(cases.items()):
            for engine in ENGINES[study]:
                marks = pytest.mark.slow if case.slow or number % 4 else ()
                yield pytest.param(study, name, engine, marks=marks, id=f"{study}-{name}-{engine}")


@pytest.mark.few(50)
@pytest.mark.parametrize(("study", "name", "engine"), list(every_run()))
def test_the_result_is_the_frozen_one(study: str, name: str, engine: str) -> None:
    about = told(RESULTS[study][name], record(CASES[study][name], engine))
    assert not about, f"{study} {name}, {engine} engine:\n{about}\n{HOW}"


@pytest.mark.parametrize("study", ENGINES)
def test_every_case_is_frozen(study: str) -> None:
    assert list(CASES[study]) == list(RESULTS[study])
    file = json.loads((HERE / "inputs" / f"{study}.json").read_text(encoding="utf-8"))
    assert record_of_cases(CASES[study].values()) == file


def counts_in(study: str) -> dict[str, int]:
    """Counter of a store or a server -> the most that a case has of it."""
    most: dict[str, int] = {}
    for one in RESULTS[study].values():
        for counts in (*one["stores"].values(), *one.get("services", {}).values()):
            for key, count in counts.items():
                if type(count) is int:
                    most[key] = max(most.get(key, 0), count)
    return most


@pytest.mark.parametrize("study", ["nwt", "sr8000", "orion"])
def test_every_counter_has_counted_in_some_case(study: str) -> None:
    most = counts_in(study)
    assert len(most) > 5
    assert [key for key, count in most.items() if count == 0] == NEVER.get(study, [])


NEVER = {"nwt": ["called_back", "invalidated", "limit_waits", "read_ahead", "syncs", "used_ahead"]}
"""Counters of what machines of a study have not."""


# -- a change is found ------------------------------------------------------------------------

ONE_NS_MORE = {
    "nwt": ("mixed", "flush_overhead: 2.51 ms", "flush_overhead: 2510001 ns"),
    "sr8000": ("read-fv-2", "call_overhead: 1.03 ms", "call_overhead: 1030001 ns"),
    "orion": ("nodes-4", "deliver: 7 ms", "deliver: 7000001 ns"),
    "ninf": ("single-seed-7", "accept: 20 ms", "accept: 20000001 ns"),
}


@pytest.mark.parametrize("study", ENGINES)
def test_a_machine_slower_by_one_nanosecond_is_found(study: str) -> None:
    name, old, new = ONE_NS_MORE[study]
    case = CASES[study][name]
    assert case.machine.count(old) == 1
    slower = replace(case, machine=case.machine.replace(old, new))
    differ = differences(RESULTS[study][name], record(slower, "reference"))
    assert any(path.endswith("end_ns") for path, *_ in differ)


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each whole number of a record."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            yield from numbers(one, (*path, key))
    elif type(value) is int:
        yield path


def test_a_number_greater_by_one_is_found_wherever_it_is() -> None:
    frozen = RESULTS["orion"][ONE_NS_MORE["orion"][0]]
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
    assert told(frozen, {"b": [1, 2]}) == "a: frozen 1, got '(nothing)'"
    assert told(frozen, {"a": 1, "b": [1, 2], "c": 3}) == "c: frozen '(nothing)', got 3"
    assert told(frozen, {"a": 1, "b": [1]}).startswith("the length of b: frozen 2, got 1 (-1)\n")
    assert told(frozen, {"a": 1.0, "b": [1, 2]}) == "a: frozen 1, got 1.0"
    assert told(frozen, frozen) == ""


def test_a_row_in_the_middle_of_a_packed_list_is_found() -> None:
    rows = [["client", number, 10 * number] for number in range(1000)]
    assert packed(rows[:MOST_ROWS]) == rows[:MOST_ROWS]
    changed = copy.deepcopy(rows)
    changed[500][2] += 1
    lines = told(packed(rows), packed(changed)).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["sha256", "blocks[7]"]
    assert packed(rows)["items_in_block"] * 7 <= 500 < packed(rows)["items_in_block"] * 8


# -- the files --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Golden files of a study with few cases, to be changed."""
    for path in (HERE / "inputs" / "orion.json", freeze.results_file("orion")):
        there = tmp_path / path.parent.name
        there.mkdir()
        shutil.copy(path, there)
    return tmp_path


@pytest.mark.slow
def test_what_is_frozen_again_is_the_same_text(folder: Path) -> None:
    path = freeze.results_file("orion", folder)
    path.unlink()
    assert freeze.main(["orion"], folder) == 0
    shipped = freeze.results_file("orion").read_bytes()
    assert gzip.decompress(path.read_bytes()) == gzip.decompress(shipped)
    assert path.read_bytes()[4:8] == bytes(4), "the file has the time at which it was written"


@pytest.mark.slow
def test_the_check_says_what_differs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = freeze.results_file("orion", folder)
    results = json.loads(gzip.decompress(path.read_bytes()))
    results["paging"]["elapsed_ns"] -= 1
    del results["oblong"]
    path.write_bytes(gzip.compress(json.dumps(results).encode()))
    before = path.read_bytes()
    assert freeze.main(["--check", "orion"], folder) == 1
    printed = capsys.readouterr().out
    assert "orion oblong: is not frozen" in printed
    assert "orion paging:\nelapsed_ns: frozen " in printed
    assert "(+1)" in printed
    assert "orion: 49 cases, 2 differ" in printed
    assert path.read_bytes() == before
