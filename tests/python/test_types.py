"""Types of the Python interface: a user's script under mypy --strict, named errors, typed cells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nwtsim
from nwtsim.rows import Row
from tests.python.test_beyond_one_run import MACHINE, WORKLOAD

pytestmark = pytest.mark.filterwarnings("ignore:.*identical processes move in lockstep")

SCRIPT = """\
import nwtsim
from nwtsim.parts import Disk

machine = nwtsim.load_machine("workstation")
reveal_type(machine.parts["disk"])
reveal_type(machine.part("disk", Disk).seek)
reveal_type(machine.nodes["pc"].count)
reveal_type(nwtsim.load_workload("copy-file").jobs[0].processes)
result = nwtsim.run(machine, "copy-file")
reveal_type(result.elapsed_s)
swept = nwtsim.sweep(machine, "copy-file", {"disk.rate": ([50.0, 60], "MB/s"), "record": "4 KiB"})
reveal_type(swept[0])
reveal_type(nwtsim.advise(machine, "copy-file")[0])
reveal_type(nwtsim.machines()["nwt"].title)
machine.wheels
nwtsim.run(machine, "copy-file", engine="quick")
nwtsim.sweep(machine, "copy-file", {"disk.rate": 3})
"""
REVEALED = [
    *("simulator.config.part.Part", "int", "int", "int", "float"),
    *("nwtsim.rows.Row", "nwtsim.rows.Row", "str"),
]


USERS = """\
from pathlib import Path

import nwtsim
from nwtsim.parts import Disk


def seek_ms(machine: nwtsim.Machine) -> float:
    return machine.part("disk", Disk).seek / 1e6


def fastest(rates: list[float]) -> tuple[str, float]:
    swept = nwtsim.sweep("workstation", "copy-file", {"disk.rate": (rates, "MB/s")}, jobs=1)
    best = swept.best("elapsed_s", least=True)
    return best.text("bottleneck"), best.number("elapsed_s")


def is_sure(limit_s: float, sense: nwtsim.Sense = "at most") -> bool:
    result = nwtsim.run("workstation", "copy-file", replications=4, seed=1, jobs=1)
    verdict: nwtsim.Verdict = result.replicated["elapsed_s"].meets(limit_s, sense)
    return bool(verdict) and verdict.holds


def saved(path: Path) -> list[float]:
    advice = nwtsim.advise("workstation", "copy-file")
    path.write_text(advice.to_html(), encoding="utf-8")
    return [one.number("saves_s") for one in advice]


try:
    nwtsim.load_machine("workstation").parts["dsk"]
except nwtsim.UnknownNameError as error:
    print(error)
print(seek_ms(nwtsim.load_machine("workstation")), *fastest([50, 250]))
print(is_sure(1e6), is_sure(0.001))
print(len(saved(Path("advice.html"))) > 0)
"""

BUYERS = """\
import nwtsim


def cheapest(name: str) -> nwtsim.Option:
    sized = nwtsim.size(name, noise=False, jobs=1)
    if not sized or sized.answer is None:
        raise SystemExit(f"nothing meets {name}: {sized.nearest}")
    return sized.answer


def least_to_spare(option: nwtsim.Option) -> tuple[str, float]:
    worst = min(option.targets, key=lambda target: target.number("margin"))
    return worst.text("figure"), worst.number("margin")


def is_sure(option: nwtsim.Option, wanted: float) -> bool:
    return option.probability is not None and option.probability >= wanted


answer = cheapest("nwt-1997")
volumes: str = answer.choices["volumes"]
paths: int = answer.pieces["path"]
print(volumes, paths, answer.price, *least_to_spare(answer), is_sure(answer, 0.9))
prices: list[float] = [one.price for one in nwtsim.size("nwt-1997", noise=False, jobs=1).front]
print(prices == sorted(prices), answer["pieces"])
try:
    answer.choices["volums"]
except nwtsim.UnknownNameError as error:
    print(error)
"""
"""Of a requirement, its answer to the cell."""


@pytest.mark.slow
def test_a_buyers_script_runs(tmp_path: Path, root: Path) -> None:
    first, second, third = lines_of(BUYERS, tmp_path, root)
    assert re.fullmatch(r"72 MB/s 4 54\.0 end 0\.1\d+ True", first)
    assert second.startswith("True {'path': 4, ")
    assert third == "there is no 'volums'; did you mean 'volumes'?"


def test_a_users_script_runs(tmp_path: Path, root: Path) -> None:
    lines = lines_of(USERS, tmp_path, root)
    assert lines[0] == "there is no 'dsk'; did you mean 'disk'?"
    assert re.fullmatch(r"8\.5 \w+ [0-9.]+", lines[1])
    assert lines[2:] == ["True False", "True"]


def lines_of(script: str, folder: Path, root: Path) -> list[str]:
    """Run a script in a folder; return the lines that it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    return ran.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("script", [USERS, BUYERS])
def test_a_users_script_is_typed(tmp_path: Path, root: Path, script: str) -> None:
    """No mistake under mypy --strict, and no cell of any type where one is returned."""
    pytest.importorskip("mypy")
    assert said_of(script, tmp_path, root) == []


def said_of(text: str, folder: Path, root: Path) -> list[str]:
    """Return what mypy --strict says of a script, with the package's own types."""
    script = folder / "script.py"
    script.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"{script}"]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=root)
    return [line for line in ran.stdout.splitlines() if line.startswith(str(script))]


def test_unknown_names_are_named_errors() -> None:
    machine = nwtsim.load_machine(MACHINE)
    for call in (
        lambda: machine.parts["dsk"],
        lambda: machine.part("dsk", nwtsim.parts.Disk),
        lambda: nwtsim.run(machine, WORKLOAD).where("dsk"),
        lambda: nwtsim.run(machine, WORKLOAD).phases("dsk"),
        lambda: nwtsim.machines()["dsk"],
    ):
        with pytest.raises(nwtsim.UnknownNameError, match=r"'dsk'; (did you mean|there are)"):
            call()
    assert issubclass(nwtsim.UnknownNameError, (KeyError, nwtsim.InputError))
    assert "dsk" not in machine.parts
    assert machine.parts.get("dsk") is None


def test_a_cell_is_of_the_type_that_is_asked_for() -> None:
    row = Row(elapsed_s=2, busiest="disk", met=True)
    with pytest.raises(TypeError, match="busiest is no number, but 'disk'"):
        row.number("busiest")
    with pytest.raises(TypeError, match="met is no number, but True"):
        row.number("met")
    with pytest.raises(TypeError, match="elapsed_s is no text, but 2"):
        row.text("elapsed_s")


@pytest.mark.slow
def test_a_script_is_typed_down_to_the_cell(tmp_path: Path, root: Path) -> None:
    """As users check theirs: mypy --strict, with the package's own types."""
    pytest.importorskip("mypy")
    said = said_of(SCRIPT, tmp_path, root)
    revealed = re.findall(r'Revealed type is "(.*)"', "\n".join(said))
    short = [re.sub(r"builtins\.|typing\.|NewType\b", "", one) for one in revealed]
    assert [re.sub(r"simulator\.units\.Nanoseconds", "int", one) for one in short] == REVEALED
    errors = [line for line in said if ": error:" in line]
    assert [int(line.split(":")[1]) for line in errors] == [15, 16, 17]
    assert '"Machine" has no attribute "wheels"' in errors[0]
