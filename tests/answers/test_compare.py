"""The difference of two runs, part by part: it adds up exactly, and says what changed."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import shlex
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import nwtsim
from nwtsim.compared import Comparison as Shown
from simulator.answers.compare import Comparison, compare, differing
from simulator.answers.sides import Side, SideError, side_of
from simulator.cli.compare import _EXAMPLES
from simulator.cli.main import main
from simulator.config.formats import load_machine, load_workload
from simulator.report.compare import compare_csv, compare_text
from simulator.result.errors import SimulationError
from simulator.result.record import record_of
from simulator.run import load_inputs, run_plan
from tests.cli import commands
from tests.cli.commands import Capture, as_json, done
from tests.cli.test_every_command import RUNS
from tests.docs.elided import is_shown
from tests.docs.test_results_page import keys_in, nested
from tests.draws.plans.draw import plan_of
from tests.result.handmade import a_result

ROOT = Path(__file__).resolve().parents[2]
DRAWN = 60
SMALL = "--set=workload.files.*.size=20 MB"


def side(record: dict[str, Any], source: str = "r.json") -> Side:
    return side_of(record, source)


def refused(capsys: Capture, *words: str) -> str:
    """Compare what is bad input; return its one message."""
    said = commands.refused(capsys, "compare", *words)
    assert len(said.splitlines()) == 1
    return said


def check(found: Comparison) -> None:
    """All sums, from the numbers of the two sides."""
    record = found.to_record()
    elapsed = found.b.elapsed_ns - found.a.elapsed_ns
    assert record["difference_ns"] == elapsed
    assert sum(one["difference_ns"] for one in record["where"]) == elapsed
    for name, job in record["jobs"].items():
        times = [one.jobs[name].time_ns if name in one.jobs else 0 for one in (found.a, found.b)]
        assert [job["time_a_ns"], job["time_b_ns"]] == times
        for key, time in (("a", times[0]), ("b", times[1])):
            parts = (row[f"wait_{key}_ns"] + row[f"service_{key}_ns"] for row in job["where"])
            assert sum(parts) == time
        assert sum(row["difference_ns"] for row in job["where"]) == times[1] - times[0]
    sizes = [abs(one["difference_ns"]) for one in record["where"]]
    assert sizes == sorted(sizes, reverse=True)
    for one in (found.a, found.b):
        ends = {ended.account.time_ns for ended in one.last}
        assert ends == {one.elapsed_ns}


def negated(found: Comparison, other: Comparison) -> None:
    """``other`` is the same comparison the other way round."""
    there, back = found.to_record(), other.to_record()
    assert (there["a"], there["b"]) == (back["b"], back["a"])
    swapped = {"a": "b", "b": "a", None: None}

    def turned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                **row,
                "only": swapped[row["only"]],
                "difference_ns": -row["difference_ns"],
                **{
                    f"{what}_{one}_ns": row[f"{what}_{swapped[one]}_ns"]
                    for what in ("wait", "service")
                    for one in "ab"
                },
            }
            for row in rows
        ]

    assert back["where"] == turned(there["where"])
    for name, job in there["jobs"].items():
        assert back["jobs"][name]["where"] == turned(job["where"])
        assert back["jobs"][name]["difference_ns"] == -job["difference_ns"]


# -- sums ---------------------------------------------------------------------------------------


def test_every_pair_of_shipped_machines_adds_up(capsys: Capture) -> None:
    sides = []
    for machine, words in (one.values for one in RUNS):
        record = json.loads(done(capsys, "run", machine, *words, "--format=json", "--no-limits"))
        sides.append(side(record))
    assert len({one.machine for one in sides}) == len(RUNS)
    for a, b in itertools.combinations(sides, 2):
        found = compare(a, b)
        check(found)
        negated(found, compare(b, a))
        assert compare_text(found).startswith("A: ")


@pytest.fixture(scope="module")
def drawn() -> list[Side]:
    """Runs of plans with arrivals, barriers, shared data, noise: all that an account may have.

    A few of the plans never end, which :mod:`tests.draws.plans.draw` wants, and are left out.
    """
    sides: list[Side] = []
    for seed in range(DRAWN):
        with suppress(SimulationError):
            sides.append(side(record_of(run_plan(plan_of(seed)))))
    assert len(sides) > 0.9 * DRAWN
    return sides


def test_random_pairs_of_machines_and_jobs_add_up(drawn: list[Side]) -> None:
    rng, differ = Random(13), 0
    kinds: set[str] = set()
    for _ in range(300):
        a, b = rng.choice(drawn), rng.choice(drawn)
        found = compare(a, b)
        check(found)
        negated(found, compare(b, a))
        differ += found.difference_ns != 0
        text = compare_text(found)
        assert ("no difference: both sides agree" in text) == found.same
        assert text.count("\nsum ") == 0 if found.same else text.count("\nsum ") > 0
        kinds |= {row.kind for row in found.elapsed.rows}
    for one in drawn:
        found = compare(one, one)
        assert found.same
        assert found.same_seed
    assert differ > 200
    assert {"column", "start", "computing"} <= kinds


def test_a_difference_that_cancels_out_is_none_of_the_elapsed_time() -> None:
    """10 us less of waiting and 10 us more of service: the elapsed time is the same."""
    record = record_of(a_result())
    moved = json.loads(json.dumps(record))
    for one in (*moved["processes"], *moved["jobs"].values()):
        columns = one["where"]["columns"]
        for times in columns.values():
            if times["wait_ns"] >= 10_000:
                times["wait_ns"] -= 10_000
                times["service_ns"] += 10_000
    assert moved != record
    found = compare(side(record), side(moved))
    assert found.difference_ns == 0
    assert not found.same


def test_the_process_that_ends_last_on_both_sides_is_taken() -> None:
    """Processes p.2 and p.10 end last in A, p.10 only in B."""

    def run(*times: int) -> Side:
        names = ("p.2", "p.10")
        where = [{"compute_ns": time, "idle_ns": 0, "columns": {}} for time in times]
        nothing = {"bytes": 0, "elapsed_ns": 0, "rate_MBps": 0.0}
        processes = [
            {
                "name": name,
                "job": "p",
                "started_ns": 0,
                "elapsed_ns": time,
                "read": nothing,
                "write": nothing,
                "where": spent,
            }
            for name, time, spent in zip(names, times, where, strict=True)
        ]
        whole = {"compute_ns": sum(times), "idle_ns": 0, "columns": {}}
        job = {"processes": 2, "time_ns": sum(times), "where": whole}
        record = {**record_of(a_result()), "elapsed_ns": max(times), "processes": processes}
        return side({**record, "jobs": {"p": job}})

    found = compare(run(7, 7), run(3, 8))
    assert (found.elapsed.a.name, found.elapsed.b.name) == ("p.10", "p.10")
    found = compare(run(7, 7), run(7, 7))
    assert (found.elapsed.a.name, found.elapsed.b.name) == ("p.2", "p.2")
    check(compare(run(7, 7), run(9, 1)))


# -- what changed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "workload", "setting", "key"),
    [
        ("workstation", "copy-file", "disk.rate=250 MB/s", "machine.parts.disk.rate"),
        ("nwt", "test-write", "workload.jobs.0.record=1 MB", "workload.jobs.0.record"),
        ("burst-node", "copy-file", "nvme.servers=2", "machine.parts.nvme.servers"),
        ("nfs-lab", "copy-file", "machine.nodes.server.count=2", "machine.nodes.server.count"),
    ],
)
def test_one_changed_setting_is_the_only_value_that_differs(
    machine: str, workload: str, setting: str, key: str, capsys: Capture
) -> None:
    words = ("compare", machine, workload, SMALL, "--b-set", setting, "--format", "json")
    record = json.loads(done(capsys, *words))
    assert [one["key"] for one in record["values"]] == [key]
    assert record["values"][0]["a"] != record["values"][0]["b"]
    assert record["values"][0]["b"] in setting or key.endswith("record")
    back = as_json(capsys, *words[:-4], "--a-set", setting)
    assert back["difference_ns"] == -record["difference_ns"]


def test_values_of_different_machines_are_those_that_are_set() -> None:
    """Each key of one side only is one that its machine has; equal ones are not listed."""
    inputs = [(load_machine(name), load_workload("copy-file")) for name in ("workstation", "nwt")]
    found = differing(inputs[0], inputs[1])
    by_key = {one.key: (one.a, one.b) for one in found}
    assert by_key["machine.parts.disk.rate"][0] == "125 MB/s"
    assert by_key["machine.stores.pages.capacity"] == ("8 GB", None)
    assert not any(a == b for a, b in by_key.values())
    assert not any(key.startswith("workload.") for key in by_key)
    assert differing(inputs[0], inputs[0]) == ()


def test_a_resource_of_one_side_is_a_row_of_its_own(capsys: Capture) -> None:
    words = ("compare", "workstation", "burst-node", "--workload", "copy-file", SMALL)
    record = as_json(capsys, *words)
    rows = {one["column"]: one for one in record["where"]}
    assert rows["pages.writeback"]["only"] == "a"
    assert any(one["only"] == "b" for one in rows.values())
    text = done(capsys, *words)
    assert re.search(r"^pages.writeback .* only in A$", text, re.MULTILINE)


def test_other_seeds_are_told(capsys: Capture) -> None:
    words = ("compare", "nwt", "test-write", "--set=workload.files.*.size=8 MB", "--seed", "1")
    text = done(capsys, *words, "--b-seed", "2")
    assert "The seeds differ (noise with seed 1 in A, noise with seed 2 in B)" in text
    assert "The seeds differ" not in done(capsys, *words)
    assert json.loads(done(capsys, *words, "--b-seed=2", "--format=json"))["same_seed"] is False


# -- results, stores ----------------------------------------------------------------------------


def test_results_in_files_give_what_the_runs_give(tmp_path: Path, capsys: Capture) -> None:
    """Values too: the digest of the first file proves that it was made with the shipped files."""
    runs = (("nwt", "test-write"), ("nwt", "test-write", "--clients", "3", "--seed", "4"))
    files = [str(tmp_path / f"{name}.json") for name in "ab"]
    for file, words in zip(files, runs, strict=True):
        done(capsys, "run", *words, "--format", "json", "--out", file, "--no-limits")
    direct = json.loads(
        done(
            *(capsys, "compare", "nwt", "test-write", "--b-set", "clients=3"),
            *("--b-seed", "4", "--format", "json"),
        )
    )
    read = as_json(capsys, "compare", *files)
    assert read["values"] is None
    mixed = json.loads(
        done(
            *(capsys, "compare", files[0], "nwt", "--workload", "test-write"),
            *("--b-set", "clients=3", "--b-seed", "4", "--format", "json"),
        )
    )
    assert [one["key"] for one in mixed["values"]] == ["workload.jobs.0.processes"]
    for one in (direct, read, mixed):
        one.pop("values")
        assert one["a"].pop("source")
        assert one["b"].pop("source")
    assert direct == read == mixed
    text = done(capsys, "compare", *files)
    assert "A result keeps their digest only" in text
    assert "Values of machine and workload: all the same." in done(
        capsys, "compare", files[0], files[0]
    )


@pytest.mark.slow
def test_a_replay_is_a_result(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("pyarrow")
    store, file = str(tmp_path / "calls.parquet"), str(tmp_path / "replayed.json")
    done(capsys, "run", "workstation", "copy-file", SMALL, "--store", store, "--no-limits")
    done(capsys, "replay", store, "--on", "nfs-lab", "--format", "json", "--out", file)
    words = ("compare", "workstation", file, "--workload", "copy-file", SMALL, "--format", "json")
    record = json.loads(done(capsys, *words))
    assert record["b"]["machine"] == "nfs-lab"
    assert sum(one["difference_ns"] for one in record["where"]) == record["difference_ns"] != 0


def test_stores_are_compared_by_call(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("pyarrow")
    files = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    runs = []
    for file, number in zip(files, ("2", "5"), strict=True):
        words = ("run", "nfs-lab", "copy-file", SMALL, "--clients", number, "--store", file)
        runs.append(json.loads(done(capsys, *words, "--format", "json", "--no-limits")))
    record = as_json(capsys, "compare", *files)
    assert [record[one]["elapsed_ns"] for one in "ab"] == [one["elapsed_ns"] for one in runs]
    assert sum(one["difference_ns"] for one in record["where"]) == record["difference_ns"]
    assert {"call", "between"} == {one["kind"] for one in record["where"]}
    job = record["jobs"]["trace"]
    times = [one["jobs"]["copy"]["time_ns"] for one in runs]
    assert [job["time_a_ns"], job["time_b_ns"]] == times
    reads = [one["latencies"]["read"] for one in runs]
    for side_, one in zip("ab", reads, strict=True):
        told = record["latencies"]["read"][side_]
        assert {key: told[key] for key in ("count", "mean_ns", "max_ns")} == {
            key: one[key] for key in ("count", "mean_ns", "max_ns")
        }
    assert "between calls" in done(capsys, "compare", *files)
    assert "no difference" in done(capsys, "compare", files[0], files[0])


TRACE = """\
7 1700001000.000000 execve("/bin/a", ["a"], 0x0) = 0 <0.000100>
7 1700001000.100000 openat(AT_FDCWD, "in", O_RDONLY) = 3 <0.000200>
7 1700001000.200000 read(3, ""..., 4096) = 4096 <0.050000>
8 1700001000.210000 read(3, ""..., 4096) = 4096 <0.400000>
7 1700001000.300000 close(3) = 0 <0.000010>
8 1700001000.700000 exit_group(0) = ?
"""


def test_a_real_trace_begins_with_its_first_call(tmp_path: Path, capsys: Capture) -> None:
    """By hand: process 8 starts at 0.21 s, reads 0.4 s, ends at 0.7 s: 0.09 s between calls."""
    pytest.importorskip("pyarrow")
    log, store = tmp_path / "job.strace", str(tmp_path / "job.parquet")
    log.write_text(TRACE, encoding="utf-8")
    done(capsys, "trace", "import", str(log), "-o", store)
    record = as_json(capsys, "compare", store, store)
    assert record["a"]["elapsed_ns"] == 700_000_000
    times = {one["column"]: one["wait_a_ns"] + one["service_a_ns"] for one in record["where"]}
    assert times == {
        "before its start": 210_000_000,
        "read": 400_000_000,
        "between calls": 90_000_000,
    }


# -- bad input ----------------------------------------------------------------------------------


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
    empty = side({**record_of(a_result()), "elapsed_ns": 0, "processes": [], "jobs": {}})
    with pytest.raises(SideError, match="nothing to compare"):
        compare(empty, empty)


# -- reports ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair() -> tuple[nwtsim.Result, nwtsim.Result]:
    settings = {"workload.files.*.size": "20 MB"}
    return (
        nwtsim.run("workstation", "copy-file", settings),
        nwtsim.run("workstation", "copy-file", {**settings, "disk.rate": "250 MB/s"}),
    )


def test_python_shows_it(pair: tuple[nwtsim.Result, nwtsim.Result], tmp_path: Path) -> None:
    found = nwtsim.compare(*pair)
    assert isinstance(found, Shown)
    assert found.difference_s == pytest.approx(pair[1].elapsed_s - pair[0].elapsed_s, abs=1e-9)
    assert sum(found.where().values()) == pytest.approx(found.difference_s, abs=1e-9)
    assert found.values() == {"machine.parts.disk.rate": ("125 MB/s", "250 MB/s")}
    assert not found.same
    assert nwtsim.compare(pair[0], pair[0]).same
    assert repr(found).startswith("<Comparison: B - A\n elapsed ")
    assert "Values that differ" in str(found)
    html = found._repr_html_()
    assert html.count("<tr>") == len(found.where()) + 2
    assert "<td>sum</td>" in html
    files = []
    for name, one in zip("ab", pair, strict=True):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(one.to_json(), encoding="utf-8")
    read = nwtsim.compare(*files)
    assert read.values() is None
    assert read.where() == found.where()
    assert nwtsim.compare(files[0], pair[1]).where() == found.where()


def test_python_makes_a_table(pair: tuple[nwtsim.Result, nwtsim.Result]) -> None:
    pytest.importorskip("pandas")
    found = nwtsim.compare(*pair)
    frame = found.to_dataframe()
    rows = frame[(frame.account == "elapsed") & (frame.kind != "sum")]
    assert rows.difference_ns.sum() == found.to_dict()["difference_ns"]


def test_the_csv_has_all_accounts_with_their_sums(
    pair: tuple[nwtsim.Result, nwtsim.Result],
) -> None:
    sides = [side(one.to_dict()) for one in pair]
    found = compare(*sides)
    rows = list(csv.DictReader(io.StringIO(compare_csv(found))))
    assert {row["account"] for row in rows} == {"elapsed", "job copy"}
    for account in ("elapsed", "job copy"):
        *columns, total = [row for row in rows if row["account"] == account]
        assert total["kind"] == "sum"
        for key in ("wait_a_ns", "wait_b_ns", "service_a_ns", "service_b_ns", "difference_ns"):
            assert sum(int(row[key]) for row in columns) == int(total[key])
        assert int(total["difference_ns"]) == found.difference_ns


def test_each_key_of_a_comparison_is_documented() -> None:
    inputs = [load_inputs("workstation", "copy-file", [("clients", str(n))]) for n in (1, 2)]
    sides = [side(record_of(run_plan(one.plan()))) for one in inputs]
    a, b = [(one.machine, one.workload) for one in inputs]
    record = compare(sides[0], sides[1], differing(a, b)).to_record()
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    text = text.partition("\n# Comparisons\n")[2].partition("\n# Pages\n")[0]
    told = keys_in(text)
    assert len(told) == len(set(told))
    assert set(told) == {path.replace(".b.", ".a.") for path in nested(record)} - {
        path for path in nested(record) if path.startswith("b.")
    }


def test_the_examples_of_the_help_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Those that need files get files of the same names."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    small = "--set=workload.files.*.size=8 MB"
    for name in ("before", "after"):
        run = ("run", "nwt", "test-write", small, "--no-limits")
        store = ("--store", f"{name}.parquet")
        done(capsys, *run, *store, "--format", "json", "--out", f"{name}.json")
    for line in _EXAMPLES.splitlines():
        words = shlex.split(line.split("   (")[0])
        assert words[0] == "nwtsim"
        files = all(word.startswith(("before", "after")) for word in words[2:4])
        assert main([*words[1:], *([] if files else [small])]) == 0
        said = capsys.readouterr()
        assert said.out.startswith(("A: ", "{"))
        assert "no effect" not in said.err


def test_the_page_shows_what_the_command_prints(capsys: Capture) -> None:
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ (nwtsim compare .*)\n((?:.*\n)*?)```", text, re.MULTILINE)
    assert shown is not None
    assert is_shown(shown[2], done(capsys, *shlex.split(shown[1])[1:]))
