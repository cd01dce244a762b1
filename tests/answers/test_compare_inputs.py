"""What cannot be compared: each mistake has one message."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.answers.compare import compare
from simulator.answers.sides import SideError, side_of
from simulator.cli.main import main
from simulator.result.record import record_of
from tests.cli import commands
from tests.cli.commands import Capture, done
from tests.verification.handmade import a_result

SMALL = "--set=workload.files.*.size=20 MB"


def refused(capsys: Capture, *words: str) -> str:
    """Compare what is bad input; return its one message."""
    said = commands.refused(capsys, "compare", *words)
    assert len(said.splitlines()) == 1
    return said


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A result, made once."""
    file = tmp_path_factory.mktemp("result") / "good.json"
    words = ("run", "workstation", "copy-file", SMALL, "--format", "json", "--no-limits")
    assert main([*words, "--out", str(file)]) == 0
    return file.read_text(encoding="utf-8")


@pytest.fixture
def good(tmp_path: Path, written: str) -> tuple[Path, dict[str, Any]]:
    file = tmp_path / "good.json"
    file.write_text(written, encoding="utf-8")
    return file, json.loads(written)


def test_a_doctored_result_is_refused(good: tuple[Path, dict[str, Any]], capsys: Capture) -> None:
    """Each number of the accounts, made one larger."""
    file, record = good
    bad = file.with_name("bad.json")
    tried = 0
    ways = (("processes", 0), ("jobs", "copy"))
    for top, name in ways:
        for column in record[top][name]["where"]["columns"]:
            changed = json.loads(json.dumps(record))
            changed[top][name]["where"]["columns"][column]["service_ns"] += 1
            bad.write_text(json.dumps(changed), encoding="utf-8")
            said = refused(capsys, str(file), str(bad))
            assert re.search(r"bad.json: the account of (process|job) 'copy' adds up to \d+", said)
            tried += 1
    assert tried > 4
    changed = json.loads(json.dumps(record))
    changed["elapsed_ns"] += 1
    bad.write_text(json.dumps(changed), encoding="utf-8")
    assert "but the last process ends at" in refused(capsys, str(file), str(bad))
    changed = json.loads(json.dumps(record))
    where = changed["jobs"]["copy"]["where"]["columns"]
    where["cpu"]["service_ns"] -= 5
    where["disk"]["service_ns"] += 5  # The sum is right, but it is not that of the process.
    bad.write_text(json.dumps(changed), encoding="utf-8")
    assert "is not that of its processes together" in refused(capsys, str(file), str(bad))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", "no result of a run or a replay"),
        ('{"a": 1}', "no result of a run or a replay"),
        ('{"versions": {"nwtsim": "0.0.1"}, "processes": []}', "result of nwtsim 0.0.1, not"),
    ],
)
def test_what_is_no_result_is_refused(
    text: str, told: str, good: tuple[Path, dict[str, Any]], capsys: Capture
) -> None:
    bad = good[0].with_name("bad.json")
    bad.write_text(text, encoding="utf-8")
    assert told in refused(capsys, str(good[0]), str(bad))


@pytest.mark.parametrize("key", ["jobs", "latencies", "noise", "stores", "elapsed_ns"])
def test_a_result_that_lacks_something_is_refused(
    key: str, good: tuple[Path, dict[str, Any]], capsys: Capture
) -> None:
    file, record = good
    bad = file.with_name("bad.json")
    bad.write_text(json.dumps({k: v for k, v in record.items() if k != key}), encoding="utf-8")
    assert f"this result is damaged (it lacks '{key}')" in refused(capsys, str(bad), str(file))
    bad.write_text(json.dumps({**record, key: "x"}), encoding="utf-8")
    if key != "noise":
        assert "this result is damaged" in refused(capsys, str(bad), str(file))


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("processes.0.where.columns.cpu", 3, "a value is of another kind there"),
        ("processes.0.name", 3, "3 is not a text"),
        ("stores.pages.hits", -3, "-3 is not a whole number from 0"),
        ("latencies.read.mean_ns", "x", "'x' is not a number from 0"),
        ("latencies.read", {}, "it lacks 'count'"),
        ("elapsed_ns", 10**400, "1000"),
        ("elapsed_ns", -1, "-1 is not a whole number"),
        ("elapsed_ns", True, "True is not a whole number"),
        ("read_MBps", float("nan"), "nan is not a number from 0"),
        ("jobs", [], "a value is of another kind there"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(
    path: str, value: object, told: str, good: tuple[Path, dict[str, Any]], capsys: Capture
) -> None:
    file, record = good
    *keys, last = path.split(".")
    inner: Any = record
    for key in keys:
        inner = inner[int(key) if key.isdecimal() else key]
    inner[last] = value
    bad = file.with_name("bad.json")
    bad.write_text(json.dumps(record), encoding="utf-8")
    assert f"bad.json: this result is damaged ({told}" in refused(capsys, str(file), str(bad))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("workstation", "which workload? Add one, like --workload copy-file"),
        ("copy-file", "on which machine? Add one, like --machine workstation"),
        ("workstatoin copy-file", "did you mean 'workstation'"),
        ("FILE", "with what is it to be compared? Write B after it"),
        ("copy-file workstation", "write MACHINE WORKLOAD, workstation copy-file"),
        ("workstation copy-file --workload x", "--workload: workstation copy-file name both"),
        ("FILE FILE --set a=1", "--set: nothing that is compared here uses it"),
        ("FILE FILE --b-set a=1", "--b-set: FILE is a result, which has no settings"),
        ("FILE FILE --machine nwt", "--machine: nothing that is compared here uses it"),
        ("FILE . ", ".: this is a folder"),
        ("FILE none/none.json", "none/none.json: No such file or directory"),
        ("workstation copy-file --b-set disk.rat=3", "did you mean 'disk.rate'?"),
    ],
)
def test_words_that_cannot_be_understood(
    words: str, told: str, good: tuple[Path, dict[str, Any]], capsys: Capture
) -> None:
    file = str(good[0])
    asked = [file if word == "FILE" else word for word in words.split()]
    assert told.replace("FILE", file) in refused(capsys, *asked)


def test_a_store_and_a_result_are_not_compared(
    good: tuple[Path, dict[str, Any]], capsys: Capture
) -> None:
    pytest.importorskip("pyarrow")
    store = str(good[0].with_name("calls.parquet"))
    done(capsys, "run", "workstation", "copy-file", SMALL, "--store", store, "--no-limits")
    said = refused(capsys, str(good[0]), store)
    assert f"nwtsim replay {store} --on MACHINE --format json" in said


def test_runs_without_processes_are_not_compared() -> None:
    nothing = {"elapsed_ns": 0, "processes": [], "jobs": {}}
    empty = side_of({**record_of(a_result()), **nothing}, "r.json")
    with pytest.raises(SideError, match="nothing to compare"):
        compare(empty, empty)


def test_a_workload_of_another_machine_is_one_mistake_for_each_name_before_any_run(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nwt-job has nine files on ufs and two on vfl; lustre-lab has neither."""
    monkeypatch.setattr("simulator.run.Run.result", lambda *_, **__: pytest.fail("it ran"))
    said = commands.refused(capsys, "compare", "nwt", "lustre-lab", "--workload", "nwt-job")
    ufs, vfl = said.splitlines()
    assert "7:38: files.source.filesystem: 'ufs' is not a file system of lustre-lab" in ufs
    assert ufs.endswith("there are scratch (and so in 7 more places)")
    assert vfl.endswith("there are scratch (and so in 1 more place)")
