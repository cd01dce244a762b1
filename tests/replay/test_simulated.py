"""What a store of a run's calls lacks is said before the run, and again before its replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main

pytest.importorskip("pyarrow")
Capture = pytest.CaptureFixture[str]
LACKS = (
    "warning: sweeps over a mesh and the messages of their edges are not in the store: a replay"
    " lets the time pass that they took, but they do not use the machine"
)


@pytest.mark.parametrize(
    ("machine", "workload", "what"),
    [
        ("orion", "orion-mesh", "sweeps over a mesh and the messages of their edges"),
        ("ninf", "ninf-single", "calls of numerical servers"),
        ("sr8000", "sr8000-read-fv", "reads and writes on I/O nodes (MPI-IO)"),
    ],
)
def test_a_run_without_calls_has_nothing_to_store(
    machine: str, workload: str, what: str, tmp_path: Path, capsys: Capture
) -> None:
    store = tmp_path / "calls.parquet"
    assert main(["run", machine, workload, "--store", str(store)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        f"--store: {workload} makes no calls on files, only {what}, which cannot be replayed;"
        " omit the option"
    ]
    assert not store.exists()


@pytest.mark.slow
def test_meshes_beside_files_are_said_to_be_missing(tmp_path: Path, capsys: Capture) -> None:
    """On the LAN of mesh-lab edges and files meet; without edges files are there sooner."""
    store = tmp_path / "calls.parquet"
    words = ["mesh-lab", "mesh-checkpoint", "--format", "json"]
    assert main(["run", *words, "--store", str(store)]) == 0
    said = capsys.readouterr()
    assert f"--store: {LACKS}" in said.err.splitlines()
    took = json.loads(said.out)["elapsed_ns"]
    assert main(["replay", str(store), "--on", "mesh-lab", "--format", "json"]) == 0
    said = capsys.readouterr()
    lacks, slower = said.err.splitlines()
    assert lacks == LACKS
    assert slower.startswith("the reference engine runs this, some 100 times slower: the native")
    assert 0.95 * took < json.loads(said.out)["elapsed_ns"] < took
    assert main(["replay", str(store), "--on", "mesh-lab", "--full"]) == 0
    assert LACKS.removeprefix("warning: ") in " ".join(capsys.readouterr().out.split())
