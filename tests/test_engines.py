"""The native engine against the reference: the whole result, to the nanosecond and the byte.

Where the engine is compiled, its interpreted twin is compared as well, in a process of its
own that cannot see the compiled modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.native.run import run_native
from simulator.engine.plan import Plan
from simulator.engine.reference import run_reference
from simulator.engine.result import SimulationError
from simulator.simulate import load_plan
from simulator.study.study import load_study
from tests.plans import Draw


def record(run: Any, plan: Plan) -> str:
    try:
        result = run(plan, debug=True).to_json()
    except SimulationError as error:
        return str(error)
    del result["engine"]
    return json.dumps(result)


def assert_equal(plan: Plan) -> None:
    assert record(run_native, plan) == record(run_reference, plan)


@pytest.mark.parametrize("cell", load_study("nwt").cells, ids=lambda cell: cell.id)
@pytest.mark.parametrize("noisy", [False, True])
def test_every_published_cell(cell: Any, noisy: bool) -> None:
    assert_equal(load_plan("nwt", cell.workload, settings=cell.settings, seed=7, noisy=noisy))


@pytest.mark.parametrize("path", ["scfs", "nfs", "svio"])
@pytest.mark.parametrize("policy", ["gfortran", "flang"])
def test_every_path_with_clients_that_meet(path: str, policy: str) -> None:
    given = [("path", path), ("clients", "4"), ("policy", policy)]
    given += [("workload.files.output.size", "3 MB"), ("record", "[200 kB, 1 kB]")]
    assert_equal(load_plan("nwt", "test-write-120MB", settings=given, seed=3, noisy=True))


@settings(max_examples=1000)
@given(st.randoms(use_true_random=False))
def test_random_plans(rng: Random) -> None:
    assert_equal(Draw(rng).plan(most_jobs=8))


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_random_plans_of_many_clients(seed: int) -> None:
    assert_equal(Draw(Random(seed)).plan(most_jobs=200))


PROGRAM = """
import json, sys
from importlib.machinery import FileFinder, SourceFileLoader
class OnlySource:                                  # what is compiled is not seen
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "simulator":
            return None
        finders = [FileFinder(place, (SourceFileLoader, [".py"])) for place in path or sys.path]
        return next((spec for finder in finders if (spec := finder.find_spec(name))), None)
sys.meta_path.insert(0, OnlySource())
from simulator.report.versions import native_build
assert native_build() == "interpreted", native_build()
from random import Random
from simulator.engine.native.run import run_native
from simulator.engine.result import SimulationError
from tests.plans import Draw
for seed in range(int(sys.argv[1])):
    try:
        result = run_native(Draw(Random(seed)).plan(most_jobs=6)).to_json()
        del result["engine"]
        print(json.dumps(result))
    except SimulationError as error:
        print(error)
"""


def test_the_interpreted_engine_is_the_same(root: Any, tmp_path: Any) -> None:
    count = 60
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(program), str(count)],
        env={"PYTHONPATH": str(root), "PATH": ""},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for seed, line in enumerate(done.stdout.splitlines()):
        plan = Draw(Random(seed)).plan(most_jobs=6)
        try:
            result = run_reference(plan).to_json()
            del result["engine"]
            wanted = json.dumps(result)
        except SimulationError as error:
            wanted = str(error)
        assert line == wanted, seed
    assert len(done.stdout.splitlines()) == count


NOTHING_ELSE = """
import sys
class Wall:
    allowed = {"simulator", "simpy", "numpy", "yaml", "_yaml", "pydantic", "pydantic_core",
               "annotated_types", "typing_extensions", "typing_inspection"}
    def find_spec(self, name, path=None, target=None):
        head = name.partition(".")[0]
        known = head in self.allowed or head in sys.stdlib_module_names
        if not known and not head.startswith("_sysconfigdata"):
            raise ImportError(f"{name} is not allowed here")
sys.meta_path.insert(0, Wall())
from simulator.simulate import simulate
print(simulate("nwt", "test-write-120MB", engine="native").elapsed_ns)
"""


def test_a_run_needs_nothing_but_the_fixed_packages(root: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_ELSE],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
