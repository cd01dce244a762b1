"""Binder installs what `make setup` does: the same locks, and the same two commands."""

import os
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
BINDER = ROOT / ".binder"


def test_its_python_is_one_that_the_project_supports() -> None:
    (version,) = re.findall(r"^python-(\d+\.\d+)$", (BINDER / "runtime.txt").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert version in SpecifierSet(project["requires-python"])


def test_its_packages_are_pinned_and_no_two_locks_disagree() -> None:
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    locks = [(BINDER / line.removeprefix("-r ")).resolve() for line in lines]
    assert [one.name for one in locks] == ["tables.lock", "notebooks.lock"]
    pins: dict[str, str] = {}
    for lock in locks:
        for line in lock.read_text().splitlines():
            if re.match(r"\w", line):
                made = Requirement(line.split(" \\")[0])
                assert str(made.specifier).startswith("==")
                assert pins.setdefault(made.name, str(made.specifier)) == str(made.specifier)
    assert {"setuptools", "jupyterlab", "pyyaml", "simpy"} <= pins.keys()


def test_it_compiles_as_the_makefile_does() -> None:
    script = BINDER / "postBuild"
    assert os.access(script, os.X_OK)
    commands = [one for one in script.read_text().splitlines() if "python " in one]
    makefile = (ROOT / "Makefile").read_text().replace("$(PIP)", "python -m pip")
    makefile = makefile.replace("$(BIN)/", "")
    assert len(commands) == 2
    for one in commands:
        assert f"\t@{one}\n" in makefile
    assert "g++" in (BINDER / "apt.txt").read_text().split()
