"""The native engine against the reference: the whole result, to the nanosecond and the byte.

Where the engine is compiled, its interpreted twin is compared as well, in a process of its
own that cannot see the compiled modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.engine.plan import Plan
from simulator.simulate import load_plan
from tests.child import Child
from tests.examples import examples
from tests.plans import Draw
from tests.records import cell_names, plan_named, record


def expected(plan: Plan) -> str:
    answer = record("reference", plan)
    assert "broken" not in json.loads(answer), json.loads(answer)["broken"]
    return answer


def assert_equal(plan: Plan) -> None:
    assert record("native", plan) == expected(plan)


@pytest.mark.parametrize("name", cell_names())
def test_every_published_cell(name: str) -> None:
    assert_equal(plan_named(name))


@pytest.mark.parametrize("path", ["scfs", "nfs", "svio"])
@pytest.mark.parametrize("policy", ["gfortran", "flang"])
def test_every_path_with_clients_that_meet(path: str, policy: str) -> None:
    given = [("path", path), ("clients", "4"), ("policy", policy)]
    given += [("workload.files.output.size", "3 MB"), ("record", "[200 kB, 1 kB]")]
    assert_equal(load_plan("nwt", "test-write-120MB", settings=given, seed=3, noisy=True))


@settings(max_examples=examples(1000))
@given(st.randoms(use_true_random=False))
def test_random_plans(rng: Random) -> None:
    assert_equal(Draw(rng).plan(most_jobs=8))


@settings(max_examples=examples(500))
@given(st.randoms(use_true_random=False))
def test_random_plans_with_listed_calls(rng: Random) -> None:
    assert_equal(Draw(rng, listed=70).plan(most_jobs=8))


@settings(max_examples=examples(8))
@given(st.integers(0, 10**6))
def test_random_plans_of_many_clients(seed: int) -> None:
    assert_equal(Draw(Random(seed)).plan(most_jobs=200))


@pytest.fixture(scope="module")
def from_source() -> Iterator[Child]:
    child = Child("interpreted")
    yield child
    child.close()


@pytest.mark.parametrize("name", [*cell_names(), *map(str, range(40))])
def test_the_interpreted_engine_is_the_same(from_source: Child, name: str) -> None:
    assert from_source.build == "interpreted"
    from_source.ask(name)
    assert from_source.answer() == expected(plan_named(name))


NAMED = {"table": "{} engine)", "json": '"engine": "{}"', "csv": "id,table,"}
"""Where ``nwtsim reproduce`` says which engine it was, if it does."""


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=() if form == "table" else pytest.mark.slow) for form in NAMED],
)
def test_both_reproduce_the_same_tables(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for engine in ("reference", "native"):
        assert main(["reproduce", "nwt", "--engine", engine, "--format", form]) == 0
        before, named, after = capsys.readouterr().out.partition(NAMED[form].format(engine))
        assert named
        printed.append((before, after))
    assert printed[0] == printed[1]


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
