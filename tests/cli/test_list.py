"""``nwtsim list``: what comes with nwtsim, and what of it fits a machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.requirement_file import REQUIREMENT
from simulator.run import load
from simulator.study.studies import study_names

Capture = pytest.CaptureFixture[str]


def test_all_that_is_shipped_is_listed_in_80_columns(capsys: Capture) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    first = {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert first == {
        *MACHINE.shipped(),
        *WORKLOAD.shipped(),
        *REQUIREMENT.shipped(),
        *study_names(),
    }


def test_counts_are_those_of_the_files(capsys: Capture) -> None:
    assert main(["list", "machines", "--format", "json"]) == 0
    (nwt,) = (
        one for one in json.loads(capsys.readouterr().out)["machines"] if one["name"] == "nwt"
    )
    assert main(["show", "nwt", "--format", "json"]) == 0
    shown = [one["source"] for one in json.loads(capsys.readouterr().out)["values"]]
    assert nwt["fitted"] == shown.count("calibrated") > 0
    assert nwt["assumed"] == shown.count("assumed") + shown.count("unstated") > 0
    assert nwt["sourced"] == shown.count("paper") + shown.count("literature") > 0


def test_workloads_that_fit_are_those_that_run(capsys: Capture) -> None:
    assert main(["list", "--for", "workstation", "--format", "json"]) == 0
    names = {one["name"] for one in json.loads(capsys.readouterr().out)["workloads"]}
    machine = load(MACHINE, "workstation")
    for name in WORKLOAD.shipped():
        bad = any(one.severity == "error" for one in fit(machine, load(WORKLOAD, name)))
        assert (name in names) is not bad, name
    assert names < set(WORKLOAD.shipped())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "papers"], "invalid choice: 'papers'"),
        (["list", "--for", "nosuch"], "no machine of that name"),
        (["list", "machines", "--for", "nwt"], "lists workloads, not machines"),
    ],
)
def test_mistakes(words: list[str], said: str, capsys: Capture) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_parts_are_merged_without_a_machine(tmp_path: Path, capsys: Capture) -> None:
    words = ["sweep", "--merge", str(tmp_path), "--out", str(tmp_path / "out")]
    for more in ("--seed 0", "--engine native", "--confidence 90%", "--set buffer=1"):
        assert main([*words, *more.split()]) == 2
        said = f"--merge: {more.split()[0]} is in the parts already; leave it out\n"
        assert capsys.readouterr().err == said
    for more in ("--jobs 2", "--executor dask", "--scheduler tcp://a:1", "--store a", "--no-store"):
        assert main([*words, *more.split()]) == 2
        said = f"--merge: {more.split()[0]} is about running points, and none is run; leave it out"
        assert capsys.readouterr().err == f"{said}\n"
    assert main(["sweep", "--out", str(tmp_path / "out")]) == 2
    assert "required: MACHINE, WORKLOAD" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
