"""What `nwtsim run` of a machine/2 imports: no NumPy, which browsers lack, and no old engine."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from simulator.cli.main import main
code = main(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_run_imports_neither_numpy_nor_the_engines_of_the_studies(engine: str) -> None:
    words = ["run", "nwt", "test-write", "--engine", engine]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True
    )
    modules = set(done.stderr.splitlines())
    roots = {name.partition(".")[0] for name in modules}
    assert "simulator.run" in modules
    assert not roots & {"numpy", "pandas", "pyarrow", "matplotlib"}
    old = {"simulator.simulate", "simulator.config.plan", "simulator.engine.plan"}
    assert not modules & old
