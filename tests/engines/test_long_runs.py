"""Long and large runs from files: right up to the limits of docs/model.md, refused past them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main

MACHINE = """\
format: machine/2
name: long
nodes: {client: CLIENTS}
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 s, record_overhead: 0 s}
  disk: {kind: KIND, at: client, SERVICE}
filesystems: {fs: [[disk]]}
"""
WORKLOAD = """\
format: workload/2
name: long
files: {f: {size: SIZE}}
jobs:
  - JOB
"""
Capture = pytest.CaptureFixture[str]


class Files:
    """A machine and a workload, to be run."""

    def __init__(self, folder: Path, capsys: Capture) -> None:
        self.folder = folder
        self.capsys = capsys
        self.machine = {"CLIENTS": "1", "KIND": "queue", "SERVICE": "rate: 1 B/s"}
        job = "{name: j, on: client, phases: [{do: write, file: f, record: SIZE}]}"
        self.workload = {"JOB": job, "SIZE": "1 GB"}

    def run(self, *words: str, **values: str) -> tuple[int, str, str]:
        """Run them, with some values; returns the exit code and what was printed."""
        files = []
        for name, text in (("machine", MACHINE), ("workload", WORKLOAD)):
            for key, value in {**getattr(self, name), **values}.items():
                text = text.replace(key, value)  # noqa: PLW2901 - bit by bit
            files.append(self.folder / f"{name}.yaml")
            files[-1].write_text(text, encoding="utf-8")
        code = main(["run", *map(str, files), *words])
        said = self.capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    def both(self, *words: str, **values: str) -> Any:
        """Run them on both engines; returns the record that both give."""
        found = []
        for engine in ("reference", "native"):
            code, out, err = self.run(*words, "--engine", engine, "--format", "json", **values)
            assert code == 0, err
            found.append(json.loads(out))
        for one in found:
            for name in ("engine", "versions", "why"):
                one.pop(name, None)
        assert found[0] == found[1]
        return found[0]

    def refused(self, *words: str, **values: str) -> set[str]:
        """Run them on both engines, which refuse; returns what they said."""
        found = set()
        for engine in ("reference", "native"):
            code, out, err = self.run(*words, "--engine", engine, **values)
            assert (code in (2, 3), out) == (True, "")
            found.add(err)
        return found


@pytest.fixture
def files(tmp_path: Path, capsys: Capture) -> Files:
    return Files(tmp_path, capsys)


def test_a_shared_part_for_years(files: Files) -> None:
    record = files.both(KIND="shared", SERVICE="rate: 1 B/s", SIZE="500 MB")
    assert record["elapsed_ns"] == 500 * 10**6 * 10**9 + 1  # and a copy


def test_past_146_years_a_run_says_where(files: Files) -> None:
    (said,) = files.refused(SIZE="5 GB")
    assert said == (
        "the simulation failed: disk exceeds 2**62 ns (146 years), the limit of a run\n"
    )


@pytest.mark.parametrize("size", ["4611686018427387904 B", "9223372036854775807 B", "9 EB"])
def test_sizes_past_the_limit_are_mistakes_of_the_file(files: Files, size: str) -> None:
    for said in files.refused(SIZE=size):
        assert "workload.yaml:3" in said


@pytest.mark.parametrize("size", ["4611686018427387903 B", "4 EB", "2305843009213693953 B"])
def test_the_largest_sizes_are_refused_or_right(files: Files, size: str) -> None:
    for engine in ("reference", "native"):
        code, out, err = files.run("--engine", engine, SIZE=size, SERVICE="rate: 1000 PB/s")
        assert (code, bool(out)) in ((0, True), (2, False), (3, False)), err


def test_such_a_result_can_be_compared(files: Files) -> None:
    """Its processes together took more than 2**63 ns."""
    phases = "[{do: write, file: f, record: SIZE}]"
    job = f"{{name: j, on: client, processes: 40, phases: {phases}}}"
    out = str(files.folder / "a.json")
    values = {"KIND": "delay", "SERVICE": "overhead: 700000 h", "SIZE": "1 B", "JOB": job}
    code, _, said = files.run("--format", "json", "--out", out, **values)
    assert code == 0, said
    assert main(["compare", out, out]) == 0
    assert "both sides agree" in files.capsys.readouterr().out
