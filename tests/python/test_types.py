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


def test_a_users_script_runs(tmp_path: Path, root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", USERS],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    lines = ran.stdout.splitlines()
    assert lines[0] == "there is no 'dsk'; did you mean 'disk'?"
    assert re.fullmatch(r"8\.5 \w+ [0-9.]+", lines[1])
    assert lines[2:] == ["True False", "True"]


@pytest.mark.slow
def test_a_users_script_is_typed(tmp_path: Path, root: Path) -> None:
    """No mistake under mypy --strict, and no cell of any type where one is returned."""
    pytest.importorskip("mypy")
    assert said_of(USERS, tmp_path, root) == []


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
