"""Who slows whom: each number is that of a run of the files without the other jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nwtsim
from simulator.cli.main import main

pytestmark = pytest.mark.compiled

Capture = pytest.CaptureFixture[str]
DISK = """\
format: machine/2
name: disks
nodes: {client: 1}
parts: {disk: {kind: disk, rate: 100 MB/s, overhead: 1 ms}, other: {kind: disk, rate: 50 MB/s}}
filesystems: {fs: [disk], quiet: [other]}
"""
NODES = "format: machine/2\nname: m\nnodes: {node: {count: 6, queue: {backfill: easy}}}\n"
HEAD = """\
format: workload/2
name: several
files:
  a: {size: 10 MB, exists: true}
  b: {size: 20 MB, exists: true}
  c: {size: 5 MB, exists: true, filesystem: quiet}
jobs:
"""
JOBS = (
    "  - {name: a, record: 1 MB, phases: [{do: read, file: a, policy: posix}]}\n",
    "  - {name: b, record: 1 MB, phases: [{do: read, file: b, policy: posix}]}\n",
    "  - {name: c, record: 1 MB, phases: [{do: read, file: c, policy: posix}]}\n",
)
SUBMITTED = tuple(
    f"  - {{name: {name}, nodes: {nodes}, submit: {{every: {every}, count: 60}},\n"
    f"     phases: [{{do: compute, time: {time}, spread: 100 %}}]}}\n"
    for name, nodes, every, time in (
        *(("small", 1, "10 min", "30 min"), ("large", 4, "90 min", "1 h")),
        ("middle", 2, "1 h", "30 min"),
    )
)


def asked(machine: str, workload: str) -> dict[str, Any]:
    return nwtsim.interference(nwtsim.run(machine, workload))


def test_two_that_share_a_disk_wait_for_each_other_and_the_third_for_nobody() -> None:
    """By hand: a read has 2 us of a call, 11 ms of the disk and 0.2 ms of copying.

    In turns a has the disk at 0, 22, 44, ... 198 ms, and copies what came at 209.002 ms; b is
    behind it ten times, and has ten reads left, alone, from its copying at 220.002 ms on.
    """
    found = asked(DISK, HEAD + "".join(JOBS))["jobs"]
    us = 1000
    assert found["a"]["alone_ns"] == found["a"]["without_ns"]["b"] == 10 * 11_202 * us
    assert found["a"]["now_ns"] == found["a"]["without_ns"]["c"] == 209_202 * us
    assert found["b"]["alone_ns"] == found["b"]["without_ns"]["a"] == 20 * 11_202 * us
    assert found["b"]["now_ns"] == found["b"]["without_ns"]["c"] == (220_202 + 10 * 11_202) * us
    assert found["c"]["now_ns"] == found["c"]["alone_ns"]


def times_of(machine: str, head: str, jobs: tuple[str, ...], kept: set[str]) -> dict[str, int]:
    """Return what counts of each job in a run of files that have no others."""
    text = head + "".join(one for one in jobs if one.split("name: ")[1].split(",")[0] in kept)
    run = nwtsim.run(machine, text)
    queues = json.loads(run.to_json()).get("queues")
    if not queues:
        return {name: one["elapsed_ns"] for name, one in json.loads(run.to_json())["jobs"].items()}
    rows, found = queues["node"]["jobs"], dict[str, list[int]]()
    for name, begin, end in zip(rows["class"], rows["submit_ns"], rows["end_ns"], strict=True):
        found.setdefault(name, []).append(end - begin)
    return {name: round(sum(times) / len(times)) for name, times in found.items()}


@pytest.mark.parametrize(
    ("machine", "head", "jobs"),
    [(DISK, HEAD, JOBS), (NODES, "format: workload/2\nname: w\njobs:\n", SUBMITTED)],
)
def test_every_number_is_that_of_a_run_of_files_without_the_others(
    machine: str, head: str, jobs: tuple[str, ...]
) -> None:
    found = asked(machine, head + "".join(jobs))
    names, runs = list(found["jobs"]), found["runs"]
    assert runs == 6
    whole = times_of(machine, head, jobs, {*names})
    assert {name: one["now_ns"] for name, one in found["jobs"].items()} == whole
    for name in names:
        alone = times_of(machine, head, jobs, {name})
        assert alone == {name: found["jobs"][name]["alone_ns"]}
        others = times_of(machine, head, jobs, {*names} - {name})
        without = {one: found["jobs"][one]["without_ns"][name] for one in names if one != name}
        assert others == without


def test_a_job_that_moves_data_is_of_the_job_that_it_serves() -> None:
    head = "format: workload/2\nname: w\nfiles: {in: {size: 60 MB, exists: true}}\njobs:\n"
    machine = NODES.replace("node:", "store: 1, node:", 1)
    machine += "parts: {disk: {kind: disk, at: store, rate: 1 MB/s}}\n"
    machine += "filesystems: {fs: {tiers: [disk]}}\n"
    work = "phases: [{do: compute, time: 10 min}]"
    staged = f"  - {{name: big, on: node, nodes: 6, stage_in: fetch, {work}}}\n"
    brings = "phases: [{do: read, file: in, policy: posix}]"
    fetch = f"  - {{name: fetch, on: store, record: 1 MB, {brings}}}\n"
    found = asked(
        machine, head + staged + fetch + SUBMITTED[0].replace("nodes:", "on: node, nodes:")
    )["jobs"]
    assert list(found) == ["big", "small"]
    # 60 s to fetch, with 202 us of a processor for each of 60 reads, and 10 min to run.
    assert found["big"]["alone_ns"] == 660 * 10**9 + 60 * 202_000


def test_what_the_others_need_is_named(tmp_path: Path, capsys: Capture) -> None:
    machine, workload = tmp_path / "machine.yaml", tmp_path / "workload.yaml"
    machine.write_text(DISK)
    until = JOBS[1].replace("record", "until: others end, record")
    workload.write_text(HEAD + JOBS[0] + until)
    words = ["run", str(machine), str(workload), "--interference", "--no-limits"]
    assert main(words) == 0
    table = capsys.readouterr().out
    assert "Without a the others cannot run." in table
    rows = [line.split() for line in table.splitlines() if line.startswith(("a ", "b "))]
    assert rows[0][:3] == ["a", "elapsed", "209"]
    assert [rows[1][0], *rows[1][1:3]] == ["b", "a", "round,"]
    assert main([*words, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)["interference"]
    assert record["needed"] == ["a"]
    assert record["jobs"]["b"]["alone_ns"] is None


def test_one_job_has_nobody_beside_it(tmp_path: Path, capsys: Capture) -> None:
    machine, workload = tmp_path / "machine.yaml", tmp_path / "workload.yaml"
    machine.write_text(DISK)
    workload.write_text(HEAD + JOBS[0])
    page = tmp_path / "page.html"
    words = ["run", str(machine), str(workload), "--interference", "--html", str(page)]
    assert main(words) == 0
    assert "Who slows whom: there is one job." in capsys.readouterr().out
    assert "Who slows whom" in page.read_text()
    assert "--interference" in page.read_text()


def test_pairs_that_matter_are_told_and_no_others(tmp_path: Path, capsys: Capture) -> None:
    machine, workload = tmp_path / "machine.yaml", tmp_path / "workload.yaml"
    machine.write_text(NODES)
    workload.write_text("format: workload/2\nname: w\njobs:\n" + "".join(SUBMITTED))
    words = ["run", str(machine), str(workload), "--interference", "--no-limits"]
    assert main([*words, "--full"]) == 0
    table = capsys.readouterr().out.partition("Who slows whom")[2].partition("Each is")[0]
    lines = [line.split() for line in table.splitlines() if "submission to end" in line]
    told = {(one[0], one[-5]): float(one[-2]) for one in lines if one[-1] == "%"}
    assert main([*words, "--format", "json"]) == 0
    jobs = json.loads(capsys.readouterr().out)["interference"]["jobs"]
    saves = {
        (name, other): 100 * (1 - without / one["now_ns"])
        for name, one in jobs.items()
        for other, without in one["without_ns"].items()
    }
    assert told == {
        pair: pytest.approx(share, abs=0.05) for pair, share in saves.items() if share >= 1
    }
