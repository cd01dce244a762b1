"""What `nwtsim run` imports: no NumPy, which browsers lack, and nothing of what it does not do."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys
from simulator.cli.main import main
code = main(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


ELSEWHERE = ("config.starters", "experiments", "study.sweep", "traces")
"""What other commands are for."""


@pytest.mark.parametrize(
    ("engine", "other"),
    [("native", "reference"), pytest.param("reference", "native.run", marks=pytest.mark.slow)],
)
def test_run_imports_neither_numpy_nor_what_other_commands_need(
    engine: str, other: str, root: Path
) -> None:
    words = ["run", "nwt", "test-write", "--engine", engine]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True
    )
    modules = set(done.stderr.splitlines())
    roots = {name.partition(".")[0] for name in modules}
    assert "simulator.run" in modules
    assert not roots & {"numpy", "pandas", "pyarrow", "matplotlib", "tabulate"}
    assert engine == "reference" or not roots & {"simpy", "statistics"}
    for name in (*ELSEWHERE, other):
        path = root / "simulator" / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file()
        assert not [one for one in modules if f"{one}.".startswith(f"simulator.{name}.")]


SHIPPED = {
    "nwt": ["test-read", "--set", "workload.files.input.size=8 MB"],
    "workstation": ["copy-file"],
    "nfs-lab": ["copy-file"],
    "raid-lab": ["copy-file"],
    "burst-node": ["copy-file"],
    "beegfs-like": ["copy-file"],
    "lustre-lab": ["copy-file"],
    "lustre-scratch": ["copy-file"],
    "burst-buffer": ["copy-file"],
    "mesh-lab": ["mesh-checkpoint"],
    "ninf": ["ninf-single"],
    "orion": ["orion-mesh"],
    "sr8000": ["sr8000-write-col", "--set", "workload.files.array.size=8 MiB"],
}
"""A workload for each shipped machine; files to copy are small."""
EACH = """
import contextlib, json, os, sys
from simulator.cli.main import main
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        code = main(["run", *words])
    print(words[0], code, "numpy" in sys.modules)
"""
SMALL = ["--set", "workload.files.source.size=8 MB", "--set", "workload.files.copy.size=8 MB"]


@pytest.mark.slow
def test_no_shipped_machine_needs_numpy(root: Path) -> None:
    machines = {path.stem for path in (root / "configs" / "machines").glob("*.yaml")}
    assert machines == SHIPPED.keys()
    runs = [
        [name, *words, *(SMALL if "copy-file" in words else ())] for name, words in SHIPPED.items()
    ]
    done = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(runs)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [f"{name} 0 False" for name in SHIPPED], done.stderr
