"""Without the compiled kernel the reference engine does everything, and that is said once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator import native
from simulator.cli.main import main
from simulator.cost import message_before_run
from simulator.run import load_plan, run_plan, run_totals
from tests.cli.commands import Capture, as_json, done, refused
from tests.sizing.texts import COPY

SMALL = ("workstation", "copy-file", "--source.size", "2 MB", "--copy.size", "2 MB")
NOT_HERE = "the native engine is not compiled here"
BUILT_ON_IT = ("run", "columns", "programs", "tables", "outcome", "totals", "spans")


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No kernel: also what has been made of it is not there, and cannot be imported."""
    for name in BUILT_ON_IT:
        monkeypatch.delitem(sys.modules, f"simulator.native.{name}", raising=False)
        monkeypatch.delattr(native, name, raising=False)
    monkeypatch.setitem(sys.modules, native.KERNEL, None)
    monkeypatch.delattr(native, "kernel", raising=False)
    native.has_kernel.cache_clear()
    yield
    monkeypatch.undo()
    native.has_kernel.cache_clear()


def test_it_is_hidden() -> None:
    assert not native.has_kernel()
    assert native.column_cache() is None
    with pytest.raises(ImportError):
        import simulator.native.run  # noqa: F401


def test_auto_takes_the_reference_engine_and_says_so_once(capsys: Capture) -> None:
    found = as_json(capsys, "run", *SMALL)
    assert found["engine"] == "reference"
    assert found["why"].startswith(f"auto: {NOT_HERE}")


def test_a_run_says_it_in_one_line(capsys: Capture) -> None:
    assert main(["run", *SMALL]) == 0
    said = capsys.readouterr()
    assert (said.out + said.err).count(NOT_HERE) == 1


def test_native_is_an_error_of_one_sentence(capsys: Capture) -> None:
    said = refused(capsys, "run", *SMALL, "--engine", "native")
    assert said.count("\n") == 1
    assert said.startswith(f"--engine native: {NOT_HERE}: install nwtsim from a wheel, or a C++ ")


def test_the_version_says_that_it_is_not_compiled(capsys: Capture) -> None:
    assert "native (not compiled)" in done(capsys, "--version")


def test_plans_and_totals() -> None:
    settings = [("workload.files.source.size", "2 MB"), ("workload.files.copy.size", "2 MB")]
    plan = load_plan("workstation", "copy-file", settings=settings)
    result = run_plan(plan)
    assert result.engine == "reference"
    totals = run_totals(plan, cache=native.column_cache())
    assert totals.elapsed_ns == result.elapsed_ns


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sweeps(jobs: str, tmp_path: Path, capsys: Capture) -> None:
    words = ("sweep", *SMALL, "--vary", "disk.rate=10 MB/s..40 MB/s x2", "--jobs", jobs)
    done(capsys, *words, "--out", str(tmp_path))
    (path,) = tmp_path.glob("*.csv")
    assert path.read_text().count("\n") == 4


@pytest.mark.slow
def test_studies(capsys: Capture) -> None:
    assert "claims" in done(capsys, "reproduce", "ninf", "--short")


def test_sizes(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "requirement.yaml"
    path.write_text(COPY.replace("TIME", "1 s"))
    found: Any = json.loads(done(capsys, "size", str(path), "--format", "json"))
    assert found


def test_costs_are_those_of_the_reference_engine() -> None:
    plan = load_plan("nwt", "test-write")
    said = " ".join(message_before_run(plan, "auto", 0, timeline=False, record=False))
    assert NOT_HERE in said
