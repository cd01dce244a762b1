"""The benchmark of stores and executors runs, and counts the CPU time of workers too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_it_prints_both_ratios(root: Path) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install 'nwtsim[dask]'")
    command = [sys.executable, "-m", "benchmarks.executors", "--points=400", "--rounds=1"]
    ran = subprocess.run(
        [*command, "--format=json"], capture_output=True, text=True, check=True, cwd=root
    )
    figures = json.loads(ran.stdout)
    assert 0.8 < figures["empty_store_over_without"] < 2
    assert 0.5 < figures["dask_over_processes_cpu"] < 20
    assert figures["full_store_cpu_us_a_point"] < figures["without_store_cpu_us_a_point"]
    assert figures["dask_cpu_s"] > 400 * 50e-6
