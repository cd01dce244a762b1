"""The commands on machines of format machine/2: a small lab with a file server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from tests.cli.commands import Capture, as_json, refused

LAB = """
format: machine/2
name: lab
title: four clients and a server
nodes: {client: 4, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 125 MB/s}
  nfsd: {kind: queue, at: server, servers: 8, overhead: 0.2 ms}
  disk: {kind: disk, at: server, rate: 100 MB/s}
stores:
  pages: {at: client, capacity: 64 MiB, block: 4 KiB}
filesystems:
  home: [pages, {request: 1 MiB}, nic, nfsd, disk]
"""
JOBS = """
format: workload/2
name: jobs
files:
  out: {size: 8 MB}
  in: {size: 2 MB, exists: true}
jobs:
  - {name: writer, processes: 2, record: 100 kB, phases: [{do: write, file: out}]}
  - name: reader
    record: 50 kB
    phases: [{do: compute, time: 10 ms}, {do: read, file: in}]
"""


@pytest.fixture
def lab(tmp_path: Path) -> tuple[str, str]:
    """The files of the machine and the workload."""
    paths = tmp_path / "lab.yaml", tmp_path / "jobs.yaml"
    for path, text in zip(paths, (LAB, JOBS), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(paths[0]), str(paths[1])


def run_json(capsys: Capture, *words: str) -> Any:
    return as_json(capsys, "run", *words, "--debug")


def test_a_run_has_a_report(lab: tuple[str, str], capsys: Capture) -> None:
    assert main(["run", *lab, "--full"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("jobs on lab (four clients and a server); processes are not limited")
    assert text.splitlines()[1].startswith("no seed")
    for head in ("Where the time went", "Latencies of calls", "Resources", "Stores"):
        assert f"\n{head}\n" in text
    assert "Sources of the values: " in text
    assert "read 2 MB in " in text
    assert "wrote 16 MB in " in text


def test_json_has_the_numbers(lab: tuple[str, str], capsys: Capture) -> None:
    record = run_json(capsys, *lab)
    assert record["jobs"]["writer"]["write"]["bytes"] == 16_000_000
    assert record["latencies"]["read"]["count"] == 40
    for one in record["processes"]:
        where = one["where"]
        spent = sum(sum(times.values()) for times in where["columns"].values())
        assert where["compute_ns"] + where["idle_ns"] + spent == one["elapsed_ns"]
    # The reader's 2 MB come over the network from the disk, with what the writers write back.
    assert record["parts"]["server.disk"]["bytes"] >= 2_000_000


def test_options_follow_the_machine(lab: tuple[str, str], capsys: Capture) -> None:
    def disk(*words: str) -> Any:
        record = run_json(capsys, *lab, "--record", "1 MB", *words)
        return record["processes"][2]["read"]["elapsed_ns"], record["digest"]

    slow = disk()
    fast = disk("--disk.rate", "1 GB/s")
    assert fast[0] < slow[0]
    assert fast == disk("--set", "machine.parts.disk.rate=1 GB/s")
    assert fast == disk("--set", "disk.rate=1 GB/s")
    assert run_json(capsys, *lab, "--clients", "3")["jobs"]["reader"]["processes"] == 3
    two = run_json(capsys, *lab, "--disks=2", "--pages.write", "through", "--clients", "2")
    assert {"server.disk0", "server.disk1", "disk0", "disk1"} & set(two["parts"])


def test_unknown_options_are_answered_with_what_there_is(
    lab: tuple[str, str], capsys: Capture
) -> None:
    said = refused(capsys, "run", *lab, "--diskss", "3")
    assert said.startswith("--diskss: lab has no 'diskss'; did you mean 'disks'? (nwtsim show ")
    said = refused(capsys, "run", *lab, "--ssu", "2 GB")
    assert said.startswith("--ssu: lab has no 'ssu'; there are processes, record")
    said = refused(capsys, "run", *lab, "--nic.rate", "3")
    assert "machine.parts.nic.rate=3: '3' has no unit" in said


def test_unknown_options_and_mistakes_in_files_are_told_together(
    lab: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    machine = Path(lab[0]).read_text(encoding="utf-8")
    bad = tmp_path / "bad.yaml"
    bad.write_text(machine.replace("name: lab", "name: lab\ntitel: x"), encoding="utf-8")
    said = refused(capsys, "run", str(bad), lab[1], "--disk.rat", "3", "--nicc.rate", "4 MB/s")
    starts = [line.partition(": ")[0] for line in said.splitlines()]
    assert starts == ["--disk.rat", "--nicc.rate", f"{bad}:4:1"]
    said = refused(capsys, "run", "nosuch.yaml", lab[1], "--disk.rate", "3 MB/s")
    assert said.splitlines() == ["nosuch.yaml: there is no such file"]


def test_the_help_lists_the_values_of_the_machine(lab: tuple[str, str], capsys: Capture) -> None:
    assert main(["run", *lab, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("usage: nwtsim run [options] [--SETTING VALUE ...] MACHINE WORKLOAD\n")
    assert "settings of lab" in text
    assert "--nic.rate VALUE" in text
    assert "now 125 MB/s (machine.parts.nic.rate)" in text


def test_knobs_are_listed(lab: tuple[str, str], capsys: Capture) -> None:
    assert main(["show", lab[0], "--knobs"]) == 0
    text = capsys.readouterr().out
    assert "--pages.capacity" in text
    assert "machine.nodes.client.count" in text
    assert main(["show", lab[0], "--knobs", "--format", "json"]) == 0
    knobs = json.loads(capsys.readouterr().out)
    assert knobs["disks"] == {"path": "machine.parts.disk.count", "value": "1"}
    assert knobs["disk"] == knobs["disks"]
    assert "clients" not in knobs  # These are the processes of the jobs.


@pytest.mark.slow
def test_a_store_has_every_call(lab: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "calls.parquet"
    record = run_json(capsys, *lab, "--store", str(out))
    from simulator.traces.store import Store

    store = Store(out)
    rows = [row for batch in store.batches() for row in batch.to_pylist()]
    reads = [row for row in rows if row["call"] == "read"]
    assert len(reads) == record["latencies"]["read"]["count"] == 40
    assert sum(row["returned"] for row in reads) == 2_000_000
    assert sum(row["duration_ns"] for row in reads) == pytest.approx(
        40 * record["latencies"]["read"]["mean_ns"], abs=1
    )
    assert store.about["simulated"]["machine"] == "lab"
    assert store.about["simulated"]["nodes"][2] == {"group": "client", "node": 2}


def test_a_workload_that_does_not_fit_is_refused(lab: tuple[str, str], capsys: Capture) -> None:
    said = refused(capsys, "run", *lab, "--set", "workload.files.in.filesystem=scratch")
    assert "scratch" in said
