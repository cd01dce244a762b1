"""The difference of two runs, part by part: it adds up exactly, and says what changed."""

from __future__ import annotations

import itertools
import json
import re
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from simulator.answers.compare import Comparison, compare, differing
from simulator.answers.sides import Side, side_of
from simulator.config.formats import load_machine, load_workload
from simulator.plan.errors import SimulationError
from simulator.report.compare import compare_page
from simulator.report.forms import written
from simulator.result.record import record_of
from simulator.run import run_plan
from tests.cli.commands import Capture, as_json, done
from tests.cli.test_every_command import RUNS
from tests.draws.plans.draw import plan_of
from tests.verification.handmade import a_result

DRAWN = 60
SMALL = "--set=workload.files.*.size=20 MB"


def side(record: dict[str, Any], source: str = "r.json") -> Side:
    return side_of(record, source)


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


@pytest.mark.slow
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
        assert written(compare_page(found), "table").startswith("A: ")


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


@pytest.mark.slow
def test_random_pairs_of_machines_and_jobs_add_up(drawn: list[Side]) -> None:
    rng, differ = Random(13), 0
    kinds: set[str] = set()
    for _ in range(300):
        a, b = rng.choice(drawn), rng.choice(drawn)
        found = compare(a, b)
        check(found)
        negated(found, compare(b, a))
        differ += found.difference_ns != 0
        text = written(compare_page(found), "table")
        assert ("no difference: both sides agree" in text) == found.same
        if found.same:
            assert "\nsum " not in text
        elif a.elapsed_ns or b.elapsed_ns:  # Two runs that take no time have nothing to add.
            assert "\nsum " in text
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
